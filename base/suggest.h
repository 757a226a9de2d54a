/*
 * The name that somebody has meant who has mistyped one.  Asked by whatever
 * complains of a name that is not there.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/*
 * How many letters have to be left out, put in, changed, or exchanged with
 * their neighbour, to make the one of the other.  Longer ones than
 * SUGGEST_LENGTH_MAX are not compared: SIZE_MAX.
 */
#define SUGGEST_LENGTH_MAX 32u
size_t suggest_distance(const char *one, const char *other);

/*
 * The one of `count` names that is nearest to the text: one letter in three may
 * be wrong, or the text is the beginning of it alone.  Null: none is near.
 */
const char *suggest_nearest(
	const char *text, const char *const *names, size_t count);

#endif
