/*
 * glibc has two parsers for a format.  The first one handles what is usual;
 * at a number ("%2$d") or an oddity like "%hs" the second one takes over for
 * the rest of the call.  They differ where the second one ignores a lone 'L'
 * or 'q' unless the conversion is a floating one: "%Ld" is 64 bits wide, but
 * "%1$Ld" is an int.  So this walk knows which of them it stands for.
 */
#include <limits.h>

#include "record/format.h"

enum modifier {
	MODIFIER_NONE,
	MODIFIER_HALF,	/* h */
	MODIFIER_CHAR,	/* hh */
	MODIFIER_WORD,	/* l z Z t j: 64 bits, double stays double */
	MODIFIER_TWICE, /* ll: 64 bits, or long double */
	MODIFIER_LARGE, /* L q: as ll; what the second parser ignores */
	MODIFIER_16,	/* w16: as h, but it does not make glibc change over */
	MODIFIER_WRONG, /* w12: the call fails */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool next_is(const struct format_cursor *cursor, char c)
{
	return cursor->at < cursor->end && *cursor->at == c;
}

static bool next_is_digit(const struct format_cursor *cursor)
{
	return cursor->at < cursor->end && is_digit(*cursor->at);
}

/* Reads all digits that follow; false if they go beyond INT_MAX. */
static bool take_number(struct format_cursor *cursor, int *number)
{
	bool fits = true;
	int digit;

	for (*number = 0; next_is_digit(cursor); cursor->at++) {
		digit = *cursor->at - '0';
		fits = fits && *number <= (INT_MAX - digit) / 10;
		if (fits)
			*number = *number * 10 + digit;
	}
	return fits;
}

/* "2$": the index of argument 2; FORMAT_NONE, and nothing read, otherwise. */
static int take_position(struct format_cursor *cursor)
{
	const char *begin = cursor->at;
	int number;

	if (take_number(cursor, &number) && number > 0 &&
		next_is(cursor, '$')) {
		cursor->at++;
		cursor->general = true;
		return number - 1;
	}
	cursor->at = begin;
	return FORMAT_NONE;
}

/* What stands behind a '*': whose argument it is. */
static int take_star(struct format_cursor *cursor)
{
	int position = take_position(cursor);

	return position != FORMAT_NONE ? position : cursor->next_argument++;
}

static uint8_t flag_of(char c)
{
	switch (c) {
	case '-':
		return FORMAT_MINUS;
	case '+':
		return FORMAT_PLUS;
	case ' ':
		return FORMAT_SPACE;
	case '#':
		return FORMAT_ALTERNATE;
	case '0':
		return FORMAT_ZERO;
	case '\'':
		return FORMAT_GROUP;
	case 'I':
		return FORMAT_I18N;
	default:
		return 0;
	}
}

static uint8_t take_flags(struct format_cursor *cursor)
{
	uint8_t flags = 0;
	uint8_t flag;

	for (; cursor->at < cursor->end; cursor->at++) {
		flag = flag_of(*cursor->at);
		if (flag == 0)
			break;
		flags |= flag;
	}
	return flags;
}

/* A width or precision; false: the call fails. */
static bool take_size(struct format_cursor *cursor, int *number)
{
	return take_number(cursor, number) &&
	       (*number < INT_MAX - 32 ||
		       libc_has(cursor->libc, LIBC_LARGE_FIELDS));
}

static bool take_width(
	struct format_cursor *cursor, struct format_directive *directive)
{
	if (next_is(cursor, '*')) {
		cursor->at++;
		directive->width_argument = take_star(cursor);
		return true;
	}
	return !next_is_digit(cursor) || take_size(cursor, &directive->width);
}

static bool take_precision(
	struct format_cursor *cursor, struct format_directive *directive)
{
	if (!next_is(cursor, '.'))
		return true;
	cursor->at++;
	if (next_is(cursor, '*')) {
		cursor->at++;
		directive->precision_argument = take_star(cursor);
		return true;
	}
	return take_size(cursor, &directive->precision);
}

/* Behind the 'w'.  The fast types are of 64 bits, but for that of 8. */
static enum modifier take_bit_width(struct format_cursor *cursor)
{
	bool fast = next_is(cursor, 'f');
	int bits = 0;

