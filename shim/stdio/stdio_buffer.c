#include "shim/stdio/stdio_buffer.h"

#include "shim/host/host.h"
#include "shim/host/libio.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"
#include "shim/streams/held.h"
#include "shim/streams/streams.h"
#include "shim/writer/ownership.h"

/* Of more than these at a time the buffers are emptied, or never filled. */
#define FILES_MAX 16384u
/* Bytes on the stack while they are recorded. */
#define LITTLE 512

FILE *stdio_buffer_collects;
uint32_t stdio_buffer_marks;
uint32_t stdio_buffer_natives;
uintptr_t stdio_buffer_putting;
char *stdio_buffer_start;
bool stdio_buffer_passed;

/*
 * The FILEs with such bytes.  What belongs to one of them is of whoever has its
 * lock; of the only thread where it needs none.
 */
static struct buffer {
	FILE *file;	   /* null: free */
	const char *known; /* up to where it is, of what is also written */
	const void *user;  /* the thread that was here for it last */
	/* The stack pointer of a call of this thread that is just recording
	 * what is in it, or 0: a handler that interrupts it leaves it alone. */
	uintptr_t draining;
	/* The same of one that is also made natively, and may call back. */
	uintptr_t native;
} files[FILES_MAX];
static unsigned files_used;

/* Where the FILE with this descriptor was found last. */
static uint16_t hints[STREAMS_FDS];

static unsigned used(void)
{
	return __atomic_load_n(&files_used, __ATOMIC_ACQUIRE);
}

static FILE *file_of(unsigned i)
{
	return __atomic_load_n(&files[i].file, __ATOMIC_ACQUIRE);
}

static void hint(const FILE *file, unsigned i)
{
	unsigned fd = (unsigned)file->_fileno;

	if (fd < STREAMS_FDS)
		__atomic_store_n(&hints[fd], (uint16_t)i, __ATOMIC_RELAXED);
}

/* The number of a FILE among them, or FILES_MAX. */
static unsigned find(const FILE *file)
{
	unsigned fd = (unsigned)file->_fileno;
	unsigned n = used(), i = 0;

	if (likely(fd < STREAMS_FDS))
		i = __atomic_load_n(&hints[fd], __ATOMIC_RELAXED);
	if (likely(file_of(i) == file))
		return i;
	for (i = 0; i < n; i++)
		if (file_of(i) == file) {
			hint(file, i);
			return i;
		}
	return FILES_MAX;
}

static const void *this_thread(void)
{
	return (const void *)host_pthread_self();
}

static const void *user_of(unsigned i)
{
	return __atomic_load_n(&files[i].user, __ATOMIC_RELAXED);
}

static void use(unsigned i)
{
	const void *self = this_thread();

	if (user_of(i) != self)
		__atomic_store_n(&files[i].user, self, __ATOMIC_RELAXED);
}

/* As libc does it. */
static bool needs_lock(const FILE *file)
{
	return !host_knows_files || file->_flags2 & LIBIO_NEEDS_LOCK;
}

/*
 * No other thread may just be putting something there.  Macros take no lock: a
 * FILE that another thread was the last to be here for is left to that one,
 * except by what natively flushes all.
 */
static bool is_ours(const FILE *file)
{
	unsigned i;

	if (!needs_lock(file))
		return true;
	i = find(file);
	return i < FILES_MAX && user_of(i) == this_thread();
}

/* ---- marks of calls that are under way ---- */

/* Sets or, with 0, takes away one of those that `count` counts. */
static void set_mark(uintptr_t *mark, uint32_t *count, uintptr_t sp)
{
	if (*mark == 0 && sp != 0)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	else if (*mark != 0 && sp == 0)
		__atomic_fetch_sub(count, 1, __ATOMIC_RELAXED);
	SIGNAL_FENCE();
	*mark = sp;
	SIGNAL_FENCE();
}

/*
 * A call at `sp` comes in the middle of the one that has set the mark.  Not
 * where a handler has jumped out of that, and we are further up the stack; nor
 * where it was another thread's, which has not survived a fork.
 */
static bool is_within(unsigned i, uintptr_t mark, uintptr_t sp)
{
	return user_of(i) == this_thread() && sp != mark &&
	       !ownership_seems_left(mark, sp);
}

static void mark_draining(unsigned i, uintptr_t sp)
{
	if (i == FILES_MAX)
		return;
	if (sp != 0)
		use(i);
	set_mark(&files[i].draining, &stdio_buffer_marks, sp);
}

COLD bool stdio_buffer_is_marked(const FILE *file, uintptr_t sp)
{
	unsigned i = find(file);
	uintptr_t mark = i < FILES_MAX ? files[i].draining : 0;

	if (mark == 0 || is_within(i, mark, sp))
		return mark != 0;
	mark_draining(i, 0);
	return false;
}

