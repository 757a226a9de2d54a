#include "tools/live/page_guard.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "record/layout.h"

static volatile sig_atomic_t count;

/* Nothing else of ours is a mapping of a file that others write. */
static void put_zeros(int number, siginfo_t *info, void *context)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	char *at = info->si_addr;
	char *page = at - (uintptr_t)at % BINLOG_PAGE;

	(void)context;
	if (info->si_code != BUS_ADRERR ||
		mmap(page, BINLOG_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) ==
			MAP_FAILED)
		signal(number, SIG_DFL);
	else
		count++;
}

void page_guard_begin(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	action.sa_sigaction = put_zeros;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

int page_guard_count(void)
{
	return count;
}
