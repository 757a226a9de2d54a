#include <error.h>

#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/stdio/cancel.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"
#include "wrappers/notice.h"

/* Not there in a libc that is not glibc, whose programs must start all the
 * same. */
#pragma weak error_message_count
#pragma weak error_one_per_line
#pragma weak error_print_progname

/* One call of error(3) or error_at_line(3). */
struct complaint {
	const struct call *call;
	int status;
	int number; /* 0: no error is named */
	bool at_line;
	const char *name;
	unsigned line;
	struct formatted origin; /* what comes before the text */
};

/* "program: " or "program:file:line: ". */
static void make_origin(struct complaint *c)
{
	formatted_start(&c->origin);
	if (!error_print_progname) {
		formatted_put(&c->origin, program_invocation_name);
		formatted_put(&c->origin, c->at_line ? ":" : ": ");
	}
	if (!c->at_line)
		return;
	if (!c->name) {
		formatted_put(&c->origin, " ");
		return;
	}
	formatted_put(&c->origin, c->name);
	formatted_put(&c->origin, ":");
	formatted_number(&c->origin, c->line);
	formatted_put(&c->origin, ": ");
}

static enum notice_outcome make(
	const struct complaint *c, const char *format, va_list ap)
{
	enum notice_outcome outcome;
	struct formatted formatted;

	formatted_start(&formatted);
	formatted_put(&formatted, c->origin.text);
	formatted_print(&formatted, format, ap);
	if (c->number) {
		formatted_put(&formatted, ": ");
		notice_make_error(&formatted, c->number);
	}
	formatted_put(&formatted, "\n");
	outcome = notice_record_formatted(c->call, &formatted, true);
	formatted_end(&formatted);
	return outcome;
}

static enum notice_outcome record(
	const struct complaint *c, const char *format, va_list ap)
{
	const struct capture_prefix prefix[] = {
		NOTICE_STRING(c->origin.text), NOTICE_NUMBER(c->number)};
	struct capture_text how = {
		.text = BINLOG_TEXT_ERROR, .prefixes = 2, .prefix = prefix};
	int error = errno;
	bool typed = notice_is_typed(c->number ? &c->number : NULL);
	enum notice_outcome outcome =
		typed ? notice_record(c->call, &how, format, ap)
		      : make(c, format, ap);

	errno = error;
	return outcome;
}

static void put_parts(const struct complaint *c, const char *format, va_list ap)
{
	int error = errno;

	notice_put(c->call, c->origin.text);
	errno = error; /* for "%m" */
	print_file(c->call, stderr, 0, format, ap);
	if (c->number) {
		notice_put(c->call, ": ");
		notice_put_error(c->call, c->number);
	}
	notice_put(c->call, "\n");
}

static void write_natively(
	const struct complaint *c, const char *format, va_list ap)
{
	struct formatted formatted;
	int error = errno;

	formatted_start(&formatted);
	if (c->number) {
		formatted_put(&formatted, ": ");
		notice_make_error(&formatted, c->number);
	}
	formatted_put(&formatted, "\n");
	host_flockfile(stderr);
	next_fputs(c->origin.text, stderr);
	errno = error; /* for "%m" */
	pass_on_vfprintf(stderr, 0, format, ap);
	next_fputs(formatted.text, stderr);
	notice_settle();
	host_funlockfile(stderr);
	formatted_end(&formatted);
}

/*
 * error(3) has no variant with a va_list: its text is made beforehand.  False
 * if that does not do; nothing has been printed then.
 */
static bool call_natively(
	const struct complaint *c, const char *format, va_list ap)
{
	struct formatted formatted;
	bool whole;

	formatted_start(&formatted);
	formatted_print(&formatted, format, ap);
	whole = !formatted.failed &&
		bytes_length(formatted.text) == formatted.length;
	if (whole && c->at_line)
		next_error_at_line(c->status, c->number, c->name, c->line, "%s",
			formatted.text);
	else if (whole)
		next_error(c->status, c->number, "%s", formatted.text);
	formatted_end(&formatted);
	return whole;
}

static void finish(const struct complaint *c)
{
	error_message_count++;
	state_fflush(c->call, stderr, next_fflush);
	if (c->status)
		host_exit(c->status);
}

static void complain(struct complaint *c, const char *format, va_list ap)
{
	int error = errno, state = cancel_disable();
	enum notice_outcome outcome;

	if (!format) /* of which libc prints nothing */
		format = "";
	/* What fails there is what "%m" tells. */
	if (state_fflush(c->call, stdout, next_fflush) != 0)
		error = errno;
	errno = error;
	if (streams_of_any_file(stderr) == STREAM_PASS &&
		call_natively(c, format, ap)) {
		cancel_restore(state);
		return;
	}
	if (error_print_progname)
		error_print_progname();
	make_origin(c);
	errno = error;
	outcome = record(c, format, ap);
	if (outcome == NOTICE_IN_PARTS)
		put_parts(c, format, ap);
	else if (outcome == NOTICE_NATIVE)
		write_natively(c, format, ap);
	formatted_end(&c->origin);
	finish(c);
	cancel_restore(state);
}

void complaint_error(const struct call *call, int status, int number,
	const char *format, va_list ap)
{
	struct complaint c = {.call = call, .status = status, .number = number};

	complain(&c, format, ap);
}

/* error_one_per_line: not twice about one line. */
static bool is_repeated(const char *name, unsigned line)
{
	static const char *last_name;
	static unsigned last_line;
	size_t length;

	if (!error_one_per_line)
		return false;
	if (line == last_line && name && last_name) {
		length = bytes_length(name);
		if (name == last_name || (bytes_length(last_name) == length &&
						 bytes_starts(last_name, name)))
			return true;
	}
	if (line == last_line && name == last_name)
		return true;
	last_name = name;
	last_line = line;
	return false;
}

void complaint_error_at_line(const struct call *call, int status, int number,
	const char *name, unsigned line, const char *format, va_list ap)
{
	struct complaint c = {.call = call,
		.status = status,
		.number = number,
		.at_line = true,
		.name = name,
		.line = line};

	if (is_repeated(name, line))
		return;
	complain(&c, format, ap);
}
