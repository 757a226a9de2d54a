#include "decoder/live/live_capture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "base/cursor.h"
#include "decoder/live/live.h"

/*
 * The blocks of a capture that grows: where in the file new ones may begin, and
 * which have begun.  Called by live_capture.c in each pass; looks only at what
 * was claimed and is not a block yet.
 */

/* A writer that was killed has begun a block without saying so. */
#define LOOK_NS 1000000000u

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool add_gap(
	struct live_blocks *blocks, uint64_t at, uint64_t end, bool whole)
{
	if (at >= end)
		return true;
	if (!array_reserve(blocks->gaps, blocks->room, blocks->count + 1))
		return false;
	blocks->gaps[blocks->count++] = (struct live_gap){at, end, whole};
	return true;
}

bool live_blocks_expect(
	struct live_blocks *blocks, uint64_t offset, uint64_t size)
{
	return add_gap(blocks, offset, offset + size, true);
}

/* The same, but who knows where in it and in what lies beside it. */
static bool live_blocks_expect_anywhere(
	struct live_blocks *blocks, uint64_t offset, uint64_t size)
{
	blocks->anywhere = true;
	return add_gap(blocks, offset, offset + size, false);
}

static bool take(struct live_blocks *blocks, uint64_t at, uint64_t end)
{
	if (!blocks->anywhere)
		return true;
	if (!array_reserve(
		    blocks->taken, blocks->taken_room, blocks->taken_count + 1))
		return false;
	blocks->taken[blocks->taken_count++] =
		(struct live_gap){.at = at, .end = end};
	return true;
}

/* What a block reaches into is no gap any more. */
static void cut_gaps(struct live_blocks *blocks)
{
	size_t kept = 0;
	size_t i, j;

	for (i = 0; i < blocks->count; i++) {
		struct live_gap gap = blocks->gaps[i];

		for (j = 0; j < blocks->taken_count; j++)
			if (blocks->taken[j].at <= gap.at &&
				blocks->taken[j].end > gap.at)
				gap.at = blocks->taken[j].end;
		if (gap.at < gap.end)
			blocks->gaps[kept++] = gap;
	}
	blocks->count = kept;
	blocks->taken_count = 0;
}

/* The block that begins here, if one does. */
static bool read_block(struct live_blocks *blocks, uint64_t offset,
	struct recording_block *block)
{
	struct recording *capture = blocks->search.capture;
	struct binlog_block head;

	if (recording_read(capture, offset, &head, sizeof(head)) <
			sizeof(head) ||
		!block_is(&blocks->search, &head))
		return false;
	block_mend_size(&blocks->search, offset, &head);
	*block = recording_block_at(offset, &head);
	blocks->found += block_bytes(capture, block);
	return true;
}

static uint64_t round_up(uint64_t size)
{
	return (size + BINLOG_PAGE - 1) & ~(uint64_t)(BINLOG_PAGE - 1);
}

static bool look_at_place(struct live_blocks *blocks, size_t index,
	live_blocks_found *found, void *closure)
{
	struct live_gap gap = blocks->gaps[index];
	struct recording_block block;

	if (!read_block(blocks, gap.at, &block))
		return false;
	blocks->gaps[index] = blocks->gaps[--blocks->count];
	found(closure, &block, gap.end - gap.at);
	return true;
}

/* What is not a block in it remains, in one piece or several. */
static bool look_into_gap(struct live_blocks *blocks, size_t index,
	live_blocks_found *found, void *closure)
{
	struct live_gap gap = blocks->gaps[index];
	uint64_t at = gap.at;
	struct recording_block block;
	bool good = true;

	blocks->gaps[index] = blocks->gaps[--blocks->count];
	while (at < gap.end && good) {
		uint64_t place;

		if (!read_block(blocks, at, &block)) {
			at += BINLOG_PAGE;
			if (at % BINLOG_PREPARED_BLOCK == 0)
				at = recording_skip_hole(
					     blocks->search.capture, at) &
				     ~(uint64_t)(BINLOG_PAGE - 1);
			continue;
		}
		place = round_up(block.size);
		good = add_gap(blocks, gap.at, at, false) &&
		       take(blocks, at, at + place);
		found(closure, &block, place);
		gap.at = at = at + place;
	}
	return add_gap(blocks, gap.at, gap.end, false) && good;
}

