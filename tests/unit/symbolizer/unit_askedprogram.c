#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <libintl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/symbolizer.h"

#define SELF "/proc/self/exe"
#define TEXT "a text that this program holds: %d\n"

static const char text[] = TEXT;
static char variable[] = "a text that may change";
static uint64_t bias;
static struct symbolizer_program *program; /* that a worker reads */
static struct symbolizer_program *here;	   /* that this process reads */

static int take_bias(struct dl_phdr_info *info, size_t bytes, void *closure)
{
	(void)bytes;
	(void)closure;
	bias = info->dlpi_addr; /* the program itself comes first */
	return 1;
}

static struct symbolizer_program *opened(bool in_process)
{
	const struct symbolizer_options options = {.in_process = in_process};
	const struct symbolizer_module module = {.path = SELF};
	char *complaint;
	struct symbolizer_program *made =
		symbolizer_program_open(&options, &module, &complaint);

	assert_null(complaint);
	assert_non_null(made);
	return made;
}

static int open_both(void **state)
{
	(void)state;
	program = opened(false);
	here = opened(true);
	return 0;
}

static int close_both(void **state)
{
	(void)state;
	symbolizer_program_close(program);
	symbolizer_program_close(here);
	return 0;
}

static void a_string_is_what_it_is_in_memory(void **state)
{
	size_t count = 0;
	const char *first = symbolizer_program_string(
		program, (uintptr_t)text - bias, &count);

	(void)state;
	assert_string_equal(first, TEXT);
	assert_int_equal(count, sizeof(TEXT) - 1);
	/* it stays, and is not asked for again */
	assert_string_equal(symbolizer_program_string(program,
				    (uintptr_t)text + 7 - bias, &count),
		TEXT + 7);
	assert_ptr_equal(symbolizer_program_string(
				 program, (uintptr_t)text - bias, &count),
		first);
	assert_int_equal(count, sizeof(TEXT) - 1);
	assert_string_equal(first, TEXT);
}

static void bytes_are_what_they_are_in_memory(void **state)
{
	(void)state;
	assert_memory_equal(
		symbolizer_program_bytes(program, (uintptr_t)text - bias, 5),
		TEXT, 5);
	assert_memory_equal(symbolizer_program_bytes(program,
				    (uintptr_t)text - bias, sizeof(TEXT)),
		TEXT, sizeof(TEXT));
}

static void what_is_not_constant_or_not_there_is_not_given(void **state)
{
	const uint64_t addresses[] = {
		0, 1, UINT64_MAX, UINT64_MAX - 3, (uintptr_t)variable - bias};
	size_t count;
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		assert_null(symbolizer_program_string(
			program, addresses[i], &count));
		assert_null(symbolizer_program_bytes(program, addresses[i], 1));
	}
	assert_null(symbolizer_program_bytes(
		program, (uintptr_t)text - bias, SIZE_MAX - 1));
	assert_null(symbolizer_program_bytes(
		program, (uintptr_t)text - bias, (size_t)1 << 40));
}

static void write_call(void *closure, const struct symbolizer_call *call)
{
	FILE *file = closure;
	size_t i;

	fprintf(file,
		"%llx %llx %s %llx %d:", (unsigned long long)call->address,
		(unsigned long long)call->next,
		call->function ? call->function : "-",
		(unsigned long long)call->target, call->more);
	for (i = 0; i < call->text_count; i++) {
		fprintf(file, " %d %d ", call->texts[i].wide,
			call->texts[i].translated);
		fwrite(call->texts[i].bytes, 1, call->texts[i].count, file);
	}
	fputc('\n', file);
}

static char *list_of(struct symbolizer_program *which)
{
	char *list = NULL;
	size_t bytes;
	FILE *file = open_memstream(&list, &bytes);

	assert_non_null(file);
	assert_null(symbolizer_program_calls(which, write_call, file));
	fclose(file);
	return list;
}

static void the_calls_are_the_same_wherever_they_are_found(void **state)
{
	char *far = list_of(program);
	char *near = list_of(here);
	char *alone = NULL;
	size_t bytes;
	FILE *file = open_memstream(&alone, &bytes);

	(void)state;
	assert_null(symbolizer_calls(SELF, write_call, file));
	fclose(file);
	assert_true(strlen(near) > 1000);
	assert_string_equal(far, near);
	assert_string_equal(alone, near);
	free(far);
	free(near);
	free(alone);
}

