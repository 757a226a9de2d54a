#include "tools/run/end_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/elsewhere_place.h"
#include "base/sentence.h"
#include "record/layout.h"
#include "record/linux.h"
#include "record/switches.h"
#include "rules/policy.h"
#include "sandbox/sandbox.h"

/* ---- before ---- */

bool end_watch_is_of_use(void)
{
	return isatty(STDERR_FILENO);
}

static enum policy_mode mode_of(unsigned stream)
{
	const char *list = getenv("BINLOG_STREAMS");
	enum policy_mode mode = POLICY_AUTO;
	struct policy_item item;

	while (list && policy_next(&list, &item))
		if (!item.wrong && item.streams & stream)
			mode = item.mode;
	return mode;
}

/* What is in a configuration is not known here. */
static bool is_hidden(unsigned stream, int fd)
{
	const char *config = getenv("BINLOG_CONFIG");
	enum policy_mode mode = mode_of(stream);
	struct stat st;

	if (mode != POLICY_AUTO)
		return mode == POLICY_REPLACE;
	return !(config && *config) && fstat(fd, &st) == 0 &&
	       (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(fd));
}

void end_watch_say_hidden(void)
{
	bool out = is_hidden(POLICY_STDOUT, STDOUT_FILENO);
	bool err = is_hidden(POLICY_STDERR, STDERR_FILENO);
	bool prompts = err || (out && isatty(STDOUT_FILENO));

	if (out || err)
		sentence_say("binlog-run: %s%s%s recorded, not written%s; "
			     "--streams=all=tee does both",
			out ? "standard output" : "", out && err ? " and " : "",
			out && err ? "error are"
			: err	   ? "standard error is"
				   : " is",
			prompts ? " (prompts are)" : "");
}

/* ---- the watcher ---- */

/* Until there is a capture it is looked for so often. */
enum { LOOK_MS = 1, LOOK_LONG_MS = 50, LOOKS_OFTEN = 100, LOOKS = 1000 };
/* The program may go on as another one, whose capture is another. */
enum { STEP_MS = 100 };
/* A shell needs less to print its prompt. */
enum { PROMPT_MS = 50 };

static struct {
	struct summary *summary;
	pid_t process;
	pid_t parent; /* of it */
	pid_t group;
	int pidfd;
	uint64_t begun; /* realtime, ns */
	struct binlog_header header;
	struct binlog_header *page; /* mapped; null: no capture is known */
	pthread_mutex_t lock;
	bool told;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static long futex(uint32_t *word, int what, uint32_t value, unsigned ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

	return syscall(SYS_futex, word, what, value, &time, NULL, 0);
}

static bool has_ended(int ms)
{
	struct pollfd poll_it = {.fd = watch.pidfd, .events = POLLIN};

	return poll(&poll_it, 1, ms) > 0;
}

/* A capture of the process that is later than the one that is known. */
static bool is_later(int fd, struct binlog_header *header)
{
	return pread(fd, header, sizeof(*header), 0) ==
		       (ssize_t)sizeof(*header) &&
	       memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
		       0 &&
	       header->pid == (uint32_t)watch.process &&
	       header->start.realtime + 1000000000u > watch.begun &&
	       (!watch.page ||
		       header->start.realtime > watch.header.start.realtime);
}

static void look_at(int directory, const char *name)
{
	struct binlog_header header;
	void *page;
	int fd = openat(directory, name,
		O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return;
	if (is_later(fd, &header)) {
		page = mmap(NULL, BINLOG_PAGE, PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);
		if (page != MAP_FAILED) {
			if (watch.page)
				munmap(watch.page, BINLOG_PAGE);
			watch.page = page;
			watch.header = header;
		}
	}
	close(fd);
}

static void look_in(const char *path)
{
	DIR *entries = opendir(path);
	const struct dirent *entry;
	char number[24];

	snprintf(number, sizeof(number), "-%d-", (int)watch.process);
	while (entries && (entry = readdir(entries)))
		if (strstr(entry->d_name, number) &&
			strstr(entry->d_name, BINLOG_SUFFIX))
			look_at(dirfd(entries), entry->d_name);
	if (entries)
		closedir(entries);
}

static void look(void)
{
	const char *asked = watch.summary->directory;
	char path[PATH_MAX];
	unsigned place;

	look_in(asked);
	for (place = 0; place < ELSEWHERE_PLACES && !watch.page; place++)
		if (elsewhere_place_find(place, asked, path))
			look_in(path);
}

/* Groups of the parent and in front of its terminal, out of its stat file,
 * where they are behind `(NAME) STATE`.  False: it is not there. */
static bool look_at_parent(int *group, int *front)
{
	char name[32], text[512];
	const char *behind;
	ssize_t length;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)watch.parent);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	behind = strrchr(text, ')');
	return behind &&
	       sscanf(behind, ") %*c %*d %d %*d %*d %d", group, front) == 2;
}

/*
 * The program was in the background, or is gone, and a shell with jobs has the
 * terminal, which it takes at once.
 */
static bool a_prompt_stands_there(void)
{
	int group, front;

	if (has_ended(0) && look_at_parent(&group, &front) &&
		group != watch.group)
		poll(NULL, 0, PROMPT_MS);
	return look_at_parent(&group, &front) && front > 0 &&
	       front != watch.group;
}