static bool look_everywhere(
	struct live_blocks *blocks, live_blocks_found *found, void *closure)
{
	bool good = true;
	size_t i;

	/* From the last on: what comes in its place was looked at. */
	for (i = blocks->count; i > 0 && good; i--)
		if (blocks->gaps[i - 1].whole)
			look_at_place(blocks, i - 1, found, closure);
		else
			good = look_into_gap(blocks, i - 1, found, closure);
	if (blocks->taken_count > 0)
		cut_gaps(blocks);
	return good;
}

/* Whether its size is known. */
static bool measure(struct recording *capture)
{
	struct stat st;

	if (fstat(capture->fd, &st) != 0)
		return false;
	capture->size = (uint64_t)st.st_size;
	return true;
}

static bool claim(
	struct live_blocks *blocks, struct recording *capture, uint64_t claimed)
{
	if (blocks->claimed == 0) {
		blocks->claimed = BINLOG_PAGE;
		blocks->search = (struct block_search){
			.capture = capture, .nonce = capture->header.nonce};
	}
	if (claimed <= blocks->claimed)
		return true;
	if (!add_gap(blocks, blocks->claimed, claimed, false))
		return false;
	blocks->claimed = claimed;
	return true;
}

/* What is claimed beyond the end of the file is no block yet, or a lie. */
static uint64_t claimed_in_file(
	struct recording *capture, const struct binlog_header *header)
{
	uint64_t end;

	if (!measure(capture))
		return 0;
	end = capture->size & ~(uint64_t)(BINLOG_PAGE - 1);
	return header->next < end ? header->next : end;
}

bool live_blocks_look(struct live_blocks *blocks, struct recording *capture,
	bool all, live_blocks_found *found, void *closure)
{
	struct binlog_header header;
	uint64_t time = now();

	if (recording_read(capture, 0, &header, sizeof(header)) <
		sizeof(header))
		return true;
	if (!claim(blocks, capture, claimed_in_file(capture, &header)))
		return false;
	if (!all && header.published == blocks->published &&
		time - blocks->looked < LOOK_NS)
		return true;
	blocks->published = header.published;
	blocks->looked = time;
	capture->header.next = header.next;
	capture->header.published = header.published;
	capture->header.passed = header.passed;
	capture->header.dropped = header.dropped;
	return look_everywhere(blocks, found, closure);
}

