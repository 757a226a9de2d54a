#include "decoder/packed/packed_tail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "decoder/capture/unpacked_file.h"
#include "decoder/packed/packed_record.h"
#include "record/packed.h"

/* What is looked at first before a frame, and how much more each time. */
#define STEP_FIRST ((uint64_t)16 << 10)
#define STEP_GROWTH 4u
/* No frame begins further from its end. */
#define STEP_MOST ((uint64_t)PACKED_RECORD_MAX + FRAME_HEAD_MAX)
/* Bytes of what looks like frames and is none: more is nobody's log. */
#define CREDIT ((uint64_t)32 << 20)

struct packed_tail *packed_tail_new(const char *path)
{
	struct packed_tail *tail = calloc(1, sizeof(*tail));
	uint8_t byte;
	off_t size = -1;

	if (!tail)
		return NULL;
	tail->file.path = path;
	tail->credit = CREDIT;
	if (packed_file_read(&tail->file, 0, &byte, 1) == 1 &&
		tail->file.regular)
		size = tail->file.unpacked ? (off_t)tail->file.unpacked->size
					   : lseek(tail->file.fd, 0, SEEK_END);
	if (size > 0) {
		tail->size = tail->at = (uint64_t)size;
		return tail;
	}
	packed_tail_free(tail);
	return NULL;
}

