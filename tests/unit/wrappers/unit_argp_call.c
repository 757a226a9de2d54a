/*
 * argp(3) with borrowed around it: the program's parsers are called with what
 * libc calls them with natively, and find no borrowed buffer, whatever they do;
 * a call that may end the process has seen to that before.
 */
#include "tests/unit/world/argp_world.h"

#include <sys/resource.h>

/* ---- parsers ---- */

#define MANY 40 /* more than there are entries for */

static void see(int who, int key, const char *argument)
{
	size_t used = strlen(world.seen);
	FILE *to = fmemopen(world.seen + used, sizeof(world.seen) - used, "w");

	fprintf(to, "%d:%x:%s\n", who, (unsigned)key,
		argument ? argument : "-");
	fclose(to);
}

static error_t note(int key, char *argument, struct argp_state *state)
{
	(void)state;
	assert_int_equal(world.lent, 0);
	see(0, key, argument);
	return key == 'e' ? EILSEQ : key == 'u' ? ARGP_ERR_UNKNOWN : 0;
}

static const struct argp_option options[] = {
	{"alpha", 'a', "TEXT", 0, "Takes one.", 0},
	{"error", 'e', NULL, 0, "Fails.", 0},
	{"unknown", 'u', NULL, 0, "Is none.", 0},
	{0},
};

static struct call_turn turn;

struct line {
	char words[128];
	int argc;
	char *argv[32];
};

static struct line line_of(const char *text)
{
	struct line line = {.argc = 1};

	strcpy(line.words, text);
	return line;
}

/* Where it is, which line_of() cannot know. */
static void take_apart(struct line *line)
{
	char *space;

	line->argv[0] = line->words;
	while ((space = strchr(line->argv[line->argc - 1], ' ')) != NULL) {
		*space = '\0';
		line->argv[line->argc++] = space + 1;
	}
}

#define QUIETLY (ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP)

static error_t parse_at(
	uintptr_t sp, const struct argp *argp, const char *text, int *index)
{
	const struct call call = {.sp = sp, .turn = &turn};
	struct line line = line_of(text);
	error_t result;

	take_apart(&line);
	result = argp_call_parse(
		&call, argp, line.argc, line.argv, QUIETLY, index, NULL);
	assert_int_equal(world.lent, 0);
	return result;
}

#define HERE ((uintptr_t)__builtin_frame_address(0) + 16)

/* As natively. */
static error_t parses(const struct argp *argp, const char *text)
{
	static char seen[sizeof(world.seen)];
	int index = -1, native_index = -1;
	struct line line = line_of(text);
	error_t result;

	world.seen[0] = '\0';
	result = parse_at(HERE, argp, text, &index);
	memcpy(seen, world.seen, sizeof(seen));
	world.seen[0] = '\0';
	take_apart(&line);
	assert_int_equal(result, argp_parse(argp, line.argc, line.argv, QUIETLY,
					 &native_index, NULL));
	assert_int_equal(index, native_index);
	assert_string_equal(seen, world.seen);
	return result;
}

/* ---- parsing ---- */

static void parsers_see_what_they_do_natively(void **state)
{
	static const struct argp grandchild = {
		options, note, NULL, NULL, NULL, NULL, NULL};
	static const struct argp_child below[] = {
		{&grandchild, 0, NULL, 0}, {0}};
	static const struct argp child = {
		NULL, NULL, NULL, NULL, below, NULL, NULL};
	static const struct argp_child children[] = {
		{&child, 0, NULL, 0}, {&grandchild, 0, "Again:", 1}, {0}};
	static const struct argp all = {
		options, note, "WORD", "Text.", children, NULL, NULL};

	(void)state;
	assert_int_equal(parses(&all, "name -a text word --alpha=b more"), 0);
	assert_int_equal(parses(&all, "name -e"), EILSEQ);
	parses(&all, "name -u");
	parses(&all, "name --nothing");
	parses(&child, "name -a b c");
	assert_int_equal(world.natively, 0);
	assert_true(world.borrowed > 0);
	assert_int_equal(world.exits, 5);
}

static void there_may_be_no_argp_at_all(void **state)
{
	(void)state;
	assert_int_equal(parses(NULL, "name"), 0);
	assert_int_equal(world.natively, 0);
}

