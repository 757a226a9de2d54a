#include "shim/start/abort_message.h"

#include <sys/mman.h>

#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/record/capture_slow.h"
#include "shim/streams/streams.h"
#include "shim/writer/define.h"
#include "shim/writer/position.h"

/* struct abort_msg_s, include/stdlib.h of glibc */
struct message {
	unsigned size; /* of the mapping that it begins */
	char text[];
};

#define PAGE ((size_t)4096)

static const struct message *recorded;
static const char *expected;

static struct message **place(void)
{
	return host_abort_message;
}

void abort_message_set(const char *text, size_t length)
{
	size_t size = (sizeof(struct message) + length + PAGE) & -PAGE;
	struct message *old, *new;
	long address;

	if (!place() || size > UINT_MAX)
		return;
	address = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(address))
		return;
	new = (struct message *)address;
	new->size = (unsigned)size;
	bytes_copy(new->text, text, length);
	__atomic_store_n(&recorded, new, __ATOMIC_RELEASE);
	old = __atomic_exchange_n(place(), new, __ATOMIC_ACQ_REL);
	if (old)
		SYS2(munmap, old, old->size);
}

void abort_message_expect(const char *text)
{
	__atomic_store_n(&expected, text, __ATOMIC_RELEASE);
}

/* The message of libc, if it is one that nobody has seen. */
static const struct message *unseen(size_t *length)
{
	const char *known = __atomic_load_n(&expected, __ATOMIC_ACQUIRE);
	const struct message *message;

	if (!place())
		return NULL;
	message = __atomic_load_n(place(), __ATOMIC_ACQUIRE);
	if (!message || __atomic_exchange_n(&recorded, message,
				__ATOMIC_ACQ_REL) == message)
		return NULL;
	*length = bytes_length_limited(
		message->text, message->size - sizeof(*message));
	if (*length > CAPTURE_CHUNK)
		*length = CAPTURE_CHUNK;
	return known && bytes_starts(message->text, known) ? NULL : message;
}

/* The last bytes of the file are these. */
static bool ends_with(const char *bytes, size_t size, off_t end)
{
	static const char path[] = "/proc/self/fd/2";
	char chunk[256];
	long fd = SYS4(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	bool same = !sys_failed(fd);

	while (same && size > 0) {
		size_t part = size < sizeof(chunk) ? size : sizeof(chunk);

		size -= part;
		end -= (off_t)part;
		same = SYS4(pread64, fd, chunk, part, end) == (long)part &&
		       memcmp(chunk, bytes + size, part) == 0;
	}
	if (!sys_failed(fd))
		SYS1(close, fd);
	return same;
}

/* Where descriptor 2 stands, if that is the end of the stream's file; or 0. */
static off_t end_of(const struct stream *stream)
{
	struct stat st = {0};
	long end = SYS3(lseek, STDERR_FILENO, 0, SEEK_CUR);

	return !sys_failed(SYS2(fstat, STDERR_FILENO, &st)) &&
			       S_ISREG(st.st_mode) && end == st.st_size &&
			       st.st_dev == stream->device &&
			       st.st_ino == stream->inode
		       ? end
		       : 0;
}

/*
 * Takes what libc has just written out of the file, if text to it is not
 * written but recorded: otherwise it would be the only one there, before all
 * that came before it.  Only where this is surely that text, and the end; which
 * is looked at last, since others may write to the file at any moment.
 */
static bool take_back(
	const struct stream *stream, const char *bytes, size_t size)
{
	const off_t length = (off_t)size;
	off_t end = end_of(stream);

	if (end < length || !ends_with(bytes, size, end) ||
		end_of(stream) != end ||
		sys_failed(SYS2(ftruncate, STDERR_FILENO, end - length)))
		return false;
	SYS3(lseek, STDERR_FILENO, end - length, SEEK_SET);
	return true;
}

/*
 * As text that is only here, or that is also there (like all of a stream that
 * is also written: then nothing is said of it).  Not before there is room
 * for it: else it would be nowhere.
 */
static void write_record(struct writer *w, uint32_t here, uint32_t there,
	unsigned number, const char *bytes, uint32_t size)
{
	const struct stream *stream = &streams[number];
	uint32_t padded = (size + 3) & ~3u;
	uint64_t ticks;

	if (!there || !writer_begin(w, 12 + padded, &ticks))
		return;
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	*(uint32_t *)(w->cursor + 8) = size;
	*(uint32_t *)(w->cursor + 8 + padded) = 0;
	bytes_copy(w->cursor + 12, bytes, size);
	if (here && (stream->tee || take_back(stream, bytes, size)))
		there = here;
	else
		position_seen(number, size);
	writer_commit(w, w->cursor + 12 + padded, there);
}

void abort_message_record(const struct call *call)
{
	static const uint8_t kind = BINLOG_ARG_STRING;
	struct define_context context = {
		.text = BINLOG_TEXT_BYTES,
		.flags = BINLOG_CONTEXT_ESCAPED,
		.kinds = &kind,
		.kinds_count = 1,
	};
	size_t length;
	const struct message *message = unseen(&length);
	struct writer *w;
	uint32_t here, there;

	if (!message || length == 0)
		return;
	context.stream = streams_of(STDERR_FILENO);
	if (context.stream == STREAM_PASS)
		return;
	w = writer_enter(call->sp);
	if (!w)
		return;
	define_walk(w, call, control_depth(process.depth));
	there = define_context(w, call, &context);
	context.flags = 0;
	here = define_context(w, call, &context);
	write_record(w, here, there, context.stream, message->text,
		(uint32_t)length);
	writer_leave(w);
}
