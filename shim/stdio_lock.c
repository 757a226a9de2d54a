#include "shim/stdio_lock.h"

#include "shim/host.h"

COLD bool stdio_lock_wait(FILE *file)
{
	const struct stdio_lock *lock = (const void *)file->_lock;
	int kept = errno;
	bool waited = false;

	while (__atomic_load_n(&lock->lock, __ATOMIC_ACQUIRE) &&
		lock->owner != (const void *)host_pthread_self()) {
		host_flockfile(file);
		host_funlockfile(file);
		waited = true;
	}
	errno = kept;
	return waited;
}
