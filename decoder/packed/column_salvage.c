#include "decoder/packed/column_salvage.h"

#include <string.h>

#include "base/power_of_ten.h"
#include "record/packed.h"

#define LONG_DOUBLE_BYTES 16u

/* A byte on which all that follows depends; 0 if it is not known. */
static uint8_t byte(struct salvage *from)
{
	if (from->lost || from->at == from->end || !from->whole[from->at]) {
		from->lost = true;
		return 0;
	}
	return from->bytes[from->at++];
}

static uint64_t number(struct salvage *from)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		const uint8_t next = byte(from);

		if (shift == 63 && next > 1)
			break;
		value |= (uint64_t)(next & 0x7f) << shift;
		if (next < 0x80)
			return from->lost ? 0 : value;
	}
	from->lost = true;
	return 0;
}

static uint64_t signed_number(struct salvage *from)
{
	uint64_t value = number(from);

	return value >> 1 ^ -(value & 1);
}

static bool is_whole(const struct salvage *from, size_t at, size_t size)
{
	return size == 0 || !memchr(from->whole + at, 0, size);
}

/* Steps over bytes, whole or not.  False: there are fewer. */
static bool step(struct salvage *from, size_t size, size_t *at)
{
	if (from->lost || from->end - from->at < size) {
		from->lost = true;
		return false;
	}
	*at = from->at;
	from->at += size;
	return true;
}

static bool take(
	struct salvage *from, size_t count, struct salvaged_numbers *numbers)
{
	numbers->values =
		column_store_take(from->store, count * sizeof(uint64_t));
	numbers->good = column_store_take(from->store, count);
	if (!numbers->values || !numbers->good)
		return false;
	memset(numbers->values, 0, count * sizeof(uint64_t));
	memset(numbers->good, 0, count);
	return true;
}

/* What a column is made of; `good` is all zeros to begin with. */
struct filling {
	struct salvage *from;
	const struct salvage_groups *groups;
	bool split;
};

static bool fill(const struct filling *how, size_t count, uint64_t *values,
	uint8_t *good, unsigned nesting);

static void fill_constant(
	struct salvage *from, size_t count, uint64_t *values, uint8_t *good)
{
	const uint64_t value = signed_number(from);
	size_t i;

	if (from->lost)
		return;
	for (i = 0; i < count; i++)
		values[i] = value;
	memset(good, 1, count);
}

static void fill_planes(
	struct salvage *from, size_t count, uint64_t *values, uint8_t *good)
{
	const uint64_t width = number(from);
	const uint64_t base = signed_number(from);
	size_t at, w, i;

	if (width == 0 || width > 8)
		from->lost = true;
	if (!step(from, (size_t)width * count, &at))
		return;
	for (i = 0; i < count; i++) {
		values[i] = base;
		good[i] = 1;
	}
	for (w = 0; w < width; w++, at += count)
		for (i = 0; i < count; i++) {
			values[i] += (uint64_t)from->bytes[at + i] << 8 * w;
			good[i] &= from->whole[at + i];
		}
}

/* Beyond the last one that is known, any value may be one. */
static void put_exceptions(
	struct salvage *from, size_t count, uint64_t *values, uint8_t *good)
{
	uint64_t left = number(from);
	size_t place = 0;

	for (; left > 0 && !from->lost; left--) {
		const uint64_t distance = number(from);
		const uint64_t value = signed_number(from);

		if (from->lost || count - 1 - place < distance) {
			from->lost = true;
			break;
		}
		place += (size_t)distance;
		values[place] = value;
		good[place] = 1;
	}
	if (from->lost)
		memset(good + place, 0, count - place);
}

/* Those that come before the values. */
static struct salvage pass_exceptions(struct salvage *from, size_t count)
{
	const struct salvage before = *from;
	uint64_t left = number(from);
	uint64_t place = 0;

	for (; left > 0 && !from->lost; left--) {
		const uint64_t distance = number(from);

		signed_number(from);
		if (count - 1 - place < distance)
			from->lost = true;
		place += distance;
	}
	return before;
}

