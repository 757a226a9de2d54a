#include "decoder/message/message_level.h"

#include <string.h>

#include "base/escape.h"
#include "record/layout.h"
#include "rules/levels.h"

/* What a logger puts before a text is not longer. */
#define PREFIX_BYTES 80u

/*
 * What lines say of a message beside its text: where it went, how important
 * it was, and where it came from.  Used by the styles that show lines; safe on
 * a terminal, and without a newline.
 */

static void put_foreign(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

void message_words_priority(
	uint32_t priority, int level, struct render_buffer *out)
{
	static const char *const facilities[] = {"kern", "user", "mail",
		"daemon", "auth", "syslog", "lpr", "news", "uucp", "cron",
		"authpriv", "ftp", "12", "13", "14", "15", "local0", "local1",
		"local2", "local3", "local4", "local5", "local6", "local7"};
	uint32_t facility = priority >> 3;

	if (facility < sizeof(facilities) / sizeof(facilities[0]))
		render_buffer_put_string(out, facilities[facility]);
	else
		render_buffer_put_number(out, facility);
	render_buffer_put_byte(out, '.');
	render_buffer_put_string(out, level_name(level));
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
		render_buffer_put_string(out, "fd");
		render_buffer_put_number(out, (uint32_t)fd);
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
	render_buffer_put_string(out, ": ");
}

/* `file:line: function: `, or what is known of it. */
void message_words_location(void *closure, const struct location *location)
{
	struct render_buffer *out = closure;
	const char *slash =
		location->file ? strrchr(location->file, '/') : NULL;

	if (location->file && location->line) {
		put_foreign(out, slash ? slash + 1 : location->file);
		render_buffer_put_byte(out, ':');
		render_buffer_put_number(out, location->line);
		render_buffer_put(out, ": ", 2);
	} else if (location->module) {
		put_foreign(out, location->module);
		render_buffer_put(out, ": ", 2);
	}
	if (location->function) {
		put_foreign(out, location->function);
		render_buffer_put(out, ": ", 2);
	}
}

static bool begins(const struct definition_string *name, const char *with)
{
	return name && name->bytes &&
	       strncmp(name->bytes, with, strlen(with)) == 0;
}

/* One file behind both (a terminal, 2>&1): the descriptor tells which.  What
 * has such flags has a stream. */
static bool is_on_stderr(const struct message *message)
{
	const struct definition_stream *stream = message->context->stream;
	uint32_t flags = message_stream(message);

	return flags & BINLOG_STREAM_STDERR &&
	       (!(flags & BINLOG_STREAM_STDOUT) || stream->fd == 2);
}

/* Of a text that says nothing itself. */
static int usual(const struct message *message)
{
	const struct definition_string *function = message->context->function;

	switch (message->context->text) {
	case BINLOG_TEXT_PERROR:
	case BINLOG_TEXT_ERROR:
		return LEVEL_err;
	case BINLOG_TEXT_WARN:
	case BINLOG_TEXT_WARNX:
		return begins(function, "err") || begins(function, "verr")
			       ? LEVEL_err
			       : LEVEL_warning;
	}
	if (begins(function, "psig") || begins(function, "__assert"))
		return LEVEL_err;
	return is_on_stderr(message) ? LEVEL_warning : LEVEL_info;
}

/* What stands alone between a time and the text: a mark, or a letter, which in
 * brackets is known to all. */
static int level_of_mark(char mark)
{
	const char letter[] = {'[', mark, ']'};

	switch (mark) {
	case '.':
		return LEVEL_debug;
	case '-':
		return LEVEL_info;
	case '*':
		return LEVEL_notice;
	case '#':
	case '!':
		return LEVEL_warning;
	}
	return level_of_text(letter, sizeof(letter), -1);
}

/* `debug2:`; what a text alone does not begin with. */
static int level_of_numbered(const char *word, size_t bytes)
{
	size_t end = bytes;
	int level;

	while (end > 0 && strchr(":0123456789", word[end - 1]))
		end--;
	return end > 0 && end + 1 < bytes && word[bytes - 1] == ':' &&
			       level_named(word, end, &level)
		       ? level
		       : -1;
}

/* What a program has put before a statement: a time, names, and a level. */
static int level_of_prefix(const char *prefix, size_t bytes, int otherwise)
{
	bool timed = false;
	size_t at = 0;

	while (at < bytes) {
		const char *word = prefix + at;
		const char *space = memchr(word, ' ', bytes - at);
		size_t length = space ? (size_t)(space - word) : bytes - at;
		int level = level_of_text(word, bytes - at, -1);

		if (level < 0)
			level = level_of_numbered(word, length);
		if (level < 0 && timed && length == 1)
			level = level_of_mark(*word);
		if (level >= 0)
			return level;
		timed |= length > 0 && word[0] >= '0' && word[0] <= '9';
		at += length + 1;
	}
	return otherwise;
}

/* Of a line that nobody has recorded: what it begins with is part of it. */
static int level_of_line(const struct render_argument *line, int otherwise)
{
	size_t bytes = line->bytes < PREFIX_BYTES ? line->bytes : PREFIX_BYTES;
	int level = level_of_text(line->data, line->bytes, -1);

	return level >= 0 ? level
			  : level_of_prefix(line->data, bytes, otherwise);
}

static int level_of_statement(const struct message *message)
{
	const struct definition_statement *statement =
		message->context->statement;
	size_t before = definition_arguments_before(message->context);
	const struct render_argument *prefix = message->arguments + before;
	int level = level_of_text(statement->format->bytes,
		statement->format->length, usual(message));

	return statement->prefix && before < message->count
		       ? level_of_prefix(prefix->data, prefix->bytes, level)
		       : level;
}

int message_level(const struct message *message)
{
	const struct definition_string *format;
	struct message_syslog syslog;
	int ruled = message->context->flags >> BINLOG_CONTEXT_LEVEL_SHIFT &
		    BINLOG_CONTEXT_LEVEL_BITS;

	if (ruled > 0 && ruled <= LEVEL_LAST + 1)
		return ruled - 1;
	if (message_is_syslog(message, &syslog))
		return (int)(syslog.priority & 7);
	if (message_is_event(message))
		return LEVEL_info;
	if (message->context->statement)
		return level_of_statement(message);
	format = message_format(message);
	if (format) {
		if (message->context->level == 0)
			message->context->level =
				(uint8_t)(1 + level_of_text(format->bytes,
						      format->length,
						      usual(message)));
		return message->context->level - 1;
	}
	if (message->count > 0 &&
		message->arguments[0].kind == BINLOG_ARG_STRING &&
		!message->arguments[0].null) {
		if (message->capture->text)
			return level_of_line(
				&message->arguments[0], usual(message));
		return level_of_text(message->arguments[0].data,
			message->arguments[0].bytes, usual(message));
	}
	return usual(message);
}
