#include <sys/mman.h>

#include "shim/control/process.h"
#include "shim/host/module.h"
#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/writer/position.h"
#include "shim/writer/writer.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Outputs in memory.  The file of one that is not written is shorter than the
 * program takes it to be: it becomes as long, of zeros, before it is mapped.
 * What the program stores there comes to the file itself, and is recorded as
 * bytes at their place: what is not zero when it is unmapped, or asked to be
 * written, or at the end.
 */

#define MAPS_MAX 8
#define PIECE 1024u
/* So many zeros are not recorded with what is around them. */
#define GAP 16u

struct map {
	uintptr_t start; /* 0: free */
	size_t size;
	off64_t offset; /* of its first byte in the file */
	unsigned stream;
};

static struct map maps[MAPS_MAX];
bool map_any;

/* Libraries that allocate for the program may call before there is a next
 * one, or before we have begun to look for it. */
static void *map(void *address, size_t size, int protection, int flags, int fd,
	off64_t offset)
{
	void *result = MAP_FAILED;
	long mapped;

	if (likely(next_mmap64 != NULL)) {
		result = next_mmap64(
			address, size, protection, flags, fd, offset);
		if (likely(result != MAP_FAILED) || errno != ENOSYS)
			return result;
	}
	mapped = sys_enter(SYS_mmap, (long)address, (long)size, protection,
		flags, fd, offset);
	if (!sys_failed(mapped))
		return (void *)mapped;
	errno = (int)-mapped;
	return MAP_FAILED;
}

int map_pass_close(void *address, size_t size)
{
	int result;
	long done;

	if (likely(next_munmap != NULL)) {
		result = next_munmap(address, size);
		if (likely(result == 0) || errno != ENOSYS)
			return result;
	}
	done = sys_enter(SYS_munmap, (long)address, (long)size, 0, 0, 0, 0);
	if (!sys_failed(done))
		return 0;
	errno = (int)-done;
	return -1;
}

/* What is mapped over constants changes them, as memory_protect() may. */
void *map_pass(void *address, size_t size, int protection, int flags, int fd,
	off64_t offset)
{
	bool changes = flags & MAP_FIXED && module_changes(address, size);
	void *result = map(address, size, protection, flags, fd, offset);

	if (unlikely(changes)) {
		int kept = errno;

		process_changed();
		errno = kept;
	}
	return result;
}

static void remember(void *start, size_t size, off64_t offset, unsigned stream)
{
	for (int i = 0; i < MAPS_MAX; i++) {
		uintptr_t none = 0;

		if (!__atomic_compare_exchange_n(&maps[i].start, &none,
			    (uintptr_t)start, false, __ATOMIC_ACQ_REL,
			    __ATOMIC_RELAXED))
			continue;
		maps[i].offset = offset;
		maps[i].stream = stream;
		__atomic_store_n(&maps[i].size, size, __ATOMIC_RELEASE);
		__atomic_store_n(&map_any, true, __ATOMIC_RELEASE);
		return;
	}
	writer_count_passed();
}

void *map_open(const struct call *call, void *address, size_t size,
	int protection, int flags, int fd, off64_t offset)
{
	unsigned stream = streams_have_offsets ? streams_of(fd) : STREAM_PASS;
	int kept = errno;
	void *result;

	if ((flags & MAP_TYPE) != MAP_PRIVATE)
		writer_hear_others();
	if (!position_matters(stream))
		return map_pass(address, size, protection, flags, fd, offset);
	stdio_buffer_catch_up(call);
	position_lengthen(stream);
	errno = kept;
	result = map_pass(address, size, protection, flags, fd, offset);
	if (result != MAP_FAILED && protection & PROT_WRITE &&
		(flags & MAP_TYPE) != MAP_PRIVATE)
		remember(result, size, offset, stream);
	return result;
}

/* From the first byte that is not zero to the last before a gap. */
static void record_piece(const struct call *call, const struct map *map,
	off64_t at, const char *bytes, size_t size)
{
	size_t first = 0, end, i;

	while (first < size) {
		while (first < size && bytes[first] == 0)
			first++;
		end = i = first;
		while (i < size && i - end < GAP)
			if (bytes[i++] != 0)
				end = i;
		if (end > first &&
			capture_bytes_at(call, map->stream, at + (off64_t)first,
				bytes + first, end - first) < end - first)
			writer_count_passed();
		first = i;
	}
}

/* Behind the end of the file nothing may be touched, and nothing is. */
static size_t size_of(const struct map *map)
{
	off64_t end = position_real_end(map->stream);
	size_t size = __atomic_load_n(&map->size, __ATOMIC_ACQUIRE);

	if (end <= map->offset)
		return 0;
	return (off64_t)size < end - map->offset ? size
						 : (size_t)(end - map->offset);
}

static void record(const struct call *call, const struct map *map)
{
	char piece[PIECE];
	size_t size = size_of(map);

	for (size_t at = 0; at < size; at += PIECE) {
		size_t part = size - at < PIECE ? size - at : PIECE;

		if (!sys_copy(piece, (const char *)map->start + at, part))
			break;
		record_piece(call, map, map->offset + (off64_t)at, piece, part);
	}
}

void map_settle(const struct call *call)
{
	int kept = errno;

	if (likely(!map_any))
		return;
	for (int i = 0; i < MAPS_MAX; i++)
		if (__atomic_load_n(&maps[i].start, __ATOMIC_ACQUIRE))
			record(call, &maps[i]);
	errno = kept;
}

int map_close(const struct call *call, void *address, size_t size)
{
	uintptr_t from = (uintptr_t)address;

	map_settle(call);
	for (int i = 0; i < MAPS_MAX; i++) {
		uintptr_t start =
			__atomic_load_n(&maps[i].start, __ATOMIC_ACQUIRE);

		if (start >= from && start - from < size) {
			__atomic_store_n(&maps[i].size, 0, __ATOMIC_RELAXED);
			__atomic_store_n(&maps[i].start, 0, __ATOMIC_RELEASE);
		}
	}
	return next_munmap(address, size);
}

int map_sync(const struct call *call, void *address, size_t size, int flags)
{
	map_settle(call);
	return next_msync(address, size, flags);
}

/* The file is longer than it was when it was mapped. */
void map_follow(unsigned stream)
{
	if (unlikely(map_any))
		position_lengthen(stream);
}
