/*
 * How the capture file grows without a descriptor that stays open, which the
 * program would see, close, or miss: by its path while that leads to it, and
 * through the mapping.  Called by capture_file.c, and before the program gives
 * up what the path needs.  No lock, no signal, async-signal-safe; shared by all
 * processes that share the capture.
 */
#ifndef SHIM_GROWTH_H
#define SHIM_GROWTH_H

#include "record/layout.h"

/*
 * `fd` is the fresh file, which is *st, will have the absolute name
 * `path` (from here on ours) and at most `max_bytes`; at once all of them, as
 * holes, unless it `may_grow` by its path.  How many it has by now; 0: it
 * cannot be given any size.  `another`: it is not used before growth_turn().
 */
uint64_t growth_begin(int fd, const struct stat *st, const char *path,
	uint64_t max_bytes, bool may_grow, bool another);

/*
 * Or it was there, as *header, which is mapped: this process will make it
 * larger together with others.
 */
void growth_join(struct binlog_header *header, const struct stat *st,
	const char *path, uint64_t max_bytes);

/*
 * When the file is mapped and before anybody else can have it: from here
 * on what all have to agree upon is in its header page.
 */
void growth_share(struct binlog_header *header, bool another);

/* All below is about the other one from here on.  Nobody is in it. */
void growth_turn(void);

/* What the file may have, by its settings and RLIMIT_FSIZE. */
uint64_t growth_most(void);

/*
 * The file has at least `end` bytes, holes without room on disk among them.
 * False: a limit, another file at the path, no way to it any more, or somebody
 * has cut it: whoever made that longer again would put zeros where blocks were,
 * and who stores to those would not be told.
 */
bool growth_reach(uint64_t end);

/* By somebody else: seen when it was to be made longer.  For good: from there
 * on this process does not make it longer. */
bool growth_was_cut(void);

/*
 * It was cut just before it was made longer: so it is once more, to that many
 * bytes if it has more, for all who store behind them to be told by SIGBUS.
 * growth_was_cut() from here on.  Not where the path cannot be relied upon and
 * there are threads.
 */
void growth_cut(uint64_t bytes);

/* To where that has happened when it was made longer, because a block is zeros;
 * 0: it has not. */
uint64_t growth_cut_again(void);

/* Another value after it was made longer, by whomever. */
uint64_t growth_mark(void);

/* The file has so many bytes, or more. */
uint64_t growth_size(void);

/*
 * All that it may ever have, as far as is possible: the path will not lead to
 * it any more, or not allow it.
 */
void growth_reach_all(void);

/*
 * Room on disk for `size` bytes from `offset` on, mapped at `address` and
 * accessible: stores to them cannot fail from here on.  They are zero.  False:
 * there is none, or the file does not reach that far any more.
 */
bool growth_back(void *address, uint64_t offset, uint32_t size);

/* A descriptor of the file, to be closed at once, where there is no other way;
 * or negative. */
long growth_open(void);

/* How long the file is now, bytes; 0 where there is no way to it. */
uint64_t growth_bytes(void);

/* A word that all processes share which share the capture; 0 at first. */
uint64_t *growth_shared(void);

/* The path, for what the kernel tells of the file system; and that of the one
 * that is not used yet. */
const char *growth_path(void);
const char *growth_next_path(void);

#endif
