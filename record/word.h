/*
 * Words of a text that is not ended by a NUL: letters are those of ASCII,
 * whatever the locale.  Used by all that reads a language.  Freestanding.
 */
#ifndef RECORD_WORD_H
#define RECORD_WORD_H

#include <stdbool.h>
#include <stddef.h>

static inline char word_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool word_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool word_is_letter(char c)
{
	return word_lower(c) >= 'a' && word_lower(c) <= 'z';
}

/* What names are made of. */
static inline bool word_has(char c)
{
	return word_is_letter(c) || word_is_digit(c) || c == '_';
}

/* Whether the text is `name`, which ends in NUL. */
static inline bool word_is(const char *name, const char *text, size_t bytes)
{
	size_t i = 0;

	while (i < bytes && name[i] != '\0' && name[i] == text[i])
		i++;
	return i == bytes && name[i] == '\0';
}

/* Likewise, in capital letters or not; `name` has none. */
static inline bool word_is_any_case(
	const char *name, const char *text, size_t bytes)
{
	size_t i = 0;

	while (i < bytes && name[i] != '\0' && name[i] == word_lower(text[i]))
		i++;
	return i == bytes && name[i] == '\0';
}

#endif
