#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/elf/elffile.h"
#include "symbolizer/symbolizer.h"

/* This program is the file that is asked about. */
#define SELF "/proc/self/exe"

static const char *const no_directories[] = {NULL};
static uint64_t bias;

struct answer {
	char functions[8][64];
	char file[256];
	unsigned lines[8];
	uint64_t offset;
	bool inlined[8];
	size_t count;
};

static inline __attribute__((always_inline)) uintptr_t here(void)
{
	uintptr_t address;

	__asm__ volatile("1: lea 1b(%%rip), %0" : "=r"(address));
	return address;
}

static __attribute__((noinline)) uintptr_t around(void)
{
	return here() + 0 * (uintptr_t)getpid();
}

static int take_bias(struct dl_phdr_info *info, size_t bytes, void *closure)
{
	(void)bytes;
	(void)closure;
	bias = info->dlpi_addr; /* the program itself comes first */
	return 1;
}

static void take(void *closure, const struct symbolizer_frame *frame)
{
	struct answer *answer = closure;
	size_t i = answer->count++;

	assert_true(i < 8);
	snprintf(answer->functions[i], sizeof(answer->functions[i]), "%s",
		frame->function ? frame->function : "");
	if (i == 0)
		snprintf(answer->file, sizeof(answer->file), "%s",
			frame->file ? frame->file : "");
	answer->lines[i] = frame->line;
	answer->inlined[i] = frame->inlined;
	answer->offset = frame->offset;
}

static uint64_t hash(const void *data, size_t bytes)
{
	const unsigned char *p = data;
	uint64_t sum = bytes;

	while (bytes-- > 0)
		sum = sum * 31 + *p++;
	return sum;
}

/* A symbolizer for one question; the sentence goes into `sentence`. */
static void ask(const struct symbolizer_module *module, uint64_t address,
	struct answer *answer, char sentence[512])
{
	struct symbolizer_options options = {
		.debug_directories = no_directories, .hash = hash};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	const char *said;

	assert_non_null(symbolizer);
	memset(answer, 0, sizeof(*answer));
	said = symbolizer_resolve(symbolizer, module, address, take, answer);
	snprintf(sentence, 512, "%s", said ? said : "");
	symbolizer_free(symbolizer);
	assert_true(answer->count > 0);
}

static void assert_refused(
	const struct symbolizer_module *module, const char *words)
{
	struct answer answer;
	char sentence[512];

	ask(module, around() - bias, &answer, sentence);
	assert_int_equal(answer.count, 1);
	assert_string_equal(answer.functions[0], "");
	assert_non_null(strstr(sentence, words));
	assert_null(strchr(sentence, '\n'));
}

static void assert_resolved(const struct symbolizer_module *module)
{
	struct answer answer;
	char sentence[512];

	ask(module, around() - bias, &answer, sentence);
	assert_string_equal(sentence, "");
	assert_string_equal(answer.functions[0], "here");
}

static void an_inlined_call_gives_two_frames(void **state)
{
	struct symbolizer_module module = {.path = SELF};
	struct answer answer;
	char sentence[512];
	uintptr_t address = around();

	(void)state;
	ask(&module, address - bias, &answer, sentence);
	assert_int_equal(answer.count, 2);
	assert_string_equal(answer.functions[0], "here");
	assert_string_equal(answer.functions[1], "around");
	assert_true(answer.inlined[0]);
	assert_false(answer.inlined[1]);
	assert_true(answer.lines[0] > 0 && answer.lines[1] > answer.lines[0]);
	assert_non_null(strstr(answer.file, "unit_symbolizer.c"));
	assert_int_equal(answer.offset, address - (uintptr_t)around);
	assert_string_equal(sentence, "");
}