static void what_is_not_recorded_is_left_alone(void **state)
{
	static const struct argp argp = {
		options, note, NULL, NULL, NULL, NULL, NULL};

	(void)state;
	world.stderr_is_ours = false;
	parses(&argp, "name -a b");
	assert_int_equal(world.natively, 0);
	world.stdout_is_ours = false;
	parses(&argp, "name -a b");
	assert_int_equal(world.natively, 1);
	assert_int_equal(world.exits, 1);
}

static void without_memory_it_is_as_without_us(void **state)
{
	static const struct argp argp = {
		options, note, NULL, NULL, NULL, NULL, NULL};
	struct rlimit limit, none = {0};

	(void)state;
	parses(&argp, "name"); /* libc has what it needs */
	getrlimit(RLIMIT_AS, &limit);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_AS, &none);
	parse_at(HERE, &argp, "name", NULL);
	setrlimit(RLIMIT_AS, &limit);
	assert_int_equal(world.natively, 1);
}

/* Each of an address of its own. */
#define EIGHT(what, n)                                                         \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5)      \
		what(n##6) what(n##7)
#define ALL(what)                                                              \
	EIGHT(what, 00)                                                        \
	EIGHT(what, 01) EIGHT(what, 02) EIGHT(what, 03) EIGHT(what, 04)
#define PARSER(n)                                                              \
	static error_t parser_##n(                                             \
		int key, char *argument, struct argp_state *state)             \
	{                                                                      \
		(void)state;                                                   \
		see(n, key, argument);                                         \
		return 0;                                                      \
	}
ALL(PARSER)
#define NAME(n) parser_##n,
static const argp_parser_t many[MANY] = {ALL(NAME)};

static void any_number_of_parsers_may_be_there(void **state)
{
	struct argp argps[MANY];
	struct argp_child children[MANY + 1] = {0};
	struct argp all = {.children = children};

	(void)state;
	for (int i = 0; i < MANY; i++) {
		argps[i] = (struct argp){.parser = many[i]};
		children[i].argp = &argps[i];
	}
	parses(&all, "name");
	parses(&all, "name word");
	for (int i = 0; i < MANY; i++)
		parses(&argps[i], "name word");
}

/* ---- what parsers may do ---- */

static argp_parser_t theirs; /* of ours, as one has found it */

static error_t choose(int key, char *argument, struct argp_state *state)
{
	(void)argument;
	assert_int_equal(world.lent, 0);
	theirs = state->root_argp->parser;
	if (key == 'a')
		state->out_stream = state->err_stream = stdout;
	if (key == 'e')
		state->err_stream = stderr;
	if (key == 'u')
		state->out_stream = stderr;
	return 0;
}

static const struct argp choosing = {
	options, choose, NULL, NULL, NULL, NULL, NULL};

/* Nothing gets two borrowed. */
static void a_parser_may_choose_other_files(void **state)
{
	static const char *const lines[] = {"name -a1", "name -e", "name -u"};
	static const struct {
		const FILE *const *others, *const *output;
	} rows[] = {{(const FILE *const *)&stdout, NULL},
		{NULL, (const FILE *const *)&stdout}, {NULL, NULL}};

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(parse_at(HERE, &choosing, lines[i], NULL), 0);
		assert_ptr_equal(
			world.others, rows[i].others ? *rows[i].others : NULL);
		assert_ptr_equal(
			world.output, rows[i].output ? *rows[i].output : NULL);
	}
}

/* One that has kept what it was called through. */
static void a_parser_may_be_called_when_all_is_over(void **state)
{
	struct argp_state own = {.root_argp = &choosing};
	unsigned borrowed;

	(void)state;
	parse_at(HERE, &choosing, "name", NULL);
	assert_ptr_not_equal(theirs, choose);
	borrowed = world.borrowed;
	assert_int_equal(theirs('a', NULL, &own), 0);
	assert_ptr_equal(own.out_stream, stdout);
	assert_int_equal(world.borrowed, borrowed);
}

static sigjmp_buf out;

static error_t jump(int key, char *argument, struct argp_state *state)
{
	(void)argument;
	(void)state;
	assert_int_equal(world.lent, 0);
	if (key == 'a')
		siglongjmp(out, 1);
	return 0;
}

