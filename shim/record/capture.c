#include "shim/record/capture.h"

#include "record/hash.h"
#include "shim/host/bytes.h"
#include "shim/record/arguments.h"
#include "shim/record/capture_slow.h"
#include "shim/record/redact.h"
#include "shim/record/site.h"
#include "shim/record/terminal.h"
#include "shim/writer/define.h"
#include "shim/writer/stdio_turn.h"

/* The context of an event that comes once: not remembered, which would touch
 * pages of the memos at the end of each process. */
static uint32_t context_once(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const uint8_t *kind)
{
	const struct define_context context = {
		.text = text,
		.stream = stream,
		.kinds = kind,
		.kinds_count = 1,
	};

	define_walk(w, call, control_depth(process.depth));
	return define_context(w, call, &context);
}

/* 0: it could not be defined. */
static uint32_t context_of(struct writer *w, const struct call *call,
	unsigned stream, unsigned text)
{
	static const uint8_t kind = BINLOG_ARG_I64;
	uint32_t tag = memo_tag(call, stream, text);
	const struct memo *memo;

	if (text == BINLOG_TEXT_EXIT || text == BINLOG_TEXT_UNSEEN ||
		text == BINLOG_TEXT_CANCELLED)
		return context_once(w, call, stream, text, &kind);
	memo = writer_memo(w, call, 0, tag);
	if (!memo)
		memo = capture_first_number(w, call, stream, text, kind);
	return memo ? memo->context : 0;
}

bool capture_event_inside(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, int64_t value)
{
	uint32_t context = context_of(w, call, stream, text);
	uint64_t ticks;

	if (!context || !writer_begin(w, 16, &ticks))
		return false;
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	bytes_copy(w->cursor + 8, &value, sizeof(value));
	writer_commit(w, w->cursor + 16, context);
	return true;
}

bool capture_event(
	const struct call *call, unsigned stream, unsigned text, int64_t value)
{
	struct writer *w = writer_enter(call->sp);
	bool done;

	if (text == BINLOG_TEXT_FLUSH || text == BINLOG_TEXT_EXIT)
		terminal_flushed(stream);
	if (unlikely(!w))
		return false;
	done = capture_event_inside(w, call, stream, text, value);
	writer_leave(w);
	return done;
}

/* At least one byte. */
static bool put_at(struct writer *w, const struct call *call, unsigned stream,
	int64_t offset, const void *bytes, uint32_t size)
{
	static const uint8_t kinds[] = {BINLOG_ARG_I64, BINLOG_ARG_STRING};
	uint32_t tag = memo_tag(call, stream, BINLOG_TEXT_BYTES_AT);
	uint32_t padded = (size + 3) & ~3u;
	const struct memo *memo = writer_memo(w, call, 0, tag);
	uint64_t ticks;
	char *to;

	if (!memo)
		memo = capture_first_kinds(
			w, call, stream, BINLOG_TEXT_BYTES_AT, kinds, 2);
	if (!memo || !writer_begin(w, 20 + padded, &ticks))
		return false;
	to = w->cursor;
	*(uint32_t *)(to + 4) = (uint32_t)ticks;
	bytes_copy(to + 8, &offset, sizeof(offset));
	*(uint32_t *)(to + 16) = size;
	*(uint32_t *)(to + 16 + padded) = 0;
	bytes_copy(to + 20, bytes, size);
	writer_commit(w, to + 20 + padded, memo->context);
	return true;
}

static size_t put_all_at(struct writer *w, const struct call *call,
	unsigned stream, int64_t offset, const void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < CAPTURE_CHUNK ? size - done
							  : CAPTURE_CHUNK;

		if (!put_at(w, call, stream, offset + (int64_t)done,
			    (const char *)bytes + done, (uint32_t)part))
			break;
		done += part;
	}
	return done;
}

/* By rules; of bytes that are left out, as many are recorded as were there. */
static size_t put_as_asked(struct writer *w, const struct call *call,
	unsigned stream, int64_t offset, const void *bytes, size_t size)
{
	char text[REDACT_TEXT];

	switch (site_ask(w, call, stream)) {
	case SITE_RECORD:
		return put_all_at(w, call, stream, offset, bytes, size);
	case SITE_HIDE:
		redact_text(text, bytes, size);
		return put_all_at(w, call, stream, offset, text,
			       bytes_length(text)) > 0
			       ? size
			       : 0;
	case SITE_DROP:
		return size;
	default:
		return 0;
	}
}

size_t capture_bytes_at(const struct call *call, unsigned stream,
	int64_t offset, const void *bytes, size_t size)
{
	struct writer *w = writer_enter(call->sp);
	size_t done;

	if (unlikely(!w))
		return 0;
	done = unlikely(control_is_deciding())
		       ? put_as_asked(w, call, stream, offset, bytes, size)
		       : put_all_at(w, call, stream, offset, bytes, size);
	writer_leave(w);
	return done;
}

