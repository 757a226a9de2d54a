#include "decoder/frame_sums.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "record/packed.h"

#define STEP FRAME_SUMS_STEP
/* Those before the stretch are dropped when there are so many. */
#define COUNT_MAX (2 * (PACKED_RECORD_MAX / STEP) + 64)

/* What moves a sum over `size` bytes is the product of two of these. */
#define LOW_BITS 11u
#define LOWS (1u << LOW_BITS)
#define HIGHS ((PACKED_RECORD_MAX >> LOW_BITS) + 1)

static struct {
	bool made;
	uint32_t low[LOWS];   /* over so many bytes */
	uint32_t high[HIGHS]; /* over so many times LOWS */
} moves;

static void make_moves(void)
{
	uint32_t i;

	for (i = 0; i < LOWS; i++)
		moves.low[i] = (uint32_t)crc32_combine_gen((z_off_t)i);
	for (i = 0; i < HIGHS; i++)
		moves.high[i] =
			(uint32_t)crc32_combine_gen((z_off_t)i << LOW_BITS);
	moves.made = true;
}

/* The sum of something, with `size` zeros after it instead of their sum. */
static uint32_t move(uint32_t sum, size_t size)
{
	uint32_t low = moves.low[size & (LOWS - 1)];
	uint32_t high = moves.high[size >> LOW_BITS];
	uint32_t moved = sum;

	if (size >> LOW_BITS)
		moved = (uint32_t)crc32_combine_op(moved, 0, high);
	return (uint32_t)crc32_combine_op(moved, 0, low);
}

static bool add(struct frame_sums *sums, uint32_t sum)
{
	size_t room = sums->room ? sums->room * 2 : 1024;
	uint32_t *larger;

	if (sums->count == sums->room) {
		larger = reallocarray(sums->sums, room, sizeof(*larger));
		if (!larger)
			return false;
		sums->sums = larger;
		sums->room = room;
	}
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

	return (uint32_t)crc32(sums->sums[step],
		bytes + (ptrdiff_t)(from - offset), (uInt)(to - from));
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
			    (uint32_t)crc32(sums->sums[sums->count - 1],
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
