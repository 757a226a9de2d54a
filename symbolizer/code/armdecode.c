#include "symbolizer/code/armdecode.h"

#include <string.h>

#define BYTES 4
#define STACK 31 /* or zero, as the instruction has it */

static unsigned field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1u << bits) - 1);
}

static uint64_t signed_field(uint32_t word, unsigned low, unsigned bits)
{
	uint64_t value = field(word, low, bits);

	return (value ^ 1ull << (bits - 1)) - (1ull << (bits - 1));
}

static unsigned target_register(uint32_t word)
{
	return field(word, 0, 5);
}

static unsigned base_register(uint32_t word)
{
	return field(word, 5, 5);
}

static unsigned third_register(uint32_t word)
{
	return field(word, 16, 5);
}

static void set(struct instruction *in, enum instruction_kind kind, unsigned to,
	unsigned from, uint64_t value)
{
	in->kind = (uint8_t)kind;
	in->to = (uint8_t)to;
	in->from = (uint8_t)from;
	in->value = value;
}

/* Branches, calls, system instructions. */
static void read_branch(struct instruction *in, uint32_t word, uint64_t address)
{
	unsigned from = base_register(word);

	if ((word & 0x7c000000) == 0x14000000)
		set(in, word >> 31 ? INSTRUCTION_CALL : INSTRUCTION_JUMP, 0, 0,
			address + (signed_field(word, 0, 26) << 2));
	else if ((word & 0xff000010) == 0x54000000 ||
		 (word & 0x7e000000) == 0x34000000)
		set(in, INSTRUCTION_BRANCH, 0, 0,
			address + (signed_field(word, 5, 19) << 2));
	else if ((word & 0x7e000000) == 0x36000000)
		set(in, INSTRUCTION_BRANCH, 0, 0,
			address + (signed_field(word, 5, 14) << 2));
	else if ((word & 0xfffffc1f) == 0xd61f0000)
		set(in, INSTRUCTION_JUMP_REGISTER, 0, from, 0);
	else if ((word & 0xfffffc1f) == 0xd63f0000)
		set(in, INSTRUCTION_CALL_REGISTER, 0, from, 0);
	else if ((word & 0xfefff800) == 0xd61f0800) /* signed pointers */
		set(in, INSTRUCTION_JUMP_REGISTER, 0, from, 0);
	else if ((word & 0xfefff800) == 0xd63f0800)
		set(in, INSTRUCTION_CALL_REGISTER, 0, from, 0);
	else if ((word & 0xfe000000) == 0xd6000000)
		in->kind = INSTRUCTION_RETURN; /* and its relatives */
	else if ((word & 0xffe0001f) == 0xd4200000)
		in->kind = INSTRUCTION_END; /* brk */
	else if ((word & 0xfff00000) == 0xd5300000)
		in->written = 1u << target_register(word); /* mrs */
	else if ((word & 0xffe0001f) == 0xd4000001)
		in->written = 1; /* svc */
}

/* The address of data, sums with a number, numbers. */
static void read_immediate(
	struct instruction *in, uint32_t word, uint64_t address)
{
	unsigned to = target_register(word);
	unsigned from = base_register(word);
	uint64_t number = field(word, 10, 12) << (field(word, 22, 1) ? 12 : 0);
	uint64_t distance = signed_field(word, 5, 19) << 2 | field(word, 29, 2);
	uint64_t half = (uint64_t)field(word, 5, 16) << 16 * field(word, 21, 2);

	/* only add, sub, and, or, xor know the stack pointer */
	if (to != STACK || (word & 0x3f800000) == 0x11000000 ||
		((word & 0x1f800000) == 0x12000000 &&
			(word & 0x60000000) != 0x60000000))
		in->written = 1u << to;
	if ((word & 0x9f000000) == 0x90000000)
		set(in, INSTRUCTION_CONSTANT, to, 0,
			(address & ~(uint64_t)0xfff) + (distance << 12));
	else if ((word & 0x9f000000) == 0x10000000)
		set(in, INSTRUCTION_CONSTANT, to, 0, address + distance);
	else if ((word & 0xff800000) == 0x91000000)
		set(in, INSTRUCTION_ADD, to, from, number);
	else if ((word & 0xff800000) == 0xd1000000)
		set(in, INSTRUCTION_ADD, to, from, -number);
	else if ((word & 0x7f800000) == 0x52800000)
		set(in, INSTRUCTION_CONSTANT, to, 0, half);
	else if ((word & 0x7f800000) == 0x12800000)
		set(in, INSTRUCTION_CONSTANT, to, 0,
			word >> 31 ? ~half : (uint32_t)~half);
}

/* Moves and choices between registers; all else is just a change. */
static void read_registers(struct instruction *in, uint32_t word)
{
	unsigned to = target_register(word);
	unsigned third = third_register(word);

	if (to != STACK || (word & 0x3fe00000) == 0x0b200000)
		in->written = 1u << to;
	if ((word & 0x7fe0ffe0) == 0x2a0003e0) {
		set(in, INSTRUCTION_COPY, to, third, 0);
		if (third == STACK)
			in->kind = INSTRUCTION_CONSTANT;
	} else if ((word & 0x7fe00c00) == 0x1a800000 && third != STACK &&
		   base_register(word) != STACK) {
		set(in, INSTRUCTION_SELECT, to, third, 0);
		in->other = (uint8_t)base_register(word);
	}
}

