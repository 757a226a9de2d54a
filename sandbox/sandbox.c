#include "sandbox/sandbox.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/linux.h"
#include "sandbox/instrumented.h"
#include "sandbox/syscall_filter.h"

/*
 * The system calls of a reader, by what it needs.  The lists are the policy,
 * sandbox.h says what it comes to.
 */

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
	{SANDBOX_WORKER, worker, COUNT(worker)},
	{SANDBOX_ROOTED, rooted, COUNT(rooted)},
	{SANDBOX_WRITES, writes, COUNT(writes)},
	{SANDBOX_SHARES, shares, COUNT(shares)},
	{SANDBOX_THREADS, threads, COUNT(threads)},
	{SANDBOX_TERMINAL, terminal, COUNT(terminal)},
	{SANDBOX_PRELOADED, preloaded, COUNT(preloaded)},
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

/*
 * Sets the filter for these needs (enum sandbox_need).  False with errno: the
 * kernel gives none.
 */
static bool reader_calls_filter(unsigned needs)
{
	struct syscall_filter filter;

	syscall_filter_begin(&filter);
	if (!(needs & SANDBOX_DOWNLOADS))
		return set_short_list(&filter, needs);
	syscall_filter_add(&filter, never, COUNT(never));
	return syscall_filter_set(&filter, SYSCALL_ALLOWED);
}

/*
 * Where in the file system this process may still write (Landlock).  Used by
 * sandbox.c; promises that reading goes on as it was, and that a kernel which
 * has less of it gives what it has.
 */

/*
 * Of <linux/landlock.h>, which a machine may not have (Linux 5.13) or have
 * older than its kernel.
 */
#define VERSION_ASKED (1u << 0)	  /* LANDLOCK_CREATE_RULESET_VERSION */
#define RULE_PATH_BENEATH 1	  /* LANDLOCK_RULE_PATH_BENEATH */
#define FILES_EXECUTE (1ULL << 0) /* LANDLOCK_ACCESS_FS_... */
#define FILES_WRITE_FILE (1ULL << 1)
#define FILES_REMOVE_DIR (1ULL << 4)
#define FILES_REMOVE_FILE (1ULL << 5)
#define FILES_MAKE_CHAR (1ULL << 6)
#define FILES_MAKE_DIR (1ULL << 7)
#define FILES_MAKE_REG (1ULL << 8)
#define FILES_MAKE_SOCK (1ULL << 9)
#define FILES_MAKE_FIFO (1ULL << 10)
#define FILES_MAKE_BLOCK (1ULL << 11)
#define FILES_MAKE_SYM (1ULL << 12)
#define FILES_TRUNCATE (1ULL << 14) /* Linux 6.2 */
#define FILES_DEVICES (1ULL << 15)  /* Linux 6.10 */
#define NETWORK_TCP 3u
#define SCOPES 3u

/* As the kernel has it; older ones know the first fields only. */
struct ruleset {
	uint64_t files;
	uint64_t network;
	uint64_t scopes;
};

/* struct landlock_path_beneath_attr */
struct __attribute__((packed)) path_rule {
	uint64_t allowed_access;
	int32_t parent_fd;
};

/* From the version of the interface on that knows them. */
static const struct {
	int version;
	size_t bytes;
	struct ruleset known;
} versions[] = {
	{1, sizeof(uint64_t),
		{.files = FILES_EXECUTE | FILES_WRITE_FILE | FILES_REMOVE_DIR |
			  FILES_REMOVE_FILE | FILES_MAKE_CHAR | FILES_MAKE_DIR |
			  FILES_MAKE_REG | FILES_MAKE_SOCK | FILES_MAKE_FIFO |
			  FILES_MAKE_BLOCK | FILES_MAKE_SYM}},
	{3, sizeof(uint64_t), {.files = FILES_TRUNCATE}},
	{4, 2 * sizeof(uint64_t), {.network = NETWORK_TCP}},
	{5, 2 * sizeof(uint64_t), {.files = FILES_DEVICES}},
	{6, 3 * sizeof(uint64_t), {.scopes = SCOPES}},
};

/* What is given back below a directory, of what is taken. */
#define WRITING                                                                \
	(FILES_WRITE_FILE | FILES_REMOVE_FILE | FILES_MAKE_REG | FILES_TRUNCATE)

