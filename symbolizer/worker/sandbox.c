#include "symbolizer/worker/sandbox.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/close_from.h"
#include "confine/instrumented.h"
#include "confine/syscall_filter.h"

/* For when the parent, who keeps the time of each question, is stopped. */
#define CPU_SECONDS 600

#define REFUSES(name) SYSCALL_REFUSES(name, SYSCALL_FAILS(EACCES))

static const struct syscall_rule rules[] = {
	SYSCALL_MAY(pread64),
	SYSCALL_MAY(read),
	SYSCALL_MAY(brk),
	SYSCALL_MAY(munmap),
	SYSCALL_MAY(mremap),
	SYSCALL_MAY(madvise),
	SYSCALL_MAY(close),
	SYSCALL_MAY(fstat),
	SYSCALL_MAY(lseek),
	SYSCALL_MAY(futex),
	SYSCALL_MAY(getpid),
	SYSCALL_MAY(gettid),
	SYSCALL_MAY(clock_gettime),
	SYSCALL_MAY(sysinfo), /* qsort() */
	SYSCALL_MAY(rt_sigprocmask),
	SYSCALL_MAY(rt_sigreturn),
	SYSCALL_MAY(exit),
	SYSCALL_MAY(exit_group),
	SYSCALL_MAY_IF(recvmsg, SYSCALL_IF(IS, 0, SANDBOX_SOCKET)),
	SYSCALL_MAY_IF(sendmsg, SYSCALL_IF(IS, 0, SANDBOX_SOCKET)),
	/* memory is not shared and holds no code */
	SYSCALL_MAY_IF(mmap, SYSCALL_IF(LACKS, 3, MAP_SHARED),
		SYSCALL_IF(LACKS, 2, PROT_EXEC)),
	SYSCALL_MAY_IF(mprotect, SYSCALL_IF(LACKS, 2, PROT_EXEC)),
	/* what libc does in passing, as abort() with its message */
	REFUSES(write),
	REFUSES(writev),
	REFUSES(getrandom),
	REFUSES(sched_getaffinity),
	REFUSES(openat),
	REFUSES(newfstatat),
	REFUSES(statx),
	REFUSES(faccessat),
	REFUSES(faccessat2),
	REFUSES(readlinkat),
	REFUSES(getcwd),
#ifdef SYS_open /* and others that younger processors do not have */
	REFUSES(open),
	REFUSES(stat),
	REFUSES(lstat),
	REFUSES(access),
	REFUSES(readlink),
#endif
};

#define COUNT(rules) (sizeof(rules) / sizeof((rules)[0]))

/* False with errno. */
static bool set_filter(void)
{
	/* abort() raises a signal in itself */
	const struct syscall_rule own =
		SYSCALL_MAY_IF(tgkill, SYSCALL_IF(IS, 0, (uint32_t)getpid()));
	struct syscall_filter filter;

	syscall_filter_begin(&filter);
	syscall_filter_add(&filter, rules, COUNT(rules));
	syscall_filter_add(&filter, &own, 1);
	return syscall_filter_set(&filter, SYSCALL_KILLS);
}

/* What the process takes already; it was forked from one of any size. */
static uint64_t bytes_in_use(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	(void)fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The limit above stays: the parent may raise this one up to there. */
static bool limit(__rlimit_resource_t resource, uint64_t most)
{
	struct rlimit limits;

	if (getrlimit(resource, &limits) != 0)
		return false;
	limits.rlim_cur = most;
	if (limits.rlim_cur > limits.rlim_max)
		limits.rlim_cur = limits.rlim_max;
	return setrlimit(resource, &limits) == 0;
}

/* The keyboard's signals are for the parent, handlers too. */
static void leave_signals(void)
{
	static const int ignored[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
	sigset_t none;
	size_t i;
	int number;

	for (number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool keep_only(int socket)
{
	if (socket != SANDBOX_SOCKET && dup2(socket, SANDBOX_SOCKET) < 0)
		return false;
	close(STDOUT_FILENO);
	if (!instrumented())
		close(STDERR_FILENO);
	return close_from(STDERR_FILENO + 1);
}

static bool bind_to(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

bool sandbox_enter(int socket, uint64_t memory_bytes, pid_t parent)
{
	leave_signals();
	/* a core may be piped to a handler, which no limit of size prevents */
	if (prctl(PR_SET_DUMPABLE, 0) != 0 || !limit(RLIMIT_CORE, 0) ||
		!limit(RLIMIT_CPU, CPU_SECONDS) || !bind_to(parent) ||
		!keep_only(socket))
		return false;
	if (instrumented())
		return true;
	/* when memory is out, malloc() would try calls that are not allowed */
	mallopt(M_ARENA_MAX, 1);
	return limit(RLIMIT_AS, bytes_in_use() + memory_bytes) &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       (set_filter() || errno == EINVAL || errno == ENOSYS ||
		       errno == EPERM);
}
