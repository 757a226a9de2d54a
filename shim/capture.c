#include "shim/capture.h"

#include "record/hash.h"
#include "shim/bytes.h"
#include "shim/capture_slow.h"
#include "shim/locale_state.h"
#include "shim/measure.h"
#include "shim/plan.h"
#include "shim/stdio_turn.h"

#include <float.h>

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
	return likely(!stdio_turn_matters)
		       ? writer_begin(w, bytes, ticks)
		       : begin_in_turn(w, call, bytes, ticks);
}

/* The length of a text, as far as it has been added up. */
struct capture_sum {
	uint64_t length;
	struct measure_stars stars;
};

static inline bool has_room(
	const struct writer *w, const char *at, size_t bytes)
{
	return (size_t)(w->end - at) >= bytes;
}

/*
 * Copies a string argument; null when there is no room in this block.  Null
 * pointers are told from text, because "%.3s" of one prints nothing.
 */
static inline char *store_string(struct writer *w, char *to,
	const struct plan_argument *argument, const char *s, size_t rest,
	struct capture_sum *sum)
{
	int64_t precision = argument->precision;
	size_t length;

	if (s == argument->constant && s) {
		*(uint32_t *)to = BINLOG_STRING_ID | argument->constant_id;
		sum->length += measure_string(
			argument, argument->constant_bytes, &sum->stars);
		return to + sizeof(uint32_t);
	}
	if (sum->stars.precision != FORMAT_NONE)
		precision = sum->stars.precision;
	if (unlikely(!s)) {
		*(uint32_t *)to = BINLOG_NULL;
		length = precision < 0 || precision >= 6 ? 6 : 0;
		sum->length +=
			measure_string(argument, (uint32_t)length, &sum->stars);
		return to + sizeof(uint32_t);
	}
	length = precision < 0 ? bytes_length(s)
			       : bytes_length_limited(s, (size_t)precision);
	if (unlikely(length > WRITER_RECORD_MAX ||
		     !has_room(w, to, rest + length + 8)))
		return NULL;
	*(uint32_t *)to = (uint32_t)length;
	/* The padding: nothing of an abandoned record may show in it. */
	*(uint32_t *)(to + ((length + 4) & ~(size_t)3)) = 0;
	bytes_copy(to + sizeof(uint32_t), s, length);
	sum->length += measure_string(argument, (uint32_t)length, &sum->stars);
	return to + sizeof(uint32_t) + ((length + 3) & ~(size_t)3);
}

static size_t wide_length(const wchar_t *s, int64_t precision)
{
	size_t n = 0;

	/* At most as many characters as bytes may come out. */
	while ((precision < 0 || n < (size_t)precision) && s[n])
		n++;
	return n * sizeof(*s);
}

static char *store_wide(struct writer *w, char *to,
	const struct plan_argument *argument, const wchar_t *s, size_t rest,
	const struct capture_sum *sum)
{
	int64_t precision = argument->precision;
	size_t bytes;

	if (sum->stars.precision != FORMAT_NONE)
		precision = sum->stars.precision;
	if (!s) {
		*(uint32_t *)to = BINLOG_NULL;
		return to + sizeof(uint32_t);
	}
	bytes = wide_length(s, precision);
	if (bytes > WRITER_RECORD_MAX || !has_room(w, to, rest + bytes + 8))
		return NULL;
	*(uint32_t *)to = (uint32_t)bytes;
	bytes_copy(to + sizeof(uint32_t), s, bytes);
	return to + sizeof(uint32_t) + bytes;
}

static inline void note_star(const struct plan_argument *argument, int value,
	struct capture_sum *sum)
{
	if (argument->measure == MEASURE_WIDTH)
		/* To the left like any negative one, but told from none. */
		sum->stars.width = value == FORMAT_NONE ? 1 : value;
	else
		sum->stars.precision = value < 0 ? FORMAT_NONE : value;
}

static inline bool is_star(const struct plan_argument *argument)
{
	return argument->measure == MEASURE_WIDTH ||
	       argument->measure == MEASURE_PRECISION;
}

static inline void clear_stars(struct capture_sum *sum)
{
	sum->stars = (struct measure_stars){FORMAT_NONE, FORMAT_NONE};
}

/* A va_list that can be handed down and comes back advanced. */
struct argument_list {
	va_list ap;
};