static void the_same_question_has_the_same_answer(void **state)
{
	struct symbolizer_options options = {
		.debug_directories = no_directories};
	struct symbolizer_module module = {.path = SELF};
	struct symbolizer_module missing = {.path = "/nonexistent/file"};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	struct answer first = {0};
	struct answer other = {0};
	struct answer again = {0};

	(void)state;
	assert_null(symbolizer_resolve(
		symbolizer, &module, around() - bias, take, &first));
	assert_non_null(symbolizer_resolve(
		symbolizer, &missing, around() - bias, take, &other));
	assert_null(symbolizer_resolve(
		symbolizer, &module, around() - bias, take, &again));
	assert_memory_equal(&first, &again, sizeof(first));
	assert_string_equal(other.functions[0], "");
	symbolizer_free(symbolizer);
}

static void another_build_id_is_refused_and_both_are_named(void **state)
{
	const uint8_t id[] = {0xde, 0xad, 0xbe, 0xef};
	struct symbolizer_module module = {
		.path = SELF, .build_id = id, .build_id_bytes = sizeof(id)};

	(void)state;
	assert_refused(&module, "should ");
	assert_refused(&module, "deadbeef");
}

static void the_same_build_id_is_accepted_and_named_otherwise(void **state)
{
	struct symbolizer_module module = {.path = SELF};
	struct elffile file;
	char text[64] = "";
	size_t i;

	(void)state;
	assert_null(elffile_open(&file, SELF));
	if (!file.build_id) {
		elffile_close(&file);
		skip(); /* linked without one */
	}
	for (i = 0; i < file.build_id_bytes && i < 31; i++)
		snprintf(text + 2 * i, 3, "%02x", file.build_id[i]);
	module.build_id = file.build_id;
	module.build_id_bytes = file.build_id_bytes;
	/* a size does not count beside a build-id: debug sections may go */
	module.file_bytes = 1;
	assert_resolved(&module);
	file.build_id[0] ^= 1;
	assert_refused(&module, text);
	elffile_close(&file);
}

static void another_size_is_refused_and_both_are_named(void **state)
{
	struct symbolizer_module module = {.path = SELF, .file_bytes = 12345};
	struct stat status;
	char text[32];

	(void)state;
	assert_int_equal(stat(SELF, &status), 0);
	snprintf(text, sizeof(text), "%lld", (long long)status.st_size);
	assert_refused(&module, "12345");
	assert_refused(&module, text);
	module.file_bytes = (uint64_t)status.st_size;
	assert_resolved(&module);
}

static void another_hash_of_the_code_is_refused(void **state)
{
	struct symbolizer_module module = {.path = SELF, .content_hash = 0xabc};
	struct elffile file;
	void *code;

	(void)state;
	assert_refused(&module, "0000000000000abc");
	assert_null(elffile_open(&file, SELF));
	code = elffile_read(&file, file.code_offset, file.code_bytes);
	assert_non_null(code);
	module.content_hash = hash(code, file.code_bytes);
	free(code);
	elffile_close(&file);
	assert_resolved(&module);
}

static void what_is_no_file_is_a_sentence(void **state)
{
	struct symbolizer_module vdso = {.path = "[vdso]"};
	struct symbolizer_module device = {.path = "/dev/zero"};
	struct symbolizer_module missing = {.path = "/nonexistent/file"};
	struct symbolizer_module deleted = {.path = SELF " (deleted)"};
	struct symbolizer_module text = {.path = "/proc/version"};

	(void)state;
	assert_refused(&vdso, "kernel");
	assert_refused(&device, "not a regular file");
	assert_refused(&missing, "no such file");
	assert_refused(&deleted, "no such file");
	assert_refused(&text, "not an ELF file");
}

