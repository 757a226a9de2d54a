#include "wrappers/wide_format.h"

#include "record/format.h"
#include "record/hash.h"
#include "record/utf8.h"
#include "shim/host/arena.h"
#include "shim/host/charset.h"
#include "shim/host/host.h"
#include "shim/streams/locale_state.h"
#include "shim/writer/plan.h"

/* Longer ones, and others when the table is full, are not remembered. */
#define CHARACTERS_MAX 500
#define FORMATS_MAX 2048u
#define PROBES 8u
#define RECENT_MAX 256u

struct argument {
	uint8_t kind; /* enum binlog_argument */
	bool limited; /* by the ".*" before it */
	bool character;
	bool wide;  /* %lc */
	bool plain; /* %s, %ls, %lc without width and precision */
	int32_t precision;
};

struct wide_format {
	uint64_t hash; /* 0: not there, or cleared by fork */
	const wchar_t *wide;
	const char *narrow; /* null: not to be recorded with types */
	uint32_t surplus;
	uint16_t length; /* of `wide` */
	uint16_t count;
	bool has_decimal;
	bool has_errno;
	struct argument argument[];
};

static struct wide_format *formats[FORMATS_MAX];

/* ---- a format, met for the first time ---- */

static size_t narrow_form(char *to, const wchar_t *format, size_t length)
{
	size_t size = 0;

	for (size_t i = 0; i < length; i++) {
		size_t n = utf8_put(to + size, (uint32_t)format[i]);

		if (n == 0)
			return 0;
		size += n;
	}
	return size;
}

static bool is_floating(char conversion)
{
	return (conversion >= 'e' && conversion <= 'g') ||
	       (conversion >= 'E' && conversion <= 'G') || conversion == 'a' ||
	       conversion == 'A';
}

/* False: only libc knows what this directive makes of its argument. */
static bool note_directive(
	struct wide_format *made, const struct format_directive *directive)
{
	struct argument *argument;
	bool fixed = directive->width == FORMAT_NONE &&
		     directive->width_argument == FORMAT_NONE &&
		     directive->precision == FORMAT_NONE &&
		     directive->precision_argument == FORMAT_NONE;

	if (directive->conversion == 'n' ||
		directive->flags & (FORMAT_GROUP | FORMAT_I18N))
		return false;
	made->has_decimal |= is_floating(directive->conversion);
	made->has_errno |= directive->conversion == 'm';
	if (directive->argument == FORMAT_NONE)
		return true;
	argument = &made->argument[directive->argument];
	argument->character = directive->conversion == 'c';
	argument->wide = directive->size == FORMAT_LONG;
	argument->plain = fixed;
	argument->limited = directive->precision_argument != FORMAT_NONE;
	argument->precision = directive->precision;
	return true;
}

static bool note_directives(struct wide_format *made, size_t size)
{
	struct format_directive directive;
	struct format_cursor cursor;

	format_begin_for(&cursor, made->narrow, size, host_libc_version);
	while (format_next(&cursor, &directive))
		if (directive.conversion && !note_directive(made, &directive))
			return false;
	/* Numbered arguments are not met in their order. */
	return !cursor.general;
}

static struct wide_format *take(const wchar_t *format, size_t length,
	const char *narrow, size_t size, unsigned count)
{
	struct wide_format *made =
		arena_take(sizeof(*made) + count * sizeof(*made->argument) +
			   length * sizeof(*format) + size + 1);
	wchar_t *wide;
	char *bytes;

	if (!made)
		return NULL;
	wide = (wchar_t *)(made->argument + count);
	bytes = (char *)(wide + length);
	memcpy(wide, format, length * sizeof(*format));
	memcpy(bytes, narrow, size);
	made->wide = wide;
	made->narrow = bytes;
	made->length = (uint16_t)length;
	made->count = (uint16_t)count;
	made->surplus = (uint32_t)(size - length);
	return made;
}

static COLD struct wide_format *make(
	const wchar_t *format, size_t length, uint64_t hash)
{
	char narrow[UTF8_MAX * CHARACTERS_MAX];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	size_t size = narrow_form(narrow, format, length);
	bool has_errno = false;
	int count = FORMAT_NONE;
	struct wide_format *made;

	if (size > 0)
		count = format_arguments_for(
			narrow, size, kinds, &has_errno, host_libc_version);
	made = take(format, length, narrow, size,
		count < 0 ? 0 : (unsigned)(count - has_errno));
	if (!made)
		return NULL;
	for (unsigned i = 0; i < made->count; i++)
		made->argument[i].kind = kinds[i];
	if (count == FORMAT_NONE || !note_directives(made, size))
		made->narrow = NULL;
	made->hash = hash;
	return made;
}

static bool is_same(const struct wide_format *known, const wchar_t *format)
{
	size_t i = 0;

	if (!known || !known->hash)
		return false;
	while (i < known->length && format[i] == known->wide[i])
		i++;
	return i == known->length && format[i] == 0;
}

