/*
 * How much is read of files that may be hostile: one table, limits.def.  Asked
 * by the whole decoder, set by main before anything is read; not changed
 * afterwards, and so of use to any thread.  Whoever meets a limit says so, in
 * the words of the table; a test exceeds each of them.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

/* The rows of the table; those that a switch sets come first. */
enum limit {
#define LIMIT(name, word, value, unit, what, seen) LIMIT_##name,
#define FORMAT_LIMIT(name, value, unit, what, seen) LIMIT_##name,
#define FIXED_LIMIT(name, word, value, unit, what, seen) LIMIT_##name,
#include "base/limits.def"
#undef LIMIT
#undef FORMAT_LIMIT
#undef FIXED_LIMIT
	LIMITS_ROWS
};

/* Those that nothing changes, as constants: LIMITS_NESTING and so on. */
enum limits_fixed {
#define LIMIT(name, word, value, unit, what, seen)
#define FORMAT_LIMIT(name, value, unit, what, seen)
#define FIXED_LIMIT(name, word, value, unit, what, seen) LIMITS_##name = value,
#include "base/limits.def"
#undef LIMIT
#undef FORMAT_LIMIT
#undef FIXED_LIMIT
};

/* As good as none: sums of some of them still fit. */
#define LIMITS_NONE (UINT64_MAX >> 4)

extern uint64_t limits_values[LIMITS_ROWS];

static inline uint64_t limits_of(enum limit limit)
{
	return limits_values[limit];
}

/* Of what is counted in memory. */
static inline size_t limits_size(enum limit limit)
{
	return (size_t)limits_values[limit];
}

/* Something is missing for this limit: it will be told, once.  Any thread. */
void limits_note(enum limit limit);

/* Whether this is more than may be; if so, the limit is met. */
static inline bool limits_exceeded(enum limit limit, uint64_t count)
{
	if (count <= limits_values[limit])
		return false;
	limits_note(limit);
	return true;
}

/* The same where there are so many and it is about one more. */
static inline bool limits_reached(enum limit limit, uint64_t count)
{
	return limits_exceeded(limit, count + 1);
}

/* As much of so many as may be. */
static inline size_t limits_cut(enum limit limit, size_t count)
{
	return limits_exceeded(limit, count) ? limits_size(limit) : count;
}

/* A sentence about a limit that was met and not told yet.  False: none was. */
bool limits_tell(char *sentence, size_t size);

/* Whether anything is missing for one, told or not. */
bool limits_were_met(void);

/*
 * `NAME=N`, with K, M or G behind N for the powers of 1024.  Null, or what is
 * wrong.
 */
const char *limits_set(const char *text);

/* None of those that can be set holds any more. */
void limits_lift(void);

/* Those of the process that looks for names are in force; what it may take for
 * one file, and for one question, is for its options. */
void limits_for_symbols(uint64_t *memory_bytes, unsigned *seconds);

/* All of them as they are now, one on each line. */
void limits_help(struct render_buffer *out);

#endif
