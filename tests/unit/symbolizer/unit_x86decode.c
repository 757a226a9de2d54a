#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "symbolizer/code/x86decode.h"

#define ADDRESS 0x1000u
#define LISTED                                                                 \
	"objdump -d -j .text --insn-width=16 /lib/x86_64-linux-gnu/libm.so.6 " \
	"2>/dev/null"

static struct instruction decode(const char *code, size_t bytes)
{
	struct instruction in = {0};

	assert_true(x86decode(&in, (const uint8_t *)code, bytes, ADDRESS));
	assert_int_equal(in.bytes, bytes);
	return in;
}

#define DECODE(code) decode(code, sizeof(code) - 1)

static void lea_of_the_next_instruction_is_a_constant(void **state)
{
	struct instruction in = DECODE("\x48\x8d\x3d\x10\x00\x00\x00");

	(void)state;
	assert_int_equal(in.kind, INSTRUCTION_CONSTANT);
	assert_int_equal(in.to, 7);
	assert_int_equal(in.value, ADDRESS + 7 + 0x10);
	assert_int_equal(in.written, 1u << 7);
}

static void mov_of_a_number_is_a_constant(void **state)
{
	struct instruction in = DECODE("\xbe\x04\x20\x40\x00");

	(void)state;
	assert_int_equal(in.kind, INSTRUCTION_CONSTANT);
	assert_int_equal(in.to, 6);
	assert_int_equal(in.value, 0x402004);
	in = DECODE("\x48\xc7\xc7\xff\xff\xff\xff");
	assert_int_equal(in.value, UINT64_MAX);
	in = DECODE("\x49\xb8\x01\x00\x00\x00\x00\x00\x00\x80");
	assert_int_equal(in.to, 8);
	assert_int_equal(in.value, 0x8000000000000001u);
}

static void moves_loads_and_stores_are_told_apart(void **state)
{
	struct instruction in = DECODE("\x48\x89\xc7");

	(void)state;
	assert_int_equal(in.kind, INSTRUCTION_COPY);
	assert_int_equal(in.to, 7);
	assert_int_equal(in.from, 0);
	in = DECODE("\x48\x8b\x45\xf8");
	assert_int_equal(in.kind, INSTRUCTION_LOAD);
	assert_int_equal(in.from, 5);
	assert_int_equal(in.value, (uint64_t)-8);
	in = DECODE("\x48\x89\x45\xf8");
	assert_int_equal(in.kind, INSTRUCTION_STORE);
	assert_int_equal(in.to, 5);
	assert_int_equal(in.from, 0);
	assert_int_equal(in.written, 0);
}

static void calls_and_jumps_have_targets(void **state)
{
	struct instruction in = DECODE("\xe8\xfb\xff\xff\xff");

	(void)state;
	assert_int_equal(in.kind, INSTRUCTION_CALL);
	assert_int_equal(in.value, ADDRESS);
	in = DECODE("\xff\x15\x00\x01\x00\x00");
	assert_int_equal(in.kind, INSTRUCTION_CALL_LOADED);
	assert_int_equal(in.from, INSTRUCTION_NO_REGISTER);
	assert_int_equal(in.value, ADDRESS + 6 + 0x100);
	in = DECODE("\xf2\xff\x25\x00\x01\x00\x00");
	assert_int_equal(in.kind, INSTRUCTION_JUMP_LOADED);
	in = DECODE("\x74\xfe");
	assert_int_equal(in.kind, INSTRUCTION_BRANCH);
	assert_int_equal(in.value, ADDRESS);
	in = DECODE("\xff\xd3");
	assert_int_equal(in.kind, INSTRUCTION_CALL_REGISTER);
	assert_int_equal(in.from, 3);
}

/* What an instruction is not told to change, it does not. */
static void changed_registers_are_known(void **state)
{
	(void)state;
	assert_int_equal(DECODE("\x48\x85\xff").written, 0);	 /* test */
	assert_int_equal(DECODE("\x48\x83\xff\x01").written, 0); /* cmp */
	assert_int_equal(DECODE("\x0f\x28\xf8").written, 0); /* movaps, xmm7 */
	assert_int_equal(DECODE("\x5f").written, 1u << 7 | 1u << 4);
	assert_int_equal(DECODE("\xf3\x48\xab").written,
		1u << 7 | 1u << 6 | 1u << 1); /* rep stos */
	assert_int_equal(DECODE("\xc4\xe2\xf8\xf7\xfe").written & 1u << 7,
		1u << 7); /* bextr */
}

static void nothing_is_read_beyond_the_end(void **state)
{
	static const char longest[] =
		"\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00";
	struct instruction in;
	size_t bytes;

	(void)state;
	for (bytes = 0; bytes < sizeof(longest) - 1; bytes++) {
		uint8_t *cut = malloc(bytes + 1);

		assert_non_null(cut);
		memcpy(cut, longest, bytes);
		assert_false(x86decode(&in, cut, bytes, ADDRESS));
		free(cut);
	}
	DECODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00");
}

/*
 * "  address:\tbytes \tname": the bytes, and how many.  What begins with fwait
 * objdump shows as one instruction with the next.
 */
static size_t read_line(const char *line, uint8_t code[16])
{
	const char *at = strchr(line, '\t');
	size_t count = 0;

	if (!at || strstr(line, "(bad)"))
		return 0;
	for (at++; count < 16 && isxdigit((unsigned char)*at); at += 3)
		code[count++] = (uint8_t)strtoul(at, NULL, 16);
	return count > 1 && code[0] == 0x9b ? 0 : count;
}

static void lengths_are_those_of_objdump(void **state)
{
	FILE *listing = popen(LISTED, "r");
	char line[256];
	uint8_t code[16];
	size_t seen = 0;

	(void)state;
	assert_non_null(listing);
	while (fgets(line, sizeof(line), listing)) {
		size_t bytes = line[0] == ' ' ? read_line(line, code) : 0;
		struct instruction in;

		if (bytes == 0)
			continue;
		seen++;
		if (!x86decode(&in, code, bytes, ADDRESS) || in.bytes != bytes)
			fail_msg("%s", line);
	}
	pclose(listing);
	if (seen < 10000)
		skip(); /* no objdump, or another processor */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lea_of_the_next_instruction_is_a_constant),
		cmocka_unit_test(mov_of_a_number_is_a_constant),
		cmocka_unit_test(moves_loads_and_stores_are_told_apart),
		cmocka_unit_test(calls_and_jumps_have_targets),
		cmocka_unit_test(changed_registers_are_known),
		cmocka_unit_test(nothing_is_read_beyond_the_end),
		cmocka_unit_test(lengths_are_those_of_objdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
