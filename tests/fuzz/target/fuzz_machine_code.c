/*
 * Any bytes as machine code, of x86-64 and aarch64: an instruction lies within
 * the bytes that are there, is the same whatever follows it, and names only
 * registers that there are.
 */
#include <string.h>

#include "symbolizer/code/armdecode.h"
#include "symbolizer/code/x86decode.h"
#include "tests/fuzz/fuzz.h"

#define ADDRESS 0x401000

static bool is_register(uint8_t number)
{
	return number < INSTRUCTION_REGISTERS ||
	       number == INSTRUCTION_NO_REGISTER;
}

static void check(instruction_decode *decode, const struct instruction *in,
	const uint8_t *code, size_t left)
{
	struct instruction alone;

	FUZZ_CHECK(in->bytes > 0 && in->bytes <= left);
	FUZZ_CHECK(in->kind <= INSTRUCTION_RETURN);
	FUZZ_CHECK(is_register(in->to) && is_register(in->from) &&
		   is_register(in->other));
	FUZZ_CHECK(decode(&alone, code, in->bytes, ADDRESS));
	FUZZ_CHECK(alone.bytes == in->bytes && alone.kind == in->kind &&
		   alone.value == in->value && alone.written == in->written);
	FUZZ_CHECK(!decode(&alone, code, in->bytes - 1u, ADDRESS));
}

static void decode_all(
	instruction_decode *decode, const uint8_t *code, size_t left)
{
	struct instruction in;

	while (left > 0) {
		size_t step = 1;

		if (decode(&in, code, left, ADDRESS)) {
			check(decode, &in, code, left);
			step = in.bytes;
		}
		code += step;
		left -= step;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	decode_all(x86decode, data, size);
	decode_all(armdecode, data, size);
	return 0;
}
