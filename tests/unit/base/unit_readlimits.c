#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/worker/wire.h"

#define SELF "/proc/self/exe"

static void the_first_file_is_told_once(void **state)
{
	char sentence[256];
	char *file;

	(void)state;
	assert_null(readlimits_take(READLIMIT_XZ));
	readlimits_note(READLIMIT_XZ, "/first");
	readlimits_note(READLIMIT_XZ, "/second");
	file = readlimits_take(READLIMIT_XZ);
	assert_string_equal(file, "/first");
	free(file);
	readlimits_note(READLIMIT_XZ, "/third");
	assert_null(readlimits_take(READLIMIT_XZ));
	assert_false(limits_tell(sentence, sizeof(sentence)));
}

static void a_long_path_is_cut(void **state)
{
	char path[300] = "/";
	char sentence[256];

	(void)state;
	memset(path + 1, 'x', sizeof(path) - 2);
	readlimits_note(READLIMIT_FILE, path);
	assert_true(limits_were_met());
	assert_true(limits_tell(sentence, sizeof(sentence)));
	assert_int_equal(strlen(sentence), sizeof(sentence) - 1);
	assert_memory_equal(sentence, path, sizeof(sentence) - 1);
	assert_false(limits_tell(sentence, sizeof(sentence)));
}

static uint32_t said;

/* Hashes the code, in the process that reads. */
static uint64_t say_limit(const void *data, size_t bytes)
{
	struct wire_writer *packet = calloc(1, sizeof(*packet));

	(void)data;
	(void)bytes;
	wire_begin(packet, WIRE_LIMIT);
	wire_put_u32(packet, said);
	wire_put_string(packet, "/said");
	wire_send(0, packet, -1, 0);
	return 1;
}

static void take(void *closure, const struct symbolizer_frame *frame)
{
	(void)closure;
	(void)frame;
}

/* What is said where that process meets a limit. */
static void ask(uint32_t limit, char *sentence, size_t size)
{
	static const char *const nowhere[] = {NULL};
	const struct symbolizer_options options = {
		.debug_directories = nowhere, .hash = say_limit};
	const struct symbolizer_module module = {
		.path = SELF, .content_hash = 1};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	const char *answer;

	assert_non_null(symbolizer);
	said = limit;
	answer = symbolizer_resolve(symbolizer, &module, 1, take, NULL);
	assert_non_null(answer);
	snprintf(sentence, size, "%s", answer);
	symbolizer_free(symbolizer);
}

static void what_another_process_meets_is_told(void **state)
{
	char sentence[256];

	(void)state;
	ask(READLIMIT_UNPACKED, sentence, sizeof(sentence));
	assert_null(strstr(sentence, "nonsense"));
	assert_true(limits_tell(sentence, sizeof(sentence)));
	assert_memory_equal(sentence, "/said: ", strlen("/said: "));
	assert_non_null(strstr(sentence, ": more than 1073741824 bytes ("));
}

static void a_limit_that_there_is_not_is_not_believed(void **state)
{
	char sentence[256];

	(void)state;
	ask(READLIMIT_ROWS, sentence, sizeof(sentence));
	assert_non_null(strstr(sentence, "nonsense"));
	assert_false(limits_tell(sentence, sizeof(sentence)));
}

static const char longest[READLIMITS_TEXT_BYTES + 1] = "x";

static int take_bias(struct dl_phdr_info *info, size_t bytes, void *closure)
{
	(void)bytes;
	*(uint64_t *)closure = info->dlpi_addr; /* the program comes first */
	return 1;
}

static void bytes_that_do_not_fit_into_a_packet_are_told(void **state)
{
	const struct symbolizer_options options = {0};
	const struct symbolizer_module module = {.path = SELF};
	struct symbolizer_program *program;
	char sentence[256];
	uint64_t bias = 0;
	char *complaint;

	(void)state;
	dl_iterate_phdr(take_bias, &bias);
	program = symbolizer_program_open(&options, &module, &complaint);
	assert_non_null(program);
	assert_non_null(symbolizer_program_bytes(
		program, (uintptr_t)longest - bias, READLIMITS_TEXT_BYTES));
	assert_false(limits_tell(sentence, sizeof(sentence)));
	assert_null(symbolizer_program_bytes(
		program, (uintptr_t)longest - bias, sizeof(longest)));
	assert_true(limits_tell(sentence, sizeof(sentence)));
	assert_memory_equal(sentence, SELF ": ", strlen(SELF ": "));
	assert_non_null(strstr(sentence, ": more than 61440 bytes ("));
	symbolizer_program_close(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_file_is_told_once),
		cmocka_unit_test(a_long_path_is_cut),
		cmocka_unit_test(what_another_process_meets_is_told),
		cmocka_unit_test(a_limit_that_there_is_not_is_not_believed),
		cmocka_unit_test(bytes_that_do_not_fit_into_a_packet_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
