#include "shim/stdio/fast.h"

#include "shim/host/arena.h"
#include "shim/stdio/cancel.h"

/* Odd: no two numbers have the same product. */
#define GUESS_MULTIPLIER 453u

_Static_assert(MEMO_SETS_MAX *MEMO_WAYS <= 65536, "numbers of 16 bits");

/* Something may be different for this stream; `w` is null where no call is
 * cancelled. */
static COLD unsigned doubtful(struct writer *w, unsigned stream)
{
	bool cancels = w && cancel_is_on() && cancel_matters(w, stream);

	if (cancels)
		w->missed = 0;
	return streams[stream].unusual || stdio_turn_is_on() || cancels
		       ? STREAM_PASS
		       : stream;
}

/* A FILE whose text is recorded and nothing else; its stream, or PASS. */
static unsigned plain_stream(struct writer *w, const FILE *file)
{
	unsigned fd = (unsigned)file->_fileno;
	uint64_t slot;
	unsigned stream;

	/* Byte-oriented already: fwide(file, 0) < 0. */
	if (unlikely((file->_flags & (LIBIO_IS_FILEBUF | LIBIO_NO_WRITES)) !=
			     LIBIO_IS_FILEBUF ||
		     file->_mode >= 0 || fd >= STREAMS_FDS))
		return STREAM_PASS;
	slot = __atomic_load_n(&streams_slots[fd].of_stdio, __ATOMIC_RELAXED);
	stream = (unsigned)slot & STREAMS_MAX;
	if (unlikely(slot >> STREAMS_BITS != (uintptr_t)file))
		return STREAM_PASS;
	if (unlikely(streams[stream].unusual || stdio_turn_is_doubtful()))
		return doubtful(w, stream);
	return stream;
}

/* The same of that which has no FILE. */
static unsigned plain_syslog(void)
{
	unsigned stream = streams_syslog();

	return streams[stream].unusual || stdio_turn_is_doubtful() ? STREAM_PASS
								   : stream;
}

/* What its calls say may go on with a line that stands before it. */
static bool may_hold_back(const struct memo *memo, unsigned stream)
{
	return host_knows_files &&
	       streams[stream].buffering == BINLOG_BUFFER_FULL &&
	       !__atomic_load_n(&streams_are_shared, __ATOMIC_RELAXED) &&
	       memo->context >> BINLOG_LENGTH_SHIFT == 0;
}

/* From time to time the second guess is the first from then on; not each time,
 * as the first one may be right more often. */
#define SECONDS 4u

static void was_second(struct writer *w, struct memo *memo, unsigned entry,
	uint16_t guesses[2])
{
	if (++w->seconds % SECONDS != 0)
		return;
	guesses[1] = guesses[0];
	guesses[0] = (uint16_t)(memo - w->memo);
	if (entry != ENTRY_NONE)
		w->last->next[entry - 1] = memo;
}

/* What came after the last call before what is guessed does now. */
static struct memo *guess_second(
	struct writer *w, const struct call *call, uintptr_t clue)
{
	uint16_t *guesses = w->guesses[fast_guess_at(w, clue)];
	struct memo *memo = &w->memo[guesses[1]];

	return fast_is_same(memo, call->entry, call->pc, call->sp, call->fp)
		       ? memo
		       : NULL;
}

/* The entry stays where it is in its set: others know it by its number. */
static struct memo *look_up(struct writer *w, const struct call *call,
	uintptr_t key, const FILE *file, unsigned text)
{
	uint32_t version = __atomic_load_n(
		&streams_version[call->entry], __ATOMIC_ACQUIRE);
	unsigned stream = file ? plain_stream(w, file) : plain_syslog();
	uint32_t tag = memo_tag(call, stream, text);
	struct memo *memo;
	uintptr_t clue;
	uint16_t *guesses;
	uint16_t number;

	if (unlikely(stream == STREAM_PASS))
		return NULL;
	memo = writer_memo(w, call, key, tag);
	if (!memo) {
		w->missed = call->sp;
		return NULL;
	}
	if (memo->special)
		return NULL;
	memo->file = file;
	memo->holds_back = may_hold_back(memo, stream);
	fast_code_prepare(memo);
	memo->version = version;
	number = (uint16_t)(memo - w->memo);
	memo->mix = (uint16_t)(number * GUESS_MULTIPLIER);
	clue = fast_clue(call->pc, call->entry, memo->plan ? key : 0);
	guesses = w->guesses[fast_guess_at(w, clue)];
	if (guesses[0] != number) {
		guesses[1] = guesses[0];
		guesses[0] = number;
	}
	if (call->entry != ENTRY_NONE)
		w->last->next[call->entry - 1] = memo;
	return memo;
}

