#include <sys/prctl.h>

#include "shim/fatal.h"
#include "shim/streams.h"
#include "shim/sys.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Mode 1 of seccomp; it also forbids to read the time stamp counter. */
#define STRICT 1

/* From the filter on, none of our own system calls can be trusted to pass. */
static void seal(bool strict)
{
	/* Decide on the outputs now: later they cannot be looked at. */
	for (int fd = 0; fd < 16; fd++)
		streams_of(fd);
	writer_stock_up();
	fatal_unwatch();
	if (strict)
		clock_freeze();
	sys_forbidden = true;
}

static void unseal(bool strict)
{
	sys_forbidden = false;
	if (strict)
		clock_thaw();
	fatal_watch();
}

/* All variable arguments of prctl and syscall are words (syscall(2)). */
int seal_prctl(int option, va_list ap)
{
	unsigned long a = va_arg(ap, unsigned long);
	unsigned long b = va_arg(ap, unsigned long);
	unsigned long c = va_arg(ap, unsigned long);
	unsigned long d = va_arg(ap, unsigned long);
	bool seals = option == PR_SET_SECCOMP && !sys_forbidden;
	int result;

	if (seals)
		seal(a == STRICT);
	if (option == PR_SET_TSC && a == PR_TSC_SIGSEGV)
		clock_freeze();
	result = next_prctl(option, a, b, c, d);
	if (seals && result != 0)
		unseal(a == STRICT);
	if (option == PR_SET_TSC && a == PR_TSC_ENABLE && result == 0)
		clock_thaw();
	return result;
}

long seal_syscall(long number, va_list ap)
{
	long a = va_arg(ap, long);
	long b = va_arg(ap, long);
	long c = va_arg(ap, long);
	long d = va_arg(ap, long);
	long e = va_arg(ap, long);
	long f = va_arg(ap, long);
	/* seccomp(2): 0 is strict, 1 a filter; others only ask */
	bool seals =
		number == SYS_seccomp && (a == 0 || a == 1) && !sys_forbidden;
	long result;

	if (seals)
		seal(a == 0);
	result = next_syscall(number, a, b, c, d, e, f);
	if (seals && result < 0)
		unseal(a == 0);
	return result;
}