static bool fill_delta(const struct filling *how, size_t count,
	uint64_t *values, uint8_t *good, unsigned nesting)
{
	size_t i;

	values[0] = signed_number(how->from);
	good[0] = !how->from->lost;
	if (!fill(how, count - 1, values + 1, good + 1, nesting + 1))
		return false;
	for (i = 1; i < count; i++) {
		values[i] += values[i - 1];
		good[i] &= good[i - 1];
	}
	return true;
}

static bool fill_dictionary(const struct filling *how, size_t count,
	uint64_t *values, uint8_t *good, unsigned nesting)
{
	struct salvage *from = how->from;
	const uint64_t size = number(from);
	uint64_t *known;
	size_t i;

	if (from->lost || size > from->end - from->at) {
		from->lost = true;
		return true;
	}
	known = column_store_take(from->store, (size_t)size * sizeof(*known));
	if (!known)
		return false;
	for (i = 0; i < size; i++)
		known[i] = signed_number(from);
	if (!fill(how, count, values, good, nesting + 1))
		return false;
	for (i = 0; i < count; i++) {
		good[i] &= values[i] < size;
		values[i] = good[i] ? known[values[i]] : 0;
	}
	return true;
}

static bool fill_grouped(const struct filling *how, size_t count,
	uint64_t *values, uint8_t *good, unsigned nesting)
{
	const struct salvage_groups *groups = how->groups;
	const struct filling inner = {how->from, NULL, false};
	struct salvaged_numbers grouped;
	size_t *first;
	size_t at = 0;
	size_t i;

	if (!groups || nesting != 1u + how->split) {
		how->from->lost = true;
		return true;
	}
	first = column_store_take(
		how->from->store, groups->count * sizeof(*first));
	if (!first || !take(how->from, count, &grouped))
		return false;
	for (i = 0; i < groups->count; i++) {
		const size_t messages = groups->messages[i];

		first[i] = at;
		if (count - at < messages) {
			how->from->lost = true;
			return true;
		}
		if (!fill(&inner, messages, grouped.values + at,
			    grouped.good + at, nesting + 1))
			return false;
		at += messages;
	}
	for (i = 0; i < count; i++) {
		size_t place;

		if (groups->nth[i] == SALVAGE_UNKNOWN)
			continue;
		place = first[groups->sites[i]] + groups->nth[i];
		values[i] = grouped.values[place];
		good[i] = grouped.good[place];
	}
	return true;
}

/* Phrase by phrase, from the beginning, and back from the end. */
static void put_phrases(const struct salvaged_numbers *phrases,
	const uint64_t *ends, size_t phrase_count,
	const struct salvaged_numbers *places, size_t place_count, size_t count,
	uint64_t *values, uint8_t *good)
{
	size_t left = count;
	size_t i, size, start;

	for (i = 0; i < place_count; i++) {
		const uint64_t place = places->values[i];

		if (!places->good[i] || place >= phrase_count)
			break;
		start = place > 0 ? (size_t)ends[place - 1] : 0;
		size = (size_t)ends[place] - start;
		if (size > left)
			return;
		memcpy(values + (count - left), phrases->values + start,
			size * sizeof(*values));
		memcpy(good + (count - left), phrases->good + start, size);
		left -= size;
	}
	for (; place_count > i && left > 0; place_count--) {
		const uint64_t place = places->values[place_count - 1];

		if (!places->good[place_count - 1] || place >= phrase_count)
			return;
		start = place > 0 ? (size_t)ends[place - 1] : 0;
		size = (size_t)ends[place] - start;
		if (size > left)
			return;
		count -= size;
		left -= size;
		memcpy(values + count, phrases->values + start,
			size * sizeof(*values));
		memcpy(good + count, phrases->good + start, size);
	}
}