COLD void stdio_buffer_native_begin(const struct call *call, FILE *file)
{
	unsigned i;

	if (!stdio_buffer_remember(file))
		return;
	i = find(file);
	set_mark(&files[i].native, &stdio_buffer_natives, call->sp);
}

COLD void stdio_buffer_native_end(const FILE *file)
{
	unsigned i = find(file);

	if (i < FILES_MAX)
		set_mark(&files[i].native, &stdio_buffer_natives, 0);
}

COLD bool stdio_buffer_is_native(const struct call *call, const FILE *file)
{
	unsigned i = find(file);
	uintptr_t mark = i < FILES_MAX ? files[i].native : 0;

	if (mark == 0 || user_of(i) != this_thread())
		return false; /* another thread waits for the lock */
	if (is_within(i, mark, call->sp))
		return true;
	stdio_buffer_native_end(file);
	return false;
}

static bool record(const struct call *call, const char *from, const char *to,
	unsigned stream)
{
	struct call by_macro = *call;

	by_macro.function = "putc_unlocked";
	by_macro.turn = NULL;
	by_macro.entry = ENTRY_NONE;
	if (unlikely(streams[stream].watched))
		held_bytewise(streams[stream].file, from, (size_t)(to - from));
	return capture_bytes(&by_macro, stream, BINLOG_TEXT_CHARACTERS, from,
		(size_t)(to - from));
}

static const char *known_of(unsigned i)
{
	return __atomic_load_n(&files[i].known, __ATOMIC_RELAXED);
}

static void set_known(unsigned i, const char *known)
{
	__atomic_store_n(&files[i].known, known, __ATOMIC_RELAXED);
}

/* From where on the buffer of a FILE that is also written is unknown. */
static const char *unknown_from(const FILE *file, unsigned i)
{
	const char *known = i < FILES_MAX ? known_of(i) : NULL;

	return known >= file->_IO_write_base && known <= file->_IO_write_ptr
		       ? known
		       : file->_IO_write_base;
}

/* The number of a FILE, new or not; FILES_MAX: there are too many. */
static unsigned slot_of(FILE *file)
{
	unsigned i = find(file);

	if (i == FILES_MAX && stdio_buffer_remember(file))
		i = find(file);
	return i;
}

/*
 * All that is in the buffer is known.  Where there is no slot to remember it,
 * it would be taken for new again: then the buffer is emptied.
 */
static void know(FILE *file, unsigned i)
{
	if (likely(i < FILES_MAX))
		set_known(i, file->_IO_write_ptr);
	else
		host_fflush_unlocked(file);
}

static void drain_tee(const struct call *call, FILE *file, unsigned stream)
{
	unsigned i = slot_of(file);
	const char *from = unknown_from(file, i);

	if (from == file->_IO_write_ptr)
		return;
	if (!record(call, from, file->_IO_write_ptr, stream))
		writer_count_passed();
	know(file, i);
}

static bool set_end(FILE *file, const char *old, const char *now)
{
	return signal_exchange((uint64_t *)(void *)&file->_IO_write_ptr,
		(uintptr_t)old, (uintptr_t)now);
}

/* What handlers have put behind it meanwhile moves up. */
static void take_out(FILE *file, char *from, const char *to)
{
	const char *end = file->_IO_write_ptr;

	while (end >= to) {
		memmove(from, to, (size_t)(end - to));
		if (set_end(file, end, from + (end - to)))
			return;
		end = file->_IO_write_ptr;
	}
}

/* What is before `start` is nothing that libc would write. */
static void set_read_area(FILE *file, char *start)
{
	file->_IO_read_base = file->_IO_read_ptr = file->_IO_read_end = start;
}

static void record_or_write(const struct call *call, const char *from,
	const char *to, unsigned stream)
{
	__atomic_fetch_add(&stdio_turn_drained, 1, __ATOMIC_SEQ_CST);
	if (record(call, from, to, stream))
		return;
	/* As if it had been passed, since calls that follow will be. */
	writer_count_passed();
	SYS3(write, streams[stream].fd, from, (size_t)(to - from));
}

/*
 * While a call goes on from the end of the buffer.  Out of libc's sight, then
 * recorded, so that a handler that interrupts us may do what it likes.
 */
static void drain_in_place(
	const struct call *call, FILE *file, char *from, unsigned stream)
{
	char *to = file->_IO_write_ptr;

	if (!stdio_buffer_start)
		stdio_buffer_start = from;
	if (!signal_exchange((uint64_t *)(void *)&file->_IO_write_base,
		    (uintptr_t)from, (uintptr_t)to))
		return;
	set_read_area(file, to);
	record_or_write(call, from, to, stream);
}