/* A descriptor of a set without rules, or -1. */
static int make_ruleset(struct ruleset *taken)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_ASKED);
	size_t bytes = 0;
	size_t i;

	*taken = (struct ruleset){0};
	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (version < versions[i].version)
			break;
		bytes = versions[i].bytes;
		taken->files |= versions[i].known.files;
		taken->network |= versions[i].known.network;
		taken->scopes |= versions[i].known.scopes;
	}
	if (bytes == 0)
		return -1;
	return (int)syscall(SYS_landlock_create_ruleset, taken, bytes, 0);
}

/* One that is not there needs none. */
static bool add_rule(
	int ruleset, const struct ruleset *taken, const char *directory)
{
	struct path_rule rule = {
		.allowed_access = WRITING & taken->files,
		.parent_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	bool good;

	if (rule.parent_fd < 0)
		return true;
	good = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule,
		       0) == 0;
	close(rule.parent_fd);
	return good;
}

/*
 * From here on nothing is executed, and nothing is written, made or removed
 * but below these directories (those that are there); what is open stays so.
 * No TCP connection is made, no abstract socket of others is reached and no
 * signal is sent to them, as far as the kernel knows of these.  /proc of other
 * processes shows what it shows to any user.
 *
 * Only the calling thread and what it starts: to be called before there are
 * others.  PR_SET_NO_NEW_PRIVS has to be set.  False: the kernel has none, or
 * a rule cannot be made; then nothing has changed.
 */
static bool landlock_keep_writing_below(
	const char *const *directories, size_t count)
{
	struct ruleset taken;
	int ruleset = make_ruleset(&taken);
	bool good = ruleset >= 0;
	size_t i;

	for (i = 0; i < count && good; i++)
		good = add_rule(ruleset, &taken, directories[i]);
	good = good && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	if (ruleset >= 0)
		close(ruleset);
	return good;
}

#define VARIABLE "BINLOG_SANDBOX"

void sandbox_allow_below(struct sandbox_needs *needs, const char *directory)
{
	if (directory && needs->directory_count < SANDBOX_DIRECTORIES_MAX)
		needs->directories[needs->directory_count++] = directory;
}

static bool is_bounded(const struct sandbox_needs *needs)
{
	return !(needs->needs & (SANDBOX_PROCESSES | SANDBOX_DOWNLOADS)) &&
	       landlock_keep_writing_below(
		       needs->directories, needs->directory_count);
}

/* Null, or what of it there is not. */
static const char *give_up_all(const struct sandbox_needs *wanted)
{
	unsigned needs = wanted->needs;
	bool bounded;

	if (instrumented())
		return VARIABLE "=require: valgrind or a sanitizer makes calls "
				"of its own: leave it out";
	/* no core of what is in memory; others find our log by what is open */
	if (!(needs & SANDBOX_SHARES) && prctl(PR_SET_DUMPABLE, 0) != 0)
		return VARIABLE "=require: the kernel lets others look into "
				"this process: unset it";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return VARIABLE "=require: the kernel does not let rights be "
				"given up: unset it";
	bounded = is_bounded(wanted);
	if (secure_getenv("LD_PRELOAD"))
		needs |= SANDBOX_PRELOADED;
	if (needs & SANDBOX_KEEPS && bounded)
		needs |= SANDBOX_WRITES;
	if (!reader_calls_filter(needs))
		return VARIABLE "=require: the kernel gives no filter of "
				"system calls: unset it to read without";
	if (!bounded && !(needs & (SANDBOX_PROCESSES | SANDBOX_DOWNLOADS)))
		return VARIABLE "=require: the kernel has no Landlock: unset "
				"it to read without";
	return NULL;
}

const char *sandbox_enter(const struct sandbox_needs *needs)
{
	const char *wanted = secure_getenv(VARIABLE);
	const char *missing;

	if (wanted && strcmp(wanted, "off") == 0)
		return NULL;
	if (wanted && *wanted && strcmp(wanted, "require") != 0)
		return VARIABLE ": neither off nor require: correct or unset "
				"it";
	missing = give_up_all(needs);
	return wanted && *wanted ? missing : NULL;
}
