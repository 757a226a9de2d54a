/* Preloaded into a reader: who reads a place of a file below SECOND_READ for the second time is given other bytes than
 * the first time, as if the file had been written in between; which ones, SECOND_READ_SEED decides.  So whatever is
 * believed because it was checked before shows. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { FILES_MAX = 64, BYTES_MAX = 1 << 22 };

static struct seen {
	ino_t inode;
	unsigned char *bytes; /* 1: was read */
} files[FILES_MAX];

static uint64_t state;

static uint64_t number(void)
{
	if (state == 0)
		state = strtoull(getenv("SECOND_READ_SEED"), NULL, 10) * 2654435761u + 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

static int is_below(int fd)
{
	const char *below = getenv("SECOND_READ");
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (!below || length < 0)
		return 0;
	path[length] = '\0';
	return strncmp(path, below, strlen(below)) == 0;
}

static struct seen *seen_of(int fd)
{
	struct stat status;
	int i;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || !is_below(fd))
		return NULL;
	for (i = 0; i < FILES_MAX; i++) {
		if (!files[i].bytes) {
			files[i].inode = status.st_ino;
			files[i].bytes = calloc(1, BYTES_MAX);
		}
		if (files[i].inode == status.st_ino)
			return &files[i];
	}
	return NULL;
}

/* Most of what is read again stays: else nothing would be read for long. */
static uint64_t rarity(void)
{
	static const unsigned of[] = {64, 1024, 16384};

	return of[strtoull(getenv("SECOND_READ_SEED"), NULL, 10) % 3];
}

static void forge(int fd, char *buffer, ssize_t n, off_t offset)
{
	static const unsigned char lies[] = {0, 1, 0x7f, 0x80, 0xff};
	struct seen *seen = n > 0 ? seen_of(fd) : NULL;
	uint64_t rare = seen ? rarity() : 1;
	ssize_t i;

	for (i = 0; seen && i < n && offset + i < BYTES_MAX; i++) {
		unsigned char *was = &seen->bytes[offset + i];

		if (*was && number() % rare == 0)
			buffer[i] = (char)(number() % 2 ? lies[number() % 5] : number());
		*was = 1;
	}
}

typedef ssize_t at_place(int, void *, size_t, off_t);
typedef ssize_t here(int, void *, size_t);

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	static at_place *next;
	ssize_t n;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pread");
	n = next(fd, buffer, size, offset);
	forge(fd, buffer, n, offset);
	return n;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	static here *next;
	off_t offset = lseek(fd, 0, SEEK_CUR);
	ssize_t n;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "read");
	n = next(fd, buffer, size);
	if (offset >= 0)
		forge(fd, buffer, n, offset);
	return n;
}

ssize_t pread64(int fd, void *buffer, size_t size, off_t offset)
{
	return pread(fd, buffer, size, offset);
}

ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room)
{
	return size <= room ? pread(fd, buffer, size, offset) : (abort(), -1);
}

ssize_t __pread64_chk(int fd, void *buffer, size_t size, off_t offset, size_t room)
{
	return __pread_chk(fd, buffer, size, offset, room);
}

ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room)
{
	return size <= room ? read(fd, buffer, size) : (abort(), -1);
}
