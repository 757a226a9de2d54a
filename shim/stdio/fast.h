/*
 * The short way to record a call on a FILE: for one that has been met before,
 * with the same stack, on a stream where nothing is unusual.  Called by the
 * interposed functions before anything else and inlined into them; has
 * everything in registers, and either records the call and is done, or has
 * done nothing at all: then the long way (wrappers/handlers.h) begins from the
 * beginning.  Async-signal-safe; no system call.  `pc`, `sp` and `fp` are the
 * caller's, as in struct call.
 *
 * How a call is found again.  Programs print in patterns: after the same call
 * as last time one from the same place is mostly the same one, too.
 * Else it is the one that it was before, as where a place says the parts of a
 * line from two stacks, or it is looked for by its hash.  A memo also remembers
 * the FILE that it was used with and that this was a plain one; as long as
 * streams_version
 * does not change, so it is.
 */
#ifndef SHIM_FAST_H
#define SHIM_FAST_H

#include "shim/record/arguments.h"
#include "shim/record/capture.h"
#include "shim/record/capture_slow.h"
#include "shim/stdio/fast_code.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/writer/stdio_turn.h"

/* Longer blocks take the long way. */
#define FAST_BYTES_MAX 4096u
#define FAST static inline __attribute__((always_inline))

/* A record that has been begun. */
struct fast_record {
	uint32_t first; /* its first word */
	uint32_t context;
	uint32_t key;	/* of the stream: see writer_said() */
	bool is_piece;	/* of a line */
	bool continues; /* a line, without a time of its own */
	char *end;
};

/* The entry of this call by its hash, for guesses from now on; or null. */
struct memo *fast_look_up(struct writer *w, const struct call *call,
	uintptr_t key, const FILE *file, unsigned text);

/* The same of bytes, which may be constant; `key` is their address. */
struct memo *fast_look_up_bytes(struct writer *w, const struct call *call,
	uintptr_t key, const FILE *file, unsigned text);

/*
 * What macros have put into the buffer comes first.  `memo` is that of the call
 * before which it is found, or null if there is none.  Only where no other
 * thread may use the FILE, which libc knows.  False: the long way.
 */
bool fast_drain(struct writer *w, struct memo *memo, uintptr_t pc, uintptr_t sp,
	uintptr_t fp, FILE *file);

#if FAST_CODE
/*
 * The same before a call on its FILE whose memo fast_x86_64.S has found, where
 * that has been done before.
 */
bool fast_drain_before(struct writer *w, struct memo *memo, uintptr_t sp);
#endif

/*
 * What printf returns, or CAPTURE_PASS.  `name` is that of the function.  A
 * call with a stack that is not remembered is recorded, too, and then is.
 */
int fast_format(uintptr_t pc, uintptr_t sp, uintptr_t fp, unsigned entry,
	const char *name, FILE *file, const char *format, va_list arguments);

/* What syslog() says before its text; see BINLOG_TEXT_SYSLOG. */
struct fast_message {
	int32_t priority; /* with the facility */
	int32_t pid;	  /* 0: not said */
	int32_t (*utc_offset)(uint64_t ticks);
	const char *ident; /* not null */
};

/* syslog(), where nothing but the capture has the text. */
bool fast_syslog(const struct call *call, const struct fast_message *message,
	const char *format, va_list arguments);

/* putc() of an unsigned char, where fast_collect() did not. */
bool fast_character(
	uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file, int c);

/*
 * By what a call is guessed after the last one: where it is made, and by its
 * format, since a function may print for all others.  The assembly knows but
 * the one.
 */
FAST uintptr_t fast_clue(uintptr_t pc, unsigned entry, uintptr_t key)
{
	return entry == ENTRY_NONE ? pc + key : pc;
}

/* Where the guess is. */
FAST unsigned fast_guess_at(const struct writer *w, uintptr_t clue)
{
	return ((uint32_t)clue * FAST_GUESS_MULTIPLIER >> FAST_GUESS_SHIFT ^
		       w->last->mix) %
	       WRITER_GUESSES;
}

FAST struct memo *fast_guess(struct writer *w, uintptr_t clue)
{
	return &w->memo[w->guesses[fast_guess_at(w, clue)][0]];
}

FAST bool fast_is_same(const struct memo *memo, unsigned entry, uintptr_t pc,
	uintptr_t sp, uintptr_t fp)
{
	return memo->pc == pc && memo->place == sp - sizeof(uintptr_t) &&
	       memo->version == __atomic_load_n(&streams_version[entry],
					__ATOMIC_RELAXED) &&
	       memo_same_stack(memo, fp);
}

FAST bool fast_is_like(const struct memo *memo, const FILE *file, unsigned text)
{
	return memo->file == file && memo_text(memo) == text;
}

FAST struct memo *fast_find(struct writer *w, uintptr_t pc, uintptr_t sp,
	uintptr_t fp, unsigned entry, uintptr_t key, const FILE *file,
	unsigned text)
{
	struct memo *memo = fast_guess(w, fast_clue(pc, entry, key));

	if (likely(memo->key == key && fast_is_like(memo, file, text) &&
		    fast_is_same(memo, entry, pc, sp, fp)))
		return memo;

	/* Not made before it is needed. */
	const struct call call = {
		.pc = pc, .sp = sp, .fp = fp, .entry = (uint8_t)entry};

	return fast_look_up(w, &call, key, file, text);
}

