/*
 * One machine instruction, reduced to what matters when a register's value is
 * to be traced back: where control goes, what is copied where, which registers
 * change.  Made by x86decode.c and armdecode.c, read by codeflow.c.  Promises
 * that a register that is not in `written` has kept its value.
 */
#ifndef SYMBOLIZER_INSTRUCTION_H
#define SYMBOLIZER_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are those of the machine code. */
#define INSTRUCTION_REGISTERS 32
#define INSTRUCTION_NO_REGISTER 255

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_CONSTANT,	   /* to = value */
	INSTRUCTION_COPY,	   /* to = from */
	INSTRUCTION_ADD,	   /* to = from + value */
	INSTRUCTION_SELECT,	   /* to = from, or to = other */
	INSTRUCTION_LOAD,	   /* to = *(from + value), 8 bytes */
	INSTRUCTION_STORE,	   /* *(to + value) = from, 8 bytes; no */
				   /* register: a number that is no address */
	INSTRUCTION_LOAD_PAIR,	   /* likewise, and other from what follows */
	INSTRUCTION_STORE_PAIR,	   /* likewise, and what follows = other */
	INSTRUCTION_STORE_VECTOR,  /* *(to + value) = a register for vectors: */
				   /* from, and other, of one number */
	INSTRUCTION_PUSH,	   /* from, or value, onto the stack */
	INSTRUCTION_PUSH_LOADED,   /* *(from + value), likewise */
	INSTRUCTION_POP,	   /* to, from there */
	/* from here on control may go elsewhere: */
	INSTRUCTION_CALL,	   /* value */
	INSTRUCTION_CALL_REGISTER, /* from, or somewhere */
	INSTRUCTION_CALL_LOADED,   /* *(from + value) */
	INSTRUCTION_BRANCH,	   /* value, or what follows */
	INSTRUCTION_JUMP,	   /* value */
	INSTRUCTION_JUMP_REGISTER, /* from, or somewhere */
	INSTRUCTION_JUMP_LOADED,   /* *(from + value) */
	INSTRUCTION_END,	   /* what follows is not reached from here, */
	INSTRUCTION_RETURN,	   /* nor here */
};

struct instruction {
	uint64_t value;
	uint32_t written; /* a bit for each register that may change, but for */
			  /* what a called function changes */
	uint8_t bytes;	  /* its length */
	uint8_t kind;	  /* enum instruction_kind */
	uint8_t to;
	uint8_t from; /* INSTRUCTION_NO_REGISTER in a sum: `value` alone */
	uint8_t other;
};

/*
 * The instruction that begins at `code`, of which `left` bytes are there, and
 * which is loaded at `address`.  False: there is none.
 */
typedef bool instruction_decode(struct instruction *instruction,
	const uint8_t *code, size_t left, uint64_t address);

#endif