/* By a process that has given up its rights: captures may hold anything. */
static void tell(void)
{
	static const struct sandbox_needs needs = {0};
	pid_t child = fork();

	if (child == 0) {
		const char *wrong;

		if (a_prompt_stands_there() &&
			write(STDERR_FILENO, "\n", 1) != 1)
			_exit(0);
		wrong = sandbox_enter(&needs);
		if (wrong)
			sentence_say("binlog-run: %s", wrong);
		else
			summary_say(watch.summary,
				watch.page ? watch.header.run : 0);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void tell_once(void)
{
	pthread_mutex_lock(&watch.lock);
	if (!watch.told)
		tell();
	watch.told = true;
	pthread_mutex_unlock(&watch.lock);
}

/* The program waits meanwhile, if it is there still. */
static void answer(uint32_t *telling)
{
	uint32_t before = TELLING_ENDS;

	if (!__atomic_compare_exchange_n(telling, &before, TELLING_SEEN, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	tell_once();
	__atomic_store_n(telling, TELLING_DONE, __ATOMIC_RELEASE);
	futex(telling, FUTEX_WAKE, INT_MAX, 0);
}

static bool has_executed(void)
{
	const struct binlog_founder *founder =
		(const void *)((const char *)watch.page +
			       BINLOG_FOUNDER_OFFSET);

	return __atomic_load_n(&founder->end, __ATOMIC_ACQUIRE) ==
	       BINLOG_TEXT_EXECUTE;
}

/* Never ends: the other thread does. */
static void *attend(void *unused)
{
	unsigned looks;

	for (looks = 0; !watch.page && looks < LOOKS; looks++) {
		look();
		if (!watch.page)
			poll(NULL, 0,
				looks < LOOKS_OFTEN ? LOOK_MS : LOOK_LONG_MS);
	}
	while (watch.page) {
		uint32_t *telling = &switches_of(watch.page)->telling;

		answer(telling);
		futex(telling, FUTEX_WAIT, TELLING_NOT, STEP_MS);
		if (__atomic_load_n(telling, __ATOMIC_ACQUIRE) > TELLING_ENDS)
			break;
		if (has_executed())
			look();
	}
	return unused;
}

static void close_range_of(int first, int last)
{
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	if (last > 65536)
		last = 65536;
	for (; first <= last; first++)
		close(first);
}

/* Nobody's descriptors but these. */
static void keep_only(int kept[], size_t count)
{
	int next = 0;
	size_t i, k;

	for (i = 0; i < count; i++) {
		for (k = i + 1; k < count; k++)
			if (kept[k] < kept[i]) {
				int other = kept[i];

				kept[i] = kept[k];
				kept[k] = other;
			}
		close_range_of(next, kept[i] - 1);
		next = kept[i] + 1;
	}
	close_range_of(next, INT_MAX);
}

static _Noreturn void run_watcher(int started)
{
	int kept[] = {STDERR_FILENO, started, watch.pidfd,
		watch.summary->output ? watch.summary->output_fd : -1};
	pthread_t thread;
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	keep_only(kept, sizeof(kept) / sizeof(*kept));
	/* It may be the last process that has its memory below there. */
	if (chdir("/") != 0 || read(started, &byte, 1) != 0)
		_exit(0);
	close(started);
	if (pthread_create(&thread, NULL, attend, NULL) == 0)
		pthread_detach(thread);
	while (!has_ended(-1) && errno == EINTR)
		;
	pthread_mutex_lock(&watch.lock);
	if (!watch.told && !watch.page)
		look();
	pthread_mutex_unlock(&watch.lock);
	tell_once();
	_exit(0);
}

static void find_output(struct summary *summary)
{
	static char path[PATH_MAX];
	char here[PATH_MAX];
	struct stat st;
	ssize_t length;
	size_t above;

	if (fstat(STDOUT_FILENO, &st) != 0 || !S_ISREG(st.st_mode) ||
		!is_hidden(POLICY_STDOUT, STDOUT_FILENO))
		return;
	length = readlink("/proc/self/fd/1", path, sizeof(path) - 1);
	if (length <= 0)
		return;
	path[length] = '\0';
	summary->output = path;
	summary->output_bytes = st.st_size;
	summary->output_fd = STDOUT_FILENO;
	if (!getcwd(here, sizeof(here)))
		return;
	above = strlen(here);
	if (strncmp(path, here, above) == 0 && path[above] == '/')
		summary->output = path + above + 1;
}

/* As fork(2), but no signal tells of its end, and none stays pending. */
static pid_t fork_quietly(void)
{
	return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}

int end_watch_begin(struct summary *summary)
{
	struct timespec now;
	int ends[2];
	pid_t child;

	/* All that is orphaned in its namespace is a child of process 1. */
	if (getpid() == 1 || pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	find_output(summary);
	clock_gettime(CLOCK_REALTIME, &now);
	watch.summary = summary;
	watch.process = getpid();
	watch.parent = getppid();
	watch.group = getpgrp();
	watch.begun =
		(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	watch.pidfd = (int)syscall(SYS_pidfd_open, watch.process, 0);
	child = watch.pidfd < 0 ? -1 : fork_quietly();
	if (child == 0) {
		close(ends[1]);
		if (fork() != 0)
			_exit(0);
		run_watcher(ends[0]);
	}
	while (child > 0 && waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
	close(ends[0]);
	if (watch.pidfd >= 0)
		close(watch.pidfd);
	if (child > 0)
		return ends[1];
	close(ends[1]);
	return -1;
}

void end_watch_cancel(int watcher)
{
	ssize_t written = watcher < 0 ? 0 : write(watcher, "", 1);

	(void)written;
}
