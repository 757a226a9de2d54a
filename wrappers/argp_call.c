#include <argp.h>
#include <sys/mman.h>

#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/streams/streams.h"
#include "wrappers/borrowed_buffer.h"
#include "wrappers/handlers.h"
#include "wrappers/formatted.h"
#include "wrappers/next.h"

#define EXITS (ARGP_HELP_EXIT_ERR | ARGP_HELP_EXIT_OK)

static bool may_exit(const struct argp_state *state)
{
	return !state || !(state->flags & ARGP_NO_EXIT);
}

static FILE *errors_of(const struct argp_state *state)
{
	return state ? state->err_stream : stderr;
}

static bool is_recorded(FILE *file)
{
	return file && streams_of_any_file(file) != STREAM_PASS;
}

/* A borrowed buffer around a call that may end in exit(). */
static struct borrowed_buffer lend(
	const struct call *call, FILE *file, bool exits)
{
	if (exits && is_recorded(file))
		borrow_end_at_exit();
	return borrow_buffer(call, file, BORROW_CALLS_BACK);
}

void argp_call_help(const struct call *call, const struct argp *argp,
	FILE *file, unsigned flags, char *name)
{
	struct borrowed_buffer buffer = lend(call, file, false);

	next_argp_help(argp, file, flags, name);
	borrow_give_back(call, &buffer);
}

void argp_call_state_help(const struct call *call,
	const struct argp_state *state, FILE *file, unsigned flags)
{
	struct borrowed_buffer buffer =
		lend(call, file, flags & EXITS && may_exit(state));

	next_argp_state_help(state, file, flags);
	borrow_give_back(call, &buffer);
}

void argp_call_usage(const struct call *call, const struct argp_state *state)
{
	struct borrowed_buffer buffer = lend(call, stderr, may_exit(state));

	next_argp_usage(state);
	borrow_give_back(call, &buffer);
}

/* These two have no variant with a va_list to be passed on to. */
void argp_call_error(const struct call *call, const struct argp_state *state,
	const char *format, va_list ap)
{
	struct call named = *call;
	struct borrowed_buffer buffer;
	struct formatted formatted;

	named.format = format;
	formatted_start(&formatted);
	formatted_print(&formatted, format, ap);
	buffer = lend(&named, errors_of(state), may_exit(state));
	next_argp_error(state, "%s", formatted.text);
	borrow_give_back(&named, &buffer);
	formatted_end(&formatted);
}

void argp_call_failure(const struct call *call, const struct argp_state *state,
	int status, int number, const char *format, va_list ap)
{
	struct call named = *call;
	struct borrowed_buffer buffer;
	struct formatted formatted;

	named.format = format;
	formatted_start(&formatted);
	if (format)
		formatted_print(&formatted, format, ap);
	buffer = lend(&named, errors_of(state), status && may_exit(state));
	if (format)
		next_argp_failure(state, status, number, "%s", formatted.text);
	else
		next_argp_failure(state, status, number, NULL);
	borrow_give_back(&named, &buffer);
	formatted_end(&formatted);
}

/*
 * argp_parse() calls the program's parsers, which may do anything: print,
 * jump, fork, exit, put a file in the place of stderr.  So they are called
 * through us, and find all FILEs as they are otherwise.  For that the
 * argps are copied: theirs cannot be written to.
 */

/* An argp_parse() that has not returned. */
struct session {
	struct session *outer;
	const struct call *call;
	uintptr_t sp;
	size_t size; /* of the mapping in which this is */
	struct borrowed_buffer errors, others, output;
};

static __thread struct session *innermost
	__attribute__((tls_model("initial-exec")));

static void suspend(struct session *session)
{
	borrow_give_back(session->call, &session->output);
	borrow_give_back(session->call, &session->others);
	borrow_give_back(session->call, &session->errors);
}

/* getopt uses stderr, also when the program has chosen another FILE. */
static void resume(struct session *session, FILE *errors, FILE *output)
{
	unsigned flags = BORROW_MAY_PRINT | BORROW_CALLS_BACK;

	if (errors == stderr)
		errors = NULL;
	if (output == stderr || output == errors)
		output = NULL;
	session->errors = borrow_buffer(session->call, stderr, flags);
	session->others = borrow_buffer(session->call, errors, flags);
	session->output = borrow_buffer(session->call, output, flags);
}

