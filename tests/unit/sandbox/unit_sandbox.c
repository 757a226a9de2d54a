/* What sandbox.h promises, tried by children that have given it up. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/sandbox.h"

enum { NOT_CONFINED = 100, TROUBLE = 101, FINE = 0 };

static char directory[] = "/tmp/unit_sandbox.XXXXXX";
static char outside[64];

/* In a child that has nothing but these needs.  How it ended. */
static int status_of(const struct sandbox_needs *needs, bool (*action)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (sandbox_enter(needs))
			_exit(NOT_CONFINED);
		_exit(action() ? FINE : TROUBLE);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void assert_all(const struct sandbox_needs *needs, bool (*action)(void))
{
	int status = status_of(needs, action);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), FINE);
}

/* All that is given up for these needs can be given up here. */
static bool is_given(unsigned needs)
{
	const struct sandbox_needs all = {.needs = needs};
	pid_t child = fork();
	int status;

	if (child == 0) {
		setenv("BINLOG_SANDBOX", "require", 1);
		_exit(sandbox_enter(&all) ? NOT_CONFINED : FINE);
	}
	return waitpid(child, &status, 0) == child && status == 0;
}

static bool fails(long result, int error)
{
	bool failed = result == -1 && errno == error;

	if (!failed)
		fprintf(stderr, "result %ld, errno %d, not %d\n", result, errno,
			error);
	return failed;
}

/* ---- what nobody may ---- */

static bool nothing_is_written(void)
{
	return fails(open(outside, O_WRONLY), EACCES) &&
	       fails(open(outside, O_RDWR), EACCES) &&
	       fails(open(outside, O_RDONLY | O_TRUNC), EACCES) &&
	       fails(open("/tmp/unit_sandbox_new", O_RDONLY | O_CREAT, 0600),
		       EACCES) &&
	       fails(open("/tmp", O_TMPFILE | O_RDWR, 0600), EACCES) &&
	       fails(syscall(SYS_openat, AT_FDCWD, outside, O_WRONLY),
		       EACCES) &&
	       fails(unlink(outside), ENOSYS) &&
	       fails(rename(outside, "/tmp/unit_sandbox_new"), ENOSYS) &&
	       fails(mkdir("/tmp/unit_sandbox_new", 0700), ENOSYS) &&
	       fails(link(outside, "/tmp/unit_sandbox_new"), ENOSYS) &&
	       fails(chmod(outside, 0777), ENOSYS) &&
	       fails(truncate(outside, 0), ENOSYS);
}

static bool nothing_is_executed(void)
{
	char *const arguments[] = {directory, NULL};

	return fails(execv("/bin/true", arguments), ENOSYS) &&
	       fails(syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments,
			     NULL, 0),
		       ENOSYS);
}

static bool nobody_is_reached(void)
{
	char byte = 0;
	struct {
		void *base;
		size_t bytes;
	} here = {&byte, 1};

	return fails(socket(AF_INET, SOCK_STREAM, 0), ENOSYS) &&
	       fails(socket(AF_UNIX, SOCK_STREAM, 0), ENOSYS) &&
	       fails(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL), ENOSYS) &&
	       fails(syscall(SYS_process_vm_readv, getppid(), &here, 1, &here,
			     1, 0),
		       ENOSYS) &&
	       fails(kill(getppid(), SIGTERM), ENOSYS) &&
	       fails(kill(-1, SIGTERM), ENOSYS) &&
	       fails(syscall(SYS_tgkill, getppid(), getppid(), SIGTERM),
		       ENOSYS) &&
	       fails(fcntl(0, F_SETOWN, getppid()), ENOSYS) &&
	       fails(ioctl(0, TIOCSTI, "x"), ENOSYS) &&
	       fails(syscall(SYS_io_uring_setup, 1, NULL), ENOSYS) &&
	       fails(syscall(SYS_prlimit64, getppid(), 0, NULL, NULL), ENOSYS);
}

static bool no_code_is_made(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);

	return page != MAP_FAILED &&
	       fails(mprotect(page, 4096, PROT_READ | PROT_EXEC), ENOSYS) &&
	       mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1,
		       0) == MAP_FAILED;
}

static bool nobody_does_harm(void)
{
	return nothing_is_written() && nothing_is_executed() &&
	       nobody_is_reached() && no_code_is_made();
}

static void who_reads_cannot_write_execute_or_reach_others(void **state)
{
	const struct sandbox_needs none = {0};

	(void)state;
	if (!is_given(SANDBOX_PROCESSES))
		skip();
	assert_all(&none, nobody_does_harm);
}

static bool others_are_left_alone(void)
{
	return nothing_is_executed() &&
	       fails(socket(AF_INET, SOCK_STREAM, 0), ENOSYS) &&
	       fails(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL), ENOSYS) &&
	       fails(kill(getppid(), SIGTERM), ENOSYS) &&
	       fails(ioctl(0, TIOCSTI, "x"), ENOSYS);
}

