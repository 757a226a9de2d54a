#include "decoder/packed/packed_pieces.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "decoder/packed/column_read.h"
#include "record/packed.h"

#define SUM_BYTES 7u /* 0xc1, 0xce, the sum, 0xc1 */
#define FRAME_MAX (PACKED_RECORD_MAX + SUM_BYTES + 5u)
/* What a window may have: that of the largest body. */
#define WINDOW_LOG 21

bool packed_pieces_told(
	struct packed_pieces *pieces, const struct packed_record *record)
{
	const uint64_t count =
		packed_record_number(record, PACKED_PIECES_COUNT);

	pieces->number = packed_record_number(record, PACKED_PIECES_NUMBER);
	pieces->count = (uint32_t)count;
	pieces->first = packed_record_number(record, PACKED_PIECES_FIRST);
	pieces->last = pieces->first +
		       packed_record_number(record, PACKED_PIECES_SPAN);
	pieces->bytes = packed_record_number(record, PACKED_PIECES_BYTES);
	return count > 0 && count <= PACKED_MESSAGES_MAX &&
	       pieces->bytes > SUM_BYTES && pieces->bytes <= FRAME_MAX &&
	       pieces->number <= UINT64_MAX - count;
}

static bool read_frame(
	struct packed_pieces *pieces, struct packed_file *file, uint64_t offset)
{
	const size_t size = (size_t)pieces->bytes;
	size_t at = 0;

	if (pieces->bytes > offset)
		return false;
	pieces->frame = malloc(size);
	while (pieces->frame && at < size) {
		const ssize_t n = packed_file_read(file, offset - size + at,
			pieces->frame + at, size - at);

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return pieces->frame;
}

/* The next bytes of the frame have the sum that is said next. */
static bool is_whole(struct cursor *sums, const uint8_t *bytes, size_t size)
{
	return le32toh(cursor_u32(sums)) == crc32(0, bytes, (uInt)size);
}

/* Bytes before the record. */
static size_t head_bytes(const uint8_t *frame)
{
	switch (frame[SUM_BYTES]) {
	case 0xc4:
	case 0xd9:
		return SUM_BYTES + 2;
	case 0xc5:
	case 0xda:
		return SUM_BYTES + 3;
	case 0xc6:
	case 0xdb:
		return SUM_BYTES + 5;
	default:
		return SUM_BYTES + 1;
	}
}

/* The batch's record, where all but its body is whole. */
static bool take_record(struct packed_pieces *pieces, size_t body, size_t size)
{
	struct packed_record *record = &pieces->record;
	const size_t head = head_bytes(pieces->frame);
	struct packed_bytes bytes;

	if (head >= body ||
		!packed_record_read(record, pieces->frame + head,
			(size_t)pieces->bytes - head) ||
		record->tag != PACKED_BATCH)
		return false;
	bytes = packed_record_bytes(record, PACKED_BATCH_BODY);
	return bytes.data == pieces->frame + body && bytes.size == size &&
	       packed_record_number(record, PACKED_BATCH_NUMBER) ==
		       pieces->number &&
	       packed_record_number(record, PACKED_BATCH_COUNT) ==
		       pieces->count &&
	       packed_record_number(record, PACKED_BATCH_COMPRESSION) ==
		       PACKED_ZSTD &&
	       packed_record_number(record, PACKED_BATCH_BODY_BYTES) ==
		       pieces->body_bytes;
}

/* A piece of the body. */
struct piece {
	size_t size;
	size_t raw;
	bool whole;
};

struct piece_list {
	struct piece *all;
	size_t count;
	size_t room;
	size_t size; /* of all */
	size_t raw;
};

static bool add_start(struct packed_pieces *pieces, size_t *room,
	uint64_t column, uint64_t at)
{
	if (!array_reserve(pieces->starts, *room, pieces->start_count + 1))
		return false;
	pieces->starts[pieces->start_count++] =
		(struct packed_start){(uint32_t)column, (uint32_t)at};
	return true;
}

/* Up to the end of the body, which is that of `body`. */
static bool list_pieces(struct packed_pieces *pieces, struct cursor *sums,
	const uint8_t *body, size_t size, struct piece_list *list)
{
	size_t room = 0;
	uint64_t column = 0;

	while (list->size < size) {
		const uint64_t bytes = column_read_number(sums);
		const uint64_t raw = column_read_number(sums);
		const uint64_t more = column_read_number(sums);
		const uint64_t at = more > 0 ? column_read_number(sums) : 0;

		if (sums->failed || bytes == 0 || bytes > size - list->size ||
			raw > PACKED_BODY_MAX - list->raw ||
			more > UINT32_MAX || (more > 0 && at >= raw) ||
			!array_reserve(list->all, list->room, list->count + 1))
			return false;
		column += more;
		if (column > UINT32_MAX ||
			(more > 0 && !add_start(pieces, &room, column - 1,
					     list->raw + at)))
			return false;
		list->all[list->count++] = (struct piece){(size_t)bytes,
			(size_t)raw,
			is_whole(sums, body + list->size, (size_t)bytes)};
		list->size += (size_t)bytes;
		list->raw += (size_t)raw;
	}
	return true;
}

static bool list_apart(struct packed_pieces *pieces, struct cursor *sums)
{
	uint64_t left = column_read_number(sums);
	uint64_t column = 0;
	size_t room = 0;

	pieces->texts = left > 0;
	for (; left > 1; left--) {
		column += column_read_number(sums);
		if (sums->failed || column > UINT32_MAX ||
			!array_reserve(
				pieces->apart, room, pieces->apart_count + 1))
			return false;
		pieces->apart[pieces->apart_count++] = (uint32_t)column;
	}
	return !sums->failed;
}

/* As many as there are whole marks, and the last message. */
static bool list_ticks(
	struct packed_pieces *pieces, const struct packed_record *record)
{
	const struct packed_bytes told =
		packed_record_bytes(record, PACKED_PIECES_TICKS);
	struct cursor bytes = cursor_over(told.data, told.size);
	const size_t count = (pieces->count + PACKED_MARK_MESSAGES - 1) /
			     PACKED_MARK_MESSAGES;
	uint64_t ticks = 0;

