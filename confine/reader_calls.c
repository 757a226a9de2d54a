#include "confine/reader_calls.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/confine.h"
#include "confine/syscall_filter.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MAY(name) SYSCALL_MAY(name)
#define MAY_IF(name, ...) SYSCALL_MAY_IF(name, __VA_ARGS__)
#define FAILS(name, error) SYSCALL_REFUSES(name, SYSCALL_FAILS(error))
#define IS(argument, wanted) SYSCALL_IF(IS, argument, wanted)
#define IS_NOT(argument, refused) SYSCALL_IF(IS_NOT, argument, refused)
#define LACKS(argument, bits) SYSCALL_IF(LACKS, argument, bits)

/* O_TMPFILE makes no sense without one of the first. */
#define OPENS_FOR_WRITING (O_ACCMODE | O_CREAT | O_TRUNC)
#define NAMESPACES                                                             \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |         \
		CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* Those that are made most often come first. */
static const struct syscall_rule always[] = {
	MAY(pread64),
	MAY(read),
	MAY(write),
	MAY(futex),
	MAY(lseek),
	MAY(close),
	MAY(fstat),
	MAY(newfstatat),
	MAY(statx),
	MAY(statfs),
	MAY(fstatfs),
	MAY(readv),
	MAY(writev),
	MAY(pwrite64),
	MAY(ftruncate),
	MAY(fsync),
	MAY(fdatasync),
	MAY(syncfs),
	MAY(fadvise64),
	MAY(getdents64),
	MAY(readlinkat),
	MAY(faccessat),
	MAY(faccessat2),
	MAY(getcwd),
	MAY(dup),
	MAY(dup3),
	/* what leads to signals for others is left out */
	MAY_IF(fcntl, IS_NOT(1, F_SETOWN), IS_NOT(1, F_SETOWN_EX)),
	/* no characters are typed for the user (TIOCSTI) */
	MAY_IF(ioctl, IS(1, TCGETS)),
	MAY_IF(ioctl, IS(1, TCGETS2)),
	MAY_IF(ioctl, IS(1, TIOCGWINSZ)),
	MAY(brk),
	MAY(munmap),
	MAY(mremap),
	MAY(madvise),
	MAY_IF(mmap, LACKS(3, MAP_SHARED), LACKS(2, PROT_EXEC)),
	MAY_IF(mprotect, LACKS(2, PROT_EXEC)),
	MAY(clock_gettime),
	MAY(clock_nanosleep),
	MAY(nanosleep),
	MAY(gettimeofday),
	MAY(restart_syscall),
	MAY(ppoll),
	MAY(sched_yield),
	MAY(sched_getaffinity),
	MAY(getcpu),
	MAY(sysinfo),
	MAY(uname),
	MAY(getrandom),
	MAY(getrusage),
	MAY_IF(prlimit64, IS(0, 0)),
	MAY(getpid),
	MAY(gettid),
	MAY(getppid),
	MAY(getuid),
	MAY(geteuid),
	MAY(getgid),
	MAY(getegid),
	MAY_IF(kill, IS(1, 0)), /* whether it is there */
	MAY(wait4),
	MAY(rt_sigaction),
	MAY(rt_sigprocmask),
	MAY(rt_sigreturn),
	MAY(sigaltstack),
	MAY(set_robust_list),
	MAY(rseq),
	MAY(exit),
	MAY(exit_group),
#ifdef SYS_open /* and others that younger processors do not have */
	MAY(stat),
	MAY(lstat),
	MAY(access),
	MAY(readlink),
	MAY(dup2),
	MAY(poll),
	MAY(time),
#endif
};

static const struct syscall_rule reads[] = {
	MAY_IF(openat, LACKS(2, OPENS_FOR_WRITING)),
	FAILS(openat, EACCES),
#ifdef SYS_open
	MAY_IF(open, LACKS(1, OPENS_FOR_WRITING)),
	FAILS(open, EACCES),
#endif
};

static const struct syscall_rule writes[] = {
	MAY(openat),
	MAY(unlinkat),
	MAY(renameat),
	MAY(renameat2),
	MAY(fallocate),
	MAY(fchmod),
	MAY(fchown),
	MAY(flock),
	MAY(utimensat),
#ifdef SYS_open
	MAY(open),
	MAY(unlink),
	MAY(rename),
#endif
};