static void a_parser_may_jump_out_of_it(void **state)
{
	static const struct argp jumping = {
		options, jump, NULL, NULL, NULL, NULL, NULL};

	(void)state;
	if (sigsetjmp(out, 0) == 0)
		parse_at(HERE, &jumping, "name -a1", NULL);
	assert_int_equal(world.lent, 0);
	parses(&choosing, "name");
}

static uintptr_t other_stack; /* that of a coroutine, or 0 */

static error_t parse_within(int key, char *argument, struct argp_state *state)
{
	(void)argument;
	(void)state;
	assert_int_equal(world.lent, 0);
	return key != 'a' ? 0
			  : parse_at(other_stack ? other_stack : HERE,
				    &choosing, "inner -a1 word", NULL);
}

static void a_parser_may_parse(void **state)
{
	static const struct argp outer = {
		options, parse_within, NULL, NULL, NULL, NULL, NULL};

	(void)state;
	other_stack = 0;
	assert_int_equal(parse_at(HERE, &outer, "name -a1 -a2", NULL), 0);
	other_stack = UINTPTR_MAX - 1;
	assert_int_equal(parse_at(HERE, &outer, "name -a1 -a2", NULL), 0);
}

/* ---- those that say something ---- */

static void error(const struct argp_state *state, const char *format, ...)
{
	const struct call call = {.sp = 1000, .turn = &turn};
	va_list ap;

	va_start(ap, format);
	argp_call_error(&call, state, format, ap);
	va_end(ap);
}

static void failure(
	const struct argp_state *state, int status, const char *format, ...)
{
	const struct call call = {.sp = 1000, .turn = &turn};
	va_list ap;

	va_start(ap, format);
	argp_call_failure(&call, state, status, 5, format, ap);
	va_end(ap);
}

static unsigned exits(void)
{
	unsigned now = world.exits;

	world.exits = 0;
	return now;
}

static void what_may_exit_has_seen_to_it(void **state)
{
	const struct call call = {.sp = 1000, .turn = &turn};
	struct argp_state stays = {.flags = ARGP_NO_EXIT, .err_stream = stderr};
	struct argp_state goes = {.err_stream = stderr};
	struct argp_state silent = {0};

	(void)state;
	error(&stays, "%d %s", 1, "text");
	assert_string_equal(world.said, "1 text");
	assert_int_equal(exits(), 0);
	error(&goes, "x");
	assert_int_equal(exits(), 1);
	error(NULL, "x");
	assert_int_equal(exits(), 1);
	error(&silent, "x");
	assert_int_equal(exits(), 0);
	failure(&goes, 0, "%d", 7);
	assert_string_equal(world.said, "7");
	assert_int_equal(world.number, 5);
	assert_int_equal(exits(), 0);
	failure(&goes, 3, NULL);
	assert_int_equal(world.status, 3);
	assert_int_equal(exits(), 1);
	failure(&stays, 3, "x");
	assert_int_equal(exits(), 0);
	failure(NULL, 3, "x");
	assert_int_equal(exits(), 1);
	argp_call_usage(&call, &stays);
	assert_int_equal(exits(), 0);
	argp_call_usage(&call, &goes);
	assert_int_equal(exits(), 1);
	argp_call_state_help(&call, &goes, stderr, ARGP_HELP_STD_USAGE);
	assert_int_equal(exits(), 1);
	argp_call_state_help(&call, &goes, stderr, ARGP_HELP_USAGE);
	assert_int_equal(exits(), 0);
	argp_call_state_help(&call, &stays, stderr, ARGP_HELP_STD_USAGE);
	assert_int_equal(exits(), 0);
	world.stderr_is_ours = false;
	argp_call_state_help(&call, &goes, stderr, ARGP_HELP_STD_USAGE);
	assert_int_equal(exits(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parsers_see_what_they_do_natively),
		TEST(there_may_be_no_argp_at_all),
		TEST(what_is_not_recorded_is_left_alone),
		TEST(without_memory_it_is_as_without_us),
		TEST(a_parser_may_choose_other_files),
		TEST(a_parser_may_be_called_when_all_is_over),
		TEST(a_parser_may_jump_out_of_it),
		TEST(a_parser_may_parse),
		TEST(what_may_exit_has_seen_to_it),
		TEST(any_number_of_parsers_may_be_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
