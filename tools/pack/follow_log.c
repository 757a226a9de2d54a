#include "tools/pack/follow_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/packed.h"
#include "tools/pack/log_file.h"

#define MODE 0600 /* as that of captures */
#define DIGITS 6

/* LOG without .blog, bytes. */
static size_t stem_of(const char *name)
{
	size_t length = strlen(name);
	size_t suffix = strlen(PACKED_SUFFIX);

	return length > suffix && strcmp(name + length - suffix,
					  PACKED_SUFFIX) == 0
		       ? length - suffix
		       : length;
}

static bool set_path(struct follow_log *log, unsigned number)
{
	int n;

	if (number == 0)
		n = snprintf(log->path, sizeof(log->path), "%s", log->name);
	else
		n = snprintf(log->path, sizeof(log->path), "%.*s-%0*u%s",
			(int)stem_of(log->name), log->name, DIGITS, number,
			PACKED_SUFFIX);
	if (n < 0 || (size_t)n >= sizeof(log->path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	log->number = number;
	return true;
}

/* 0: the name is not one of this log's. */
static unsigned number_in(const char *name, const char *stem, size_t length)
{
	unsigned long number;
	char *end;

	if (strncmp(name, stem, length) != 0 || name[length] != '-' ||
		name[length + 1] < '0' || name[length + 1] > '9')
		return 0;
	number = strtoul(name + length + 1, &end, 10);
	if (strcmp(end, PACKED_SUFFIX) != 0 || number >= UINT_MAX)
		return 0;
	return (unsigned)number;
}

static DIR *open_directory(const struct follow_log *log)
{
	const char *slash = strrchr(log->name, '/');
	char *directory;
	DIR *entries;

	if (!slash)
		return opendir(".");
	directory = strndup(log->name, (size_t)(slash - log->name) + 1);
	entries = directory ? opendir(directory) : NULL;
	free(directory);
	return entries;
}

bool follow_log_find(struct follow_log *log, unsigned below)
{
	const char *slash = strrchr(log->name, '/');
	const char *stem = slash ? slash + 1 : log->name;
	DIR *entries = open_directory(log);
	const struct dirent *entry;
	unsigned newest = 0;
	struct stat st;

	while (entries && (entry = readdir(entries))) {
		unsigned number = number_in(entry->d_name, stem, stem_of(stem));

		if (number > newest && (below == 0 || number < below))
			newest = number;
	}
	if (entries)
		closedir(entries);
	return set_path(log, newest) &&
	       (newest > 0 || lstat(log->path, &st) == 0);
}

bool follow_log_open_next(struct follow_log *log)
{
	if (!set_path(
		    log, log->rotates || log->number > 0 ? log->number + 1 : 0))
		return false;
	log->fd = open(log->path,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	log->bytes = log->whole = 0;
	return log->fd >= 0;
}

bool follow_log_open_again(struct follow_log *log, uint64_t bytes)
{
	struct stat st;

	log->fd = open(log->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (log->fd < 0)
		return false;
	log->bytes = log->whole = bytes;
	if (log_file_is_own(log->fd) && fstat(log->fd, &st) == 0 &&
		((uint64_t)st.st_size == bytes ||
			ftruncate(log->fd, (off_t)bytes) == 0))
		return true;
	close(log->fd);
	log->fd = -1;
	return false;
}

bool follow_log_take(void *closure, const void *bytes, size_t size)
{
	struct follow_log *log = closure;

	render_buffer_put(&log->out, bytes, size);
	return !log->out.failed;
}

bool follow_log_write(struct follow_log *log, bool whole)
{
	size_t done = 0;

	log->failed = 0;
	while (done < log->out.length && log->failed == 0) {
		ssize_t n = pwrite(log->fd, log->out.data + done,
			log->out.length - done, (off_t)log->bytes);

		if (n > 0) {
			done += (size_t)n;
			log->bytes += (uint64_t)n;
		} else if (n == 0 || errno != EINTR) {
			log->failed = n == 0 ? ENOSPC : errno;
		}
	}
	log->out.length -= done;
	if (done > 0)
		memmove(log->out.data, log->out.data + done, log->out.length);
	if (log->failed == 0 && whole)
		log->whole = log->bytes;
	return log->failed == 0;
}

void follow_log_close(struct follow_log *log)
{
	if (log->fd < 0)
		return;
	if (log->bytes != log->whole &&
		ftruncate(log->fd, (off_t)log->whole) != 0)
		log->failed = errno;
	if (close(log->fd) != 0)
		log->failed = errno;
	log->fd = -1;
	log->out.length = 0;
}
