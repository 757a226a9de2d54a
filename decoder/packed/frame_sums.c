#include "decoder/packed/frame_sums.h"

#include <endian.h>
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
