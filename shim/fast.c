#include "shim/fast.h"

#include "shim/arguments.h"
#include "shim/capture_slow.h"
#include "shim/stdio_buffer.h"
#include "shim/stdio_turn.h"

/* The call, and the writer that it is recorded by. */
struct fast {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t fp;
	struct writer *w;
};

/* A FILE whose text is recorded and nothing else; its stream, or PASS. */
static inline __attribute__((always_inline)) unsigned plain_stream(
	const FILE *file)
{
	unsigned fd = (unsigned)file->_fileno;
	uint64_t slot;
	unsigned stream;

	/* Byte-oriented already: fwide(file, 0) < 0. */
	if (unlikely((file->_flags & (LIBIO_IS_FILEBUF | LIBIO_NO_WRITES)) !=
			     LIBIO_IS_FILEBUF ||
		     file->_mode >= 0 || fd >= STREAMS_FDS))
		return STREAM_PASS;
	slot = __atomic_load_n(&streams_of_stdio[fd], __ATOMIC_RELAXED);
	stream = (unsigned)slot & STREAMS_MAX;
	if (unlikely(slot >> STREAMS_BITS != (uintptr_t)file ||
		     streams[stream].unusual || stdio_turn_matters))
		return STREAM_PASS;
	/* What another FILE has collected comes first. */
	if (unlikely(stdio_buffer_collects != file && stdio_buffer_collects))
		return STREAM_PASS;
	return stream;
}

static inline __attribute__((always_inline)) bool is_this(
	const struct memo *memo, const struct fast *fast, uintptr_t key,
	uint32_t tag)
{
	return memo->pc == fast->pc && memo->key == key &&
	       memo->sp == fast->sp && memo->tag == tag &&
	       memo_same_stack(memo, fast->fp);
}

/* The entry of this call; it stays where it is. */
static inline __attribute__((always_inline)) const struct memo *find(
	const struct fast *fast, uintptr_t key, uint32_t tag)
{
	const struct memo *set = fast->w->memo[memo_set_of(
		fast->w->callers, fast->pc, fast->sp, fast->fp, key, tag)];

	if (likely(is_this(&set[0], fast, key, tag)))
		return &set[0];
	return is_this(&set[1], fast, key, tag) ? &set[1] : NULL;
}

/* Room for a record, and the time: no new block, no new anchor. */
static inline __attribute__((always_inline)) bool begin(
	struct writer *w, size_t bytes, uint64_t *ticks)
{
	if (unlikely((size_t)(w->end - w->cursor) < bytes))
		return false;
	*ticks = clock_ticks();
	return likely((uint32_t)(*ticks >> CLOCK_EPOCH_SHIFT) == w->epoch &&
		      *w->core_now == w->core);
}

static inline __attribute__((always_inline)) void commit(struct writer *w,
	char *end, const struct memo *memo, uint64_t ticks, unsigned stream,
	size_t said)
{
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	writer_commit(w, end, memo->context);
	writer_said(w, stream, said);
}

/* Bytes that are part of the context: nothing but the time is recorded. */
static inline __attribute__((always_inline)) bool record_constant(
	const struct fast *fast, const struct memo *memo, unsigned stream,
	size_t said)
{
	uint64_t ticks;

	if (unlikely(!begin(fast->w, 8, &ticks)))
		return false;
	commit(fast->w, fast->w->cursor + 8, memo, ticks, stream, said);
	return true;
}

static inline __attribute__((always_inline)) bool record_bytes(
	const struct fast *fast, unsigned stream, unsigned text,
	const void *bytes, size_t size, size_t said)
{
	const struct memo *memo = find(fast, 0, memo_tag(stream, text));
	size_t padded = (size + 3) & ~(size_t)3;
	uint64_t ticks;
	char *to = fast->w->cursor;

	if (unlikely(!memo || size == 0 || size > FAST_BYTES_MAX ||
		     !begin(fast->w, 12 + padded, &ticks)))
		return false;
	*(uint32_t *)(to + 8) = (uint32_t)size;
	*(uint32_t *)(to + 8 + padded) = 0;
	bytes_copy(to + 12, bytes, size);
	commit(fast->w, to + 12 + padded, memo, ticks, stream, said);
	return true;
}

/*
 * What macros have put into the buffer comes first.  Only where no other
 * thread may use the FILE, which libc knows.
 */
static __attribute__((noinline)) bool drain(
	const struct fast *fast, FILE *file, unsigned stream)
{
	size_t size = (size_t)(file->_IO_write_ptr - file->_IO_write_base);

	if (stdio_buffer_is_busy(fast->sp) ||
		file->_flags2 & LIBIO_NEEDS_LOCK ||
		!(file->_flags & LIBIO_CURRENTLY_PUTTING) ||
		!record_bytes(fast, stream, BINLOG_TEXT_CHARACTERS,
			file->_IO_write_base, size, size))
		return false;
	file->_IO_write_ptr = file->_IO_write_base;
	return true;
}

