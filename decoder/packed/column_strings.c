#include "decoder/packed/column_strings.h"

#include <string.h>

#include "base/digits.h"
#include "decoder/packed/column_salvage.h"
#include "record/packed.h"

#define LONG_DOUBLE_BYTES 16u

/* A byte of a template from 1 on is a slot. */
enum slot {
	SLOT_DECIMAL = 1,
	SLOT_HEXADECIMAL = 2,
	SLOT_WIDE_DECIMAL = 3, /* the next byte says how wide */
	SLOT_WIDE_HEXADECIMAL = 4,
};

#define SLOT_BYTES_MAX 20u /* that one becomes, and its width */

struct column_template {
	struct column_value text; /* that of null, too */
	struct column *slots;
	size_t slot_count;
};

/* What one string has that others have not. */
struct column_text {
	const uint8_t *rest;
	uint32_t size;
	uint32_t head;
};

/* The bytes of all strings whose sizes are known. */
static bool take_bytes(
	struct cursor *bytes, size_t count, struct column_strings *column)
{
	struct column sizes = column->numbers;
	size_t left = cursor_left(bytes);
	size_t i;

	column->bytes = bytes->at;
	for (i = 0; i < count; i++) {
		uint64_t size = column_read_next(&sizes);

		if (size > 1 && size - 1 > left)
			return false;
		left -= size > 1 ? (size_t)size - 1 : 0;
	}
	return cursor_bytes(bytes, cursor_left(bytes) - left);
}

static bool take_plain(struct cursor *bytes, struct column_store *store,
	size_t count, struct column_strings *column)
{
	*column = (struct column_strings){0};
	return column_read_numbers(
		       bytes, store, count, NULL, &column->numbers) &&
	       take_bytes(bytes, count, column);
}

/* What a dictionary has.  Null: damaged, or too much. */
static const struct column_value *take_known(
	struct cursor *bytes, struct column_store *store, size_t *size)
{
	uint64_t count = column_read_number(bytes);
	struct column_value *known;
	struct column_strings plain;
	size_t i;

	if (count > PACKED_MESSAGES_MAX ||
		!take_plain(bytes, store, (size_t)count, &plain))
		return NULL;
	known = column_store_take(store, (size_t)count * sizeof(*known));
	for (i = 0; known && i < count; i++)
		known[i] = column_strings_next(&plain);
	*size = (size_t)count;
	return known;
}

/* Counts in `uses`, unless that is null, how often each place is taken. */
static bool places_fit(
	struct column places, size_t count, size_t size, uint32_t *uses)
{
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t place = column_read_next(&places);

		if (place >= size)
			return false;
		if (uses)
			uses[place]++;
	}
	return true;
}

static bool take_dictionary(struct cursor *bytes, struct column_store *store,
	size_t count, struct column_strings *column)
{
	size_t size;

	*column = (struct column_strings){0};
	column->dictionary = take_known(bytes, store, &size);
	return column->dictionary &&
	       column_read_numbers(
		       bytes, store, count, NULL, &column->numbers) &&
	       places_fit(column->numbers, count, size, NULL);
}

/* Behind a slot, or another byte.  Null: a slot that is none. */
static const uint8_t *pass_over(const uint8_t *at, const uint8_t *end)
{
	bool wide = *at == SLOT_WIDE_DECIMAL || *at == SLOT_WIDE_HEXADECIMAL;

	at++;
	if (!wide)
		return at;
	return at < end && *at >= 1 && *at <= SLOT_BYTES_MAX ? at + 1 : NULL;
}

static bool is_slot(uint8_t byte)
{
	return byte >= SLOT_DECIMAL && byte <= SLOT_WIDE_HEXADECIMAL;
}

static bool count_slots(struct column_template *template)
{
	const uint8_t *at = template->text.data;
	const uint8_t *end = at ? at + template->text.size : NULL;

	template->slot_count = 0;
	while (at && at < end) {
		template->slot_count += is_slot(*at);
		at = pass_over(at, end);
	}
	return (at || !template->text.data) &&
	       (template->slot_count == 0 ||
		       template->text.size <= PACKED_TEMPLATE_MAX);
}

