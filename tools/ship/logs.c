#include "tools/ship/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "decoder/source/capture_list.h"
#include "record/in_use.h"

/* Deeper is nothing looked for. */
#define DEPTH_MAX 8
/* Where the kernel does not tell whether a file is written to, one is that has
 * changed within so many seconds. */
#define QUIET_SECONDS 60

bool log_look(struct one_log *log, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	log->bytes = (uint64_t)st.st_size;
	log->changed = st.st_mtime;
	log->device = st.st_dev;
	log->inode = st.st_ino;
	log->changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 +
			  (uint64_t)st.st_mtim.tv_nsec;
	return true;
}

static bool add(struct logs *logs, const char *path)
{
	struct one_log *log;

	if (!array_reserve(logs->all, logs->room, logs->count + 1))
		return false;
	log = &logs->all[logs->count];
	if (!log_look(log, path) || log->bytes == 0)
		return true; /* it has gone meanwhile, or has not begun */
	log->path = strdup(path);
	logs->count += log->path != NULL;
	return log->path;
}

static bool add_below(struct logs *logs, const char *directory, int depth)
{
	DIR *open = depth < DEPTH_MAX ? opendir(directory) : NULL;
	struct dirent *entry;
	bool good = true;

	/* one that has gone meanwhile is none */
	if (!open && depth < DEPTH_MAX && errno != ENOENT && !logs->closed) {
		logs->closed_why = errno;
		logs->closed = strdup(directory);
		good = logs->closed;
	}

	while (open && good && (entry = readdir(open))) {
		struct stat st;
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", directory, entry->d_name) < 0) {
			good = false;
			break;
		}
		if (lstat(path, &st) != 0)
			;
		else if (S_ISDIR(st.st_mode))
			good = add_below(logs, path, depth + 1);
		else if (S_ISREG(st.st_mode) &&
			 capture_list_takes(entry->d_name))
			good = add(logs, path);
		free(path);
	}
	if (open)
		closedir(open);
	return good;
}

static int compare_ages(const void *left, const void *right)
{
	const struct one_log *a = left, *b = right;

	if (a->changed != b->changed)
		return a->changed < b->changed ? -1 : 1;
	return strcmp(a->path, b->path);
}

bool logs_find(struct logs *logs, char *const *paths, size_t count)
{
	struct stat st;
	bool good = true;
	size_t i;

	*logs = (struct logs){0};
	for (i = 0; i < count && good; i++) {
		if (stat(paths[i], &st) != 0) {
			if (logs->missing)
				continue;
			logs->why = errno;
			logs->missing = strdup(paths[i]);
			good = logs->missing;
			continue;
		}
		good = S_ISDIR(st.st_mode) ? add_below(logs, paths[i], 0)
					   : add(logs, paths[i]);
	}
	if (logs->count > 0)
		qsort(logs->all, logs->count, sizeof(logs->all[0]),
			compare_ages);
	return good;
}

enum log_use log_use_of(const struct one_log *log)
{
	int fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum in_use use = fd < 0 ? IN_USE_UNKNOWN : in_use_hold(fd);

	if (fd >= 0)
		close(fd);
	if (use == IN_USE_UNKNOWN)
		return time(NULL) - log->changed < QUIET_SECONDS ? LOG_GROWS
								 : LOG_ENDED;
	return use == IN_USE_YES ? LOG_GROWS : LOG_ENDED;
}

bool log_is_packed(const struct one_log *log)
{
	return capture_list_is_log(log->path) ||
	       capture_list_is_trace(log->path);
}

void logs_free(struct logs *logs)
{
	size_t i;

	for (i = 0; i < logs->count; i++)
		free(logs->all[i].path);
	free(logs->all);
	free(logs->missing);
	free(logs->closed);
	*logs = (struct logs){0};
}
