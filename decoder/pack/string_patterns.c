#include "decoder/pack/string_patterns.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"

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

static bool reserve(struct string_patterns *patterns, size_t count)
{
	return column_write_room((void **)&patterns->pattern_of,
		       &patterns->pattern_of_room, count,
		       sizeof(*patterns->pattern_of)) &&
	       column_write_room((void **)&patterns->first,
		       &patterns->first_room, count, sizeof(*patterns->first));
}

bool string_patterns_find(struct string_patterns *patterns,
	struct column_write *table, const struct string_value *strings,
	size_t count)
{
	size_t mask = column_write_slots(table, count);
	size_t i;

	patterns->text.length = 0;
	patterns->count = patterns->number_count = 0;
	if (!mask || !reserve(patterns, count))
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

bool string_patterns_look(struct string_patterns *patterns,
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

void string_patterns_free(struct string_patterns *patterns)
{
	render_buffer_free(&patterns->text);
	free(patterns->all);
	free(patterns->pattern_of);
	free(patterns->first);
	free(patterns->numbers);
	*patterns = (struct string_patterns){0};
}
