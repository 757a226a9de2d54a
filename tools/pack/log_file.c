#include "tools/pack/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool log_file_is_own(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (!S_ISREG(st.st_mode))
		errno = EINVAL;
	else if (st.st_uid != geteuid())
		errno = EPERM;
	else if (st.st_nlink > 1)
		errno = EMLINK;
	else
		return true;
	return false;
}

static int open_path(const char *path, bool force)
{
	const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY |
			  O_NONBLOCK;
	int fd = open(path, flags | (force ? 0 : O_EXCL), 0600);
	int reason;

	if (fd < 0 || !force)
		return fd;
	if (log_file_is_own(fd) && ftruncate(fd, 0) == 0)
		return fd;
	reason = errno;
	close(fd);
	errno = reason;
	return -1;
}

bool log_file_open(struct log_file *log, const char *path, bool force)
{
	*log = (struct log_file){.fd = STDOUT_FILENO};
	if (strcmp(path, "-") != 0)
		log->fd = open_path(path, force);
	if (log->fd < 0)
		log->failed = errno;
	return log->fd >= 0;
}

bool log_file_take(void *closure, const void *bytes, size_t size)
{
	struct log_file *log = closure;
	const char *at = bytes;

	while (size > 0 && log->failed == 0) {
		ssize_t n = write(log->fd, at, size);

		if (n < 0 && errno != EINTR)
			log->failed = errno;
		if (n <= 0)
			continue;
		at += n;
		size -= (size_t)n;
		log->bytes += (uint64_t)n;
	}
	return log->failed == 0;
}

bool log_file_gives_back(const struct log_file *log)
{
	struct stat st;

	return log->fd != STDOUT_FILENO && fstat(log->fd, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

bool log_file_give_back(void *closure, uint64_t back, void *bytes, size_t size)
{
	struct log_file *log = closure;
	size_t done = 0;

	while (done < size && log->failed == 0) {
		ssize_t n = pread(log->fd, (char *)bytes + done, size - done,
			(off_t)(log->bytes - back + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			log->failed = EIO;
		else if (errno != EINTR)
			log->failed = errno;
	}
	return log->failed == 0;
}

bool log_file_close(struct log_file *log)
{
	if (close(log->fd) != 0 && log->failed == 0)
		log->failed = errno;
	return log->failed == 0;
}
