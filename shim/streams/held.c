#include "shim/streams/held.h"

#include <sys/mman.h>

#include "shim/host/host.h"
#include "shim/host/sys.h"

/* FILEs beyond that are taken to hold back nothing. */
#define FILES_MAX 16

/* From this size on libc writes whole multiples of the buffer. */
#define ALIGNED_FROM 128u

struct held {
	const FILE *file; /* null: free */
	uint64_t bytes;
	int64_t offset;
	FILE *shadow;
};

static struct held table[FILES_MAX];

static struct held *find(const FILE *file)
{
	for (int i = 0; i < FILES_MAX; i++)
		if (__atomic_load_n(&table[i].file, __ATOMIC_ACQUIRE) == file)
			return &table[i];
	return NULL;
}

/* Of two that threads have made at once the first one counts. */
static struct held *settle_on(struct held *made, const FILE *file)
{
	struct held *first;

	__atomic_store_n(&made->bytes, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&made->offset, HELD_NO_OFFSET, __ATOMIC_RELAXED);
	first = find(file);
	if (first != made)
		__atomic_store_n(&made->file, NULL, __ATOMIC_RELEASE);
	return first;
}

static struct held *find_or_make(const FILE *file)
{
	struct held *found = find(file);

	for (int i = 0; i < FILES_MAX && !found; i++) {
		const FILE *none = NULL;

		if (__atomic_compare_exchange_n(&table[i].file, &none, file,
			    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			found = settle_on(&table[i], file);
	}
	return found;
}

/*
 * What is left in a buffer of this size when `bytes` have come in pieces: the
 * last byte that fits stays until the next comes.  Larger buffers that come
 * out even are taken to have been filled by whole blocks.
 */
static uint64_t left_of(uint64_t bytes, uint32_t size)
{
	if (size == 0)
		size = 1;
	if (bytes <= size)
		return bytes;
	if (bytes % size == 0)
		return size < ALIGNED_FROM ? size : 0;
	return bytes % size;
}

/* Of `bytes` that a FILE was to write. */
static uint64_t left(
	const struct held *held, const struct stream *stream, uint64_t bytes)
{
	if (held->shadow)
		return host___fpending(held->shadow);
	if (stream->buffering == BINLOG_BUFFER_FULL)
		return left_of(bytes, stream->buffer_bytes);
	/* Lines are taken to be whole: who looks closer is watched. */
	return 0;
}

static void move(struct held *held, uint64_t bytes)
{
	int64_t offset = __atomic_load_n(&held->offset, __ATOMIC_RELAXED);
	int64_t moved;

	do {
		if (offset == HELD_NO_OFFSET)
			return;
		moved = held->file->_flags & LIBIO_APPENDING && bytes > 0
				? HELD_NO_OFFSET
				: offset + (int64_t)bytes;
	} while (!__atomic_compare_exchange_n(&held->offset, &offset, moved,
		false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

uint64_t held_take(unsigned stream, uint64_t bytes)
{
	struct held *held = find_or_make(streams[stream].file);
	uint64_t before, after;

	if (!held)
		return bytes;
	before = __atomic_load_n(&held->bytes, __ATOMIC_RELAXED);
	do {
		after = left(held, &streams[stream], before + bytes);
		/* Others have not told yet of what they said. */
		if (after > before + bytes)
			after = before + bytes;
	} while (!__atomic_compare_exchange_n(&held->bytes, &before, after,
		false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	bytes = before + bytes - after;
	move(held, bytes);
	return bytes;
}

uint64_t held_bytes(const FILE *file)
{
	const struct held *held = find(file);

	return held ? __atomic_load_n(&held->bytes, __ATOMIC_RELAXED) : 0;
}

uint64_t held_release(FILE *file)
{
	struct held *held = find(file);
	uint64_t bytes;

	if (!held)
		return 0;
	if (held->shadow)
		host_fflush_unlocked(held->shadow);
	bytes = __atomic_exchange_n(&held->bytes, 0, __ATOMIC_RELAXED);
	move(held, bytes);
	return bytes;
}

void held_purge(FILE *file)
{
	struct held *held = find(file);

	if (!held)
		return;
	if (held->shadow)
		host___fpurge(held->shadow);
	__atomic_store_n(&held->bytes, 0, __ATOMIC_RELAXED);
}

int64_t held_offset(const FILE *file)
{
	const struct held *held = find(file);

	return held ? __atomic_load_n(&held->offset, __ATOMIC_RELAXED)
		    : HELD_NO_OFFSET;
}

void held_set_offset(FILE *file, int64_t offset)
{
	struct held *held = find_or_make(file);

	if (held)
		__atomic_store_n(&held->offset, offset, __ATOMIC_RELAXED);
}

void held_forget(const FILE *file)
{
	struct held *held = find(file);
	FILE *shadow;

	if (!held)
		return;
	shadow = held->shadow;
	held->shadow = NULL;
	__atomic_store_n(&held->bytes, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&held->offset, HELD_NO_OFFSET, __ATOMIC_RELAXED);
	__atomic_store_n(&held->file, NULL, __ATOMIC_RELEASE);
	if (shadow)
		host_fclose(shadow);
}

FILE *held_shadow(const FILE *file)
{
	const struct held *held = find(file);

	return held ? held->shadow : NULL;
}

/* ---- shadows ---- */

static ssize_t swallow(void *cookie, const char *bytes, size_t size)
{
	(void)cookie;
	(void)bytes;
	return (ssize_t)size;
}

static void buffer_shadow(FILE *shadow, int mode, size_t size)
{
	long memory = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!sys_failed(memory))
		host_setvbuf(shadow, (char *)memory, mode, size);
}

void held_set_buffer(FILE *file, const char *buffer, int mode, size_t size)
{
	FILE *shadow = held_shadow(file);

	if (!shadow)
		return;
	if (buffer && mode != _IONBF && size > 0)
		buffer_shadow(shadow, mode, size);
	else
		/* With a buffer of no size it is unbuffered. */
		host_setvbuf(shadow, NULL, buffer ? _IONBF : mode, size);
}

/* A buffer as the FILE has it, or will get it. */
static void copy_buffer(FILE *shadow, const struct stream *stream)
{
	if (stream->buffering == BINLOG_BUFFER_NONE)
		host_setvbuf(shadow, NULL, _IONBF, 0);
	else
		buffer_shadow(shadow,
			stream->buffering == BINLOG_BUFFER_LINE ? _IOLBF
								: _IOFBF,
			stream->buffer_bytes);
}

void held_watch(FILE *file, unsigned stream)
{
	static const cookie_io_functions_t functions = {.write = swallow};
	struct held *held = find_or_make(file);
	FILE *shadow;

	if (!held || held->shadow || held_bytes(file) > 0)
		return;
	shadow = host_fopencookie(NULL, "w", functions);
	if (!shadow)
		return;
	copy_buffer(shadow, &streams[stream]);
	held->shadow = shadow;
	streams_watch(file);
}

void held_block(const FILE *file, const void *bytes, size_t size)
{
	FILE *shadow = held_shadow(file);
	int kept = errno;

	if (shadow)
		host_fwrite_unlocked(bytes, 1, size, shadow);
	errno = kept;
}

/* As the macro does it: not into a buffer that is full, but the next one. */
static void put(FILE *shadow, unsigned char byte)
{
	if (shadow->_IO_write_ptr < shadow->_IO_write_end)
		*shadow->_IO_write_ptr++ = (char)byte;
	else
		next___overflow(shadow, byte);
}

void held_bytewise(const FILE *file, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	FILE *shadow = held_shadow(file);
	int kept = errno;

	for (size_t i = 0; shadow && i < size; i++)
		put(shadow, at[i]);
	errno = kept;
}