/* These bytes of the file are in the window.  False: they cannot be read. */
static bool look(struct packed_tail *tail, uint64_t begin, uint64_t end)
{
	size_t size = (size_t)(end - begin);
	size_t done = 0;

	if (tail->window_begin <= begin && end <= tail->window_end)
		return true;
	tail->window_begin = tail->window_end = 0;
	if (size > tail->window_room) {
		free(tail->window);
		tail->window = malloc(size);
		tail->window_room = tail->window ? size : 0;
	}
	while (tail->window_room >= size && done < size) {
		ssize_t n = packed_file_read(&tail->file, begin + done,
			tail->window + done, size - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	if (done < size)
		return false;
	tail->window_begin = begin;
	tail->window_end = end;
	return true;
}

struct found {
	uint64_t offset;
	uint64_t bytes; /* of the frame */
	size_t head;	/* of these, before the record */
};

/* In the window; the head is not beyond `end`. */
static bool is_frame(struct packed_tail *tail, uint64_t at, uint64_t end,
	struct found *found)
{
	uint8_t *bytes = tail->window + (at - tail->window_begin);
	size_t head, record;

	if (!frame_head_read(bytes, (size_t)(end - at), &head, &record) ||
		record > end - at - head)
		return false;
	*found = (struct found){at, head + record, head};
	return true;
}

static bool is_whole(struct packed_tail *tail, const struct found *found)
{
	const uint8_t *bytes =
		tail->window + (found->offset - tail->window_begin);
	size_t size = (size_t)found->bytes - found->head;

	if (frame_head_sum(bytes) ==
		(uint32_t)crc32(0, bytes + found->head, (uInt)size))
		return true;
	tail->credit -= size < tail->credit ? size : tail->credit;
	return false;
}

/* The last whole frame that begins in the window from `begin` on, before
 * `before`, and ends at `end` or before. */
static bool find_in_window(struct packed_tail *tail, uint64_t begin,
	uint64_t before, uint64_t end, struct found *found)
{
	while (before > begin && tail->credit > 0) {
		const uint8_t *low =
			tail->window + (begin - tail->window_begin);
		const uint8_t *at =
			memrchr(low, 0xc1, (size_t)(before - begin));

		if (!at)
			break;
		before = begin + (uint64_t)(at - low);
		if (is_frame(tail, before, end, found) && is_whole(tail, found))
			return true;
	}
	return false;
}

/* The last one that ends there or before: what is damaged is passed over, and
 * told by who reads it. */
static bool find_before(
	struct packed_tail *tail, uint64_t end, struct found *found)
{
	uint64_t before = end;
	uint64_t step = STEP_FIRST;
	uint64_t begin = tail->window_begin < end && end <= tail->window_end
				 ? tail->window_begin
			 : end > step ? end - step
				      : 0;

	while (before > 0 && tail->credit > 0 && look(tail, begin, end)) {
		if (find_in_window(tail, begin, before, end, found))
			return true;
		before = begin;
		if (end - begin >= STEP_MOST)
			break;
		while (step <= end - begin)
			step *= STEP_GROWTH;
		if (step > STEP_MOST)
			step = STEP_MOST;
		begin = end > step ? end - step : 0;
	}
	return false;
}

/* The batch right before a PIECES is there, by its head. */
static bool has_batch(struct packed_tail *tail, uint64_t pieces, uint64_t bytes)
{
	uint8_t begin[FRAME_HEAD_MAX];
	size_t head, record;

	return bytes >= sizeof(begin) && bytes <= pieces &&
	       packed_file_read(&tail->file, pieces - bytes, begin,
		       sizeof(begin)) == (ssize_t)sizeof(begin) &&
	       frame_head_read(begin, sizeof(begin), &head, &record) &&
	       head + record == bytes;
}

static uint64_t number_of(
	const struct packed_tail *tail, enum packed_field field)
{
	return packed_record_number(&tail->record, field);
}

/* What is in the frame, for messages.  False: none are. */
static bool take_messages(struct packed_tail *tail, const struct found *found,
	struct packed_run *run)
{
	*run = (struct packed_run){
		.offset = found->offset,
		.bytes = found->bytes,
		.log = number_of(tail, PACKED_ALL_LOG),
		.part = number_of(tail, PACKED_ALL_PART),
	};
	switch (tail->record.tag) {
	case PACKED_PIECES:
		run->number = number_of(tail, PACKED_PIECES_NUMBER);
		run->count = number_of(tail, PACKED_PIECES_COUNT);
		run->first = number_of(tail, PACKED_PIECES_FIRST);
		run->last = run->first + number_of(tail, PACKED_PIECES_SPAN);
		run->offset -= number_of(tail, PACKED_PIECES_BYTES);
		run->bytes += number_of(tail, PACKED_PIECES_BYTES);
		return has_batch(tail, found->offset,
			number_of(tail, PACKED_PIECES_BYTES));
	case PACKED_BATCH:
		run->number = number_of(tail, PACKED_BATCH_NUMBER);
		run->count = number_of(tail, PACKED_BATCH_COUNT);
		run->first = number_of(tail, PACKED_BATCH_FIRST);
		run->last = number_of(tail, PACKED_BATCH_LAST);
		return true;
	case PACKED_DATA:
		run->number = number_of(tail, PACKED_DATA_NUMBER);
		run->count = 1;
		run->first = run->last = number_of(tail, PACKED_DATA_TIME);
		return true;
	default:
		return false;
	}
}

/* DATA right before others that are not wanted yet. */
static bool join(struct packed_tail *tail, const struct packed_run *run)
{
	struct packed_run *next = &tail->runs[tail->count - 1];

	if (tail->record.tag != PACKED_DATA ||
		tail->count <= tail->part_first ||
		tail->count <= tail->wanted ||
		next->offset != run->offset + run->bytes ||
		next->number != run->number + 1)
		return false;
	next->offset = run->offset;
	next->bytes += run->bytes;
	next->number = run->number;
	next->count++;
	if (run->first < next->first)
		next->first = run->first;
	if (run->last > next->last)
		next->last = run->last;
	return true;
}

static bool add(struct packed_tail *tail, const struct packed_run *run)
{
	if (tail->count > 0 && join(tail, run))
		return true;
	if (!array_reserve(tail->runs, tail->room, tail->count + 1))
		return false;
	tail->runs[tail->count++] = *run;
	return true;
}

/*
 * What comes before what is known of a part: another part, or the end of
 * another copy of the same log.
 */
static bool is_other(const struct packed_tail *tail, bool messages,
	const struct packed_run *run)
{
	if (!tail->in_part)
		return false;
	if (run->log != tail->log || run->part != tail->part)
		return true;
	if (tail->count == tail->part_first)
		return false;
	return tail->record.tag == PACKED_END ||
	       (messages && run->number >= tail->runs[tail->count - 1].number);
}

enum stepped { STEPPED, PART_BEGINS, GAVE_UP };

/* The frame before those that are known, if it is of the same part. */
static enum stepped step(struct packed_tail *tail)
{
	struct packed_run run;
	struct found found;
	bool messages;

	if (tail->at == 0)
		return PART_BEGINS;
	if (!find_before(tail, tail->at, &found))
		return GAVE_UP;
	if (tail->count == 0 && found.offset + found.bytes < tail->at)
		tail->hole = true;
	if (!packed_record_read(&tail->record,
		    tail->window +
			    (found.offset + found.head - tail->window_begin),
		    (size_t)found.bytes - found.head)) {
		tail->at = found.offset;
		return STEPPED;
	}
	messages = take_messages(tail, &found, &run);
	if (tail->record.tag == PACKED_MARK ||
		tail->record.tag == PACKED_PARITY) {
		tail->at = found.offset;
		return STEPPED;
	}
	if (is_other(tail, messages, &run)) {
		/* it is looked at again, and has been changed */
		tail->window_begin = tail->window_end = 0;
		return PART_BEGINS;
	}
	if (tail->count == 0 && tail->record.tag == PACKED_END)
		tail->told = number_of(tail, PACKED_END_MESSAGES);
	tail->in_part = true;
	tail->log = run.log;
	tail->part = run.part;
	tail->at = messages ? run.offset : found.offset;
	return messages && !add(tail, &run) ? GAVE_UP : STEPPED;
}

static bool is_enough(
	const struct packed_tail *tail, uint64_t messages, uint64_t since)
{
	return tail->wanted > 0 && tail->messages >= messages &&
	       (since == 0 || tail->runs[tail->wanted - 1].last < since);
}

/* To the next part before. */
static void pass_part(struct packed_tail *tail)
{
	tail->in_part = false;
	tail->part_first = tail->count;
}

/* The last run is also the last of the log. */
static bool has_end(const struct packed_tail *tail)
{
	const struct packed_run *run = &tail->runs[0];

	return !tail->hole && run->number + run->count == tail->told;
}

uint64_t packed_tail_last(struct packed_tail *tail)
{
	enum stepped stepped = STEPPED;

	while (tail->count == 0 && tail->at > 0 && stepped != GAVE_UP) {
		stepped = step(tail);
		if (stepped == PART_BEGINS)
			pass_part(tail);
	}
	if (tail->count == 0)
		return 0;
	return has_end(tail) ? tail->runs[0].last : UINT64_MAX;
}

/* False: it gave up. */
static bool find(struct packed_tail *tail, uint64_t messages, uint64_t since)
{
	enum stepped stepped = STEPPED;

	for (;;) {
		while (tail->wanted < tail->count &&
			!is_enough(tail, messages, since))
			tail->messages += tail->runs[tail->wanted++].count;
		if (is_enough(tail, messages, since) || tail->at == 0)
			break;
		stepped = step(tail);
		if (stepped == PART_BEGINS)
			pass_part(tail);
		if (stepped == GAVE_UP)
			return false;
	}
	/* to where the part of the first that is wanted begins */
	stepped = STEPPED;
	while (tail->wanted > tail->part_first && stepped == STEPPED)
		stepped = step(tail);
	return stepped != GAVE_UP;
}

bool packed_tail_want(
	struct packed_tail *tail, uint64_t messages, uint64_t since)
{
	const bool found = find(tail, messages, since);

	tail->begin = tail->at;
	packed_file_close(&tail->file);
	return found;
}

bool packed_tail_is_all(const struct packed_tail *tail)
{
	return tail->at == 0 && tail->wanted == tail->count;
}

void packed_tail_free(struct packed_tail *tail)
{
	if (!tail)
		return;
	packed_file_close(&tail->file);
	packed_record_free(&tail->record);
	free(tail->window);
	free(tail->runs);
	free(tail);
}