struct memo *fast_look_up(struct writer *w, const struct call *call,
	uintptr_t key, const FILE *file, unsigned text)
{
	uintptr_t clue = fast_clue(call->pc, call->entry, key);
	struct memo *memo = guess_second(w, call, clue);

	if (!memo || memo->key != key || !fast_is_like(memo, file, text))
		return look_up(w, call, key, file, text);
	was_second(w, memo, call->entry, w->guesses[fast_guess_at(w, clue)]);
	return memo;
}

struct memo *fast_look_up_bytes(struct writer *w, const struct call *call,
	uintptr_t key, const FILE *file, unsigned text)
{
	struct memo *memo = guess_second(w, call, call->pc);

	if (memo && fast_is_bytes(memo, file, key, text)) {
		was_second(w, memo, call->entry,
			w->guesses[fast_guess_at(w, call->pc)]);
		return memo;
	}
	memo = look_up(w, call, key, file, CAPTURE_CONSTANT(text));
	return memo ? memo : look_up(w, call, 0, file, text);
}

/* Out of the buffer, then published: a handler finds it in one of them only. */
static bool record_collected(struct writer *w, struct memo *memo,
	uint32_t context, FILE *file, size_t size)
{
	const char *bytes = file->_IO_write_base;
	struct fast_record record;
	char *to;

	if (unlikely(size - 1 >= FAST_BYTES_MAX))
		return false;
	to = fast_begin(w, memo, context, file, size + 16,
		bytes[size - 1] != '\n', &record);
	if (unlikely(!to))
		return false;
	record.end = fast_store_bytes(w, to, bytes, size, &record);
	if (unlikely(!signal_exchange((uint64_t *)(void *)&file->_IO_write_ptr,
		    (uintptr_t)(bytes + size), (uintptr_t)bytes)))
		return false;
	fast_commit(w, memo, &record, size);
	return true;
}

bool fast_drain(struct writer *w, struct memo *memo, uintptr_t pc, uintptr_t sp,
	uintptr_t fp, FILE *file)
{
	size_t size = (size_t)(file->_IO_write_ptr - file->_IO_write_base);
	uint32_t context = memo ? memo->macros_context : 0;

	if (stdio_buffer_some_busy() || stdio_buffer_putting ||
		stdio_buffer_start || stdio_buffer_passed ||
		!host_knows_files || file->_flags2 & LIBIO_NEEDS_LOCK ||
		!(file->_flags & LIBIO_CURRENTLY_PUTTING))
		return false;
	if (unlikely(context == 0)) {
		struct memo *found = fast_find(w, pc, sp, fp, ENTRY_NONE, 0,
			file, BINLOG_TEXT_CHARACTERS);

		if (!found)
			return false;
		context = found->context;
		/* Whoever has the stack of the one has that of the other. */
		if (!memo || !found->holds_back ||
			memo_stream(memo) != memo_stream(found))
			memo = found;
		else
			memo->macros_context = context;
	}
	return record_collected(w, memo, context, file, size);
}

#if FAST_CODE
bool fast_drain_before(struct writer *w, struct memo *memo, uintptr_t sp)
{
	return memo->macros_context != 0 &&
	       fast_drain(w, memo, 0, sp, 0, (FILE *)(uintptr_t)memo->file);
}
#endif

/* The end of a line that was collected, at a place that is met now. */
static COLD void first_line(
	uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file)
{
	const struct call call = {.pc = pc, .sp = sp, .fp = fp};
	unsigned stream = plain_stream(NULL, file);

	if (stream != STREAM_PASS)
		stdio_buffer_drain(&call, file, stream);
}

