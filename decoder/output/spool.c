#include "decoder/output/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"

/* More than this goes into a file. */
#define MEMORY_MAX ((size_t)1 << 24)
#define CHUNK ((size_t)1 << 16)

void spool_init(struct spool *spool)
{
	*spool = (struct spool){.fd = -1};
}

static void fail(struct spool *spool)
{
	if (!spool->failed)
		spool->failed = errno;
}

static void open_file(struct spool *spool)
{
	spool->fd = temporary_file();
	if (spool->fd < 0)
		fail(spool);
}

static void write_at(
	struct spool *spool, uint64_t offset, const char *bytes, size_t size)
{
	while (size > 0 && !spool->failed) {
		ssize_t n = pwrite(spool->fd, bytes, size, (off_t)offset);

		if (n < 0 && errno != EINTR)
			fail(spool);
		if (n <= 0)
			continue;
		bytes += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

/* Into the file with what is in memory. */
static void move_out(struct spool *spool)
{
	if (spool->fd < 0)
		open_file(spool);
	if (!spool->failed)
		write_at(spool, spool->start, spool->data,
			(size_t)(spool->size - spool->start));
	spool->start = spool->size;
}

static bool make_room(struct spool *spool, size_t size)
{
	size_t room = spool->room > 0 ? spool->room : CHUNK;
	char *data;

	while (room < size)
		room *= 2;
	if (room == spool->room)
		return true;
	data = realloc(spool->data, room);
	if (!data) {
		fail(spool);
		return false;
	}
	spool->data = data;
	spool->room = room;
	return true;
}

/* Zeros or bytes (null: zeros) at the end. */
static void append(struct spool *spool, const char *bytes, size_t size)
{
	while (size > 0 && !spool->failed) {
		size_t part = size < CHUNK ? size : CHUNK;
		size_t used;

		if (spool->size - spool->start > MEMORY_MAX)
			move_out(spool);
		used = (size_t)(spool->size - spool->start);
		if (!make_room(spool, used + part))
			return;
		if (bytes)
			memcpy(spool->data + used, bytes, part);
		else
			memset(spool->data + used, 0, part);
		bytes = bytes ? bytes + part : NULL;
		spool->size += part;
		size -= part;
	}
}

/* A hole is left to the file system. */
static void extend(struct spool *spool, uint64_t size)
{
	if (size - spool->size <= MEMORY_MAX) {
		append(spool, NULL, (size_t)(size - spool->size));
		return;
	}
	move_out(spool);
	if (!spool->failed && ftruncate(spool->fd, (off_t)size) != 0)
		fail(spool);
	spool->size = spool->start = size;
}

void spool_put(
	struct spool *spool, uint64_t offset, const char *bytes, size_t size)
{
	size_t part;

	if (offset > spool->size)
		extend(spool, offset);
	if (spool->failed)
		return;
	if (offset < spool->start) {
		part = spool->start - offset < size
			       ? (size_t)(spool->start - offset)
			       : size;
		write_at(spool, offset, bytes, part);
		offset += part;
		bytes += part;
		size -= part;
	}
	if (offset < spool->size && size > 0) {
		part = spool->size - offset < size
			       ? (size_t)(spool->size - offset)
			       : size;
		memcpy(spool->data + (offset - spool->start), bytes, part);
		bytes += part;
		size -= part;
	}
	append(spool, bytes, size);
}

void spool_resize(struct spool *spool, uint64_t size)
{
	if (size > spool->size) {
		extend(spool, size);
		return;
	}
	if (size < spool->start) {
		if (ftruncate(spool->fd, (off_t)size) != 0)
			fail(spool);
		spool->start = size;
	}
	spool->size = size;
}

/* From the file. */
static void read_at(
	struct spool *spool, uint64_t offset, char *bytes, size_t size)
{
	while (size > 0 && !spool->failed) {
		ssize_t n = pread(spool->fd, bytes, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			fail(spool);
			return;
		}
		bytes += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

bool spool_get(struct spool *spool, uint64_t offset, char *bytes, size_t size)
{
	size_t part = 0;

	if (offset < spool->start)
		part = spool->start - offset < size
			       ? (size_t)(spool->start - offset)
			       : size;
	read_at(spool, offset, bytes, part);
	if (part < size)
		memcpy(bytes + part,
			spool->data + (offset + part - spool->start),
			size - part);
	errno = spool->failed;
	return spool->failed == 0;
}

bool spool_give_out(struct spool *spool, struct output *output)
{
	char *chunk = spool->start > 0 ? malloc(CHUNK) : NULL;
	uint64_t at = 0;

	while (at < spool->start && chunk && !spool->failed &&
		!output->failed) {
		size_t wanted = spool->start - at < CHUNK
					? (size_t)(spool->start - at)
					: CHUNK;

		read_at(spool, at, chunk, wanted);
		if (spool->failed)
			break;
		render_buffer_put(&output->text, chunk, wanted);
		output_settle(output);
		at += wanted;
	}
	if (at < spool->start && !chunk)
		fail(spool);
	free(chunk);
	if (!spool->failed && spool->size > spool->start)
		render_buffer_put(&output->text, spool->data,
			(size_t)(spool->size - spool->start));
	output_settle(output);
	errno = spool->failed;
	return spool->failed == 0;
}

void spool_free(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->data);
}
