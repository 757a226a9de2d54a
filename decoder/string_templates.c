#include "decoder/string_templates.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/column_shape.h"
#include "record/hash.h"

/* With zeros before it, a slot is SLOT_PADDED more. */
enum slot { SLOT_DECIMAL = 1, SLOT_HEX = 2, SLOT_PADDED = 2, SLOT_LAST = 4 };

#define DIGITS_MAX 15u /* of a number; longer ones stay text */
/* Templates that fewer strings have stay text. */
#define STRINGS_LEAST 12u
#define TRIED 2048u /* strings */
#define TRIED_LEAST 48u
#define SAMPLES 32u

/* Strings made alike. */
struct pattern {
	struct string_value text;
	uint32_t strings;
	uint32_t numbers; /* slots */
	uint32_t place;	  /* among what is written, + 1; 0: not there */
	uint32_t start;	  /* in `order` */
};

struct string_templates {
	struct render_buffer text; /* of all patterns */
	struct pattern *patterns;
	size_t pattern_count;
	size_t pattern_room;
	uint32_t *pattern_of; /* each string */
	size_t pattern_of_room;
	uint32_t *first; /* number of each string */
	size_t first_room;
	uint64_t *numbers;
	size_t number_count;
	size_t number_room;
	struct string_value *written; /* what places refer to */
	size_t written_room;
	struct string_value *rest;
	size_t rest_room;
	uint32_t *order;
	size_t order_room;
	uint64_t *places;
	size_t places_room;
	uint64_t *column;
	size_t column_room;
	struct render_buffer trial;
	uint8_t classes[256]; /* enum class, of each character */
	bool hex;	      /* numbers have letters, too */
	bool failed;
};

enum class { CLASS_DIGIT = 1, CLASS_HEX = 2, CLASS_WORD = 4 };

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

static struct word read_word(const struct string_templates *templates,
	const char *at, const char *end)
{
	struct word word = {.at = at};

	for (; at < end; at++) {
		unsigned class = templates->classes[(uint8_t)*at];

		if (!class)
			break;
		word.digits += class & CLASS_DIGIT;
		word.letters += class >> 1 & 1;
	}
	word.size = (size_t)(at - word.at);
	return word;
}

static void put_number(struct string_templates *templates, uint64_t number)
{
	if (templates->number_count == templates->number_room) {
		size_t room = templates->number_room
				      ? templates->number_room * 2
				      : 4096;

		if (!column_write_room((void **)&templates->numbers,
			    &templates->number_room, room,
			    sizeof(*templates->numbers))) {
			templates->failed = true;
			return;
		}
	}
	templates->numbers[templates->number_count++] = number;
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
static char *put_slot(struct string_templates *templates, char *to,
	const char *at, size_t size, enum slot slot)
{
	bool padded = size > 1 && *at == '0';

	*to++ = (char)(slot + (padded ? SLOT_PADDED : 0));
	if (padded)
		*to++ = (char)size;
	put_number(templates,
		value_of(at, size, slot == SLOT_HEX ? 16 : 10));
	return to;
}

static char *put_bytes(char *to, const char *bytes, size_t size)
{
	memcpy(to, bytes, size);
	return to + size;
}

/* A word with digits: a number, or letters with a number behind them. */
static char *put_word(struct string_templates *templates, char *to,
	const struct word *word)
{
	bool hex = templates->hex && word->digits + word->letters == word->size;
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
	return put_slot(templates, to, word->at + head, word->size - head,
		hex ? SLOT_HEX : SLOT_DECIMAL);
}

/* Appends the string's pattern, which is no longer.  False: it has none. */
static bool put_pattern(struct string_templates *templates,
	const struct string_value *string)
{
	struct render_buffer *text = &templates->text;
	const char *at = string->bytes;
	const char *end = at + string->size;
	char *to;

	if (!render_buffer_reserve(text, string->size))
		return false;
	to = text->data + text->length;
	while (at < end) {
		struct word word = read_word(templates, at, end);

		if (word.size == 0) {
			if (*at >= SLOT_DECIMAL && *at <= SLOT_LAST)
				return false;
			*to++ = *at++;
			continue;
		}
		to = word.digits > 0 ? put_word(templates, to, &word)
				     : put_bytes(to, word.at, word.size);
		at += word.size;
	}
	text->length = (size_t)(to - text->data);
	return true;
}

static uint64_t hash_of(uint64_t hash, const char *bytes, size_t size)
{
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = binlog_hash_word(hash, word);
		bytes += sizeof(word);
	}
	for (word = size; size > 0; size--)
		word = word << 8 | (uint8_t)bytes[size - 1];
	return binlog_hash_word(hash, word);
}

