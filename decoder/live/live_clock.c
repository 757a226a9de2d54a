#include "decoder/live/live_clock.h"

#include <stdlib.h>
#include <string.h>

/* The blocks that are there, for the clock and whoever asks the recording. */
static bool list_blocks(struct live_capture *capture)
{
	struct recording *recording = capture->recording;
	size_t count = 1;
	size_t i;

	for (i = 0; i < capture->count; i++)
		count += capture->writers[i]->count;
	if (count > recording->block_room) {
		struct recording_block *blocks = realloc(recording->blocks,
			2 * count * sizeof(*recording->blocks));

		if (!blocks)
			return false;
		recording->blocks = blocks;
		recording->block_room = 2 * count;
	}
	recording->block_count = 0;
	for (i = 0; i < capture->count; i++) {
		const struct live_writer *writer = capture->writers[i];

		if (writer->count > 0)
			memcpy(recording->blocks + recording->block_count,
				writer->blocks,
				writer->count * sizeof(*writer->blocks));
		recording->block_count += writer->count;
	}
	return true;
}

/* Tells of a clock that was set once, and not for each block after it. */
static void forward_errors(
	struct live_capture *capture, const struct error_list *errors)
{
	size_t i;

	for (i = 0; !capture->told_of_clock && i < errors->count &&
		    i < ERROR_KEPT_MAX;
		i++)
		error_add(capture->recording->errors, &errors->kept[i]);
	capture->told_of_clock |= errors->count > 0;
}

bool live_clock_renew(struct live_capture *capture)
{
	struct recording *recording = capture->recording;
	struct error_list *errors = recording->errors;
	struct error_list silent = {0};
	bool jumped = capture->clock.jumped;
	bool good;

	if (!list_blocks(capture))
		return false;
	wall_clock_end(&capture->clock);
	recording->errors = &silent;
	good = wall_clock_begin(&capture->clock, recording);
	recording->errors = errors;
	capture->clock.jumped |= jumped;
	forward_errors(capture, &silent);
	return good;
}
