#include "symbolizer/code/x86decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "symbolizer/code/instruction.h"

/*
 * An instruction of x86-64, taken apart: prefixes, opcode, operands, length.
 * Called by x86decode.c alone, which says what it does.  Promises to read no
 * byte beyond those it is given, and to fail where there is no instruction.
 */

/* What follows an opcode, and which general registers it may change. */
enum x86parts_flag {
	MODRM = 1,
	I8 = 1 << 1,	/* a byte */
	I16 = 1 << 2,	/* two */
	IZ = 1 << 3,	/* four; two after the prefix 66 */
	REG = 1 << 4,	/* changes what ModRM.reg names */
	RM = 1 << 5,	/* changes what ModRM.rm names */
	LOW = 1 << 6,	/* changes what the low bits of the opcode name */
	THIRD = 1 << 7, /* changes what a vector prefix names */
	AX = 1 << 8,
	BX = 1 << 9,
	CX = 1 << 10,
	DX = 1 << 11,
	SI = 1 << 12, /* and di */
	BP = 1 << 13,
	SP = 1 << 14,
	R11 = 1 << 15,
	BAD = 1 << 16,
};

/* Tables of opcodes. */
enum x86parts_map {
	MAP_ONE = 0,
	MAP_TWO = 1, /* 0f */
	MAP_38 = 2,
	MAP_3A = 3,
	MAP_HALF_FIRST = 5, /* two of them, with EVEX alone */
	MAP_XOP_FIRST = 8,  /* three */
};

struct x86parts {
	const uint8_t *code;
	size_t left;
	size_t at;
	bool failed; /* it does not end before the bytes do */
	uint8_t rex;
	uint8_t repeat; /* f2 or f3; 0: none */
	bool small;	/* 66 */
	bool address32; /* 67 */
	bool segment;	/* fs or gs */
	bool vector;	/* VEX, EVEX or XOP: what they have is in `rex`, too */
	uint8_t third;	/* register of such an instruction */
	uint8_t map;
	uint8_t opcode;
	unsigned flags;
	/* ModRM */
	bool memory;
	bool indexed;
	bool relative; /* to the end of the instruction */
	uint8_t reg;
	uint8_t rm; /* register, or base of the address */
	int64_t displacement;
	int64_t immediate; /* the last one */
};

/* The operands are of 64 bits. */
static inline bool x86parts_is_wide(const struct x86parts *parts)
{
	return parts->rex & 8;
}

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

/* Sets *parts; false: these bytes begin no instruction.  `at` is its length. */
static bool x86parts_take(struct x86parts *p, const uint8_t *code, size_t left)
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

enum register_number {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
};
static uint32_t bit(unsigned number)
{
	return number < 16 ? 1u << number : 0;
}

/* Without REX the numbers 4 to 7 of byte registers are ah, ch, dh and bh. */
static bool is_of_bytes(const struct x86parts *p)
{
	uint8_t opcode = p->opcode;

	if (p->vector || p->rex || p->map > MAP_TWO)
		return false;
	if (p->map == MAP_TWO)
		return (opcode & 0xf0) == 0x90 || opcode == 0xb0 ||
		       opcode == 0xc0;
	if ((opcode & 0xf8) == 0xb0)
		return true;
	return !(opcode & 1) &&
	       (opcode < 0x40 || opcode == 0x80 || opcode == 0x86 ||
		       opcode == 0x88 || opcode == 0x8a || opcode == 0xc0 ||
		       opcode == 0xc6 || (opcode & 0xfc) == 0xd0 ||
		       opcode == 0xf6 || opcode == 0xfe);
}

static uint32_t written(const struct x86parts *p)
{
	unsigned low = (p->opcode & 7) | (p->rex << 3 & 8);
	unsigned mask = is_of_bytes(p) ? 3 : 31;
	uint32_t registers = 0;

	if (p->flags & REG)
		registers |= bit(p->reg & mask);
	if (p->flags & RM && !p->memory)
		registers |= bit(p->rm & mask);
	if (p->flags & LOW)
		registers |= bit(low & mask);
	if (p->flags & THIRD)
		registers |= bit(p->third);
	if (p->flags & AX)
		registers |= bit(RAX);
	if (p->flags & BX)
		registers |= bit(RBX);
	if (p->flags & CX)
		registers |= bit(RCX);
	if (p->flags & DX)
		registers |= bit(RDX);
	if (p->flags & SI)
		registers |= bit(RSI) | bit(RDI);
	if (p->flags & SP)
		registers |= bit(RSP);
	if (p->flags & BP)
		registers |= bit(RBP);
	if (p->flags & R11)
		registers |= bit(11);
	return registers;
}

/* A sum of at most one register and a number can be traced. */
static bool is_plain_address(const struct x86parts *p)
{
	return p->memory && !p->indexed && !p->segment && !p->address32;
}

static void set_address(struct instruction *in, const struct x86parts *p,
	uint64_t next, uint8_t *base)
{
	*base = p->rm;
	in->value = (uint64_t)p->displacement + (p->relative ? next : 0);
}

static void set(struct instruction *in, enum instruction_kind kind, unsigned to,
	unsigned from)
{
	in->kind = (uint8_t)kind;
	in->to = (uint8_t)to;
	in->from = (uint8_t)from;
}

static void set_constant(struct instruction *in, unsigned to, uint64_t value)
{
	set(in, INSTRUCTION_CONSTANT, to, INSTRUCTION_NO_REGISTER);
	in->value = value;
}

static uint64_t cut(const struct x86parts *p, int64_t value)
{
	return x86parts_is_wide(p) ? (uint64_t)value : (uint32_t)value;
}

