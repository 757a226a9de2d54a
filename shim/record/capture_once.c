#include <sys/mman.h>

#include "record/libc.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/module.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/record/capture_slow.h"
#include "shim/record/fortify.h"
#include "shim/streams/streams.h"
#include "shim/writer/define.h"

/* Texts that are made at once, since only the program itself can make them. */

/* On the host's stack while a text is made. */
#define TEXT_ON_STACK 1024u

/* One that comes after a prefix is in one record. */
#define PREFIXED_MAX (WRITER_RECORD_MAX / 2)

/* Room for one that is longer: at first, and at most of the writer's own. */
#define ROOM_MIN 16384u
#define ROOM_MAX ((size_t)1 << 18)

/* Room for a text that ends early: from, to; and what fills it. */
#define BROKEN_MIN ((size_t)1 << 16)
#define BROKEN_MAX ((size_t)1 << 28)
#define UNTOUCHED 0xff

int capture_measure(const char *format, va_list arguments)
{
	int kept = errno;
	int length = pass_on_vsnprintf(NULL, 0, 0, format, arguments);

	errno = kept;
	return length;
}

static const char only_string[] = "%s";

/* After a prefix, a text that is made becomes the argument of a "%s". */
static bool record_prefixed(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	result = capture_inside(w, call, how, format, arguments);
	va_end(arguments);
	return result != CAPTURE_PASS;
}

/* `format` is what is shown as the one that it was made of; null: none. */
static bool record_text(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, const char *text,
	size_t length, bool failed)
{
	struct capture_formatted formatted = {.failed = failed};
	const struct intern_entry *string;

	if (how->prefixes) /* a "%s" would end at a zero byte */
		return length <= (format ? CAPTURE_CHUNK : PREFIXED_MAX) &&
		       bytes_length(text) == length &&
		       record_prefixed(w, call, how, only_string, text);
	if (format) {
		string = define_string(
			w, format, (uint32_t)bytes_length(format));
		if (!string)
			return false;
		formatted.format = string->id;
	}
	if (!failed && length <= CAPTURE_CHUNK)
		return capture_text_inside(
			w, call, how->stream, formatted.format, text, length);
	return capture_chunks(w, call, how->stream, BINLOG_TEXT_BYTES,
		&formatted, text, length);
}

static char *map(size_t size)
{
	long address = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return sys_failed(address) ? NULL : (char *)address;
}

/* The writer's own room for texts, as large as it was ever needed. */
static char *own_room(struct writer *w, size_t size)
{
	uint32_t bytes = ROOM_MIN;
	char *room;

	if (size <= w->room_bytes)
		return w->room;
	while (bytes < size)
		bytes *= 4;
	room = arena_take(bytes);
	if (!room)
		return NULL;
	w->room = room;
	SIGNAL_FENCE();
	w->room_bytes = bytes;
	return room;
}

/* A long text; the longest have a mapping of their own while it takes. */
static int long_text(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, const char *shown,
	size_t length, va_list arguments)
{
	bool own = length < ROOM_MAX;
	char *text = own ? own_room(w, length + 1) : map(length + 1);
	int formatted;

	if (!text)
		return CAPTURE_PASS;
	formatted = pass_on_vsnprintf(
		text, length + 1, how->chk, format, arguments);
	if (formatted > (int)length) /* a string has grown meanwhile */
		formatted = (int)length;
	if (!record_text(w, call, how, shown, text,
		    formatted < 0 ? bytes_length(text) : (size_t)formatted,
		    false))
		formatted = CAPTURE_PASS;
	if (!own)
		SYS2(munmap, text, length + 1);
	return formatted;
}

static bool is_syslog(const struct capture_text *how)
{
	return how->text == BINLOG_TEXT_SYSLOG ||
	       how->text == BINLOG_TEXT_SYSLOG_PERROR;
}

/*
 * How much of a text is said whose call fails; *lost: the replay has to find
 * out how much of that.  A message of err() or error() is of several calls, of
 * which only this one fails; and stderr has no buffer, but for odd programs.
 */
static size_t said_of_broken(
	const struct capture_text *how, size_t length, bool *lost)
{
	*lost = false;
	if (is_syslog(how))
		return length;
	if (!streams[how->stream].file)
		return libc_has(host_libc_version, LIBC_DPRINTF)
			       ? libc_handed_on(length, LIBC_STAGE_DPRINTF)
			       : length;
	if (!libc_has(host_libc_version, LIBC_BUFFERS))
		return length;
	if (how->prefixes)
		return libc_handed_on(length, LIBC_STAGE);
	*lost = true;
	return length;
}

