/*
 * From a row of call frame tables to a rule, on aarch64.  Included by cfi.c
 * only.  A call leaves its return address in a register; who makes calls in
 * turn has saved it somewhere in the frame.  Frames whose size is a matter of
 * how long vectors are, as the computer has them, are not understood.
 */
#ifndef SHIM_CFI_AARCH64_H
#define SHIM_CFI_AARCH64_H

#include <signal.h>
#include <ucontext.h>

#include "shim/host/sys.h"
#include "shim/unwind/cfi.h"
#include "shim/unwind/cfi_program.h"

/* mov x8, #__NR_rt_sigreturn; svc #0 */
#define TRAMPOLINE_FIRST 0xd2801168u
#define TRAMPOLINE_SECOND 0xd4000001u

struct signal_frame {
	siginfo_t info;
	ucontext_t context;
};

#define PLACE_OF(member)                                                       \
	offsetof(struct signal_frame, context.uc_mcontext.member)

_Static_assert(PLACE_OF(regs[29]) == CFI_SIGNAL_FP, "");
_Static_assert(PLACE_OF(regs[30]) == CFI_SIGNAL_RA, "");
_Static_assert(PLACE_OF(sp) == CFI_SIGNAL_SP, "");
_Static_assert(PLACE_OF(pc) == CFI_SIGNAL_PC, "");

static bool set_fp(const struct cfi_row *row, struct cfi_rule *rule)
{
	switch (row->fp.how) {
	case CFI_HOW_SAME:
		rule->fp = CFI_FP_SAME;
		return true;
	case CFI_HOW_OFFSET:
		rule->fp = CFI_FP_SAVED;
		rule->fp_offset = (int32_t)row->fp.offset;
		return rule->fp_offset == row->fp.offset;
	default:
		rule->fp = CFI_FP_LOST;
		return true;
	}
}

static bool set_ra(const struct cfi_row *row, struct cfi_rule *rule)
{
	if (row->ra.how == CFI_HOW_SAME)
		return true;
	rule->ra_offset = (int32_t)row->ra.offset;
	return row->ra.how == CFI_HOW_OFFSET && rule->ra_offset != 0 &&
	       rule->ra_offset == row->ra.offset;
}

static bool set_cfa(const struct cfi_row *row, struct cfi_rule *rule)
{
	if (row->cfa_register == CFI_REGISTER_SP)
		rule->cfa = CFI_SP;
	else if (row->cfa_register == CFI_REGISTER_FP)
		rule->cfa = CFI_FP;
	else
		return false;
	rule->cfa_offset = (int32_t)row->cfa.offset;
	return row->cfa.how == CFI_HOW_OFFSET &&
	       rule->cfa_offset == row->cfa.offset;
}

static bool is_instruction(uintptr_t address, uint32_t instruction)
{
	return sys_is_readable((const void *)address) &&
	       *(const uint32_t *)address == instruction;
}

/*
 * At or right after `pc`: the two instructions by which libgcc knows it, too.
 */
static bool is_trampoline(uintptr_t pc)
{
	uintptr_t first = (pc + 3) & ~(uintptr_t)3;

	return is_instruction(first, TRAMPOLINE_FIRST) &&
	       is_instruction(first + 4, TRAMPOLINE_SECOND);
}

/* What older kernels say about their trampoline leads astray; they have it
 * where newer ones have it, and it looks the same. */
static struct cfi_rule cfi_machine_rule(
	const struct cfi_row *row, bool signal, uintptr_t pc)
{
	const struct cfi_rule unsupported = {.cfa = CFI_UNSUPPORTED};
	struct cfi_rule rule = {0};

	if (signal)
		return is_trampoline(pc) ? (struct cfi_rule){.cfa = CFI_SIGNAL}
					 : unsupported;
	if (row->ra.how == CFI_HOW_UNDEFINED)
		return (struct cfi_rule){.cfa = CFI_END};
	if (row->sp.how != CFI_HOW_SAME || !set_cfa(row, &rule) ||
		!set_fp(row, &rule) || !set_ra(row, &rule))
		return unsupported;
	return rule;
}

/* What no table tells: the kernel has none for its trampoline. */
static inline struct cfi_rule cfi_machine_untold(uintptr_t pc)
{
	return (struct cfi_rule){
		.cfa = is_trampoline(pc) ? CFI_SIGNAL : CFI_NONE};
}

#endif
