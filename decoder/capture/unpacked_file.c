#include "decoder/capture/unpacked_file.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "decoder/capture/decompress.h"

/* What is a hole in a capture stays one. */
#define PAGE ((size_t)4096)
#define CHUNK (64 * PAGE)

static struct {
	bool prepared;
	int fd;	    /* -1: there is none, since: */
	int failed; /* errno */
	uint64_t end;
	void *tree; /* of them, by path: see tsearch(3) */
} copies = {.fd = -1};

/* Of standard input: what was peeked. */
static struct {
	uint8_t bytes[UNPACKED_FILE_PEEK];
	size_t at;
	size_t end;
} peeked;

void unpacked_file_prepare(void)
{
	if (copies.prepared)
		return;
	copies.prepared = true;
	copies.fd = temporary_file();
	copies.failed = errno;
}

static ssize_t read_whole(int fd, void *bytes, size_t size)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < size && n != 0) {
		n = read(fd, (char *)bytes + done, size - done);
		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)done;
}

size_t unpacked_file_peek(void *bytes, size_t size)
{
	size_t left;

	if (size > sizeof(peeked.bytes))
		size = sizeof(peeked.bytes);
	if (peeked.end < size && peeked.at == 0) {
		ssize_t n = read_whole(STDIN_FILENO, peeked.bytes + peeked.end,
			size - peeked.end);

		peeked.end += n > 0 ? (size_t)n : 0;
	}
	left = peeked.end - peeked.at;
	memcpy(bytes, peeked.bytes + peeked.at, size < left ? size : left);
	return size < left ? size : left;
}

ssize_t unpacked_file_stdin(void *bytes, size_t size)
{
	size_t left = peeked.end - peeked.at;

	if (left == 0)
		return read(STDIN_FILENO, bytes, size);
	if (size > left)
		size = left;
	memcpy(bytes, peeked.bytes + peeked.at, size);
	peeked.at += size;
	return (ssize_t)size;
}

/* A regular file.  -1: it is none. */
static int open_regular(const char *path, struct stat *status)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool unpacked_file_is_for(const char *path)
{
	uint8_t bytes[DECOMPRESS_MAGIC_BYTES];
	struct stat status;
	int fd = open_regular(path, &status);
	ssize_t n = -1;

	if (fd >= 0) {
		n = pread(fd, bytes, sizeof(bytes), 0);
		close(fd);
	}
	return n > 0 && decompress_is(bytes, (size_t)n);
}

/*
 * A copy that is being made.
 */

struct making {
	struct unpacked_file *file;
	struct error_list *errors;
	bool failed;
};

static void fail(struct making *making, enum error_code code, int system)
{
	making->failed = true;
	error_add(making->errors, &(struct error){
					  .code = code,
					  .system = system,
					  .file = making->file->path,
					  .number = making->file->size,
				  });
}

