#include "tools/run/selftest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/program/elf_image.h"

/* ---- what is recorded ---- */

static const char program_name[] = "binlog-run, to test itself";

#define CALLS 20000
/* Where the program writes how long they took: no output of its own. */
#define TIME_FD 9

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A name that is looked for in the stack of what it says. */
static __attribute__((noinline)) int selftest_speaks(void)
{
	uint64_t begun, taken;
	int i;

	printf("text, and a percent sign: %%\n");
	printf("%s|%-8s|%8s|%.3s|%c\n", "string", "left", "right", "cut", 'c');
	printf("%d %+d %05d %x %#o %lu %lld\n", -1, 2, 3, 0xbeefu, 8, 1ul << 40,
		-(1ll << 50));
	printf("%f %.3f %e %g %a\n", 0.1, 2.0 / 3, 1e300, 1e-5, 1.5);
	printf("%*d|%-*d|%.*f\n", 6, 42, 6, 42, 2, 2.71828);
	puts("puts");
	fwrite("bytes\0of fwrite\n", 1, 16, stdout);
	begun = nanoseconds();
	for (i = 0; i < CALLS; i++)
		printf("call %d of %s\n", i, "many");
	taken = nanoseconds() - begun;
	return write(TIME_FD, &taken, sizeof(taken)) == sizeof(taken) &&
			       fflush(stdout) == 0
		       ? 0
		       : 1;
}

bool selftest_is_program(const char *name, int *status)
{
	if (!name || strcmp(name, program_name) != 0)
		return false;
	*status = selftest_speaks();
	return true;
}

/* ---- how it is run ---- */

/* Longer than all of it takes on the slowest machine. */
#define SECONDS 60

struct selftest {
	char directory[PATH_MAX];
	char library[PATH_MAX];
	char loader[PATH_MAX];
	char show[PATH_MAX];
	sigset_t mask; /* the caller's */
	struct refusal *refusal;
};