/*
 * An empty buffer begins where it began, if it is still the same one: setvbuf()
 * or freopen() may have given the FILE another.
 */
static void begin_again(FILE *file)
{
	uint64_t mask = signal_mask_block();
	char *start = stdio_buffer_start;

	if (start < file->_IO_buf_base || start > file->_IO_write_base) {
		stdio_buffer_start = NULL;
	} else if (file->_IO_write_ptr == file->_IO_write_base) {
		file->_IO_write_ptr = file->_IO_write_base = start;
		set_read_area(file, start);
		stdio_buffer_start = NULL;
	}
	signal_mask_restore(mask);
}

/* Little text, the usual case: out of the buffer first, too. */
static void drain_little(const struct call *call, FILE *file, const char *from,
	const char *to, unsigned stream)
{
	char copy[LITTLE];
	size_t size = (size_t)(to - from);

	__builtin_memcpy(copy, from, size);
	if (set_end(file, to, from))
		record_or_write(call, copy, copy + size, stream);
}

static void drain_much(const struct call *call, FILE *file, unsigned stream)
{
	unsigned i = slot_of(file);
	char *from;
	const char *to;

	mark_draining(i, call->sp);
	from = file->_IO_write_base;
	if (stdio_buffer_passed)
		from += unknown_from(file, i) - from;
	to = file->_IO_write_ptr;
	if (from < to && record(call, from, to, stream)) {
		__atomic_fetch_add(&stdio_turn_drained, 1, __ATOMIC_SEQ_CST);
		take_out(file, from, to);
	} else if (from < to) {
		stdio_buffer_passed = true;
		writer_count_passed();
		stdio_buffer_settle(file);
	}
	mark_draining(i, 0);
}

/*
 * What calls that were passed have put there stays.  A buffer that is full must
 * not become an empty one that begins at its end: libc would write behind it.
 */
static void drain_replaced(const struct call *call, FILE *file, unsigned stream)
{
	char *base = file->_IO_write_base;
	const char *from = base;
	const char *to = file->_IO_write_ptr;
	bool is_put = file == stdio_buffer_collects && stdio_buffer_putting &&
		      to < file->_IO_buf_end;

	if (stdio_buffer_passed)
		from = unknown_from(file, find(file));
	if (from == to || (is_put && from != base))
		return; /* what is put there now is recorded later */
	if (is_put) {
		drain_in_place(call, file, base, stream);
		return;
	}
	if (to - from <= LITTLE && !stdio_buffer_passed)
		drain_little(call, file, from, to, stream);
	else
		drain_much(call, file, stream);
	if (file == stdio_buffer_collects && stdio_buffer_start)
		begin_again(file);
}

COLD void stdio_buffer_drain(
	const struct call *call, FILE *file, unsigned stream)
{
	bool locks = needs_lock(file);

	/* Another thread's: it will come here itself. */
	if (locks && host_ftrylockfile(file) != 0)
		return;
	/* Our own, interrupted: a handler must not find it half taken. */
	if (stdio_buffer_is_busy(file, call->sp))
		goto unlock;
	/* A handler has used macros, and the call has gone on before that. */
	if (file == stdio_buffer_collects && !stdio_buffer_putting &&
		unlikely(file->_IO_write_ptr < file->_IO_write_base))
		file->_IO_write_base = file->_IO_write_ptr;
	if (!(file->_flags & LIBIO_CURRENTLY_PUTTING) || file->_mode > 0 ||
		file->_IO_write_ptr <= file->_IO_write_base)
		; /* nothing there */
	else if (streams[stream].tee)
		drain_tee(call, file, stream);
	else
		drain_replaced(call, file, stream);
unlock:
	if (locks)
		host_funlockfile(file);
}

COLD void stdio_buffer_put_is_over(uintptr_t sp)
{
	if (ownership_seems_left(stdio_buffer_putting, sp))
		stdio_buffer_putting = 0;
}

COLD void stdio_buffer_catch_up_slow(const struct call *call)
{
	FILE *file = stdio_buffer_collects;
	unsigned stream;

	/* Since there are threads nothing is collected any more; what is in
	 * there is their user's. */
	if (file && !is_ours(file) && !stdio_buffer_start)
		stdio_buffer_collects = file = NULL;
	if (!file || file->_IO_write_ptr == file->_IO_write_base ||
		process_is_borrowed())
		return;
	stream = streams_of_file(file);
	if (stream != STREAM_PASS)
		stdio_buffer_drain(call, file, stream);
}

