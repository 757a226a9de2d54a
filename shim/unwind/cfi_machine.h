/*
 * What the ABI of a processor says about frames: the numbers of registers in
 * call frame tables, and what a signal leaves on the stack.  Used by the cfi
 * files and the unwinder, which have no other numbers of this kind.  Promises
 * nothing about the tables of a program: see cfi.h.
 */
#ifndef SHIM_CFI_MACHINE_H
#define SHIM_CFI_MACHINE_H

#if defined(__x86_64__)

/* DWARF numbers of registers. */
enum {
	CFI_REGISTER_FP = 6,
	CFI_REGISTER_SP = 7,
	CFI_REGISTER_RA = 16,
};

/* From the stack pointer of a signal's trampoline, which is the address of a
 * struct ucontext, to registers of the interrupted program. */
enum {
	CFI_SIGNAL_FP = 120,
	CFI_SIGNAL_SP = 160,
	CFI_SIGNAL_PC = 168,
};

/* Below sp, and still the property of a function that calls nothing. */
#define CFI_RED_ZONE 128

#else /* aarch64 */

enum {
	CFI_REGISTER_FP = 29,
	CFI_REGISTER_RA = 30, /* x30, the link register */
	CFI_REGISTER_SP = 31,
};

/* There are 128 bytes of siginfo_t before the struct ucontext. */
enum {
	CFI_SIGNAL_FP = 128 + 416,
	CFI_SIGNAL_RA = 128 + 424,
	CFI_SIGNAL_SP = 128 + 432,
	CFI_SIGNAL_PC = 128 + 440,
};

#define CFI_RED_ZONE 0

#endif
#endif
