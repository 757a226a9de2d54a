#include "decoder/packed/frame_scan.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "record/packed.h"

/*
 * CRC-32 of any stretch of a window that moves on, without a look at more
 * than a few bytes of it.  Used by frame_scan.c where many overlapping
 * stretches are asked for.
 */

#define STEP FRAME_SUMS_STEP
/* Those before the stretch are dropped when there are so many. */
#define COUNT_MAX (2 * (PACKED_RECORD_MAX / STEP) + 64)

/* What moves a sum over `size` bytes is two of these, one after the other. */
#define LOW_BITS 11u
#define LOWS (1u << LOW_BITS)
#define HIGHS ((PACKED_RECORD_MAX >> LOW_BITS) + 1)

/* CRC-32 as a polynomial, its lowest power in the highest bit. */
#define POLYNOMIAL 0xedb88320u
#define NIBBLE_BITS 4u
#define NIBBLES (32 / NIBBLE_BITS)
#define NIBBLE_VALUES (1u << NIBBLE_BITS)

/*
 * A product with one polynomial: what each nibble of the other factor adds.
 * crc32_combine_op() of zlib takes a branch for each bit, which is most of the
 * time where every few bytes are the end of a stretch.
 */
struct product {
	uint32_t added[NIBBLES][NIBBLE_VALUES];
};

/* What a byte has made of a sum of 0 when so many others, of 0, follow it. */
#define BYTE_VALUES 256u
static uint32_t after[STEP][BYTE_VALUES];

static struct {
	bool made;
	struct product low[LOWS];   /* over so many bytes */
	struct product high[HIGHS]; /* over so many times LOWS */
} moves;

static struct product product_with(uint32_t factor)
{
	struct product product = {0};
	uint32_t bit, value;

	for (bit = 32; bit-- > 0;) {
		uint32_t *added = product.added[bit / NIBBLE_BITS];

		added[1u << bit % NIBBLE_BITS] = factor;
		factor = factor >> 1 ^ (POLYNOMIAL & -(factor & 1));
		for (value = 1; bit % NIBBLE_BITS == 0 && value < NIBBLE_VALUES;
			value++)
			added[value] = added[value & (value - 1)] ^
				       added[value & -value];
	}
	return product;
}

static uint32_t multiply(const struct product *product, uint32_t sum)
{
	const uint32_t(*added)[NIBBLE_VALUES] = product->added;

	return added[0][sum & 0xf] ^ added[1][sum >> 4 & 0xf] ^
	       added[2][sum >> 8 & 0xf] ^ added[3][sum >> 12 & 0xf] ^
	       added[4][sum >> 16 & 0xf] ^ added[5][sum >> 20 & 0xf] ^
	       added[6][sum >> 24 & 0xf] ^ added[7][sum >> 28];
}

static uint32_t added_by(uint64_t bytes)
{
	return after[7][bytes & 0xff] ^ after[6][bytes >> 8 & 0xff] ^
	       after[5][bytes >> 16 & 0xff] ^ after[4][bytes >> 24 & 0xff] ^
	       after[3][bytes >> 32 & 0xff] ^ after[2][bytes >> 40 & 0xff] ^
	       after[1][bytes >> 48 & 0xff] ^ after[0][bytes >> 56];
}

static void make_after(void)
{
	const z_crc_t *table = get_crc_table();
	uint32_t value, bytes;

	for (value = 0; value < BYTE_VALUES; value++) {
		uint32_t sum = 0;

		for (bytes = 0; bytes < STEP; bytes++) {
			uint32_t before = bytes > 0 ? sum : value;

			sum = before >> 8 ^ (uint32_t)table[before & 0xff];
			after[bytes][value] = sum;
		}
	}
}

/*
 * What a sum is multiplied by where so many bytes of zero follow: one, in the
 * reversed bits of a sum, moved by them.  (zlib has crc32_combine_gen() for it
 * since 1.2.12.)
 */
