/*
 * From a row of call frame tables to a rule, on x86-64.  Included by cfi.c
 * only.  Promises that every rule but the unsupported has its return address
 * right below the CFA, where the call has pushed it.
 */
#ifndef SHIM_CFI_X86_64_H
#define SHIM_CFI_X86_64_H

#include "shim/unwind/cfi.h"
#include "shim/unwind/cfi_program.h"

/* DWARF expressions: DW_OP_*. */
enum {
	OP_DEREF = 0x06,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
};

/* An expression that is register + offset, and then `tail`. */
static bool is_based(const struct cfi_place *place, uint8_t number,
	const char *tail, size_t tail_size, int64_t *offset)
{
	struct cfi_bytes bytes;

	if (place->how != CFI_HOW_EXPRESSION)
		return false;
	bytes = (struct cfi_bytes){
		.at = place->expression,
		.end = place->expression + place->size,
	};
	if (cfi_bytes_take(&bytes, 1) != (uint64_t)OP_BREG0 + number)
		return false;
	*offset = cfi_bytes_sleb(&bytes);
	if (bytes.bad || cfi_bytes_left(&bytes) != tail_size)
		return false;
	for (size_t i = 0; i < tail_size; i++)
		if (bytes.at[i] != (unsigned char)tail[i])
			return false;
	return true;
}

static bool is_ucontext_word(const struct cfi_place *place, int64_t offset)
{
	int64_t found;

	return is_based(place, CFI_REGISTER_SP, "", 0, &found) &&
	       found == offset;
}

/* As the trampoline of libc describes the frame that the kernel has made. */
static bool is_signal_row(const struct cfi_row *row)
{
	static const char deref[] = {OP_DEREF};
	int64_t found;

	return is_based(&row->cfa, CFI_REGISTER_SP, deref, 1, &found) &&
	       found == CFI_SIGNAL_SP &&
	       is_ucontext_word(&row->sp, CFI_SIGNAL_SP) &&
	       is_ucontext_word(&row->fp, CFI_SIGNAL_FP) &&
	       is_ucontext_word(&row->ra, CFI_SIGNAL_PC);
}

/*
 * The linker's own rule for a procedure linkage table, whose entries of 16
 * bytes push one word: sp + 8 + ((pc & 15) >= n) * 8.
 */
static bool is_plt_row(
	const struct cfi_row *row, uintptr_t pc, struct cfi_rule *rule)
{
	/* pc, lit15, and, lit n, ge, lit3, shl, plus */
	char tail[] = {(char)0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x22};
	int64_t offset;

	for (unsigned n = 0; n < 16; n++) {
		tail[4] = (char)(OP_LIT0 + n);
		if (!is_based(&row->cfa, CFI_REGISTER_SP, tail, sizeof(tail),
			    &offset))
			continue;
		rule->cfa = CFI_SP;
		rule->cfa_offset = 8 + ((pc & 15) >= n ? 8 : 0);
		return offset == 8;
	}
	return false;
}

static void set_fp(const struct cfi_row *row, struct cfi_rule *rule)
{
	int64_t offset = 0;

	switch (row->fp.how) {
	case CFI_HOW_SAME:
		rule->fp = CFI_FP_SAME;
		break;
	case CFI_HOW_OFFSET:
		rule->fp = CFI_FP_SAVED;
		offset = row->fp.offset;
		break;
	default:
		rule->fp = is_based(&row->fp, CFI_REGISTER_FP, "", 0, &offset)
				   ? CFI_FP_AT_FP
				   : CFI_FP_LOST;
	}
	rule->fp_offset = (int16_t)offset;
	if (rule->fp_offset != offset)
		rule->fp = CFI_FP_LOST;
}

static bool set_cfa(
	const struct cfi_row *row, uintptr_t pc, struct cfi_rule *rule)
{
	static const char deref[] = {OP_DEREF};
	int64_t offset;

	if (row->cfa.how == CFI_HOW_OFFSET) {
		if (row->cfa_register == CFI_REGISTER_SP)
			rule->cfa = CFI_SP;
		else if (row->cfa_register == CFI_REGISTER_FP)
			rule->cfa = CFI_FP;
		else
			return false;
		offset = row->cfa.offset;
	} else if (is_based(&row->cfa, CFI_REGISTER_FP, deref, 1, &offset)) {
		rule->cfa = CFI_FP_DEREF;
	} else {
		return is_plt_row(row, pc, rule);
	}
	rule->cfa_offset = (int32_t)offset;
	return rule->cfa_offset == offset;
}

static struct cfi_rule cfi_machine_rule(
	const struct cfi_row *row, bool signal, uintptr_t pc)
{
	const struct cfi_rule unsupported = {.cfa = CFI_UNSUPPORTED};
	struct cfi_rule rule = {0};

	if (row->ra.how == CFI_HOW_UNDEFINED)
		return (struct cfi_rule){.cfa = CFI_END};
	if (signal)
		return is_signal_row(row) ? (struct cfi_rule){.cfa = CFI_SIGNAL}
					  : unsupported;
	if (row->ra.how != CFI_HOW_OFFSET || row->ra.offset != -8 ||
		row->sp.how != CFI_HOW_SAME || !set_cfa(row, pc, &rule))
		return unsupported;
	set_fp(row, &rule);
	return rule;
}

/* What no table tells. */
static inline struct cfi_rule cfi_machine_untold(uintptr_t pc)
{
	(void)pc;
	return (struct cfi_rule){0};
}

#endif
