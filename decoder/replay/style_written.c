#include <errno.h>
#include <stdlib.h>

#include "decoder/output/style.h"
#include "decoder/query/filter.h"
#include "decoder/replay/replay.h"

/*
 * The bytes of --raw, file by file, in the order in which they would have been
 * written.  What goes to syslog counts as a file, of lines as --raw has them.
 */
struct by_write {
	const struct options *options;
	struct output *output;
	struct output line; /* of syslog, on its way */
	void *syslog;	    /* style_raw's state, which fills `line` */
	struct written *written;
	struct replay *replay;
};

static void *begin(const struct style_settings *settings)
{
	struct by_write *state = calloc(1, sizeof(*state));
	struct style_settings lines = *settings;

	if (!state)
		return NULL;
	state->options = settings->options;
	state->output = settings->output;
	state->line.fd = settings->output->fd;
	lines.output = &state->line;
	state->syslog = style_raw_begin(&lines);
	state->written = written_new();
	state->replay = state->written ? replay_new(state->written) : NULL;
	if (state->syslog && state->replay)
		return state;
	if (state->syslog)
		style_raw_end(state->syslog);
	replay_free(state->replay);
	written_free(state->written);
	free(state);
	return NULL;
}

static void move_line(struct by_write *by_write, const struct message *message)
{
	struct render_buffer *text = &by_write->line.text;
	bool full;
	struct written_target *target = written_find(
		by_write->written, message->context->stream, &full);

	if (target)
		written_put(target, text->data, text->length);
	text->length = 0;
}

static void add_to_syslog(
	struct by_write *by_write, const struct message *message)
{
	style_raw_message(by_write->syslog, message);
	if (by_write->line.text.length > 0 && message->context->stream)
		move_line(by_write, message);
}

static bool is_asked_for(
	const struct by_write *by_write, const struct message *message)
{
	return filter_wants(&by_write->options->rules, message) &&
	       filter_is_timely(&by_write->options->rules, message);
}

static void message(void *state, const struct message *message)
{
	struct by_write *by_write = state;

	if (message_stream(message) == BINLOG_STREAM_SYSLOG) {
		if (is_asked_for(by_write, message))
			add_to_syslog(by_write, message);
		return;
	}
	replay_message(
		by_write->replay, message, is_asked_for(by_write, message));
}

static void end(void *state)
{
	struct by_write *by_write = state;

	if (replay_failed(by_write->replay) && by_write->output->failed == 0)
		by_write->output->failed = ENOMEM;
	replay_free(by_write->replay);
	style_raw_end(by_write->syslog);
	render_buffer_free(&by_write->line.text);
	if (!written_give_out(by_write->written, by_write->output) &&
		by_write->output->failed == 0) {
		by_write->output->failed = errno;
		by_write->output->where = "a temporary file in TMPDIR";
	}
	written_free(by_write->written);
	free(by_write);
}

const struct style style_written = {
	.name = "raw",
	.reads = STYLE_READS_ALL,
	.begin = begin,
	.message = message,
	.end = end,
};
