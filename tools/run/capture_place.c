#include "tools/run/capture_place.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Permissions do not tell it of all file systems (proc, sysfs): it is tried. */
static int obstacle_to_entries(const char *directory)
{
	char probe[PATH_MAX];
	int length = snprintf(
		probe, sizeof(probe), "%s/.binlog-run-XXXXXX", directory);

	if (length >= (int)sizeof(probe))
		return 0;
	if (mkdtemp(probe)) {
		rmdir(probe);
		return 0;
	}
	/* what such file systems say, although the directory is there */
	return errno == ENOENT ? EOPNOTSUPP : errno;
}

static int obstacle_to_files(const char *directory)
{
	struct statvfs system;
	struct stat status;

	if (stat(directory, &status) != 0)
		return errno;
	if (!S_ISDIR(status.st_mode))
		return ENOTDIR;
	if (access(directory, W_OK | X_OK) != 0)
		return errno;
	if (statvfs(directory, &system) == 0 && system.f_bavail == 0 &&
		system.f_blocks > 0)
		return ENOSPC;
	return obstacle_to_entries(directory);
}

int capture_place_obstacle(const char *path)
{
	int error = obstacle_to_files(path);

	if (error == ENOENT) {
		char *copy = strdup(path);

		error = copy ? obstacle_to_files(dirname(copy)) : ENOMEM;
		free(copy);
	}
	return error;
}
