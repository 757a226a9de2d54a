#include "tools/output/missing_path.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sentence.h"

static void tell_directory(
	const char *command, const char *option, const char *path)
{
	struct stat st;
	int error = 0;

	if (!path)
		return;
	if (stat(path, &st) != 0)
		error = errno;
	else if (!S_ISDIR(st.st_mode))
		error = ENOTDIR;
	else if (access(path, X_OK) != 0)
		error = errno;
	if (error != 0)
		sentence_say("%s: %s=%s: nothing is found there: %s: give a "
			     "directory that is there",
			command, option, path, strerror(error));
}

void missing_path_tell_symbols(const char *command, const char *sysroot,
	const char *const *directories, size_t count)
{
	size_t i;

	tell_directory(command, "--sysroot", sysroot);
	for (i = 0; i < count; i++)
		tell_directory(command, "--debug-dir", directories[i]);
}

void missing_path_tell_file(
	const char *command, const char *option, const char *path)
{
	const char *why = NULL;
	struct stat st;

	if (!path)
		return;
	if (stat(path, &st) != 0 || access(path, R_OK) != 0)
		why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		why = "not a regular file";
	if (why)
		sentence_say("%s: %s=%s: not read: %s: give a file that is "
			     "there",
			command, option, path, why);
}
