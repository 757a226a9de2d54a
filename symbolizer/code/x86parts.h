/*
 * An instruction of x86-64, taken apart: prefixes, opcode, operands, length.
 * Called by x86decode.c alone, which says what it does.  Promises to read no
 * byte beyond those it is given, and to fail where there is no instruction.
 */
#ifndef SYMBOLIZER_X86PARTS_H
#define SYMBOLIZER_X86PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Sets *parts; false: these bytes begin no instruction.  `at` is its length. */
bool x86parts_take(struct x86parts *parts, const uint8_t *code, size_t left);

/* The operands are of 64 bits. */
static inline bool x86parts_is_wide(const struct x86parts *parts)
{
	return parts->rex & 8;
}

#endif