/* In places where number 31 is always zero. */
static uint32_t loaded(unsigned number)
{
	return number == STACK ? 0 : 1u << number;
}

static uint8_t or_zero(unsigned number)
{
	return number == STACK ? INSTRUCTION_NO_REGISTER : (uint8_t)number;
}

/* Of what is loaded or stored where the base steps, nothing is known. */
static void step(struct instruction *in, unsigned base, uint64_t number)
{
	in->written |= 1u << base;
	set(in, INSTRUCTION_ADD, base, base, number);
}

static void read_pair(struct instruction *in, uint32_t word)
{
	const unsigned base = base_register(word);
	const unsigned first = target_register(word);
	const unsigned second = field(word, 10, 5);
	const bool is_vector = field(word, 26, 1);
	const bool loads = field(word, 22, 1);
	const unsigned size = word >> 30;
	const uint64_t number = signed_field(word, 15, 7)
				<< (is_vector ? size + 2 : size / 2 + 2);

	if (loads && !is_vector)
		in->written = loaded(first) | loaded(second);
	if (field(word, 23, 1))
		step(in, base, number);
	else if (is_vector && !loads)
		set(in, INSTRUCTION_STORE_VECTOR, base, first, number);
	else if (is_vector || size != 2)
		return;
	else if (loads)
		set(in, INSTRUCTION_LOAD_PAIR, or_zero(first), base, number);
	else
		set(in, INSTRUCTION_STORE_PAIR, base, or_zero(first), number);
	if (in->kind == INSTRUCTION_STORE_VECTOR)
		in->other = (uint8_t)second;
	else if (in->kind != INSTRUCTION_ADD)
		in->other = or_zero(second);
}

static void read_single(struct instruction *in, uint32_t word)
{
	unsigned register_number = target_register(word);
	unsigned base = base_register(word);
	bool has_number = field(word, 24, 1);
	bool is_atomic =
		!has_number && field(word, 21, 1) && field(word, 10, 2) == 0;
	bool is_plain = !has_number && !field(word, 21, 1);
	bool loads = field(word, 22, 2) != 0 || is_atomic;
	uint64_t number = has_number ? (uint64_t)field(word, 10, 12) * 8
				     : signed_field(word, 12, 9);

	if (loads && !field(word, 26, 1))
		in->written = loaded(register_number);
	if (is_plain && field(word, 10, 1))
		step(in, base, number);
	if (field(word, 26, 1)) {
		if ((word & 0xffc00000) == 0x3d800000 ||
			(word & 0xffe00c00) == 0x3c800000) {
			set(in, INSTRUCTION_STORE_VECTOR, base, register_number,
				has_number ? number * 2 : number);
			in->other = (uint8_t)register_number;
		}
		return;
	}
	if (is_atomic || in->written & 1u << base ||
		(!has_number && (!is_plain || field(word, 10, 2) != 0)))
		return;
	if ((word & 0xfec00000) == 0xf8400000)
		set(in, INSTRUCTION_LOAD, register_number, base, number);
	else if ((word & 0xfec00000) == 0xf8000000)
		set(in, INSTRUCTION_STORE, base, or_zero(register_number),
			number);
}

static void read_memory(struct instruction *in, uint32_t word, uint64_t address)
{
	if ((word & 0x3a000000) == 0x28000000) {
		read_pair(in, word);
	} else if ((word & 0x3a000000) == 0x38000000) {
		read_single(in, word);
	} else if ((word & 0x3b000000) == 0x18000000) {
		if (field(word, 26, 1))
			return;
		in->written = 1u << target_register(word);
		if (word >> 30 == 1)
			set(in, INSTRUCTION_LOAD, target_register(word),
				INSTRUCTION_NO_REGISTER,
				address + (signed_field(word, 5, 19) << 2));
	} else {
		in->written = 1u << target_register(word) |
			      1u << field(word, 10, 5) |
			      1u << third_register(word);
	}
}

/* Few move something out of a vector. */
static void read_vector(struct instruction *in, uint32_t word)
{
	if ((word & 0x5f20fc00) == 0x1e200000 ||
		(word & 0x5f200000) == 0x1e000000 ||
		(word & 0xbfe08400) == 0x0e000400)
		in->written = 1u << target_register(word);
}

bool armdecode(struct instruction *in, const uint8_t *code, size_t left,
	uint64_t address)
{
	uint32_t word;

	if (left < BYTES)
		return false;
	memcpy(&word, code, sizeof(word));
	*in = (struct instruction){.bytes = BYTES};
	if (word >> 16 == 0)
		in->kind = INSTRUCTION_END; /* udf */
	else if ((word & 0x1c000000) == 0x10000000)
		read_immediate(in, word, address);
	else if ((word & 0x1c000000) == 0x14000000)
		read_branch(in, word, address);
	else if ((word & 0x0a000000) == 0x08000000)
		read_memory(in, word, address);
	else if ((word & 0x0e000000) == 0x0a000000)
		read_registers(in, word);
	else if ((word & 0x0e000000) == 0x0e000000)
		read_vector(in, word);
	return true;
}