static void whatever_is_needed_is_all_that_is_kept(void **state)
{
	unsigned need;

	(void)state;
	if (!is_given(SANDBOX_PROCESSES))
		skip();
	for (need = 1; need < SANDBOX_DOWNLOADS; need <<= 1)
		assert_all(&(struct sandbox_needs){.needs = need},
			others_are_left_alone);
	assert_all(&(struct sandbox_needs){.needs = SANDBOX_DOWNLOADS},
		nothing_is_executed);
}

/* ---- what is left ---- */

static bool files_are_read(void)
{
	char byte;
	int fd = open(outside, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *text = malloc((size_t)1 << 24);
	bool fine = text && fd >= 0 && fstat(fd, &status) == 0 &&
		    pread(fd, &byte, 1, 0) == 1 &&
		    (kill(getppid(), 0) == 0 || errno == EPERM);

	if (fd >= 0)
		close(fd);
	free(text);
	return fine && time(NULL) > 0 && getpid() > 0;
}

static void files_can_be_read_and_memory_be_had(void **state)
{
	const struct sandbox_needs none = {0};

	(void)state;
	assert_all(&none, files_are_read);
}

static bool a_child_lives(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(open(outside, O_WRONLY) < 0 ? FINE : TROUBLE);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void a_child_is_bound_likewise(void **state)
{
	const struct sandbox_needs needs = {.needs = SANDBOX_WORKER};

	(void)state;
	if (!is_given(SANDBOX_PROCESSES))
		skip();
	assert_all(&needs, a_child_lives);
}

static bool files_are_made_there_alone(void)
{
	char path[128], other[128];
	int fd;

	snprintf(path, sizeof(path), "%s/file", directory);
	snprintf(other, sizeof(other), "%s/other", directory);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	return fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0 &&
	       rename(path, other) == 0 && unlink(other) == 0 &&
	       fails(open(outside, O_WRONLY), EACCES) &&
	       fails(open("/tmp/unit_sandbox_new", O_WRONLY | O_CREAT, 0600),
		       EACCES) &&
	       fails(unlink(outside), EACCES);
}

static void who_makes_files_makes_them_in_his_directories(void **state)
{
	struct sandbox_needs needs = {.needs = SANDBOX_WRITES};

	(void)state;
	if (!is_given(0))
		skip();
	sandbox_allow_below(&needs, directory);
	sandbox_allow_below(&needs, "/tmp/there is none");
	assert_all(&needs, files_are_made_there_alone);
	needs.needs = SANDBOX_KEEPS;
	assert_all(&needs, files_are_made_there_alone);
}

/* ---- other ways in ---- */

#ifdef __x86_64__
static bool by_another_number(void)
{
	return syscall(SYS_getpid | 0x40000000) == -1;
}

static bool by_the_old_gate(void)
{
	long result = 20; /* getpid() of 32 bits */

	signal(SIGSEGV, SIG_DFL); /* cmocka's handler would end it otherwise */
	__asm__ volatile("int $0x80" : "+a"(result) : : "memory");
	return false;
}
#endif

static void calls_of_another_architecture_are_deadly(void **state)
{
	(void)state;
#ifdef __x86_64__
	const struct sandbox_needs none = {0};
	int status;

	if (!is_given(SANDBOX_PROCESSES))
		skip();
	status = status_of(&none, by_another_number);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	/* SIGSEGV: a kernel without that gate */
	status = status_of(&none, by_the_old_gate);
	assert_true(
		WIFSIGNALED(status) &&
		(WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV));
#else
	skip();
#endif
}

/* ---- who decides ---- */

static bool it_can_be_written(void)
{
	int fd = open(outside, O_WRONLY);

	return fd >= 0;
}

static void a_person_can_leave_it_out(void **state)
{
	const struct sandbox_needs none = {0};

	(void)state;
	setenv("BINLOG_SANDBOX", "off", 1);
	assert_all(&none, it_can_be_written);
	unsetenv("BINLOG_SANDBOX");
}

static void what_cannot_be_meant_is_refused(void **state)
{
	const struct sandbox_needs none = {0};

	(void)state;
	setenv("BINLOG_SANDBOX", "of", 1);
	assert_non_null(
		strstr(sandbox_enter(&none), "neither off nor require"));
	unsetenv("BINLOG_SANDBOX");
}

static int make_files(void **state)
{
	int fd;

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(outside, sizeof(outside), "%s.file", directory);
	fd = open(outside, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return fd >= 0 && write(fd, "x", 1) == 1 ? close(fd) : -1;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(outside);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			who_reads_cannot_write_execute_or_reach_others),
		cmocka_unit_test(whatever_is_needed_is_all_that_is_kept),
		cmocka_unit_test(files_can_be_read_and_memory_be_had),
		cmocka_unit_test(a_child_is_bound_likewise),
		cmocka_unit_test(who_makes_files_makes_them_in_his_directories),
		cmocka_unit_test(calls_of_another_architecture_are_deadly),
		cmocka_unit_test(a_person_can_leave_it_out),
		cmocka_unit_test(what_cannot_be_meant_is_refused),
	};

	unsetenv("BINLOG_SANDBOX");
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