/* In the directory. */
static void name_in(const struct selftest *test, const char *name,
	char path[static PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%.3000s/%s", test->directory, name) < 0)
		path[0] = '\0';
}

/* Becomes a file of the directory. */
static bool redirect(const struct selftest *test, const char *name, int fd)
{
	char path[PATH_MAX];
	int file;

	name_in(test, name, path);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return file >= 0 && dup2(file, fd) == fd;
}

/* Settings of whoever asks would be those of the test. */
static void clear_environment(void)
{
	extern char **environ;
	char name[64];
	size_t i = 0;

	unsetenv("LD_PRELOAD");
	while (environ[i]) {
		size_t length = strcspn(environ[i], "=");

		if (strncmp(environ[i], "BINLOG_", 7) != 0 ||
			length >= sizeof(name)) {
			i++;
			continue;
		}
		memcpy(name, environ[i], length);
		name[length] = '\0';
		unsetenv(name);
	}
}

enum with { OWN_SETTINGS, NATIVELY, RECORDED };

/* Its exit status, or -1.  `out`: where its output goes; null: to ours. */
static int run(const struct selftest *test, enum with with, const char *out,
	const char *path, const char *const arguments[])
{
	char capture[PATH_MAX];
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();

	if (child == 0) {
		name_in(test, "capture", capture);
		if ((out && !redirect(test, out, STDOUT_FILENO)) ||
			!redirect(test, "errors", STDERR_FILENO) ||
			!redirect(test, "time", TIME_FD))
			_exit(127);
		if (with != OWN_SETTINGS)
			clear_environment();
		if (with == RECORDED) {
			setenv("LD_PRELOAD", test->library, 1);
			setenv("BINLOG_DIR", capture, 1);
			/* None else. */
			setenv("XDG_STATE_HOME", test->directory, 1);
		}
		alarm(SECONDS);
		sigprocmask(SIG_SETMASK, &test->mask, NULL);
		execv(path, (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* All of a file; null: it cannot be read.  A byte 0 is behind it. */
static char *read_all(
	const struct selftest *test, const char *name, size_t *size)
{
	char path[PATH_MAX];
	struct stat st;
	char *text = NULL;
	int fd;

	name_in(test, name, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	*size = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size < 1 << 26)
		text = calloc(1, (size_t)st.st_size + 1);
	while (text && *size < (size_t)st.st_size) {
		ssize_t n = read(fd, text + *size, (size_t)st.st_size - *size);

		if (n <= 0)
			break;
		*size += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* ---- what is looked at ---- */

static bool fails(
	const struct selftest *test, const char *what, const char *advice)
{
	size_t size;
	char *errors = read_all(test, "errors", &size);
	const char *line = errors ? errors : "";

	refusal_set(test->refusal, REFUSAL_POINTLESS, "%s%s%.*s: %s", what,
		*line ? ": " : "", (int)strcspn(line, "\n"), line, advice);
	free(errors);
	return false;
}

/* What the library itself says of this place. */
static bool tell_about(const struct selftest *test)
{
	const char *const arguments[] = {test->loader, test->library, NULL};
	return run(test, OWN_SETTINGS, NULL, test->loader, arguments) == 0 ||
	       fails(test, "libbinlog.so does not run",
		       "build or install it again");
}

static uint64_t time_of(const struct selftest *test)
{
	size_t size;
	char *bytes = read_all(test, "time", &size);
	uint64_t taken = 0;

	if (bytes && size == sizeof(taken))
		memcpy(&taken, bytes, sizeof(taken));
	free(bytes);
	return taken / CALLS;
}

static bool is_same(
	const struct selftest *test, const char *a, const char *b, size_t *size)
{
	size_t other;
	char *one = read_all(test, a, size);
	char *two = read_all(test, b, &other);
	bool same =
		one && two && *size == other && memcmp(one, two, other) == 0;

	free(one);
	free(two);
	return same;
}

static bool is_empty(const struct selftest *test, const char *name)
{
	size_t size;

	free(read_all(test, name, &size));
	return size == 0;
}

/* The same program twice, and what it said in both. */
static bool record(const struct selftest *test)
{
	const char *const arguments[] = {program_name, NULL};
	uint64_t natively, recorded;
	char capture[PATH_MAX];

	if (run(test, NATIVELY, "native", "/proc/self/exe", arguments) != 0)
		return fails(test, "a small program could not be run",
			"look at the space in the directory of temporary "
			"files");
	natively = time_of(test);
	if (run(test, RECORDED, "written", "/proc/self/exe", arguments) != 0)
		return fails(test,
			"a small program did not end well when it "
			"was recorded",
			"see binlog-run(1)");
	recorded = time_of(test);
	name_in(test, "capture", capture);
	if (access(capture, F_OK) != 0 || !is_empty(test, "written"))
		return fails(test, "the small program was not recorded",
			"see what was said above of libc and directory");
	printf("recorded: %d calls, none of which was written\n", CALLS + 7);
	printf("a call: %" PRIu64 " ns, without being recorded %" PRIu64
	       " ns\n",
		recorded, natively);
	return true;
}

static bool read_back(const struct selftest *test)
{
	char capture[PATH_MAX];
	const char *const arguments[] = {test->show, "--raw", "--quiet",
		"--stream=stdout", capture, NULL};
	size_t size;

	name_in(test, "capture", capture);
	if (run(test, NATIVELY, "shown", test->show, arguments) != 0)
		return fails(test, "the record could not be read back",
			"build or install all of binlog together");
	if (!is_same(test, "native", "shown", &size))
		return fails(test,
			"what was read back is not what the program says "
			"natively",
			"report it, with the lines above");
	printf("read back: %zu bytes, as they are natively\n", size);
	return true;
}

/* Not without which nothing could be read: no reason to fail. */
static void tell_names(const struct selftest *test)
{
	char capture[PATH_MAX];
	const char *const arguments[] = {
		test->show, "--stacks", "--quiet", "--lines=1", capture, NULL};
	size_t size;
	char *shown = NULL;

	name_in(test, "capture", capture);
	if (run(test, NATIVELY, "stacks", test->show, arguments) == 0)
		shown = read_all(test, "stacks", &size);
	if (shown && strstr(shown, "selftest_speaks"))
		puts("stacks: with the names of functions");
	else if (shown && strstr(shown, "#0 "))
		puts("stacks: yes; names are not in binlog-run, as it is "
		     "stripped");
	else
		puts("stacks: not known: binlog-show did not show one");
	free(shown);
}

/* ---- all ---- */

static bool find_parts(struct selftest *test)
{
	static const char *const places[] = {"binlog-show", NULL};
	struct elf_image library;
	bool good;

	if (!preload_find_library(test->library, &library, test->refusal))
		return false;
	good = elf_image_loader(&library, test->loader, sizeof(test->loader));
	elf_image_close(&library);
	if (!good)
		return refusal_set(test->refusal, REFUSAL_POINTLESS,
			"%s: it names no loader: build or install it again",
			test->library);
	if (!preload_find_beside(places, test->show))
		return refusal_set(test->refusal, REFUSAL_POINTLESS,
			"binlog-show: not beside binlog-run: build or install "
			"both together");
	printf("library: %s\n", test->library);
	return true;
}

static bool make_directory(struct selftest *test)
{
	const char *place = getenv("TMPDIR");

	snprintf(test->directory, sizeof(test->directory),
		"%.3000s/binlog-selftest.XXXXXX",
		place && *place == '/' ? place : "/tmp");
	return mkdtemp(test->directory) ||
	       refusal_set(test->refusal, REFUSAL_POINTLESS,
		       "%s: %s: set TMPDIR to a directory that can be written "
		       "to",
		       test->directory, strerror(errno));
}

/* Directories are two deep. */
static void remove_in(const char *directory, unsigned depth)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		char path[PATH_MAX];

		if (strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0 ||
			snprintf(path, sizeof(path), "%.3500s/%.500s",
				directory, entry->d_name) < 0)
			continue;
		if (unlink(path) != 0 && depth > 0)
			remove_in(path, depth - 1);
	}
	if (entries)
		closedir(entries);
	rmdir(directory);
}

bool selftest_run(struct refusal *refusal)
{
	struct selftest test = {.refusal = refusal};
	struct utsname kernel;
	sigset_t wait;
	bool good;

	/* Until all is gone again. */
	sigemptyset(&wait);
	sigaddset(&wait, SIGINT);
	sigaddset(&wait, SIGTERM);
	sigaddset(&wait, SIGHUP);
	sigprocmask(SIG_BLOCK, &wait, &test.mask);
	fflush(stdout);
	good = find_parts(&test) && make_directory(&test);
	if (good) {
		if (uname(&kernel) == 0)
			printf("kernel: %s %s\n", kernel.sysname,
				kernel.release);
		fflush(stdout);
		good = tell_about(&test) && record(&test) && read_back(&test);
		if (good)
			tell_names(&test);
		remove_in(test.directory, 3);
	}
	if (good)
		puts("ok");
	sigprocmask(SIG_SETMASK, &test.mask, NULL);
	if (fflush(stdout) != 0)
		return refusal_set(refusal, REFUSAL_POINTLESS,
			"standard output: %s: look where it leads",
			strerror(errno));
	return good;
}
