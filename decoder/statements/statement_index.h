/*
 * All statements of whole programs, and which of them a text is made of that
 * has no stack to ask: lines of a log that nobody recorded.  Filled and asked
 * by statements.c.  Promises that a text is compared with few of them, however
 * many there are: those of which four bytes, as rare as they have them, are in
 * the text.
 */
#ifndef DECODER_STATEMENT_INDEX_H
#define DECODER_STATEMENT_INDEX_H

#include "base/pack_table.h"
#include "decoder/statements/statement_format.h"

/* A call that hands on a constant; `function` is where that begins, and tells
 * the functions of all programs apart. */
struct statement_place {
	uint64_t address; /* behind the call, in the process; 0: not known */
	uint64_t function;
};

struct statement_entry {
	const struct statement_format *format;
	struct statement_place place;
	bool several;	 /* other functions hand it on, too */
	uint32_t rare;	 /* the four bytes by which it is found, */
	int32_t before;	 /* and how many are before them; -1: that varies */
	uint32_t missed; /* the last search that it was in vain in */
	void *owner;	 /* the caller's; null at first */
};

/* All zeros is an empty index. */
struct statement_index {
	struct statement_entry *entries; /* those of one text together */
	size_t count, room;
	struct pack_table known; /* texts; the ids are counted from 1 */
	uint32_t *texts;	 /* of each, the first of its entries */
	size_t text_room;
	struct pool pool;
	uint64_t *bits;	  /* which values of the hash there are */
	uint32_t *firsts; /* of each, the first in `order` */
	uint32_t *order;  /* numbers of entries */
	unsigned shift;	  /* from the hash to its value */
	uint32_t searches;
};

/*
 * Adds a constant of a program, which is copied, as every format that it can
 * be; what could be found by chance is left out.
 */
void statement_index_add(struct statement_index *index, const char *text,
	size_t bytes, const struct statement_place *place);

/* When all are added, before the first search. */
void statement_index_finish(struct statement_index *index);

struct statement_found {
	struct statement_entry *entry;
	size_t begin; /* of it in the text */
	struct statement_match match;
	bool several; /* another one, or another place, would do as well */
};

/*
 * The statement with the most plain text that the text is made of, but for
 * what may be before and behind it: the text without newlines at its end.
 * False: none.
 */
bool statement_index_find(struct statement_index *index, const char *text,
	size_t bytes, struct statement_found *found);

void statement_index_free(struct statement_index *index);

#endif
