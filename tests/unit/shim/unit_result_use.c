/* Whether what a call returns is looked at, for calls that the compiler has
 * made of what is written here. */
#include "shim/host/inside.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shim/host/module.h"
#include "shim/host/sys.h"
#include "shim/record/result_use.h"

static bool unreadable;
static const void *unreadable_from = (const void *)UINTPTR_MAX;
static uintptr_t module_end;

bool sys_is_readable(const void *address)
{
	return !unreadable && address < unreadable_from;
}

bool module_find(uintptr_t address, struct module *module)
{
	extern const char __executable_start[], etext[];

	module->start = (uintptr_t)__executable_start;
	module->end = module_end ? module_end : (uintptr_t)etext;
	return address >= module->start && address < module->end;
}

static bool answer;
static volatile int sink, one = 1;
static volatile double real = 1.5;

static __attribute__((noinline)) int say(const char *format, ...)
{
	answer = result_use_is_possible((uintptr_t)__builtin_return_address(0));
	__asm__ volatile("" ::: "memory");
	return format[0];
}

/* The compiler sees that it leaves the result where it is: -fipa-ra. */
static int counted;

static __attribute__((noinline)) void count(void)
{
	counted++;
	__asm__ volatile("" : "+m"(counted));
}

/* ---- those that look at it ---- */

#define USES(X)                                                                \
	X(stored, sink = say("a"))                                             \
	X(compared, if (say("a") < 0) sink = 1)                                \
	X(added, int n = one; n += say("a"); sink = n)                         \
	X(tested_bits, if (say("a") & 4) sink = 2)                             \
	X(as_byte, sink = (char)say("a"))                                      \
	X(high_byte, sink = (unsigned char)((unsigned)say("a") >> 8))          \
	X(as_index, static char t[256]; sink = t[say("a") & 255])              \
	X(as_argument, say("b", say("a")))                                     \
	X(as_real, real = say("a"))                                            \
	X(kept, int n = say("a"); sink = 3; say("b"); sink = n)                \
	X(in_one_branch, int n = say("a"); if (one > 5) sink = 7;              \
		else sink = n)                                                 \
	X(in_a_loop, for (int i = 0; i < 2 + one; i++) sink = say("a"))        \
	X(negated, sink = -say("a"))                                           \
	X(chosen, sink = say("a") ? one : 2)                                   \
	X(kept_over_a_call, int n = say("a"); count(); sink = n)               \
	X(                                                                     \
		in_a_switch, switch (say("a")) {                               \
			case 97:                                               \
				sink = 1;                                      \
				break;                                         \
			case 98:                                               \
				sink = 4;                                      \
				break;                                         \
			default:                                               \
				sink = 9;                                      \
		})

#define USER(name, ...)                                                        \
	static __attribute__((noinline)) void use_##name(void)                 \
	{                                                                      \
		__VA_ARGS__;                                                   \
	}
USES(USER)

static __attribute__((noinline, noipa)) int use_returned(void)
{
	return say("a");
}

static void a_result_that_is_used_is_found(void **state)
{
	static void (*const uses[])(void) = {
#define LIST(name, ...) use_##name,
		USES(LIST)};
	static const char *const names[] = {
#define NAME(name, ...) #name,
		USES(NAME)};
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		answer = false;
		uses[i]();
		/* Of two calls the last has its answer here, unused or not. */
		if (!answer && i != 7 && i != 9) {
			print_error("%s: taken for unused\n", names[i]);
			failed++;
		}
	}
	sink = use_returned();
	assert_true(answer);
	assert_int_equal(failed, 0);
}

/* ---- those that do not ---- */

static __attribute__((noinline)) void drop_before_call(void)
{
	say("a %d", one);
	say("b %d", one);
	sink = 1;
}

static void a_result_that_nobody_uses_is_not_asked_for(void **state)
{
	(void)state;
#if defined(__x86_64__)
	answer = true;
	say("first");
	assert_false(answer);
	say("second");
	assert_false(answer);
	drop_before_call();
#endif
}

static void code_that_cannot_be_read_is_taken_to_use_it(void **state)
{
	(void)state;
	unreadable = true;
	say("a");
	unreadable = false;
	assert_true(answer);
}

static void code_of_no_module_is_taken_to_use_it(void **state)
{
	static const unsigned char code[64];

	(void)state;
	assert_true(
		result_use_is_possible((uintptr_t)code | (uintptr_t)1 << 46));
}

#if defined(__x86_64__)
/* ---- single instructions ---- */

extern const uintptr_t code[];
__asm__(".pushsection .data.rel.ro, \"aw\"; .balign 8; code: .popsection");
#define ASSEMBLE(words)                                                        \
	__asm__(".pushsection .text; .balign 16; .quad 0; 2:\n" words          \
		"\nmov $0, %eax\nret\n.skip 16, 0x90\n.popsection\n"           \
		".pushsection .data.rel.ro, \"aw\"; .quad 2b; .popsection");
#define UNUSED ASSEMBLE
#define USED ASSEMBLE
#define UNKNOWN ASSEMBLE
#include "tests/unit/shim/result_use.def"
#undef UNUSED
#undef USED
#undef UNKNOWN

static const struct {
	const char *words;
	bool used;
} cases[] = {
#define UNUSED(words) {words, false},
#define USED(words) {words, true},
#define UNKNOWN(words) {words, true},
#include "tests/unit/shim/result_use.def"
};

static void each_instruction_is_known_for_what_it_does(void **state)
{
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (result_use_is_possible(code[i]) != cases[i].used) {
			print_error("%s: taken for %s\n", cases[i].words,
				cases[i].used ? "unused" : "used");
			failed++;
		}
	assert_int_equal(failed, 0);
}

static void code_is_not_read_beyond_its_end(void **state)
{
	(void)state;
	module_end = code[0] + 4;
	assert_true(result_use_is_possible(code[0]));
	module_end = 0;
	unreadable_from = (const void *)(code[0] + 4);
	assert_true(result_use_is_possible(code[0]));
	unreadable_from = (const void *)UINTPTR_MAX;
	assert_false(result_use_is_possible(code[0]));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_that_is_used_is_found),
		cmocka_unit_test(a_result_that_nobody_uses_is_not_asked_for),
		cmocka_unit_test(code_that_cannot_be_read_is_taken_to_use_it),
		cmocka_unit_test(code_of_no_module_is_taken_to_use_it),
#if defined(__x86_64__)
		cmocka_unit_test(each_instruction_is_known_for_what_it_does),
		cmocka_unit_test(code_is_not_read_beyond_its_end),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
