#include "symbolizer/code/x86parts.h"

#include <string.h>

#include "symbolizer/code/instruction.h"

#define LENGTH_MAX 15
#define NO_INDEX 4

/* Prefixes are read before; what leads to other maps is BAD. */
static const uint32_t one_byte[256] = {
#define ONE_BYTE(first, ...) __VA_ARGS__,
#include "symbolizer/code/x86opcodes.def"
#undef ONE_BYTE
};

/* After 0f. */
static const uint32_t two_bytes[256] = {
#define TWO_BYTES(first, ...) __VA_ARGS__,
#include "symbolizer/code/x86opcodes.def"
#undef TWO_BYTES
};
static uint8_t next_byte(struct x86parts *p)
{
	if (p->at >= p->left) {
		p->failed = true;
		return 0;
	}
	return p->code[p->at++];
}

/* `bytes` of 1, 2, 4 or 8, with its sign. */
static int64_t next_number(struct x86parts *p, unsigned bytes)
{
	uint64_t value = 0;
	unsigned shift = 64 - 8 * bytes;

	if (p->left - p->at < bytes) {
		p->failed = true;
		return 0;
	}
	memcpy(&value, p->code + p->at, bytes);
	p->at += bytes;
	return (int64_t)(value << shift) >> shift;
}

/* The way of a jump or call has four bytes also after the prefix 66. */
static bool small_immediate(const struct x86parts *p)
{
	return p->small && !x86parts_is_wide(p) && !p->vector &&
	       !(p->map == MAP_ONE && (p->opcode & 0xfe) == 0xe8) &&
	       !(p->map == MAP_TWO && (p->opcode & 0xf0) == 0x80);
}

/* REX counts only right before the opcode. */
static uint8_t read_prefixes(struct x86parts *p)
{
	for (;;) {
		uint8_t byte = next_byte(p);

		switch (byte) {
		case 0x66:
			p->small = true;
			break;
		case 0xf2:
		case 0xf3:
			p->repeat = byte;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			break;
		case 0x64:
		case 0x65:
			p->segment = true;
			break;
		case 0x67:
			p->address32 = true;
			break;
		default:
			if ((byte & 0xf0) != 0x40 || p->failed)
				return byte;
			p->rex = byte;
			continue;
		}
		p->rex = 0;
	}
}

/* VEX, EVEX and XOP; the high bits of registers are stored inverted. */
static void read_vector_prefix(struct x86parts *p, uint8_t first)
{
	static const uint8_t repeats[] = {0, 0, 0xf3, 0xf2};
	uint8_t bits = next_byte(p);

	p->vector = true;
	p->map = MAP_TWO;
	p->rex = ~bits >> 5 & 4;
	if (first != 0xc5) {
		p->map = bits & (first == 0x62 ? 7 : 31);
		p->rex = ~bits >> 5 & 7;
		bits = next_byte(p);
		p->rex |= bits >> 4 & 8;
	}
	p->third = ~bits >> 3 & 15;
	p->small = (bits & 3) == 1;
	p->repeat = repeats[bits & 3];
	if (first == 0x62)
		next_byte(p);
	p->opcode = next_byte(p);
}

/* The opcode and the map it is of. */
static void read_opcode(struct x86parts *p)
{
	uint8_t byte = read_prefixes(p);
	bool is_xop =
		byte == 0x8f && p->at < p->left && (p->code[p->at] & 0x38) != 0;

	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62 || is_xop) {
		read_vector_prefix(p, byte);
		return;
	}
	if (byte == 0x0f) {
		p->map = MAP_TWO;
		byte = next_byte(p);
		if (byte == 0x38 || byte == 0x3a) {
			p->map = byte == 0x38 ? MAP_38 : MAP_3A;
			byte = next_byte(p);
		}
	}
	p->opcode = byte;
}

/* Those few that change general registers: BMI, and moves out of vectors. */
static unsigned vector_changes(const struct x86parts *p)
{
	unsigned from_two =
		p->opcode == 0x93 ? REG : two_bytes[p->opcode] & (REG | RM);

	switch (p->map) {
	case MAP_TWO:
		if (p->opcode >= 0x40 && p->opcode != 0x93 &&
			(p->opcode < 0x50 || (p->opcode & 0xf0) == 0x90))
			return 0;
		return p->opcode == 0x78 || p->opcode == 0x79 ? REG : from_two;
	case MAP_38:
		return p->opcode >= 0xf2 ? REG | THIRD : 0;
	case MAP_3A:
		if (p->opcode == 0xf0)
			return REG;
		if ((p->opcode & 0xfc) == 0x60)
			return CX;
		return (p->opcode & 0xfc) == 0x14 ? RM : 0;
	case MAP_XOP_FIRST + 1:
	case MAP_XOP_FIRST + 2:
		return REG | THIRD;
	default:
		return 0;
	}
}

