#include "tools/pack/follow_sync.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

static atomic_bool busy;

static void *run(void *fd)
{
	fdatasync((int)(intptr_t)fd);
	close((int)(intptr_t)fd);
	atomic_store(&busy, false);
	return NULL;
}

/* Signals are for the thread that waits for them. */
static bool start(int fd)
{
	sigset_t all, before;
	pthread_t thread;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&thread, NULL, run, (void *)(intptr_t)fd) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		pthread_detach(thread);
	return started;
}

void follow_sync(int fd)
{
	int copy;

	if (atomic_exchange(&busy, true))
		return;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0 && start(copy))
		return;
	if (copy >= 0)
		close(copy);
	atomic_store(&busy, false);
}