/* Its slots, for as many strings as are made of it. */
static bool take_slots(struct cursor *bytes, struct column_store *store,
	struct column_template *template, uint32_t uses)
{
	size_t i;

	if (!count_slots(template))
		return false;
	template->slots = column_store_take(
		store, template->slot_count * sizeof(*template->slots));
	for (i = 0; template->slots && i < template->slot_count; i++)
		if (!column_read_numbers(
			    bytes, store, uses, NULL, &template->slots[i]))
			return false;
	return template->slots;
}

static bool take_all_slots(struct cursor *bytes, struct column_store *store,
	struct column_strings *column, const struct column_value *known,
	size_t size, const uint32_t *uses)
{
	size_t room = 1;
	size_t i;

	for (i = 0; i < size; i++) {
		struct column_template *template = &column->templates[i];
		size_t most;

		template->text = known[i];
		if (!take_slots(bytes, store, template, uses[i]))
			return false;
		most = template->slot_count * SLOT_BYTES_MAX;
		most += template->slot_count ? known[i].size : 0;
		room = most > room ? most : room;
	}
	column->room = column_store_take(store, room);
	return column->room;
}

static bool take_templates(struct cursor *bytes, struct column_store *store,
	size_t count, struct column_strings *column)
{
	const struct column_value *known;
	uint32_t *uses;
	size_t size;

	*column = (struct column_strings){0};
	known = take_known(bytes, store, &size);
	if (!known || !column_read_numbers(
			      bytes, store, count, NULL, &column->numbers))
		return false;
	uses = column_store_take(store, size * sizeof(*uses));
	column->templates =
		column_store_take(store, size * sizeof(*column->templates));
	if (!uses || !column->templates)
		return false;
	memset(uses, 0, size * sizeof(*uses));
	return places_fit(column->numbers, count, size, uses) &&
	       take_all_slots(bytes, store, column, known, size, uses);
}

bool column_strings_read(struct cursor *bytes, struct column_store *store,
	size_t count, struct column_strings *column)
{
	const uint8_t *kind;

	if (count == 0)
		return take_plain(bytes, store, 0, column);
	kind = cursor_bytes(bytes, 1);
	if (!kind)
		return false;
	switch (*kind) {
	case PACKED_STRINGS_PLAIN:
		return take_plain(bytes, store, count, column);
	case PACKED_STRINGS_DICTIONARY:
		return take_dictionary(bytes, store, count, column);
	case PACKED_STRINGS_TEMPLATES:
		return take_templates(bytes, store, count, column);
	default:
		return false;
	}
}

/*
 * Strings of many columns together.
 */

static bool are_short(const struct column_value *strings, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strings[i].size > PACKED_TEMPLATE_MAX)
			return false;
	return true;
}

static const struct column_value *take_short(
	struct cursor *bytes, struct column_store *store, size_t count)
{
	struct column_value *strings;
	struct column_strings plain;
	size_t i;

	if (!take_plain(bytes, store, count, &plain))
		return NULL;
	strings = column_store_take(store, count * sizeof(*strings));
	for (i = 0; strings && i < count; i++)
		strings[i] = column_strings_next(&plain);
	return strings && are_short(strings, count) ? strings : NULL;
}

/* Up to the byte that ends all of them. */
static bool take_rest(
	struct cursor *bytes, uint8_t end, struct column_text *text)
{
	const uint8_t *found = memchr(bytes->at, end, cursor_left(bytes));

	if (!found)
		return false;
	text->rest = bytes->at;
	text->size = (uint32_t)(found - bytes->at);
	return cursor_bytes(bytes, text->size + 1u);
}

/* Room for the strings of each column, and for its longest one. */
static bool make_texts(struct column_store *store, struct column_texts *texts,
	const struct column_value *ends, struct column_text **made)
{
	size_t i;

	for (i = 0; i < texts->column_count; i++) {
		struct column_strings *column = texts->columns[i];

		made[i] = NULL;
		if (!column)
			continue;
		made[i] = column_store_take(
			store, texts->counts[i] * sizeof(*made[i]));
		if (!made[i])
			return false;
		*column = (struct column_strings){
			.texts = texts, .ends = ends + 2 * i, .next = made[i]};
	}
	return true;
}

