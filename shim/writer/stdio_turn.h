/*
 * Whose turn it is on a FILE.  Recording needs no lock, but a call may not
 * come between the calls of another thread that holds the FILE by
 * flockfile(), nor before what macros have put into its buffer.  So in a
 * program that uses flockfile() it waits for that thread and drains the
 * buffer, and once the time of its record is taken it looks again: if that has
 * changed meanwhile, it begins anew; and after a few attempts it takes the
 * lock.
 */
#ifndef SHIM_STDIO_TURN_H
#define SHIM_STDIO_TURN_H

#include "shim/host/host.h"
#include "shim/writer/memo.h"

/* After so many attempts the lock is taken, after twice as many no more is
 * attempted: a buffer may be one that cannot be drained. */
#define STDIO_TURN_TRIES 3

/* _IO_lock_t, sysdeps/nptl/stdio-lock.h of glibc */
struct stdio_lock {
	int lock; /* 0: free */
	int count;
	const void *owner;
};

/* What makes the short ways doubtful: looked at as one. */
enum {
	STDIO_TURN_LOCKS = 1,	/* flockfile or ftrylockfile was called, */
	STDIO_TURN_CANCELS = 2, /* or pthread_cancel: cancel.h */
};
extern HIDDEN uint8_t stdio_turn_matters;

static inline bool stdio_turn_is_doubtful(void)
{
	return __atomic_load_n(&stdio_turn_matters, __ATOMIC_RELAXED) != 0;
}

/* The program has called flockfile or ftrylockfile. */
static inline bool stdio_turn_is_on(void)
{
	return __atomic_load_n(&stdio_turn_matters, __ATOMIC_RELAXED) &
	       STDIO_TURN_LOCKS;
}

/* It is about to call one of them. */
void stdio_turn_begin(void);

bool stdio_turn_is_others_slow(const struct stdio_lock *lock);

/* Another thread holds the FILE. */
static inline bool stdio_turn_is_others(const FILE *file)
{
	const struct stdio_lock *lock = (const void *)file->_lock;

	return unlikely(stdio_turn_is_on()) && lock &&
	       unlikely(__atomic_load_n(&lock->lock, __ATOMIC_ACQUIRE) ||
			!host_knows_files) &&
	       stdio_turn_is_others_slow(lock);
}

/*
 * Makes the time of a record later than that of every one before: the counters
 * of two cores may differ by less than a step of theirs.
 */
void stdio_turn_order(uint64_t *ticks);

/* Waits until no other thread does, and locks it for the rest of the call. */
void stdio_turn_take(struct call_turn *turn);

/* At the end of every call. */
void stdio_turn_give_back(struct call_turn *turn);

static inline void stdio_turn_end(struct call_turn *turn)
{
	if (unlikely(turn->held != NULL))
		stdio_turn_give_back(turn);
}

/* Counts the buffers that were drained, each before it is emptied. */
extern HIDDEN uint32_t stdio_turn_drained;

/*
 * To be asked when the time of the record has been taken; `drained` is the
 * count from before that: what another thread has found in the buffer
 * meanwhile is in a later record, but was there earlier.
 */
static inline bool stdio_turn_is_lost(struct call_turn *turn, uint32_t drained)
{
	if (!turn || !turn->file)
		return false;
	turn->lost =
		((turn->locks && stdio_turn_is_others(turn->file)) ||
			(turn->drains && turn->file->_IO_write_ptr !=
						 turn->file->_IO_write_base) ||
			__atomic_load_n(&stdio_turn_drained,
				__ATOMIC_ACQUIRE) != drained) &&
		turn->tries++ < 2 * STDIO_TURN_TRIES;
	return turn->lost;
}

#endif
