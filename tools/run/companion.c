#include "tools/run/companion.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/in_use.h"
#include "record/layout.h"
#include "record/prepared.h"
#include "sandbox/close_from.h"

/*
 * Makes blocks of one capture ready before the program that grows it needs
 * them: claims them like a writer, backs them with disk, and hands them over
 * (record/prepared.h).  Run by the companion in a process of its own for each
 * capture that grows fast.  Promises that the program never waits for it, loses
 * nothing when it is killed, and gets the disk back that it has not used.
 */

/*
 * How many blocks are kept ready: more once they were not enough.  Taken at
 * full speed the most last for some milliseconds, in which there may be no core
 * for us.
 */
enum { BLOCKS_LEAST = 4, BLOCKS_MOST = 32 };

/* Claimed at once, so that others do not come in between. */
enum { CLAIM_BLOCKS = 8 };

/* Left of the disk to everybody else, much more than the library leaves. */
#define KEEP_FREE ((uint64_t)256 << 20)
#define KEEP_FREE_PART 16u

/* Without demand for so long, it is asked who is left. */
enum { IDLE_LEAST = 1, IDLE_MOST = 8 }; /* seconds */

struct service {
	int fd;			      /* for reading, as it was given */
	int writes;		      /* the same file for writing, or -1 */
	struct binlog_header *header; /* mapped while `writes` is open */
	struct binlog_prepared *prepared;
	uint64_t at; /* the next claimed block that is not handed over */
	uint64_t end;
	uint64_t wanted; /* blocks */
};

/* ---- the file ---- */

static bool is_sound(const struct binlog_header *header)
{
	return memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
		       0 &&
	       header->byte_order == BINLOG_BYTE_ORDER &&
	       header->version == BINLOG_VERSION;
}

static void let_go(struct service *service)
{
	if (service->header)
		munmap(service->header, BINLOG_PAGE);
	if (service->writes >= 0)
		close(service->writes);
	service->header = NULL;
	service->writes = -1;
}

/* By what is open already: its name may be another file's by now. */
static bool take_up(struct service *service)
{
	char path[40];
	void *page;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", service->fd);
	service->writes = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (service->writes < 0)
		return false;
	page = mmap(NULL, BINLOG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		service->writes, 0);
	if (page == MAP_FAILED) {
		let_go(service);
		return false;
	}
	service->header = page;
	service->prepared = prepared_of(page);
	if (is_sound(page))
		return true;
	let_go(service);
	return false;
}

/*
 * Whether a process is left that could grow the capture behind `fd`, which is
 * open for reading, and which we have not open for writing.  Where the kernel
 * does not say, it is the process that has made the file that counts.
 */
static bool prepare_has_users(int fd)
{
	enum in_use use = in_use_hold(fd);
	struct binlog_header header;

	in_use_release(fd);
	if (use != IN_USE_UNKNOWN)
		return use == IN_USE_YES;
	return pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	       (kill((pid_t)header.pid, 0) == 0 || errno != ESRCH);
}

/* ---- blocks ---- */

/* How long it is, if it still has a name; otherwise 0. */
static uint64_t size_of(const struct service *service)
{
	struct stat st;

	return fstat(service->writes, &st) == 0 && st.st_nlink > 0
		       ? (uint64_t)st.st_size
		       : 0;
}

static bool disk_has_room(const struct service *service)
{
	struct statvfs disk;
	uint64_t free, keep;

	if (fstatvfs(service->writes, &disk) != 0 || disk.f_blocks == 0)
		return true;
	free = (uint64_t)disk.f_bavail * disk.f_frsize;
	keep = (uint64_t)disk.f_blocks * disk.f_frsize / KEEP_FREE_PART;
	return free >= (keep < KEEP_FREE ? keep : KEEP_FREE) +
			       (uint64_t)CLAIM_BLOCKS * BINLOG_PREPARED_BLOCK;
}

/*
 * Only within the file as it is: to lengthen it is an agreement of those who
 * write to it, and keeps to their limits.  The half of what there is stays
 * theirs.
 */