static uint32_t zeros(z_off_t bytes)
{
	return (uint32_t)crc32_combine(1ul << 31, 0, bytes);
}

static void make_moves(void)
{
	uint32_t i;

	for (i = 0; i < LOWS; i++)
		moves.low[i] = product_with(zeros((z_off_t)i));
	for (i = 0; i < HIGHS; i++)
		moves.high[i] = product_with(zeros((z_off_t)i << LOW_BITS));
	make_after();
	moves.made = true;
}

/* The sum of something, with `size` zeros after it instead of their sum. */
static uint32_t move(uint32_t sum, size_t size)
{
	uint32_t moved = multiply(&moves.low[size & (LOWS - 1)], sum);
	size_t high = size >> LOW_BITS;

	return high > 0 ? multiply(&moves.high[high], moved) : moved;
}

/*
 * As crc32(), for up to STEP bytes.  None waits for the one before: the first
 * four meet what the sum was, each adds what it leaves.  Bytes of zero before
 * them would add nothing, and take the place of those that are not asked for.
 */
static uint32_t sum_on(uint32_t sum, const uint8_t *bytes, size_t size)
{
	unsigned others = 8 * (unsigned)(STEP - size);
	uint64_t met = (uint32_t)~sum;
	uint64_t all;

	if (size == 0)
		return sum;
	memcpy(&all, bytes + size - STEP, sizeof(all));
	all = ((le64toh(all) >> others) ^ met) << others;
	return ~((uint32_t)(met >> 8 * (size - 1) >> 8) ^ added_by(all));
}

static bool add(struct frame_sums *sums, uint32_t sum)
{
	if (!array_reserve(sums->sums, sums->room, sums->count + 1))
		return false;
	sums->sums[sums->count++] = sum;
	return true;
}

static void drop_before(struct frame_sums *sums, uint64_t offset)
{
	size_t gone = (size_t)((offset - sums->base) / STEP);

	memmove(sums->sums, sums->sums + gone,
		(sums->count - gone) * sizeof(*sums->sums));
	sums->count -= gone;
	sums->base += (uint64_t)gone * STEP;
}

/* So that they begin before `offset` and go on from there. */
static bool begin(struct frame_sums *sums, uint64_t offset)
{
	uint64_t end = sums->base + (uint64_t)sums->count * STEP;

	if (sums->count > 0 && offset >= sums->base && offset < end) {
		if (sums->count > COUNT_MAX)
			drop_before(sums, offset);
		return true;
	}
	sums->base = offset;
	sums->count = 0;
	return add(sums, 0);
}

/* Of what is before an offset, the origin being wherever it is. */
static uint32_t sum_before(const struct frame_sums *sums, const uint8_t *bytes,
	uint64_t offset, uint64_t to)
{
	size_t step = (size_t)((to - sums->base) / STEP);
	uint64_t from = sums->base + (uint64_t)step * STEP;

	return sum_on(sums->sums[step], bytes + (ptrdiff_t)(from - offset),
		(size_t)(to - from));
}

bool frame_sums_find(struct frame_sums *sums, const uint8_t *bytes,
	uint64_t offset, size_t size, uint32_t *sum)
{
	uint64_t end = offset + size;
	uint64_t last;

	if (!moves.made)
		make_moves();
	if (!begin(sums, offset))
		return false;
	last = sums->base + (uint64_t)(sums->count - 1) * STEP;
	for (; end - last >= STEP && end > last; last += STEP)
		if (!add(sums,
			    sum_on(sums->sums[sums->count - 1],
				    bytes + (ptrdiff_t)(last - offset), STEP)))
			return false;
	*sum = sum_before(sums, bytes, offset, end) ^
	       move(sum_before(sums, bytes, offset, offset), size);
	return true;
}

void frame_sums_free(struct frame_sums *sums)
{
	free(sums->sums);
	*sums = (struct frame_sums){0};
}

#define ROOM_FIRST ((size_t)16 << 10)
#define WINDOW ((size_t)1 << 20)
#define HISTORY FRAME_SUMS_STEP

