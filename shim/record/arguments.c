#include "shim/record/arguments.h"

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
	const struct arguments_sum *sum)
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
	if (!arguments_fit(w, to, rest + bytes + 8))
		return NULL;
	*(uint32_t *)to = (uint32_t)bytes;
	bytes_copy(to + sizeof(uint32_t), s, bytes);
	return to + sizeof(uint32_t) + bytes;
}

static inline void note_star(const struct plan_argument *argument, int value,
	struct arguments_sum *sum)
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

COLD char *arguments_store_general(struct writer *w, char *to,
	const struct plan_argument *argument, struct arguments_list *list,
	size_t rest, struct arguments_sum *sum)
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
		if (argument->measure == MEASURE_FIXED)
			sum->length += measure_fixed_long(
				argument, &long_real, &sum->stars);
		to += 16;
		break;
	case BINLOG_ARG_STRING:
		to = arguments_store_string(w, to, argument,
			va_arg(list->ap, const char *), rest, sum);
		break;
	default:
		to = store_wide(w, to, argument,
			va_arg(list->ap, const wchar_t *), rest, sum);
		break;
	}
	arguments_clear_stars(sum);
	return to;
}
