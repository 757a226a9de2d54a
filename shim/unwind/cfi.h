/*
 * Call frame information: from a program counter to the rule by which its
 * frame is left.  Called by the cfi unwinder for every program
 * counter that it meets for the first time.  Promises no lock, no allocation,
 * no system call, less than 1 KiB of stack, to be safe in signal handlers,
 * and to come to an end and stay inside the module on damaged tables.
 */
#ifndef SHIM_CFI_H
#define SHIM_CFI_H

#include <stdint.h>

/* How the canonical frame address (sp after the return) is found. */
enum cfi_cfa {
	CFI_NONE,	 /* no table knows this program counter */
	CFI_END,	 /* outermost frame: it says so itself */
	CFI_SP,		 /* sp + cfa_offset */
	CFI_FP,		 /* fp + cfa_offset */
	CFI_FP_DEREF,	 /* the word at fp + cfa_offset: realigned stack */
	CFI_SIGNAL,	 /* at sp are the registers: cfi_machine.h */
	CFI_UNSUPPORTED, /* there is a rule, of a kind not understood */
};

/* Where the caller's frame pointer is. */
enum cfi_fp {
	CFI_FP_SAME,  /* still in the register */
	CFI_FP_SAVED, /* at CFA + fp_offset */
	CFI_FP_AT_FP, /* at fp + fp_offset */
	CFI_FP_LOST,  /* not known, or in a way not understood */
};

/*
 * The caller's sp is the CFA, and on x86-64 the return address is at CFA - 8:
 * a frame where that is not so is CFI_UNSUPPORTED.  All zeros is CFI_NONE.
 */
struct cfi_rule {
	int32_t cfa_offset;
#if defined(__x86_64__)
	int16_t fp_offset;
#else
	int32_t fp_offset;
	int32_t ra_offset; /* of the return address, from the CFA; 0: it is
			      still in its register */
#endif
	uint8_t cfa; /* enum cfi_cfa */
	uint8_t fp;  /* enum cfi_fp */
};

/* The tables of one module, and the memory that they may refer to. */
struct cfi_module {
	const unsigned char *header; /* its .eh_frame_hdr */
	uintptr_t low, high;
};

/*
 * The rule for the instruction at or around `pc`: for a return address pass
 * the address minus one, so that a call at the very end of a function is
 * found in that function.
 */
struct cfi_rule cfi_find(uintptr_t pc);

/* The same within one module's tables, which need not be in use. */
struct cfi_rule cfi_search(const struct cfi_module *module, uintptr_t pc);

#endif