static bool make_rooms(struct column_store *store, struct column_texts *texts,
	const size_t *longest)
{
	size_t i;

	for (i = 0; i < texts->column_count; i++) {
		struct column_strings *column = texts->columns[i];

		if (!column)
			continue;
		column->room = column_store_take(
			store, longest[i] + 3 * PACKED_TEMPLATE_MAX);
		if (!column->room)
			return false;
	}
	return true;
}

static bool take_texts(struct cursor *bytes, struct column_store *store,
	struct column_texts *texts, const struct column_value *ends,
	struct column heads, size_t (*next)(void *closure), void *closure)
{
	struct column_text **made =
		column_store_take(store, texts->column_count * sizeof(*made));
	size_t *longest = column_store_take(
		store, texts->column_count * sizeof(*longest));
	const uint8_t *end = cursor_bytes(bytes, 1);
	size_t i;

	if (!made || !longest || !end || !make_texts(store, texts, ends, made))
		return false;
	memset(longest, 0, texts->column_count * sizeof(*longest));
	for (i = 0; i < texts->count; i++) {
		size_t k = next(closure);
		struct column_text text = {
			.head = (uint32_t)column_read_next(&heads)};

		if (ends[2 * k + 1].data && !take_rest(bytes, *end, &text))
			return false;
		longest[k] = text.size > longest[k] ? text.size : longest[k];
		if (made[k])
			*made[k]++ = text;
	}
	return make_rooms(store, texts, longest);
}

bool column_texts_read(struct cursor *bytes, struct column_store *store,
	struct column_texts *texts, size_t (*next)(void *closure),
	void *closure)
{
	uint64_t head_count = column_read_number(bytes);
	const struct column_value *ends;
	struct column heads;

	if (head_count > PACKED_MESSAGES_MAX)
		return false;
	texts->heads = take_short(bytes, store, (size_t)head_count);
	if (!texts->heads ||
		!column_read_numbers(
			bytes, store, texts->count, NULL, &heads) ||
		!places_fit(heads, texts->count, (size_t)head_count, NULL))
		return false;
	ends = take_short(bytes, store, 2 * texts->column_count);
	return ends &&
	       take_texts(bytes, store, texts, ends, heads, next, closure);
}

static uint8_t *put_value(uint8_t *to, const struct column_value *value)
{
	if (value->size > 0)
		memcpy(to, value->data, value->size);
	return to + value->size;
}

static struct column_value make_text(struct column_strings *column)
{
	const struct column_text *text = column->next++;
	const struct column_value rest = {text->rest, text->size};
	uint8_t *to = column->room;

	to = put_value(to, &column->texts->heads[text->head]);
	to = put_value(to, &column->ends[0]);
	to = put_value(to, &rest);
	to = put_value(to, &column->ends[1]);
	return (struct column_value){column->room, (size_t)(to - column->room)};
}

bool column_strings_read_long_doubles(
	struct cursor *bytes, size_t count, struct column_strings *column)
{
	*column = (struct column_strings){0};
	if (cursor_left(bytes) / LONG_DOUBLE_BYTES < count)
		return false;
	column->bytes = cursor_bytes(bytes, count * LONG_DOUBLE_BYTES);
	return column->bytes;
}

static uint8_t *put_decimal(uint8_t *to, uint64_t value, unsigned width)
{
	unsigned count = digits_count(value);

	for (; width > count; width--)
		*to++ = '0';
	return (uint8_t *)digits_write_last((char *)to, value, count);
}

static uint8_t *put_hexadecimal(uint8_t *to, uint64_t value, unsigned width)
{
	unsigned count = (67u - (unsigned)__builtin_clzll(value | 1)) / 4;
	unsigned i;

	for (; width > count; width--)
		*to++ = '0';
	for (i = count; i > 0; i--, value >>= 4)
		to[i - 1] = (uint8_t) "0123456789abcdef"[value & 15];
	return to + count;
}