#define SUM_BYTES 7u /* 0xc1, 0xce, the sum, 0xc1 */
#define ROOM_MOST (HISTORY + FRAME_HEAD_MAX + PACKED_RECORD_MAX + WINDOW)

/* Bytes that may be summed up at once, not knowing whether it is for nothing:
 * so many, and so many more for each byte of the input. */
#define CREDIT_FIRST ((uint64_t)8 << 20)
#define CREDIT_PER_BYTE 1u

struct frame_scan {
	frame_read *read;
	frame_data *data; /* null: there are no holes */
	void *closure;
	uint8_t *buffer;
	size_t room;
	size_t at;	 /* in the buffer: what is looked at */
	size_t end;	 /* so far it is filled */
	uint64_t offset; /* of `at` in the input */
	bool ended;	 /* there is nothing beyond the buffer */
	int failed;	 /* errno, until it is told */
	enum error_code stopped;
	uint64_t credit;
	struct frame_sums sums;
	bool found; /* a whole frame is at `at`, with this head: */
	size_t head;
	size_t length;
};

/* What is at a place. */
enum decided {
	WHOLE,
	NO_FRAME,
	OTHER_SUM,
	IMPOSSIBLE, /* longer than a record may be */
	ENDS_WITHIN /* it might be one, but the input ends */
};

struct frame_scan *frame_scan_new(
	frame_read *read, void *closure, uint64_t offset)
{
	struct frame_scan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return NULL;
	scan->read = read;
	scan->closure = closure;
	scan->offset = offset;
	scan->credit = CREDIT_FIRST;
	return scan;
}

void frame_scan_pass_holes(struct frame_scan *scan, frame_data *data)
{
	scan->data = data;
}

static void stop(struct frame_scan *scan, enum error_code code, int system)
{
	scan->ended = true;
	scan->stopped = code;
	scan->failed = system;
}

/* Room for `size` bytes from `at` on, which are more than there are, with some
 * before that stay. */
static bool make_room(struct frame_scan *scan, size_t size)
{
	size_t kept = scan->at < HISTORY ? scan->at : HISTORY;
	size_t room = scan->room ? scan->room : ROOM_FIRST;
	uint8_t *buffer;

	if (scan->room - scan->at >= size)
		return true;
	if (scan->at > kept) {
		memmove(scan->buffer, scan->buffer + scan->at - kept,
			scan->end - scan->at + kept);
		scan->end -= scan->at - kept;
		scan->at = kept;
	}
	while (room < HISTORY + size + size / 4)
		room *= 2;
	if (room > ROOM_MOST)
		room = ROOM_MOST;
	if (room <= scan->room)
		return true;
	buffer = realloc(scan->buffer, room);
	if (!buffer) {
		stop(scan, ERROR_MEMORY, 0);
		return false;
	}
	scan->buffer = buffer;
	scan->room = room;
	return true;
}

/* Whether there are `size` bytes once it has been read on. */
static bool fill(struct frame_scan *scan, size_t size)
{
	while (scan->end - scan->at < size && !scan->ended) {
		ssize_t n;

		if (!make_room(scan, size))
			break;
		n = scan->read(scan->closure,
			scan->offset + (scan->end - scan->at),
			scan->buffer + scan->end, scan->room - scan->end);
		if (n < 0)
			stop(scan, ERROR_READ, errno);
		else if (n == 0)
			scan->ended = true;
		else
			scan->end += (size_t)n;
	}
	return scan->end - scan->at >= size;
}

/* Whether there are `size` bytes, which are in the buffer then. */
static bool have(struct frame_scan *scan, size_t size)
{
	return scan->end - scan->at >= size || fill(scan, size);
}

static void advance(struct frame_scan *scan, size_t bytes)
{
	scan->at += bytes;
	scan->offset += bytes;
	scan->credit += CREDIT_PER_BYTE * bytes;
	if (scan->credit > CREDIT_FIRST)
		scan->credit = CREDIT_FIRST;
}

