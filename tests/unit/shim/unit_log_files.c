/*
 * Which files are those that BINLOG_STREAMS asks for: with what open(2) and
 * realpath(3) say of them as the oracle, while the k-th system call fails, and
 * in the children of a program that has changed its directory.
 */
#include "shim/host/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "shim/control/log_files.h"
#include "shim/host/environment.h"
#include "tests/unit/world/inject_calls.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define ODD "a*b[c]\\d,e"

enum { RIGHT, OVER = 70, IMPOSSIBLE, REFUSED, WRONG_MODE, WRONG_PATH, KILLED };

static const struct inject_call calls[] = {
	{SYS_openat, EACCES},
	{SYS_readlinkat, ENAMETOOLONG},
	{SYS_mmap, ENOMEM},
	{SYS_munmap, ENOMEM},
	{SYS_close, EIO},
};

static char directory[] = "/tmp/binlog-test-XXXXXX";
static char handed_down[16 * PATH_MAX];

/* ---- what it finds around it ---- */

void environment_set(const char *name, const char *value)
{
	if (strcmp(name, "BINLOG_STREAMS=") == 0)
		strncpy(handed_down, value, sizeof(handed_down) - 1);
}

/* ---- each in a process of its own ---- */

static int end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : KILLED;
}

static int wrong_with(int (*what)(void))
{
	char command[64] = "rm -rf ";
	pid_t pid;
	int wrong;

	strcpy(directory, "/tmp/binlog-test-XXXXXX");
	assert_non_null(mkdtemp(directory));
	pid = fork();
	if (pid == 0)
		_exit(chdir(directory) != 0 ? REFUSED : what());
	wrong = end_of(pid);
	assert_int_equal(system(strcat(command, directory)), 0);
	return wrong;
}

static void happens(int (*what)(void))
{
	int wrong = wrong_with(what);

	if (wrong == IMPOSSIBLE)
		skip();
	assert_int_equal(wrong, RIGHT);
}

static int make(const char *name)
{
	return open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static enum policy_mode mode_of(int fd, const char **path)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		_exit(REFUSED);
	return log_files_find(fd, &st, path);
}

/* Right if it is as wanted, with the path that libc knows. */
static int look(const char *name, enum policy_mode wanted)
{
	char real[PATH_MAX];
	const char *path, *again;
	int fd = make(name);

	if (mode_of(fd, &path) != wanted)
		return WRONG_MODE;
	if (wanted == POLICY_PASS)
		return path ? WRONG_PATH : RIGHT;
	if (!realpath(name, real) || strcmp(path, real) != 0)
		return WRONG_PATH;
	mode_of(fd, &again);
	close(fd);
	return again == path ? RIGHT : WRONG_PATH;
}

/* ---- names ---- */

static int ask_for_files(void)
{
	static const struct {
		const char *name;
		enum policy_mode mode;
	} files[] = {
		{"logs/a.log", POLICY_REPLACE},
		{"logs/a.txt", POLICY_PASS},
		{"a.log", POLICY_PASS},
		{"logs/b.log", POLICY_TEE},
		{"logs/secret.log", POLICY_PASS},
		{"logs/x.binlog", POLICY_PASS},
		{"logs/x.binlog.new", POLICY_PASS},
		{"logs/c.log (deleted)", POLICY_PASS},
		{"logs/e.log (deleted)", POLICY_TEE},
		{"anywhere", POLICY_TEE},
		{"link/a.log", POLICY_REPLACE},
	};

	if (mkdir(ODD, 0700) != 0 || chdir(ODD) != 0 ||
		mkdir("logs", 0700) != 0 || symlink("logs", "link") != 0)
		return REFUSED;
	if (!log_files_configure("stdout=tee,file:logs/*.log=replace,"
				 "file:link/b*=auto,file:secret.*=replace,"
				 "file:./logs/secret*=pass,file:wrong=no,"
				 "file:logs/e.log*=tee,file:anywhere=tee,"
				 "file:later/*=tee,file:**/*.binlog=tee,"
				 "file:/nowhere/*=tee") ||
		!log_files_any)
		return REFUSED;
	for (size_t i = 0; i < LENGTH(files); i++)
		if (look(files[i].name, files[i].mode))
			return WRONG_MODE;
	if (mkdir("later", 0700) != 0 || look("later/x", POLICY_TEE))
		return WRONG_PATH;
	return RIGHT;
}