static bool fill_phrases(const struct filling *how, size_t count,
	uint64_t *values, uint8_t *good, unsigned nesting)
{
	struct salvage *from = how->from;
	const uint64_t phrase_count = number(from);
	struct salvaged_numbers sizes, phrases, places;
	uint64_t place_count;
	uint64_t end = 0;
	size_t i;

	if (phrase_count > count)
		from->lost = true;
	if (from->lost)
		return true;
	if (!take(from, (size_t)phrase_count, &sizes) ||
		!fill(how, (size_t)phrase_count, sizes.values, sizes.good,
			nesting + 1))
		return false;
	for (i = 0; i < phrase_count && !from->lost; i++) {
		if (!sizes.good[i] || sizes.values[i] == 0 ||
			sizes.values[i] > count - end)
			from->lost = true;
		end += sizes.values[i];
		sizes.values[i] = end;
	}
	if (from->lost)
		return true;
	if (!take(from, (size_t)end, &phrases) ||
		!fill(how, (size_t)end, phrases.values, phrases.good,
			nesting + 1))
		return false;
	place_count = number(from);
	if (place_count > count)
		from->lost = true;
	if (from->lost)
		return true;
	if (!take(from, (size_t)place_count, &places) ||
		!fill(how, (size_t)place_count, places.values, places.good,
			nesting + 1))
		return false;
	put_phrases(&phrases, sizes.values, (size_t)phrase_count, &places,
		(size_t)place_count, count, values, good);
	return true;
}

static bool fill_scaled(const struct filling *how, size_t count,
	uint64_t *values, uint8_t *good, unsigned nesting)
{
	const uint64_t scale = number(how->from);
	struct salvage exceptions = pass_exceptions(how->from, count);
	size_t i;

	if (how->from->lost)
		return true;
	if (!fill(how, count, values, good, nesting + 1))
		return false;
	for (i = 0; i < count; i++)
		values[i] *= scale;
	put_exceptions(&exceptions, count, values, good);
	return true;
}

static bool fill_decimal(const struct filling *how, size_t count,
	uint64_t *values, uint8_t *good, unsigned nesting)
{
	const uint64_t exponent = number(how->from);
	struct salvage exceptions = pass_exceptions(how->from, count);
	double power;
	size_t i;

	if (exponent > POWER_OF_TEN_MAX)
		how->from->lost = true;
	if (how->from->lost)
		return true;
	if (!fill(how, count, values, good, nesting + 1))
		return false;
	power = power_of_ten((unsigned)exponent);
	for (i = 0; i < count; i++) {
		double value = (double)(int64_t)values[i] / power;

		memcpy(&values[i], &value, sizeof(value));
	}
	put_exceptions(&exceptions, count, values, good);
	return true;
}

static bool fill_split(const struct filling *how, size_t count,
	uint64_t *values, uint8_t *good, unsigned nesting)
{
	struct salvage *from = how->from;
	const struct filling inner = {from, how->groups, true};
	const uint64_t bits = number(from);
	size_t at, i, k;

	if (nesting != 1 || bits < 1 || bits > PACKED_SPLIT_MAX)
		from->lost = true;
	if (from->lost)
		return true;
	if (!fill(&inner, count, values, good, nesting + 1))
		return false;
	if (!step(from, (count * (size_t)bits + 7) / 8, &at)) {
		memset(good, 0, count);
		return true;
	}
	for (i = 0; i < count; i++) {
		const size_t first = i * (size_t)bits;
		const size_t last = first + (size_t)bits - 1;
		uint64_t low = 0;

		for (k = first / 8; k <= last / 8; k++) {
			low |= (uint64_t)from->bytes[at + k]
			       << 8 * (k - first / 8);
			good[i] &= from->whole[at + k];
		}
		low = low >> first % 8 & (((uint64_t)1 << bits) - 1);
		values[i] = values[i] << bits | low;
	}
	return true;
}