/* Enters, and has the buffer of the FILE empty; false: neither. */
static inline __attribute__((always_inline)) bool enter(
	struct fast *fast, FILE *file, unsigned stream)
{
	struct writer *w = writer_self;

	if (unlikely(w->idle != process_generation))
		return false;
	w->entered = fast->sp;
	w->idle = 0;
	SIGNAL_FENCE();
	fast->w = w;
	if (likely(file->_IO_write_ptr == file->_IO_write_base) ||
		drain(fast, file, stream))
		return true;
	writer_leave(w);
	return false;
}

int fast_format(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file,
	const char *format, va_list arguments)
{
	struct fast fast = {pc, sp, fp, NULL};
	unsigned stream = plain_stream(file);
	int result = CAPTURE_PASS;
	struct arguments_list list;
	struct arguments_sum sum;
	const struct memo *memo;
	const struct plan *plan;
	uint64_t ticks;
	char *end;

	if (unlikely(stream == STREAM_PASS || !enter(&fast, file, stream)))
		return CAPTURE_PASS;
	memo = find(
		&fast, (uintptr_t)format, memo_tag(stream, BINLOG_TEXT_FORMAT));
	if (unlikely(!memo))
		goto leave;
	plan = memo->plan;
	if (unlikely(!plan->plain &&
		     (plan->at_once || !plan->measured || plan->has_errno ||
			     arguments_need_locale(plan))))
		goto leave;
	if (unlikely(!begin(fast.w, 8 + plan->fixed, &ticks)))
		goto leave;
	va_copy(list.ap, arguments);
	end = arguments_store(fast.w, fast.w->cursor + 8, plan, &list, &sum);
	va_end(list.ap);
	if (unlikely(!end || sum.length > INT_MAX))
		goto leave;
	commit(fast.w, end, memo, ticks, stream, sum.length);
	result = (int)sum.length;
leave:
	writer_leave(fast.w);
	return result;
}

bool fast_bytes(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file,
	const void *bytes, size_t size)
{
	struct fast fast = {pc, sp, fp, NULL};
	unsigned stream = plain_stream(file);
	const struct memo *memo;
	bool done;

	if (unlikely(stream == STREAM_PASS || !enter(&fast, file, stream)))
		return false;
	memo = find(
		&fast, (uintptr_t)bytes, memo_tag(stream, BINLOG_TEXT_LITERAL));
	if (memo && memo->length == size)
		done = record_constant(&fast, memo, stream, size);
	else
		done = record_bytes(
			&fast, stream, BINLOG_TEXT_BYTES, bytes, size, size);
	writer_leave(fast.w);
	return done;
}

int fast_string(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file,
	const char *s, unsigned text)
{
	struct fast fast = {pc, sp, fp, NULL};
	unsigned stream = plain_stream(file);
	size_t newline = text == BINLOG_TEXT_BYTES_LINE;
	const struct memo *memo;
	size_t size;
	bool done;

	if (unlikely(stream == STREAM_PASS || !enter(&fast, file, stream)))
		return -1;
	memo = find(
		&fast, (uintptr_t)s, memo_tag(stream, CAPTURE_CONSTANT(text)));
	if (memo) {
		/* What is constant is as long as it was. */
		size = memo->length;
		done = record_constant(&fast, memo, stream, size + newline);
	} else {
		size = bytes_length(s);
		done = record_bytes(
			&fast, stream, text, s, size, size + newline);
	}
	writer_leave(fast.w);
	return done ? (int)size : -1;
}

/* Into the buffer, as the macro does it; a handler leaves it alone. */
static inline __attribute__((always_inline)) bool collect(
	FILE *file, int c, uintptr_t sp)
{
	bool fits;

	stdio_buffer_collecting = sp;
	SIGNAL_FENCE();
	fits = file->_IO_write_ptr < file->_IO_write_end;
	if (likely(fits))
		*file->_IO_write_ptr++ = (char)c;
	SIGNAL_FENCE();
	stdio_buffer_collecting = 0;
	return fits;
}

bool fast_character(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file, int c)
{
	struct fast fast = {pc, sp, fp, NULL};
	unsigned stream = plain_stream(file);
	const struct memo *memo;
	uint64_t ticks;
	bool done = false;

	if (unlikely(stream == STREAM_PASS))
		return false;
	if (stdio_buffer_collects == file &&
		!(file->_flags2 & LIBIO_NEEDS_LOCK) && collect(file, c, sp)) {
		if (c == '\n' && enter(&fast, file, stream))
			writer_leave(fast.w);
		return true;
	}
	if (unlikely(!enter(&fast, file, stream)))
		return false;
	memo = find(&fast, 0, memo_tag(stream, BINLOG_TEXT_CHARACTER));
	if (likely(memo && begin(fast.w, 12, &ticks))) {
		*(int32_t *)(fast.w->cursor + 8) = (unsigned char)c;
		commit(fast.w, fast.w->cursor + 12, memo, ticks, stream, 1);
		done = true;
	}
	writer_leave(fast.w);
	return done;
}
