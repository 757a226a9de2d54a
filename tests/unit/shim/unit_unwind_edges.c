/*
 * Stacks made by hand, of frames made by hand: the ends of memory, wild
 * pointers, rules that are not understood.  A fault is a failure.
 */
#if defined(__x86_64__)

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "shim/host/objects.h"
#include "shim/unwind/cfi.h"
#include "shim/unwind/unwind.h"

#define PAGE 4096
#define PAGES 8

/* A function that is never called: two bytes, and the rule to leave it. */
#define FRAME(name, rule)                                                      \
	extern const char name[];                                              \
	__asm__(".text\n" #name ": .cfi_startproc\n" rule "\n\t"               \
		"nop\n\tnop\n\t.cfi_endproc\n")

FRAME(frame_sp, ".cfi_def_cfa_offset 32");
FRAME(frame_fp, ".cfi_def_cfa rbp, 16\n\t.cfi_offset rbp, -16");
/* CFA: *(rbp - 8); rbp: at rbp */
FRAME(frame_deref, ".cfi_escape 0x0f, 3, 0x76, 0x78, 6\n\t"
		   ".cfi_escape 0x10, 6, 2, 0x76, 0");
FRAME(frame_other, ".cfi_def_cfa rbx, 16");
FRAME(frame_lost, ".cfi_def_cfa_offset 16\n\t.cfi_undefined rbp");
FRAME(frame_end, ".cfi_undefined rip");
/* sp + 8 + 8 * ((pc & 15) >= 11), as the linker makes them */
FRAME(frame_plt, ".cfi_escape 0x0f, 10, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, "
		 "0x2a, 0x33, 0x22\n\t.skip 32, 0x90");

static struct unwind_trace trace;
static _Alignas(16) char cache_memory[32 * 1024];
static struct unwind_cache *cache = (struct unwind_cache *)cache_memory;
static char *stack;

static uintptr_t in(const char *frame)
{
	return (uintptr_t)frame + 1;
}

static void walk(uintptr_t pc, const void *sp, uintptr_t fp)
{
	struct unwind_start start = {pc, (uintptr_t)sp, fp};

	unwind_walk(&start, UNWIND_FRAMES_MAX, cache, &trace);
	assert_true(trace.depth >= 1);
	assert_true(trace.pc[0] == pc);
}

static uintptr_t *word(size_t offset)
{
	return (uintptr_t *)(stack + offset);
}

static void expect_word(unsigned i, const uintptr_t *address)
{
	assert_true(i < trace.words);
	assert_true(trace.word[i].address == (uintptr_t)address);
	assert_true(trace.word[i].value == *address);
}

static void the_outermost_frame_is_the_last(void **state)
{
	(void)state;
	*word(24) = in(frame_sp);
	*word(56) = in(frame_end);
	walk(in(frame_sp), word(0), 0);
	assert_int_equal(trace.depth, 3);
	assert_true(trace.pc[1] == in(frame_sp));
	assert_true(trace.pc[2] == in(frame_end));
	assert_true(trace.repeatable);
	assert_false(trace.needs_fp);
	assert_int_equal(trace.words, 2);
	expect_word(0, word(24));
	expect_word(1, word(56));
}

static void a_return_address_of_zero_is_the_end(void **state)
{
	(void)state;
	*word(24) = 0;
	walk(in(frame_sp), word(0), 0);
	assert_int_equal(trace.depth, 1);
	assert_true(trace.repeatable);
	assert_int_equal(trace.words, 1);
	expect_word(0, word(24));
}

static void the_frame_pointer_is_listed_where_it_matters(void **state)
{
	(void)state;
	/* frame_fp at 64 saves what the frame_fp at 128 needs. */
	*word(24) = in(frame_fp);
	*word(64) = (uintptr_t)word(128);
	*word(72) = in(frame_fp);
	*word(128) = 1;
	*word(136) = in(frame_end);
	walk(in(frame_sp), word(0), (uintptr_t)word(64));
	assert_int_equal(trace.depth, 4);
	assert_true(trace.needs_fp && trace.repeatable);
	assert_int_equal(trace.words, 4);
	expect_word(0, word(24));
	expect_word(1, word(72));
	expect_word(2, word(64));
	expect_word(3, word(136));
}

static void the_address_of_a_realigned_frame_is_listed(void **state)
{
	(void)state;
	*word(56) = (uintptr_t)word(128);
	*word(64) = (uintptr_t)word(256);
	*word(120) = in(frame_fp);
	*word(264) = in(frame_end);
	walk(in(frame_deref), word(0), (uintptr_t)word(64));
	assert_int_equal(trace.depth, 3);
	assert_true(trace.needs_fp && trace.repeatable);
	assert_int_equal(trace.words, 4);
	expect_word(0, word(56));
	expect_word(1, word(120));
	expect_word(2, word(64));
	expect_word(3, word(264));
}

static void rules_of_other_kinds_end_the_walk(void **state)
{
	(void)state;
	*word(24) = in(frame_other);
	walk(in(frame_sp), word(0), 0);
	assert_int_equal(trace.depth, 2);
	assert_false(trace.repeatable);
	*word(8) = in(frame_fp);
	walk(in(frame_lost), word(0), (uintptr_t)word(64));
	assert_int_equal(trace.depth, 2);
	assert_false(trace.repeatable);
}

