/*
 * The pointers of an ELF file that the loader fills in: which function of
 * another file, or which address of its own.  Called by codeflow.c and
 * callsites.c to know what an indirect call calls.  Promises to keep only
 * functions, and pointers that never change after the start.
 */
#ifndef SYMBOLIZER_IMPORTS_H
#define SYMBOLIZER_IMPORTS_H

#include "symbolizer/code/instruction.h"
#include "symbolizer/elf/elffile.h"

struct constantdata {
	struct elffile *file; /* stays the caller's */
	uint8_t **sections;   /* null: not read yet, or not there */
	bool *tried;
	size_t last; /* section asked for last */
};

/* False when out of memory. */
bool constantdata_open(struct constantdata *data, struct elffile *file);
void constantdata_close(struct constantdata *data);

/*
 * The bytes at `address` and how many follow in the same section.  Null: there
 * are none.  Valid until constantdata_close().
 */
const uint8_t *constantdata_at(
	struct constantdata *data, uint64_t address, size_t *left);

/* Likewise a string, without its NUL.  Null: it does not end. */
const uint8_t *constantdata_string(
	struct constantdata *data, uint64_t address, size_t *bytes);

/* Likewise a wide one; *bytes is a multiple of 4. */
const uint8_t *constantdata_wide(
	struct constantdata *data, uint64_t address, size_t *bytes);

#define IMPORTS_NONE (-1)

enum imports_what {
	IMPORTS_TEXT,
	IMPORTS_WIDE,
	IMPORTS_BYTES,
	IMPORTS_CHARACTER,
	IMPORTS_WIDE_CHARACTER,
	IMPORTS_TRANSLATION,
	IMPORTS_FORMAT,
	IMPORTS_OUTPUT,
	IMPORTS_OTHER,
};

/* A line of printers.def. */
struct imports_function {
	const char *name;
	uint8_t what; /* enum imports_what */
	bool ends;
	int8_t text;
	int8_t size;
	int8_t count;
};

static inline bool imports_prints(const struct imports_function *function)
{
	return function->what < IMPORTS_TRANSLATION;
}

struct imports_slot {
	uint64_t address;
	const struct imports_function *function; /* null: `value` is there, */
						 /* an address in this file; */
	uint64_t value; /* 0: another function of another file */
	char *name;	/* of that; null: none */
};

struct imports {
	struct constantdata *data; /* stays the caller's */
	instruction_decode *decode;
	struct imports_slot *slots; /* by address */
	size_t count;
	size_t room;
	bool print; /* any of them */
};

/* False when out of memory; what is damaged has no imports. */
bool imports_load(struct imports *imports, struct constantdata *data,
	instruction_decode *decode);
void imports_free(struct imports *imports);

/* What is loaded from `address`.  Null: not known, or not constant. */
const struct imports_slot *imports_slot_at(
	const struct imports *imports, uint64_t address);

/*
 * The function that a call or jump with a constant target leads to, directly
 * or through a stub.  Null: none that is known.
 */
const struct imports_function *imports_called(
	const struct imports *imports, const struct instruction *instruction);

/* Likewise the pointer that it leads through.  Null: none, or not known. */
const struct imports_slot *imports_slot_of(
	const struct imports *imports, const struct instruction *instruction);

/* Likewise the address of a function of this file, or 0. */
uint64_t imports_target(
	const struct imports *imports, const struct instruction *instruction);

#endif
