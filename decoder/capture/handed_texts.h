/*
 * The constant texts that calls hand on, which a packed log has brought along:
 * what the programs said where it was packed.  Filled by the reader of the
 * log, asked by statements.c before any program is.  Owns copies of
 * everything; bounded, whatever the log has.
 */
#ifndef DECODER_HANDED_TEXTS_H
#define DECODER_HANDED_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pool.h"
#include "base/program.h"
#include "symbolizer/symbolizer.h"

/* More bytes of texts than these are forgotten. */
#define HANDED_TEXTS_BYTES_MAX ((size_t)16 << 20)
/* Frames of a stack whose calls may have been handed a statement, the
 * innermost first. */
#define HANDED_FRAMES_MAX 24u

/* What one call hands on, as symbolizer_program_handed() tells it. */
struct handed_texts_call {
	size_t count;
	struct symbolizer_handed all[];
};

/* All zeros is empty. */
struct handed_texts {
	struct id_map calls; /* struct handed_texts_call */
	struct id_map texts; /* each once, by a hash of its bytes */
	size_t bytes;
	struct pool pool;
};

/*
 * Of the call that returns to `next`, as in the ELF file of the module.  False:
 * out of memory, or there are too many; it is not kept.
 */
bool handed_texts_add(struct handed_texts *texts,
	const struct program_module *module, uint64_t next,
	const struct symbolizer_handed *all, size_t count);

/* Null: nobody said. */
const struct handed_texts_call *handed_texts_find(
	const struct handed_texts *texts, const struct program_module *module,
	uint64_t next);

void handed_texts_free(struct handed_texts *texts);

#endif