/* Nothing speaks against it now. */
static void go_on_collecting(const FILE *file)
{
	uint32_t version =
		__atomic_load_n(&streams_version[ENTRY_NONE], __ATOMIC_ACQUIRE);

	if (plain_stream(NULL, file) == STREAM_PASS)
		return;
	__atomic_store_n(&streams_collecting, file, __ATOMIC_RELAXED);
	SIGNAL_FENCE();
	/* A handler may have changed something meanwhile. */
	if (__atomic_load_n(&streams_version[ENTRY_NONE], __ATOMIC_RELAXED) !=
		version)
		__atomic_store_n(&streams_collecting, NULL, __ATOMIC_RELAXED);
}

bool fast_character(uintptr_t pc, uintptr_t sp, uintptr_t fp, FILE *file, int c)
{
	struct fast_record record;
	struct memo *memo;
	struct writer *w;
	bool done = false;
	char *to;

	if (unlikely(stdio_buffer_putting != 0))
		stdio_buffer_put_is_over(sp);
	if (stdio_buffer_collects == file &&
		__atomic_load_n(&streams_collecting, __ATOMIC_RELAXED) != file)
		go_on_collecting(file);
	if (fast_collects(file) && fast_put(sp, file, c)) {
		w = c == '\n' ? fast_enter(sp, file) : NULL;
		if (w) {
			done = fast_drain(w, NULL, pc, sp, fp, file);
			writer_leave(w);
		}
		if (c == '\n' && !done)
			first_line(pc, sp, fp, file);
		return true;
	}
	w = fast_enter(sp, file);
	if (unlikely(!w))
		return false;
	memo = fast_find(
		w, pc, sp, fp, ENTRY_NONE, 0, file, BINLOG_TEXT_CHARACTER);
	to = memo && fast_is_drained(w, memo, pc, sp, fp, file)
		     ? fast_begin(w, memo, memo->context, file, 12, c != '\n',
			       &record)
		     : NULL;
	if (likely(to != NULL)) {
		*(int32_t *)to = c;
		record.end = to + 4;
		fast_commit(w, memo, &record, 1);
		done = true;
	}
	writer_leave(w);
	return done;
}

static inline bool is_simple(const struct plan *plan)
{
	return likely(plan->plain) ||
	       !(plan->at_once || !plan->measured || plan->has_errno ||
		       arguments_need_locale(plan));
}

/* The record has no time, but does end a line. */
static __attribute__((noinline)) bool insert_time(
	struct writer *w, char *to, struct fast_record *record)
{
	uint64_t ticks = clock_ticks();

	record->is_piece = false;
	if (!record->continues)
		return true;
	memmove(to + sizeof(uint32_t), to, (size_t)(record->end - to));
	*(uint32_t *)to = (uint32_t)ticks;
	record->end += sizeof(uint32_t);
	record->first = record->context;
	return fast_is_same_moment(w, ticks);
}

static uint64_t ticks_of(const struct writer *w, uint32_t low)
{
	const uint64_t below_epoch = ((uint64_t)1 << CLOCK_EPOCH_SHIFT) - 1;

	return (uint64_t)w->epoch << CLOCK_EPOCH_SHIFT | (low & below_epoch);
}

/* As a prefix of four, see record/text.def; without the ident. */
#define MESSAGE_BYTES 16u

static char *store_message(const struct writer *w, char *to,
	const struct fast_message *message, size_t size)
{
	int32_t *word = (int32_t *)(void *)to;
	size_t padded = (size + 3) & ~(size_t)3;

	word[0] = message->priority;
	word[1] = message->pid;
	word[2] = message->utc_offset(ticks_of(w, (uint32_t)word[-1]));
	word[3] = (int32_t)size;
	if (padded)
		*(uint32_t *)(to + 12 + padded) = 0;
	bytes_copy(to + 16, message->ident, size);
	return to + 16 + padded;
}

