#include "decoder/pack/string_columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"
#include "decoder/pack/column_shape.h"

/*
 * Columns of strings with numbers in them (TEMPLATES of record/packed.h).
 * Asked by string_columns.c for each column; tries on a few strings first
 * whether that pays.
 */

/*
 * What strings of a column have in common when the numbers in them are left
 * out: their patterns, which are the templates of record/packed.h, and these
 * numbers.  Keeps memory only.
 */

/* Strings made alike. */
struct string_pattern {
	struct string_value text; /* with slots */
	uint32_t strings;
	uint32_t numbers; /* slots */
	uint32_t place;	  /* 0 at first */
	uint32_t start;
};

/* All zeros to begin with. */
struct string_patterns {
	struct string_pattern *all;
	size_t count;
	uint32_t *pattern_of; /* each string: its place in `all` */
	uint32_t *first;      /* number of each string, among: */
	uint64_t *numbers;
	size_t number_count;
	/* The rest is its own. */
	struct render_buffer text; /* of all patterns */
	size_t room;
	size_t pattern_of_room;
	size_t first_room;
	size_t number_room;
	uint64_t classes[256]; /* what a character counts as; 0: no word */
	bool hex;	       /* numbers have letters, too */
	bool failed;
};

/* With zeros before it, a slot is SLOT_PADDED more. */
enum slot { SLOT_DECIMAL = 1, SLOT_HEX = 2, SLOT_PADDED = 2, SLOT_LAST = 4 };

#define DIGITS_MAX 15u /* of a number; longer ones stay text */
#define SAMPLES 32u

/* What a character of a word counts as: strings are shorter than 2^16. */
#define ONE_DIGIT ((uint64_t)1)
#define ONE_HEX ((uint64_t)1 << 16)
#define ONE_OTHER ((uint64_t)1 << 32)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What a word is made of, from some place on. */
struct word {
	const char *at;
	size_t size;
	size_t digits;
	size_t letters; /* of hexadecimal numbers */
};

static struct word read_word(
	const struct string_patterns *patterns, const char *at, const char *end)
{
	const char *start = at;
	uint64_t counts = 0;
	uint64_t one;

	for (; at < end && (one = patterns->classes[(uint8_t)*at]); at++)
		counts += one;
	return (struct word){
		.at = start,
		.size = (size_t)(at - start),
		.digits = counts & 0xffff,
		.letters = counts >> 16 & 0xffff,
	};
}

static void put_number(struct string_patterns *patterns, uint64_t number)
{
	if (patterns->number_count == patterns->number_room) {
		size_t room = patterns->number_room ? patterns->number_room * 2
						    : 4096;

		if (!column_write_room((void **)&patterns->numbers,
			    &patterns->number_room, room,
			    sizeof(*patterns->numbers))) {
			patterns->failed = true;
			return;
		}
	}
	patterns->numbers[patterns->number_count++] = number;
}

static uint64_t value_of(const char *at, size_t size, unsigned base)
{
	uint64_t value = 0;

	for (; size > 0; size--, at++)
		value = value * base +
			(unsigned)(is_digit(*at) ? *at - '0' : *at - 'a' + 10);
	return value;
}

/* Writes the slot for a number, and returns what is behind it. */
static char *put_slot(struct string_patterns *patterns, char *to,
	const char *at, size_t size, enum slot slot)
{
	bool padded = size > 1 && *at == '0';

	*to++ = (char)(slot + (padded ? SLOT_PADDED : 0));
	if (padded)
		*to++ = (char)size;
	put_number(patterns, value_of(at, size, slot == SLOT_HEX ? 16 : 10));
	return to;
}

static char *put_bytes(char *to, const char *bytes, size_t size)
{
	memcpy(to, bytes, size);
	return to + size;
}

/* A word with digits: a number, or letters with a number behind them. */
static char *put_word(
	struct string_patterns *patterns, char *to, const struct word *word)
{
	bool hex = patterns->hex && word->digits + word->letters == word->size;
	size_t head = 0;

	if (word->size > 2 && word->at[0] == '0' && word->at[1] == 'x' &&
		word->digits + word->letters == word->size - 1) {
		head = 2;
		hex = true;
	} else if (!hex) {
		while (!is_digit(word->at[head]))
			head++;
		if (head + word->digits != word->size)
			head = word->size;
	}
	if (word->size - head > DIGITS_MAX)
		head = word->size;
	to = put_bytes(to, word->at, head);
	if (head == word->size)
		return to;
	return put_slot(patterns, to, word->at + head, word->size - head,
		hex ? SLOT_HEX : SLOT_DECIMAL);
}

/* Appends the string's pattern, which is no longer.  False: it has none. */
static bool put_pattern(
	struct string_patterns *patterns, const struct string_value *string)
{
	struct render_buffer *text = &patterns->text;
	const char *at = string->bytes;
	const char *end = at + string->size;
	char *to;

	if (!render_buffer_reserve(text, string->size))
		return false;
	to = text->data + text->length;
	while (at < end) {
		struct word word = read_word(patterns, at, end);

		if (word.size == 0) {
			if (*at >= SLOT_DECIMAL && *at <= SLOT_LAST)
				return false;
			*to++ = *at++;
			continue;
		}
		to = word.digits > 0 ? put_word(patterns, to, &word)
				     : put_bytes(to, word.at, word.size);
		at += word.size;
	}
	text->length = (size_t)(to - text->data);
	return true;
}

static bool add_pattern(
	struct string_patterns *patterns, size_t start, uint32_t numbers)
{
	size_t room = patterns->room ? patterns->room * 2 : 256;

