#include <errno.h>
#include <stdlib.h>

#include "decoder/filter.h"
#include "decoder/replay.h"
#include "decoder/style.h"

/*
 * The bytes of --raw in the order in which they would have been written.
 * Messages to syslog are written to no file.
 */
struct by_write {
	const struct options *options;
	struct output *output;
	struct written *written;
	struct replay *replay;
};

static void *begin(const struct style_settings *settings)
{
	struct by_write *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->options = settings->options;
	state->output = settings->output;
	state->written = written_new();
	state->replay = state->written ? replay_new(state->written) : NULL;
	if (state->replay)
		return state;
	written_free(state->written);
	free(state);
	return NULL;
}

static void message(void *state, const struct message *message)
{
	struct by_write *by_write = state;

	if (message_stream(message) == BINLOG_STREAM_SYSLOG)
		return;
	replay_message(by_write->replay, message,
		filter_wants(by_write->options, message));
}

static void end(void *state)
{
	struct by_write *by_write = state;

	replay_free(by_write->replay);
	if (!written_give_out(by_write->written, by_write->output) &&
		by_write->output->failed == 0)
		by_write->output->failed = errno;
	written_free(by_write->written);
	free(by_write);
}

const struct style style_written = {
	.name = "raw",
	.needs_all = true,
	.begin = begin,
	.message = message,
	.end = end,
};