	if (fast)
		cursor->at++;
	if (!take_number(cursor, &bits))
		return MODIFIER_WRONG;
	switch (bits) {
	case 8:
		return MODIFIER_CHAR;
	case 16:
		return fast ? MODIFIER_TWICE : MODIFIER_16;
	case 32:
		return fast ? MODIFIER_TWICE : MODIFIER_NONE;
	case 64:
		return MODIFIER_TWICE;
	default:
		return MODIFIER_WRONG;
	}
}

static enum modifier take_modifier(struct format_cursor *cursor)
{
	if (cursor->at == cursor->end)
		return MODIFIER_NONE;
	switch (*cursor->at++) {
	case 'h':
		if (!next_is(cursor, 'h'))
			return MODIFIER_HALF;
		cursor->at++;
		return MODIFIER_CHAR;
	case 'l':
		if (!next_is(cursor, 'l'))
			return MODIFIER_WORD;
		cursor->at++;
		return MODIFIER_TWICE;
	case 'z':
	case 'Z':
	case 't':
	case 'j':
		return MODIFIER_WORD;
	case 'L':
	case 'q':
		return MODIFIER_LARGE;
	case 'w':
		if (libc_has(cursor->libc, LIBC_BIT_WIDTHS))
			return take_bit_width(cursor);
		/* fall through */
	default:
		cursor->at--;
		return MODIFIER_NONE;
	}
}

static bool is_long(const struct format_cursor *cursor, enum modifier modifier)
{
	return modifier == MODIFIER_WORD || modifier == MODIFIER_TWICE ||
	       (modifier == MODIFIER_LARGE && !cursor->general);
}

static uint8_t integer_size(
	const struct format_cursor *cursor, enum modifier modifier)
{
	if (is_long(cursor, modifier))
		return FORMAT_LONG;
	if (modifier == MODIFIER_HALF || modifier == MODIFIER_16)
		return FORMAT_SHORT;
	return modifier == MODIFIER_CHAR ? FORMAT_CHAR : FORMAT_INT;
}

/* Sets conversion and size; false for a conversion that glibc does not know. */
static bool set_conversion(struct format_cursor *cursor,
	struct format_directive *directive, char c, enum modifier modifier)
{
	directive->conversion = c;
	directive->size = FORMAT_INT;
	if (modifier == MODIFIER_WRONG)
		return false;
	switch (c) {
	case 'i':
		directive->conversion = 'd';
		/* fall through */
	case 'd':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		directive->size = integer_size(cursor, modifier);
		return true;
	case 'b':
	case 'B':
		directive->size = integer_size(cursor, modifier);
		return libc_has(cursor->libc, LIBC_BINARY);
	case '%':
	case 'n':
		return true;
	}
	/* Elsewhere a lone 'h' is more than the first parser understands. */
	if (modifier == MODIFIER_HALF)
		cursor->general = true;
	switch (c) {
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		if (modifier == MODIFIER_TWICE || modifier == MODIFIER_LARGE)
			directive->size = FORMAT_LONG_DOUBLE;
		return true;
	case 'C':
	case 'S':
		directive->conversion = c == 'C' ? 'c' : 's';
		directive->size = FORMAT_LONG;
		return true;
	case 'c':
	case 's':
		if (is_long(cursor, modifier))
			directive->size = FORMAT_LONG;
		return true;
	case 'p':
	case 'm':
		return true;
	default:
		return false;
	}
}

/* Behind the '%'. */
static bool take_directive(
	struct format_cursor *cursor, struct format_directive *directive)
{
	enum modifier modifier;
	int position = take_position(cursor);

	directive->flags = take_flags(cursor);
	if (!take_width(cursor, directive) ||
		!take_precision(cursor, directive))
		return false;
	modifier = take_modifier(cursor);
	if (cursor->at == cursor->end ||
		!set_conversion(cursor, directive, *cursor->at, modifier))
		return false;
	cursor->at++;
	if (directive->conversion == '%' || directive->conversion == 'm')
		return true;
	directive->argument =
		position != FORMAT_NONE ? position : cursor->next_argument++;
	return true;
}

void format_begin_for(struct format_cursor *cursor, const char *format,
	size_t length, uint32_t libc)
{
	cursor->at = format;
	cursor->end = format + length;
	cursor->next_argument = 0;
	cursor->general = false;
	cursor->libc = libc;
}

void format_begin(
	struct format_cursor *cursor, const char *format, size_t length)
{
	format_begin_for(cursor, format, length, LIBC_ANY);
}

bool format_next(
	struct format_cursor *cursor, struct format_directive *directive)
{
	const char *begin = cursor->at;
	int next_argument = cursor->next_argument;

