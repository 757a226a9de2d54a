/*
 * From addresses to what covers them most closely.  Filled by debugunit with
 * the ranges of functions and inlined calls, and asked by it.  Promises the
 * answers that binutils gives, also where ranges overlap, in logarithmic time.
 */
#ifndef SYMBOLIZER_SPANMAP_H
#define SYMBOLIZER_SPANMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPANMAP_NONE UINT32_MAX

/* Addresses from low to high that belong to `owner`. */
struct spanmap_piece {
	uint64_t low;
	uint64_t high;
	uint32_t owner;
};

/* From `low` to the next span: the innermost owner, or SPANMAP_NONE. */
struct spanmap_span {
	uint64_t low;
	uint32_t owner;
};

/* All zeros is empty. */
struct spanmap {
	uint64_t floor;	  /* what lies below is no code and not kept */
	size_t piece_max; /* more are not taken; 0: any number */
	struct spanmap_piece *pieces; /* null after spanmap_finish() */
	struct spanmap_span *spans;
	size_t piece_count, piece_room;
	size_t span_count, span_room;
	size_t open_pieces; /* where those of the present owner begin */
	uint32_t owner;
};

/* The pieces that follow belong to this one; later ones are inner ones. */
void spanmap_begin(struct spanmap *map, uint32_t owner);
/* False when out of memory, or when there are too many. */
bool spanmap_add(struct spanmap *map, uint64_t low, uint64_t high);
/* After the last of the above; false when out of memory. */
bool spanmap_finish(struct spanmap *map);
void spanmap_free(struct spanmap *map);

/* SPANMAP_NONE when nothing covers the address. */
uint32_t spanmap_at(const struct spanmap *map, uint64_t address);

#endif
