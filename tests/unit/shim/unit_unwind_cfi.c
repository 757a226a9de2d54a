#if defined(__x86_64__)

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "shim/host/objects.h"
#include "shim/unwind/cfi.h"

#define PAGE 4096
#define DAMAGES 300000

/* A module made by hand: tables, then "code" that nobody runs. */
static _Alignas(16) unsigned char image[1024];
static size_t used;

static uintptr_t here(void)
{
	return (uintptr_t)image + used;
}

static void put(uint64_t value, size_t size)
{
	memcpy(image + used, &value, size);
	used += size;
}

static void put_bytes(const void *bytes, size_t size)
{
	memcpy(image + used, bytes, size);
	used += size;
}

/* DW_EH_PE_*: absptr, udata4, udata8, sdata4, sdata8; pcrel, datarel. */
static void put_pointer(uint8_t encoding, uintptr_t value)
{
	uint8_t format = encoding & 0x0f;

	if ((encoding & 0x70) == 0x10)
		value -= here();
	if ((encoding & 0x70) == 0x30)
		value -= (uintptr_t)image;
	put(value, format == 0x03 || format == 0x0b ? 4 : 8);
}

static uintptr_t code(unsigned function, unsigned offset)
{
	return (uintptr_t)image + 512 + function * 100 + offset;
}

/* Two functions of 50 bytes each; in the second half the CFA is other. */
static void make_module(struct cfi_module *module, uint8_t table, uint8_t fde)
{
	static const unsigned char instructions[] = {
		0x0c,
		7,
		8, /* CFA: sp + 8 */
		0x90,
		1, /* return address: CFA - 8 */
		0,
		0,
	};
	static const unsigned char half[] = {
		0x40 | 20,  /* 20 bytes on */
		0x0e, 16,   /* CFA: + 16 */
		0x86, 2,    /* fp: CFA - 16 */
		0x02, 5,    /* 5 bytes on */
		0x0d, 6, 0, /* CFA: fp + 16 */
	};
	uintptr_t common, entry[2], length;

	memset(image, 0, sizeof(image));
	used = 256;
	common = here();
	put(4 + 1 + 3 + 3 + 2 + sizeof(instructions), 4);
	put(0, 4);
	put(1, 1);
	put_bytes("zR", 3);
	put(1, 1);
	put(0x78, 1); /* -8 */
	put(16, 1);
	put(1, 1);
	put(fde, 1);
	put_bytes(instructions, sizeof(instructions));
	for (unsigned i = 0; i < 2; i++) {
		entry[i] = here();
		put(0, 4);
		put(here() - common, 4);
		put_pointer(fde, code(i, 0));
		put_pointer(fde & 0x0f, 50);
		put(0, 1);
		put_bytes(half, sizeof(half));
		length = here() - entry[i] - 4;
		memcpy(image + (entry[i] - (uintptr_t)image), &length, 4);
	}
	used = 0;
	put(1, 1);
	put(0x1b, 1);
	put(0x03, 1);
	put(table, 1);
	put_pointer(0x1b, common);
	put(2, 4);
	for (unsigned i = 0; i < 2; i++) {
		put_pointer(table, code(i, 0));
		put_pointer(table, entry[i]);
	}
	module->header = image;
	module->low = (uintptr_t)image;
	module->high = module->low + sizeof(image);
}

static void expect_rules(const struct cfi_module *module, unsigned function)
{
	for (unsigned offset = 0; offset < 50; offset++) {
		struct cfi_rule rule =
			cfi_search(module, code(function, offset));

		assert_int_equal(rule.cfa, offset < 25 ? CFI_SP : CFI_FP);
		assert_int_equal(rule.cfa_offset, offset < 20 ? 8 : 16);
		assert_int_equal(
			rule.fp, offset < 20 ? CFI_FP_SAME : CFI_FP_SAVED);
		assert_int_equal(rule.fp_offset, offset < 20 ? 0 : -16);
	}
}

static void pointers_of_all_encodings_are_read(void **state)
{
	static const uint8_t formats[] = {0x00, 0x03, 0x04, 0x0b, 0x0c};
	static const uint8_t bases[] = {0x00, 0x10, 0x30};
	struct cfi_module module;

	(void)state;
	for (unsigned i = 0; i < 5 * 3 * 5; i++) {
		uint8_t table = formats[i % 5] | bases[i / 5 % 3];
		uint8_t fde = formats[i / 15] | 0x10;

		/* What does not fit into four bytes has no such encoding. */
		if ((table & 3) == 3 && (table & 0x70) == 0)
			continue;
		make_module(&module, table, fde);
		expect_rules(&module, 0);
		expect_rules(&module, 1);
	}
}