/* Bytes of the length in the head of a raw.  -1: that is no such head. */
static int length_bytes(uint8_t head)
{
	if (head >= 0xa0 && head <= 0xbf)
		return 0;
	switch (head) {
	case 0xc4:
	case 0xd9:
		return 1;
	case 0xc5:
	case 0xda:
		return 2;
	case 0xc6:
	case 0xdb:
		return 4;
	default:
		return -1;
	}
}

bool frame_head_read(
	const uint8_t *bytes, size_t size, size_t *head, size_t *record)
{
	int count, i;

	if (size < SUM_BYTES + 1 || bytes[0] != 0xc1 || bytes[1] != 0xce ||
		bytes[6] != 0xc1)
		return false;
	count = length_bytes(bytes[SUM_BYTES]);
	*head = SUM_BYTES + 1 + (size_t)(count > 0 ? count : 0);
	if (count < 0 || size < *head)
		return false;
	*record = count == 0 ? bytes[SUM_BYTES] & 0x1f : 0;
	for (i = 1; i <= count; i++)
		*record = *record << 8 | bytes[SUM_BYTES + i];
	return *record <= PACKED_RECORD_MAX;
}

/* Whether the next bytes, of which there are some, look like the head of a
 * frame, as far as they go. */
static enum decided read_head(struct frame_scan *scan)
{
	bool all = have(scan, SUM_BYTES + 1);
	const uint8_t *at = scan->buffer + scan->at;
	size_t left = scan->end - scan->at;
	int bytes;
	int i;

	if (at[0] != 0xc1 || (left > 1 && at[1] != 0xce) ||
		(left > 6 && at[6] != 0xc1))
		return NO_FRAME;
	if (!all)
		return ENDS_WITHIN;
	bytes = length_bytes(at[SUM_BYTES]);
	if (bytes < 0)
		return NO_FRAME;
	scan->head = SUM_BYTES + 1 + (size_t)bytes;
	if (!have(scan, scan->head))
		return ENDS_WITHIN;
	at = scan->buffer + scan->at + SUM_BYTES;
	scan->length = bytes == 0 ? *at & 0x1f : 0;
	for (i = 1; i <= bytes; i++)
		scan->length = scan->length << 8 | at[i];
	return scan->length > PACKED_RECORD_MAX ? IMPOSSIBLE : WHOLE;
}

uint32_t frame_head_sum(const uint8_t *head)
{
	return (uint32_t)head[2] << 24 | (uint32_t)head[3] << 16 |
	       (uint32_t)head[4] << 8 | head[5];
}

/* A record begins with its tag and the head of a map. */
static bool begins_as_record(const uint8_t *record)
{
	return record[0] <= 0x7f &&
	       ((record[1] >= 0x80 && record[1] <= 0x8f) || record[1] == 0xde ||
		       record[1] == 0xdf);
}

/*
 * A candidate is summed up as long as there is credit.  Among so many that it
 * is gone, only what begins as a record is looked at, by what is kept of sums.
 * Since the last candidate a byte at least was passed: what has no more than
 * CREDIT_PER_BYTE bytes never is too long.
 */
static bool sum_fits(struct frame_scan *scan)
{
	const uint8_t *head = scan->buffer + scan->at;
	const uint8_t *record = head + scan->head;
	uint32_t sum;

	if (scan->length <= scan->credit) {
		scan->credit -= scan->length;
		sum = (uint32_t)crc32(0, record, (uInt)scan->length);
	} else if (!begins_as_record(record)) {
		return false;
	} else if (!frame_sums_find(&scan->sums, record,
			   scan->offset + scan->head, scan->length, &sum)) {
		stop(scan, ERROR_MEMORY, 0);
		return false;
	}
	return sum == frame_head_sum(head);
}

static enum decided judge(struct frame_scan *scan)
{
	enum decided decided = read_head(scan);

	if (decided != WHOLE)
		return decided;
	if (!have(scan, scan->head + scan->length))
		return ENDS_WITHIN;
	return sum_fits(scan) ? WHOLE : OTHER_SUM;
}

