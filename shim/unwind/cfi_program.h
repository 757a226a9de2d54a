/*
 * Runs call frame programs: the instructions of a CIE and an FDE, up to the
 * row that holds for one program counter.  Called by cfi.c.  Follows only the
 * registers that a walk needs (CFA, sp, fp, return address); a program that is
 * damaged, or nests deeper than four states, fails.
 */
#ifndef SHIM_CFI_PROGRAM_H
#define SHIM_CFI_PROGRAM_H

#include "shim/unwind/cfi_bytes.h"
#include "shim/unwind/cfi_machine.h"

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