static void addresses_of_no_function_end_the_walk(void **state)
{
	static const uintptr_t wild[] = {
		1, 0x1000, 0xdeadbeef, 1ul << 47, 1ul << 63, UINTPTR_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		*word(24) = wild[i];
		walk(in(frame_sp), word(0), 0);
		assert_int_equal(trace.depth, 2);
		assert_true(trace.pc[1] == wild[i]);
		assert_true(trace.repeatable);
	}
}

/* Every frame leads to the next of its kind, up to the last whole one. */
static void fill(size_t from)
{
	for (size_t i = from; i < (size_t)PAGES * PAGE; i += 8)
		*word(i) = in(frame_sp);
}

static void wild_pointers_end_the_walk(void **state)
{
	const uintptr_t wild[] = {0, 1, 8, 16, (uintptr_t)word(PAGE) - 64,
		(uintptr_t)word(PAGE) + 4, (uintptr_t)word(PAGES * PAGE) + 16,
		(uintptr_t)word(PAGES * PAGE) + 8, 1ul << 47, 1ul << 63,
		UINTPTR_MAX - 7, UINTPTR_MAX - 15, UINTPTR_MAX - 23,
		UINTPTR_MAX};

	(void)state;
	/* Wherever the walk comes to, it would go on. */
	fill(0);
	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		walk(in(frame_fp), word(PAGE), wild[i]);
		assert_int_equal(trace.depth, 1);
		walk(in(frame_deref), word(PAGE), wild[i]);
		assert_int_equal(trace.depth, 1);
		*word(PAGE + 56) = wild[i];
		walk(in(frame_deref), word(PAGE), (uintptr_t)word(PAGE + 64));
		assert_int_equal(trace.depth, 1);
		walk(in(frame_sp), (void *)wild[i], 0);
	}
}

static void expect_climb(size_t from, size_t end)
{
	walk(in(frame_sp), word(from), 0);
	assert_int_equal(trace.depth, 1 + (end - from) / 32);
	assert_false(trace.repeatable);
}

static void the_end_of_memory_ends_the_walk(void **state)
{
	size_t end = (size_t)PAGES * PAGE;

	(void)state;
	fill(end - PAGE);
	for (size_t left = 0; left < 32 * 60; left += 8)
		expect_climb(end - left, end);
	/* A page that cannot be read, though it is mapped. */
	assert_int_equal(mprotect(word(end - PAGE), PAGE, PROT_NONE), 0);
	memset(word(end - 2 * PAGE), 0, PAGE);
	end -= PAGE;
	for (size_t i = 0; i < PAGE; i += 8)
		*word(end - PAGE + i) = in(frame_sp);
	for (size_t left = 0; left < 32 * 60; left += 8)
		expect_climb(end - left, end);
}

static void memory_that_has_gone_is_not_read(void **state)
{
	size_t end = (size_t)PAGES * PAGE, from = end - PAGE - 64;

	(void)state;
	fill(0);
	for (int i = 0; i < 2; i++) {
		/* Into the blue, and so into the last page. */
		*word(end - PAGE + 128 - 8) = 0xdead;
		walk(in(frame_sp), word(from), 0);
		assert_int_equal(trace.depth, 1 + (64 + 128) / 32);
	}
	assert_int_equal(munmap(word(end - PAGE), PAGE), 0);
	expect_climb(from, end - PAGE);
}

static void frames_larger_than_pages_are_left(void **state)
{
	size_t far = (size_t)(PAGES - 1) * PAGE;

	(void)state;
	*word(far + 8) = in(frame_fp);
	*word(far) = (uintptr_t)word(far + 64);
	*word(far + 72) = in(frame_end);
	for (int i = 0; i < 2; i++) {
		walk(in(frame_fp), word(0), (uintptr_t)word(far));
		assert_int_equal(trace.depth, 3);
		assert_true(trace.repeatable);
	}
}

static void entries_of_linkage_tables_are_left(void **state)
{
	uintptr_t pc = (uintptr_t)frame_plt;

	(void)state;
	*word(0) = *word(8) = in(frame_end);
	for (int i = 0; i < 32; i++, pc++) {
		walk(pc + 1, word(0), 0);
		assert_int_equal(trace.depth, 2);
		expect_word(0, word((pc & 15) >= 11 ? 8 : 0));
	}
}

static int set_up(void **state)
{
	(void)state;
	stack = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Behind it nothing is mapped. */
	return stack == MAP_FAILED || unwind_cache_bytes > sizeof(cache_memory)
		       ? -1
		       : munmap(stack + PAGES * PAGE, PAGE);
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(stack, PAGES * PAGE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_outermost_frame_is_the_last),
		CASE(a_return_address_of_zero_is_the_end),
		CASE(the_frame_pointer_is_listed_where_it_matters),
		CASE(the_address_of_a_realigned_frame_is_listed),
		CASE(rules_of_other_kinds_end_the_walk),
		CASE(addresses_of_no_function_end_the_walk),
		CASE(wild_pointers_end_the_walk),
		CASE(the_end_of_memory_ends_the_walk),
		CASE(memory_that_has_gone_is_not_read),
		CASE(frames_larger_than_pages_are_left),
		CASE(entries_of_linkage_tables_are_left),
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
