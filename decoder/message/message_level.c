#include "decoder/message/message_level.h"

#include <string.h>

#include "record/layout.h"
#include "rules/levels.h"

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

int message_level(const struct message *message)
{
	const struct definition_string *format;
	struct message_syslog syslog;

	if (message_is_syslog(message, &syslog))
		return (int)(syslog.priority & 7);
	if (message_is_event(message))
		return LEVEL_info;
	format = message_format(message);
	if (format)
		return level_of_text(
			format->bytes, format->length, usual(message));
	if (message->count > 0 &&
		message->arguments[0].kind == BINLOG_ARG_STRING &&
		!message->arguments[0].null)
		return level_of_text(message->arguments[0].data,
			message->arguments[0].bytes, usual(message));
	return usual(message);
}