/* Those that are constant are known by their address. */
FAST bool fast_is_bytes(const struct memo *memo, const FILE *file,
	uintptr_t key, unsigned text)
{
	return fast_is_like(memo, file, text) ||
	       (fast_is_like(memo, file, CAPTURE_CONSTANT(text)) &&
		       memo->key == key);
}

FAST struct memo *fast_find_bytes(struct writer *w, uintptr_t pc, uintptr_t sp,
	uintptr_t fp, unsigned entry, const FILE *file, const char *bytes,
	unsigned text)
{
	uintptr_t key = (uintptr_t)bytes;
	struct memo *memo = fast_guess(w, pc);

	if (likely(fast_is_bytes(memo, file, key, text) &&
		    fast_is_same(memo, entry, pc, sp, fp)))
		return memo;

	const struct call call = {
		.pc = pc, .sp = sp, .fp = fp, .entry = (uint8_t)entry};

	return fast_look_up_bytes(w, &call, key, file, text);
}

/* The anchor is fit for the lower half of this time. */
FAST bool fast_is_same_moment(const struct writer *w, uint64_t ticks)
{
	return (uint32_t)(ticks >> CLOCK_EPOCH_SHIFT) == w->epoch &&
	       *w->core_now == w->core;
}

/*
 * Room for a record: no new block, no new anchor.  Where its arguments go, or
 * null.  What goes on with a line that nobody else can have come into (see
 * BINLOG_CONTINUES) needs no time of its own.
 */
FAST char *fast_begin(struct writer *w, const struct memo *memo,
	uint32_t context, const FILE *file, size_t bytes, bool is_piece,
	struct fast_record *record)
{
	char *to = w->cursor;
	uint64_t ticks;

	record->key = streams_key(memo_stream(memo));
	record->is_piece = is_piece && memo->holds_back &&
			   !(file->_flags2 & LIBIO_NEEDS_LOCK);
	record->continues = false;
	record->first = record->context = context;
	if (unlikely(!writer_fits(w, to, bytes)))
		return NULL;
	if (record->is_piece && w->open == to && w->said_key == record->key) {
		record->continues = true;
		record->first |= BINLOG_CONTINUES;
		return to + 4;
	}
	ticks = clock_ticks();
	*(uint32_t *)(to + 4) = (uint32_t)ticks;
	return likely(fast_is_same_moment(w, ticks)) ? to + 8 : NULL;
}

FAST void fast_commit(struct writer *w, struct memo *memo,
	const struct fast_record *record, size_t said)
{
	writer_commit(w, record->end, record->first);
	w->last = memo;
	/* A handler that has interrupted us has changed said_key, too. */
	if (unlikely(w->said_key != record->key))
		writer_said_slow(w, memo_stream(memo));
	else if (record->is_piece) {
		w->open = record->end;
		if (!record->continues)
			w->other_context = 0;
		else if (w->open_context != record->context)
			w->other_context = w->open_context;
		w->open_context = record->context;
	}
	writer_count_said(w, said);
}

/* Bytes that are part of the context: nothing but the time is recorded. */
FAST bool fast_record_constant(struct writer *w, struct memo *memo,
	const FILE *file, const char *bytes, bool is_line)
{
	struct fast_record record;
	bool is_piece = !is_line && bytes[memo->length - 1] != '\n';

	record.end =
		fast_begin(w, memo, memo->context, file, 8, is_piece, &record);
	if (unlikely(!record.end))
		return false;
	fast_commit(w, memo, &record, memo->length + is_line);
	return true;
}

/* One to three bytes and their number in one word. */
FAST uint32_t fast_short_word(const unsigned char *bytes, size_t size)
{
	uint32_t word = BINLOG_SHORT | (uint32_t)size << 24;
	uint16_t two;

	if (size == 1)
		return word | bytes[0];
	__builtin_memcpy(&two, bytes, sizeof(two));
	word |= two;
	return size == 2 ? word : word | (uint32_t)bytes[2] << 16;
}

/* With the length word where it is not part of another one. */
FAST char *fast_store_bytes(struct writer *w, char *to, const char *bytes,
	size_t size, struct fast_record *record)
{
	size_t padded = (size + 3) & ~(size_t)3;

	if (size <= BINLOG_SHORT_MAX) {
		uint32_t word = fast_short_word((const void *)bytes, size);

		if (!record->continues) {
			*(uint32_t *)to = word;
			return to + 4;
		}
		/* The same place as one of the last two: one word is enough. */
		record->first = word | BINLOG_CONTINUES;
		if (w->open_context == record->context)
			return to;
		record->first |= BINLOG_OTHER;
		if (w->other_context == record->context)
			return to;
		record->first = record->context | BINLOG_CONTINUES;
	}
	if (record->continues && size <= BINLOG_LENGTH_MAX) {
		record->first |= (uint32_t)size << BINLOG_LENGTH_SHIFT;
	} else {
		*(uint32_t *)to = (uint32_t)size;
		to += 4;
	}
	*(uint32_t *)(to + padded - 4) = 0;
	bytes_copy(to, bytes, size);
	return to + padded;
}

