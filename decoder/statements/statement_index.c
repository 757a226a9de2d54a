#include "decoder/statements/statement_index.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decoder/statements/line_parts.h"

/* Bytes by which a statement is found. */
#define RARE_BYTES 4u
/* One that has less of it may be anything. */
#define LETTERS_MIN 2u
#define PLAIN_MIN 3u
/* Statements that a text is compared with, and places in it for each. */
#define ATTEMPTS_MAX 256u
#define COUNTS ((size_t)1 << 16)
#define BITS_MIN 10u
#define BITS_MAX 20u

static uint32_t rare_at(const char *text)
{
	uint32_t rare;

	memcpy(&rare, text, sizeof(rare));
	return rare;
}

/* Its best bits are the upper ones. */
static uint32_t hash_of(uint32_t rare)
{
	return rare * 0x9e3779b1u;
}

/*
 * Filling it.
 */

static bool says_enough(const struct statement_format *format)
{
	return format->letters >= LETTERS_MIN && format->plain >= PLAIN_MIN;
}

static void add_entry(struct statement_index *index, const char *text,
	size_t bytes, enum statement_formatter formatter,
	const struct statement_place *place)
{
	const struct statement_format *format =
		statement_format_new(text, bytes, formatter, &index->pool);

	if (format && says_enough(format) &&
		array_reserve(index->entries, index->room, index->count + 1))
		index->entries[index->count++] = (struct statement_entry){
			.format = format, .place = *place};
}

/* What is known of it is also where it is. */
static void add_place(struct statement_index *index, uint32_t id,
	const struct statement_place *place)
{
	const size_t end =
		id < index->known.count ? index->texts[id] : index->count;
	size_t i;

	if (place->address == 0)
		return;
	for (i = index->texts[id - 1]; i < end; i++) {
		struct statement_entry *entry = &index->entries[i];

		if (entry->place.address == 0)
			entry->place = *place;
		entry->several |= entry->place.function != place->function;
	}
}

void statement_index_add(struct statement_index *index, const char *text,
	size_t bytes, const struct statement_place *place)
{
	const struct pack_entry *known;
	enum statement_formatter formatter;

	if (bytes < RARE_BYTES || !array_reserve(index->texts, index->text_room,
					  index->known.count + 1))
		return;
	known = pack_table_find(&index->known, text, bytes);
	if (known) {
		add_place(index, known->id, place);
		return;
	}
	if (!pack_table_intern(&index->known, text, bytes))
		return;
	index->texts[index->known.count - 1] = (uint32_t)index->count;
	for (formatter = STATEMENT_PRINTF; formatter < STATEMENT_FORMATTERS;
		formatter++)
		add_entry(index, text, bytes, formatter, place);
}

/* Digits and blanks are in every line. */
static unsigned cost_of(const char *text)
{
	unsigned cost = 0;
	size_t i;

	for (i = 0; i < RARE_BYTES; i++)
		cost += !isalpha((unsigned char)text[i]);
	return cost > 2 ? 1000 * cost : cost;
}

static void count_all(const struct statement_index *index, uint16_t *counts)
{
	size_t i, k, at;

	for (i = 0; i < index->count; i++) {
		const struct statement_format *format =
			index->entries[i].format;

		for (k = 0; k < format->count; k++) {
			const struct statement_piece *piece =
				&format->pieces[k];

			if (piece->kind != STATEMENT_PLAIN)
				continue;
			for (at = 0; at + RARE_BYTES <= piece->bytes; at++) {
				uint16_t *count =
					&counts[hash_of(rare_at(
							piece->text + at)) >>
						16];

				*count += *count < UINT16_MAX;
			}
		}
	}
}

/* False: it has no four bytes in one piece. */
static bool choose_rare(struct statement_entry *entry, const uint16_t *counts)
{
	const struct statement_format *format = entry->format;
	unsigned best = UINT32_MAX;
	int32_t before = 0;
	size_t k, at;

	for (k = 0; k < format->count; k++) {
		const struct statement_piece *piece = &format->pieces[k];

		if (piece->kind != STATEMENT_PLAIN) {
			before = -1;
			continue;
		}
		for (at = 0; at + RARE_BYTES <= piece->bytes; at++) {
			uint32_t rare = rare_at(piece->text + at);
			unsigned cost = cost_of(piece->text + at) +
					4u * counts[hash_of(rare) >> 16];

			if (cost >= best)
				continue;
			best = cost;
			entry->rare = rare;
			entry->before = before < 0 ? -1 : before + (int32_t)at;
		}
		if (before >= 0)
			before += (int32_t)piece->bytes;
	}
	return best != UINT32_MAX;
}