static bool fill_with(const struct filling *how, size_t count, uint64_t *values,
	uint8_t *good, unsigned nesting)
{
	struct salvage *from = how->from;
	const uint8_t kind = byte(from);

	if (from->lost)
		return true;
	switch (kind) {
	case PACKED_CONSTANT:
		fill_constant(from, count, values, good);
		return true;
	case PACKED_PLANES:
		fill_planes(from, count, values, good);
		return true;
	case PACKED_PATCHED:
		fill_planes(from, count, values, good);
		put_exceptions(from, count, values, good);
		return true;
	case PACKED_DELTA:
		return fill_delta(how, count, values, good, nesting);
	case PACKED_DICTIONARY:
		return fill_dictionary(how, count, values, good, nesting);
	case PACKED_GROUPED:
		return fill_grouped(how, count, values, good, nesting);
	case PACKED_PHRASES:
		return fill_phrases(how, count, values, good, nesting);
	case PACKED_SCALED:
		return fill_scaled(how, count, values, good, nesting);
	case PACKED_DECIMAL:
		return fill_decimal(how, count, values, good, nesting);
	case PACKED_SPLIT:
		return fill_split(how, count, values, good, nesting);
	default:
		from->lost = true;
		return true;
	}
}

/* What is taken on the way is given back.  False: no memory. */
static bool fill(const struct filling *how, size_t count, uint64_t *values,
	uint8_t *good, unsigned nesting)
{
	struct column_store_mark mark;
	bool done;

	if (nesting > PACKED_NESTING)
		how->from->lost = true;
	if (count == 0 || how->from->lost)
		return true;
	mark = column_store_mark(how->from->store);
	done = fill_with(how, count, values, good, nesting);
	column_store_return(how->from->store, mark);
	return done;
}

bool salvage_numbers(struct salvage *from, size_t count,
	const struct salvage_groups *groups, struct salvaged_numbers *into)
{
	const struct filling how = {from, groups, false};

	return take(from, count, into) &&
	       fill(&how, count, into->values, into->good, 1);
}

/*
 * Strings.
 */

static bool take_strings(
	struct salvage *from, size_t count, struct salvaged_strings *into)
{
	into->values = column_store_take(
		from->store, (count + 1) * sizeof(*into->values));
	into->good = column_store_take(from->store, count + 1);
	if (!into->values || !into->good)
		return false;
	memset(into->values, 0, (count + 1) * sizeof(*into->values));
	memset(into->good, 0, count + 1);
	return true;
}

/* `into` has room for them. */
static bool fill_plain(
	struct salvage *from, size_t count, struct salvaged_strings *into)
{
	struct salvaged_numbers sizes;
	size_t at, i;

	if (!salvage_numbers(from, count, NULL, &sizes))
		return false;
	for (i = 0; i < count; i++) {
		const uint64_t size =
			sizes.values[i] > 0 ? sizes.values[i] - 1 : 0;

		if (!sizes.good[i] || size > from->end - from->at)
			from->lost = true;
		if (!step(from, (size_t)size, &at))
			return true;
		into->good[i] = is_whole(from, at, (size_t)size);
		if (sizes.values[i] > 0)
			into->values[i] = (struct column_value){
				from->bytes + at, (size_t)size};
	}
	return true;
}

/* A number of strings, and these. */
static bool take_known(
	struct salvage *from, struct salvaged_strings *known, size_t *size)
{
	const uint64_t count = number(from);

	if (count > PACKED_MESSAGES_MAX)
		from->lost = true;
	*size = from->lost ? 0 : (size_t)count;
	return take_strings(from, *size, known) &&
	       (from->lost || fill_plain(from, *size, known));
}

static bool fill_known(struct salvage *from, size_t count,
	struct salvaged_strings *into, bool templates)
{
	struct salvaged_strings known;
	struct salvaged_numbers places;
	size_t size, i;

	if (!take_known(from, &known, &size))
		return false;
	if (from->lost)
		return true;
	if (!salvage_numbers(from, count, NULL, &places))
		return false;
	for (i = 0; i < count; i++)
		places.good[i] &= places.values[i] < size;
	if (templates)
		return column_strings_salvage(
			from, count, &known, size, &places, into);
	for (i = 0; i < count; i++) {
		if (!places.good[i])
			continue;
		into->values[i] = known.values[places.values[i]];
		into->good[i] = known.good[places.values[i]];
	}
	return true;
}

bool salvage_strings(
	struct salvage *from, size_t count, struct salvaged_strings *into)
{
	uint8_t kind;

