#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
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
		cmocka_unit_test(what_is_no_program_is_a_sentence),
	};

	dl_iterate_phdr(take_bias, NULL);
	return cmocka_run_group_tests(tests, open_both, close_both);
}
