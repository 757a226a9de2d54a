/*
 * Numbers as reports show them: integers in full, what was reckoned in six
 * digits.  Used by the styles that show numbers; the text is a number of JSON,
 * too.
 */
#ifndef BASE_NUMBER_TEXT_H
#define BASE_NUMBER_TEXT_H

#include <stdbool.h>

#define NUMBER_TEXT_MAX 64

struct number_text {
	char text[NUMBER_TEXT_MAX];
};

/* A value as it was given, of doubles up to 15 digits. */
struct number_text number_text_value(long double value, bool fractional);

struct number_text number_text_rounded(long double value);

/* A part of the whole in per cent, with two decimals. */
struct number_text number_text_share(
	unsigned long long part, unsigned long long whole);

#endif