/*
 * writer_begin() at a time that is the call's turn on its FILE.  The processor
 * may read the time long before it has the lock, or look at the lock long
 * before it reads the time, unless it is told not to.
 */
static COLD bool begin_in_turn(struct writer *w, const struct call *call,
	uint32_t bytes, uint64_t *ticks)
{
	uint32_t drained =
		__atomic_load_n(&stdio_turn_drained, __ATOMIC_ACQUIRE);

	clock_fence();
	if (!writer_begin(w, bytes, ticks))
		return false;
	clock_fence();
	/* Then look: who takes the lock after that has a later time. */
	stdio_turn_order(ticks);
	return !stdio_turn_is_lost(call->turn, drained);
}

static inline bool begin(struct writer *w, const struct call *call,
	uint32_t bytes, uint64_t *ticks)
{
	return likely(!stdio_turn_is_on())
		       ? writer_begin(w, bytes, ticks)
		       : begin_in_turn(w, call, bytes, ticks);
}

static char *store_prefixes(struct writer *w, char *to,
	const struct capture_text *how, size_t rest, uint64_t ticks)
{
	static const struct plan_argument unlimited = {
		.width = FORMAT_NONE, .precision = FORMAT_NONE};
	struct arguments_sum unused = {.stars = {FORMAT_NONE, FORMAT_NONE}};

	for (unsigned i = 0; i < how->prefixes; i++) {
		const struct capture_prefix *prefix = &how->prefix[i];

		if (prefix->kind == BINLOG_ARG_I32) {
			*(int32_t *)to = prefix->number_at
						 ? prefix->number_at(ticks)
						 : prefix->number;
			to += sizeof(int32_t);
			continue;
		}
		to = arguments_store_string(
			w, to, &unlimited, prefix->string, rest, &unused);
		if (!to)
			return NULL;
	}
	return to;
}

static inline char *store_all(struct writer *w, const struct capture_text *how,
	const struct plan *plan, va_list arguments, uint64_t ticks,
	struct arguments_sum *sum)
{
	struct arguments_list list;
	char *to = w->cursor + 8;

	if (unlikely(how->prefixes))
		to = store_prefixes(w, to, how,
			plan->fixed + CAPTURE_PREFIX_MAX * sizeof(uint32_t),
			ticks);
	if (likely(to != NULL)) {
		va_copy(list.ap, arguments);
		to = unlikely(w->redaction != NULL)
			     ? redact_store(w, to, w->redaction, &list, sum)
			     : arguments_store(w, to, plan, &list, sum);
		va_end(list.ap);
	}
	return to;
}

/*
 * No call has so long a text: libc would make it over and over to be asked for
 * it, and then fail in the midst of it.  A precision that is too large fails
 * before: then what comes before it is recorded.
 */
static COLD bool is_endless(const struct writer *w, const struct plan *plan,
	const struct arguments_sum *sum)
{
	if (!plan->measured || w->redaction || sum->length <= INT_MAX ||
		sum->length >= MEASURE_UNKNOWN)
		return false;
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->argument[i].precision != FORMAT_NONE ||
			plan->argument[i].measure == MEASURE_PRECISION)
			return false;
	return true;
}

/* The record of a call; CAPTURE_AT_ONCE when only its text can be recorded. */
static inline int capture_typed(struct writer *w, const struct call *call,
	const struct memo *memo, const struct capture_text *how,
	const char *format, va_list arguments)
{
	const struct plan *plan = memo->plan;
	size_t rest = plan->fixed + CAPTURE_PREFIX_MAX * sizeof(uint32_t);
	struct arguments_sum sum;
	uint64_t ticks;
	char *to;

	if (unlikely(plan->at_once))
		return CAPTURE_AT_ONCE;
	if (unlikely(plan->has_decimal | plan->has_wide | plan->has_errno) &&
		arguments_need_locale(plan))
		return CAPTURE_AT_ONCE;
	if (unlikely(!begin(w, call, (uint32_t)(8 + rest), &ticks)))
		return CAPTURE_PASS;
	to = store_all(w, how, plan, arguments, ticks, &sum);
	while (unlikely(!to)) {
		/* A string did not fit, here or at all. */
		if (w->wanted > WRITER_RECORD_MAX)
			return CAPTURE_AT_ONCE;
		if (!writer_refill(w, w->wanted) ||
			!begin(w, call, (uint32_t)(8 + rest), &ticks))
			return CAPTURE_PASS;
		to = store_all(w, how, plan, arguments, ticks, &sum);
	}
	if (unlikely(plan->has_errno)) {
		*(int32_t *)to = errno;
		to += sizeof(int32_t);
	}
	if (unlikely(!plan->measured || sum.length > MEASURE_SURE)) {
		int length;

		if (is_endless(w, plan, &sum))
			return CAPTURE_PASS;
		length = capture_measure(format, arguments);
		if (length < 0)
			return CAPTURE_AT_ONCE;
		sum.length = (uint64_t)length;
	}
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	writer_commit(w, to, memo->context);
	/* How long the prefixes are is not added up; but they are not empty. */
	if (unlikely(writer_said(w, how->stream, sum.length + how->prefixes)))
		terminal_format(how, format, arguments);
	return (int)sum.length;
}