	if (!take_strings(from, count, into))
		return false;
	kind = byte(from);
	if (from->lost)
		return true;
	switch (kind) {
	case PACKED_STRINGS_PLAIN:
		return fill_plain(from, count, into);
	case PACKED_STRINGS_DICTIONARY:
	case PACKED_STRINGS_TEMPLATES:
		return fill_known(
			from, count, into, kind == PACKED_STRINGS_TEMPLATES);
	default:
		from->lost = true;
		return true;
	}
}

bool salvage_long_doubles(
	struct salvage *from, size_t count, struct salvaged_strings *into)
{
	size_t at, i;

	if (!take_strings(from, count, into))
		return false;
	if (!step(from, count * LONG_DOUBLE_BYTES, &at))
		return true;
	for (i = 0; i < count; i++, at += LONG_DOUBLE_BYTES) {
		into->values[i] = (struct column_value){
			from->bytes + at, LONG_DOUBLE_BYTES};
		into->good[i] = is_whole(from, at, LONG_DOUBLE_BYTES);
	}
	return true;
}

/* One after the other in new memory. */
static bool join(struct salvage *from, const struct column_value *parts[4],
	struct column_value *whole)
{
	size_t size = 0;
	uint8_t *to;
	size_t i;

	for (i = 0; i < 4; i++)
		size += parts[i]->size;
	to = column_store_take(from->store, size + 1);
	if (!to)
		return false;
	*whole = (struct column_value){to, size};
	for (i = 0; i < 4; i++) {
		if (parts[i]->size > 0)
			memcpy(to, parts[i]->data, parts[i]->size);
		to += parts[i]->size;
	}
	return true;
}

static bool are_short(const struct salvaged_strings *strings, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strings->good[i] &&
			strings->values[i].size > PACKED_TEMPLATE_MAX)
			return false;
	return true;
}

/* What is between the two ends of a text.  False: nobody knows. */
static bool take_rest(
	struct salvage *from, uint8_t end, struct column_value *rest)
{
	const size_t start = from->at;

	while (byte(from) != end)
		if (from->lost)
			return false;
	*rest = (struct column_value){
		from->bytes + start, from->at - 1 - start};
	return !from->lost;
}

bool salvage_texts(struct salvage *from, struct salvage_texts *texts,
	size_t (*next)(void *closure), void *closure)
{
	uint32_t *done = column_store_take(
		from->store, (texts->column_count + 1) * sizeof(*done));
	struct salvaged_strings heads, ends;
	struct salvaged_numbers places;
	size_t head_count, i, k;
	uint8_t end;

	for (k = 0; k < texts->column_count; k++)
		if (!take_strings(from, texts->counts[k], &texts->columns[k]))
			return false;
	if (!done || !take_known(from, &heads, &head_count))
		return false;
	memset(done, 0, texts->column_count * sizeof(*done));
	if (from->lost)
		return true;
	if (!salvage_numbers(from, texts->count, NULL, &places) ||
		!take_strings(from, 2 * texts->column_count, &ends) ||
		(!from->lost &&
			!fill_plain(from, 2 * texts->column_count, &ends)))
		return false;
	if (!are_short(&heads, head_count) ||
		!are_short(&ends, 2 * texts->column_count))
		from->lost = true;
	end = byte(from);
	for (i = 0; i < texts->count && !from->lost; i++) {
		static const struct column_value none;
		struct column_value rest = none;
		const struct column_value *parts[4];
		uint64_t place = places.values[i];
		bool good;

		k = next(closure);
		if (k >= texts->column_count || done[k] == texts->counts[k])
			break;
		if (!ends.good[2 * k + 1] ||
			(ends.values[2 * k + 1].data &&
				!take_rest(from, end, &rest)))
			break;
		good = places.good[i] && place < head_count &&
		       heads.good[place] && ends.good[2 * k];
		if (good) {
			parts[0] = &heads.values[place];
			parts[1] = &ends.values[2 * k];
			parts[2] = &rest;
			parts[3] = &ends.values[2 * k + 1];
			if (!join(from, parts,
				    &texts->columns[k].values[done[k]]))
				return false;
		}
		texts->columns[k].good[done[k]++] = good;
	}
	return true;
}