bool fast_syslog(const struct call *call, const struct fast_message *message,
	const char *format, va_list arguments)
{
	struct writer *w = fast_enter(call->sp, NULL);
	size_t size = bytes_length(message->ident);
	struct fast_record record = {.end = NULL};
	struct arguments_list list;
	struct arguments_sum sum;
	struct memo *memo;
	char *to;

	if (unlikely(!w))
		return false;
	memo = fast_find(w, call->pc, call->sp, call->fp, ENTRY_NONE,
		(uintptr_t)format, NULL, BINLOG_TEXT_SYSLOG);
	if (unlikely(!memo || !is_simple(memo->plan) || size > FAST_BYTES_MAX))
		goto leave;
	to = fast_begin(w, memo, memo->context, NULL,
		8 + MESSAGE_BYTES + size + 3 + memo->plan->fixed, false,
		&record);
	if (unlikely(!to))
		goto leave;
	to = store_message(w, to, message, size);
	va_copy(list.ap, arguments);
	record.end = arguments_store(w, to, memo->plan, &list, &sum);
	va_end(list.ap);
	if (likely(record.end != NULL))
		fast_commit(w, memo, &record, sum.length + 1);
leave:
	writer_leave(w);
	return record.end != NULL;
}

/*
 * Of a call that has just been looked for in vain: as the long way does it.  To
 * be fit for guesses takes a time that is lost where it is not met again.
 */
static struct memo *first_format(struct writer *w, const struct call *call,
	const FILE *file, const char *format, va_list arguments)
{
	const struct capture_text how = {
		.stream = plain_stream(NULL, file), .text = BINLOG_TEXT_FORMAT};
	struct memo *memo;

	if (control_is_deciding() || w->missed != call->sp ||
		how.stream == STREAM_PASS || !format ||
		file->_IO_write_ptr != file->_IO_write_base)
		return NULL;
	memo = capture_first_format(w, call, &how, format, arguments);
	if (memo) {
		w->missed = 0;
		memo->holds_back = may_hold_back(memo, how.stream);
	} else if (w->fleeting) {
		w->fleeting = FLEETING_NOT;
		w->refused = format;
	}
	return memo;
}

/* Text that the program has made, as that of fputs(). */
static bool made_text(struct writer *w, const struct call *call, FILE *file,
	const char *text, size_t size)
{
	struct memo *memo = fast_find(w, call->pc, call->sp, call->fp,
		call->entry, 0, file, BINLOG_TEXT_BYTES);

	return memo &&
	       fast_is_drained(w, memo, call->pc, call->sp, call->fp, file) &&
	       fast_record_bytes(
		       w, memo, memo->context, file, text, size, false);
}

/* ---- formats that the program has made, and uses again ---- */

static struct writer_made *made_at(struct writer *w, const char *format)
{
	return &w->made[((uintptr_t)format * 0x9e3779b97f4a7c15u >> 56) %
			WRITER_MADE];
}

static bool same_eight(const char *a, const char *b)
{
	uint64_t one, other;

	__builtin_memcpy(&one, a, sizeof(one));
	__builtin_memcpy(&other, b, sizeof(other));
	return one == other;
}

static bool same_four(const char *a, const char *b)
{
	uint32_t one, other;

	__builtin_memcpy(&one, a, sizeof(one));
	__builtin_memcpy(&other, b, sizeof(other));
	return one == other;
}

/* No byte behind the format is read, if it is that one still: what is there may
 * be said to be nobody's. */
static bool has_same_bytes(const struct writer_made *made, const char *format)
{
	size_t bytes = made->bytes, at = 0;

	if (bytes >= 8) {
		for (; at + 8 < bytes; at += 8)
			if (!same_eight(format + at, made->text + at))
				return false;
		return same_eight(format + bytes - 8, made->text + bytes - 8);
	}
	if (bytes >= 4)
		return same_four(format, made->text) &&
		       same_four(format + bytes - 4, made->text + bytes - 4);
	while (at < bytes && format[at] == made->text[at])
		at++;
	return at == bytes;
}