/* With nothing left in the buffer: to where data begins. */
static void pass_hole(struct frame_scan *scan)
{
	uint64_t data;

	if (!scan->data || scan->ended || scan->at < scan->end)
		return;
	data = scan->data(scan->closure, scan->offset);
	if (data <= scan->offset)
		return;
	scan->offset = data;
	scan->at = scan->end = 0;
}

/* To where a frame might begin, or to the end. */
static void skip(struct frame_scan *scan)
{
	static const uint8_t start[] = {0xc1, 0xce};

	advance(scan, 1);
	for (;;) {
		pass_hole(scan);
		if (!have(scan, sizeof(start)))
			break;
		const uint8_t *at = scan->buffer + scan->at;
		size_t left = scan->end - scan->at;
		const uint8_t *found = memmem(at, left, start, sizeof(start));

		if (!found && at[left - 1] != start[0])
			advance(scan, left);
		else
			advance(scan, found ? (size_t)(found - at) : left - 1);
		if (found)
			return;
	}
	if (scan->end > scan->at && scan->buffer[scan->at] != start[0])
		advance(scan, 1);
}

static struct frame take_whole(struct frame_scan *scan)
{
	struct frame frame = {
		.kind = FRAME_WHOLE,
		.offset = scan->offset,
		.bytes = scan->head + scan->length,
		.start = scan->buffer + scan->at,
		.record = scan->buffer + scan->at + scan->head,
		.record_bytes = scan->length,
	};

	scan->found = false;
	advance(scan, frame.bytes);
	return frame;
}

/* A read that has failed, or no memory: told once. */
static struct frame take_end(struct frame_scan *scan)
{
	struct frame frame = {
		.kind = scan->stopped ? FRAME_DAMAGED : FRAME_NONE,
		.offset = scan->offset,
		.code = scan->stopped,
		.system = scan->failed,
	};

	scan->stopped = ERROR_NONE;
	return frame;
}

static enum error_code cause_of(enum decided first, bool at_end)
{
	switch (first) {
	case OTHER_SUM:
		return ERROR_FRAME_SUM;
	case IMPOSSIBLE:
		return ERROR_FRAME_LENGTH;
	case ENDS_WITHIN:
		return at_end ? ERROR_FRAME_CUT : ERROR_FRAME_LENGTH;
	default:
		return ERROR_FRAME;
	}
}

struct frame frame_scan_next(struct frame_scan *scan)
{
	uint64_t from = scan->offset;
	enum decided first = WHOLE;
	enum decided decided;

	if (scan->found)
		return take_whole(scan);
	while (have(scan, 1)) {
		decided = judge(scan);
		scan->found = decided == WHOLE;
		if (scan->found)
			break;
		if (scan->offset == from)
			first = decided;
		skip(scan);
	}
	if (scan->offset > from)
		return (struct frame){
			.kind = FRAME_DAMAGED,
			.offset = from,
			.lost = scan->offset - from,
			.code = cause_of(first, !scan->found),
		};
	return scan->found ? take_whole(scan) : take_end(scan);
}

void frame_scan_pass(struct frame_scan *scan, uint64_t offset)
{
	uint64_t bytes = offset - scan->offset;

	scan->found = false;
	if (bytes <= scan->end - scan->at) {
		advance(scan, (size_t)bytes);
	} else {
		scan->offset = offset;
		scan->at = scan->end = 0;
	}
}

uint64_t frame_scan_offset(const struct frame_scan *scan)
{
	return scan->offset;
}

void frame_scan_rest(struct frame_scan *scan)
{
	if (scan->found || scan->ended)
		return;
	free(scan->buffer);
	scan->buffer = NULL;
	scan->room = scan->at = scan->end = 0;
	frame_sums_free(&scan->sums);
}

void frame_scan_free(struct frame_scan *scan)
{
	if (!scan)
		return;
	frame_sums_free(&scan->sums);
	free(scan->buffer);
	free(scan);
}