static bool add_pattern(struct string_templates *templates, size_t start,
	uint32_t numbers)
{
	size_t room = templates->pattern_room ? templates->pattern_room * 2
					      : 256;

	if (templates->pattern_count == templates->pattern_room &&
		!column_write_room((void **)&templates->patterns,
			&templates->pattern_room, room,
			sizeof(*templates->patterns)))
		return false;
	/* An offset until the text stays where it is. */
	templates->patterns[templates->pattern_count++] = (struct pattern){
		.text = {.bytes = NULL,
			.size = (uint32_t)(templates->text.length - start)},
		.place = (uint32_t)start,
		.numbers = numbers,
	};
	return true;
}

/* The pattern at the end of the text, which is taken away if it is known. */
static uint32_t enter_pattern(struct string_templates *templates,
	const struct column_write *table, size_t mask, size_t start,
	uint32_t numbers)
{
	const char *bytes = templates->text.data + start;
	size_t size = templates->text.length - start;
	size_t at = hash_of(table->seed, bytes, size) & mask;

	for (; table->slots[at]; at = (at + 1) & mask) {
		const struct pattern *old =
			&templates->patterns[table->slots[at] - 1];

		if (old->text.size == size &&
			memcmp(templates->text.data + old->place, bytes,
				size) == 0)
			break;
	}
	if (table->slots[at])
		templates->text.length = start;
	else if (add_pattern(templates, start, numbers))
		table->slots[at] = (uint32_t)templates->pattern_count;
	else
		templates->failed = true;
	return table->slots[at] ? table->slots[at] - 1 : 0;
}

