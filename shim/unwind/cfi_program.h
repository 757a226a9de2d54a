/*
 * Runs call frame programs: the instructions of a CIE and an FDE, up to the
 * row that holds for one program counter.  Called by cfi.c.  Follows only the
 * registers that a walk needs (CFA, sp, fp, return address); a program that is
 * damaged, or nests deeper than four states, fails.
 */
#ifndef SHIM_CFI_PROGRAM_H
#define SHIM_CFI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/unwind/cfi_machine.h"

struct cfi_bytes {
	const unsigned char *at;
	const unsigned char *end;
	bool bad;
};

/* Encodings of pointers: DW_EH_PE_* of the Linux Standard Base. */
enum {
	CFI_ENCODING_FORMAT = 0x0f,
	CFI_ENCODING_BASE = 0x70,
	CFI_ENCODING_INDIRECT = 0x80,
	CFI_BASE_ABSOLUTE = 0x00,
	CFI_BASE_HERE = 0x10,
	CFI_BASE_DATA = 0x30,
	CFI_ENCODING_OMIT = 0xff,
};

static inline size_t cfi_bytes_left(const struct cfi_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

static inline void cfi_bytes_fail(struct cfi_bytes *bytes)
{
	bytes->at = bytes->end;
	bytes->bad = true;
}

static inline void cfi_bytes_skip(struct cfi_bytes *bytes, uint64_t size)
{
	if (size > cfi_bytes_left(bytes))
		cfi_bytes_fail(bytes);
	else
		bytes->at += size;
}

/* A part of its own: the next `size` bytes, which are skipped. */
static inline struct cfi_bytes cfi_bytes_part(
	struct cfi_bytes *bytes, uint64_t size)
{
	struct cfi_bytes part = {.at = bytes->at};

	cfi_bytes_skip(bytes, size);
	part.end = bytes->bad ? part.at : bytes->at;
	part.bad = bytes->bad;
	return part;
}

/* Little-endian numbers; an odd size is an error. */
static inline uint64_t cfi_bytes_take(struct cfi_bytes *bytes, size_t size)
{
	const unsigned char *at = bytes->at;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	cfi_bytes_skip(bytes, size);
	if (bytes->bad)
		return 0;
	switch (size) {
	case 1:
		return *at;
	case 2:
		__builtin_memcpy(&two, at, sizeof(two));
		return two;
	case 4:
		__builtin_memcpy(&four, at, sizeof(four));
		return four;
	case 8:
		__builtin_memcpy(&eight, at, sizeof(eight));
		return eight;
	}
	cfi_bytes_fail(bytes);
	return 0;
}

static inline uint64_t cfi_bytes_uleb(struct cfi_bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)cfi_bytes_take(bytes, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static inline int64_t cfi_bytes_sleb(struct cfi_bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)cfi_bytes_take(bytes, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* The number of a pointer encoding, without its base. */
static inline uint64_t cfi_bytes_number(
	struct cfi_bytes *bytes, uint8_t encoding)
{
	switch (encoding & CFI_ENCODING_FORMAT) {
	case 0x00:
	case 0x04:
	case 0x0c:
		return cfi_bytes_take(bytes, 8);
	case 0x01:
		return cfi_bytes_uleb(bytes);
	case 0x02:
		return cfi_bytes_take(bytes, 2);
	case 0x03:
		return cfi_bytes_take(bytes, 4);
	case 0x09:
		return (uint64_t)cfi_bytes_sleb(bytes);
	case 0x0a:
		return (uint64_t)(int16_t)cfi_bytes_take(bytes, 2);
	case 0x0b:
		return (uint64_t)(int32_t)cfi_bytes_take(bytes, 4);
	}
	cfi_bytes_fail(bytes);
	return 0;
}

/* An encoded pointer; `data` is the base of the data-relative ones. */
static inline uintptr_t cfi_bytes_pointer(
	struct cfi_bytes *bytes, uint8_t encoding, uintptr_t data)
{
	uintptr_t here = (uintptr_t)bytes->at;
	uintptr_t number = cfi_bytes_number(bytes, encoding);

	switch (encoding & (CFI_ENCODING_BASE | CFI_ENCODING_INDIRECT)) {
	case CFI_BASE_ABSOLUTE:
		return number;
	case CFI_BASE_HERE:
		return here + number;
	case CFI_BASE_DATA:
		return data + number;
	}
	cfi_bytes_fail(bytes);
	return 0;
}

/* How the caller's value of a register is found. */
enum cfi_how {
	CFI_HOW_SAME,	   /* no rule, or: unchanged */
	CFI_HOW_UNDEFINED, /* there is none */
	CFI_HOW_OFFSET,	   /* at CFA + offset; for the CFA: register + offset */
	CFI_HOW_EXPRESSION, /* at the address that a DWARF expression yields */
	CFI_HOW_OTHER,	    /* in a register, or computed */
};

struct cfi_place {
	uint8_t how;   /* enum cfi_how */
	uint32_t size; /* of the expression */
	union {
		int64_t offset;
		const unsigned char *expression;
	};
};

struct cfi_row {
	uint64_t cfa_register;
	struct cfi_place cfa, sp, fp, ra;
};

/* What a CIE says about the programs of its FDEs. */
struct cfi_common {
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding; /* of pointers */
	bool augmented;	  /* FDEs carry augmentation data */
	bool signal;	  /* frames of signal trampolines */
	struct cfi_bytes program;
};

/*
 * The row for `pc` of the FDE that begins at `start` and has `program`.
 * False when it cannot be known.
 */
bool cfi_program_run(const struct cfi_common *common, struct cfi_bytes program,
	uintptr_t start, uintptr_t pc, struct cfi_row *row);

#endif