COLD void stdio_buffer_collect(
	const struct call *call, FILE *file, unsigned stream)
{
	if (file == stdio_buffer_collects ||
		streams[stream].buffering != BINLOG_BUFFER_FULL ||
		streams[stream].unusual || stdio_turn_is_on() ||
		stdio_buffer_putting || stdio_buffer_start ||
		!host_knows_files || file->_flags2 & LIBIO_NEEDS_LOCK ||
		!stdio_buffer_remember(file))
		return;
	stdio_buffer_catch_up(call);
	stdio_buffer_collects = file;
	streams_changed();
}

COLD void stdio_buffer_prepare_slow(
	const struct call *call, FILE *file, unsigned stream)
{
	struct call_turn *turn = call->turn;

	turn->lost = false;
	/* Between a call that is also made and what is then known of the
	 * buffer, no other thread may change it. */
	if (turn->locks && (!turn->drains || turn->tries >= STDIO_TURN_TRIES ||
				   stdio_turn_is_others(file)))
		stdio_turn_take(turn);
	if (file->_IO_write_ptr != file->_IO_write_base)
		stdio_buffer_drain(call, file, stream);
	/* Keeping it costs others time; but it settles who is first. */
	if (turn->held && turn->drains && turn->tries < STDIO_TURN_TRIES)
		stdio_turn_give_back(turn);
}

void stdio_buffer_settle(FILE *file)
{
	know(file, slot_of(file));
}

void stdio_buffer_write(
	const struct call *call, FILE *file, unsigned stream, bool locks)
{
	/* Else the turn has the lock: see stdio_buffer_prepare_slow(). */
	if (locks && !streams[stream].tee) {
		call->turn->file = file;
		stdio_turn_take(call->turn);
	}
	/* What it leaves there if it is cancelled is not recorded either. */
	call->turn->settles = true;
}

void stdio_buffer_written(FILE *file, unsigned stream, bool locks)
{
	if (!streams[stream].tee || stream == STREAM_FULL)
		stdio_buffer_passed = true;
	stdio_buffer_settle(file);
	(void)locks; /* the turn has the lock until the call ends */
}

void stdio_buffer_flushed(const FILE *file)
{
	unsigned n = used();

	if (file) {
		unsigned i = find(file);

		if (i < FILES_MAX)
			set_known(i, file->_IO_write_ptr);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const FILE *one = file_of(i);

		if (one)
			set_known(i, one->_IO_write_ptr);
	}
}

static void drain_if_recorded(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_file(file);

	if (stream != STREAM_PASS)
		stdio_buffer_drain(call, file, stream);
}

bool stdio_buffer_is_used(void)
{
	unsigned n = used();

	for (unsigned i = 0; i < n; i++) {
		const FILE *file = file_of(i);

		if (file && stdio_buffer_has_some(file))
			return true;
	}
	return false;
}

void stdio_buffer_drain_all(const struct call *call)
{
	unsigned n = used();

	for (unsigned i = 0; i < n; i++) {
		FILE *file = file_of(i);

		if (file)
			drain_if_recorded(call, file);
	}
}

void stdio_buffer_drain_own(const struct call *call)
{
	unsigned n = used();

	for (unsigned i = 0; i < n; i++) {
		FILE *file = file_of(i);

		if (file && is_ours(file))
			drain_if_recorded(call, file);
	}
}

/* At least so many are in use from here on. */
static void raise_used(unsigned n)
{
	unsigned before = used();

	while (before < n &&
		!__atomic_compare_exchange_n(&files_used, &before, n, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

bool stdio_buffer_remember(FILE *file)
{
	unsigned i = find(file);

	for (unsigned next = 0; i == FILES_MAX && next < FILES_MAX; next++) {
		FILE *expected = NULL;

		if (file_of(next) == NULL &&
			__atomic_compare_exchange_n(&files[next].file,
				&expected, file, false, __ATOMIC_ACQ_REL,
				__ATOMIC_ACQUIRE))
			i = next;
	}
	if (i == FILES_MAX)
		return false;
	raise_used(i + 1);
	hint(file, i);
	use(i);
	return true;
}

void stdio_buffer_forget(const FILE *file)
{
	unsigned i = find(file);

	if (stdio_buffer_collects == file) {
		stdio_buffer_collects = NULL;
		stdio_buffer_start = NULL;
		__atomic_store_n(&streams_collecting, NULL, __ATOMIC_RELAXED);
	}
	/* Two threads may have remembered it at once. */
	for (; i < FILES_MAX; i = find(file)) {
		mark_draining(i, 0);
		stdio_buffer_native_end(file);
		set_known(i, NULL);
		__atomic_store_n(&files[i].file, NULL, __ATOMIC_RELEASE);
	}
}
