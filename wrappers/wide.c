#include <sys/mman.h>
#include <wchar.h>

#include "record/libc.h"
#include "shim/host/charset.h"
#include "shim/host/host.h"
#include "shim/host/libio.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"
#include "wrappers/wide_format.h"

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
