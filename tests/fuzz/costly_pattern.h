/*
 * A pattern for which regcomp(3) takes any time and memory: repetitions of
 * repetitions, or many times.  Who types one waits for it; targets pass it over.
 */
#ifndef TESTS_FUZZ_COSTLY_PATTERN_H
#define TESTS_FUZZ_COSTLY_PATTERN_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static inline bool pattern_is_costly(const char *pattern)
{
	unsigned repetitions = 0;
	unsigned digits = 0;
	bool counts = false;

	for (; *pattern; pattern++) {
		repetitions += strchr("*+?{", *pattern) != NULL;
		counts = counts || *pattern == '{';
		digits = isdigit((unsigned char)*pattern) ? digits + 1 : 0;
		if (repetitions > 4 || (counts && digits > 2))
			return true;
	}
	return false;
}

#endif
