/*
 * Private memory for everything that belongs to threads: never freed, and
 * cleared by the kernel in every child of fork, by whatever call the child was
 * made (MADV_WIPEONFORK).  So zero means "not armed here", and code that finds
 * it need not know why.  The exceptions are arena_keep() and kernels that do
 * not know how to.  Async-signal-safe, lock-free.
 */
#ifndef SHIM_ARENA_H
#define SHIM_ARENA_H

/* Reserves the first addresses; false when the kernel refuses.  Once. */
bool arena_open(void);

/* `size` zero bytes, aligned to 64; null when there is no more memory. */
void *arena_take(size_t size);

/* Before system calls become impossible: room for twenty threads more. */
void arena_stock(void);

/* One word of the arena: set by arena_mark(), zero in a fresh child. */
bool arena_is_marked(void);
void arena_mark(void);

/*
 * The first ARENA_ROOT_BYTES after that word, for what is to be found without
 * a pointer; null before arena_open().  arena_unmark() makes all of it zero,
 * as it is in a fresh child.
 */
#define ARENA_ROOT_BYTES 56u
void *arena_root(void);
void arena_unmark(void);

/* Whether the next children of fork get it as it is, until told otherwise. */
void arena_keep(bool keep);

/* The kernel has refused to let the next children get an empty one (again). */
extern HIDDEN bool arena_kept;

static inline bool arena_is_kept(void)
{
	return arena_kept;
}

#endif