static unsigned vector_flags(const struct x86parts *p)
{
	unsigned changes = vector_changes(p);

	switch (p->map) {
	case MAP_TWO:
		if (p->opcode == 0x77)
			return 0;
		return changes | MODRM | (two_bytes[p->opcode] & I8);
	case MAP_3A:
	case MAP_XOP_FIRST:
		return changes | MODRM | I8;
	case MAP_XOP_FIRST + 2:
		return changes | MODRM | IZ;
	case MAP_38:
	case MAP_HALF_FIRST:
	case MAP_HALF_FIRST + 1:
	case MAP_XOP_FIRST + 1:
		return changes | MODRM;
	default:
		return BAD;
	}
}

static unsigned plain_flags(const struct x86parts *p)
{
	switch (p->map) {
	case MAP_ONE:
		if (p->opcode == 0x90 && !(p->rex & 1))
			return 0; /* nop, pause */
		return one_byte[p->opcode];
	case MAP_TWO:
		if (p->opcode == 0x78 && (p->small || p->repeat))
			return MODRM | I16;
		if (p->opcode == 0x7e && p->repeat)
			return MODRM; /* into a vector */
		if ((p->opcode & 0xfe) == 0x2c && !p->repeat)
			return MODRM; /* likewise */
		return two_bytes[p->opcode];
	case MAP_38:
		return MODRM | (p->opcode >= 0xf0 ? REG | RM : 0);
	default:
		if ((p->opcode & 0xfc) == 0x60)
			return MODRM | I8 | CX;
		return MODRM | I8 | ((p->opcode & 0xfc) == 0x14 ? RM : 0);
	}
}

static void read_address(struct x86parts *p, unsigned mod, unsigned low)
{
	p->memory = true;
	if (low == 4) {
		uint8_t sib = next_byte(p);
		unsigned index = (sib >> 3 & 7) | (p->rex << 2 & 8);

		p->indexed = index != NO_INDEX;
		low = sib & 7;
		p->rm = (uint8_t)(low | (p->rex << 3 & 8));
		if (mod == 0 && low == 5) {
			p->rm = INSTRUCTION_NO_REGISTER;
			mod = 2;
		}
	} else if (mod == 0 && low == 5) {
		p->rm = INSTRUCTION_NO_REGISTER;
		p->relative = true;
		mod = 2;
	}
	if (mod != 0)
		p->displacement = next_number(p, mod == 1 ? 1 : 4);
}

static void read_modrm(struct x86parts *p)
{
	uint8_t byte = next_byte(p);

	p->reg = (uint8_t)((byte >> 3 & 7) | (p->rex << 1 & 8));
	p->rm = (uint8_t)((byte & 7) | (p->rex << 3 & 8));
	if (byte < 0xc0)
		read_address(p, byte >> 6, byte & 7);
}

/* Opcodes that are several instructions, told apart by ModRM.reg. */
static void narrow_group(struct x86parts *p)
{
	unsigned which = p->reg & 7;

	if (p->map == MAP_TWO && p->opcode == 0xba && which == 4)
		p->flags &= ~RM; /* bt */
	if (p->map != MAP_ONE)
		return;
	switch (p->opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		if (which == 7)
			p->flags &= ~RM; /* cmp */
		break;
	case 0xf6:
	case 0xf7:
		if (which < 2)
			p->flags = MODRM | (p->opcode & 1 ? IZ : I8);
		else if (which < 4)
			p->flags = MODRM | RM;
		else
			p->flags = MODRM | AX | DX;
		break;
	case 0xff:
		if (which > 1)
			p->flags = which == 6 ? MODRM | SP : MODRM;
		break;
	}
}

static void read_immediate(struct x86parts *p)
{
	bool one = p->map == MAP_ONE && !p->vector;

	if (p->flags & I16)
		next_number(p, 2);
	if (p->flags & I8)
		p->immediate = next_number(p, 1);
	if (one && p->opcode >= 0xb8 && p->opcode < 0xc0)
		p->immediate = next_number(p, x86parts_is_wide(p) ? 8
					      : p->small	  ? 2
								  : 4);
	else if (one && p->opcode >= 0xa0 && p->opcode < 0xa4)
		next_number(p, p->address32 ? 4 : 8);
	else if (p->flags & IZ)
		p->immediate = next_number(p, small_immediate(p) ? 2 : 4);
}

bool x86parts_take(struct x86parts *p, const uint8_t *code, size_t left)
{
	*p = (struct x86parts){.code = code, .left = left};
	read_opcode(p);
	p->flags = p->vector ? vector_flags(p) : plain_flags(p);
	if (p->flags & BAD)
		return false;
	if (p->flags & MODRM) {
		read_modrm(p);
		if (!p->vector)
			narrow_group(p);
	}
	read_immediate(p);
	return !p->failed && p->at <= LENGTH_MAX;
}