static void a_fifo_is_not_waited_for(void **state)
{
	char path[] = "/tmp/unit_symbolizer.XXXXXX";
	struct symbolizer_module fifo = {.path = path};

	(void)state;
	assert_true(mkstemp(path) >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_refused(&fifo, "not a regular file");
	alarm(0);
	unlink(path);
}

/* A file of that name may be another one: the build-id decides. */
static void a_deleted_file_is_found_again_by_its_build_id(void **state)
{
	struct symbolizer_module module = {.path = SELF " (deleted)"};
	struct elffile file;

	(void)state;
	assert_null(elffile_open(&file, SELF));
	if (!file.build_id) {
		elffile_close(&file);
		skip();
	}
	module.build_id = file.build_id;
	module.build_id_bytes = file.build_id_bytes;
	assert_resolved(&module);
	elffile_close(&file);
}

static void an_address_outside_of_the_code_has_no_name(void **state)
{
	struct symbolizer_module module = {.path = SELF};
	const uint64_t addresses[] = {0, UINT64_MAX, UINT64_MAX / 2};
	struct answer answer;
	char sentence[512];
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		ask(&module, addresses[i], &answer, sentence);
		assert_string_equal(answer.functions[0], "");
		assert_true(sentence[0] != '\0');
	}
}

/* Section 1 claims to unpack to 1 TiB. */
static void a_section_that_unpacks_to_too_much_is_refused(void **state)
{
	char path[] = "/tmp/unit_symbolizer.XXXXXX";
	struct {
		Elf64_Ehdr head;
		Elf64_Chdr packed;
		Elf64_Shdr sections[2];
	} image = {
		.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64,
				 ELFDATA2LSB, EV_CURRENT},
			.e_shoff = sizeof(Elf64_Ehdr) + sizeof(Elf64_Chdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 2},
		.packed = {.ch_type = ELFCOMPRESS_ZLIB,
			.ch_size = (uint64_t)1 << 40},
		.sections[1] = {.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_COMPRESSED,
			.sh_offset = sizeof(Elf64_Ehdr),
			.sh_size = sizeof(Elf64_Chdr)},
	};
	struct elffile file;
	const char *why = NULL;
	size_t bytes;
	int descriptor = mkstemp(path);

	(void)state;
	assert_int_equal(
		write(descriptor, &image, sizeof(image)), sizeof(image));
	close(descriptor);
	assert_null(elffile_open(&file, path));
	assert_null(elffile_read_section(&file, 1, &bytes, &why));
	assert_non_null(strstr(why, "far more than the file holds"));
	elffile_close(&file);
	unlink(path);
}

static void a_section_beyond_the_end_has_no_bytes(void **state)
{
	char path[] = "/tmp/unit_symbolizer.XXXXXX";
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[2];
	} image = {
		.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64,
				 ELFDATA2LSB, EV_CURRENT},
			.e_shoff = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 2},
		.sections[1] = {.sh_type = SHT_PROGBITS,
			.sh_offset = 16,
			.sh_size = UINT64_MAX - 8},
	};
	struct elffile file;
	const char *why = NULL;
	size_t bytes = 1;
	void *data;
	int descriptor = mkstemp(path);

	(void)state;
	assert_int_equal(
		write(descriptor, &image, sizeof(image)), sizeof(image));
	close(descriptor);
	assert_null(elffile_open(&file, path));
	data = elffile_read_section(&file, 1, &bytes, &why);
	assert_true(data == NULL || bytes == 0);
	free(data);
	elffile_close(&file);
	unlink(path);
}

/* One by one, or all at a time; by a process of its own, or here. */
static void the_way_of_asking_does_not_matter(void **state)
{
	const struct symbolizer_options options = {
		.debug_directories = no_directories};
	const struct symbolizer_options here_options = {
		.debug_directories = no_directories, .in_process = true};
	const struct symbolizer_module module = {.path = SELF};
	struct symbolizer *alone = symbolizer_new(&options);
	struct symbolizer *together = symbolizer_new(&options);
	struct symbolizer *in_process = symbolizer_new(&here_options);
	uint64_t addresses[1000];
	size_t i;

	(void)state;
	for (i = 0; i < 1000; i++)
		addresses[i] = (uintptr_t)around - bias + i % 700;
	symbolizer_expect(together, &module, addresses, 1000);
	for (i = 0; i < 1000; i++) {
		struct answer first = {0};
		struct answer second = {0};
		struct answer third = {0};

		symbolizer_resolve(alone, &module, addresses[i], take, &first);
		symbolizer_resolve(
			together, &module, addresses[i], take, &second);
		symbolizer_resolve(
			in_process, &module, addresses[i], take, &third);
		assert_memory_equal(&first, &second, sizeof(first));
		assert_memory_equal(&first, &third, sizeof(first));
	}
	symbolizer_free(alone);
	symbolizer_free(together);
	symbolizer_free(in_process);
}

