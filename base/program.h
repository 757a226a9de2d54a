/*
 * The processes of one capture: their names, and which file
 * was mapped where and when.  Filled by the writers' control records; asked
 * by the styles.  A process that the capture mentions but does not describe
 * exists all the same, with the name "?".
 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/id_map.h"
#include "base/pool.h"

struct program_module {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint64_t file_bytes;
	uint64_t content_hash;
	const char *path;  /* ends in NUL */
	size_t path_bytes; /* without that NUL */
	const uint8_t *build_id;
	size_t build_id_bytes;
};

struct process_entry;

struct program {
	uint32_t pid;
	uint32_t process; /* of several that had this pid one after another */
	uint32_t ppid;
	uint32_t uid;
	uint64_t fork; /* number of the FORK event before it was born, or 0 */
	const char *name;	/* binlog_program_name() */
	const char *executable; /* null: not described */
	const char *directory;
	/* Words of argv, each with its NUL, and so the variables of
	 * record/environment.def; the first two null: not known. */
	const char *arguments;
	const char *host;
	const char *environment;
	size_t argument_bytes;
	size_t environment_bytes;
	struct program_module *modules; /* in the order in which they came */
	size_t module_count;
	size_t module_room;
	const struct program *parent; /* in the same capture, or null */
	struct process_entry *entry;  /* for process_tree.c */
	/* Of one out of a packed log, which has no blocks that say it: */
	uint64_t started; /* nanoseconds since 1970; 0: not known */
	uint64_t boottime;
	uint64_t passed;
	uint64_t dropped;
	struct program *older;	  /* the one that was made before it, or null */
	struct program *collides; /* another one with the same hash, or null */
};

/* All zeros is an empty table. */
struct program_table {
	struct id_map programs; /* by a hash of pid and `process` */
	struct id_map pids;	/* the latest one that was made */
	struct id_map numbers;	/* by `process` alone: likewise */
	struct program *newest;
	struct id_map creations; /* contexts, by a hash: for definition.c */
	/* Likewise bytes that several writers have defined, with memory of
	 * their own. */
	struct id_map common;
	struct pool common_pool;
	struct pool pool;
	/* That with this pid and `process` 0 is one of another table, where it
	 * has begun; null: it is not. */
	uint32_t elsewhere_pid;
	struct program *elsewhere;
};

/* Something of a process is not there that was described: no memory. */
static inline bool program_table_lacks(const struct program_table *table)
{
	return table->pool.failed || table->programs.failed ||
	       table->pids.failed || table->numbers.failed;
}

/* Its number in this table. */
static inline uint32_t program_number(
	const struct program_table *table, const struct program *program)
{
	return program == table->elsewhere ? 0 : program->process;
}

/*
 * The process with this id and number (see struct binlog_block), made if need
 * be.  Null: out of memory.
 */
struct program *program_find(
	struct program_table *table, uint32_t pid, uint32_t process);

/* Strings are those of somebody else, and need no NUL. */
struct program_description {
	uint32_t ppid;
	uint32_t uid;
	uint64_t fork;
	const struct program *parent;
	const char *executable; /* null: not described */
	size_t executable_bytes;
	const char *directory;
	size_t directory_bytes;
	const char *arguments; /* null: not known, and so the host's name */
	size_t argument_bytes;
	const char *host;
	size_t host_bytes;
	const char *environment;
	size_t environment_bytes;
};

/* All that is known of this process; the strings are copied. */
void program_set(struct program_table *table, struct program *program,
	const struct program_description *description);

/*
 * Takes the PROCESS record of this process, the cursor over all of it.  False:
 * its lengths do not fit.  The strings are copied.
 */
bool program_describe(struct program_table *table, struct program *program,
	struct cursor *record);

/*
 * Takes a MODULE record of this process, the cursor over all of it.  False: its
 * lengths do not fit. *full says that it was not kept because there are too
 * many.
 */
bool program_add_module(struct program_table *table, struct program *program,
	struct cursor *record, bool *full);

/*
 * A mapping that is known otherwise; path and build-id are copied.  False:
 * there are too many.
 */
bool program_add_mapping(struct program_table *table, struct program *program,
	const struct program_module *module);

/*
 * The module that `address` belonged to when the process had `known` modules,
 * else one that came later, else one of the parent.  Null: none.
 */
const struct program_module *program_module_at(
	const struct program *program, uint64_t address, size_t known);

/* Of which file it is, wherever that is mapped; with a seed of this process. */
uint64_t program_module_hash(const struct program_module *module);

void program_table_free(struct program_table *table);

#endif