/*
 * Those that a parser has jumped out of are over.  Their memory is left alone,
 * as libc leaves its own: one on another stack may go on, and reads its argps
 * there.
 */
static struct session *session_of(uintptr_t sp)
{
	while (innermost && innermost->sp < sp)
		innermost = innermost->outer;
	return innermost;
}

/* The program's parsers have come in here; they are never forgotten. */
#define PARSERS 32
static argp_parser_t parsers[PARSERS];

static error_t call_back(
	unsigned i, int key, char *argument, struct argp_state *state)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct session *session = session_of(here);
	error_t result;

	if (!session)
		return parsers[i](key, argument, state);
	suspend(session);
	result = parsers[i](key, argument, state);
	session = session_of(here);
	if (session)
		resume(session, state->err_stream, state->out_stream);
	return result;
}

/* The numbers are octal. */
#define EIGHT(what, n)                                                         \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5)      \
		what(n##6) what(n##7)
#define ALL(what)                                                              \
	EIGHT(what, 00) EIGHT(what, 01) EIGHT(what, 02) EIGHT(what, 03)
#define ENTRY(n)                                                               \
	static error_t entry_##n(                                              \
		int key, char *argument, struct argp_state *state)             \
	{                                                                      \
		return call_back(n, key, argument, state);                     \
	}
ALL(ENTRY)

#define NAME(n) entry_##n,
static const argp_parser_t entries[PARSERS] = {ALL(NAME)};

/* Where there is no more room, a parser is called without us. */
static argp_parser_t entry_for(argp_parser_t parser)
{
	if (!parser)
		return NULL;
	for (unsigned i = 0; i < PARSERS; i++) {
		argp_parser_t expected = NULL;

		if (__atomic_compare_exchange_n(&parsers[i], &expected, parser,
			    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
			expected == parser)
			return entries[i];
	}
	return parser;
}

/* What the copy of an argp and of all below it takes. */
static size_t size_of(const struct argp *argp)
{
	const struct argp_child *child = argp->children;
	size_t size = sizeof(*argp) + sizeof(*child);

	for (; child && child->argp; child++)
		size += sizeof(*child) + size_of(child->argp);
	return size;
}

static struct argp *copy(const struct argp *argp, char **room)
{
	const struct argp_child *child = argp->children;
	struct argp *result = (struct argp *)*room;
	struct argp_child *to = (struct argp_child *)(result + 1);
	size_t count = 0;

	while (child && child[count].argp)
		count++;
	*room = (char *)(to + count + 1);
	*result = *argp;
	result->parser = entry_for(argp->parser);
	if (child)
		result->children = to;
	for (size_t i = 0; i < count; i++) {
		to[i] = child[i];
		to[i].argp = copy(child[i].argp, room);
	}
	return result;
}

/* Null where there is no memory. */
static struct session *begin(const struct call *call, const struct argp *argp)
{
	size_t size = sizeof(struct session) + (argp ? size_of(argp) : 0);
	long address = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct session *session = (struct session *)address;

	if (sys_failed(address))
		return NULL;
	session->call = call;
	session->sp = call->sp;
	session->size = size;
	session->outer = session_of(call->sp);
	innermost = session;
	return session;
}

error_t argp_call_parse(const struct call *call, const struct argp *argp,
	int argc, char **argv, unsigned flags, int *index, void *input)
{
	struct session *session = NULL;
	char *room;
	error_t result;

	if (is_recorded(stderr) || is_recorded(stdout))
		session = begin(call, argp);
	if (!session)
		return next_argp_parse(argp, argc, argv, flags, index, input);
	room = (char *)(session + 1);
	if (argp)
		argp = copy(argp, &room);
	borrow_end_at_exit();
	resume(session, stderr, stdout);
	result = next_argp_parse(argp, argc, argv, flags, index, input);
	suspend(session);
	session_of(call->sp + 1);
	SYS2(munmap, session, session->size);
	return result;
}
