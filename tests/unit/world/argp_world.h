/*
 * For tests of argp(3): the library around wrappers/argp_call.c, with borrowed
 * that are counted.  It defines functions of the library: not for more than one
 * file of a program.
 */
#ifndef TESTS_ARGP_WORLD_H
#define TESTS_ARGP_WORLD_H

#include "shim/host/inside.h"

#include <argp.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/streams/streams.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/borrowed_buffer.h"
#include "wrappers/handlers.h"
#include "wrappers/formatted.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

#define OURS 9u
#define BUFFERS 64 /* more than there are at a time */

bool sys_forbidden;

static struct {
	bool stdout_is_ours, stderr_is_ours;
	int lent; /* borrowed that were not taken back */
	unsigned number_of_buffer;
	bool is_out[BUFFERS];
	unsigned borrowed;	     /* of FILEs, ever */
	unsigned exits;		     /* calls that may end in exit() */
	unsigned natively;	     /* argp_parse() without one lent before */
	const FILE *others, *output; /* of the last three borrowed */
	char seen[65536];	     /* by parsers */
	char said[256];
	int status, number;
} world;

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)fd;
	return (file == stdout && world.stdout_is_ours) ||
			       (file == stderr && world.stderr_is_ours)
		       ? OURS
		       : STREAM_PASS;
}

void control_follow(void)
{
}

struct borrowed_buffer borrow_buffer(
	const struct call *call, FILE *file, unsigned flags)
{
	assert_non_null(call);
	assert_true(flags & BORROW_CALLS_BACK);
	world.others = world.output;
	world.output = file;
	world.borrowed += file != NULL;
	world.lent++;
	world.is_out[++world.number_of_buffer % BUFFERS] = true;
	return (struct borrowed_buffer){
		.file = file, .number = world.number_of_buffer};
}

void borrow_give_back(
	const struct call *call, const struct borrowed_buffer *buffer)
{
	assert_non_null(call);
	world.lent -= world.is_out[buffer->number % BUFFERS];
	world.is_out[buffer->number % BUFFERS] = false;
}

void borrow_end_at_exit(void)
{
	assert_int_equal(world.lent, 0);
	world.exits++;
}

void formatted_start(struct formatted *formatted)
{
	formatted->text = formatted->small;
	formatted->small[0] = '\0';
}

void formatted_print(
	struct formatted *formatted, const char *format, va_list arguments)
{
	vsnprintf(
		formatted->small, sizeof(formatted->small), format, arguments);
}

void formatted_end(struct formatted *formatted)
{
	assert_ptr_equal(formatted->text, formatted->small);
}

static error_t parse(const struct argp *argp, int argc, char **argv,
	unsigned flags, int *index, void *input)
{
	world.natively += world.lent == 0;
	return argp_parse(argp, argc, argv, flags, index, input);
}

static void say(const char *format, va_list arguments)
{
	assert_int_equal(world.lent, 1);
	vsnprintf(world.said, sizeof(world.said), format, arguments);
}

static void note_error(const struct argp_state *state, const char *format, ...)
{
	va_list ap;

	(void)state;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

static void note_failure(const struct argp_state *state, int status, int number,
	const char *format, ...)
{
	va_list ap;

	(void)state;
	world.status = status;
	world.number = number;
	va_start(ap, format);
	if (format)
		say(format, ap);
	va_end(ap);
}

static void note_help(
	const struct argp_state *state, FILE *file, unsigned flags)
{
	(void)state;
	(void)file;
	(void)flags;
	assert_int_equal(world.lent, 1);
}

static void note_usage(const struct argp_state *state)
{
	(void)state;
	assert_int_equal(world.lent, 1);
}

error_t (*next_argp_parse)(
	const struct argp *, int, char **, unsigned, int *, void *) = parse;
void (*next_argp_error)(
	const struct argp_state *, const char *, ...) = note_error;
void (*next_argp_failure)(
	const struct argp_state *, int, int, const char *, ...) = note_failure;
void (*next_argp_state_help)(
	const struct argp_state *, FILE *, unsigned) = note_help;
void (*next_argp_usage)(const struct argp_state *) = note_usage;
void (*next_argp_help)(const struct argp *, FILE *, unsigned, char *);

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.stdout_is_ours = world.stderr_is_ours = true;
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(world.lent, 0);
	return 0;
}

#endif