static COLD int first_fleeting(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	enum writer_fleeting what = w->fleeting;

	w->fleeting = FLEETING_NOT;
	return capture_fleeting(w, call, how, what, format, arguments);
}

static inline int format_inside(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	uintptr_t key = (uintptr_t)format;
	uint32_t tag = memo_tag(call, how->stream, how->text);
	const struct memo *memo;
	int result = CAPTURE_PASS;

	if (unlikely(control_is_deciding()) && !w->decided)
		return site_format(w, call, how, format, arguments);
	memo = writer_find_memo(w, call, key, tag);
	if (unlikely(!memo)) {
		memo = capture_first_format(w, call, how, format, arguments);
		if (unlikely(w->has_secret)) {
			w->has_secret = false;
			return site_format(w, call, how, format, arguments);
		}
		if (unlikely(w->fleeting))
			return first_fleeting(w, call, how, format, arguments);
	}
	if (likely(memo != NULL))
		result = capture_typed(w, call, memo, how, format, arguments);
	if (unlikely(result == CAPTURE_AT_ONCE))
		result = capture_at_once(w, call, how, format, arguments);
	return result;
}

int capture_redacted(struct writer *w, const struct call *call,
	const struct capture_text *how, const struct redaction *redaction,
	const char *format, va_list arguments)
{
	uintptr_t key = (uintptr_t)redaction->format;
	uint32_t tag = memo_tag(call, how->stream, how->text);
	const struct memo *memo = writer_memo(w, call, key, tag);
	int result = CAPTURE_PASS;

	if (!memo)
		memo = capture_first_redacted(w, call, how, redaction);
	w->redaction = redaction;
	if (memo)
		result = capture_typed(w, call, memo, how, format, arguments);
	w->redaction = NULL;
	return result;
}

int capture_inside(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	return format_inside(w, call, how, format, arguments);
}

int capture_format(const struct call *call, const struct capture_text *how,
	const char *format, va_list arguments)
{
	struct writer *w = writer_enter(call->sp);
	int result;

	if (unlikely(!w))
		return CAPTURE_PASS;
	result = format_inside(w, call, how, format, arguments);
	writer_leave(w);
	return result;
}

/* A text was recorded.  Some end with a newline that is not among the bytes. */
static inline void note(struct writer *w, const struct memo *memo,
	const void *bytes, size_t size)
{
	unsigned text = memo_text(memo);
	bool line = text == BINLOG_TEXT_LITERAL_LINE ||
		    text == BINLOG_TEXT_BYTES_LINE;

	if (unlikely(writer_said(w, memo_stream(memo), size + line)))
		terminal_bytes(memo_stream(memo), bytes, size, line);
}

/* A constant text is part of the context: nothing but the time is written. */
static inline bool store_constant(
	struct writer *w, const struct call *call, const struct memo *memo)
{
	uint64_t ticks;

	if (unlikely(!begin(w, call, 8, &ticks)))
		return false;
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	writer_commit(w, w->cursor + 8, memo->context);
	note(w, memo, (const void *)memo->key, memo->length);
	return true;
}

static inline bool store_bytes(struct writer *w, const struct call *call,
	const struct memo *memo, const void *bytes, size_t size)
{
	size_t padded = (size + 3) & ~(size_t)3;
	uint64_t ticks;
	char *to;

	if (unlikely(!begin(w, call, (uint32_t)(12 + padded), &ticks)))
		return false;
	to = w->cursor;
	*(uint32_t *)(to + 4) = (uint32_t)ticks;
	*(uint32_t *)(to + 8) = (uint32_t)size;
	if (padded)
		*(uint32_t *)(to + 8 + padded) = 0;
	bytes_copy(to + 12, bytes, size);
	writer_commit(w, to + 12 + padded, memo->context);
	note(w, memo, bytes, size);
	return true;
}

/* What a format has been made into may have a secret in it. */
static inline bool is_copy_of_format(const struct call *call, unsigned stream)
{
	return call->format && redact_is_copy(stream);
}

