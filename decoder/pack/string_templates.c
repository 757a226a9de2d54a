#include "decoder/pack/string_templates.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/pack/column_shape.h"
#include "decoder/pack/string_patterns.h"

/* Templates that fewer strings have stay text. */
#define STRINGS_LEAST 4u
#define TRIED 2048u /* strings */
#define TRIED_LEAST 48u

struct string_templates {
	struct string_patterns patterns; /* `place`: among what is written, */
					 /* + 1; `start`: in `order` */
	struct string_value *written;	 /* what places refer to */
	size_t written_room;
	struct string_value *rest; /* strings without a template */
	size_t rest_room;
	uint32_t *order; /* strings, by template */
	size_t order_room;
	uint64_t *places; /* of each string, in `written` */
	size_t places_room;
	uint64_t *column; /* the numbers of a slot */
	size_t column_room;
	struct render_buffer trial;
};

static bool reserve(struct string_templates *templates, size_t count)
{
	return column_write_room((void **)&templates->written,
		       &templates->written_room, count,
		       sizeof(*templates->written)) &&
	       column_write_room((void **)&templates->rest,
		       &templates->rest_room, count,
		       sizeof(*templates->rest)) &&
	       column_write_room((void **)&templates->order,
		       &templates->order_room, count,
		       sizeof(*templates->order)) &&
	       column_write_room((void **)&templates->places,
		       &templates->places_room, count,
		       sizeof(*templates->places)) &&
	       column_write_room((void **)&templates->column,
		       &templates->column_room, count,
		       sizeof(*templates->column));
}

static bool is_used(const struct string_pattern *pattern)
{
	return pattern->numbers > 0 && pattern->strings >= STRINGS_LEAST;
}

/* Gives the patterns that are used their places; how many there are. */
static size_t place_patterns(struct string_templates *templates)
{
	size_t used = 0;
	size_t i;

	for (i = 0; i < templates->patterns.count; i++) {
		if (!is_used(&templates->patterns.all[i]))
			continue;
		templates->written[used++] = templates->patterns.all[i].text;
		templates->patterns.all[i].place = (uint32_t)used;
	}
	return used;
}

/* All strings that have no pattern; each once behind the `used` ones. */
static size_t place_rest(struct string_templates *templates,
	struct string_columns *writer, const struct string_value *strings,
	size_t count, size_t used)
{
	struct string_value *rest = templates->rest;
	size_t found = 0;
	size_t left = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (!is_used(&templates->patterns
				      .all[templates->patterns.pattern_of[i]]))
			rest[left++] = strings[i];
	if (left > 0)
		found = string_columns_distinct(writer, rest, left, left);
	memcpy(templates->written + used, writer->distinct,
		found * sizeof(*rest));
	for (i = 0, left = 0; i < count; i++) {
		uint32_t place = templates->patterns
					 .all[templates->patterns.pattern_of[i]]
					 .place;

		templates->places[i] =
			place ? place - 1 : used + writer->places[left++];
	}
	return used + found;
}

/* The strings of each pattern together, in their order. */
static void sort_strings(struct string_templates *templates, size_t count)
{
	uint32_t start = 0;
	size_t i;

	for (i = 0; i < templates->patterns.count; i++) {
		templates->patterns.all[i].start = start;
		start += templates->patterns.all[i].strings;
	}
	for (i = 0; i < count; i++) {
		struct string_pattern *pattern =
			&templates->patterns
				 .all[templates->patterns.pattern_of[i]];

		templates->order[pattern->start++] = (uint32_t)i;
	}
}

static void put_slots(struct string_templates *templates,
	struct string_columns *writer, struct render_buffer *out,
	const struct string_pattern *pattern)
{
	const uint32_t *order =
		templates->order + pattern->start - pattern->strings;
	uint32_t slot, i;

	for (slot = 0; slot < pattern->numbers; slot++) {
		for (i = 0; i < pattern->strings; i++)
			templates->column[i] =
				templates->patterns.numbers
					[templates->patterns.first[order[i]] +
						slot];
		column_write_numbers(writer->numbers, out, templates->column,
			pattern->strings);
	}
}

static bool write_all(struct string_templates *templates,
	struct string_columns *writer, struct render_buffer *out,
	const struct string_value *strings, size_t count)
{
	size_t used, all, i;

	if (!string_patterns_find(
		    &templates->patterns, writer->numbers, strings, count) ||
		!reserve(templates, count))
		return false;
	used = place_patterns(templates);
	if (used == 0)
		return false;
	all = place_rest(templates, writer, strings, count, used);
	sort_strings(templates, count);
	render_buffer_put_byte(out, (char)PACKED_STRINGS_TEMPLATES);
	column_shape_put_number(out, all);
	string_columns_put_plain(writer, out, templates->written, all);
	column_write_numbers(writer->numbers, out, templates->places, count);
	for (i = 0; i < templates->patterns.count; i++)
		if (templates->patterns.all[i].place != 0)
			put_slots(templates, writer, out,
				&templates->patterns.all[i]);
	return true;
}

static bool pays(struct string_templates *templates,
	struct string_columns *writer, const struct string_value *strings,
	size_t count)
{
	struct render_buffer *trial = &templates->trial;
	size_t bytes;

	if (count > TRIED)
		count = TRIED;
	trial->length = 0;
	if (!write_all(templates, writer, trial, strings, count))
		return false;
	bytes = column_write_compressed(
		writer->numbers, trial->data, trial->length);
	trial->length = 0;
	string_columns_write_distinct(writer, trial, strings, count);
	return !trial->failed &&
	       bytes < column_write_compressed(
			       writer->numbers, trial->data, trial->length);
}

bool string_templates_write(struct string_templates **templates,
	struct string_columns *writer, struct render_buffer *out,
	const struct string_value *strings, size_t count)
{
	if (!*templates)
		*templates = calloc(1, sizeof(**templates));
	return *templates && count >= TRIED_LEAST &&
	       string_patterns_look(&(*templates)->patterns, strings, count) &&
	       pays(*templates, writer, strings, count) &&
	       write_all(*templates, writer, out, strings, count);
}

void string_templates_free(struct string_templates *templates)
{
	if (!templates)
		return;
	string_patterns_free(&templates->patterns);
	render_buffer_free(&templates->trial);
	free(templates->written);
	free(templates->rest);
	free(templates->order);
	free(templates->places);
	free(templates->column);
	free(templates);
}