FAST bool fast_record_bytes(struct writer *w, struct memo *memo,
	uint32_t context, const FILE *file, const char *bytes, size_t size,
	bool is_line)
{
	struct fast_record record;
	char *to;

	if (unlikely(size - 1 >= FAST_BYTES_MAX))
		return false;
	to = fast_begin(w, memo, context, file, size + 16,
		!is_line && bytes[size - 1] != '\n', &record);
	if (unlikely(!to))
		return false;
	record.end = fast_store_bytes(w, to, bytes, size, &record);
	fast_commit(w, memo, &record, size + is_line);
	return true;
}

/* The writer of this thread, or null. */
FAST struct writer *fast_enter(uintptr_t sp, const FILE *file)
{
	struct writer *w = writer_current();

	if (unlikely(stdio_buffer_collects != file &&
		     stdio_buffer_has_collected()))
		return NULL;
	return likely(writer_try(w, sp)) || writer_take_turn(w, sp) ? w : NULL;
}

/* The buffer of the FILE, which is a plain one, is empty now. */
FAST bool fast_is_drained(struct writer *w, struct memo *memo, uintptr_t pc,
	uintptr_t sp, uintptr_t fp, FILE *file)
{
	return likely(file->_IO_write_ptr == file->_IO_write_base) ||
	       fast_drain(w, memo, pc, sp, fp, file);
}

/* Natively the kernel would read the bytes, which may not be there: only those
 * that surely are. */
FAST bool fast_is_there(const struct memo *memo, const FILE *file,
	const void *bytes, size_t size)
{
	return likely(memo->holds_back) || !(file->_flags & LIBIO_UNBUFFERED) ||
	       memo_covers(memo, bytes, size);
}

/* fwrite(). */
FAST bool fast_bytes(uintptr_t pc, uintptr_t sp, uintptr_t fp, unsigned entry,
	FILE *file, const void *bytes, size_t size)
{
	struct writer *w = fast_enter(sp, file);
	struct memo *memo;
	bool done = false;

	if (unlikely(!w))
		return false;
	memo = fast_find_bytes(
		w, pc, sp, fp, entry, file, bytes, BINLOG_TEXT_BYTES);
	if (unlikely(!memo || !fast_is_drained(w, memo, pc, sp, fp, file)))
		; /* the long way */
	else if (memo->key == 0)
		done = fast_is_there(memo, file, bytes, size) &&
		       fast_record_bytes(w, memo, memo->context, file, bytes,
			       size, false);
	else if (memo->length == size)
		done = fast_record_constant(w, memo, file, bytes, false);
	writer_leave(w);
	return done;
}

/*
 * fputs() with BINLOG_TEXT_BYTES, puts() with BINLOG_TEXT_BYTES_LINE: the
 * length of the string, or -1.
 */
FAST int fast_string(uintptr_t pc, uintptr_t sp, uintptr_t fp, unsigned entry,
	FILE *file, const char *s, unsigned text)
{
	struct writer *w = fast_enter(sp, file);
	struct memo *memo;
	size_t size = 0;
	bool done = false;

	if (unlikely(!w))
		return -1;
	memo = fast_find_bytes(w, pc, sp, fp, entry, file, s, text);
	if (unlikely(!memo || !fast_is_drained(w, memo, pc, sp, fp, file))) {
		; /* the long way */
	} else if (memo->key == 0) {
		size = bytes_length(s);
		done = fast_record_bytes(w, memo, memo->context, file, s, size,
			text == BINLOG_TEXT_BYTES_LINE);
	} else {
		size = memo->length;
		done = fast_record_constant(
			w, memo, file, s, text == BINLOG_TEXT_BYTES_LINE);
	}
	writer_leave(w);
	return done ? (int)size : -1;
}

FAST bool fast_collects(const FILE *file)
{
	return __atomic_load_n(&streams_collecting, __ATOMIC_RELAXED) == file &&
	       stdio_buffer_putting == 0 && !(file->_flags2 & LIBIO_NEEDS_LOCK);
}

/* Into the buffer, as the macro does it; see stdio_buffer_putting. */
FAST bool fast_put(uintptr_t sp, FILE *file, int c)
{
	char *to;
	bool done;

	stdio_buffer_putting = sp;
	SIGNAL_FENCE();
	to = file->_IO_write_ptr;
	done = likely(to < file->_IO_write_end);
	if (done) {
		*to = (char)c;
		file->_IO_write_ptr = to + 1;
	}
	SIGNAL_FENCE();
	stdio_buffer_putting = 0;
	return done;
}

/* putc() in the middle of a line, of a FILE that collects. */
FAST bool fast_collect(uintptr_t sp, FILE *file, int c)
{
	return likely(fast_collects(file) && (unsigned char)c != '\n') &&
	       fast_put(sp, file, c);
}

#undef FAST
#endif