static void what_is_asked_for_is_found(void **state)
{
	(void)state;
	happens(ask_for_files);
}

/* What a child is told means the same in another directory. */
static int hand_down(void)
{
	static char given[sizeof(handed_down)];

	if (mkdir(ODD, 0700) != 0 || chdir(ODD) != 0 ||
		mkdir("logs", 0700) != 0 ||
		!log_files_configure("file:logs/*.log=replace,file:new/*=tee"))
		return REFUSED;
	strcpy(given, handed_down);
	if (chdir("/") != 0 || !log_files_configure(given) ||
		strcmp(given, handed_down) != 0)
		return WRONG_PATH;
	if (chdir(directory) != 0 || look(ODD "/logs/a.log", POLICY_REPLACE) ||
		mkdir(ODD "/new", 0700) != 0 || look(ODD "/new/a", POLICY_TEE))
		return WRONG_MODE;
	return RIGHT;
}

static void children_are_told_the_same(void **state)
{
	(void)state;
	happens(hand_down);
}

static int ask_for_none(void)
{
	const char *path;

	if (!log_files_configure("stdout=tee,file:=tee,file:x=no") ||
		log_files_any || *handed_down)
		return WRONG_MODE;
	return mode_of(make("x"), &path) == POLICY_PASS ? RIGHT : WRONG_MODE;
}

/* ---- what is no log ---- */

static int open_others(void)
{
	int deleted = make("deleted.log");
	int unnamed = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	const char *path;
	int ends[2];

	if (!log_files_configure("file:/**=replace,file:*=replace") ||
		pipe(ends) != 0 || unlink("deleted.log") != 0)
		return REFUSED;
	if (mode_of(ends[1], &path) != POLICY_PASS ||
		mode_of(memfd_create("a", MFD_CLOEXEC), &path) != POLICY_PASS ||
		mode_of(open("/dev/null", O_WRONLY | O_CLOEXEC), &path) !=
			POLICY_PASS ||
		(unnamed >= 0 && mode_of(unnamed, &path) != POLICY_PASS))
		return WRONG_MODE;
	/* that had a name when it was opened */
	if (mode_of(deleted, &path) != POLICY_REPLACE ||
		strcmp(path + strlen(path) - 12, "/deleted.log") != 0)
		return WRONG_PATH;
	return RIGHT;
}

static void what_has_no_name_is_no_log(void **state)
{
	(void)state;
	happens(open_others);
	happens(ask_for_none);
}

/* ---- limits ---- */

/* Paths of some thousand bytes, and one that nobody can be told. */
static int go_deep(void)
{
	static char name[200];
	const char *path;
	int fd;

	memset(name, 'd', sizeof(name) - 1);
	if (!log_files_configure("file:*.log=replace"))
		return REFUSED;
	for (int depth = 0; depth < 25; depth++) {
		if (mkdir(name, 0700) != 0 || chdir(name) != 0)
			return REFUSED;
		if (depth < 20 && look("x.log", POLICY_REPLACE))
			return WRONG_PATH;
	}
	fd = make("x.log");
	return mode_of(fd, &path) == POLICY_AUTO && !path ? RIGHT : WRONG_MODE;
}

