/*
 * The lock of a FILE.  Recording needs none, but a call may not come between
 * the calls of another thread that holds the FILE by flockfile(): so the time
 * of a record has to be one at which nobody else held it.
 */
#ifndef SHIM_STDIO_LOCK_H
#define SHIM_STDIO_LOCK_H

/* _IO_lock_t, sysdeps/nptl/stdio-lock.h of glibc */
struct stdio_lock {
	int lock; /* 0: free */
	int count;
	const void *owner;
};

/* Waits as long as another thread has it; false if none had. */
bool stdio_lock_wait(FILE *file);

/* To be asked after the time of a record was taken; true: take it again. */
static inline bool stdio_lock_is_others(FILE *file)
{
	const struct stdio_lock *lock;

	if (!file)
		return false;
	lock = (const void *)file->_lock;
	return lock &&
	       unlikely(__atomic_load_n(&lock->lock, __ATOMIC_ACQUIRE)) &&
	       stdio_lock_wait(file);
}

#endif
