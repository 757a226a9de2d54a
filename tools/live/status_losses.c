#include "tools/live/status_losses.h"

#include <stdlib.h>
#include <string.h>

static void add_losses(
	struct status_count *count, struct live_writer *writer, size_t i)
{
	struct live_capture *capture = count->capture;
	struct binlog_block head;

	if (recording_read(capture->recording, writer->blocks[i].offset, &head,
		    sizeof(head)) < sizeof(head))
		return;
	count->passed += head.passed;
	count->dropped += head.dropped;
}

static bool make_room(struct status_count *count)
{
	size_t writers = count->capture->count;
	uint32_t *summed;

	if (writers <= count->summed_room)
		return true;
	summed = realloc(count->summed, 2 * writers * sizeof(*summed));
	if (!summed)
		return false;
	memset(summed + count->summed_room, 0,
		(2 * writers - count->summed_room) * sizeof(*summed));
	count->summed = summed;
	count->summed_room = 2 * writers;
	return true;
}

/* Nothing more is counted there; those that were freed have new places. */
static void leave_blocks(struct status_count *count, size_t index)
{
	struct live_writer *writer = count->capture->writers[index];
	size_t done = live_capture_done(writer);
	size_t freed = 0;
	size_t i;

	for (i = 0; i < done; i++) {
		if (writer->blocks[i].sequence < count->summed[index])
			continue;
		add_losses(count, writer, i);
		count->summed[index] = writer->blocks[i].sequence + 1;
	}
	while (freed < done && writer->places[freed] == 0)
		freed++;
	live_capture_forget(writer, freed);
}

void status_losses_sum(struct status_count *count)
{
	struct live_capture *capture = count->capture;
	size_t i, k;

	count->passed = count->left_passed;
	count->dropped = count->left_dropped;
	if (!make_room(count)) {
		count->failed = true;
		return;
	}
	for (i = 0; i < capture->count; i++)
		leave_blocks(count, i);
	count->left_passed = count->passed;
	count->left_dropped = count->dropped;
	count->passed += capture->recording->header.passed;
	count->dropped += capture->recording->header.dropped;
	for (i = 0; i < capture->count; i++)
		for (k = live_capture_done(capture->writers[i]);
			k < capture->writers[i]->count; k++)
			add_losses(count, capture->writers[i], k);
}
