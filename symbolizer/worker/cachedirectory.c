#include "symbolizer/worker/cachedirectory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "symbolizer/worker/cachefile.h"

/* Writing one takes far less. */
#define UNFINISHED_SECONDS 3600

struct entry {
	char *name;
	uint64_t bytes;
	struct timespec used;
};

struct entries {
	struct entry *all;
	size_t count;
	size_t room;
	uint64_t bytes;
};

/* The directory of the last part of a path; the caller frees it. */
static char *above(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash > path ? (size_t)(slash - path) : 1);
}

static bool is_mine(const struct stat *status)
{
	return status->st_uid == geteuid();
}

/*
 * In it nobody else but root can put something in the place of ours, nor has
 * anybody else made the link that leads there: whoever reads with the HOME of
 * another user leaves nothing there, and what that user has put there alone.
 */
static bool is_sound(const char *path)
{
	struct stat link, status;

	return path && lstat(path, &link) == 0 && stat(path, &status) == 0 &&
	       (is_mine(&link) || link.st_uid == 0) &&
	       (is_mine(&status) || status.st_uid == 0) &&
	       (!(status.st_mode & (S_IWGRP | S_IWOTH)) ||
		       status.st_mode & S_ISVTX);
}

/* $HOME/.cache may be missing, too. */
static void make_above(const char *path)
{
	char *home = above(path);
	struct stat status;

	if (home && stat(home, &status) == 0 && is_mine(&status))
		mkdir(path, 0700);
	free(home);
}

static int open_in_sound(const char *path, bool make)
{
	struct stat status;
	int directory;

	if (make)
		mkdir(path, 0700);
	if (lstat(path, &status) != 0 || !is_mine(&status))
		return -1;
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return -1;
	if (fstat(directory, &status) == 0 && is_mine(&status) &&
		!(status.st_mode & (S_IWGRP | S_IWOTH)))
		return directory;
	close(directory);
	return -1;
}

int cachedirectory_open(const char *path, bool make)
{
	char *parent = above(path);
	int directory;

	if (make && parent)
		make_above(parent);
	directory = is_sound(parent) ? open_in_sound(path, make) : -1;
	free(parent);
	return directory;
}

/* `.NAME.PID` of one that is being written. */
static bool is_unfinished(const char *name)
{
	const char *dot = strrchr(name, '.');

	return *name == '.' && dot > name &&
	       cachekey_is_name(name + 1, (size_t)(dot - name - 1));
}

static void add_entry(
	struct entries *entries, const char *name, const struct stat *status)
{
	struct entry *all = array_grow(
		entries->all, &entries->room, entries->count, sizeof(*all));
	struct entry entry = {
		.name = strdup(name),
		.bytes = (uint64_t)status->st_blocks * 512,
		.used = status->st_mtim,
	};

	if (all)
		entries->all = all;
	if (!all || !entry.name) {
		free(entry.name);
		return;
	}
	all[entries->count++] = entry;
	entries->bytes += entry.bytes;
}

static void read_entries(struct entries *entries, DIR *stream)
{
	const time_t now = time(NULL);
	const struct dirent *found;
	struct stat status;

	while ((found = readdir(stream)) != NULL) {
		if (fstatat(dirfd(stream), found->d_name, &status,
			    AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(status.st_mode))
			continue;
		if (cachekey_is_name(found->d_name, strlen(found->d_name)))
			add_entry(entries, found->d_name, &status);
		else if (is_unfinished(found->d_name) &&
			 now - status.st_mtim.tv_sec > UNFINISHED_SECONDS)
			unlinkat(dirfd(stream), found->d_name, 0);
	}
}

static int oldest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct entry *)a)->used;
	const struct timespec *y = &((const struct entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	if (x->tv_nsec != y->tv_nsec)
		return x->tv_nsec < y->tv_nsec ? -1 : 1;
	return 0;
}

void cachedirectory_trim(int directory, uint64_t bytes)
{
	struct entries entries = {0};
	int other = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = other >= 0 ? fdopendir(other) : NULL;
	size_t i;

	if (stream)
		read_entries(&entries, stream);
	if (entries.count > 0 && entries.bytes > bytes)
		qsort(entries.all, entries.count, sizeof(*entries.all),
			oldest_first);
	for (i = 0; i < entries.count; i++) {
		if (entries.bytes > bytes) {
			unlinkat(directory, entries.all[i].name, 0);
			entries.bytes -= entries.all[i].bytes;
		}
		free(entries.all[i].name);
	}
	free(entries.all);
	if (stream)
		closedir(stream);
	else if (other >= 0)
		close(other);
}