/*
 * A conversion that fails ends the text; what was before it stands, zero
 * bytes included.  It ends where the last byte was written: a terminator.
 */
static bool broken_text(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, const char *shown,
	va_list arguments, int error)
{
	bool done = false, fits = false, lost;
	size_t size, length;

	if (is_syslog(how) && libc_has(host_libc_version, LIBC_SYSLOG_DROPS))
		return true;
	for (size = BROKEN_MIN; !fits && size <= BROKEN_MAX; size *= 16) {
		char *text = map(size);

		if (!text)
			return false;
		memset(text, UNTOUCHED, size);
		errno = error;
		pass_on_vsnprintf(text, size, how->chk, format, arguments);
		length = size;
		while (length > 0 && text[length - 1] == (char)UNTOUCHED)
			length--;
		fits = length > 0 && length < size;
		if (fits) {
			length = said_of_broken(how, length - 1, &lost);
			text[length] = '\0';
			done = record_text(
				w, call, how, shown, text, length, lost);
		}
		SYS2(munmap, text, size);
	}
	return done;
}

static int record_made(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, const char *shown,
	va_list arguments, int error)
{
	char text[TEXT_ON_STACK];
	int length = pass_on_vsnprintf(
		text, sizeof(text), how->chk, format, arguments);

	if (length >= (int)sizeof(text))
		return long_text(
			w, call, how, format, shown, (size_t)length, arguments);
	if (length < 0)
		return broken_text(
			       w, call, how, format, shown, arguments, error)
			       ? length
			       : CAPTURE_PASS;
	if (!record_text(w, call, how, shown, text, (size_t)length, false))
		return CAPTURE_PASS;
	return length;
}

static int make(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, const char *shown,
	va_list arguments)
{
	int error = errno;
	int length;

	/* What there is finds no room either, or it would end here. */
	if (!format || format == only_string ||
		(how->chk > 0 && fortify_decision(format)))
		return CAPTURE_PASS;
	length = record_made(w, call, how, format, shown, arguments, error);

	/* The native call that follows has to find it, for "%m". */
	if (length == CAPTURE_PASS || streams[how->stream].tee)
		errno = error;
	return length;
}

int capture_at_once(struct writer *w, const struct call *call,
	const struct capture_text *how, const char *format, va_list arguments)
{
	return make(w, call, how, format, format, arguments);
}

int capture_fleeting(struct writer *w, const struct call *call,
	const struct capture_text *how, enum writer_fleeting what,
	const char *format, va_list arguments)
{
	size_t length;
	bool done;

	if (what == FLEETING_MADE)
		return make(w, call, how, format, NULL, arguments);
	length = bytes_length(format);
	done = how->prefixes
		       ? record_prefixed(w, call, how, only_string, format)
		       : record_text(w, call, how, NULL, format, length, false);
	return done ? (int)length : CAPTURE_PASS;
}

/* ---- texts that are in several pieces ---- */

static void put_together(char *to, const struct iovec *v, size_t size)
{
	for (; size > 0; v++) {
		size_t part = v->iov_len < size ? v->iov_len : size;

		bytes_copy(to, v->iov_base, part);
		to += part;
		size -= part;
	}
}

/* Rules are asked about a text, not about its pieces. */
static bool record_together(struct writer *w, const struct call *call,
	unsigned stream, const struct iovec *v, size_t size)
{
	bool own = size < ROOM_MAX;
	char *text;
	bool done;

	if (size > CAPTURE_CHUNK && !control_is_deciding())
		return capture_chunks_of(w, call, stream, BINLOG_TEXT_BYTES,
			&(struct capture_formatted){0}, v, size);
	text = own ? own_room(w, size) : map(size);
	if (!text)
		return false;
	put_together(text, v, size);
	done = capture_bytes_inside(
		w, call, stream, BINLOG_TEXT_BYTES, text, size);
	if (!own)
		SYS2(munmap, text, size);
	return done;
}

static bool record_short(struct writer *w, const struct call *call,
	unsigned stream, const struct iovec *v, size_t size)
{
	char text[TEXT_ON_STACK];

	put_together(text, v, size);
	return capture_bytes_inside(
		w, call, stream, BINLOG_TEXT_BYTES, text, size);
}

bool capture_vector_inside(struct writer *w, const struct call *call,
	unsigned stream, const struct iovec *v, size_t size)
{
	return size <= TEXT_ON_STACK
		       ? record_short(w, call, stream, v, size)
		       : record_together(w, call, stream, v, size);
}