static uint32_t value_of(const struct statement_index *index, uint32_t rare)
{
	return hash_of(rare) >> index->shift;
}

static bool make_tables(struct statement_index *index)
{
	unsigned bits = BITS_MIN;

	while (bits < BITS_MAX && ((size_t)1 << bits) < index->count * 16)
		bits++;
	index->shift = 32 - bits;
	index->bits = calloc(((size_t)1 << bits) / 64, sizeof(*index->bits));
	index->firsts = calloc(((size_t)1 << bits) + 1, sizeof(*index->firsts));
	index->order = calloc(index->count + 1, sizeof(*index->order));
	return index->bits && index->firsts && index->order;
}

/* Entries in the order of their values; `found` says which are in it. */
static void sort(struct statement_index *index, const bool *found)
{
	const size_t values = (size_t)1 << (32 - index->shift);
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < index->count; i++) {
		const uint32_t value = value_of(index, index->entries[i].rare);

		if (!found[i])
			continue;
		index->firsts[value]++;
		index->bits[value / 64] |= (uint64_t)1 << value % 64;
	}
	for (i = 0; i <= values; i++) {
		sum += index->firsts[i];
		index->firsts[i] = sum;
	}
	for (i = index->count; i > 0; i--)
		if (found[i - 1])
			index->order[--index->firsts[value_of(
				index, index->entries[i - 1].rare)]] =
				(uint32_t)(i - 1);
}

void statement_index_finish(struct statement_index *index)
{
	uint16_t *counts = calloc(COUNTS, sizeof(*counts));
	bool *found = calloc(index->count + 1, sizeof(*found));
	size_t i;

	pack_table_free(&index->known);
	if (counts && found && make_tables(index)) {
		count_all(index, counts);
		for (i = 0; i < index->count; i++)
			found[i] = choose_rare(&index->entries[i], counts);
		sort(index, found);
	} else {
		index->count = 0;
	}
	free(counts);
	free(found);
}

void statement_index_free(struct statement_index *index)
{
	pack_table_free(&index->known);
	pool_free(&index->pool);
	free(index->texts);
	free(index->entries);
	free(index->bits);
	free(index->firsts);
	free(index->order);
	*index = (struct statement_index){0};
}

/*
 * Asking it.
 */

/* Where in the text a statement may begin: ascending. */
struct places {
	size_t all[2 * LINE_PARTS_MAX];
	size_t count;
};

static size_t word_at(const char *text, size_t bytes, size_t at)
{
	size_t from = at;

	while (at < bytes &&
		(isalnum((unsigned char)text[at]) ||
			strchr("_-./", text[at])) &&
		text[at] != '\0')
		at++;
	return at - from;
}

/* `host ident[12]: `, behind the time of a line of syslog; else `at`. */
static size_t skip_host(const char *text, size_t bytes, size_t at)
{
	size_t word = word_at(text, bytes, at);
	const size_t from = at;

	if (at == 0 || word == 0 || at + word >= bytes ||
		text[at + word] != ' ')
		return from;
	at += word + 1;
	word = word_at(text, bytes, at);
	at += word;
	if (word > 0 && at < bytes && text[at] == '[')
		at += word_at(text, bytes, at + 1) + 2;
	return word > 0 && at < bytes && text[at] == ':' ? at + 1 : from;
}

static void list_places(struct places *places, const char *text, size_t bytes)
{
	size_t last, behind;

	places->count = line_parts_begins(text, bytes, 0, places->all);
	last = places->all[places->count - 1];
	behind = skip_host(text, bytes, last);
	if (behind > last)
		places->count += line_parts_begins(
			text, bytes, behind, places->all + places->count);
}

