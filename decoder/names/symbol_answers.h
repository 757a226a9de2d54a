/*
 * The names of addresses that a packed log has brought along: what the
 * symbolizer said where it was packed.  Filled by the reader of the log, asked
 * by places.c before any file is looked at.  Owns copies of everything;
 * bounded, whatever the log has.
 */
#ifndef DECODER_SYMBOL_ANSWERS_H
#define DECODER_SYMBOL_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pool.h"
#include "base/program.h"
#include "symbolizer/symbolizer.h"

/* More bytes of names than these are forgotten. */
#define SYMBOL_ANSWERS_BYTES_MAX ((size_t)16 << 20)

/* What was asked: symbolizer_resolve(), or symbolizer_between(). */
struct symbol_question {
	const struct program_module *module;
	uint64_t address; /* as in its ELF file; of a gap: `next` */
	bool between;	  /* and then: */
	uint64_t inside;
	uint64_t argument;
	const char *name; /* null: unknown */
};

struct symbol_answer;

/* All zeros is empty. */
struct symbol_answers {
	struct id_map known; /* struct symbol_answer, by its question */
	size_t bytes;
	struct pool pool;
};

/* False: out of memory, or there are too many; it is not kept. */
bool symbol_answers_add(struct symbol_answers *answers,
	const struct symbol_question *question,
	const struct symbolizer_frame *frames, size_t count);

/* The frames, the innermost first, and how many.  Null: nobody said. */
const struct symbolizer_frame *symbol_answers_find(
	const struct symbol_answers *answers,
	const struct symbol_question *question, size_t *count);

void symbol_answers_free(struct symbol_answers *answers);

#endif
