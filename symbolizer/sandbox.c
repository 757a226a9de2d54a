#include "symbolizer/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "say here what the kernel calls this processor"
#endif

/* For when the parent, who keeps the time of each question, is stopped. */
#define CPU_SECONDS 600

/* Numbers of a call, and what becomes of it. */
struct rule {
	uint32_t call;
	uint32_t verdict;
};

#define ALLOWED SECCOMP_RET_ALLOW
#define REFUSED (SECCOMP_RET_ERRNO | EACCES)

static const struct rule rules[] = {
	{SYS_pread64, ALLOWED},
	{SYS_read, ALLOWED},
	{SYS_brk, ALLOWED},
	{SYS_munmap, ALLOWED},
	{SYS_mremap, ALLOWED},
	{SYS_madvise, ALLOWED},
	{SYS_close, ALLOWED},
	{SYS_fstat, ALLOWED},
	{SYS_lseek, ALLOWED},
	{SYS_futex, ALLOWED},
	{SYS_getpid, ALLOWED},
	{SYS_gettid, ALLOWED},
	{SYS_clock_gettime, ALLOWED},
	{SYS_sysinfo, ALLOWED}, /* qsort() */
	{SYS_rt_sigprocmask, ALLOWED},
	{SYS_rt_sigreturn, ALLOWED},
	{SYS_exit, ALLOWED},
	{SYS_exit_group, ALLOWED},
	/* what libc does in passing, as abort() with its message */
	{SYS_write, REFUSED},
	{SYS_writev, REFUSED},
	{SYS_getrandom, REFUSED},
	{SYS_sched_getaffinity, REFUSED},
	{SYS_openat, REFUSED},
	{SYS_newfstatat, REFUSED},
	{SYS_statx, REFUSED},
	{SYS_faccessat, REFUSED},
	{SYS_faccessat2, REFUSED},
	{SYS_readlinkat, REFUSED},
	{SYS_getcwd, REFUSED},
#ifdef SYS_open /* and others that younger processors do not have */
	{SYS_open, REFUSED},
	{SYS_stat, REFUSED},
	{SYS_lstat, REFUSED},
	{SYS_access, REFUSED},
	{SYS_readlink, REFUSED},
#endif
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

/* Jumps count the instructions that they skip. */
#define LOAD(field)                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                     \
		(uint32_t)offsetof(struct seccomp_data, field))
#define RETURN(verdict) BPF_STMT(BPF_RET | BPF_K, verdict)
#define IS(value, skipped_else)                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped_else)
#define HAS(bits, skipped_else)                                                \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, skipped_else)
#define KILL RETURN(SECCOMP_RET_KILL_PROCESS)
#define ALLOW RETURN(SECCOMP_RET_ALLOW)

/* The calls whose arguments count, of which the low halves are enough. */
#define GUARDED 29

struct filter {
	struct sock_filter code[4 + 2 * RULES + GUARDED];
	unsigned short length;
};

static void add(struct filter *filter, struct sock_filter instruction)
{
	filter->code[filter->length++] = instruction;
}

static void add_guarded(struct filter *filter)
{
	const struct sock_filter code[GUARDED] = {
		IS(SYS_recvmsg, 4),
		LOAD(args[0]),
		IS(SANDBOX_SOCKET, 1),
		ALLOW,
		KILL,
		IS(SYS_sendmsg, 4),
		LOAD(args[0]),
		IS(SANDBOX_SOCKET, 1),
		ALLOW,
		KILL,
		/* memory is not shared and holds no code */
		IS(SYS_mmap, 7),
		LOAD(args[3]),
		HAS(MAP_SHARED, 1),
		KILL,
		LOAD(args[2]),
		HAS(PROT_EXEC, 1),
		KILL,
		ALLOW,
		IS(SYS_mprotect, 4),
		LOAD(args[2]),
		HAS(PROT_EXEC, 1),
		KILL,
		ALLOW,
		/* abort() raises a signal in itself */
		IS(SYS_tgkill, 4),
		LOAD(args[0]),
		IS((uint32_t)getpid(), 1),
		ALLOW,
		KILL,
		/* all other calls */
		KILL,
	};
	size_t i;

	for (i = 0; i < GUARDED; i++)
		add(filter, code[i]);
}

/* False with errno. */
static bool set_filter(void)
{
	struct filter filter = {0};
	struct sock_fprog program = {.filter = filter.code};
	size_t i;

	add(&filter, (struct sock_filter)LOAD(arch));
	add(&filter, (struct sock_filter)BPF_JUMP(
			     BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
	add(&filter, (struct sock_filter)KILL);
	add(&filter, (struct sock_filter)LOAD(nr));
	for (i = 0; i < RULES; i++) {
		add(&filter, (struct sock_filter)IS(rules[i].call, 1));
		add(&filter, (struct sock_filter)RETURN(rules[i].verdict));
	}
	add_guarded(&filter);
	program.len = filter.length;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
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
	fclose(file);
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

static bool instrumented(void)
{
	return SANITIZED || RUNNING_ON_VALGRIND;
}

static bool keep_only(int socket)
{
	if (socket != SANDBOX_SOCKET && dup2(socket, SANDBOX_SOCKET) < 0)
		return false;
	close(STDOUT_FILENO);
	if (!instrumented())
		close(STDERR_FILENO);
	closefrom(STDERR_FILENO + 1);
	return true;
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
	       (set_filter() || errno == EINVAL || errno == ENOSYS);
}
