#include "wrappers/notice.h"

#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/locale_state.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Room for the name of an error that has none: "Unknown error 4711". */
#define UNKNOWN 256

/* As the reader will have it. */
static const char *english(int number, char buffer[UNKNOWN])
{
	const char *text = host_strerrordesc_np(number);
	struct bytes_text unknown = {buffer, UNKNOWN, 0};

	if (text)
		return text;
	bytes_put(&unknown, "Unknown error ");
	if (number < 0)
		bytes_put(&unknown, "-");
	bytes_put_number(&unknown,
		number < 0 ? -(unsigned)number : (unsigned)number, 10);
	return buffer;
}

static const char *name_of(int number, char buffer[UNKNOWN])
{
	return locale_is_english() ? english(number, buffer)
				   : host_strerror_r(number, buffer, UNKNOWN);
}

static bool is_translated(int number)
{
	char ours[UNKNOWN], theirs[UNKNOWN];
	const char *a, *b;
	size_t length;

	if (locale_is_english())
		return false;
	a = english(number, ours);
	b = host_strerror_r(number, theirs, UNKNOWN);
	length = bytes_length(a);
	return bytes_length(b) != length || memcmp(a, b, length) != 0;
}

bool notice_is_typed(const int *error)
{
	int kept = errno;
	bool translated;

	if (streams_of_any_file(stderr) == STREAM_PASS)
		return true;
	if (stderr->_mode > 0)
		return false;
	translated = error && is_translated(*error);
	errno = kept;
	return !translated;
}

/* Before a call is recorded.  perror(3) leaves the orientation alone. */
static void prepare(const struct call *call, unsigned stream, bool orients)
{
	if (orients || stderr->_mode != 0)
		stdio_buffer_prepare(call, stderr, stream, true);
}

static bool orients(const struct capture_text *how)
{
	return how->text != BINLOG_TEXT_PERROR;
}

/* What is printed around the formatted text: see record/text.def. */
static size_t around(const struct capture_text *how, const char *format)
{
	const char *prefix = how->prefix[0].string;
	size_t bytes = (prefix ? bytes_length(prefix) : 0) + 1;
	bool named = how->prefixes == 2;
	char buffer[UNKNOWN];

	if (how->text == BINLOG_TEXT_ERROR)
		named = how->prefix[1].number != 0;
	else if (bytes > 1 || how->text != BINLOG_TEXT_PERROR)
		bytes += 2; /* ": " */
	if (!named)
		return bytes;
	if (format)
		bytes += 2;
	return bytes + bytes_length(english(how->prefix[1].number, buffer));
}

enum notice_outcome notice_record(const struct call *call,
	struct capture_text *how, const char *format, va_list ap)
{
	int result;

	how->stream = streams_of_file(stderr);
	if (how->stream == STREAM_PASS)
		return NOTICE_NATIVE;
	cancel_before(how->stream, 0);
	do {
		prepare(call, how->stream, orients(how));
		result = capture_format(call, how, format, ap);
	} while (result == CAPTURE_PASS && call->turn->lost);
	if (result == CAPTURE_PASS &&
		(writer_is_excused() || !writer_has_room())) {
		writer_count_passed();
		return NOTICE_NATIVE;
	}
	if (result == CAPTURE_PASS)
		return NOTICE_IN_PARTS;
	/* One byte was counted for each prefix. */
	position_add(how->stream, around(how, format) - how->prefixes);
	return streams[how->stream].tee ? NOTICE_NATIVE : NOTICE_RECORDED;
}

enum notice_outcome notice_record_plain(
	const struct call *call, struct capture_text *how, ...)
{
	va_list none;
	enum notice_outcome outcome;

	va_start(none, how);
	outcome = notice_record(call, how, NULL, none);
	va_end(none);
	return outcome;
}

enum notice_outcome notice_record_formatted(const struct call *call,
	const struct formatted *formatted, bool orients)
{
	FILE *file = stderr;
	unsigned stream = streams_of_any_file(file);
	struct call named = *call;
	bool recorded;

	if (stream == STREAM_PASS)
		return NOTICE_NATIVE;
	if (formatted->failed)
		return file->_mode > 0 ? NOTICE_NATIVE : NOTICE_IN_PARTS;
	named.format = formatted->format;
	if (file->_mode > 0) {
		formatted_say(&named, file, formatted->text, formatted->length);
		return NOTICE_RECORDED;
	}
	cancel_before(stream, 0);
	do {
		prepare(call, stream, orients);
		recorded = capture_bytes(&named, stream, BINLOG_TEXT_BYTES,
			formatted->text, formatted->length);
	} while (!recorded && call->turn->lost);
	if (recorded && !streams[stream].tee)
		return NOTICE_RECORDED;
	if (!recorded)
		writer_count_passed();
	return NOTICE_NATIVE;
}

void notice_make_error(struct formatted *formatted, int number)
{
	char buffer[UNKNOWN];

	formatted_put(formatted, name_of(number, buffer));
}

void notice_put(const struct call *call, const char *s)
{
	put_string(call, s, stderr, next_fputs);
}

void notice_put_error(const struct call *call, int number)
{
	char buffer[UNKNOWN];

	notice_put(call, name_of(number, buffer));
}

void notice_offer_cancel(void)
{
	unsigned stream = streams_of_any_file(stderr);

	if (unlikely(cancel_is_on()) && stream != STREAM_PASS)
		cancel_after_slow(stream, 0, true);
}

void notice_settle(void)
{
	unsigned stream = streams_of_any_file(stderr);

	if (stream != STREAM_PASS)
		stdio_buffer_written(stderr, stream, false);
}