static bool is_place(const struct places *places, size_t at)
{
	size_t i;

	for (i = 0; i < places->count; i++)
		if (places->all[i] == at)
			return true;
	return false;
}

struct search {
	const char *text;
	size_t bytes;
	struct places places;
	struct statement_pairs pairs;
	uint32_t number;
	unsigned attempts;
	struct statement_found *found;
};

/* Nothing follows, or something may: of what is no sentence, and where a
 * statement may begin, nothing. */
static bool may_end(const struct search *search,
	const struct statement_format *format, size_t end)
{
	return end == search->bytes ||
	       ((format->spaced || format->directives > 0) &&
		       !is_place(&search->places, end));
}

static bool compare(struct search *search,
	const struct statement_format *format, size_t from,
	struct statement_match *match)
{
	if (search->attempts == 0)
		return false;
	search->attempts--;
	return statement_format_matches(format, search->text, search->bytes,
		from, line_parts_ends, match);
}

static bool matches_at(struct search *search,
	const struct statement_format *format, size_t from,
	struct statement_match *match)
{
	return compare(search, format, from, match) &&
	       may_end(search, format, match->end);
}

/* The latest place where it matches: what is before may be a prefix. */
static bool matches(struct search *search, struct statement_entry *entry,
	size_t at, struct statement_match *match, size_t *begin)
{
	size_t i;

	if (entry->before >= 0) {
		if (at < (size_t)entry->before)
			return false;
		*begin = at - (size_t)entry->before;
		return is_place(&search->places, *begin) &&
		       matches_at(search, entry->format, *begin, match);
	}
	/* what begins with a text matches at the first place, if anywhere */
	if (entry->format->pieces[0].kind == STATEMENT_STRING &&
		(entry->missed == search->number ||
			!compare(search, entry->format, search->places.all[0],
				match))) {
		entry->missed = search->number;
		return false;
	}
	for (i = search->places.count; i > 0; i--) {
		*begin = search->places.all[i - 1];
		if (*begin <= at &&
			matches_at(search, entry->format, *begin, match))
			return true;
	}
	return false;
}

/* One text may be a format of several formatters. */
static bool is_same_text(
	const struct statement_entry *a, const struct statement_entry *b)
{
	return a->format->bytes == b->format->bytes &&
	       memcmp(a->format->text, b->format->text, a->format->bytes) == 0;
}

static void try(struct search *search, struct statement_entry *entry, size_t at)
{
	struct statement_found *found = search->found;
	const struct statement_entry *best = found->entry;
	struct statement_match match;
	size_t begin;

	if (entry == best ||
		!statement_format_may_match(entry->format, &search->pairs) ||
		(best && entry->format->plain < best->format->plain) ||
		!matches(search, entry, at, &match, &begin))
		return;
	if (best && entry->format->plain == best->format->plain) {
		found->several |= !is_same_text(entry, best);
		/* which one it is does not depend on the text before */
		if (entry > best)
			return;
	} else {
		found->several = false;
	}
	found->entry = entry;
	found->begin = begin;
	found->match = match;
}

bool statement_index_find(struct statement_index *index, const char *text,
	size_t bytes, struct statement_found *found)
{
	struct search search;
	size_t at;

	found->entry = NULL;
	found->several = false;
	if (index->count == 0 || bytes < RARE_BYTES)
		return false;
	search.text = text;
	search.bytes = bytes;
	search.places.count = 0;
	search.number = ++index->searches;
	search.attempts = ATTEMPTS_MAX;
	search.found = found;
	for (at = 0; at + RARE_BYTES <= bytes; at++) {
		const uint32_t rare = rare_at(text + at);
		const uint32_t value = value_of(index, rare);
		uint32_t i;

		if (!(index->bits[value / 64] >> value % 64 & 1))
			continue;
		if (search.places.count == 0) {
			list_places(&search.places, text, bytes);
			search.pairs = (struct statement_pairs){0};
			statement_pairs_add(&search.pairs, text, bytes);
		}
		for (i = index->firsts[value]; i < index->firsts[value + 1];
			i++)
			if (index->entries[index->order[i]].rare == rare)
				try(&search, &index->entries[index->order[i]],
					at);
	}
	if (found->entry)
		found->several |= found->entry->several;
	return found->entry;
}