/* One argument that is none of the frequent cases. */
static COLD char *store_general(struct writer *w, char *to,
	const struct plan_argument *argument, struct argument_list *list,
	size_t rest, struct capture_sum *sum)
{
	int64_t integer;
	double real;
	long double long_real;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		integer = va_arg(list->ap, int);
		*(int32_t *)to = (int32_t)integer;
		if (is_star(argument)) {
			note_star(argument, (int)integer, sum);
			return to + sizeof(int32_t);
		}
		sum->length += measure_formatted(
			argument, (uint64_t)integer, &sum->stars);
		to += sizeof(int32_t);
		break;
	case BINLOG_ARG_I64:
		integer = va_arg(list->ap, int64_t);
		__builtin_memcpy(to, &integer, sizeof(integer));
		sum->length += measure_formatted(
			argument, (uint64_t)integer, &sum->stars);
		to += sizeof(integer);
		break;
	case BINLOG_ARG_F64:
		real = va_arg(list->ap, double);
		__builtin_memcpy(to, &real, sizeof(real));
		if (argument->measure == MEASURE_FIXED)
			sum->length +=
				measure_fixed(argument, real, &sum->stars);
		to += sizeof(real);
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		long_real = va_arg(list->ap, long double);
		__builtin_memset(to, 0, 16);
		__builtin_memcpy(to, &long_real,
			LDBL_MANT_DIG == 64 ? 10 : sizeof(long_real));
		to += 16;
		break;
	case BINLOG_ARG_STRING:
		to = store_string(w, to, argument,
			va_arg(list->ap, const char *), rest, sum);
		break;
	default:
		to = store_wide(w, to, argument,
			va_arg(list->ap, const wchar_t *), rest, sum);
		break;
	}
	clear_stars(sum);
	return to;
}

/*
 * Copies the arguments to `to` and adds up the length of their text; null
 * when a string does not fit.
 */
static inline char *store_arguments(struct writer *w, char *to,
	const struct plan *plan, struct argument_list *list,
	struct capture_sum *sum)
{
	const struct plan_argument *argument = plan->argument;
	const struct plan_argument *end = argument + plan->count;

	sum->length = plan->literal;
	clear_stars(sum);
	for (; argument < end; argument++) {
		switch (argument->step) {
		case STEP_SIGNED: {
			int32_t value = va_arg(list->ap, int);

			*(int32_t *)to = value;
			sum->length += measure_int(value);
			to += sizeof(value);
			break;
		}
		case STEP_UNSIGNED: {
			uint32_t value = va_arg(list->ap, unsigned);

			*(uint32_t *)to = value;
			sum->length += measure_decimal(value);
			to += sizeof(value);
			break;
		}
		case STEP_FIXED: {
			double value = va_arg(list->ap, double);

			__builtin_memcpy(to, &value, sizeof(value));
			sum->length +=
				measure_fixed(argument, value, &sum->stars);
			to += sizeof(value);
			break;
		}
		case STEP_STRING:
			to = store_string(w, to, argument,
				va_arg(list->ap, const char *), plan->fixed,
				sum);
			break;
		default:
			to = store_general(
				w, to, argument, list, plan->fixed, sum);
			break;
		}
		if (unlikely(!to))
			return NULL;
	}
	return to;
}

static char *store_prefixes(
	struct writer *w, char *to, const struct capture_text *how, size_t rest)
{
	static const struct plan_argument unlimited = {
		.width = FORMAT_NONE, .precision = FORMAT_NONE};
	struct capture_sum unused = {0, {FORMAT_NONE, FORMAT_NONE}};

	for (unsigned i = 0; i < how->prefixes; i++) {
		if (how->prefix[i].kind == BINLOG_ARG_I32) {
			*(int32_t *)to = how->prefix[i].number;
			to += sizeof(int32_t);
			continue;
		}
		to = store_string(w, to, &unlimited, how->prefix[i].string,
			rest, &unused);
		if (!to)
			return NULL;
	}
	return to;
}

/*
 * The decoder knows one decimal point and one multibyte encoding; what
 * another locale would make of the arguments only the host can say, now.
 */
static inline bool locale_matters(const struct plan *plan)
{
	return (plan->has_decimal && !locale_has_point()) ||
	       (plan->has_wide && !locale_is_utf8()) ||
	       (plan->has_errno && !locale_is_english());
}

static inline char *store_all(struct writer *w, const struct capture_text *how,
	const struct plan *plan, va_list arguments, struct capture_sum *sum)
{
	struct argument_list list;
	char *to = w->cursor + 8;

	if (unlikely(how->prefixes))
		to = store_prefixes(w, to, how,
			plan->fixed + CAPTURE_PREFIX_MAX * sizeof(uint32_t));
	if (likely(to != NULL)) {
		va_copy(list.ap, arguments);
		to = store_arguments(w, to, plan, &list, sum);
		va_end(list.ap);
	}
	return to;
}

