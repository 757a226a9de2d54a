#include "decoder/packed/packed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* It is the same file as at first, or the first. */
static bool is_same(struct packed_file *file)
{
	struct stat st;

	if (fstat(file->fd, &st) != 0)
		return false;
	if (file->regular &&
		(st.st_dev != file->device || st.st_ino != file->inode)) {
		errno = ESTALE;
		return false;
	}
	file->regular = S_ISREG(st.st_mode);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->owner = st.st_uid;
	return true;
}

static bool open_file(struct packed_file *file)
{
	if (strcmp(file->path, PACKED_FILE_STDIN) == 0) {
		file->fd = STDIN_FILENO;
		file->open = true;
		return true;
	}
	file->fd =
		open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (file->fd < 0)
		return false;
	file->open = true;
	if (is_same(file))
		return true;
	packed_file_close(file);
	return false;
}

ssize_t packed_file_read(
	void *closure, uint64_t offset, void *buffer, size_t size)
{
	struct packed_file *file = closure;
	ssize_t n;

	if (!file->open && !open_file(file))
		return -1;
	do {
		n = file->regular ? pread(file->fd, buffer, size, (off_t)offset)
				  : read(file->fd, buffer, size);
	} while (n < 0 && errno == EINTR);
	if (file->read && n > 0)
		*file->read += (uint64_t)n;
	return n;
}

uint64_t packed_file_data(void *closure, uint64_t offset)
{
	const struct packed_file *file = closure;
	off_t data;

	if (!file->open || !file->regular)
		return offset;
	data = lseek(file->fd, (off_t)offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO) /* the rest is one */
		data = lseek(file->fd, 0, SEEK_END);
	return data < 0 ? offset : (uint64_t)data;
}

void packed_file_close(struct packed_file *file)
{
	if (file->open && file->fd != STDIN_FILENO)
		close(file->fd);
	file->open = false;
}
