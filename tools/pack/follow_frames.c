#include "tools/pack/follow_frames.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "decoder/pack/pack_value.h"
#include "record/packed.h"

/* So many writers in one frame. */
#define WRITERS_MAX 40000u
#define NUMBERS ((size_t)5)
#define LEVEL 3

struct saving {
	struct frame_write *frame;
	uint64_t *numbers; /* five for each writer */
	size_t count;
	size_t room;
	bool failed;
};

void follow_frames_begin(struct frame_write *frame)
{
	frame_write_begin(frame, PACKED_POSITION);
	frame_write_uint(frame, PACKED_POSITION_MORE, 1);
	frame_write_end(frame);
}

static void put_records(struct saving *saving, uint64_t nonce,
	const uint8_t *bytes, size_t size)
{
	size_t bound = ZSTD_compressBound(size);
	void *packed = malloc(bound);
	size_t length =
		packed ? ZSTD_compress(packed, bound, bytes, size, LEVEL) : 0;

	if (!packed || ZSTD_isError(length)) {
		saving->failed = true;
	} else {
		frame_write_begin(saving->frame, PACKED_CONTROL);
		frame_write_uint(saving->frame, PACKED_CONTROL_NONCE, nonce);
		frame_write_uint(saving->frame, PACKED_CONTROL_BYTES, size);
		frame_write_binary(
			saving->frame, PACKED_CONTROL_RECORDS, packed, length);
		frame_write_end(saving->frame);
	}
	free(packed);
}

/* Of live_save: in pieces, which are put together again. */
static void save_records(
	void *closure, uint64_t nonce, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size > 0) {
		size_t piece =
			size < PACKED_CONTROL_MAX ? size : PACKED_CONTROL_MAX;

		put_records(closure, nonce, at, piece);
		at += piece;
		size -= piece;
	}
}

static void save_position(
	void *closure, uint64_t nonce, const struct live_position *position)
{
	struct saving *saving = closure;
	uint64_t *numbers = saving->numbers;

	if (saving->room - saving->count < NUMBERS) {
		size_t room = 2 * saving->room + 64 * NUMBERS;

		numbers = realloc(numbers, room * sizeof(*numbers));
		if (!numbers) {
			saving->failed = true;
			return;
		}
		saving->numbers = numbers;
		saving->room = room;
	}
	numbers += saving->count;
	saving->count += NUMBERS;
	numbers[0] = nonce;
	numbers[1] = position->writer;
	numbers[2] = position->sequence;
	numbers[3] = position->offset;
	numbers[4] = position->wall;
}

/* The last one ends the step. */
static void put_positions(struct saving *saving)
{
	size_t at = 0;

	do {
		size_t left = saving->count - at;
		size_t count = left < NUMBERS * WRITERS_MAX
				       ? left
				       : NUMBERS * WRITERS_MAX;
		struct render_buffer *list;

		frame_write_begin(saving->frame, PACKED_POSITION);
		frame_write_some(saving->frame, PACKED_POSITION_MORE,
			at + count < saving->count);
		list = frame_write_list(
			saving->frame, PACKED_POSITION_WRITERS, count);
		for (size_t end = at + count; at < end; at++)
			pack_value_uint(list, saving->numbers[at]);
		frame_write_end(saving->frame);
	} while (at < saving->count);
}

bool follow_frames_save(struct frame_write *frame, struct live *live, bool all)
{
	struct saving saving = {.frame = frame};
	const struct live_save save = {
		.records = save_records,
		.position = save_position,
		.closure = &saving,
	};

	live_save(live, &save, all);
	put_positions(&saving);
	free(saving.numbers);
	return !saving.failed;
}