/* How many of the bytes the kernel would take. */
static size_t take_given(const void *bytes, size_t size)
{
	const struct iovec all = {(void *)(uintptr_t)bytes, size};
	size_t readable = sys_readable(bytes, size);

	return likely(readable == size) || sys_are_addresses(&all, 1) ? readable
								      : 0;
}

/*
 * `given` is null, or: the bytes need not be there.  Then it is how many can be
 * read, and are taken, once that has been found out.  All that are constant
 * can, and are not looked at.
 */
static inline bool put_bytes(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, size_t size,
	size_t *given)
{
	uintptr_t key = (uintptr_t)bytes;
	uint32_t constant = memo_tag(call, stream, CAPTURE_CONSTANT(text));
	uint32_t tag = memo_tag(call, stream, text);
	const struct memo *memo;

	if (unlikely(
		    control_is_deciding() || is_copy_of_format(call, stream)) &&
		!w->decided) {
		if (given)
			size = *given = take_given(bytes, size);
		return (!given || size > 0) &&
		       site_bytes(w, call, stream, text, bytes, size);
	}
	memo = writer_memo(w, call, key, constant);
	if (likely(memo && memo->length == size))
		return store_constant(w, call, memo);
	memo = likely(size <= CAPTURE_CHUNK) ? writer_memo(w, call, 0, tag)
					     : NULL;
	if (given && !(likely(memo != NULL) && memo_covers(memo, bytes, size)))
		size = *given = take_given(bytes, size);
	if (given && unlikely(size == 0))
		return false;
	if (unlikely(size > CAPTURE_CHUNK))
		return capture_chunks(w, call, stream, text,
			&(struct capture_formatted){0}, bytes, size);
	if (unlikely(!memo)) {
		memo = capture_first_bytes(w, call, stream, text, bytes, size);
		if (memo && memo->tag == constant)
			return store_constant(w, call, memo);
	}
	return memo && store_bytes(w, call, memo, bytes, size);
}

/* A key that is no address and not 0 is nowhere else used for bytes. */
bool capture_text_inside(struct writer *w, const struct call *call,
	unsigned stream, uint32_t shown, const void *bytes, size_t size)
{
	uint32_t tag = memo_tag(call, stream, BINLOG_TEXT_BYTES);
	const struct memo *memo = writer_memo(w, call, shown, tag);

	if (unlikely(!memo))
		memo = capture_first_text(w, call, stream, shown);
	return memo && store_bytes(w, call, memo, bytes, size);
}

bool capture_bytes_inside(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, size_t size)
{
	return put_bytes(w, call, stream, text, bytes, size, NULL);
}

bool capture_bytes(const struct call *call, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	struct writer *w = writer_enter(call->sp);
	bool done;

	if (unlikely(!w))
		return false;
	done = put_bytes(w, call, stream, text, bytes, size, NULL);
	writer_leave(w);
	return done;
}

ssize_t capture_given(const struct call *call, unsigned stream,
	const void *bytes, size_t size)
{
	struct writer *w = writer_enter(call->sp);
	size_t readable = size;
	bool done;

	if (unlikely(!w))
		return 0;
	done = put_bytes(
		w, call, stream, BINLOG_TEXT_BYTES, bytes, size, &readable);
	writer_leave(w);
	if (unlikely(readable == 0))
		return CAPTURE_FAULT;
	return done ? (ssize_t)readable : 0;
}

bool capture_vector(const struct call *call, unsigned stream,
	const struct iovec *v, size_t size)
{
	struct writer *w = writer_enter(call->sp);
	bool done;

	if (unlikely(!w))
		return false;
	done = capture_vector_inside(w, call, stream, v, size);
	writer_leave(w);
	return done;
}

bool capture_character(const struct call *call, unsigned stream, int byte)
{
	struct writer *w = writer_enter(call->sp);
	uint32_t tag = memo_tag(call, stream, BINLOG_TEXT_CHARACTER);
	const struct memo *memo;
	uint64_t ticks;
	bool done = false;

	if (unlikely(!w))
		return false;
	if (unlikely(control_is_deciding())) {
		char c = (char)byte;

		done = site_bytes(w, call, stream, BINLOG_TEXT_BYTES, &c, 1);
		writer_leave(w);
		return done;
	}
	memo = writer_memo(w, call, 0, tag);
	if (unlikely(!memo))
		memo = capture_first_number(
			w, call, stream, BINLOG_TEXT_CHARACTER, BINLOG_ARG_I32);
	if (likely(memo && begin(w, call, 12, &ticks))) {
		*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
		*(int32_t *)(w->cursor + 8) = (unsigned char)byte;
		writer_commit(w, w->cursor + 12, memo->context);
		note(w, memo, w->cursor - 4, 1); /* its lowest byte */
		done = true;
	}
	writer_leave(w);
	return done;
}
