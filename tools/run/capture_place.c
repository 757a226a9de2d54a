#include "tools/run/capture_place.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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
	return statvfs(directory, &system) == 0 && system.f_bavail == 0 &&
			       system.f_blocks > 0
		       ? ENOSPC
		       : 0;
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
