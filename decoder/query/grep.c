#include "decoder/query/grep.h"

#include <ctype.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grep {
	bool folds; /* case does not matter */
	char *needle;
	size_t bytes;
	regex_t *regex; /* null: the needle is all */
};

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Where the set that begins at `at` ends, as in `[]a[:digit:]]`. */
static const char *skip_set(const char *at)
{
	at++;
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']') {
		const char ends[] = {at[1], ']', '\0'};
		bool named = *at == '[' && at[1] && strchr(":.=", at[1]);
		const char *end = named && at[2] ? strstr(at + 3, ends) : NULL;

		at = end ? end + 2 : at + 1;
	}
	return *at ? at + 1 : at;
}

/* Where the group that begins at `at` ends. */
static const char *skip_group(const char *at)
{
	size_t depth = 0;

	while (*at) {
		if (*at == '[') {
			at = skip_set(at);
			continue;
		}
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			return at + 1;
		at++;
	}
	return at;
}

/* Outside of groups: then nothing has to be there. */
static bool has_choice(const char *at)
{
	while (*at && *at != '|') {
		if (*at == '[')
			at = skip_set(at);
		else if (*at == '(')
			at = skip_group(at);
		else
			at += *at == '\\' && at[1] ? 2 : 1;
	}
	return *at == '|';
}

/* Repetitions of what is before, one after the other. */
static const char *skip_repetitions(const char *at)
{
	while (*at && strchr("*+?{", *at)) {
		if (*at == '{')
			at += strcspn(at, "}");
		at += *at != '\0';
	}
	return at;
}

/* A byte that stands for itself, or 0; *at goes past what stands there. */
static char take_plain(const char **at)
{
	const char *here = *at;

	switch (*here) {
	case '[':
		*at = skip_set(here);
		return 0;
	case '(':
		*at = skip_group(here);
		return 0;
	case '{':
		*at = skip_repetitions(here);
		return 0;
	case '\\':
		*at += here[1] ? 2 : 1;
		return ispunct((unsigned char)here[1]) &&
				       !strchr("<>`'", here[1])
			       ? here[1]
			       : 0;
	case '.':
	case '^':
	case '$':
	case '*':
	case '+':
	case '?':
	case '}':
	case ')':
		++*at;
		return 0;
	}
	return *(*at)++;
}

/*
 * The longest run of bytes that every match has to contain, into the needle.
 * True: it is the whole pattern.
 */
static bool find_needle(struct grep *grep, const char *pattern)
{
	size_t length = strlen(pattern);
	char *run = calloc(1, length + 1);
	const char *at = pattern;
	size_t run_bytes = 0;
	bool plain = true;

	if (!run || has_choice(pattern)) {
		free(run);
		return false;
	}
	while (*at) {
		char c = take_plain(&at);
		bool repeated = *at && strchr("*+?{", *at);

		if (c && !repeated)
			run[run_bytes++] = grep->folds ? fold(c) : c;
		if (run_bytes > grep->bytes) {
			memcpy(grep->needle, run, run_bytes);
			grep->bytes = run_bytes;
		}
		if (!c || repeated) {
			run_bytes = 0;
			plain = false;
			at = skip_repetitions(at);
		}
	}
	free(run);
	return plain;
}

static bool compile(
	struct grep *grep, const char *pattern, char *problem, size_t size)
{
	int flags = REG_EXTENDED | REG_NEWLINE | REG_NOSUB |
		    (grep->folds ? REG_ICASE : 0);
	char reason[128];
	int error;

	grep->regex = calloc(1, sizeof(*grep->regex));
	if (!grep->regex)
		return false;
	error = regcomp(grep->regex, pattern, flags);
	if (error == 0)
		return true;
	regerror(error, grep->regex, reason, sizeof(reason));
	snprintf(problem, size,
		"not a regular expression (%s): put \\ before what stands for "
		"itself",
		reason);
	return false;
}

/* Small letters, which stand for both cases. */
static bool has_letters_of_one_case(const char *pattern)
{
	bool any = false;

	for (; *pattern; pattern++) {
		if (isupper((unsigned char)*pattern))
			return false;
		any = any || islower((unsigned char)*pattern);
	}
	return any;
}

struct grep *grep_new(const char *pattern, char *problem, size_t size)
{
	struct grep *grep = calloc(1, sizeof(*grep));

	snprintf(problem, size, "out of memory: try without");
	if (!grep)
		return NULL;
	grep->needle = calloc(1, strlen(pattern) + 1);
	grep->folds = has_letters_of_one_case(pattern);
	if (grep->needle && (find_needle(grep, pattern) ||
				    compile(grep, pattern, problem, size)))
		return grep;
	free(grep->regex);
	free(grep->needle);
	free(grep);
	return NULL;
}

void grep_free(struct grep *grep)
{
	if (!grep)
		return;
	if (grep->regex)
		regfree(grep->regex);
	free(grep->regex);
	free(grep->needle);
	free(grep);
}

/* The next of both cases of a byte, or null. */
static const char *find_byte(const char *text, const char *end, char c)
{
	size_t left = (size_t)(end - text);
	const char *small = memchr(text, c, left);
	const char *capital;

	if (c < 'a' || c > 'z')
		return small;
	capital = memchr(
		text, c - 'a' + 'A', small ? (size_t)(small - text) : left);
	return capital ? capital : small;
}

static bool contains_folded(
	const struct grep *grep, const char *text, const char *end)
{
	size_t i;

	while ((size_t)(end - text) >= grep->bytes &&
		(text = find_byte(text, end, grep->needle[0]))) {
		if ((size_t)(end - text) < grep->bytes)
			return false;
		for (i = 1; i < grep->bytes; i++)
			if (fold(text[i]) != grep->needle[i])
				break;
		if (i == grep->bytes)
			return true;
		text++;
	}
	return false;
}

bool grep_may_find(const struct grep *grep, const char *text, size_t bytes)
{
	if (grep->bytes == 0)
		return true;
	if (bytes == 0)
		return false;
	if (!grep->folds)
		return memmem(text, bytes, grep->needle, grep->bytes);
	return contains_folded(grep, text, text + bytes);
}

bool grep_finds(const struct grep *grep, const char *text, size_t bytes)
{
	regoff_t length = bytes > INT_MAX ? INT_MAX : (regoff_t)bytes;

	if (bytes == 0)
		text = "";
	if (!grep_may_find(grep, text, bytes))
		return false;
	return !grep->regex ||
	       re_search(grep->regex, text, length, 0, length, NULL) >= 0;
}

const char *grep_needle(
	const struct grep *grep, size_t *bytes, bool *folds, bool *whole)
{
	*bytes = grep->bytes;
	*folds = grep->folds;
	*whole = !grep->regex;
	return grep->bytes > 0 ? grep->needle : NULL;
}
