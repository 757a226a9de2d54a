#include <sys/mman.h>
#include <wchar.h>

#include "shim/host.h"
#include "shim/streams.h"
#include "shim/sys.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Wide text becomes bytes in pieces of this size, on the host's stack. */
#define PIECE 1024
/* Wide characters of a formatted text: at first, and at most. */
#define WIDE_SMALL 200
#define WIDE_LARGEST ((size_t)1 << 24)

/*
 * What a FILE is for wide text: not for a byte-oriented one, on which the
 * native call fails.  The first call makes it wide.
 */
static unsigned stream_of(FILE *file)
{
	unsigned stream;

	if ((file->_flags & (LIBIO_IS_FILEBUF | LIBIO_NO_WRITES)) !=
			LIBIO_IS_FILEBUF ||
		file->_mode < 0 || file->_fileno < 0)
		return STREAM_PASS;
	stream = streams_of(file->_fileno);
	if (stream != STREAM_PASS && file->_mode == 0)
		host_fwide(file, 1);
	return stream;
}

/* Bytes that have been put together for a stream. */
struct piece {
	const struct call *call;
	unsigned stream;
	size_t size;
	char bytes[PIECE];
};

static bool flush(struct piece *piece)
{
	bool done = piece->size == 0 ||
		    capture_bytes(piece->call, piece->stream, BINLOG_TEXT_BYTES,
			    piece->bytes, piece->size);

	piece->size = 0;
	return done;
}

/*
 * Records wide characters up to the first one that the locale does not have,
 * or that finds no room; returns how many.
 */
static size_t record(const struct call *call, unsigned stream, const wchar_t *s,
	size_t length)
{
	struct piece piece = {.call = call, .stream = stream};
	size_t done = 0;

	for (size_t i = 0; i < length; i++) {
		mbstate_t state = {0};
		size_t n;

		if (piece.size > PIECE - MB_LEN_MAX) {
			if (!flush(&piece))
				return done;
			done = i;
		}
		n = host_wcrtomb(piece.bytes + piece.size, s[i], &state);
		if (n == (size_t)-1)
			return flush(&piece) ? i : done;
		piece.size += n;
	}
	return flush(&piece) ? length : done;
}

wint_t wide_character(const struct call *call, wchar_t c, FILE *file,
	wint_t (*next)(wchar_t, FILE *))
{
	unsigned stream = stream_of(file);
	int kept = errno;

	if (stream == STREAM_PASS)
		return next(c, file);
	if (record(call, stream, &c, 1) == 1 && !streams[stream].tee) {
		errno = kept;
		return (wint_t)c;
	}
	return next(c, file);
}

int wide_string(const struct call *call, const wchar_t *s, FILE *file,
	int (*next)(const wchar_t *, FILE *))
{
	unsigned stream = stream_of(file);
	size_t length = 0, done;

	if (stream == STREAM_PASS)
		return next(s, file);
	while (s[length])
		length++;
	done = record(call, stream, s, length);
	if (streams[stream].tee)
		return next(s, file);
	/* What is left fails natively, or has found no room. */
	return done < length ? next(s + done, file) : 1;
}

/* What printing into memory has given. */
struct text {
	size_t length;
	int result; /* what the function is to return */
	bool whole; /* there was room for all of it */
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* passed on */
/*
 * A conversion that fails ends the text, and what was before it stands; then
 * it has a terminator.  Without one, there was no room.
 */
static struct text print(wchar_t *to, size_t size, int chk,
	const wchar_t *format, va_list arguments)
{
	struct text text = {0};
	va_list copy;
	int length;

	for (size_t i = 0; i < size; i++)
		to[i] = 1;
	va_copy(copy, arguments);
	length = chk > 0 ? host___vswprintf_chk(
				   to, size, chk, SIZE_MAX, format, copy)
			 : host_vswprintf(to, size, format, copy);
	va_end(copy);
	text.result = length;
	while (text.length < size && to[text.length] != 0)
		text.length++;
	text.whole = text.length < size;
	if (length >= 0) /* it may have a NUL in it */
		text.length = (size_t)length;
	return text;
}

static int pass(FILE *file, int chk, const wchar_t *format, va_list arguments)
{
	return chk ? next___vfwprintf_chk(file, chk, format, arguments)
		   : next_vfwprintf(file, format, arguments);
}
#pragma GCC diagnostic pop

/* Records it all; false: the call has to be made natively. */
static bool record_text(const struct call *call, unsigned stream,
	const wchar_t *at, const struct text *text)
{
	return text->whole &&
	       record(call, stream, at, text->length) == text->length;
}

/* The text is made in ever larger mappings until there is room for it. */
static bool print_long(const struct call *call, unsigned stream, int chk,
	const wchar_t *format, va_list arguments, int *result)
{
	bool whole = false, done = false;

	for (size_t size = 16 * WIDE_SMALL; !whole && size <= WIDE_LARGEST;
		size *= 16) {
		long address = SYS6(mmap, 0, size * sizeof(wchar_t),
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
		wchar_t *at = (wchar_t *)address;
		struct text text;

		if (sys_failed(address))
			return false;
		text = print(at, size, chk, format, arguments);
		whole = text.whole;
		*result = text.result;
		done = record_text(call, stream, at, &text);
		SYS2(munmap, address, size * sizeof(wchar_t));
	}
	return done;
}

int wide_print(const struct call *call, FILE *file, int chk,
	const wchar_t *format, va_list arguments)
{
	unsigned stream = stream_of(file);
	wchar_t room[WIDE_SMALL];
	struct text text;
	bool done;

	if (stream == STREAM_PASS)
		return pass(file, chk, format, arguments);
	text = print(room, WIDE_SMALL, chk, format, arguments);
	done = record_text(call, stream, room, &text);
	if (!text.whole)
		done = print_long(
			call, stream, chk, format, arguments, &text.result);
	if (!done || streams[stream].tee)
		return pass(file, chk, format, arguments);
	return text.result;
}
