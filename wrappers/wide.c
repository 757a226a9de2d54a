#include <sys/mman.h>
#include <wchar.h>

#include "record/format.h"
#include "record/hash.h"
#include "record/libc.h"
#include "record/utf8.h"
#include "shim/host/arena.h"
#include "shim/host/charset.h"
#include "shim/host/host.h"
#include "shim/host/libio.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/locale_state.h"
#include "shim/streams/streams.h"
#include "shim/writer/plan.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Wide formats in their narrow form: the same directives, the text between
 * them in UTF-8.  As long as the arguments are such that a narrow printf makes
 * the same characters of them, a call of wprintf is recorded as one of printf
 * would be, typed and without making its text.  Lock-free,
 * async-signal-safe; what is known of a format is kept for the process.
 */

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
		struct wide_format **slot = &formats[(hash + i) % FORMATS_MAX];

		known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (is_same(known, format))
			return known;
		if (known && known->hash)
			continue;
		made = make(format, length, hash);
		if (made)
			__atomic_compare_exchange_n(slot, &known, made, false,
				__ATOMIC_RELEASE, __ATOMIC_RELAXED);
		return made;
	}
	return NULL;
}

/* What was last at this address is there, most of the time. */
static const struct wide_format *find(const wchar_t *format)
{
	static struct wide_format *recent[RECENT_MAX];
	struct wide_format **slot =
		&recent[(uintptr_t)format * 0x9e3779b1u >> 16 &
			(RECENT_MAX - 1)];
	struct wide_format *known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (likely(is_same(known, format)))
		return known;
	known = find_or_make(format);
	__atomic_store_n(slot, known, __ATOMIC_RELEASE);
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

/*
 * The narrow form of a call on `file`, which is wide; it stays where it is.
 * Its text has *surplus bytes more than characters.  Null: the text has to be
 * made at once.
 */
static const char *wide_format_narrow(const FILE *file, const wchar_t *format,
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

/* On the host's stack: bytes, and wide characters of a formatted text. */
#define BYTES_SMALL 1024
#define WIDE_SMALL ((size_t)200)
/* A longer text is made natively. */
#define LARGEST ((size_t)1 << 28)

/*
 * What a FILE is for wide text: not for a byte-oriented one, on which the
 * native call fails.  The first call makes it wide.
 */
static unsigned stream_of(FILE *file)
{
	unsigned stream;

	if (file->_mode < 0)
		return STREAM_PASS;
	stream = streams_of_any_file(file);
	if (stream != STREAM_PASS && file->_mode == 0)
		host_fwide(file, 1);
	return stream;
}

/* A mapping; null when there is no room. */
static void *map(size_t size)
{
	long address = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return sys_failed(address) ? NULL : (void *)address;
}

static void unmap(void *at, size_t size)
{
	SYS2(munmap, at, size);
}

/* A call on a stream. */
struct wide {
	const struct call *call;
	FILE *file;
	unsigned stream;
	int error; /* errno at the call */
};

/*
 * How a call ends that was recorded, or not; true if it is (also) to be made
 * natively, as if it had not been.
 */
static bool goes_on(const struct wide *wide, bool recorded)
{
	if (recorded && !streams[wide->stream].tee)
		return false;
	if (!recorded)
		writer_count_passed();
	errno = wide->error;
	return true;
}

static bool record_bytes(const struct wide *wide, const char *bytes, size_t n)
{
	bool recorded;

	do {
		stdio_buffer_prepare(
			wide->call, wide->file, wide->stream, true);
		recorded = capture_bytes(
			wide->call, wide->stream, BINLOG_TEXT_BYTES, bytes, n);
	} while (unlikely(!recorded && wide->call->turn->lost));
	return recorded;
}

/* Converted in ever larger mappings until there is room for the bytes. */
static COLD bool record_long(
	const struct wide *wide, const wchar_t *s, size_t length)
{
	long n = CHARSET_NO_ROOM;
	bool done = false;

	for (size_t size = length * 2 + BYTES_SMALL;
		n == CHARSET_NO_ROOM && size <= LARGEST; size *= 4) {
		char *bytes = map(size);

		if (!bytes)
			return false;
		n = charset_convert(wide->file, !streams[wide->stream].tee, s,
			length, bytes, size);
		done = n >= 0 && record_bytes(wide, bytes, (size_t)n);
		unmap(bytes, size);
	}
	return done;
}

static bool record_plain(
	const struct wide *wide, const wchar_t *s, size_t length)
{
	char bytes[BYTES_SMALL];
	long n = CHARSET_NO_ROOM;

	if (length <= sizeof(bytes))
		n = charset_convert(wide->file, !streams[wide->stream].tee, s,
			length, bytes, sizeof(bytes));
	if (n == CHARSET_NO_ROOM)
		return record_long(wide, s, length);
	return n >= 0 && record_bytes(wide, bytes, (size_t)n);
}

/*
 * WEOF is what "%c" makes of a byte that is no character.  A FILE with a
 * buffer takes it for one; otherwise, it is a wish to flush.
 */
static bool swallows(const struct wide *wide, wchar_t c, int flags)
{
	return unlikely((wint_t)c == WEOF) && wide->file->_flags & flags;
}

/* A text that begins so has been recorded, and is so long at least. */
static COLD void offer_cancel(
	const struct wide *wide, const wchar_t *s, size_t length)
{
	bool line = false;

	while (*s && !line)
		line = *s++ == L'\n';
	cancel_after_slow(wide->stream, length, line);
}

static bool record(const struct wide *wide, wchar_t *s, size_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		if (!swallows(wide, s[i], LIBIO_UNBUFFERED))
			s[n++] = s[i];
	return record_plain(wide, s, n);
}

wint_t wide_character(const struct call *call, wchar_t c, FILE *file,
	wint_t (*next)(wchar_t, FILE *))
{
	const struct wide wide = {call, file, stream_of(file), errno};

	/* These two do not ask what the FILE is: it gets a byte. */
	if (file->_mode < 0 && (wint_t)c != WEOF) {
		if (next == next_putwc)
			return (wint_t)put_character(call, c, file, next_putc);
		if (next == next_putwc_unlocked)
			return (wint_t)put_character(
				call, c, file, next_putc_unlocked);
	}
	if (wide.stream == STREAM_PASS ||
		swallows(&wide, c, LIBIO_UNBUFFERED | LIBIO_LINE_BUFFERED))
		return next(c, file);
	cancel_before_character(wide.stream);
	if (goes_on(&wide, record_plain(&wide, &c, 1)))
		return next(c, file);
	cancel_after_character(wide.stream, c == L'\n' ? '\n' : 'x');
	return (wint_t)c;
}

int wide_string(const struct call *call, const wchar_t *s, FILE *file,
	int (*next)(const wchar_t *, FILE *))
{
	const struct wide wide = {call, file, stream_of(file), errno};
	size_t length = 0;

	if (wide.stream == STREAM_PASS)
		return next(s, file);
	while (s[length])
		length++;
	if (length == 0)
		return 1;
	cancel_before(wide.stream, 0);
	if (goes_on(&wide, record_plain(&wide, s, length)))
		return next(s, file);
	if (unlikely(cancel_is_on()))
		offer_cancel(&wide, s, length);
	return 1;
}

/* Printing into memory, and what it has given. */
struct text {
	wchar_t *at;
	size_t size;
	size_t length;
	int result; /* what the function is to return */
	bool whole; /* there was room for all of it */
};

/* What no text has in it: beyond the last character of any. */
#define UNTOUCHED ((wchar_t)0x9abcdef1)

/*
 * A conversion that fails ends the text, and what was before it stands, with a
 * terminator.  But so may a text for which there was no room, since what does
 * not fit may be left out, and a zero be the last that does: what fails is
 * whole if it is as long as with less room, which is `before`.
 */
static void print(struct text *text, size_t before, int error, int chk,
	const wchar_t *format, va_list arguments)
{
	for (size_t i = 0; i < text->size; i++)
		text->at[i] = UNTOUCHED;
	errno = error;
	text->result =
		pass_on_vswprintf(text->at, text->size, chk, format, arguments);
	text->length = text->size;
	while (text->length > 0 && text->at[text->length - 1] == UNTOUCHED)
		text->length--;
	text->whole = text->length > 0 && text->at[text->length - 1] == 0 &&
		      (text->result >= 0 || text->length == before);
	if (text->whole)
		text->length--;
}

/*
 * What a FILE with lines makes of what is no character, only libc knows: into
 * memory it may be an error where to this FILE it is none, and it takes it for
 * one or not by what it has said before.
 */
static bool is_doubtful(const struct wide *wide, const struct text *text)
{
	size_t i = 0;

	if (!libc_has(host_libc_version, LIBC_WIDE_BUFFERS)) {
		if (text->result >= 0)
			return false;
		i = text->length > 0 ? text->length - 1 : 0;
	}
	for (; i < text->length; i++)
		if (swallows(wide, text->at[i], LIBIO_LINE_BUFFERED))
			return true;
	return false;
}

static bool record_text(const struct wide *wide, const struct text *text)
{
	if (is_doubtful(wide, text))
		return false;
	/* What has not filled a portion is lost. */
	if (text->result < 0 && libc_has(host_libc_version, LIBC_WIDE_BUFFERS))
		return record(wide, text->at,
			libc_handed_on(text->length, LIBC_STAGE));
	return record(wide, text->at, text->length);
}

/* The text is made in ever larger mappings until there is room for it. */
static COLD bool print_long(const struct wide *wide, size_t before, int chk,
	const wchar_t *format, va_list arguments, int *result)
{
	bool whole = false, done = false;

	for (size_t size = 64 * WIDE_SMALL; !whole && size <= LARGEST;
		size *= 16) {
		struct text text = {.at = map(size), .size = size / 4};

		if (!text.at)
			return false;
		print(&text, before, wide->error, chk, format, arguments);
		before = text.length;
		whole = text.whole;
		*result = text.result;
		done = whole && record_text(wide, &text);
		unmap(text.at, size);
	}
	return done;
}

static COLD bool print_at_once(const struct wide *wide, int chk,
	const wchar_t *format, va_list arguments, int *result)
{
	wchar_t room[WIDE_SMALL];
	struct text text = {.at = room, .size = WIDE_SMALL};

	print(&text, 0, wide->error, chk, format, arguments);
	*result = text.result;
	if (!text.whole)
		return print_long(
			wide, text.length, chk, format, arguments, result);
	return record_text(wide, &text);
}

/* As narrow text with types; the number of bytes, or CAPTURE_PASS. */
static int record_narrow(
	const struct wide *wide, int chk, const char *narrow, va_list arguments)
{
	const struct capture_text how = {
		.stream = wide->stream,
		.text = BINLOG_TEXT_FORMAT,
		.chk = chk,
		.permanent = true,
	};
	int length;

	do {
		stdio_buffer_prepare(
			wide->call, wide->file, wide->stream, true);
		length = capture_format(wide->call, &how, narrow, arguments);
	} while (unlikely(length == CAPTURE_PASS && wide->call->turn->lost));
	return length;
}

int wide_print(const struct call *call, FILE *file, int chk,
	const wchar_t *format, va_list arguments)
{
	const struct wide wide = {call, file, stream_of(file), errno};
	uint32_t surplus;
	const char *narrow;
	bool done;
	int result;

	if (wide.stream == STREAM_PASS || !format)
		return pass_on_vfwprintf(file, chk, format, arguments);
	cancel_before(wide.stream, 0);
	narrow = wide_format_narrow(file, format, arguments, &surplus);
	if (narrow) {
		result = record_narrow(&wide, chk, narrow, arguments);
		done = result != CAPTURE_PASS;
		result -= result >= 0 ? (int)surplus : 0;
	} else {
		done = print_at_once(&wide, chk, format, arguments, &result);
	}
	if (goes_on(&wide, done))
		return pass_on_vfwprintf(file, chk, format, arguments);
	if (unlikely(cancel_is_on()))
		offer_cancel(&wide, format, result > 0 ? (size_t)result : 0);
	return result;
}
