/*
 * Sets in globs: `[a-z]`, `[!a-z]`.  Used by all matchers.  Freestanding.
 */
#ifndef RULES_GLOB_SET_H
#define RULES_GLOB_SET_H

#include <stdbool.h>
#include <stddef.h>

/* One character of a set, which a backslash may protect. */
static inline unsigned char glob_set_take(const char **at, const char *end)
{
	if (**at == '\\' && end - *at > 1)
		++*at;
	return (unsigned char)*(*at)++;
}

/*
 * The set at `at`, after its '['.  Where it ends, or null if it does not; then
 * the '[' is an ordinary character.
 */
static inline const char *glob_set_has(
	const char *at, const char *end, unsigned char c, bool *has)
{
	bool negated = at < end && (*at == '!' || *at == '^');
	const char *first = at += negated;
	bool found = false;

	while (at < end && (*at != ']' || at == first)) {
		unsigned char low = glob_set_take(&at, end);
		unsigned char high = low;

		if (end - at > 1 && *at == '-' && at[1] != ']') {
			at++;
			high = glob_set_take(&at, end);
		}
		found |= low <= c && c <= high;
	}
	*has = found != negated;
	return at < end ? at + 1 : NULL;
}

#endif
