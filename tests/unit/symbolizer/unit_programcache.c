#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/symbolizer.h"

/*
 * What the calls of a program hand on, kept for the next run: the program is
 * this one.
 */
#define SELF "/proc/self/exe"
#define TIMES 10

static char directory[] = "/tmp/unit_programcache.XXXXXX";
static char cache[64];
static uint64_t next; /* where the call below returns to */

int hand_on(int number);
int take_text(const char *text, int number);

__attribute__((noinline)) int take_text(const char *text, int number)
{
	next = (uintptr_t)__builtin_return_address(0);
	return text[number & 1];
}

__attribute__((noinline)) int hand_on(int number)
{
	return take_text("a text for %d", number) + 1;
}

static int take_bias(struct dl_phdr_info *info, size_t bytes, void *closure)
{
	(void)bytes;
	(void)closure;
	next -= info->dlpi_addr;
	return 1;
}

static int begin(void **state)
{
	(void)state;
	hand_on(1);
	dl_iterate_phdr(take_bias, NULL);
	if (!mkdtemp(directory))
		return -1;
	snprintf(cache, sizeof(cache), "%s/cache", directory);
	return 0;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static void write_handed(void *closure, const struct symbolizer_handed *handed)
{
	fprintf(closure, "%llx %llx %llx %d %s\n",
		(unsigned long long)handed->call,
		(unsigned long long)handed->begin,
		(unsigned long long)handed->end, handed->how, handed->bytes);
}

static bool has_worker(void)
{
	return waitpid(-1, NULL, WNOHANG) == 0;
}

struct heard {
	char *texts; /* null: there is no program */
	bool worked; /* a process was started for it */
};

static struct heard ask(
	const char *path, const char *kept, uint64_t first, unsigned count)
{
	const struct symbolizer_options options = {.cache = kept};
	const struct symbolizer_module module = {.path = path};
	struct symbolizer_program *program;
	struct heard heard = {0};
	char *complaint;
	size_t bytes;
	FILE *file;

	program = symbolizer_program_open(&options, &module, &complaint);
	free(complaint);
	if (!program)
		return heard;
	file = open_memstream(&heard.texts, &bytes);
	for (; count > 0; count--)
		symbolizer_program_handed(program, first++, write_handed, file);
	fclose(file);
	heard.worked = has_worker();
	symbolizer_program_close(program);
	return heard;
}

static unsigned files(void (*each)(const char *path))
{
	DIR *all = opendir(cache);
	const struct dirent *entry;
	unsigned count = 0;

	while (all && (entry = readdir(all))) {
		char path[512];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", cache, entry->d_name);
		if (each)
			each(path);
		count++;
	}
	if (all)
		closedir(all);
	return count;
}

static void expect(const char *path, bool worked, const char *texts)
{
	struct heard heard = ask(path, cache, next, 1);

	assert_non_null(heard.texts);
	assert_string_equal(heard.texts, texts);
	assert_int_equal(heard.worked, worked);
	free(heard.texts);
}

static void remove_file(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

/* Fills the cache: a file that has changed just now is not kept. */
static char *learn(const char *path)
{
	struct heard without = ask(path, NULL, next, 1);
	struct heard heard = {0};
	unsigned i;

	files(remove_file);
	for (i = 0; i < 100 && files(NULL) == 0; i++) {
		free(heard.texts);
		usleep(i * 1000);
		heard = ask(path, cache, next, 1);
		assert_true(heard.worked);
	}
	assert_int_equal(files(NULL), 1);
	assert_string_equal(heard.texts, without.texts);
	free(without.texts);
	return heard.texts;
}

static void a_second_run_says_the_same_without_a_process(void **state)
{
	char *texts = learn(SELF);

	(void)state;
	assert_non_null(strstr(texts, "a text for %d\n"));
	expect(SELF, false, texts);
	expect(SELF, false, texts);
	free(texts);
}

static void what_was_not_asked_before_is_asked_and_kept_too(void **state)
{
	char *texts = learn(SELF);
	struct heard without = ask(SELF, NULL, next - 500, 1000);
	struct heard more = ask(SELF, cache, next - 500, 1000);
	struct heard again = ask(SELF, cache, next - 500, 1000);

	(void)state;
	assert_true(more.worked);
	assert_false(again.worked);
	assert_string_equal(more.texts, without.texts);
	assert_string_equal(again.texts, without.texts);
	expect(SELF, false, texts);
	free(without.texts);
	free(more.texts);
	free(again.texts);
	free(texts);
}

static void other_questions_start_the_process_after_all(void **state)
{
	const struct symbolizer_options options = {.cache = cache};
	const struct symbolizer_module module = {.path = SELF};
	struct symbolizer_program *program;
	char *complaint;

	(void)state;
	free(learn(SELF));
	program = symbolizer_program_open(&options, &module, &complaint);
	assert_false(has_worker());
	assert_non_null(symbolizer_program_bytes(program, next, 4));
	assert_true(has_worker());
	symbolizer_program_close(program);
}

static void one_that_rests_has_no_process_until_it_is_asked(void **state)
{
	const struct symbolizer_options options = {0};
	const struct symbolizer_module module = {.path = SELF};
	struct symbolizer_program *program;
	struct heard heard = ask(SELF, NULL, next, 1);
	char *complaint, *texts;
	size_t bytes;
	FILE *file = open_memstream(&texts, &bytes);

	(void)state;
	program = symbolizer_program_open(&options, &module, &complaint);
	symbolizer_program_handed(program, next, write_handed, file);
	symbolizer_program_rest(program);
	assert_false(has_worker());
	symbolizer_program_handed(program, next, write_handed, file);
	assert_false(has_worker());
	fflush(file);
	assert_int_equal(bytes, 2 * strlen(heard.texts));
	assert_non_null(symbolizer_program_bytes(program, next, 4));
	assert_true(has_worker());
	symbolizer_program_close(program);
	fclose(file);
	free(texts);
	free(heard.texts);
}

static long damaged_at;

static void damage(const char *path)
{
	FILE *file = fopen(path, "r+");
	int byte;

	fseek(file, damaged_at, SEEK_SET);
	byte = fgetc(file);
	fseek(file, damaged_at, SEEK_SET);
	fputc(byte == EOF ? 1 : byte ^ 0x10, file);
	fclose(file);
}

static void what_is_damaged_is_not_believed(void **state)
{
	char *texts = learn(SELF);

	(void)state;
	for (damaged_at = 0; damaged_at < 1200; damaged_at += 97) {
		files(damage);
		expect(SELF, true, texts); /* and is replaced */
		expect(SELF, false, texts);
	}
	free(texts);
}

static void copy(const char *from, const char *to)
{
	char command[256];

	snprintf(
		command, sizeof(command), "rm -f %s && cp %s %s", to, from, to);
	assert_int_equal(system(command), 0);
}

static void a_program_that_has_changed_is_asked_again(void **state)
{
	char path[64], self[256] = {0};
	struct heard heard;
	char *texts;

	(void)state;
	assert_true(readlink(SELF, self, sizeof(self) - 1) > 0);
	snprintf(path, sizeof(path), "%s/program", directory);
	copy(self, path);
	texts = learn(path);
	expect(path, false, texts);
	copy("/bin/true", path);
	heard = ask(path, cache, next, 1);
	assert_true(heard.worked);
	assert_string_not_equal(heard.texts, texts);
	free(heard.texts);
	free(texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_run_says_the_same_without_a_process),
		cmocka_unit_test(
			what_was_not_asked_before_is_asked_and_kept_too),
		cmocka_unit_test(other_questions_start_the_process_after_all),
		cmocka_unit_test(
			one_that_rests_has_no_process_until_it_is_asked),
		cmocka_unit_test(what_is_damaged_is_not_believed),
		cmocka_unit_test(a_program_that_has_changed_is_asked_again),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
