#include "rules/rule_tree.h"

#include "record/word.h"
#include "rules/glob_set.h"

/*
 * Globs of rules, tried on one site after the other.  What all texts that a
 * glob matches have in common is noted once, so that most of them are known
 * not to match at a glance.  Called by the parser and by rules_decide().
 * Freestanding; points into the text of the rules.
 */

/* What a word is looked for by: the sum of its bytes, each with a weight. */
#define WEIGHT 0x100000001b3u

/* Of a pair of bytes, in capital letters or not. */
static uint16_t mark_of(char first, char second)
{
	unsigned a = (unsigned char)word_lower(first);
	unsigned b = (unsigned char)word_lower(second);

	return (uint16_t)((a * 37 + b * 11 + (b >> 4)) % RULE_GLOB_BITS);
}

/* The last ones: texts begin alike more often than they end alike. */
static void add_mark(struct rule_glob *glob, uint16_t mark)
{
	for (int i = RULE_GLOB_MARKS - 1; i > 0; i--)
		glob->marks[i] = glob->marks[i - 1];
	glob->marks[0] = mark;
}

static void begin(struct rule_glob *glob, const char *text, size_t bytes)
{
	glob->text = text;
	glob->bytes = (uint16_t)bytes;
	for (int i = 0; i < RULE_GLOB_MARKS; i++)
		glob->marks[i] = RULE_GLOB_BITS;
}

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

/* Whether it is a character that all texts contain as it is. */
static bool is_plain(const char *text, size_t i)
{
	return !is_special(text[i]) &&
	       (i == 0 || (text[i - 1] != '\\' &&
				  (text[i] != '/' || text[i - 1] != '*')));
}

bool rule_glob_set(struct rule_glob *glob, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	const char *after;
	bool ignored;

	begin(glob, text, bytes);
	for (size_t i = 0; i < bytes; i += (size_t)(after - (text + i))) {
		after = text + i + 1;
		if (text[i] == '[')
			after = glob_set_has(after, end, 0, &ignored);
		else if (text[i] == '\\' && i + 1 < bytes)
			after++;
		else if (i + 1 < bytes && is_plain(text, i) &&
			 is_plain(text, i + 1))
			add_mark(glob, mark_of(text[i], text[i + 1]));
		if (!after)
			return false;
	}
	return true;
}

void rule_glob_set_word(struct rule_glob *glob, const char *text, size_t bytes)
{
	begin(glob, text, bytes);
	for (size_t i = 0; i + 1 < bytes; i++)
		add_mark(glob, mark_of(text[i], text[i + 1]));
}

void rule_glob_set_text(
	struct rule_text *text, const char *string, size_t bytes)
{
	*text = (struct rule_text){.text = string, .bytes = bytes};
	for (size_t i = 0; i + 1 < bytes; i++) {
		uint16_t mark = mark_of(string[i], string[i + 1]);

		text->marks[mark / 64] |= 1ull << (mark % 64);
	}
}

/* After the character of the glob that one byte has to match. */
static const char *after_one(
	const char *glob, const char *end, char c, bool *matches)
{
	const char *after;

	*matches = true;
	if (*glob == '?')
		return glob + 1;
	if (*glob == '[') {
		after = glob_set_has(glob + 1, end, (unsigned char)c, matches);
		if (after)
			return after;
	}
	if (*glob == '\\' && end - glob > 1) {
		glob++;
		*matches = c == (*glob == 'n'	       ? '\n'
					: *glob == 't' ? '\t'
						       : *glob);
	} else {
		*matches = c == *glob;
	}
	return glob + 1;
}

/* What is between two stars. */
struct part {
	const char *text;
	const char *end;
	size_t bytes; /* that it matches */
	bool plain;
};

static struct part take_part(const char *glob, const char *end)
{
	struct part part = {.text = glob, .plain = true};
	bool ignored;

	while (glob < end && *glob != '*') {
		part.plain = part.plain && !is_special(*glob);
		glob = after_one(glob, end, '\0', &ignored);
		part.bytes++;
	}
	part.end = glob;
	return part;
}

static bool matches_here(const struct part *part, const char *text)
{
	const char *glob = part->text;
	bool matches = true;

	while (glob < part->end && matches)
		glob = after_one(glob, part->end, *text++, &matches);
	return matches;
}

/* Looked at in detail only where the sum is right, which hardly ever errs. */
static const char *find_plain(
	const struct part *part, const char *text, const char *end)
{
	uint64_t wanted = 0, sum = 0, weight = 1;

	for (size_t i = 0; i < part->bytes; i++) {
		wanted = wanted * WEIGHT + (unsigned char)part->text[i];
		sum = sum * WEIGHT + (unsigned char)text[i];
		weight *= WEIGHT;
	}
	for (;; text++) {
		if (sum == wanted && matches_here(part, text))
			return text;
		if ((size_t)(end - text) <= part->bytes)
			return NULL;
		sum = sum * WEIGHT + (unsigned char)text[part->bytes] -
		      weight * (unsigned char)*text;
	}
}

static const char *find(
	const struct part *part, const char *text, const char *end)
{
	if ((size_t)(end - text) < part->bytes)
		return NULL;
	if (part->plain)
		return find_plain(part, text, end);
	for (; (size_t)(end - text) >= part->bytes; text++)
		if (matches_here(part, text))
			return text;
	return NULL;
}

bool rule_glob_matches(
	const struct rule_glob *glob, const char *text, size_t bytes)
{
	const char *end = glob->text + glob->bytes;
	const char *text_end = text + bytes;
	struct part part = take_part(glob->text, end);

	if (bytes < part.bytes || !matches_here(&part, text))
		return false;
	if (part.end == end)
		return bytes == part.bytes;
	for (text += part.bytes;; text += part.bytes) {
		part = take_part(part.end + 1, end);
		if (part.end == end)
			break;
		text = find(&part, text, text_end);
		if (!text)
			return false;
	}
	return (size_t)(text_end - text) >= part.bytes &&
	       matches_here(&part, text_end - part.bytes);
}