static int compare_gaps(const void *left, const void *right)
{
	const struct live_gap *a = left;
	const struct live_gap *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

static void check_gap(struct block_search *search, const struct live_gap *gap)
{
	struct recording *capture = search->capture;
	uint8_t page[BINLOG_PAGE];
	uint64_t at = gap->at;
	size_t size;

	while (at < gap->end &&
		(size = recording_read(capture, at, page, sizeof(page))) > 0) {
		if (!block_is_none(page, size)) {
			block_damage_add(search, at, size);
			at += BINLOG_PAGE;
			continue;
		}
		block_damage_end(search);
		at = recording_skip_hole(capture, at + BINLOG_PAGE) &
		     ~(uint64_t)(BINLOG_PAGE - 1);
	}
}

/* In the gaps there should be zeros. */
static void check_gaps(struct live_blocks *blocks)
{
	size_t i;

	if (blocks->count > 0)
		qsort(blocks->gaps, blocks->count, sizeof(*blocks->gaps),
			compare_gaps);
	for (i = 0; i < blocks->count; i++) {
		if (i > 0 && blocks->gaps[i - 1].end != blocks->gaps[i].at)
			block_damage_end(&blocks->search);
		check_gap(&blocks->search, &blocks->gaps[i]);
	}
	block_damage_end(&blocks->search);
}

/*
 * The same when nobody writes to it any more: all of the file is looked at,
 * whatever the header says, and what is damaged in it is reported.
 */
static bool live_blocks_finish(struct live_blocks *blocks,
	struct recording *capture, live_blocks_found *found, void *closure)
{
	if (measure(capture) &&
		!claim(blocks, capture, round_up(capture->size)))
		return false;
	if (!live_blocks_look(blocks, capture, true, found, closure))
		return false;
	if (blocks->found == 0 && block_adopt_nonce(&blocks->search) &&
		!look_everywhere(blocks, found, closure))
		return false;
	check_gaps(blocks);
	block_check_end(capture, blocks->found);
	return true;
}

void live_blocks_free(struct live_blocks *blocks)
{
	free(blocks->gaps);
	free(blocks->taken);
	*blocks = (struct live_blocks){0};
}

/*
 * The clock of a capture that grows: made anew of the blocks that are there
 * whenever there are others.  What a clock said
 * about a moment may differ by nanoseconds from what a later one says of it.
 */

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

/*
 * Fills the recording's list of blocks, too.  A clock that was set is reported
 * once.  False: out of memory.
 */
static bool live_clock_renew(struct live_capture *capture)
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

/* So many blocks are not kept waiting for what came before them. */
#define EARLY_MAX 64u

/* ---- what is kept ---- */

/* One of them, and the record behind it.  False: they end. */
static bool next_kept(struct cursor *all, struct live_record *head,
	struct binlog_control_head *record, const uint8_t **bytes)
{
	struct cursor peek;

	cursor_struct(all, head, sizeof(*head));
	peek = *all;
	cursor_struct(&peek, record, sizeof(*record));
	if (all->failed || peek.failed || record->size < sizeof(*record))
		return false;
	*bytes = cursor_bytes(all, record->size);
	return *bytes;
}

static bool begins_origin(const void *record, size_t size)
{
	struct binlog_origin_record origin;
	struct cursor cursor = cursor_over(record, size);

	cursor_struct(&cursor, &origin, sizeof(origin));
	return !cursor.failed && origin.head.kind == BINLOG_ORIGIN &&
	       origin.generation == 0;
}

/*
 * Nobody will ask for it: it was said of a thread before the one that the
 * writer serves now, or all that the writer has said was given out and freed.
 * Of the process of that one others may still descend.  In a ring who has
 * created a thread may be said long after what it is about.
 */
static bool is_of_the_past(const struct live_capture *capture,
	const struct live_writer *writer, uint32_t kind, size_t at)
{
	if (writer->count == 0 && writer->stream.state == WRITER_END)
		return kind != BINLOG_PROCESS && kind != BINLOG_MODULE;
	return (kind == BINLOG_THREAD && at + 1 < writer->thread_at) ||
	       (kind == BINLOG_ORIGIN && at + 1 < writer->origin_at &&
		       !capture->recording->ring);
}

/* A writer serves thread after thread, of which only the last one counts. */
static void drop_past(struct live_capture *capture)
{
	struct cursor all = cursor_over(capture->kept, capture->kept_bytes);
	size_t saved = capture->kept_saved;
	struct binlog_control_head record;
	struct live_record head;
	const uint8_t *bytes;
	size_t kept = 0;

	while (next_kept(&all, &head, &record, &bytes)) {
		size_t at = (size_t)(bytes - capture->kept) - sizeof(head);
		size_t size = sizeof(head) + record.size;
		struct live_writer *writer =
			id_map_find(&capture->by_number, head.writer);

		if (writer &&
			is_of_the_past(capture, writer, record.kind, at)) {
			if (at < saved)
				capture->kept_saved -= size;
			continue;
		}
		if (writer && writer->thread_at == at + 1)
			writer->thread_at = kept + 1;
		if (writer && writer->origin_at == at + 1)
			writer->origin_at = kept + 1;
		memmove(capture->kept + kept, capture->kept + at, size);
		kept += size;
	}
	capture->kept_bytes = kept;
}

static bool make_room_to_keep(struct live_capture *capture, size_t size)
{
	size_t room;
	uint8_t *kept;

	if (capture->kept_room - capture->kept_bytes >= size)
		return true;
	if (capture->kept)
		drop_past(capture);
	room = 2 * capture->kept_bytes + size + 4096;
	if (room <= capture->kept_room)
		return true;
	kept = realloc(capture->kept, room);
	if (!kept)
		return false;
	capture->kept = kept;
	capture->kept_room = room;
	return true;
}

static bool keep_record(struct live_writer *writer,
	const struct live_record *head, const void *record, size_t size)
{
	struct live_capture *capture = writer->capture;
	struct binlog_control_head control;
	struct cursor cursor = cursor_over(record, size);
	uint8_t *end;

	if (capture->keeps_nothing)
		return true;
	if (!make_room_to_keep(capture, sizeof(*head) + size))
		return false;
	cursor_struct(&cursor, &control, sizeof(control));
	if (control.kind == BINLOG_THREAD)
		writer->thread_at = capture->kept_bytes + 1;
	if (begins_origin(record, size))
		writer->origin_at = capture->kept_bytes + 1;
	end = capture->kept + capture->kept_bytes;
	memcpy(end, head, sizeof(*head));
	memcpy(end + sizeof(*head), record, size);
	capture->kept_bytes += sizeof(*head) + size;
	return true;
}

static bool is_skipped(const struct live_writer *writer, uint32_t offset)
{
	const struct recording_block *block = writer->stream.block;

	return block->sequence < writer->skip_sequence ||
	       (block->sequence == writer->skip_sequence &&
		       offset < writer->skip_offset);
}

/* Of writer_stream.c. */
static void keep(void *keeper, const void *record, size_t size)
{
	struct live_writer *writer = keeper;
	const struct writer_stream *stream = &writer->stream;
	struct live_record head = {
		.writer = writer->number,
		.pid = stream->program->pid,
		.process = stream->program->process,
	};

	if (is_skipped(writer, stream->last_start))
		return;
	if (!keep_record(writer, &head, record, size))
		writer->capture->failed = true;
}

/* ---- writers ---- */

/* Null: out of memory. */
static struct live_writer *obtain_writer(
	struct live_capture *capture, uint32_t number)
{
	struct live_writer *writer = id_map_find(&capture->by_number, number);

	if (writer)
		return writer;
	writer = calloc(1, sizeof(*writer));
	if (!writer ||
		!array_reserve(
			capture->writers, capture->room, capture->count + 1) ||
		!id_map_set(&capture->by_number, number, writer)) {
		free(writer);
		capture->failed = true;
		return NULL;
	}
	writer->capture = capture;
	writer->number = number;
	writer->saved.writer = number;
	writer->order = (uint32_t)capture->count;
	capture->writers[capture->count++] = writer;
	writer_stream_begin_live(
		&writer->stream, capture->recording, &capture->clock);
	writer->stream.keep = keep;
	writer->stream.keeper = writer;
	return writer;
}

/* The stream points into the array. */
static void tell_stream(struct live_writer *writer, size_t done)
{
	writer_stream_extend(&writer->stream, writer->blocks + done,
		writer->count - done, !writer->gone && !writer->capture->ended);
}

static size_t passed_by(const struct live_writer *writer)
{
	return writer->stream.block
		       ? (size_t)(writer->stream.block - writer->blocks)
		       : 0;
}

static bool append_block(struct live_writer *writer,
	const struct recording_block *block, uint64_t place)
{
	size_t done = passed_by(writer);
	size_t room = writer->room ? writer->room * 2 : 4;

	if (writer->count == writer->room) {
		struct recording_block *blocks =
			realloc(writer->blocks, room * sizeof(*writer->blocks));
		uint64_t *places;

		if (blocks)
			writer->blocks = blocks;
		places =
			realloc(writer->places, room * sizeof(*writer->places));
		if (places)
			writer->places = places;
		if (!blocks || !places)
			return false;
		writer->room = room;
	}
	writer->blocks[writer->count] = *block;
	writer->places[writer->count++] = place;
	if (block->sequence >= writer->next_sequence)
		writer->next_sequence = block->sequence + 1;
	tell_stream(writer, done);
	return true;
}

/* ---- blocks ---- */

static bool add_to_list(struct live_block_list *list,
	const struct recording_block *block, uint64_t place)
{
	if (!array_reserve(list->blocks, list->room, list->count + 1))
		return false;
	list->blocks[list->count++] = (struct live_block){*block, place};
	return true;
}

/* They come in no order. */
static void found(
	void *closure, const struct recording_block *block, uint64_t place)
{
	struct live_capture *capture = closure;

	capture->fresh = true;
	if (!add_to_list(&capture->early, block, place))
		capture->failed = true;
}

/* False: it has to wait for those before it. */
static bool place_block(struct live_capture *capture,
	const struct live_block *found_block, bool all)
{
	const struct recording_block *block = &found_block->block;
	struct live_writer *writer = obtain_writer(capture, block->writer);

	if (!writer)
		return true;
	if (block->sequence < writer->skip_sequence) {
		if (!add_to_list(&capture->stale, block, found_block->place))
			capture->failed = true;
		return true;
	}
	if (block->sequence > writer->next_sequence && !all)
		return false;
	if (block_check(capture->recording, block,
		    block_before(writer->blocks, writer->count, block),
		    writer->next_sequence) &&
		!append_block(writer, block, found_block->place))
		capture->failed = true;
	return true;
}

static int compare_found(const void *left, const void *right)
{
	const struct live_block *a = left;
	const struct live_block *b = right;

	return block_compare(&a->block, &b->block);
}

static void place_blocks(struct live_capture *capture, bool all)
{
	struct live_block_list *early = &capture->early;
	size_t kept = 0;
	size_t i;

	if (early->count > 0)
		qsort(early->blocks, early->count, sizeof(*early->blocks),
			compare_found);
	for (i = 0; i < early->count; i++)
		if (!place_block(capture, &early->blocks[i], all))
			early->blocks[kept++] = early->blocks[i];
	early->count = kept;
	if (kept > EARLY_MAX)
		place_blocks(capture, true);
}

static bool look_for_blocks(struct live_capture *capture, bool all)
{
	if (capture->ended)
		return live_blocks_finish(
			&capture->places, capture->recording, found, capture);
	return live_blocks_look(
		&capture->places, capture->recording, all, found, capture);
}

/* ---- all together ---- */

void live_capture_look(struct live_capture *capture, bool asks)
{
	bool all;
	size_t i;

	if (capture->ended)
		return;
	all = asks && live_life_ask(capture);
	if (!look_for_blocks(capture, all))
		capture->failed = true;
	place_blocks(capture, capture->ended);
	if ((capture->fresh || capture->ended) && !live_clock_renew(capture))
		capture->failed = true;
	capture->fresh = false;
	for (i = 0; all && i < capture->count; i++)
		tell_stream(
			capture->writers[i], passed_by(capture->writers[i]));
}

/* It will read no more: room that only reading needs is given back. */
static void settle(struct live_writer *writer)
{
	size_t passed = passed_by(writer);
	struct recording_block *blocks;
	uint64_t *places;

	writer_stream_settle(&writer->stream);
	if (writer->count == 0 || writer->count == writer->room)
		return;
	blocks = realloc(
		writer->blocks, writer->count * sizeof(*writer->blocks));
	if (blocks)
		writer->blocks = blocks;
	places = realloc(
		writer->places, writer->count * sizeof(*writer->places));
	if (places)
		writer->places = places;
	if (blocks && places)
		writer->room = writer->count;
	tell_stream(writer, passed);
}

void live_capture_step(struct live_writer *writer)
{
	struct writer_stream *stream = &writer->stream;

	do {
		writer_stream_step(stream);
	} while (stream->state == WRITER_MESSAGE &&
		 is_skipped(writer, (uint32_t)(stream->message.offset -
					       stream->block->offset)));
	if (stream->state == WRITER_END)
		settle(writer);
}

struct live_position live_capture_position(const struct live_writer *writer)
{
	const struct writer_stream *stream = &writer->stream;
	struct live_position position = {
		.writer = writer->number,
		.sequence = writer->next_sequence,
		.wall = stream->least_wall,
	};

	if (stream->block != stream->blocks_end) {
		position.sequence = stream->block->sequence;
		position.offset = writer_stream_position(stream);
	}
	if (position.sequence < writer->skip_sequence ||
		(position.sequence == writer->skip_sequence &&
			position.offset < writer->skip_offset)) {
		position.sequence = writer->skip_sequence;
		position.offset = writer->skip_offset;
	}
	return position;
}

size_t live_capture_done(const struct live_writer *writer)
{
	size_t passed = passed_by(writer);

	if (!writer->gone && !writer->capture->ended && passed > 0 &&
		passed == writer->count)
		passed--;
	return passed;
}

void live_capture_forget(struct live_writer *writer, size_t count)
{
	size_t passed = passed_by(writer);

	if (count == 0)
		return;
	writer->count -= count;
	memmove(writer->blocks, writer->blocks + count,
		writer->count * sizeof(*writer->blocks));
	memmove(writer->places, writer->places + count,
		writer->count * sizeof(*writer->places));
	if (writer->count == 0 && (writer->gone || writer->capture->ended)) {
		free(writer->blocks);
		free(writer->places);
		writer->blocks = NULL;
		writer->places = NULL;
		writer->room = 0;
	}
	tell_stream(writer, passed - count);
}

/* What the follower before us has kept: it comes first in what we keep. */
static bool recall_records(
	struct live_capture *capture, const struct live_past *past)
{
	struct cursor all = cursor_over(past->records, past->bytes);
	struct binlog_control_head record;
	struct live_record head;
	const uint8_t *bytes;

	/* What no follower has written ends them. */
	while (next_kept(&all, &head, &record, &bytes)) {
		struct live_writer *writer =
			obtain_writer(capture, head.writer);

		if (!writer || !keep_record(writer, &head, bytes, record.size))
			return false;
		writer_stream_recall(&writer->stream, head.pid, head.process,
			bytes, record.size);
	}
	return true;
}

static bool recall(struct live_capture *capture, const struct live_past *past)
{
	size_t i;

	for (i = 0; i < past->count; i++) {
		const struct live_position *position = &past->positions[i];
		struct live_writer *writer =
			obtain_writer(capture, position->writer);

		if (!writer)
			return false;
		writer->saved = *position;
		writer->next_sequence = position->sequence;
		writer->skip_sequence = position->sequence;
		writer->skip_offset = position->offset;
		writer->stream.least_wall = position->wall;
	}
	return recall_records(capture, past);
}

struct live_capture *live_capture_new(
	char *path, struct recording *recording, const struct live_past *past)
{
	struct live_capture *capture = calloc(1, sizeof(*capture));

	if (!capture) {
		recording_close(recording);
		free(path);
		return NULL;
	}
	capture->path = path;
	capture->recording = recording;
	if (wall_clock_begin(&capture->clock, recording) &&
		(!past || recall(capture, past)))
		return capture;
	live_capture_free(capture);
	return NULL;
}

/* True: there is nothing, or another block. */
static bool is_freed(
	struct recording *recording, const struct recording_block *block)
{
	struct binlog_block head;

	return recording_read(recording, block->offset, &head, sizeof(head)) ==
		       sizeof(head) &&
	       (head.magic != BINLOG_BLOCK_MAGIC ||
		       head.writer != block->writer ||
		       head.sequence != block->sequence);
}

void live_capture_notice_freed(struct live_capture *capture)
{
	struct recording *recording = capture->recording;
	struct binlog_packed freed;
	size_t i, j;

	if (!capture->told_of_freed && recording->freed.bytes > 0)
		recording_report(
			recording, ERROR_FREED_LIVE, 0, recording->freed.bytes);
	capture->told_of_freed = true;
	if (recording_read(recording, BINLOG_PACKED_OFFSET, &freed,
		    sizeof(freed)) < sizeof(freed) ||
		freed.bytes == recording->freed.bytes)
		return;
	recording->freed = freed;
	for (i = 0; i < capture->count; i++) {
		struct live_writer *writer = capture->writers[i];
		size_t done = live_capture_done(writer);

		for (j = 0; j < done; j++) {
			if (writer->places[j] == 0 ||
				!is_freed(recording, &writer->blocks[j]))
				continue;
			if (!live_blocks_expect_anywhere(&capture->places,
				    writer->blocks[j].offset,
				    writer->places[j]))
				capture->failed = true;
			writer->places[j] = 0; /* it is not ours any more */
		}
	}
}

void live_capture_free(struct live_capture *capture)
{
	size_t i;

	for (i = 0; i < capture->count; i++) {
		writer_stream_end(&capture->writers[i]->stream);
		free(capture->writers[i]->blocks);
		free(capture->writers[i]->places);
		free(capture->writers[i]);
	}
	free(capture->writers);
	id_map_free(&capture->by_number);
	live_blocks_free(&capture->places);
	wall_clock_end(&capture->clock);
	free(capture->early.blocks);
	free(capture->stale.blocks);
	free(capture->kept);
	recording_close(capture->recording);
	free(capture->path);
	free(capture);
}