static bool claim(struct service *service)
{
	const uint64_t block = BINLOG_PREPARED_BLOCK;
	uint64_t size = size_of(service);
	uint64_t *next = &service->header->next;
	uint64_t now = __atomic_load_n(next, __ATOMIC_RELAXED);
	uint64_t at, blocks;

	if (!disk_has_room(service))
		return false;
	do {
		at = (now + block - 1) / block * block;
		blocks = at < size ? (size - at) / block / 2 : 0;
		if (blocks == 0)
			return false;
		if (blocks > CLAIM_BLOCKS)
			blocks = CLAIM_BLOCKS;
	} while (!__atomic_compare_exchange_n(next, &now, at + blocks * block,
		false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	service->at = at;
	service->end = at + blocks * block;
	return true;
}

static bool write_zeros(const struct service *service, uint64_t at)
{
	static char zeros[BINLOG_PREPARED_BLOCK];
	size_t done = 0;

	while (done < sizeof(zeros)) {
		ssize_t n = pwrite(service->writes, zeros + done,
			sizeof(zeros) - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* False: no more can be made ready for now. */
static bool prepare_block(struct service *service)
{
	if (service->at == service->end && !claim(service))
		return false;
	if (!write_zeros(service, service->at) ||
		!prepared_give(service->prepared, service->at))
		return false;
	service->at += BINLOG_PREPARED_BLOCK;
	return true;
}

static void free_disk(const struct service *service, uint64_t at, uint64_t end)
{
	fallocate(service->writes, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)at, (off_t)(end - at));
}

/* What nobody has taken, and now nobody can. */
static void take_back(struct service *service)
{
	uint64_t at;

	if (service->writes < 0 && !take_up(service))
		return;
	while (prepared_take(service->prepared, &at))
		free_disk(service, at, at + BINLOG_PREPARED_BLOCK);
	if (service->at < service->end)
		free_disk(service, service->at, service->end);
	let_go(service);
}

/* ---- serving ---- */

/*
 * False: there was no demand in this time, or a signal.  Whoever takes a block
 * wakes us once fewer than half are left; if there are fewer anyhow, always.
 */
static bool sleep_until_wanted(struct service *service, int seconds)
{
	const struct timespec time = {.tv_sec = seconds};
	struct binlog_prepared *prepared = service->prepared;
	uint64_t left = prepared_left(prepared);
	uint64_t few = service->wanted / 2;
	bool wanted = true;

	if (left < few)
		few = left > 0 ? left : 1;
	__atomic_store_n(&prepared->wake, (uint32_t)few, __ATOMIC_SEQ_CST);
	if (prepared_left(prepared) >= left)
		wanted = syscall(SYS_futex, &prepared->wake, FUTEX_WAIT,
				 (uint32_t)few, &time, NULL, 0) == 0 ||
			 errno == EAGAIN;
	__atomic_store_n(&prepared->wake, 0, __ATOMIC_SEQ_CST);
	return wanted;
}

static void fill(struct service *service)
{
	struct binlog_prepared *prepared = service->prepared;

	if (prepared_left(prepared) == 0 && service->wanted < BLOCKS_MOST)
		service->wanted *= 2;
	while (prepared_left(prepared) < service->wanted &&
		prepare_block(service))
		;
}

/*
 * Serves the capture behind `fd`, which is open for reading, until no process
 * is left that could grow it, or there is something in the way of it.  A signal
 * with a handler makes it look at once whether there is one.
 */
static void prepare_serve(int fd)
{
	struct service service = {
		.fd = fd,
		.writes = -1,
		.wanted = BLOCKS_LEAST / 2,
	};
	int idle = IDLE_LEAST;

	while ((service.writes >= 0 || take_up(&service)) &&
		size_of(&service) > 0) {
		fill(&service);
		if (sleep_until_wanted(&service, idle)) {
			idle = IDLE_LEAST;
			continue;
		}
		let_go(&service);
		if (!prepare_has_users(fd))
			break;
		if (idle < IDLE_MOST)
			idle *= 2;
	}
	take_back(&service);
}

/* A capture that is as long as that is going to have more large blocks. */
#define SERVED_FROM (2 * (off_t)BINLOG_PREPARED_BLOCK)

/*
 * What we do ourselves is reported to us, too: so reports are read now and then
 * only, more seldom the longer there is nothing new in them.  Milliseconds.
 */
enum { PAUSE_LEAST = 1, PAUSE_MOST = 64 };

/* How often it is asked whether somebody is left.  Likewise. */
enum { ASK_LEAST = 50, ASK_MOST = 6400 };

struct companion {
	const char *directory;
	int place;   /* the directory, open */
	int reports; /* inotify */
	int first;   /* a pidfd of the run's first process; -1: it is gone */
	uint32_t first_pid;
	uint64_t since; /* CLOCK_REALTIME, nanoseconds */
	bool knows_run;
	uint64_t run;
	int pause;
};

static bool is_capture(const char *name)
{
	size_t length = strlen(name);
	size_t suffix = strlen(BINLOG_SUFFIX);

	return length > suffix &&
	       strcmp(name + length - suffix, BINLOG_SUFFIX) == 0;
}

static int open_capture(const struct companion *companion, const char *name)
{
	return openat(companion->place, name,
		O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
}

/* ---- serving ---- */

/* A handler, so that a process that sleeps looks up. */
static void look_up(int number)
{
	(void)number;
}

/* The lock on the file goes on with the child, and says that it is served. */
static void serve(struct companion *companion, int fd)
{
	if (fork() != 0)
		return;
	close(companion->reports);
	close(companion->place);
	if (companion->first >= 0)
		close(companion->first);
	prepare_serve(fd);
	_exit(0);
}

static void consider(struct companion *companion, const char *name)
{
	struct stat st;
	int fd;

	if (!is_capture(name) ||
		fstatat(companion->place, name, &st, AT_SYMLINK_NOFOLLOW) !=
			0 ||
		!S_ISREG(st.st_mode) || st.st_size < SERVED_FROM)
		return;
	fd = open_capture(companion, name);
	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && prepare_has_users(fd)) {
		companion->pause = PAUSE_LEAST;
		serve(companion, fd);
	}
	close(fd);
}

static void read_reports(struct companion *companion)
{
	union {
		struct inotify_event event;
		char bytes[65536];
	} buffer;
	const struct inotify_event *event;
	ssize_t n, at;

	while ((n = read(companion->reports, &buffer, sizeof(buffer))) > 0)
		for (at = 0; at < n;
			at += (ssize_t)(sizeof(*event) + event->len)) {
			event = (const void *)(buffer.bytes + at);
			if (event->len > 0)
				consider(companion, event->name);
		}
}

/* ---- the end ---- */

typedef bool test(struct companion *companion, int fd,
	const struct binlog_header *header);

/* Any of those that were made since we are here passes it. */
static bool any_capture(struct companion *companion, test *passes)
{
	DIR *entries = opendir(companion->directory);
	struct binlog_header header;
	const struct dirent *entry;
	bool found = false;
	int fd;

	while (entries && !found && (entry = readdir(entries))) {
		fd = is_capture(entry->d_name)
			     ? open_capture(companion, entry->d_name)
			     : -1;
		if (fd < 0)
			continue;
		found = pread(fd, &header, sizeof(header), 0) ==
				sizeof(header) &&
			memcmp(header.magic, BINLOG_MAGIC,
				sizeof(header.magic)) == 0 &&
			header.start.realtime >= companion->since &&
			passes(companion, fd, &header);
		close(fd);
	}
	if (entries)
		closedir(entries);
	return found;
}

/* Which run is ours.  Not known if its first process records nothing: then all
 * count. */
static bool learn_run(
	struct companion *companion, int fd, const struct binlog_header *header)
{
	(void)fd;
	if (header->pid != companion->first_pid)
		return false;
	companion->knows_run = true;
	companion->run = header->run;
	return true;
}

static bool is_growing(
	struct companion *companion, int fd, const struct binlog_header *header)
{
	return (!companion->knows_run || header->run == companion->run) &&
	       prepare_has_users(fd);
}

/* ---- being there ---- */

static void sleep_milliseconds(int milliseconds)
{
	const struct timespec time = {.tv_nsec = milliseconds * 1000000L};

	nanosleep(&time, NULL);
}

/* The first process has ended: those who serve its capture find out, too. */
static void let_first_go(struct companion *companion)
{
	close(companion->first);
	companion->first = -1;
	any_capture(companion, learn_run);
	kill(0, SIGUSR1);
}

static void attend(struct companion *companion)
{
	int ask = ASK_LEAST;

	for (;;) {
		struct pollfd waits[] = {
			{.fd = companion->reports, .events = POLLIN},
			{.fd = companion->first, .events = POLLIN},
		};
		bool alone = companion->first < 0;
		int n = poll(waits, 2, alone ? ask : -1);

		if (n > 0 && waits[1].revents)
			let_first_go(companion);
		if (n > 0 && waits[0].revents) {
			sleep_milliseconds(companion->pause);
			if (companion->pause < PAUSE_MOST)
				companion->pause *= 2;
			read_reports(companion);
		}
		if (n != 0)
			continue;
		if (!any_capture(companion, is_growing))
			return;
		if (ask < ASK_MOST)
			ask *= 2;
		kill(0, SIGUSR1);
	}
}

/* Nothing of the program's stays open, not even a terminal; `ready` becomes
 * descriptor 3. */
static bool leave_everything(int ready)
{
	int nothing = open("/dev/null", O_RDWR);
	int kept = fcntl(ready, F_DUPFD, 3);
	int i;

	for (i = 0; i < 3 && nothing >= 0; i++)
		dup2(nothing, i);
	if (nothing < 0 || kept < 0 || dup2(kept, 3) != 3)
		return false;
	fcntl(3, F_SETFD, FD_CLOEXEC);
	return close_from(4) && setsid() > 0 && chdir("/") == 0;
}

static void set_signals(void)
{
	struct sigaction action = {.sa_handler = look_up};
	sigset_t none;

	sigaction(SIGUSR1, &action, NULL);
	/* A write beyond a limit is an error then. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* 0, or why not. */
static int begin(struct companion *companion)
{
	struct timespec now;

	prctl(PR_SET_NAME, "binlog-prepare", 0, 0, 0);
	set_signals();
	clock_gettime(CLOCK_REALTIME, &now);
	companion->since =
		(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	companion->pause = PAUSE_LEAST;
	companion->first =
		(int)syscall(SYS_pidfd_open, (pid_t)companion->first_pid, 0);
	companion->place =
		open(companion->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	companion->reports = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (companion->first < 0 || companion->place < 0 ||
		companion->reports < 0 ||
		inotify_add_watch(companion->reports, companion->directory,
			IN_MODIFY) < 0)
		return errno;
	return 0;
}

static _Noreturn void become_companion(
	const char *directory, pid_t first, int ready)
{
	struct companion companion = {
		.directory = directory,
		.first_pid = (uint32_t)first,
	};
	int error;

	if (!leave_everything(ready))
		_exit(1);
	error = begin(&companion);
	if (write(3, &error, sizeof(error)) != sizeof(error) || error != 0)
		_exit(1);
	close(3);
	attend(&companion);
	_exit(0);
}

/* A child of a child, which has ended before we go on: the program has no child
 * that it does not know of. */
bool companion_start(const char *directory)
{
	int error = ECHILD;
	int channel[2];
	pid_t first = getpid();
	pid_t child;

	if (pipe2(channel, O_CLOEXEC) != 0)
		return false;
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			become_companion(directory, first, channel[1]);
		_exit(0);
	}
	close(channel[1]);
	if (child < 0)
		error = errno;
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && read(channel[0], &error, sizeof(error)) <
				 (ssize_t)sizeof(error))
		error = ECHILD;
	close(channel[0]);
	errno = error;
	return error == 0;
}
