/*
 * What a module is, as its headers in memory say: of real ones, which the
 * loader knows, and of one of our making, where they may be wrong.
 */
#include "shim/host/inside.h"

#include <elf.h>

#include <setjmp.h>
#include <cmocka.h>

#include "record/hash.h"
#include "shim/host/module.h"
#include "shim/host/objects.h"

#define MODULE_BYTES 16384
#define CODE 8192  /* where it is, */
#define NOTES 4096 /* and they */

/* Behind it nothing may be read. */
static _Alignas(4096) char image[MODULE_BYTES];
static ElfW(Ehdr) *const header = (ElfW(Ehdr) *)image;
static ElfW(Phdr) *const segment = (ElfW(Phdr) *)(image + sizeof(ElfW(Ehdr)));
static size_t image_bytes;
static bool is_real;

/* Of the real ones: which is around an address, as the loader lists them. */
static int is_around(struct dl_phdr_info *info, size_t size, void *asked)
{
	struct object *object = asked;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
			object->end - at < info->dlpi_phdr[i].p_memsz)
			object->path = info->dlpi_name;
	}
	if (!object->path)
		return 0;
	object->bias = info->dlpi_addr;
	object->start = UINTPTR_MAX;
	object->end = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (at < object->start)
			object->start = at & -(uintptr_t)4096;
		if (at + info->dlpi_phdr[i].p_memsz > object->end)
			object->end = at + info->dlpi_phdr[i].p_memsz;
	}
	return 1;
}

bool objects_find(uintptr_t address, struct object *object)
{
	*object = (struct object){.end = address};
	if (is_real)
		return dl_iterate_phdr(is_around, object) != 0;
	if (address - (uintptr_t)image >= image_bytes)
		return false;
	object->start = (uintptr_t)image;
	object->end = (uintptr_t)image + image_bytes;
	object->bias = (uintptr_t)image;
	object->path = "made.so";
	return true;
}

/* One segment of code, and notes without any. */
static int begin(void **state)
{
	(void)state;
	is_real = false;
	image_bytes = MODULE_BYTES;
	memset(image, 0, sizeof(image));
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_phentsize = sizeof(*segment);
	header->e_phoff = sizeof(*header);
	header->e_phnum = 3;
	segment[0] = (ElfW(Phdr)){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = CODE,
		.p_filesz = 100};
	segment[1] = (ElfW(Phdr)){
		.p_type = PT_NOTE, .p_vaddr = NOTES, .p_filesz = 200};
	segment[2] = (ElfW(Phdr)){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_vaddr = CODE + 4096,
		.p_filesz = 100};
	return 0;
}

/* Returns where it ends; *note is what is there. */
static size_t add_note(
	size_t at, unsigned type, const char *name, unsigned bytes)
{
	ElfW(Nhdr) *note = (ElfW(Nhdr) *)(image + NOTES + at);

	note->n_type = type;
	note->n_namesz = (unsigned)strlen(name) + 1;
	note->n_descsz = bytes;
	memcpy(note + 1, name, strlen(name) + 1);
	return at + sizeof(*note) + ((note->n_namesz + 3u) & ~3u) +
	       ((bytes + 3u) & ~3u);
}

static struct module found(void)
{
	struct module module = {0};

	assert_true(module_find((uintptr_t)image + CODE, &module));
	assert_ptr_equal(module.start, image);
	assert_string_equal(module.path, "made.so");
	return module;
}

static void real_ones_are_as_the_loader_says(void **state)
{
	static const char constant[] = "constant";
	struct module module;
	Dl_info info;

	(void)state;
	is_real = true;
	assert_true(module_find((uintptr_t)&printf, &module));
	assert_int_not_equal(dladdr((void *)(uintptr_t)&printf, &info), 0);
	assert_string_equal(module.path, info.dli_fname);
	assert_ptr_equal(module.bias, info.dli_fbase);
	assert_int_equal(module.build_id_bytes, 20);
	assert_false(module_find(16, &module));
	assert_true(module_is_constant(constant, sizeof(constant)));
	assert_false(module_is_constant(&module, 1));
	assert_false(module_is_constant(&is_real, 1));
	assert_false(module_is_constant((void *)16, 1));
}

