#include "decoder/pack/column_phrases.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"
#include "decoder/pack/column_shape.h"

#define PHRASE_MAX 64u
/* A column of fewer bytes cannot become much less. */
#define LEAST_BYTES 8u

/* One phrase, where it was met first. */
struct phrase {
	uint32_t first;
	uint32_t length;
};

struct phrases {
	struct phrase *all;
	uint32_t *places; /* of what makes the column */
	size_t count;
	size_t places_count;
	size_t values; /* of all phrases */
};

static void enter_phrase(struct column_write *writer, struct phrases *phrases,
	const uint64_t *values, size_t mask, struct phrase phrase)
{
	size_t at = seeded_hash(seeded_hash_start, values + phrase.first,
			    phrase.length * sizeof(*values)) &
		    mask;

	for (; writer->slots[at]; at = (at + 1) & mask) {
		const struct phrase *old = &phrases->all[writer->slots[at] - 1];

		if (old->length == phrase.length &&
			memcmp(values + old->first, values + phrase.first,
				phrase.length * sizeof(*values)) == 0)
			break;
	}
	if (!writer->slots[at]) {
		phrases->all[phrases->count++] = phrase;
		phrases->values += phrase.length;
		writer->slots[at] = (uint32_t)phrases->count;
	}
	phrases->places[phrases->places_count++] = writer->slots[at] - 1;
}

/* False: there are none worth while, or no memory. */
static bool find_phrases(struct column_write *writer, struct phrases *phrases,
	const uint64_t *values, size_t count, const bool *starts)
{
	size_t begins = 0;
	size_t mask, first, i;

	for (i = 0; i < count; i++)
		begins += starts[i];
	begins += count / PHRASE_MAX + 2;
	if (begins > count / 2)
		return false;
	mask = column_write_slots(writer, begins);
	phrases->all = malloc(begins * sizeof(*phrases->all));
	phrases->places = malloc(begins * sizeof(*phrases->places));
	if (!mask || !phrases->all || !phrases->places)
		return false;
	for (i = 1, first = 0; i <= count; i++) {
		if (i < count && !starts[i] && i - first < PHRASE_MAX)
			continue;
		enter_phrase(writer, phrases, values, mask,
			(struct phrase){
				(uint32_t)first, (uint32_t)(i - first)});
		first = i;
	}
	return phrases->values <= count / 4;
}

static void put_phrases(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, const struct phrases *phrases)
{
	size_t used = 0;
	size_t i;

	render_buffer_put_byte(out, (char)PACKED_PHRASES);
	column_shape_put_number(out, phrases->count);
	for (i = 0; i < phrases->count; i++)
		writer->group[i] = phrases->all[i].length;
	column_write_numbers(writer, out, writer->group, phrases->count);
	for (i = 0; i < phrases->count; i++) {
		memcpy(writer->group + used, values + phrases->all[i].first,
			phrases->all[i].length * sizeof(*values));
		used += phrases->all[i].length;
	}
	column_write_numbers(writer, out, writer->group, used);
	column_shape_put_number(out, phrases->places_count);
	for (i = 0; i < phrases->places_count; i++)
		writer->group[i] = phrases->places[i];
	column_write_numbers(writer, out, writer->group, phrases->places_count);
}

/* False: there are none worth while, or no memory. */
static bool write_phrases(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count,
	const bool *starts)
{
	struct phrases phrases = {0};
	bool found = column_write_reserve_group(writer, count) &&
		     find_phrases(writer, &phrases, values, count, starts);

	if (found)
		put_phrases(writer, out, values, &phrases);
	free(phrases.all);
	free(phrases.places);
	return found;
}

void column_phrases_write(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count,
	const bool *starts, struct pack_choice *choice)
{
	bool settled = pack_choice_settled(choice);
	size_t start = out->length;

	if (settled && choice->other &&
		write_phrases(writer, out, values, count, starts))
		return;
	column_write_numbers(writer, out, values, count);
	if (settled || out->length - start <= LEAST_BYTES)
		return;
	writer->other.length = 0;
	if (write_phrases(writer, &writer->other, values, count, starts))
		pack_choice_make(choice, column_write_keep_better(writer, out,
						 start, &writer->other));
}
