/*
 * How much is read of files that may be hostile: one table, limits.def.  Asked
 * by the whole decoder, set by main before anything is read; not changed
 * afterwards, and so of use to any thread.  Whoever meets a limit says so, in
 * the words of the table; a test exceeds each of them.
 */
#ifndef DECODER_LIMITS_H
#define DECODER_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/render_buffer.h"

/* Those that a switch sets: LIMIT_PADDING and so on. */
enum limit {
#define LIMIT(name, word, value, unit, what, seen) LIMIT_##name,
#define FORMAT_LIMIT(name, value, unit, what, seen)
#define FIXED_LIMIT(name, word, value, unit, what, seen)
#include "decoder/limits.def"
#undef LIMIT
#undef FORMAT_LIMIT
#undef FIXED_LIMIT
	LIMITS_SET
};

/* Those that nothing changes: LIMITS_NESTING and so on. */
enum limits_fixed {
#define LIMIT(name, word, value, unit, what, seen)
#define FORMAT_LIMIT(name, value, unit, what, seen)
#define FIXED_LIMIT(name, word, value, unit, what, seen) LIMITS_##name = value,
#include "decoder/limits.def"
#undef LIMIT
#undef FORMAT_LIMIT
#undef FIXED_LIMIT
};

/* As good as none: sums of some of them still fit. */
#define LIMITS_NONE (UINT64_MAX >> 4)

extern uint64_t limits_values[LIMITS_SET];

static inline uint64_t limits_of(enum limit limit)
{
	return limits_values[limit];
}

/* Of what is counted in memory. */
static inline size_t limits_size(enum limit limit)
{
	return (size_t)limits_values[limit];
}

/*
 * `NAME=N`, with K, M or G behind N for the powers of 1024.  Null, or what is
 * wrong.
 */
const char *limits_set(const char *text);

/* None of those that can be set holds any more. */
void limits_lift(void);

/* Those of the process that looks for names become part of *options. */
struct symbolizer_options;
void limits_for_symbols(struct symbolizer_options *options);

/* All of them as they are now, one on each line. */
void limits_help(struct render_buffer *out);

#endif
