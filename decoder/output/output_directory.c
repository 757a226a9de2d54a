#include "decoder/output/output_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_FLAGS (O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)

/* Null: it cannot be listed. */
static DIR *open_list(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;

	if (!directory && copy >= 0)
		close(copy);
	return directory;
}

/* The name of the next file.  Null: that was all. */
static const char *next_name(DIR *directory)
{
	const struct dirent *entry;

	while ((entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 &&
			strcmp(entry->d_name, "..") != 0)
			return entry->d_name;
	return NULL;
}

static bool is_empty(int fd)
{
	DIR *directory = open_list(fd);
	bool empty = directory && !next_name(directory);

	if (directory)
		closedir(directory);
	return empty;
}

void output_directory_empty(const struct output *directory)
{
	DIR *list = open_list(directory->fd);
	const char *name;

	while (list && (name = next_name(list)))
		unlinkat(directory->fd, name, 0);
	if (list)
		closedir(list);
	unlinkat(AT_FDCWD, directory->where, AT_REMOVEDIR);
}

/* Null, or why one that is there is not to be used. */
static const char *refuse(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return strerror(errno);
	if (status.st_uid != geteuid())
		return "it is another user's";
	return is_empty(fd) ? NULL : "the directory is not empty";
}

const char *output_directory_open(struct output *output)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	bool made = mkdir(output->where, 0700) == 0;
	const char *wrong;
	int fd;

	if (!made && errno != EEXIST)
		return strerror(errno);
	fd = open(output->where, flags);
	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP
			       ? "it is there, and no directory"
			       : strerror(errno);
	wrong = made ? NULL : refuse(fd);
	if (wrong)
		close(fd);
	else
		output->fd = fd;
	return wrong;
}

static void fail(struct output *directory, int error)
{
	if (directory->failed == 0)
		directory->failed = error;
}

bool output_directory_begin(
	struct output *directory, const char *name, struct output *file)
{
	*file = (struct output){.fd = -1, .where = directory->where};
	if (directory->failed != 0)
		return false;
	file->fd = openat(
		directory->fd, name, FILE_FLAGS | O_CREAT | O_EXCL, 0600);
	if (file->fd < 0)
		fail(directory, errno);
	return file->fd >= 0;
}

void output_directory_append(struct output *directory, const char *name,
	bool make, struct render_buffer *text)
{
	int flags = FILE_FLAGS | (make ? O_CREAT | O_EXCL : O_APPEND);
	struct output file = {.fd = -1, .text = *text};

	if (directory->failed == 0)
		file.fd = openat(directory->fd, name, flags, 0600);
	if (file.fd >= 0)
		output_flush(&file);
	else
		fail(directory, errno);
	if (file.failed != 0)
		fail(directory, file.failed);
	if (file.fd >= 0 && close(file.fd) != 0)
		fail(directory, errno);
	*text = file.text;
	text->length = 0;
}

void output_directory_end(struct output *directory, struct output *file)
{
	if (file->fd < 0)
		return;
	output_end(file);
	if (file->failed != 0)
		fail(directory, file->failed);
	if (close(file->fd) != 0)
		fail(directory, errno);
	file->fd = -1;
}