/*
 * What calls hand on: this program's own.
 */

static const char *volatile chosen;

/* Not static, so that arguments are as they are written. */
int sixth(int a, int b, int c, int d, int e, const char *f, const char *g,
	const char *h, const char *i);
int keep(const char *kept);
int leave(int number);
int hand_on(int number);

__attribute__((noinline)) int sixth(int a, int b, int c, int d, int e,
	const char *f, const char *g, const char *h, const char *i)
{
	chosen = a + b + c + d + e ? f : g;
	chosen = h;
	return chosen != i;
}

__attribute__((noinline)) int keep(const char *kept)
{
	chosen = kept;
	return 0;
}

__attribute__((noinline)) int leave(int number)
{
	chosen = number ? "left" : "not left";
	return keep("handed on by a jump");
}

static const char *const table[] = {"first of a table", "last of a table"};

__attribute__((noinline)) int hand_on(int number)
{
	const char *merged = "after a loop";
	int i;

	for (i = 0; i < number; i++) {
		keep(table[(number + i) & 1]);
		merged = "in a loop";
	}
	keep(merged);
	keep(number > 7 ? "larger: %d" : "smaller: %d");
	sixth(1, 2, 3, 4, 5, "sixth", "seventh %s", "eighth %s", "ninth %s");
	keep(dgettext("the domain", "to be translated"));
	return leave(number);
}

struct listed {
	FILE *file;
	const char *wanted;
	size_t found;
	uint64_t call;
	enum symbolizer_handing how;
	struct symbolizer_handed last; /* its bytes are gone */
};

/* These are with a mark at their end here, since this hands them on, too. */
static bool is_it(const struct symbolizer_handed *handed, const char *wanted)
{
	return strlen(wanted) == handed->count + 1 &&
	       strncmp(handed->bytes, wanted, handed->count) == 0;
}

static void write_handed(void *closure, const struct symbolizer_handed *handed)
{
	struct listed *listed = closure;

	assert_int_equal(handed->bytes[handed->count], 0);
	fprintf(listed->file, "%llx %llx %llx %llx %llx %d %d %d %d %s\n",
		(unsigned long long)handed->call,
		(unsigned long long)handed->begin,
		(unsigned long long)handed->end,
		(unsigned long long)handed->next,
		(unsigned long long)handed->target, handed->how, handed->use,
		handed->argument, handed->more, handed->bytes);
	if (!listed->wanted || !is_it(handed, listed->wanted))
		return;
	listed->found++;
	listed->call = handed->call;
	listed->how = handed->how;
	listed->last = *handed;
}

static char *statements_of(
	struct symbolizer_program *which, struct listed *listed)
{
	char *list = NULL;
	size_t bytes;

	listed->file = open_memstream(&list, &bytes);
	assert_non_null(listed->file);
	symbolizer_program_statements(which, write_handed, listed);
	fclose(listed->file);
	return list;
}

static bool is_in(uint64_t call, int (*function)(int))
{
	const uint64_t start = (uintptr_t)function - bias;

	return call >= start && call < start + 1024;
}

static void expect_from(
	const char *wanted, int (*function)(int), enum symbolizer_handing how)
{
	struct listed listed = {.wanted = wanted};

	free(statements_of(program, &listed));
	assert_int_equal(listed.found, 1);
	assert_int_equal(listed.how, how);
	if (function)
		assert_true(is_in(listed.call, function));
	else
		assert_int_equal(listed.call, 0);
}

