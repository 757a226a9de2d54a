/*
 * The places that call, each with a number: the same for all threads and
 * processes of a program.  Used by exports that have a table of them; holds
 * boundedly many.
 */
#ifndef DECODER_SITE_TABLE_H
#define DECODER_SITE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pool.h"
#include "decoder/capture/message.h"

/* All that calls from one place with one format and arguments of one type. */
struct site {
	uint32_t number;    /* from 1, as they were met */
	uint16_t text;	    /* enum binlog_text */
	const char *module; /* last part of its path; null: not known */
	uint64_t offset;    /* in it, or in the process */
	const char *format; /* null: there is none */
	size_t format_bytes;
	const char *function; /* of libc; null: not known */
	uint64_t types;	      /* a hash of those of the arguments */
	uint64_t calls;	      /* this and the next are the user's: 0 at first */
	uint64_t names;
	void *own;
	struct site *collides;
};

/* All zeros is empty. */
struct site_table {
	struct id_map map; /* of hashes */
	struct pool pool;
	struct site **sites; /* by number, less 1 */
	size_t count;
	size_t room;
	size_t most; /* no more than these are added */
	bool failed; /* out of memory */
};

/*
 * That of the message; lasts as long as the table.  Null: it is not in the
 * table and cannot be added, see `most` and `failed`.
 */
struct site *site_table_find(
	struct site_table *table, const struct message *message);

void site_table_free(struct site_table *table);

#endif
