/*
 * fault_injector [-k N] [-a] [-c] [-s NAME] [-e ERRNO] [-l FILE] LIBRARY
 * PROGRAM...
 *
 * Runs PROGRAM with LIBRARY preloaded, and makes system calls fail that the
 * library makes itself (their instruction lies in it): of those that can fail
 * in real life, the N-th; with -a also all that follow.  -c counts in children
 * of fork only, -s only calls of this name, -e chooses the error.  Appends to
 * FILE "counted N", "failed NAME ERRNO" for the first, "ended STATUS".  Ends
 * with PROGRAM's status, 128 and the signal if one has killed it.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#define TASKS 4096
#define ERRORS 6

static const struct {
	long number;
	const char *name;
	int errors[ERRORS]; /* taken in turns */
	bool happens;	    /* it has its effect all the same */
} calls[] = {
	{SYS_open, "open", {EACCES, EMFILE, EIO}},
	{SYS_openat, "openat", {EACCES, EMFILE, ENOSPC, EROFS, EDQUOT, ENOMEM}},
	{SYS_mkdirat, "mkdirat", {EACCES, EROFS, ENOSPC, EDQUOT}},
	{SYS_renameat, "renameat", {EACCES, ENOSPC, EIO}},
	{SYS_unlinkat, "unlinkat", {EACCES, EIO}},
	{SYS_fchmod, "fchmod", {EPERM, EIO}},
	{SYS_fchmodat, "fchmodat", {EPERM, EIO}},
	{SYS_pwrite64, "pwrite", {ENOSPC, EDQUOT, EIO, EFBIG, EINTR}},
	{SYS_read, "read", {EIO, EINTR}},
	{SYS_fstat, "fstat", {EIO, ENOMEM}},
	{SYS_newfstatat, "newfstatat", {EACCES, ENOENT, EIO}},
	{SYS_fstatfs, "fstatfs", {EIO, ENOSYS}},
	{SYS_statfs, "statfs", {EIO, EACCES}},
	{SYS_truncate, "truncate", {ENOSPC, EFBIG, EACCES, EIO}},
	{SYS_ftruncate, "ftruncate", {ENOSPC, EFBIG, EIO}},
	{SYS_readlinkat, "readlinkat", {EACCES, ENOMEM}},
	{SYS_getcwd, "getcwd", {ENOENT, ENOMEM}},
	{SYS_fcntl, "fcntl", {EMFILE}},
	{SYS_close, "close", {EIO, EINTR}, true},
	{SYS_mmap, "mmap", {ENOMEM, EACCES, ENODEV, EAGAIN}},
	{SYS_mprotect, "mprotect", {ENOMEM, EACCES}},
	{SYS_madvise, "madvise", {EFAULT, ENOMEM, EAGAIN, EINVAL}},
	{SYS_mremap, "mremap", {ENOMEM, EINVAL}},
	{SYS_munmap, "munmap", {ENOMEM}},
	{SYS_getrandom, "getrandom", {EAGAIN, ENOSYS}},
	{SYS_prlimit64, "prlimit64", {EPERM, ENOSYS}},
	{SYS_memfd_create, "memfd_create", {EMFILE, ENOMEM}},
};

enum { CALLS = sizeof(calls) / sizeof(*calls) };

struct task {
	pid_t pid;
	int error;	   /* what its system call is to return, or 0 */
	uint64_t from, to; /* the code of the library, where known */
};

static struct task tasks[TASKS];
static char library[PATH_MAX];
static long wanted_at = -1, counted;
static bool always, children_only;
static const char *only;
static int chosen_error;
static pid_t first;
static int log_fd = -1;

static struct task *task_of(pid_t pid)
{
	for (unsigned i = 0; i < TASKS; i++) {
		struct task *task = &tasks[((unsigned)pid + i) % TASKS];

		if (task->pid == pid)
			return task;
		if (task->pid == 0) {
			task->pid = pid;
			return task;
		}
	}
	exit(99);
}

static void find_library(struct task *task)
{
	char path[64], line[PATH_MAX + 128];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", task->pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;
		char *name = strchr(line, '/');

		if (!name || strncmp(name, library, strlen(library)) != 0 ||
			sscanf(line, "%lx-%lx r-x", &from, &to) != 2 ||
			!strstr(line, " r-x"))
			continue;
		task->from = from;
		task->to = to;
	}
	if (maps)
		fclose(maps);
}

