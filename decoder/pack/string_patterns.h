/*
 * What strings of a column have in common when the numbers in them are left
 * out: their patterns, which are the templates of record/packed.h, and these
 * numbers.  Found for string_templates.c.  Keeps memory only.
 */
#ifndef DECODER_STRING_PATTERNS_H
#define DECODER_STRING_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/pack/string_columns.h"

/* Strings made alike. */
struct string_pattern {
	struct string_value text; /* with slots */
	uint32_t strings;
	uint32_t numbers; /* slots */
	uint32_t place;	  /* for string_templates.c: see there; 0 at first */
	uint32_t start;
};

/* All zeros to begin with. */
struct string_patterns {
	struct string_pattern *all;
	size_t count;
	uint32_t *pattern_of; /* each string: its place in `all` */
	uint32_t *first;      /* number of each string, among: */
	uint64_t *numbers;
	size_t number_count;
	/* The rest is its own. */
	struct render_buffer text; /* of all patterns */
	size_t room;
	size_t pattern_of_room;
	size_t first_room;
	size_t number_room;
	uint64_t classes[256]; /* what a character counts as; 0: no word */
	bool hex;	       /* numbers have letters, too */
	bool failed;
};

/*
 * Looks at some of the strings: whether many have numbers, and of which kind
 * these are; to be asked before string_patterns_find().
 */
bool string_patterns_look(struct string_patterns *patterns,
	const struct string_value *strings, size_t count);

/*
 * Finds the patterns of all strings, which stay the caller's.  `table` lends
 * its hash table.  False: a string cannot have one, or no memory.
 */
bool string_patterns_find(struct string_patterns *patterns,
	struct column_write *table, const struct string_value *strings,
	size_t count);

void string_patterns_free(struct string_patterns *patterns);

#endif
