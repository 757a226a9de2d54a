#include "tools/run/run_paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *run_paths_absolute(const char *path)
{
	char *here, *whole;

	if (path[0] == '/')
		return strdup(path);
	here = getcwd(NULL, 0);
	if (!here)
		return NULL;
	if (asprintf(&whole, "%s/%s", strcmp(here, "/") == 0 ? "" : here,
		    path) < 0)
		whole = NULL;
	free(here);
	return whole;
}

/* 0, or why no file can be made in the directory. */
static int obstacle_to_files(const char *directory)
{
	struct stat status;

	if (stat(directory, &status) != 0)
		return errno;
	if (!S_ISDIR(status.st_mode))
		return ENOTDIR;
	return access(directory, W_OK | X_OK) == 0 ? 0 : errno;
}

/* Of an absolute path; "/" for one directly below it. */
static char *parent_of(const char *path)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	while (length > 1 && path[length - 1] != '/')
		length--;
	return strndup(path, length);
}

bool run_paths_check_directory(const char *path, struct refusal *refusal)
{
	int error = obstacle_to_files(path);
	char *parent;

	if (error == ENOENT) {
		parent = parent_of(path);
		error = parent ? obstacle_to_files(parent) : ENOMEM;
		free(parent);
	}
	return error == 0 ||
	       refusal_set(refusal, REFUSAL_POINTLESS,
		       "%s: no captures can go there: %s: choose a directory "
		       "with --dir",
		       path, strerror(error));
}

bool run_paths_check_file(const char *path, struct refusal *refusal)
{
	return access(path, R_OK) == 0 ||
	       refusal_set(refusal, REFUSAL_POINTLESS,
		       "%s: %s: name a readable file with --config", path,
		       strerror(errno));
}

void run_paths_make_directory(const char *path)
{
	mode_t mask = umask(0);

	mkdir(path, 0700);
	umask(mask);
}

size_t run_paths_count(const char *directory)
{
	DIR *entries = opendir(directory);
	size_t count = 0;

	if (!entries)
		return 0;
	while (readdir(entries))
		count++;
	closedir(entries);
	return count;
}
