#include "decoder/filter.h"

#include <string.h>

#include "record/path_glob.h"

static bool matches(const struct options_glob *glob, const char *path)
{
	return path_glob_matches(glob->text, glob->length, path) ||
	       (glob->real &&
		       path_glob_matches(glob->real, strlen(glob->real), path));
}

static bool file_is_wanted(
	const struct options *options, const struct definition_stream *stream)
{
	size_t i;

	for (i = 0; stream && stream->path && i < options->glob_count; i++)
		if (matches(&options->globs[i], stream->path))
			return true;
	return false;
}

/* The answer is kept: it is the same for all messages with this context. */
static bool is_wanted_file(
	const struct options *options, struct definition_context *context)
{
	if (context->file_wanted == 0)
		context->file_wanted =
			file_is_wanted(options, context->stream) ? 2 : 1;
	return context->file_wanted == 2;
}

bool filter_wants(const struct options *options, const struct message *message)
{
	uint32_t stream = message_stream(message);

	if (options->one_pid && message->pid != options->pid)
		return false;
	if (options->streams == 0)
		return true;
	if (!(options->streams & stream))
		return false;
	return !(stream & BINLOG_STREAM_FILE) ||
	       is_wanted_file(options, message->context);
}