static int keep_many(void)
{
	static const char *kept[3000];
	char name[16] = "0000.log", real[PATH_MAX];

	if (!log_files_configure("file:*.log=replace"))
		return REFUSED;
	for (unsigned i = 0; i < LENGTH(kept); i++) {
		int fd;

		for (unsigned n = 0, rest = i; n < 4; n++, rest /= 10)
			name[3 - n] = (char)('0' + rest % 10);
		fd = make(name);
		if (mode_of(fd, &kept[i]) != POLICY_REPLACE)
			return WRONG_MODE;
		close(fd);
	}
	for (unsigned i = 0; i < LENGTH(kept); i++) {
		for (unsigned n = 0, rest = i; n < 4; n++, rest /= 10)
			name[3 - n] = (char)('0' + rest % 10);
		if (!realpath(name, real) || strcmp(real, kept[i]) != 0)
			return WRONG_PATH;
	}
	return RIGHT;
}

/* The last of many rules: so many are there, and no more. */
static int ask_for_many(void)
{
	static char list[4096];

	for (int i = 0; i < 63; i++)
		strcat(list, "file:none=tee,");
	strcat(list, "file:a.log=tee,file:b.log=tee");
	if (!log_files_configure(list))
		return REFUSED;
	return look("a.log", POLICY_TEE) || look("b.log", POLICY_PASS)
		       ? WRONG_MODE
		       : RIGHT;
}

static void paths_may_be_long_and_many(void **state)
{
	(void)state;
	happens(go_deep);
	happens(keep_many);
	happens(ask_for_many);
}

/* ---- each call may fail ---- */

static unsigned long which;
static bool always;

static int ask_with_faults(void)
{
	const char *path = NULL, *other = NULL;
	char name[200] = "";
	enum policy_mode first, second;
	int a, b;

	memset(name, 'd', sizeof(name) - 1);
	for (int depth = 0; depth < 3; depth++)
		if (mkdir(name, 0700) != 0 || chdir(name) != 0)
			return REFUSED;
	if (mkdir("logs", 0700) != 0)
		return REFUSED;
	a = make("logs/a.log");
	b = make("other.log");
	if (!inject_calls_prepare(calls, LENGTH(calls)))
		return IMPOSSIBLE;
	inject_calls_begin(which, always);
	if (log_files_configure("file:logs/*=replace")) {
		first = mode_of(a, &path);
		second = mode_of(b, &other);
	} else {
		first = second = POLICY_AUTO;
	}
	inject_calls_end();
	if (inject_calls.made < which)
		return OVER;
	if ((first == POLICY_REPLACE) != (path != NULL) || other)
		return WRONG_PATH;
	/* a directory that was not found is one that may come */
	return second == POLICY_REPLACE ||
			       (which == 0 && first != POLICY_REPLACE)
		       ? WRONG_MODE
		       : RIGHT;
}

static void each_call_may_fail(void **state)
{
	int wrong = RIGHT;

	(void)state;
	for (which = 0; wrong == RIGHT; which++)
		for (int i = 0; i < 2 && wrong == RIGHT; i++) {
			always = i;
			wrong = wrong_with(ask_with_faults);
		}
	if (wrong == IMPOSSIBLE)
		skip();
	assert_int_equal(wrong, OVER);
	assert_in_range(which, 5, 100);
}

static long have_no_proc(const struct seccomp_data *call)
{
	return call->nr == SYS_readlinkat ? -ENOENT : INJECT_NONE;
}

static int be_without_proc(void)
{
	const char *path;
	int fd = make("a.log");

	if (!inject_calls_prepare(calls, LENGTH(calls)))
		return IMPOSSIBLE;
	inject_calls.instead = have_no_proc;
	inject_calls_begin(0, false);
	if (!log_files_configure("file:./*=replace,file:*=replace"))
		return REFUSED;
	return mode_of(fd, &path) == POLICY_PASS ? RIGHT : WRONG_MODE;
}

static void without_proc_no_file_is_known(void **state)
{
	(void)state;
	happens(be_without_proc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_for_is_found),
		cmocka_unit_test(children_are_told_the_same),
		cmocka_unit_test(what_has_no_name_is_no_log),
		cmocka_unit_test(paths_may_be_long_and_many),
		cmocka_unit_test(each_call_may_fail),
		cmocka_unit_test(without_proc_no_file_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