static void write_at(
	struct making *making, uint64_t offset, const char *bytes, size_t size)
{
	while (size > 0 && !making->failed) {
		ssize_t n = pwrite(copies.fd, bytes, size, (off_t)offset);

		if (n < 0 && errno != EINTR)
			fail(making, ERROR_UNPACK_ROOM, errno);
		if (n <= 0)
			continue;
		bytes += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

static bool is_zero(const char *bytes, size_t size)
{
	static const char zeros[PAGE];

	return memcmp(bytes, zeros, size) == 0;
}

/* Each chunk but the last is a whole one: it begins with a page. */
static void append(struct making *making, const char *bytes, size_t size)
{
	struct unpacked_file *file = making->file;
	size_t from = 0;
	size_t at = 0;

	while (at < size && !making->failed) {
		size_t page = size - at < PAGE ? size - at : PAGE;
		bool zero = is_zero(bytes + at, page);

		if (!zero)
			at += page;
		if (zero || at == size)
			write_at(making, file->at + file->size + from,
				bytes + from, at - from);
		if (zero)
			from = at += page;
	}
	if (!making->failed)
		file->size += size;
}

/* Whether it is to be read again as it is, or to be unpacked. */
static void copy(struct making *making, int fd, const void *begin, size_t size)
{
	static char chunk[CHUNK];
	struct decompress *decompress = NULL;
	const char *path = making->file->path;
	size_t n = size;

	if (decompress_is(begin, size) || fd != STDIN_FILENO) {
		decompress =
			decompress_new(path, fd, begin, size, making->errors);
		if (!decompress)
			fail(making, ERROR_MEMORY, 0);
	} else if (size > 0) {
		memcpy(chunk, begin, size);
	}
	while (!making->failed) {
		if (decompress) {
			n = decompress_read(decompress, chunk, CHUNK);
		} else {
			ssize_t more = read_whole(fd, chunk + n, CHUNK - n);

			if (more < 0)
				fail(making, ERROR_READ, errno);
			n += more > 0 ? (size_t)more : 0;
		}
		if (n == 0)
			break;
		append(making, chunk, n);
		n = 0;
	}
	decompress_free(decompress);
}

/* The descriptor that it is made of, and what is known of that.  -1: none. */
static int open_original(struct making *making)
{
	struct unpacked_file *file = making->file;
	bool piped = strcmp(file->path, UNPACKED_FILE_STDIN) == 0;
	struct stat status = {0};
	int fd = piped ? STDIN_FILENO : open_regular(file->path, &status);

	if (fd < 0) {
		fail(making, ERROR_OPEN, errno);
		return -1;
	}
	if (piped && fstat(fd, &status) != 0)
		status.st_mode = 0;
	file->device = status.st_dev;
	file->inode = status.st_ino;
	file->regular = S_ISREG(status.st_mode);
	file->owner = status.st_uid;
	return fd;
}

static void make(struct making *making)
{
	struct unpacked_file *file = making->file;
	uint8_t begin[UNPACKED_FILE_PEEK];
	size_t size = 0;
	int fd = open_original(making);

	if (fd < 0)
		return;
	file->at = copies.end;
	if (fd == STDIN_FILENO) {
		size = unpacked_file_peek(begin, sizeof(begin));
		peeked.at += size;
	}
	copy(making, fd, begin, size);
	copies.end = (file->at + file->size + PAGE - 1) / PAGE * PAGE;
	/* a hole at its end is part of it */
	if (ftruncate(copies.fd, (off_t)(file->at + file->size)) != 0 &&
		!making->failed)
		fail(making, ERROR_UNPACK_ROOM, errno);
	if (fd != STDIN_FILENO)
		close(fd);
}

static int compare(const void *a, const void *b)
{
	const struct unpacked_file *one = a, *other = b;

	return strcmp(one->path, other->path);
}

/* A new one.  Null: out of memory. */
static struct unpacked_file *enter(const char *path)
{
	struct unpacked_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->path = path;
	if (tsearch(file, &copies.tree, compare))
		return file;
	free(file);
	return NULL;
}

const struct unpacked_file *unpacked_file_make(
	const char *path, struct error_list *errors)
{
	struct unpacked_file none = {.path = path};
	struct making making = {.file = &none, .errors = errors};
	const struct unpacked_file *before = unpacked_file_find(path);

	if (before)
		return before;
	unpacked_file_prepare();
	if (copies.fd < 0) {
		fail(&making, ERROR_UNPACK_ROOM, copies.failed);
		return NULL;
	}
	making.file = enter(path);
	if (!making.file) {
		making.file = &none;
		fail(&making, ERROR_MEMORY, 0);
		return NULL;
	}
	make(&making);
	return making.file;
}

const struct unpacked_file *unpacked_file_find(const char *path)
{
	const struct unpacked_file wanted = {.path = path};
	struct unpacked_file *const *found =
		tfind(&wanted, &copies.tree, compare);

	return found ? *found : NULL;
}

ssize_t unpacked_file_read(const struct unpacked_file *file, void *bytes,
	size_t size, uint64_t offset)
{
	if (offset >= file->size)
		return 0;
	if (size > file->size - offset)
		size = (size_t)(file->size - offset);
	return pread(copies.fd, bytes, size, (off_t)(file->at + offset));
}

uint64_t unpacked_file_data(const struct unpacked_file *file, uint64_t offset)
{
	off_t data = lseek(copies.fd, (off_t)(file->at + offset), SEEK_DATA);

	if (data < 0 && errno != ENXIO)
		return offset;
	if (data < 0 || (uint64_t)data - file->at > file->size)
		return file->size > offset ? file->size : offset;
	return (uint64_t)data - file->at;
}
