/*
 * The arguments of a call, from its va_list into a record, as its plan says.
 * Shared by the two ways to record a call (fast.c, capture.c); inlined, since
 * it is most of their work.  Writes only between w->cursor and w->end; nothing
 * is published.
 */
#ifndef SHIM_ARGUMENTS_H
#define SHIM_ARGUMENTS_H

#include <float.h>

#include "shim/host/bytes.h"
#include "shim/streams/locale_state.h"
#include "shim/writer/measure.h"
#include "shim/writer/plan.h"
#include "shim/writer/writer.h"

/* The length of a text, as far as it has been added up. */
struct arguments_sum {
	uint64_t length;
	struct measure_stars stars;
	char last; /* byte of the last string or character that is not empty */
};

/* When false, w->wanted is how long the record would be. */
static inline bool arguments_fit(struct writer *w, const char *at, size_t bytes)
{
	if (likely(writer_fits(w, at, bytes) && bytes <= WRITER_RECORD_MAX))
		return true;
	w->wanted = (size_t)(at - w->cursor) + bytes;
	return false;
}

/*
 * Copies a string argument; null when there is no room in this block.  Null
 * pointers are told from text, because "%.3s" of one prints nothing.
 */
static inline char *arguments_store_string(struct writer *w, char *to,
	const struct plan_argument *argument, const char *s, size_t rest,
	struct arguments_sum *sum)
{
	int64_t precision = argument->precision;
	size_t length;

	if (s == argument->constant && s) {
		*(uint32_t *)to = BINLOG_STRING_ID | argument->constant_id;
		sum->length += measure_string(
			argument, argument->constant_bytes, &sum->stars);
		if (argument->constant_bytes > 0)
			sum->last = s[argument->constant_bytes - 1];
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
	if (unlikely(!arguments_fit(w, to, rest + length + 8)))
		return NULL;
	*(uint32_t *)to = (uint32_t)length;
	/* The padding: nothing of an abandoned record may show in it. */
	*(uint32_t *)(to + ((length + 4) & ~(size_t)3)) = 0;
	bytes_copy(to + sizeof(uint32_t), s, length);
	if (length > 0)
		sum->last = s[length - 1];
	sum->length += measure_string(argument, (uint32_t)length, &sum->stars);
	return to + sizeof(uint32_t) + ((length + 3) & ~(size_t)3);
}

static inline void arguments_clear_stars(struct arguments_sum *sum)
{
	sum->stars = (struct measure_stars){FORMAT_NONE, FORMAT_NONE};
}

/* A va_list that can be handed down and comes back advanced. */
struct arguments_list {
	va_list ap;
};

/* One argument that is none of the frequent cases. */
char *arguments_store_general(struct writer *w, char *to,
	const struct plan_argument *argument, struct arguments_list *list,
	size_t rest, struct arguments_sum *sum);

static inline uint32_t arguments_widen(
	const struct plan_argument *argument, uint32_t length)
{
	return length < argument->least ? argument->least : length;
}

/*
 * Copies the arguments to `to` and adds up the length of their text; null
 * when a string does not fit.
 */
static inline char *arguments_store(struct writer *w, char *to,
	const struct plan *plan, struct arguments_list *list,
	struct arguments_sum *sum)
{
	const struct plan_argument *argument = plan->argument;
	const struct plan_argument *end = argument + plan->count;

	sum->length = plan->literal;
	sum->last = '\0';
	arguments_clear_stars(sum);
	for (; argument < end; argument++) {
		switch (argument->step) {
		case STEP_SIGNED: {
			int32_t value = va_arg(list->ap, int);

			*(int32_t *)to = value;
			to += sizeof(value);
			sum->length +=
				arguments_widen(argument, measure_int(value));
			break;
		}
		case STEP_UNSIGNED: {
			uint32_t value = va_arg(list->ap, unsigned);

			*(uint32_t *)to = value;
			to += sizeof(value);
			sum->length += arguments_widen(
				argument, measure_decimal(value));
			break;
		}
		case STEP_HEX: {
			uint32_t value = va_arg(list->ap, unsigned);

			*(uint32_t *)to = value;
			to += sizeof(value);
			sum->length += arguments_widen(
				argument, measure_digits(value, 4));
			break;
		}
		case STEP_CHARACTER:
			*(int32_t *)to = va_arg(list->ap, int);
			sum->last = *to;
			to += sizeof(int32_t);
			sum->length += arguments_widen(argument, 1);
			break;
		case STEP_LONG: {
			int64_t value = va_arg(list->ap, int64_t);

			__builtin_memcpy(to, &value, sizeof(value));
			to += sizeof(value);
			sum->length +=
				arguments_widen(argument, measure_long(value));
			break;
		}
		case STEP_LONG_UNSIGNED: {
			uint64_t value = va_arg(list->ap, uint64_t);

			__builtin_memcpy(to, &value, sizeof(value));
			to += sizeof(value);
			sum->length += arguments_widen(
				argument, measure_decimal(value));
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
			to = arguments_store_string(w, to, argument,
				va_arg(list->ap, const char *), plan->fixed,
				sum);
			break;
		default:
			to = arguments_store_general(
				w, to, argument, list, plan->fixed, sum);
			break;
		}
		if (unlikely(!to))
			return NULL;
	}
	return to;
}

/*
 * The decoder knows one decimal point and one multibyte encoding; what
 * another locale would make of the arguments only the host can say, now.
 */
static inline bool arguments_need_locale(const struct plan *plan)
{
	return (plan->has_decimal && !locale_has_point()) ||
	       (plan->has_wide && !locale_is_utf8()) ||
	       (plan->has_errno && !locale_is_english());
}

#endif
