#include "tools/ctl/clean.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/in_use.h"
#include "record/layout.h"

/* Of a capture that was never finished: see shim/file/capture_file.c. */
#define FRESH_SUFFIX BINLOG_SUFFIX ".new"

static const struct {
	bool complains;
	const char *why;
} outcomes[] = {
#define OUTCOME(name, complains, why) [CLEAN_##name] = {complains, why},
#include "tools/ctl/clean_outcomes.def"
#undef OUTCOME
};

bool clean_complains(enum clean_outcome outcome)
{
	return outcomes[outcome].complains;
}

const char *clean_why(enum clean_outcome outcome)
{
	return outcomes[outcome].why;
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	size_t wanted = strlen(suffix);

	return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

static int has_name(const struct dirent *entry)
{
	return ends_in(entry->d_name, BINLOG_SUFFIX) ||
	       ends_in(entry->d_name, FRESH_SUFFIX);
}

/* A fresh one may have no header yet. */
static bool is_capture(int fd, const char *name)
{
	static const char zeros[sizeof(BINLOG_MAGIC)];
	const size_t size = sizeof(BINLOG_MAGIC) - 1;
	char magic[sizeof(BINLOG_MAGIC)] = {0};
	ssize_t n = pread(fd, magic, size, 0);

	if (n < 0)
		return false;
	if (ends_in(name, FRESH_SUFFIX) && memcmp(magic, zeros, size) == 0)
		return true;
	return (size_t)n == size && memcmp(magic, BINLOG_MAGIC, size) == 0;
}

static enum clean_outcome judge(
	const struct clean_request *request, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return CLEAN_SPECIAL;
	if (st->st_uid != geteuid() && geteuid() != 0)
		return CLEAN_FOREIGN;
	if (st->st_nlink > 1)
		return CLEAN_NAMES;
	if (time(NULL) - st->st_mtime < request->older_than)
		return CLEAN_YOUNG;
	return CLEAN_REMOVED;
}

/* While nobody can begin to write: see record/in_use.h. */
static enum clean_outcome remove_held(const struct clean_request *request,
	int directory, const char *name, const struct stat *st)
{
	struct stat now;

	if (fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) != 0)
		return CLEAN_FAILED;
	if (now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		return CLEAN_SWAPPED;
	if (!request->dry_run && unlinkat(directory, name, 0) != 0)
		return CLEAN_FAILED;
	return CLEAN_REMOVED;
}

static enum clean_outcome remove_open(const struct clean_request *request,
	int directory, const char *name, int fd, struct stat *st)
{
	enum clean_outcome outcome;

	if (fstat(fd, st) != 0)
		return CLEAN_FAILED;
	outcome = judge(request, st);
	if (outcome != CLEAN_REMOVED)
		return outcome;
	if (!is_capture(fd, name))
		return CLEAN_OTHER;
	switch (in_use_hold(fd)) {
	case IN_USE_YES:
		return CLEAN_IN_USE;
	case IN_USE_UNKNOWN:
		return CLEAN_UNSURE;
	case IN_USE_NO:
		break;
	}
	return remove_held(request, directory, name, st);
}

static void look_at(
	const struct clean_request *request, int directory, const char *name)
{
	enum clean_outcome outcome = CLEAN_FAILED;
	struct stat st = {0};
	int fd = openat(directory, name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int reason = errno;

	if (fd >= 0) {
		outcome = remove_open(request, directory, name, fd, &st);
		reason = errno;
		close(fd);
	} else if (errno == ELOOP) {
		outcome = CLEAN_LINK;
	} else if (errno == ENXIO) { /* a socket */
		outcome = CLEAN_SPECIAL;
	} else if (errno == EACCES) {
		outcome = CLEAN_FOREIGN;
	}
	errno = reason;
	request->tell(request->closure, name, outcome, (uint64_t)st.st_size);
}

/* Null, or why others could put something else into our way. */
static const char *distrust(int directory)
{
	struct stat st;

	if (fstat(directory, &st) != 0)
		return "";
	if (geteuid() != 0 && st.st_uid != geteuid() && st.st_uid != 0)
		return "it belongs to another user: let that user clean it";
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
		return "others may rename files in it: chmod go-w first";
	return NULL;
}

static const char *clean_directory(
	const struct clean_request *request, int directory)
{
	const char *wrong = distrust(directory);
	struct dirent **entries;
	int count, i;

	if (wrong)
		return wrong;
	count = scandirat(directory, ".", &entries, has_name, alphasort);
	for (i = 0; i < count; i++) {
		look_at(request, directory, entries[i]->d_name);
		free(entries[i]);
	}
	if (count < 0)
		return "";
	free(entries);
	return NULL;
}

const char *clean(const struct clean_request *request)
{
	int directory =
		open(request->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *wrong =
		directory < 0 ? "" : clean_directory(request, directory);
	int reason = errno;

	if (directory >= 0)
		close(directory);
	errno = reason;
	return wrong;
}
