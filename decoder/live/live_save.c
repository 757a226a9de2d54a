#include <stdlib.h>
#include <sys/stat.h>

#include "decoder/live/live.h"

/* ---- what a later follower has to know ---- */

static void save_writer(
	const struct live_save *save, struct live_writer *writer, bool all)
{
	struct live_position position = live_capture_position(writer);

	if (!all && position.sequence == writer->saved.sequence &&
		position.offset == writer->saved.offset)
		return;
	writer->saved = position;
	save->position(save->closure, writer->capture->recording->header.nonce,
		&position);
}

static void save_capture(
	const struct live_save *save, struct live_capture *capture, bool all)
{
	size_t from = all ? 0 : capture->kept_saved;
	size_t i;

	if (from < capture->kept_bytes)
		save->records(save->closure, capture->recording->header.nonce,
			capture->kept + from, capture->kept_bytes - from);
	capture->kept_saved = capture->kept_bytes;
	for (i = 0; i < capture->count; i++)
		save_writer(save, capture->writers[i], all);
}

/* What the follower before us has said of captures that we have not found. */
static void save_past(
	const struct live_save *save, const struct live_past *past)
{
	size_t i;

	if (past->bytes > 0)
		save->records(
			save->closure, past->nonce, past->records, past->bytes);
	for (i = 0; i < past->count; i++)
		save->position(save->closure, past->nonce, &past->positions[i]);
}

void live_save(struct live *live, const struct live_save *save, bool all)
{
	const struct live_past *past;
	size_t i;

	for (past = live->pasts.first; all && past; past = past->next)
		if (!past->taken)
			save_past(save, past);
	for (i = 0; i < live->count; i++)
		save_capture(save, live->captures[i], all);
}

/* ---- the end of captures ---- */

static bool has_ended(const struct live_capture *capture)
{
	size_t i;

	if (!capture->ended || capture->finished)
		return false;
	for (i = 0; i < capture->count; i++)
		if (capture->writers[i]->stream.state != WRITER_END)
			return false;
	return true;
}

/* Of the header, where what was freed is counted, and the blocks. */
static void count_calls(struct recording *recording)
{
	struct binlog_header header;
	struct stat st;
	size_t i;

	if (recording_read(recording, 0, &header, sizeof(header)) ==
		sizeof(header))
		recording->header = header;
	if (fstat(recording->fd, &st) == 0)
		recording->size = (uint64_t)st.st_size;
	recording->passed = recording->header.passed;
	recording->dropped = recording->header.dropped;
	for (i = 0; i < recording->block_count; i++) {
		struct binlog_block head;

		if (recording_read(recording, recording->blocks[i].offset,
			    &head, sizeof(head)) < sizeof(head))
			continue;
		recording->passed += head.passed;
		recording->dropped += head.dropped;
	}
}

struct recording *live_next_ended(struct live *live)
{
	size_t i;

	for (i = 0; i < live->count; i++) {
		struct live_capture *capture = live->captures[i];

		if (!has_ended(capture))
			continue;
		capture->finished = true;
		count_calls(capture->recording);
		return capture->recording;
	}
	return NULL;
}

/* ---- what is not needed any more ---- */

static void release_writer(
	struct live_writer *writer, live_take *take, void *closure)
{
	size_t done = live_capture_done(writer);
	size_t i;

	for (i = 0; i < done; i++)
		take(closure, writer->capture->recording, &writer->blocks[i],
			writer->places[i]);
	live_capture_forget(writer, done);
	if (writer->count == 0 && writer->stream.state == WRITER_END)
		writer_stream_end(&writer->stream);
}

static void release_capture(
	struct live_capture *capture, live_take *take, void *closure)
{
	size_t i;

	for (i = 0; i < capture->stale.count; i++)
		take(closure, capture->recording,
			&capture->stale.blocks[i].block,
			capture->stale.blocks[i].place);
	capture->stale.count = 0;
	for (i = 0; i < capture->count; i++)
		release_writer(capture->writers[i], take, closure);
}

void live_release(struct live *live, live_take *take, live_take_all *take_all,
	void *closure)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < live->count; i++) {
		struct live_capture *capture = live->captures[i];

		if (!capture->finished)
			release_capture(capture, take, closure);
		else if (!capture->stuck)
			capture->stuck = !take_all(closure, capture->recording);
		if (capture->finished && !capture->stuck)
			live_capture_free(capture);
		else
			live->captures[kept++] = capture;
	}
	live->count = kept;
}

uint64_t live_released(const struct live *live)
{
	uint64_t bytes = 0;
	size_t i, j, k;

	for (i = 0; i < live->count; i++) {
		const struct live_capture *capture = live->captures[i];

		for (j = 0; j < capture->stale.count; j++)
			bytes += capture->stale.blocks[j].block.size;
		for (j = 0; j < capture->count; j++) {
			const struct live_writer *writer = capture->writers[j];
			size_t done = live_capture_done(writer);

			for (k = 0; k < done; k++)
				bytes += writer->blocks[k].size;
		}
	}
	return bytes;
}

uint64_t live_claimed(const struct live *live)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < live->count; i++)
		bytes += live->captures[i]->places.claimed;
	return bytes;
}

bool live_expect(struct live *live, const struct recording *recording,
	uint64_t offset, uint64_t size)
{
	size_t i;

	for (i = 0; i < live->count; i++)
		if (live->captures[i]->recording == recording)
			return live_blocks_expect(
				&live->captures[i]->places, offset, size);
	return true;
}

struct recording *live_recording_at(const struct live *live, const char *path)
{
	size_t i;

	for (i = 0; i < live->count; i++)
		if (live->captures[i]->path == path)
			return live->captures[i]->recording;
	return NULL;
}

size_t live_count(const struct live *live)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < live->count; i++)
		count += !live->captures[i]->stuck;
	return count;
}

void live_free(struct live *live)
{
	size_t i;

	if (!live)
		return;
	for (i = 0; i < live->count; i++)
		live_capture_free(live->captures[i]);
	for (i = 0; i < live->retired_count; i++)
		live_capture_free(live->retired[i]);
	live_past_free(&live->pasts);
	free(live->captures);
	free(live->retired);
	free(live->strangers);
	free(live->heap);
	free(live);
}