static uint8_t *put_slot(
	uint8_t *to, const uint8_t *slot, struct column *numbers)
{
	uint64_t value = column_read_next(numbers);

	switch (*slot) {
	case SLOT_DECIMAL:
		return put_decimal(to, value, 1);
	case SLOT_WIDE_DECIMAL:
		return put_decimal(to, value, slot[1]);
	case SLOT_HEXADECIMAL:
		return put_hexadecimal(to, value, 1);
	default:
		return put_hexadecimal(to, value, slot[1]);
	}
}

struct column_value column_strings_make(struct column_strings *column)
{
	struct column_template *template;
	const uint8_t *at;
	const uint8_t *end;
	struct column *slot;
	uint8_t *to = column->room;

	if (column->texts)
		return make_text(column);
	template = &column->templates[column_read_next(&column->numbers)];
	at = template->text.data;
	slot = template->slots;

	if (template->slot_count == 0)
		return template->text;
	end = at + template->text.size;
	while (at < end) {
		if (is_slot(*at))
			to = put_slot(to, at, slot++);
		else
			*to++ = *at;
		at = pass_over(at, end);
	}
	return (struct column_value){column->room, (size_t)(to - column->room)};
}

/* The slots of a template that is `uses` times there; *good is zeros, of as
 * many bytes. */
static bool salvage_slots(struct salvage *from,
	struct column_template *template, uint32_t uses, uint8_t *good)
{
	struct salvaged_numbers slot;
	size_t i, k;

	if (!count_slots(template)) {
		template->slot_count = 0;
		from->lost = true;
		return true;
	}
	template->slots = column_store_take(from->store,
		(template->slot_count + 1) * sizeof(*template->slots));
	if (!template->slots)
		return false;
	memset(good, 1, uses);
	for (i = 0; i < template->slot_count; i++) {
		if (!salvage_numbers(from, uses, NULL, &slot))
			return false;
		template->slots[i] =
			(struct column){.at = slot.values, .stride = 1};
		for (k = 0; k < uses; k++)
			good[k] &= slot.good[k];
	}
	return true;
}

/* How often each template is used has to be known, and where its slots are. */
bool column_strings_salvage(struct salvage *from, size_t count,
	const struct salvaged_strings *known, size_t size,
	const struct salvaged_numbers *places, struct salvaged_strings *into)
{
	struct column_strings made = {.numbers = {places->values, 1, 0, 0}};
	uint32_t *uses = column_store_take(from->store, size * sizeof(*uses));
	uint8_t **good = column_store_take(from->store, size * sizeof(*good));
	size_t i;

	made.templates =
		column_store_take(from->store, size * sizeof(*made.templates));
	made.room = column_store_take(
		from->store, PACKED_TEMPLATE_MAX * (SLOT_BYTES_MAX + 1));
	if (!uses || !good || !made.templates || !made.room)
		return false;
	memset(uses, 0, size * sizeof(*uses));
	for (i = 0; i < count; i++) {
		if (!places->good[i]) {
			from->lost = true;
			return true;
		}
		uses[places->values[i]]++;
	}
	for (i = 0; i < size; i++) {
		made.templates[i].text = known->values[i];
		good[i] = column_store_take(from->store, uses[i] + 1);
		if (!good[i])
			return false;
		memset(good[i], 0, uses[i]);
		from->lost |= !known->good[i];
		if (from->lost) /* those before it are known */
			made.templates[i] = (struct column_template){0};
		else if (!salvage_slots(
				 from, &made.templates[i], uses[i], good[i]))
			return false;
		uses[i] = 0;
	}
	for (i = 0; i < count; i++) {
		const size_t place = (size_t)places->values[i];
		const struct column_value text = column_strings_make(&made);
		uint8_t *copy;

		into->good[i] = good[place][uses[place]++];
		if (!into->good[i])
			continue;
		into->values[i] = text;
		if (text.data != made.room)
			continue;
		copy = column_store_take(from->store, text.size + 1);
		if (!copy)
			return false;
		memcpy(copy, text.data, text.size);
		into->values[i].data = copy;
	}
	return true;
}
