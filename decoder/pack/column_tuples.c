#include "decoder/pack/column_tuples.h"

#include <string.h>

#include "base/seeded_hash.h"
#include "decoder/pack/column_shape.h"

#define SHORTEST 2u
#define LONGEST 12u
/* Of so many phrases one may be another than all before it. */
#define NEW_ONE_OF 4u
#define LEAST 1024u
/* With more bits for each value a code for bytes does as well. */
#define VALUES_IN_BYTE 6u

struct tuples {
	unsigned length;
	size_t whole;	   /* phrases of this length */
	size_t rest;	   /* values behind them, which are one phrase more */
	uint64_t *places;  /* of each phrase */
	uint64_t *lengths; /* of each that is different */
	uint64_t *values;  /* likewise, one after the other */
	size_t most;	   /* of this length that may be different */
	size_t count;
};

/* False: there are too many different ones. */
static bool enter(struct column_write *writer, struct tuples *tuples,
	const uint64_t *values, size_t mask, uint64_t *place)
{
	size_t length = tuples->length;
	size_t at = seeded_hash(seeded_hash_start, values,
			    length * sizeof(*values)) &
		    mask;

	while (writer->slots[at] &&
		memcmp(tuples->values + length * (writer->slots[at] - 1),
			values, length * sizeof(*values)) != 0)
		at = (at + 1) & mask;
	if (!writer->slots[at]) {
		if (tuples->count == tuples->most)
			return false;
		memcpy(tuples->values + length * tuples->count, values,
			length * sizeof(*values));
		tuples->lengths[tuples->count++] = length;
		writer->slots[at] = (uint32_t)tuples->count;
	}
	*place = writer->slots[at] - 1;
	return true;
}

static void enter_rest(struct tuples *tuples, const uint64_t *values)
{
	if (tuples->rest == 0)
		return;
	memcpy(tuples->values + tuples->length * tuples->count, values,
		tuples->rest * sizeof(*values));
	tuples->lengths[tuples->count] = tuples->rest;
	tuples->places[tuples->whole] = tuples->count;
}

/* False: there are too many different ones, or no memory. */
static bool find(struct column_write *writer, struct tuples *tuples,
	const uint64_t *values, size_t count, unsigned length)
{
	size_t mask, i;

	*tuples = (struct tuples){
		.length = length,
		.whole = count / length,
		.rest = count % length,
		.most = count / length / NEW_ONE_OF,
	};
	mask = column_write_slots(writer, tuples->most + 1);
	if (!mask || !column_write_reserve_numbers(writer, 2 * count + LEAST))
		return false;
	tuples->places = writer->numbers;
	tuples->lengths = tuples->places + tuples->whole + 1;
	tuples->values = tuples->lengths + tuples->most + 1;
	for (i = 0; i < tuples->whole; i++)
		if (!enter(writer, tuples, values + length * i, mask,
			    &tuples->places[i]))
			return false;
	enter_rest(tuples, values + length * tuples->whole);
	return true;
}

static size_t estimate(const uint64_t *values, size_t count)
{
	struct column_shape shape = column_shape_of(values, count);

	return column_shape_estimate(&shape, values, count);
}

unsigned column_tuples_best(
	struct column_write *writer, const uint64_t *values, size_t count)
{
	size_t least = count / VALUES_IN_BYTE;
	unsigned best = 0;
	unsigned length;

	if (count < LEAST || estimate(values, count) >= least)
		return 0;
	for (length = SHORTEST; length <= LONGEST; length++) {
		struct tuples tuples;
		size_t bytes;

		if (!find(writer, &tuples, values, count, length))
			continue;
		bytes = estimate(tuples.places, tuples.whole) +
			estimate(tuples.values, length * tuples.count);
		if (bytes < least) {
			least = bytes;
			best = length;
		}
	}
	return best;
}

static void put(struct render_buffer *out, const uint64_t *values, size_t count)
{
	struct column_shape shape = column_shape_of(values, count);

	column_shape_put(&shape, out, values, count);
}

bool column_tuples_write(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, size_t count, unsigned length)
{
	struct tuples tuples;
	size_t different, phrases;

	if (count < LEAST || !find(writer, &tuples, values, count, length))
		return false;
	different = tuples.count + (tuples.rest > 0);
	phrases = tuples.whole + (tuples.rest > 0);
	render_buffer_put_byte(out, (char)PACKED_PHRASES);
	column_shape_put_number(out, different);
	put(out, tuples.lengths, different);
	put(out, tuples.values, length * tuples.count + tuples.rest);
	column_shape_put_number(out, phrases);
	put(out, tuples.places, phrases);
	return true;
}