	if (begin == cursor->end)
		return false;
	directive->text = begin;
	directive->conversion = 0;
	directive->flags = 0;
	directive->size = FORMAT_INT;
	directive->width = FORMAT_NONE;
	directive->precision = FORMAT_NONE;
	directive->width_argument = FORMAT_NONE;
	directive->precision_argument = FORMAT_NONE;
	directive->argument = FORMAT_NONE;
	if (*begin == '%') {
		cursor->at++;
		if (!take_directive(cursor, directive)) {
			cursor->at = begin;
			cursor->next_argument = next_argument;
			return false;
		}
	} else {
		while (cursor->at < cursor->end && *cursor->at != '%')
			cursor->at++;
	}
	directive->length = (size_t)(cursor->at - begin);
	return true;
}

static uint8_t kind_of(const struct format_directive *directive)
{
	switch (directive->conversion) {
	case 'c':
		return BINLOG_ARG_I32;
	case 's':
		return directive->size == FORMAT_LONG ? BINLOG_ARG_WIDE
						      : BINLOG_ARG_STRING;
	case 'p':
	case 'n':
		return BINLOG_ARG_I64;
	case 'd':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'b':
	case 'B':
		return directive->size == FORMAT_LONG ? BINLOG_ARG_I64
						      : BINLOG_ARG_I32;
	default:
		return directive->size == FORMAT_LONG_DOUBLE
			       ? BINLOG_ARG_LONG_DOUBLE
			       : BINLOG_ARG_F64;
	}
}

/* The arguments met so far; a kind of 0 is one that was not. */
struct argument_list {
	uint8_t *kinds;
	int count;
	int used; /* how often any of them was used */
};

static bool add_argument(struct argument_list *list, int index, uint8_t kind)
{
	if (index == FORMAT_NONE)
		return true;
	if (index >= FORMAT_ARGUMENTS_MAX)
		return false;
	if (list->kinds[index] != 0 && list->kinds[index] != kind)
		return false;
	list->kinds[index] = kind;
	list->used++;
	if (index >= list->count)
		list->count = index + 1;
	return true;
}

static bool add_directive(
	struct argument_list *list, const struct format_directive *directive)
{
	return add_argument(list, directive->width_argument, BINLOG_ARG_I32) &&
	       add_argument(
		       list, directive->precision_argument, BINLOG_ARG_I32) &&
	       (directive->argument == FORMAT_NONE ||
		       add_argument(
			       list, directive->argument, kind_of(directive)));
}

int format_arguments_for(const char *format, size_t length,
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1], bool *has_errno, uint32_t libc)
{
	struct argument_list list = {kinds, 0, 0};
	struct format_directive directive;
	struct format_cursor cursor;
	int i;

	*has_errno = false;
	for (i = 0; i <= FORMAT_ARGUMENTS_MAX; i++)
		kinds[i] = 0;
	format_begin_for(&cursor, format, length, libc);
	while (format_next(&cursor, &directive)) {
		if (!add_directive(&list, &directive))
			return FORMAT_NONE;
		if (directive.conversion == 'm')
			*has_errno = true;
	}
	if (cursor.at != cursor.end)
		return FORMAT_NONE;
	/* All of them unnumbered, or none. */
	if (cursor.next_argument != 0 && cursor.next_argument != list.used)
		return FORMAT_NONE;
	for (i = 0; i < list.count; i++)
		if (kinds[i] == 0)
			return FORMAT_NONE;
	if (*has_errno)
		kinds[list.count++] = BINLOG_ARG_I32;
	return list.count;
}

int format_arguments(const char *format, size_t length,
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1], bool *has_errno)
{
	return format_arguments_for(format, length, kinds, has_errno, LIBC_ANY);
}
