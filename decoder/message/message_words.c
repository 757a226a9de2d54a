#include "decoder/message/message_words.h"

#include <string.h>

#include "base/digits.h"
#include "base/escape.h"
#include "record/layout.h"
#include "rules/levels.h"

static void put_string(struct render_buffer *out, const char *string)
{
	render_buffer_put(out, string, strlen(string));
}

static void put_foreign(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

static void put_number(struct render_buffer *out, uint32_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}

void message_words_priority(uint32_t priority, struct render_buffer *out)
{
	static const char *const facilities[] = {"kern", "user", "mail",
		"daemon", "auth", "syslog", "lpr", "news", "uucp", "cron",
		"authpriv", "ftp", "12", "13", "14", "15", "local0", "local1",
		"local2", "local3", "local4", "local5", "local6", "local7"};
	uint32_t facility = priority >> 3;

	if (facility < sizeof(facilities) / sizeof(facilities[0]))
		put_string(out, facilities[facility]);
	else
		put_number(out, facility);
	render_buffer_put_byte(out, '.');
	put_string(out, level_name((int)(priority & 7)));
}

/* One file behind both (a terminal, 2>&1): the descriptor tells which. */
void message_words_stream(
	const struct message *message, struct render_buffer *out)
{
	uint32_t flags = message_stream(message);
	int32_t fd =
		message->context->stream ? message->context->stream->fd : -1;
	bool both = flags & BINLOG_STREAM_STDOUT && fd != 2;

	if (both || flags == BINLOG_STREAM_STDOUT) {
		render_buffer_put(out, "stdout", 6);
	} else if (flags & BINLOG_STREAM_STDERR) {
		render_buffer_put(out, "stderr", 6);
	} else if (flags == BINLOG_STREAM_SYSLOG) {
		render_buffer_put(out, "syslog", 6);
	} else if (message->context->stream && message->context->stream->path) {
		put_foreign(out, message->context->stream->path);
	} else if (fd >= 0) {
		put_string(out, "fd");
		put_number(out, (uint32_t)fd);
	} else {
		render_buffer_put_byte(out, '?');
	}
}

/* A name other than the program's: `ident: ` before the text. */
void message_words_ident(const struct message *message,
	const struct message_syslog *syslog, struct render_buffer *out)
{
	if (!syslog->ident ||
		(strlen(message->program->name) == syslog->ident_bytes &&
			memcmp(message->program->name, syslog->ident,
				syslog->ident_bytes) == 0))
		return;
	escape_put(out, syslog->ident, syslog->ident_bytes, ESCAPE_NEWLINE);
	put_string(out, ": ");
}

/* `file:line: function: `, or what is known of it. */
void message_words_place(void *closure, const struct place *place)
{
	struct render_buffer *out = closure;
	const char *slash = place->file ? strrchr(place->file, '/') : NULL;

	if (place->file && place->line) {
		put_foreign(out, slash ? slash + 1 : place->file);
		render_buffer_put_byte(out, ':');
		put_number(out, place->line);
		render_buffer_put(out, ": ", 2);
	} else if (place->module) {
		put_foreign(out, place->module);
		render_buffer_put(out, ": ", 2);
	}
	if (place->function) {
		put_foreign(out, place->function);
		render_buffer_put(out, ": ", 2);
	}
}
