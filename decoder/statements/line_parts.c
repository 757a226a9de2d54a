#include "decoder/statements/line_parts.h"

#include <ctype.h>
#include <string.h>

/* In brackets, and as a word before a colon. */
#define GROUP_MAX 96u
#define WORD_MAX 64u

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (c != '\0' && strchr("_-./@+", c));
}

static size_t word_at(const char *text, size_t bytes, size_t at)
{
	size_t from = at;

	while (at < bytes && is_word(text[at]))
		at++;
	return at - from;
}

/* `[...]`, `(...)`, `<...>`; the offset behind it, or 0. */
static size_t group_at(const char *text, size_t bytes, size_t at)
{
	static const char pairs[] = "[](){}<>";
	const char *open =
		at < bytes && text[at] ? strchr(pairs, text[at]) : NULL;
	size_t depth = 0;
	size_t end;

	if (!open || (open - pairs) % 2 != 0)
		return 0;
	for (end = at; end < bytes && end - at < GROUP_MAX; end++) {
		depth += text[end] == open[0];
		depth -= text[end] == open[1];
		if (depth == 0)
			return end + 1;
	}
	return 0;
}

static bool is_one_of(const char *word, size_t bytes, const char *list)
{
	const char *at = list;

	while (*at) {
		size_t length = strcspn(at, " ");

		if (length == bytes && strncasecmp(at, word, bytes) == 0)
			return true;
		at += length + (at[length] == ' ');
	}
	return false;
}

/* Words that stand before a text without a colon. */
static bool is_usual(const char *word, size_t bytes)
{
	return is_one_of(word, bytes,
		"jan feb mar apr may jun jul aug sep oct nov dec mon tue wed "
		"thu fri sat sun utc gmt cet cest est edt pst pdt cst cdt mst "
		"jst ist msk am pm emerg alert crit critical fatal panic error "
		"err warn warning notice info debug trace verbose");
}

/* A date, a time, a number, with what is joined to it: `1234:M`, `0x7f`. */
static size_t number_at(const char *text, size_t bytes, size_t at)
{
	size_t from = at;

	if (at >= bytes || !isdigit((unsigned char)text[at]))
		return 0;
	while (at < bytes &&
		(isalnum((unsigned char)text[at]) ||
			(text[at] != '\0' && strchr(":./,+#-_", text[at]))))
		at++;
	return at - from;
}

/* The offset behind one token of a prefix that begins at `at`, or 0. */
static size_t token_at(const char *text, size_t bytes, size_t at)
{
	size_t end = group_at(text, bytes, at);
	size_t word;

	if (end)
		return end < bytes && text[end] == ':' ? end + 1 : end;
	word = number_at(text, bytes, at);
	if (word)
		return at + word;
	/* a mark of a level, or of a connection: `*12` */
	if (text[at] != '\0' && strchr("*#.-+!>|=<", text[at])) {
		word = number_at(text, bytes, at + 1);
		if (word || (at + 1 < bytes && text[at + 1] == ' '))
			return at + 1 + word;
		return 0;
	}
	word = word_at(text, bytes, at);
	if (word == 0 || word > WORD_MAX)
		return 0;
	end = group_at(text, bytes, at + word);
	if (end && end < bytes && (text[end] == ':' || text[end] == ' '))
		return end + 1;
	if (at + word < bytes && text[at + word] == ':' &&
		at + word + 1 < bytes && text[at + word + 1] != '/')
		return at + word + 1;
	if (at + word < bytes && text[at + word] == ' ' &&
		(word == 1 || is_usual(text + at, word)))
		return at + word;
	return 0;
}

size_t line_parts_begins(const char *text, size_t bytes, size_t from,
	size_t begins[LINE_PARTS_MAX])
{
	size_t count = 0;
	size_t at = from;

	begins[count++] = at;
	while (count < LINE_PARTS_MAX && at < bytes) {
		size_t end = text[at] == ' ' || text[at] == '\t'
				     ? at + 1
				     : token_at(text, bytes, at);

		if (end <= at)
			break;
		at = end;
		begins[count++] = at;
	}
	return count;
}

bool line_parts_ends(const char *text, size_t bytes, size_t at)
{
	static const char *const ways[] = {
		", ", " (", ": ", " [", "; ", " at "};
	size_t i;

	/* `status: ` and whatever it is */
	if (at >= 2 && memcmp(text + at - 2, ": ", 2) == 0)
		return true;
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (bytes - at > strlen(ways[i]) &&
			memcmp(text + at, ways[i], strlen(ways[i])) == 0)
			return true;
	return false;
}

size_t line_parts_chomp(const char *text, size_t bytes)
{
	while (bytes > 0 &&
		(text[bytes - 1] == '\n' || text[bytes - 1] == '\r'))
		bytes--;
	return bytes;
}