static void a_function_and_an_offset_are_an_address(void **state)
{
	const struct symbolizer_module module = {.path = SELF};
	const uint64_t begin = (uintptr_t)around - bias;
	size_t i, way;

	(void)state;
	for (way = 0; way < 2; way++) {
		const struct symbolizer_options options = {
			.debug_directories = no_directories,
			.in_process = way == 1};
		struct symbolizer *symbolizer = symbolizer_new(&options);

		for (i = 0; i < 20; i++) {
			struct answer wanted = {0};
			struct answer got = {0};

			symbolizer_resolve(symbolizer, &module, begin + i % 7,
				take, &wanted);
			symbolizer_resolve_named(symbolizer, &module, "around",
				i % 7, take, &got);
			assert_memory_equal(&wanted, &got, sizeof(got));
		}
		symbolizer_free(symbolizer);
	}
}

static void a_function_that_is_not_there_has_no_address(void **state)
{
	static const struct {
		const char *function;
		uint64_t offset;
	} asked[] = {{"no_such_function", 0}, {"around", 1 << 20},
		{"around", UINT64_MAX}, {"", 0}};
	const struct symbolizer_module module = {.path = SELF};
	const struct symbolizer_options options = {
		.debug_directories = no_directories};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct answer answer = {0};
		const char *said = symbolizer_resolve_named(symbolizer, &module,
			asked[i].function, asked[i].offset, take, &answer);

		assert_int_equal(answer.count, 1);
		assert_string_equal(answer.functions[0], "");
		assert_non_null(said);
		assert_non_null(strstr(said, "no address"));
	}
	symbolizer_free(symbolizer);
}

static void a_file_is_there_where_the_options_say(void **state)
{
	static const char *const maps[] = {"name=/proc/self/exe", NULL};
	const struct symbolizer_options none = {0};
	const struct symbolizer_options mapped = {.path_maps = maps};
	const struct symbolizer_options rooted = {.sysroot = "/proc/self/fd"};

	(void)state;
	assert_true(symbolizer_has_file(&none, SELF));
	assert_false(symbolizer_has_file(&none, "name"));
	assert_false(symbolizer_has_file(&none, "/proc/self"));
	assert_false(symbolizer_has_file(&none, "/proc/self/status"));
	assert_true(symbolizer_has_file(&mapped, "name"));
	assert_false(symbolizer_has_file(&rooted, SELF));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_inlined_call_gives_two_frames),
		cmocka_unit_test(the_same_question_has_the_same_answer),
		cmocka_unit_test(the_way_of_asking_does_not_matter),
		cmocka_unit_test(
			another_build_id_is_refused_and_both_are_named),
		cmocka_unit_test(
			the_same_build_id_is_accepted_and_named_otherwise),
		cmocka_unit_test(another_size_is_refused_and_both_are_named),
		cmocka_unit_test(another_hash_of_the_code_is_refused),
		cmocka_unit_test(what_is_no_file_is_a_sentence),
		cmocka_unit_test(a_fifo_is_not_waited_for),
		cmocka_unit_test(a_deleted_file_is_found_again_by_its_build_id),
		cmocka_unit_test(an_address_outside_of_the_code_has_no_name),
		cmocka_unit_test(a_section_that_unpacks_to_too_much_is_refused),
		cmocka_unit_test(a_section_beyond_the_end_has_no_bytes),
		cmocka_unit_test(a_function_and_an_offset_are_an_address),
		cmocka_unit_test(a_function_that_is_not_there_has_no_address),
		cmocka_unit_test(a_file_is_there_where_the_options_say),
	};

	dl_iterate_phdr(take_bias, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