static void no_rule_outside_of_functions(void **state)
{
	struct cfi_module module;

	(void)state;
	make_module(&module, 0x3b, 0x1b);
	for (unsigned offset = 50; offset < 100; offset++) {
		assert_int_equal(
			cfi_search(&module, code(0, offset)).cfa, CFI_NONE);
		assert_int_equal(
			cfi_search(&module, code(1, offset)).cfa, CFI_NONE);
	}
	assert_int_equal(cfi_search(&module, code(0, 0) - 1).cfa, CFI_NONE);
	assert_int_equal(cfi_search(&module, 0).cfa, CFI_NONE);
	assert_int_equal(cfi_search(&module, UINTPTR_MAX).cfa, CFI_NONE);
	assert_int_equal(cfi_find(0).cfa, CFI_NONE);
	assert_int_equal(cfi_find(UINTPTR_MAX).cfa, CFI_NONE);
}

/* The mapping that holds libc's tables, and where in it they are. */
static unsigned char *libc_tables(size_t *size, const unsigned char **original)
{
	struct object found;
	uintptr_t low = 0, high = 0, header;
	char line[512];
	FILE *maps;
	unsigned char *copy;

	assert_true(objects_find((uintptr_t)qsort, &found));
	header = (uintptr_t)found.eh_frame;
	maps = fopen("/proc/self/maps", "re");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &low, &high) == 2 &&
			low <= header && header < high)
			break;
	fclose(maps);
	assert_true(header < high);
	*size = high - low;
	*original = (const unsigned char *)low;
	/* Around it nothing can be read. */
	copy = mmap(NULL, *size + 2 * PAGE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(copy, MAP_FAILED);
	copy += PAGE;
	assert_int_equal(mprotect(copy, *size, PROT_READ | PROT_WRITE), 0);
	memcpy(copy, *original, *size);
	return copy;
}

struct table_entry {
	int32_t start, fde;
};

static void damaged_tables_are_survived(void **state)
{
	const unsigned char *original;
	size_t size, header, kinds[CFI_UNSUPPORTED + 1] = {0};
	unsigned char *copy = libc_tables(&size, &original);
	struct object found;
	struct cfi_module module;
	uint32_t entries;

	(void)state;
	objects_find((uintptr_t)qsort, &found);
	header = (size_t)(found.eh_frame - original);
	module.header = copy + header;
	module.low = (uintptr_t)copy;
	module.high = module.low + size;
	memcpy(&entries, module.header + 8, sizeof(entries));
	assert_true(entries > 100);
	srand(1);
	alarm(120);
	for (int i = 0; i < DAMAGES; i++) {
		unsigned n = (unsigned)rand() % entries;
		int changes = rand() % 4 + 1;
		struct table_entry entry;
		size_t at[4], fde;

		memcpy(&entry, module.header + 12 + n * 8, sizeof(entry));
		fde = header + (size_t)entry.fde;
		for (int k = 0; k < changes; k++) {
			/* The FDE, its CIE near the beginning, or the header */
			at[k] = rand() % 3   ? fde + (size_t)(rand() % 48)
				: rand() % 2 ? header + 12 + entries * 8 +
						       (size_t)(rand() % 64)
					     : header + (size_t)(rand() % 16);
			if (at[k] >= size)
				at[k] = 0;
			copy[at[k]] = (unsigned char)(rand() % 3 ? rand() : -1);
		}
		kinds[cfi_search(&module, (uintptr_t)module.header +
						  (uintptr_t)entry.start +
						  (uintptr_t)(rand() % 64))
				.cfa]++;
		for (int k = 0; k < changes; k++)
			copy[at[k]] = original[at[k]];
	}
	alarm(0);
	assert_true(kinds[CFI_SP] > DAMAGES / 100);
	assert_true(kinds[CFI_UNSUPPORTED] > DAMAGES / 100);
	assert_true(kinds[CFI_NONE] > DAMAGES / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_of_all_encodings_are_read),
		cmocka_unit_test(no_rule_outside_of_functions),
		cmocka_unit_test(damaged_tables_are_survived),
	};

	*(void **)(uintptr_t)&objects_ask =
		dlsym(RTLD_DEFAULT, "_dl_find_object");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* the unwinder tested here does not exist */

int main(void)
{
	return 0;
}

#endif