	if (patterns->count == patterns->room &&
		!column_write_room((void **)&patterns->all, &patterns->room,
			room, sizeof(*patterns->all)))
		return false;
	/* An offset until the text stays where it is. */
	patterns->all[patterns->count++] = (struct string_pattern){
		.text = {.bytes = NULL,
			.size = (uint32_t)(patterns->text.length - start)},
		.place = (uint32_t)start,
		.numbers = numbers,
	};
	return true;
}

/* The pattern at the end of the text, which is taken away if it is known. */
static uint32_t enter_pattern(struct string_patterns *patterns,
	const struct column_write *table, size_t mask, size_t start,
	uint32_t numbers)
{
	const char *bytes = patterns->text.data + start;
	size_t size = patterns->text.length - start;
	size_t at = seeded_hash(seeded_hash_start, bytes, size) & mask;

	for (; table->slots[at]; at = (at + 1) & mask) {
		const struct string_pattern *old =
			&patterns->all[table->slots[at] - 1];

		if (old->text.size == size &&
			memcmp(patterns->text.data + old->place, bytes, size) ==
				0)
			break;
	}
	if (table->slots[at])
		patterns->text.length = start;
	else if (add_pattern(patterns, start, numbers))
		table->slots[at] = (uint32_t)patterns->count;
	else
		patterns->failed = true;
	return table->slots[at] ? table->slots[at] - 1 : 0;
}

static bool patterns_reserve(struct string_patterns *patterns, size_t count)
{
	return column_write_room((void **)&patterns->pattern_of,
		       &patterns->pattern_of_room, count,
		       sizeof(*patterns->pattern_of)) &&
	       column_write_room((void **)&patterns->first,
		       &patterns->first_room, count, sizeof(*patterns->first));
}

/*
 * Finds the patterns of all strings, which stay the caller's.  `table` lends
 * its hash table.  False: a string cannot have one, or no memory.
 */
static bool string_patterns_find(struct string_patterns *patterns,
	struct column_write *table, const struct string_value *strings,
	size_t count)
{
	size_t mask = column_write_slots(table, count);
	size_t i;

	patterns->text.length = 0;
	patterns->count = patterns->number_count = 0;
	if (!mask || !patterns_reserve(patterns, count))
		return false;
	for (i = 0; i < count; i++) {
		size_t start = patterns->text.length;
		size_t first = patterns->number_count;

		if (!strings[i].bytes ||
			strings[i].size > PACKED_TEMPLATE_MAX ||
			!put_pattern(patterns, &strings[i]))
			return false;
		patterns->first[i] = (uint32_t)first;
		patterns->pattern_of[i] = enter_pattern(patterns, table, mask,
			start, (uint32_t)(patterns->number_count - first));
		if (patterns->failed || patterns->text.failed)
			return false;
		patterns->all[patterns->pattern_of[i]].strings++;
	}
	for (i = 0; i < patterns->count; i++) {
		struct string_pattern *pattern = &patterns->all[i];

		pattern->text.bytes = patterns->text.data + pattern->place;
		pattern->place = 0;
	}
	return true;
}

static void fill_classes(struct string_patterns *patterns)
{
	int c;

	for (c = '0'; c <= '9'; c++)
		patterns->classes[c] = ONE_DIGIT;
	for (c = 'A'; c <= 'Z'; c++)
		patterns->classes[c] = ONE_OTHER;
	for (c = 'a'; c <= 'z'; c++)
		patterns->classes[c] = c <= 'f' ? ONE_HEX : ONE_OTHER;
}

static size_t looked_at(const struct string_value *string)
{
	return string->size < PACKED_TEMPLATE_MAX ? string->size
						  : PACKED_TEMPLATE_MAX;
}

/*
 * Looks at some of the strings: whether many have numbers, and of which kind
 * these are; to be asked before string_patterns_find().
 */
static bool string_patterns_look(struct string_patterns *patterns,
	const struct string_value *strings, size_t count)
{
	size_t with = 0;
	size_t decimal = 0;
	size_t hex = 0;
	size_t i;

	if (patterns->classes['0'] == 0)
		fill_classes(patterns);
	for (i = 0; i < SAMPLES; i++) {
		const struct string_value *string =
			&strings[i * count / SAMPLES];
		const char *end = string->bytes + looked_at(string);
		const char *at = string->bytes;
		size_t before = decimal + hex;

		while (at && at < end) {
			struct word word = read_word(patterns, at, end);

			at += word.size ? word.size : 1;
			decimal += word.digits > 0 && word.digits == word.size;
			hex += word.digits > 0 && word.letters > 0 &&
			       word.digits + word.letters == word.size;
		}
		with += decimal + hex > before;
	}
	patterns->hex = hex > decimal / 2;
	return with >= SAMPLES / 8;
}

static void string_patterns_free(struct string_patterns *patterns)
{
	render_buffer_free(&patterns->text);
	free(patterns->all);
	free(patterns->pattern_of);
	free(patterns->first);
	free(patterns->numbers);
	*patterns = (struct string_patterns){0};
}

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

static bool templates_reserve(struct string_templates *templates, size_t count)
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
		!templates_reserve(templates, count))
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

/*
 * Appends the column if it is less in this way; false: it is not, and nothing
 * is appended.  *templates is null at first, and freed by the caller.
 */
static bool string_templates_write(struct string_templates **templates,
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

/* Null is fine. */
static void string_templates_free(struct string_templates *templates)
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
