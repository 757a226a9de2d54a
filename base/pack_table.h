/*
 * Definitions of one kind in a packed log: each content once, with the id that
 * it has there.  Used by pack_define.c.  The hash has a random seed, so no
 * capture can make it slow.
 */
#ifndef BASE_PACK_TABLE_H
#define BASE_PACK_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct pack_entry {
	uint64_t hash;
	uint32_t id;	/* from 1 */
	uint32_t size;	/* of the content, bytes */
	uint32_t part;	/* that it was written in last; 0: in none */
	uint32_t batch; /* that it was used in last; 0: in none */
	uint32_t place; /* in the index of that one */
	uint32_t count; /* of its messages there */
	uint64_t content[];
};

/* All zeros is an empty table. */
struct pack_table {
	struct pack_entry **slots;
	size_t mask;		     /* slots - 1, a power of two minus 1 */
	struct pack_entry **entries; /* by id - 1 */
	size_t room;
	uint32_t count;
	size_t bytes; /* of all memory */
};

/*
 * The entry with this content, of which the table keeps a copy; a new one has
 * the next id.  Null: out of memory.
 */
struct pack_entry *pack_table_intern(
	struct pack_table *table, const void *content, size_t size);

/* Null: it is not in the table. */
struct pack_entry *pack_table_find(
	const struct pack_table *table, const void *content, size_t size);

/* Of an id that the table has given out. */
static inline struct pack_entry *pack_table_entry(
	const struct pack_table *table, uint32_t id)
{
	return table->entries[id - 1];
}

/* The table is empty and usable again. */
void pack_table_free(struct pack_table *table);

#endif