static void all_that_calls_hand_on_is_listed_with_the_call(void **state)
{
	(void)state;
	hand_on(2);
	expect_from("after a loop|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("in a loop|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("larger: %d|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("smaller: %d|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("sixth|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("seventh %s|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("eighth %s|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("ninth %s|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("to be translated|", hand_on, SYMBOLIZER_HANDED_BY_CALL);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) &&                 \
	!defined(__clang__)
	expect_from("handed on by a jump|", leave, SYMBOLIZER_HANDED_BY_JUMP);
#endif
}

static void texts_of_tables_are_listed_without_a_call(void **state)
{
	(void)state;
	expect_from("first of a table|", NULL, SYMBOLIZER_HANDED_BY_CALL);
	expect_from("last of a table|", NULL, SYMBOLIZER_HANDED_BY_CALL);
}

static struct symbolizer_handed found(const char *wanted)
{
	struct listed listed = {.wanted = wanted};

	free(statements_of(program, &listed));
	assert_int_equal(listed.found, 1);
	return listed.last;
}

static void take_argument(void *closure, const struct symbolizer_handed *handed)
{
	struct symbolizer_handed *wanted = closure;

	if (wanted->count == handed->count &&
		handed->how == SYMBOLIZER_HANDED_BY_CALL)
		*wanted = *handed;
}

/* Not static, so that arguments are as they are written. */
int make(char *to, const char *given);

__attribute__((noinline)) int make(char *to, const char *given)
{
	snprintf(to, 32, "made in memory %s", given);
	printf("printed as it is %s\n", to);
	return keep(to[0] ? "known" : given) + 1;
}

static void a_call_is_known_by_what_it_returns_to_and_by_what_it_calls(
	void **state)
{
	struct symbolizer_handed larger = found("larger: %d|");
	struct symbolizer_handed smaller = found("smaller: %d|");
	struct symbolizer_handed seventh = found("seventh %s|");
	struct symbolizer_handed known = {.count = strlen("known")};

	(void)state;
	assert_true(larger.next > larger.call && larger.next <= larger.end);
	assert_int_equal(larger.target, (uintptr_t)keep - bias);
	assert_int_equal(larger.use, SYMBOLIZER_USE_UNKNOWN);
	assert_true(seventh.next > larger.next);
	assert_int_equal(seventh.target, (uintptr_t)sixth - bias);
	assert_int_equal(found("made in memory %s|").use, SYMBOLIZER_USE_MAKES);
	assert_int_equal(
		found("printed as it is %s\n|").use, SYMBOLIZER_USE_PRINTS);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
	/* Both of one argument of one call. */
	assert_int_equal(larger.call, smaller.call);
	assert_int_equal(larger.argument, smaller.argument);
#endif
#if defined(__x86_64__)
	assert_int_equal(seventh.argument, 6);
#endif
	symbolizer_program_handed(
		program, larger.next, take_argument, &smaller);
	assert_int_equal(smaller.next, larger.next);
	assert_false(smaller.more);
	symbolizer_program_handed(
		program, found("known|").next, take_argument, &known);
	assert_true(known.more);
}

static void what_no_call_hands_on_is_not_listed(void **state)
{
	struct listed listed = {.wanted = "not left|"};

	(void)state;
	free(statements_of(program, &listed));
	assert_int_equal(listed.found, 0);
}

static void statements_are_the_same_wherever_they_are_found(void **state)
{
	struct listed listed = {0};
	char *far = statements_of(program, &listed);
	char *near = statements_of(here, &listed);

	(void)state;
	assert_true(strlen(near) > 1000);
	assert_string_equal(far, near);
	free(far);
	free(near);
}

static void what_is_no_program_is_a_sentence(void **state)
{
	const struct symbolizer_options options = {0};
	const struct symbolizer_module module = {.path = "/nonexistent/file"};
	char *complaint;
	const char *why = symbolizer_calls("/dev/null", write_call, stdout);

	(void)state;
	assert_null(symbolizer_program_open(&options, &module, &complaint));
	assert_non_null(strstr(complaint, "no such file"));
	free(complaint);
	assert_string_equal(why, "not a regular file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_is_what_it_is_in_memory),
		cmocka_unit_test(bytes_are_what_they_are_in_memory),
		cmocka_unit_test(
			what_is_not_constant_or_not_there_is_not_given),
		cmocka_unit_test(
			the_calls_are_the_same_wherever_they_are_found),
		cmocka_unit_test(
			all_that_calls_hand_on_is_listed_with_the_call),
		cmocka_unit_test(texts_of_tables_are_listed_without_a_call),
		cmocka_unit_test(
			a_call_is_known_by_what_it_returns_to_and_by_what_it_calls),
		cmocka_unit_test(what_no_call_hands_on_is_not_listed),
		cmocka_unit_test(
			statements_are_the_same_wherever_they_are_found),
		cmocka_unit_test(what_is_no_program_is_a_sentence),
	};

	dl_iterate_phdr(take_bias, NULL);
	return cmocka_run_group_tests(tests, open_both, close_both);
}