/* What first_format() has found for it the last time, if it is that still. */
static struct memo *made_find(struct writer *w, uintptr_t pc, uintptr_t sp,
	uintptr_t fp, unsigned entry, const FILE *file, const char *format)
{
	const struct writer_made *made = made_at(w, format);
	struct memo *memo = made->memo;

	return made->format == format && has_same_bytes(made, format) &&
			       memo->key == made->key &&
			       fast_is_like(memo, file, BINLOG_TEXT_FORMAT) &&
			       fast_is_same(memo, entry, pc, sp, fp)
		       ? memo
		       : NULL;
}

/* All of its bytes are on the page that it begins on, which is there as long as
 * the first of them is. */
static void made_note(struct writer *w, const struct call *call,
	const FILE *file, const char *format, struct memo *memo)
{
	uint32_t version = __atomic_load_n(
		&streams_version[call->entry], __ATOMIC_ACQUIRE);
	size_t bytes = bytes_length(format) + 1;
	struct writer_made *made;

	if (bytes > WRITER_MADE_BYTES ||
		(uintptr_t)format % SYS_PAGE > SYS_PAGE - bytes ||
		plain_stream(w, file) != memo_stream(memo))
		return; /* or it has become another one since the memo's */
	if (!w->made)
		w->made = arena_take(WRITER_MADE * sizeof(*w->made));
	if (!w->made)
		return;
	made = made_at(w, format);
	made->format = NULL;
	SIGNAL_FENCE();
	made->memo = memo;
	made->key = memo->key;
	made->bytes = (uint32_t)bytes;
	bytes_copy(made->text, format, bytes);
	memo->file = file;
	memo->version = version;
	SIGNAL_FENCE();
	made->format = format;
}

/* By its content, and not by its address. */
static bool is_made_memo(
	const struct writer *w, const struct memo *memo, const char *format)
{
	return memo->key != (uintptr_t)format && memo != &w->spare &&
	       !memo->special;
}

int fast_format(uintptr_t pc, uintptr_t sp, uintptr_t fp, unsigned entry,
	const char *name, FILE *file, const char *format, va_list arguments)
{
	struct writer *w = likely(format) ? fast_enter(sp, file) : NULL;
	int result = CAPTURE_PASS;
	struct fast_record record;
	struct arguments_list list;
	struct arguments_sum sum;
	struct memo *memo = NULL;
	const struct plan *plan;
	char *to;

	if (unlikely(!w))
		return CAPTURE_PASS;
	if (w->made)
		memo = made_find(w, pc, sp, fp, entry, file, format);
	if (likely(!memo && !writer_is_made(w, sp, format)))
		memo = fast_find(w, pc, sp, fp, entry, (uintptr_t)format, file,
			BINLOG_TEXT_FORMAT);
	if (unlikely(!memo)) {
		const struct call call = {.pc = pc,
			.sp = sp,
			.fp = fp,
			.function = name,
			.entry = (uint8_t)entry};

		if (writer_is_made(w, sp, format)) {
			size_t size = bytes_find(format, '%');

			if (format[size] == '\0') {
				if (made_text(w, &call, file, format, size))
					result = (int)size;
				goto leave;
			}
			w->missed = sp;
		}
		memo = first_format(w, &call, file, format, arguments);
		if (memo && is_made_memo(w, memo, format))
			made_note(w, &call, file, format, memo);
	}
	if (unlikely(!memo || !is_simple(memo->plan) ||
		     !fast_is_drained(w, memo, pc, sp, fp, file)))
		goto leave;
	plan = memo->plan;
	to = fast_begin(w, memo, memo->context, file, 12 + plan->fixed,
		plan->ending != ENDING_UNKNOWN, &record);
	if (unlikely(!to))
		goto leave;
	va_copy(list.ap, arguments);
	record.end = arguments_store(w, to, plan, &list, &sum);
	va_end(list.ap);
	if (unlikely(!record.end || sum.length > MEASURE_SURE))
		goto leave;
	if (plan->ending == ENDING_LAST && sum.last == '\n' &&
		!insert_time(w, to, &record))
		goto leave;
	fast_commit(w, memo, &record, sum.length);
	result = (int)sum.length;
leave:
	writer_leave(w);
	return result;
}