static COLD struct wide_format *find_or_make(const wchar_t *format)
{
	struct wide_format *known, *made;
	size_t length = 0;
	uint64_t hash;

	while (length <= CHARACTERS_MAX && format[length])
		length++;
	if (length > CHARACTERS_MAX)
		return NULL;
	hash = binlog_hash(format, length * sizeof(*format)) | 1;
	for (unsigned i = 0; i < PROBES; i++) {
		struct wide_format **place = &formats[(hash + i) % FORMATS_MAX];

		known = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		if (is_same(known, format))
			return known;
		if (known && known->hash)
			continue;
		made = make(format, length, hash);
		if (made)
			__atomic_compare_exchange_n(place, &known, made, false,
				__ATOMIC_RELEASE, __ATOMIC_RELAXED);
		return made;
	}
	return NULL;
}

/* What was last at this address is there, most of the time. */
static const struct wide_format *find(const wchar_t *format)
{
	static struct wide_format *recent[RECENT_MAX];
	struct wide_format **place =
		&recent[(uintptr_t)format * 0x9e3779b1u >> 16 &
			(RECENT_MAX - 1)];
	struct wide_format *known = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (likely(is_same(known, format)))
		return known;
	known = find_or_make(format);
	__atomic_store_n(place, known, __ATOMIC_RELEASE);
	return known;
}

/* ---- the arguments of a call ---- */

/* What is to be found out about them. */
struct look {
	bool utf8;    /* other characters than those of ASCII are alike, too */
	int32_t star; /* the int before */
	int32_t precision; /* of this one */
	uint32_t surplus;
};

static bool look_at_character(
	const struct argument *argument, uint32_t c, struct look *look)
{
	char bytes[UTF8_MAX];
	size_t n;

	if (!argument->wide)
		return (unsigned char)c < 0x80;
	n = utf8_put(bytes, c);
	look->surplus += (uint32_t)n - 1;
	return n == 1 || (n > 1 && look->utf8 && argument->plain);
}

static bool look_at_wide(
	const struct argument *argument, const wchar_t *s, struct look *look)
{
	char bytes[UTF8_MAX];

	for (size_t i = 0; look->precision < 0 || i < (size_t)look->precision;
		i++) {
		size_t n;

		if (s[i] == 0)
			return true;
		n = utf8_put(bytes, (uint32_t)s[i]);
		if (n != 1 && (n == 0 || !look->utf8 || !argument->plain))
			return false;
		look->surplus += (uint32_t)n - 1;
	}
	return true;
}

/* Bytes of the character that begins here, 0 if none does. */
static size_t utf8_size(const unsigned char *s)
{
	uint32_t c;
	size_t size;
	char again[UTF8_MAX];

	if (s[0] < 0xc2 || s[0] >= 0xf8)
		return 0;
	size = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	c = s[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c <= 0x10ffff && utf8_put(again, c) == size ? size : 0;
}

static bool look_at_string(
	const struct argument *argument, const char *s, struct look *look)
{
	const unsigned char *at = (const unsigned char *)s;

	for (size_t i = 0;
		look->precision < 0 || i < (size_t)look->precision;) {
		size_t n = 1;

		if (at[i] == 0)
			return true;
		if (at[i] >= 0x80) {
			if (!look->utf8 || !argument->plain)
				return false;
			n = utf8_size(at + i);
			if (n == 0)
				return false;
			look->surplus += (uint32_t)n - 1;
		}
		i += n;
	}
	return true;
}

struct argument_list {
	va_list ap;
};

/* One argument; false: a narrow printf would make something else of it. */
static bool look_at(const struct argument *argument, struct argument_list *list,
	struct look *look)
{
	const void *s;
	int number;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		number = va_arg(list->ap, int);
		look->star = number < 0 ? FORMAT_NONE : number;
		return !argument->character ||
		       look_at_character(argument, (uint32_t)number, look);
	case BINLOG_ARG_F64:
		(void)va_arg(list->ap, double);
		return true;
	case BINLOG_ARG_LONG_DOUBLE:
		(void)va_arg(list->ap, long double);
		return true;
	case BINLOG_ARG_STRING:
		s = va_arg(list->ap, const char *);
		return !s || look_at_string(argument, s, look);
	case BINLOG_ARG_WIDE:
		s = va_arg(list->ap, const wchar_t *);
		return !s || look_at_wide(argument, s, look);
	default:
		(void)va_arg(list->ap, int64_t);
		return true;
	}
}

static bool look_at_all(
	const struct wide_format *known, struct look *look, va_list arguments)
{
	struct argument_list list;
	bool alike = true;

	va_copy(list.ap, arguments);
	for (unsigned i = 0; alike && i < known->count; i++) {
		const struct argument *argument = &known->argument[i];

		look->precision =
			argument->limited ? look->star : argument->precision;
		alike = look_at(argument, &list, look);
	}
	va_end(list.ap);
	return alike;
}

const char *wide_format_narrow(const FILE *file, const wchar_t *format,
	va_list arguments, uint32_t *surplus)
{
	enum charset_kind charset = charset_of(file);
	struct look look = {0};
	const struct wide_format *known;

	if (plan_always_at_once ||
		(charset != CHARSET_ASCII && charset != CHARSET_UTF8))
		return NULL;
	known = find(format);
	if (!known || !known->narrow ||
		(known->surplus > 0 && charset != CHARSET_UTF8) ||
		(known->has_decimal && !locale_has_point()) ||
		(known->has_errno && !locale_is_english()))
		return NULL;
	look.utf8 = charset == CHARSET_UTF8 && locale_is_utf8();
	look.surplus = known->surplus;
	if (!look_at_all(known, &look, arguments))
		return NULL;
	*surplus = look.surplus;
	return known->narrow;
}
