#include "base/temporary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY_MAX 4064
#define NAME "/binlog.XXXXXX"

const char *temporary_directory(void)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory || strlen(directory) > DIRECTORY_MAX)
		return "/tmp";
	return directory;
}

int temporary_file(void)
{
	const char *directory = temporary_directory();
	size_t length = strlen(directory);
	char path[DIRECTORY_MAX + sizeof(NAME)];
	int fd;

	memcpy(path, directory, length);
	memcpy(path + length, NAME, sizeof(NAME));
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}