	pieces->ticks = calloc(count, sizeof(*pieces->ticks));
	if (!told.data || !pieces->ticks)
		return false;
	while (pieces->tick_count < count) {
		const uint64_t value = column_read_number(&bytes);

		ticks += value >> 1 ^ -(value & 1);
		pieces->ticks[pieces->tick_count++] = ticks;
	}
	return !bytes.failed;
}

/* Goes on with a frame of zstd.  False: it is none, or gives other bytes. */
static bool inflate_piece(ZSTD_DCtx *zstd, const uint8_t *bytes,
	const struct piece *piece, uint8_t *to)
{
	ZSTD_inBuffer in = {bytes, piece->size, 0};
	ZSTD_outBuffer out = {to, piece->raw, 0};

	while (in.pos < in.size) {
		const size_t before = in.pos + out.pos;

		if (ZSTD_isError(ZSTD_decompressStream(zstd, &out, &in)) ||
			in.pos + out.pos == before)
			return false;
	}
	/* what a block has left, if there was no room for it at once */
	ZSTD_decompressStream(zstd, &out, &in);
	return out.pos == piece->raw;
}

static bool begins_frame(const uint8_t *bytes, size_t size)
{
	return size >= 4 && bytes[0] == 0x28 && bytes[1] == 0xb5 &&
	       bytes[2] == 0x2f && bytes[3] == 0xfd;
}

/* What can be inflated: from the beginning of a frame to the first piece that
 * is not whole. */
static bool inflate_pieces(struct packed_pieces *pieces, const uint8_t *body,
	const struct piece_list *list)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	bool within = false;
	size_t raw = 0;
	size_t i;

	pieces->body = calloc(1, list->raw + 1);
	pieces->whole = calloc(1, list->raw + 1);
	if (!zstd || !pieces->body || !pieces->whole) {
		ZSTD_freeDCtx(zstd);
		return false;
	}
	ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	for (i = 0; i < list->count; i++) {
		const struct piece *piece = &list->all[i];

		if (begins_frame(body, piece->size)) {
			ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
			within = true;
		}
		within = within && piece->whole &&
			 inflate_piece(zstd, body, piece, pieces->body + raw);
		memset(pieces->whole + raw, within, piece->raw);
		body += piece->size;
		raw += piece->raw;
	}
	ZSTD_freeDCtx(zstd);
	return true;
}