/* The record of a call; CAPTURE_AT_ONCE when only its text can be recorded. */
static inline int capture_typed(struct writer *w, const struct call *call,
	const struct memo *memo, const struct capture_text *how,
	const char *format, va_list arguments)
{
	const struct plan *plan = memo->plan;
	size_t rest = plan->fixed + CAPTURE_PREFIX_MAX * sizeof(uint32_t);
	struct capture_sum sum;
	uint64_t ticks;
	char *to;

	if (unlikely(plan->at_once))
		return CAPTURE_AT_ONCE;
	if (unlikely(plan->has_decimal | plan->has_wide | plan->has_errno) &&
		locale_matters(plan))
		return CAPTURE_AT_ONCE;
	if (unlikely(!begin(w, call, (uint32_t)(8 + rest), &ticks)))
		return CAPTURE_PASS;
	to = store_all(w, how, plan, arguments, &sum);
	if (unlikely(!to)) {
		/* A string did not fit, here or at all. */
		if (has_room(w, w->cursor, WRITER_RECORD_MAX))
			return CAPTURE_AT_ONCE;
		if (!writer_refill(w, WRITER_RECORD_MAX) ||
			!begin(w, call, (uint32_t)(8 + rest), &ticks))
			return CAPTURE_PASS;
		to = store_all(w, how, plan, arguments, &sum);
		if (!to)
			return CAPTURE_AT_ONCE;
	}
	if (unlikely(plan->has_errno)) {
		*(int32_t *)to = errno;
		to += sizeof(int32_t);
	}
	if (unlikely(!plan->measured || sum.length > INT_MAX)) {
		int length = capture_measure(format, arguments);

		if (length < 0)
			return CAPTURE_AT_ONCE;
		sum.length = (uint64_t)length;
	}
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	writer_commit(w, to, memo->context);
	return (int)sum.length;
}

static inline int format_inside(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	uintptr_t key = (uintptr_t)format;
	uint32_t tag = memo_tag(how->stream, how->text);
	const struct memo *memo;
	int result = CAPTURE_PASS;

	memo = memo_find(w->memo[memo_set(call, key)], call, key, tag);
	if (unlikely(!memo))
		memo = capture_meet_format(w, call, how, format, arguments);
	if (likely(memo != NULL))
		result = capture_typed(w, call, memo, how, format, arguments);
	if (unlikely(result == CAPTURE_AT_ONCE))
		result = capture_at_once(w, call, how, format, arguments);
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

/* A constant text is part of the context: nothing but the time is written. */
static inline bool store_constant(
	struct writer *w, const struct call *call, const struct memo *memo)
{
	uint64_t ticks;

	if (unlikely(!begin(w, call, 8, &ticks)))
		return false;
	*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
	writer_commit(w, w->cursor + 8, memo->context);
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
	return true;
}

static inline bool put_bytes(struct writer *w, const struct call *call,
	unsigned stream, unsigned text, const void *bytes, size_t size)
{
	uintptr_t key = (uintptr_t)bytes;
	uint32_t constant = memo_tag(stream, CAPTURE_CONSTANT(text));
	uint32_t tag = memo_tag(stream, text);
	const struct memo *memo =
		memo_find(w->memo[memo_set(call, key)], call, key, constant);

	if (likely(memo && memo->length == size))
		return store_constant(w, call, memo);
	if (unlikely(size > CAPTURE_CHUNK))
		return capture_chunks(w, call, stream, text, 0, bytes, size);
	memo = memo_find(w->memo[memo_set(call, 0)], call, 0, tag);
	if (unlikely(!memo)) {
		memo = capture_meet_bytes(w, call, stream, text, bytes, size);
		if (memo && memo->tag == constant)
			return store_constant(w, call, memo);
	}
	return memo && store_bytes(w, call, memo, bytes, size);
}

bool capture_bytes(const struct call *call, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	struct writer *w = writer_enter(call->sp);
	bool done;

	if (unlikely(!w))
		return false;
	done = put_bytes(w, call, stream, text, bytes, size);
	writer_leave(w);
	return done;
}

bool capture_character(const struct call *call, unsigned stream, int byte)
{
	struct writer *w = writer_enter(call->sp);
	uint32_t tag = memo_tag(stream, BINLOG_TEXT_CHARACTER);
	const struct memo *memo;
	uint64_t ticks;
	bool done = false;

	if (unlikely(!w))
		return false;
	memo = memo_find(w->memo[memo_set(call, 0)], call, 0, tag);
	if (unlikely(!memo))
		memo = capture_meet_character(w, call, stream);
	if (likely(memo && begin(w, call, 12, &ticks))) {
		*(uint32_t *)(w->cursor + 4) = (uint32_t)ticks;
		*(int32_t *)(w->cursor + 8) = (unsigned char)byte;
		writer_commit(w, w->cursor + 12, memo->context);
		done = true;
	}
	writer_leave(w);
	return done;
}