static int number_of(const struct __ptrace_syscall_info *info)
{
	for (int i = 0; i < CALLS; i++)
		if ((uint64_t)calls[i].number == info->entry.nr)
			return i;
	return -1;
}

/* Some are asked for what cannot fail. */
static bool can_fail(int i, const struct __ptrace_syscall_info *info)
{
	if (only && strcmp(only, calls[i].name) != 0)
		return false;
	if (calls[i].number == SYS_fcntl)
		return info->entry.args[1] == F_DUPFD_CLOEXEC;
	return true;
}

static int choose(int i)
{
	static unsigned turn;
	unsigned n = 0;

	if (chosen_error)
		return chosen_error;
	while (n < ERRORS && calls[i].errors[n])
		n++;
	return calls[i].errors[(wanted_at + turn++) % n];
}

static void enter(struct task *task, const struct __ptrace_syscall_info *info)
{
	int i = number_of(info);

	if (i < 0 || (children_only && task->pid == first))
		return;
	if (!task->to)
		find_library(task);
	if (info->instruction_pointer - task->from >= task->to - task->from ||
		!can_fail(i, info))
		return;
	counted++;
	if (wanted_at < 0 && log_fd >= 0 && getenv("FAULT_LIST"))
		dprintf(log_fd, "%ld %s at %lx\n", counted, calls[i].name,
			(long)(info->instruction_pointer - task->from));
	if (wanted_at < 0 || counted < wanted_at ||
		(!always && counted > wanted_at))
		return;
	task->error = choose(i);
	if (counted == wanted_at && log_fd >= 0)
		dprintf(log_fd, "failed %s %s\n", calls[i].name,
			strerrorname_np(task->error));
	if (!calls[i].happens)
		ptrace(PTRACE_POKEUSER, task->pid,
			offsetof(struct user_regs_struct, orig_rax), -1L);
}

static void leave(struct task *task)
{
	if (task->error)
		ptrace(PTRACE_POKEUSER, task->pid,
			offsetof(struct user_regs_struct, rax),
			-(long)task->error);
	task->error = 0;
}

static int handle_stop(pid_t pid, int status)
{
	struct __ptrace_syscall_info info;
	struct task *task = task_of(pid);
	int number = WSTOPSIG(status);
	int event = status >> 16;

	if (number == (SIGTRAP | 0x80)) {
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <
			0)
			return 0;
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			enter(task, &info);
		else
			leave(task);
		return 0;
	}
	if (event == PTRACE_EVENT_EXEC) {
		task->from = task->to = 0;
		task->error = 0;
	}
	if (event || (number == SIGSTOP && !task->from && pid != first))
		return 0;
	return number == SIGSTOP || number == SIGTRAP ? 0 : number;
}

static int attend(void)
{
	int status, result = 99;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			ptrace(PTRACE_SYSCALL, pid, 0,
				(long)handle_stop(pid, status));
			continue;
		}
		memset(&task_of(pid)->error, 0, sizeof(int));
		task_of(pid)->from = task_of(pid)->to = 0;
		if (pid == first)
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						     : WEXITSTATUS(status);
	}
	return result;
}

static void run(char **argv)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	setenv("LD_PRELOAD", library, 1);
	raise(SIGSTOP);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	int option, status;

	while ((option = getopt(argc, argv, "+k:acs:e:l:")) != -1) {
		if (option == 'k')
			wanted_at = atol(optarg);
		else if (option == 'a')
			always = true;
		else if (option == 'c')
			children_only = true;
		else if (option == 's')
			only = optarg;
		else if (option == 'l')
			log_fd = open(optarg,
				O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
				0600);
		else if (option == 'e')
			for (int i = 1; i < 134; i++)
				if (strerrorname_np(i) &&
					strcmp(strerrorname_np(i), optarg) == 0)
					chosen_error = i;
	}
	if (argc - optind < 2 || !realpath(argv[optind], library))
		return 98;
	first = fork();
	if (first == 0)
		run(argv + optind + 1);
	waitpid(first, &status, 0);
	ptrace(PTRACE_SETOPTIONS, first, 0,
		PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
			PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	ptrace(PTRACE_SYSCALL, first, 0, 0);
	status = attend();
	if (log_fd >= 0)
		dprintf(log_fd, "counted %ld\nended %d\n", counted, status);
	return status;
}