static void its_build_id_is_the_first_of_its_notes(void **state)
{
	size_t at;

	(void)state;
	at = add_note(0, NT_GNU_BUILD_ID, "none", 4);
	at = add_note(at, NT_GNU_ABI_TAG, "GNU", 16);
	at = add_note(at, NT_GNU_BUILD_ID, "GMU", 5);
	at = add_note(at, NT_GNU_BUILD_ID, "GNUX", 6);
	at = add_note(at, NT_GNU_BUILD_ID, "GNU", 20);
	add_note(at, NT_GNU_BUILD_ID, "GNU", 8);
	segment[2] = segment[1]; /* once more */
	assert_int_equal(found().build_id_bytes, 20);
	assert_ptr_equal(found().build_id, image + NOTES + at - 20);
	assert_int_equal(found().content_hash, 0);
}

static void without_one_its_code_tells_it(void **state)
{
	(void)state;
	segment[2].p_flags |= PF_X; /* the first code counts */
	memset(image + CODE, 'c', 100);
	assert_null(found().build_id);
	assert_int_equal(found().content_hash, binlog_hash(image + CODE, 100));
	segment[0].p_flags = segment[2].p_flags = PF_R;
	assert_int_equal(found().content_hash, 0);
}

static void notes_are_not_read_beyond_their_end(void **state)
{
	static const unsigned sizes[] = {
		200, 4096, INT_MAX, UINT_MAX - 3, UINT_MAX - 1, UINT_MAX};

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin(NULL);
		add_note(0, NT_GNU_BUILD_ID, "GNU", sizes[i]);
		assert_null(found().build_id);
		begin(NULL);
		add_note(0, NT_GNU_BUILD_ID, "GNU", 20);
		((ElfW(Nhdr) *)(image + NOTES))->n_namesz = sizes[i];
		assert_null(found().build_id);
	}
	begin(NULL);
	add_note(0, NT_GNU_BUILD_ID, "GNU", 20);
	segment[1].p_filesz = sizeof(ElfW(Nhdr));
	assert_null(found().build_id);
}

static void headers_that_are_wrong_are_not_believed(void **state)
{
	struct module module;

	(void)state;
	add_note(0, NT_GNU_BUILD_ID, "GNU", 20);
	segment[1].p_vaddr = MODULE_BYTES + 1;
	assert_null(found().build_id);
	segment[1].p_vaddr = (ElfW(Addr)) - 4096; /* before it */
	assert_null(found().build_id);
	segment[1].p_vaddr = NOTES;
	segment[1].p_filesz = MODULE_BYTES;
	assert_null(found().build_id);
	segment[1].p_filesz = 200;
	assert_non_null(found().build_id);
	header->e_phentsize--;
	assert_null(found().build_id);
	header->e_phentsize++;
	header->e_phnum = 100;
	assert_null(found().build_id);
	header->e_phnum = 3;
	header->e_phoff = 4096 - 3 * sizeof(*segment) + 1;
	assert_null(found().build_id);
	header->e_phoff = sizeof(*header);
	image[0] = 'x';
	assert_null(found().build_id);
	assert_false(module_is_constant(image + CODE, 1));
	image[0] = ELFMAG0;
	image_bytes = 4095;
	assert_true(module_find((uintptr_t)image, &module));
	assert_null(module.build_id);
}

static void what_may_be_written_is_not_constant(void **state)
{
	(void)state;
	assert_true(module_is_constant(image + CODE, 100));
	assert_false(module_is_constant(image + CODE, 101));
	assert_false(module_is_constant(image + CODE + 100, 0));
	assert_false(module_is_constant(image + CODE - 1, 1));
	assert_false(module_is_constant(image + CODE + 4096, 1));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(real_ones_are_as_the_loader_says),
		TEST(its_build_id_is_the_first_of_its_notes),
		TEST(without_one_its_code_tells_it),
		TEST(notes_are_not_read_beyond_their_end),
		TEST(headers_that_are_wrong_are_not_believed),
		TEST(what_may_be_written_is_not_constant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
