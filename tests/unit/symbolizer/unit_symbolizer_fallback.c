#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "symbolizer/symbolizer.h"

/*
 * The function that hashes a file's code is the caller's and is called in the
 * worker: here it ends as many of them as it is told to.
 */
#define SELF "/proc/self/exe"
#define HASH 0x1234

static const char *const no_directories[] = {NULL};
static const struct symbolizer_module whole = {.path = SELF};
static const struct symbolizer_module asked = {
	.path = SELF, .content_hash = HASH};
static volatile int *deaths; /* still to come; shared with the workers */
static char reported[512];
static int reports;

static uint64_t hash(const void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	if (*deaths > 0) {
		--*deaths;
		raise(SIGSEGV);
	}
	return HASH;
}

static void report(void *closure, const char *sentence)
{
	(void)closure;
	snprintf(reported, sizeof(reported), "%s", sentence);
	reports++;
}

static int share(void **state)
{
	void *shared = mmap(NULL, sizeof(*deaths), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	deaths = shared;
	return shared == MAP_FAILED ? -1 : 0;
}

static struct symbolizer *new_symbolizer(int deaths_to_come)
{
	const struct symbolizer_options options = {
		.debug_directories = no_directories,
		.hash = hash,
		.report = report,
	};
	struct symbolizer *symbolizer = symbolizer_new(&options);

	assert_non_null(symbolizer);
	*deaths = deaths_to_come;
	reported[0] = '\0';
	reports = 0;
	return symbolizer;
}

struct got {
	char function[64];
	unsigned line;
	int frames;
};

static void take(void *closure, const struct symbolizer_frame *frame)
{
	struct got *got = closure;

	snprintf(got->function, sizeof(got->function), "%s",
		frame->function ? frame->function : "");
	got->line = frame->line;
	got->frames++;
}

static int take_bias(struct dl_phdr_info *info, size_t bytes, void *closure)
{
	(void)bytes;
	*(uint64_t *)closure = info->dlpi_addr; /* the program comes first */
	return 1;
}

/* An address of this function as in the file. */
static uint64_t here(void)
{
	uint64_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return (uintptr_t)here - bias;
}

static const char *ask(struct symbolizer *symbolizer,
	const struct symbolizer_module *module, uint64_t address,
	struct got *got)
{
	*got = (struct got){0};
	return symbolizer_resolve(symbolizer, module, address, take, got);
}

static void symbols_are_left_when_a_worker_dies(void **state)
{
	struct symbolizer *symbolizer = new_symbolizer(1);
	const char *sentence;
	struct got got;
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		sentence = ask(symbolizer, &asked, here() + i, &got);
		assert_string_equal(got.function, "here");
		assert_int_equal(got.line, 0);
		assert_non_null(sentence);
		assert_non_null(strstr(sentence,
			SELF ": no lines, and no names but those of symbols: "
			     "the process that read it was ended by signal "
			     "11"));
		assert_string_equal(sentence, reported);
	}
	assert_int_equal(reports, 1);
	assert_null(ask(symbolizer, &whole, here(), &got));
	assert_string_equal(got.function, "here");
	assert_true(got.line > 0);
	symbolizer_free(symbolizer);
}

static void all_that_was_expected_is_answered(void **state)
{
	struct symbolizer *symbolizer = new_symbolizer(1);
	uint64_t addresses[100];
	struct got got;
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		addresses[i] = here() + i % 4;
	symbolizer_expect(symbolizer, &asked, addresses, 100);
	*deaths = 1; /* who opens the file once more */
	for (i = 0; i < 4; i++) {
		ask(symbolizer, &asked, addresses[i], &got);
		assert_string_equal(got.function, "here");
		assert_int_equal(got.frames, 1);
	}
	symbolizer_free(symbolizer);
}

static void nothing_is_left_when_another_one_dies(void **state)
{
	struct symbolizer *symbolizer = new_symbolizer(2);
	const char *sentence;
	struct got got;

	(void)state;
	sentence = ask(symbolizer, &asked, here(), &got);
	assert_string_equal(got.function, "");
	assert_non_null(strstr(sentence, SELF ": no names: "));
	assert_int_equal(*deaths, 0);
	assert_int_equal(reports, 1);
	assert_null(ask(symbolizer, &whole, here(), &got));
	assert_string_equal(got.function, "here");
	symbolizer_free(symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_are_left_when_a_worker_dies),
		cmocka_unit_test(all_that_was_expected_is_answered),
		cmocka_unit_test(nothing_is_left_when_another_one_dies),
	};

	return cmocka_run_group_tests(tests, share, NULL);
}
