#include <linux/close_range.h>
#include <sched.h>
#include <sys/prctl.h>

#include "record/linux.h"
#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/host/arena.h"
#include "shim/host/sys.h"
#include "shim/start/fatal.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Mode 1 of seccomp; it also forbids to read the time stamp counter. */
#define STRICT 1
/* The same where seccomp(2) is called: SECCOMP_SET_MODE_... */
#define SECCOMP_STRICT 0
#define SECCOMP_FILTER 1

/* What is asked for by its own function, or by its number. */
struct request {
	bool locks_down;
	bool strict;
	bool fails_above_0; /* not only below: another thread was in the way */
	bool stops_time;    /* or lets it go on: prctl of PR_SET_TSC */
	bool starts_time;
	bool has_stopped_time;
};

/* The short way reads the counter without asking whether it may. */
static void stop_time(struct request *request)
{
	request->has_stopped_time = clock_freeze();
	streams_changed();
}

/* From the filter on, none of our own system calls can be trusted to pass. */
static void lock_down(struct request *request)
{
	/* Decide on the outputs now: later they cannot be looked at. */
	for (int fd = 0; fd < 16; fd++)
		streams_of(fd);
	arena_stock();
	writer_stock_up();
	capture_file_stock();
	fatal_unwatch();
	if (request->strict)
		stop_time(request);
	sys_forbidden = true;
}

static void unlock_down(void)
{
	sys_forbidden = false;
	fatal_watch();
}

static struct request of_prctl(int option, unsigned long a)
{
	bool locks_down = option == PR_SET_SECCOMP && !sys_forbidden;

	return (struct request){
		.locks_down = locks_down,
		.strict = locks_down && a == STRICT,
		.stops_time = option == PR_SET_TSC && a == PR_TSC_SIGSEGV,
		.starts_time = option == PR_SET_TSC && a == PR_TSC_ENABLE,
	};
}

static void before(struct request *request)
{
	if (request->locks_down)
		lock_down(request);
	if (request->stops_time)
		stop_time(request);
}

static void after(const struct request *request, long result)
{
	bool failed = result < 0 || (result > 0 && request->fails_above_0);

	if (failed ? request->has_stopped_time : request->starts_time)
		clock_thaw();
	if (request->locks_down && failed)
		unlock_down();
}

/* All variable arguments of prctl and syscall are words (syscall(2)). */
int lockdown_prctl(int option, va_list ap)
{
	unsigned long a = va_arg(ap, unsigned long);
	unsigned long b = va_arg(ap, unsigned long);
	unsigned long c = va_arg(ap, unsigned long);
	unsigned long d = va_arg(ap, unsigned long);
	struct request request = of_prctl(option, a);
	int result;

	before(&request);
	result = next_prctl(option, a, b, c, d);
	after(&request, result);
	return result;
}

static struct request of_syscall(long number, long a, long b)
{
	const unsigned long listener = 8; /* then a descriptor is returned */
	bool locks_down = number == SYS_seccomp &&
			  (a == SECCOMP_STRICT || a == SECCOMP_FILTER) &&
			  !sys_forbidden;

	if (number == SYS_prctl)
		return of_prctl((int)a, (unsigned long)b);
	return (struct request){
		.locks_down = locks_down,
		.strict = locks_down && a == SECCOMP_STRICT,
		.fails_above_0 = !((unsigned long)b & listener),
	};
}

/* The descriptors that a system call makes others: first to last. */
struct range {
	unsigned first, last;
};

static struct range changed_by(long number, long a, long b)
{
	switch (number) {
	case SYS_close:
		return (struct range){(unsigned)a, (unsigned)a};
#ifdef SYS_dup2
	case SYS_dup2:
#endif
	case SYS_dup3:
		return (struct range){(unsigned)b, (unsigned)b};
	case SYS_close_range:
		return (struct range){(unsigned)a, (unsigned)b};
	default:
		return (struct range){1, 0};
	}
}

/* Threads have descriptors of their own then: unshare(2), close_range(2). */
static bool divides_descriptors(long number, long a, long c)
{
	return (number == SYS_unshare && a & CLONE_FILES) ||
	       (number == SYS_close_range && c & CLOSE_RANGE_UNSHARE);
}

/* After these the capture may be out of reach; see lockdown_privileges(). */
static bool gives_up_rights(long number)
{
	switch (number) {
	case SYS_chroot:
	case SYS_pivot_root:
	case SYS_unshare:
	case SYS_setns:
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setfsuid:
	case SYS_capset:
	case SYS_landlock_restrict_self:
		return true;
	default:
		return false;
	}
}

void lockdown_privileges(void)
{
	int kept = errno;

	if (!process_is_borrowed())
		growth_reach_all();
	errno = kept;
}

int lockdown_unshare(int flags)
{
	lockdown_privileges();
	if (divides_descriptors(SYS_unshare, flags, 0))
		streams_forget_always();
	return next_unshare(flags);
}

long lockdown_syscall(long number, va_list ap)
{
	long a = va_arg(ap, long);
	long b = va_arg(ap, long);
	long c = va_arg(ap, long);
	long d = va_arg(ap, long);
	long e = va_arg(ap, long);
	long f = va_arg(ap, long);
	struct request request = of_syscall(number, a, b);
	struct range changed = changed_by(number, a, b);
	long result;

	if (gives_up_rights(number))
		lockdown_privileges();
	if (divides_descriptors(number, a, c))
		streams_forget_always();
	before(&request);
	streams_forget_range(changed.first, changed.last);
	result = next_syscall(number, a, b, c, d, e, f);
	streams_forget_range(changed.first, changed.last);
	after(&request, result);
	return result;
}