static void understand_lea(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	if (!is_plain_address(p) || p->small)
		return;
	set(in, INSTRUCTION_ADD, p->reg, 0);
	set_address(in, p, next, &in->from);
	if (in->from == INSTRUCTION_NO_REGISTER)
		set_constant(in, p->reg, cut(p, (int64_t)in->value));
}

static void understand_mov(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	bool to_rm = p->opcode == 0x89;

	if (p->small)
		return;
	if (!p->memory) {
		set(in, INSTRUCTION_COPY, to_rm ? p->rm : p->reg,
			to_rm ? p->reg : p->rm);
	} else if (x86parts_is_wide(p) && is_plain_address(p) && to_rm) {
		set(in, INSTRUCTION_STORE, 0, p->reg);
		set_address(in, p, next, &in->to);
	} else if (x86parts_is_wide(p) && is_plain_address(p)) {
		set(in, INSTRUCTION_LOAD, p->reg, 0);
		set_address(in, p, next, &in->from);
	}
}

/* add and sub with a number, xor and sub of a register with itself. */
static void understand_sum(struct instruction *in, const struct x86parts *p)
{
	bool same = !p->memory && p->reg == p->rm;
	unsigned which = p->reg & 7;

	if (p->memory || p->small)
		return;
	switch (p->opcode) {
	case 0x29:
	case 0x2b:
	case 0x31:
	case 0x33:
		if (same)
			set_constant(in, p->reg, 0);
		return;
	case 0x81:
	case 0x83:
		if (which != 0 && which != 5)
			return;
		set(in, INSTRUCTION_ADD, p->rm, p->rm);
		in->value =
			(uint64_t)(which == 0 ? p->immediate : -p->immediate);
		return;
	}
}

static void understand_indirect(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	bool call = (p->reg & 7) == 2;

	if ((p->reg & 7) == 6 && p->memory && !p->small) {
		set(in, INSTRUCTION_PUSH_LOADED, 0, INSTRUCTION_NO_REGISTER);
		in->value = 0; /* where nothing is */
		if (is_plain_address(p))
			set_address(in, p, next, &in->from);
		return;
	}
	if ((p->reg & 7) != 2 && (p->reg & 7) != 4)
		return;
	set(in, call ? INSTRUCTION_CALL_REGISTER : INSTRUCTION_JUMP_REGISTER, 0,
		p->memory ? INSTRUCTION_NO_REGISTER : p->rm);
	if (!is_plain_address(p))
		return;
	set_address(in, p, next, &in->from);
	in->kind = call ? INSTRUCTION_CALL_LOADED : INSTRUCTION_JUMP_LOADED;
}

static void understand_one_byte(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	in->value = next + (uint64_t)p->immediate;
	switch (p->opcode) {
	case 0x8d:
		understand_lea(in, p, next);
		break;
	case 0x89:
	case 0x8b:
		understand_mov(in, p, next);
		break;
	case 0xc7:
		if (!p->memory && !p->small && (p->reg & 7) == 0)
			set_constant(in, p->rm, cut(p, p->immediate));
		break;
	case 0xe8:
		in->kind = INSTRUCTION_CALL;
		break;
	case 0xe9:
	case 0xeb:
		in->kind = INSTRUCTION_JUMP;
		break;
	case 0xff:
		understand_indirect(in, p, next);
		break;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		in->kind = INSTRUCTION_RETURN;
		break;
	case 0xcc:
	case 0xf4:
		in->kind = INSTRUCTION_END;
		break;
	case 0x68:
	case 0x6a:
		set(in, INSTRUCTION_PUSH, 0, INSTRUCTION_NO_REGISTER);
		in->value = (uint64_t)p->immediate;
		break;
	default:
		if ((p->opcode & 0xf8) == 0x50)
			set(in, INSTRUCTION_PUSH, 0,
				(p->opcode & 7) | (p->rex << 3 & 8));
		else if ((p->opcode & 0xf8) == 0x58 && !p->small)
			set(in, INSTRUCTION_POP,
				(p->opcode & 7) | (p->rex << 3 & 8), 0);
		else if ((p->opcode & 0xf8) == 0xb8 && !p->small)
			set_constant(in, (p->opcode & 7) | (p->rex << 3 & 8),
				cut(p, p->immediate));
		else if ((p->opcode & 0xf0) == 0x70 ||
			 (p->opcode & 0xfc) == 0xe0)
			in->kind = INSTRUCTION_BRANCH;
		else
			understand_sum(in, p);
	}
}

static void understand_two_bytes(
	struct instruction *in, const struct x86parts *p, uint64_t next)
{
	if ((p->opcode & 0xf0) == 0x80) {
		in->kind = INSTRUCTION_BRANCH;
		in->value = next + (uint64_t)p->immediate;
	} else if ((p->opcode & 0xf0) == 0x40 && !p->memory && !p->small) {
		set(in, INSTRUCTION_SELECT, p->reg, p->rm);
		in->other = p->reg;
	} else if (p->opcode == 0x0b || p->opcode == 0xb9 ||
		   p->opcode == 0xff) {
		in->kind = INSTRUCTION_END; /* ud2 and its relatives */
	}
}

bool x86decode(struct instruction *in, const uint8_t *code, size_t left,
	uint64_t address)
{
	struct x86parts p;

	if (!x86parts_take(&p, code, left))
		return false;
	*in = (struct instruction){
		.bytes = (uint8_t)p.at, .written = written(&p)};
	if (!p.vector && p.map == MAP_ONE)
		understand_one_byte(in, &p, address + p.at);
	else if (!p.vector && p.map == MAP_TWO)
		understand_two_bytes(in, &p, address + p.at);
	return true;
}
