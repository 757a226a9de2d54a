#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "symbolizer/code/armdecode.h"

#define ADDRESS 0x1000u
#define SP 31

/* Words are what llvm-mc makes of the comments. */
struct expected {
	uint32_t word;
	enum instruction_kind kind;
	uint8_t to, from, other;
	int64_t value;
	uint32_t written;
};

static void check(const struct expected *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct expected *row = &rows[i];
		struct instruction in;

		assert_true(armdecode(&in, (const uint8_t *)&row->word,
			sizeof(row->word), ADDRESS));
		assert_int_equal(in.bytes, sizeof(row->word));
		assert_int_equal(in.kind, row->kind);
		assert_int_equal(in.written, row->written);
		assert_int_equal(in.to, row->to);
		assert_int_equal(in.from, row->from);
		assert_int_equal(in.other, row->other);
		assert_int_equal((int64_t)in.value, row->value);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))
#define NONE INSTRUCTION_NO_REGISTER
#define BIT(number) (1u << (number))

static void pairs_are_two_loads_or_stores(void **state)
{
	static const struct expected rows[] = {
		/* stp x6, x7, [x14, #16] */
		{0xa9011dc6, INSTRUCTION_STORE_PAIR, 14, 6, 7, 16, 0},
		/* ldp x0, x1, [sp, #32] */
		{0xa94207e0, INSTRUCTION_LOAD_PAIR, 0, SP, 1, 32,
			BIT(0) | BIT(1)},
		/* stp w0, w1, [sp, #8] */
		{0x290107e0, INSTRUCTION_OTHER, 0, 0, 0, 0, 0},
		/* ldp q0, q1, [x24] */
		{0xad400700, INSTRUCTION_OTHER, 0, 0, 0, 0, 0},
	};

	(void)state;
	CHECK(rows);
}

static void number_31_is_zero_where_it_is_no_base(void **state)
{
	static const struct expected rows[] = {
		/* str xzr, [sp, #8] */
		{0xf90007ff, INSTRUCTION_STORE, SP, NONE, 0, 8, 0},
		/* stp xzr, x3, [sp] */
		{0xa9000fff, INSTRUCTION_STORE_PAIR, SP, NONE, 3, 0, 0},
		/* ldp xzr, x2, [x3] */
		{0xa940087f, INSTRUCTION_LOAD_PAIR, NONE, 3, 2, 0, BIT(2)},
	};

	(void)state;
	CHECK(rows);
}

static void a_base_that_steps_is_a_sum(void **state)
{
	static const struct expected rows[] = {
		/* stp x29, x30, [sp, #-224]! */
		{0xa9b27bfd, INSTRUCTION_ADD, SP, SP, 0, -224, BIT(SP)},
		/* ldp x29, x30, [sp], #224 */
		{0xa8ce7bfd, INSTRUCTION_ADD, SP, SP, 0, 224,
			BIT(29) | BIT(30) | BIT(SP)},
		/* ldr x0, [x1], #8 */
		{0xf8408420, INSTRUCTION_ADD, 1, 1, 0, 8, BIT(0) | BIT(1)},
		/* str x0, [sp, #-16]! */
		{0xf81f0fe0, INSTRUCTION_ADD, SP, SP, 0, -16, BIT(SP)},
	};

	(void)state;
	CHECK(rows);
}

static void stores_of_vectors_are_told(void **state)
{
	static const struct expected rows[] = {
		/* str q7, [sp, #240] */
		{0x3d803fe7, INSTRUCTION_STORE_VECTOR, SP, 7, 7, 240, 0},
		/* stp q6, q7, [sp, #224] */
		{0xad071fe6, INSTRUCTION_STORE_VECTOR, SP, 6, 7, 224, 0},
		/* stur q7, [x1, #-240] */
		{0x3c910027, INSTRUCTION_STORE_VECTOR, 1, 7, 7, -240, 0},
	};

	(void)state;
	CHECK(rows);
}

static void signed_pointers_change_nothing_but_where_they_are_called(
	void **state)
{
	static const struct expected rows[] = {
		/* blraa x8, x9; blraaz x3; braa x8, x9; retaa */
		{0xd73f0909, INSTRUCTION_CALL_REGISTER, 0, 8, 0, 0, 0},
		{0xd63f087f, INSTRUCTION_CALL_REGISTER, 0, 3, 0, 0, 0},
		{0xd71f0909, INSTRUCTION_JUMP_REGISTER, 0, 8, 0, 0, 0},
		{0xd65f0bff, INSTRUCTION_RETURN, 0, 0, 0, 0, 0},
		/* paciasp; bti c */
		{0xd503233f, INSTRUCTION_OTHER, 0, 0, 0, 0, 0},
		{0xd503245f, INSTRUCTION_OTHER, 0, 0, 0, 0, 0},
	};

	(void)state;
	CHECK(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_two_loads_or_stores),
		cmocka_unit_test(number_31_is_zero_where_it_is_no_base),
		cmocka_unit_test(a_base_that_steps_is_a_sum),
		cmocka_unit_test(stores_of_vectors_are_told),
		cmocka_unit_test(
			signed_pointers_change_nothing_but_where_they_are_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
