#include "shim/stdio_buffer.h"

#include "shim/held.h"
#include "shim/host.h"
#include "shim/libio.h"
#include "shim/ownership.h"
#include "shim/signal_mask.h"
#include "shim/streams.h"
#include "shim/sys.h"

#define FILES_MAX 32
/* Bytes on the stack while they are recorded. */
#define LITTLE 512

FILE *stdio_buffer_collects;
uintptr_t stdio_buffer_draining;
uintptr_t stdio_buffer_putting;
char *stdio_buffer_start;
bool stdio_buffer_passed;

/* The FILEs with such bytes, and up to where their buffers are known. */
static struct {
	FILE *file;
	const char *known; /* of streams that are also written */
} files[FILES_MAX];

/* The number of a FILE among them, or FILES_MAX. */
static int find(const FILE *file)
{
	int i = 0;

	while (i < FILES_MAX &&
		__atomic_load_n(&files[i].file, __ATOMIC_ACQUIRE) != file)
		i++;
	return i;
}

static bool record(const struct call *call, const char *from, const char *to,
	unsigned stream)
{
	struct call by_macro = *call;

	by_macro.function = "putc_unlocked";
	by_macro.turn = NULL;
	by_macro.how = HOW_NONE;
	if (unlikely(streams[stream].watched))
		held_bytewise(streams[stream].file, from, (size_t)(to - from));
	return capture_bytes(&by_macro, stream, BINLOG_TEXT_CHARACTERS, from,
		(size_t)(to - from));
}

static const char *known_of(int i)
{
	return __atomic_load_n(&files[i].known, __ATOMIC_RELAXED);
}

static void set_known(int i, const char *known)
{
	__atomic_store_n(&files[i].known, known, __ATOMIC_RELAXED);
}

/* From where on the buffer of a FILE that is also written is unknown. */
static const char *unknown_from(const FILE *file, int i)
{
	const char *known = i < FILES_MAX ? known_of(i) : NULL;

	return known >= file->_IO_write_base && known <= file->_IO_write_ptr
		       ? known
		       : file->_IO_write_base;
}

static void drain_tee(const struct call *call, FILE *file, unsigned stream)
{
	int i = find(file);
	const char *from = unknown_from(file, i);

	/* Without a place to remember it, it would be taken for new again. */
	if (i == FILES_MAX || from == file->_IO_write_ptr)
		return;
	record(call, from, file->_IO_write_ptr, stream);
	set_known(i, file->_IO_write_ptr);
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
	char *from;
	const char *to;

	stdio_buffer_draining = call->sp;
	SIGNAL_FENCE();
	from = file->_IO_write_base;
	if (stdio_buffer_passed)
		from += unknown_from(file, find(file)) - from;
	to = file->_IO_write_ptr;
	if (from < to && record(call, from, to, stream)) {
		__atomic_fetch_add(&stdio_turn_drained, 1, __ATOMIC_SEQ_CST);
		take_out(file, from, to);
	} else if (from < to) {
		stdio_buffer_passed = true;
		stdio_buffer_settle(file);
	}
	SIGNAL_FENCE();
	stdio_buffer_draining = 0;
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
	/* As libc does; and a handler must not find it half taken. */
	bool locks = !host_knows_files || file->_flags2 & LIBIO_NEEDS_LOCK;

	/* Another thread's: it will come here itself; or our own, interrupted.
	 */
	if (stdio_buffer_is_busy(call->sp) ||
		(locks && host_ftrylockfile(file) != 0))
		return;
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
	unsigned stream = streams_of_file(file);

	if (file->_IO_write_ptr == file->_IO_write_base ||
		process_is_borrowed())
		return;
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
	int i;

	stdio_buffer_remember(file);
	i = find(file);
	if (i < FILES_MAX)
		set_known(i, file->_IO_write_ptr);
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
	for (int i = 0; i < FILES_MAX; i++) {
		FILE *one = __atomic_load_n(&files[i].file, __ATOMIC_ACQUIRE);

		if (one && (!file || one == file))
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
	for (int i = 0; i < FILES_MAX; i++) {
		const FILE *file =
			__atomic_load_n(&files[i].file, __ATOMIC_ACQUIRE);

		if (file && file->_IO_write_ptr != file->_IO_write_base)
			return true;
	}
	return false;
}

void stdio_buffer_drain_all(const struct call *call)
{
	for (int i = 0; i < FILES_MAX; i++) {
		FILE *file = __atomic_load_n(&files[i].file, __ATOMIC_ACQUIRE);

		if (file)
			drain_if_recorded(call, file);
	}
}

bool stdio_buffer_remember(FILE *file)
{
	if (find(file) < FILES_MAX)
		return true;
	for (int i = 0; i < FILES_MAX; i++) {
		FILE *expected = NULL;

		if (__atomic_compare_exchange_n(&files[i].file, &expected, file,
			    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}

void stdio_buffer_forget(const FILE *file)
{
	int i = find(file);

	if (stdio_buffer_collects == file) {
		stdio_buffer_collects = NULL;
		stdio_buffer_start = NULL;
		__atomic_store_n(&streams_collecting, NULL, __ATOMIC_RELAXED);
	}
	if (i < FILES_MAX) {
		set_known(i, NULL);
		__atomic_store_n(&files[i].file, NULL, __ATOMIC_RELEASE);
	}
}