static bool take_pieces(struct packed_pieces *pieces, struct cursor *sums,
	struct piece_list *list)
{
	const uint64_t body = column_read_number(sums);
	uint64_t tail;
	size_t size;
	bool headed;

	if (sums->failed || body <= SUM_BYTES || body > pieces->bytes)
		return false;
	headed = is_whole(sums, pieces->frame, (size_t)body);
	tail = column_read_number(sums);
	if (sums->failed || tail > pieces->bytes - body)
		return false;
	size = (size_t)(pieces->bytes - body - tail);
	if (tail > 0)
		headed &= is_whole(
			sums, pieces->frame + body + size, (size_t)tail);
	if (!headed ||
		!list_pieces(pieces, sums, pieces->frame + body, size, list) ||
		!list_apart(pieces, sums))
		return false;
	pieces->body_bytes = list->raw;
	pieces->headed = take_record(pieces, (size_t)body, size);
	return pieces->headed &&
	       inflate_pieces(pieces, pieces->frame + body, list);
}

bool packed_pieces_read(struct packed_pieces *pieces,
	const struct packed_record *record, struct packed_file *file,
	uint64_t offset)
{
	const struct packed_bytes told =
		packed_record_bytes(record, PACKED_PIECES_SUMS);
	struct cursor sums = cursor_over(told.data, told.size);
	struct piece_list list = {0};
	bool done;

	packed_pieces_free(pieces);
	done = told.data && file->regular && read_frame(pieces, file, offset) &&
	       list_ticks(pieces, record) && take_pieces(pieces, &sums, &list);
	free(list.all);
	return done;
}

bool packed_pieces_damaged(const struct packed_record *record,
	const uint8_t *frame, uint64_t bytes,
	void (*tell)(void *closure, size_t begin, size_t end), void *closure)
{
	const struct packed_bytes told =
		packed_record_bytes(record, PACKED_PIECES_SUMS);
	struct cursor sums = cursor_over(told.data, told.size);
	struct packed_pieces pieces;
	uint64_t at, end, tail;

	if (!packed_pieces_told(&pieces, record) || pieces.bytes > bytes)
		return false;
	frame += bytes - pieces.bytes;
	at = column_read_number(&sums);
	if (sums.failed || at > pieces.bytes)
		return false;
	if (bytes > pieces.bytes)
		tell(closure, 0, (size_t)(bytes - pieces.bytes));
	bytes -= pieces.bytes;
	if (!is_whole(&sums, frame, (size_t)at))
		tell(closure, (size_t)bytes, (size_t)(bytes + at));
	tail = column_read_number(&sums);
	if (sums.failed || tail > pieces.bytes - at)
		return false;
	end = pieces.bytes - tail;
	if (tail > 0 && !is_whole(&sums, frame + end, (size_t)tail))
		tell(closure, (size_t)(bytes + end),
			(size_t)(bytes + pieces.bytes));
	while (at < end) {
		const uint64_t size = column_read_number(&sums);

		column_read_number(&sums);
		if (column_read_number(&sums) > 0)
			column_read_number(&sums);
		if (sums.failed || size == 0 || size > end - at)
			return false;
		if (!is_whole(&sums, frame + at, (size_t)size))
			tell(closure, (size_t)(bytes + at),
				(size_t)(bytes + at + size));
		at += size;
	}
	return !sums.failed;
}

void packed_pieces_free(struct packed_pieces *pieces)
{
	packed_record_free(&pieces->record);
	free(pieces->frame);
	free(pieces->body);
	free(pieces->whole);
	free(pieces->starts);
	free(pieces->apart);
	free(pieces->ticks);
	*pieces = (struct packed_pieces){
		.number = pieces->number,
		.count = pieces->count,
		.first = pieces->first,
		.last = pieces->last,
		.bytes = pieces->bytes,
	};
}