/* It confines itself further, and loads what unpacks sections. */
static const struct syscall_rule worker[] = {
	MAY_IF(clone, LACKS(0, NAMESPACES)),
	MAY_IF(mmap, LACKS(3, MAP_SHARED), LACKS(2, PROT_WRITE)),
	MAY_IF(socketpair, IS(0, AF_UNIX)),
	MAY(sendmsg),
	MAY(recvmsg),
	MAY_IF(prctl, IS(0, PR_SET_DUMPABLE)),
	MAY_IF(prctl, IS(0, PR_SET_PDEATHSIG)),
	MAY_IF(prctl, IS(0, PR_SET_NO_NEW_PRIVS)),
	MAY_IF(prctl, IS(0, PR_SET_SECCOMP)),
	MAY(prlimit64),
	MAY(close_range),
	MAY(memfd_create),
	MAY_IF(kill, IS(1, SIGKILL)),
	MAY_IF(tgkill, IS(2, SIGABRT)),
};

static const struct syscall_rule rooted[] = {MAY(openat2)};
static const struct syscall_rule threads[] = {
	MAY_IF(clone, LACKS(0, NAMESPACES))};
static const struct syscall_rule shares[] = {MAY_IF(mmap, LACKS(2, PROT_EXEC))};

/* fakeroot(1) asks for every file whose it is. */
static const struct syscall_rule preloaded[] = {
	MAY(semget),
	MAY(semop),
	MAY(semtimedop),
	MAY(msgget),
	MAY(msgsnd),
	MAY(msgrcv),
};

static const struct syscall_rule terminal[] = {
	MAY_IF(ioctl, IS(1, TCSETS)),
	MAY_IF(ioctl, IS(1, TCSETSW)),
	MAY_IF(ioctl, IS(1, TCSETSF)),
};

/* What remains forbidden to whoever has to have nearly everything. */
static const struct syscall_rule never[] = {
	FAILS(execve, ENOSYS),
	FAILS(execveat, ENOSYS),
	FAILS(ptrace, ENOSYS),
	FAILS(process_vm_readv, ENOSYS),
	FAILS(process_vm_writev, ENOSYS),
	FAILS(pidfd_getfd, ENOSYS),
	FAILS(mount, ENOSYS),
	FAILS(umount2, ENOSYS),
	FAILS(unshare, ENOSYS),
	FAILS(setns, ENOSYS),
	FAILS(bpf, ENOSYS),
	FAILS(init_module, ENOSYS),
	FAILS(finit_module, ENOSYS),
	FAILS(kexec_load, ENOSYS),
	FAILS(reboot, ENOSYS),
};

static const struct {
	unsigned need;
	const struct syscall_rule *rules;
	size_t count;
} given[] = {
	{CONFINE_WORKER, worker, COUNT(worker)},
	{CONFINE_ROOTED, rooted, COUNT(rooted)},
	{CONFINE_WRITES, writes, COUNT(writes)},
	{CONFINE_SHARES, shares, COUNT(shares)},
	{CONFINE_THREADS, threads, COUNT(threads)},
	{CONFINE_TERMINAL, terminal, COUNT(terminal)},
	{CONFINE_PRELOADED, preloaded, COUNT(preloaded)},
};

/* Raised in itself, by abort() for one. */
static struct syscall_rule own_signals(void)
{
	return (struct syscall_rule)MAY_IF(tgkill, IS(0, (uint32_t)getpid()));
}

static bool set_short_list(struct syscall_filter *filter, unsigned needs)
{
	const struct syscall_rule own = own_signals();
	size_t i;

	syscall_filter_add(filter, always, COUNT(always));
	syscall_filter_add(filter, &own, 1);
	for (i = 0; i < COUNT(given); i++)
		if (needs & given[i].need)
			syscall_filter_add(
				filter, given[i].rules, given[i].count);
	syscall_filter_add(filter, reads, COUNT(reads));
	return syscall_filter_set(filter, SYSCALL_FAILS(ENOSYS));
}

bool reader_calls_filter(unsigned needs)
{
	struct syscall_filter filter;

	syscall_filter_begin(&filter);
	if (!(needs & CONFINE_DOWNLOADS))
		return set_short_list(&filter, needs);
	syscall_filter_add(&filter, never, COUNT(never));
	return syscall_filter_set(&filter, SYSCALL_ALLOWED);
}
