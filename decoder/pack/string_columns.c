#include "decoder/pack/string_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"
#include "decoder/pack/column_shape.h"
#include "decoder/pack/string_templates.h"

/* Where so few are different there is nothing to be found in them. */
#define FEW 16u

void string_columns_put_plain(struct string_columns *writer,
	struct render_buffer *out, const struct string_value *strings,
	size_t count)
{
	size_t i;

	if (!column_write_room((void **)&writer->sizes, &writer->sizes_room,
		    count, sizeof(*writer->sizes))) {
		out->failed = true;
		return;
	}
	for (i = 0; i < count; i++)
		writer->sizes[i] =
			strings[i].bytes ? (uint64_t)strings[i].size + 1 : 0;
	column_write_numbers(writer->numbers, out, writer->sizes, count);
	for (i = 0; i < count; i++)
		if (strings[i].bytes)
			render_buffer_put(
				out, strings[i].bytes, strings[i].size);
}

static bool is_same(const struct string_value *a, const struct string_value *b)
{
	return a->size == b->size && !a->bytes == !b->bytes &&
	       (!a->bytes || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static uint64_t hash_of(const struct string_value *string)
{
	if (!string->bytes)
		return seeded_hash_word(
			seeded_hash_start, ~(uint64_t)string->size);
	return seeded_hash(seeded_hash_start, string->bytes, string->size);
}

static bool reserve(struct string_columns *writer, size_t count)
{
	return column_write_room((void **)&writer->distinct,
		       &writer->distinct_room, count,
		       sizeof(*writer->distinct)) &&
	       column_write_room((void **)&writer->places, &writer->places_room,
		       count, sizeof(*writer->places));
}

size_t string_columns_distinct(struct string_columns *writer,
	const struct string_value *strings, size_t count, size_t most)
{
	size_t mask = column_write_slots(writer->numbers, count);
	uint32_t *slots = writer->numbers->slots;
	size_t found = 0;
	size_t i;

	if (!mask || !reserve(writer, count))
		return 0;
	for (i = 0; i < count; i++) {
		size_t at = hash_of(&strings[i]) & mask;

		while (slots[at] &&
			!is_same(&writer->distinct[slots[at] - 1], &strings[i]))
			at = (at + 1) & mask;
		if (!slots[at]) {
			if (found == most)
				return 0;
			writer->distinct[found++] = strings[i];
			slots[at] = (uint32_t)found;
		}
		writer->places[i] = slots[at] - 1;
	}
	return found;
}

static void put_distinct(struct string_columns *writer,
	struct render_buffer *out, const struct string_value *strings,
	size_t count, size_t found)
{
	if (found == 0) {
		render_buffer_put_byte(out, (char)PACKED_STRINGS_PLAIN);
		string_columns_put_plain(writer, out, strings, count);
		return;
	}
	render_buffer_put_byte(out, (char)PACKED_STRINGS_DICTIONARY);
	column_shape_put_number(out, found);
	string_columns_put_plain(writer, out, writer->distinct, found);
	column_write_numbers(writer->numbers, out, writer->places, count);
}

void string_columns_write_distinct(struct string_columns *writer,
	struct render_buffer *out, const struct string_value *strings,
	size_t count)
{
	put_distinct(writer, out, strings, count,
		string_columns_distinct(writer, strings, count, count / 2));
}

void string_columns_write(struct string_columns *writer,
	struct render_buffer *out, const struct string_value *strings,
	size_t count)
{
	size_t few = string_columns_distinct(
		writer, strings, count, count / 2 < FEW ? count / 2 : FEW);

	if (few > 0)
		put_distinct(writer, out, strings, count, few);
	else if (!string_templates_write(
			 &writer->templates, writer, out, strings, count))
		string_columns_write_distinct(writer, out, strings, count);
}

void string_columns_free(struct string_columns *writer)
{
	free(writer->distinct);
	free(writer->places);
	free(writer->sizes);
	string_templates_free(writer->templates);
	*writer = (struct string_columns){0};
}