static bool reserve(struct string_templates *templates, size_t count)
{
	return column_write_room((void **)&templates->pattern_of,
		       &templates->pattern_of_room, count,
		       sizeof(*templates->pattern_of)) &&
	       column_write_room((void **)&templates->first,
		       &templates->first_room, count,
		       sizeof(*templates->first)) &&
	       column_write_room((void **)&templates->written,
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

/* False: a string cannot have a pattern, or no memory. */
static bool find_patterns(struct string_templates *templates,
	struct column_write *table, const struct string_value *strings,
	size_t count)
{
	size_t mask = column_write_slots(table, count);
	size_t i;

	templates->text.length = 0;
	templates->pattern_count = templates->number_count = 0;
	if (!mask || !reserve(templates, count))
		return false;
	for (i = 0; i < count; i++) {
		size_t start = templates->text.length;
		size_t first = templates->number_count;

		if (!strings[i].bytes ||
			strings[i].size > PACKED_TEMPLATE_MAX ||
			!put_pattern(templates, &strings[i]))
			return false;
		templates->first[i] = (uint32_t)first;
		templates->pattern_of[i] = enter_pattern(templates, table, mask,
			start, (uint32_t)(templates->number_count - first));
		if (templates->failed || templates->text.failed)
			return false;
		templates->patterns[templates->pattern_of[i]].strings++;
	}
	for (i = 0; i < templates->pattern_count; i++) {
		struct pattern *pattern = &templates->patterns[i];

		pattern->text.bytes = templates->text.data + pattern->place;
		pattern->place = 0;
	}
	return true;
}

static bool is_used(const struct pattern *pattern)
{
	return pattern->numbers > 0 && pattern->strings >= STRINGS_LEAST;
}

/* Gives the patterns that are used their places; how many there are. */
static size_t place_patterns(struct string_templates *templates)
{
	size_t used = 0;
	size_t i;

	for (i = 0; i < templates->pattern_count; i++) {
		if (!is_used(&templates->patterns[i]))
			continue;
		templates->written[used++] = templates->patterns[i].text;
		templates->patterns[i].place = (uint32_t)used;
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
		if (!is_used(&templates->patterns[templates->pattern_of[i]]))
			rest[left++] = strings[i];
	if (left > 0)
		found = string_columns_distinct(writer, rest, left, left);
	memcpy(templates->written + used, writer->distinct,
		found * sizeof(*rest));
	for (i = 0, left = 0; i < count; i++) {
		uint32_t place =
			templates->patterns[templates->pattern_of[i]].place;

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

	for (i = 0; i < templates->pattern_count; i++) {
		templates->patterns[i].start = start;
		start += templates->patterns[i].strings;
	}
	for (i = 0; i < count; i++) {
		struct pattern *pattern =
			&templates->patterns[templates->pattern_of[i]];

		templates->order[pattern->start++] = (uint32_t)i;
	}
}

static void put_slots(struct string_templates *templates,
	struct string_columns *writer, struct render_buffer *out,
	const struct pattern *pattern)
{
	const uint32_t *order =
		templates->order + pattern->start - pattern->strings;
	uint32_t slot, i;

	for (slot = 0; slot < pattern->numbers; slot++) {
		for (i = 0; i < pattern->strings; i++)
			templates->column[i] =
				templates->numbers[templates->first[order[i]] +
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

	if (!find_patterns(templates, writer->numbers, strings, count))
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
	for (i = 0; i < templates->pattern_count; i++)
		if (templates->patterns[i].place != 0)
			put_slots(templates, writer, out,
				&templates->patterns[i]);
	return true;
}

/* Whether most strings have numbers, and of which kind these are. */
static bool look(struct string_templates *templates,
	const struct string_value *strings, size_t count)
{
	size_t with = 0;
	size_t decimal = 0;
	size_t hex = 0;
	size_t i;

	for (i = 0; i < SAMPLES; i++) {
		const struct string_value *string =
			&strings[i * count / SAMPLES];
		const char *end = string->bytes + string->size;
		const char *at = string->bytes;
		size_t before = decimal + hex;

		while (at && at < end) {
			struct word word = read_word(templates, at, end);

			at += word.size ? word.size : 1;
			decimal += word.digits > 0 && word.digits == word.size;
			hex += word.digits > 0 && word.letters > 0 &&
			       word.digits + word.letters == word.size;
		}
		with += decimal + hex > before;
	}
	templates->hex = hex > decimal / 2;
	return with >= SAMPLES / 2;
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

static struct string_templates *begin(void)
{
	struct string_templates *templates = calloc(1, sizeof(*templates));
	int c;

	for (c = 0; templates && c < 256; c++)
		templates->classes[c] =
			is_digit((char)c)	? CLASS_WORD | CLASS_DIGIT
			: c >= 'a' && c <= 'f'	? CLASS_WORD | CLASS_HEX
			: (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
				? CLASS_WORD
				: 0;
	return templates;
}

bool string_templates_write(struct string_templates **templates,
	struct string_columns *writer, struct render_buffer *out,
	const struct string_value *strings, size_t count)
{
	if (!*templates)
		*templates = begin();
	return *templates && count >= TRIED_LEAST &&
	       look(*templates, strings, count) &&
	       pays(*templates, writer, strings, count) &&
	       write_all(*templates, writer, out, strings, count);
}

void string_templates_free(struct string_templates *templates)
{
	if (!templates)
		return;
	render_buffer_free(&templates->text);
	render_buffer_free(&templates->trial);
	free(templates->patterns);
	free(templates->pattern_of);
	free(templates->first);
	free(templates->numbers);
	free(templates->written);
	free(templates->rest);
	free(templates->order);
	free(templates->places);
	free(templates->column);
	free(templates);
}
