#include "decoder/frame_sums.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "record/packed.h"

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
	uint32_t all = 0;
	uint32_t i;

	for (i = 0; i < NIBBLES; i++)
		all ^= product->added[i][sum >> i * NIBBLE_BITS &
					 (NIBBLE_VALUES - 1)];
	return all;
}

static void make_moves(void)
{
	uint32_t i;

	for (i = 0; i < LOWS; i++)
		moves.low[i] = product_with(
			(uint32_t)crc32_combine_gen((z_off_t)i));
	for (i = 0; i < HIGHS; i++)
		moves.high[i] = product_with((uint32_t)crc32_combine_gen(
			(z_off_t)i << LOW_BITS));
	moves.made = true;
}

/* The sum of something, with `size` zeros after it instead of their sum. */
static uint32_t move(uint32_t sum, size_t size)
{
	uint32_t moved = multiply(&moves.low[size & (LOWS - 1)], sum);

	return multiply(&moves.high[size >> LOW_BITS], moved);
}

/* As crc32(), for so few bytes that its beginning and end would cost more. */
static uint32_t sum_on(uint32_t sum, const uint8_t *bytes, size_t size)
{
	const z_crc_t *table = get_crc_table();
	size_t i;

	sum = ~sum;
	for (i = 0; i < size; i++)
		sum = sum >> 8 ^ (uint32_t)table[(sum ^ bytes[i]) & 0xff];
	return ~sum;
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
