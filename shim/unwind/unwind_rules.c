#include "shim/unwind/unwind_rules.h"

/* The slots that are in use at first, and so many losses until all are. */
#define SLOTS_FIRST (1u << UNWIND_RULES_BITS_FIRST)
#define LOSSES_MAX (SLOTS_FIRST / 4)

/* A whole word of a frame of `size` bytes. */
static bool is_inside(uintptr_t offset, uintptr_t size)
{
	return offset % sizeof(uintptr_t) == 0 && offset < size;
}

static bool is_plain(struct cfi_rule rule)
{
	uintptr_t size = (uintptr_t)(intptr_t)rule.cfa_offset;
	int32_t return_offset = unwind_rules_return(rule);
	uintptr_t ra = size + (uintptr_t)(intptr_t)return_offset;
	uintptr_t fp = size + (uintptr_t)(intptr_t)rule.fp_offset;

	return rule.cfa == CFI_SP && rule.cfa_offset > 0 &&
	       size % sizeof(uintptr_t) == 0 && return_offset != 0 &&
	       is_inside(ra, size) &&
	       (rule.fp == CFI_FP_SAME ||
		       (rule.fp == CFI_FP_SAVED && is_inside(fp, size)));
}

/* The empty one of the two for `pc`, or else its first one. */
static struct unwind_slot *choose(struct unwind_rules *rules, uintptr_t pc)
{
	struct unwind_slot *first = unwind_rules_slot(rules, pc);
	struct unwind_slot *other = &rules->slot[(first - rules->slot) ^ 1];

	return first->pc != UNWIND_RULES_NO_PC &&
			       other->pc == UNWIND_RULES_NO_PC
		       ? other
		       : first;
}

/* The slot for `pc`, of all once too many of the first ones were taken. */
static struct unwind_slot *make_room(struct unwind_rules *rules, uintptr_t pc)
{
	if (!rules->is_grown && choose(rules, pc)->pc != UNWIND_RULES_NO_PC)
		rules->is_grown = ++rules->losses > LOSSES_MAX;
	return choose(rules, pc);
}

COLD struct cfi_rule unwind_rules_learn(
	struct unwind_rules *rules, uintptr_t pc)
{
	struct unwind_slot *slot = make_room(rules, pc);
	struct cfi_rule rule = cfi_find(pc);

	slot->pc = UNWIND_RULES_NO_PC;
	SIGNAL_FENCE();
	slot->rule = rule;
	slot->caller = is_plain(rule) ? slot : NULL;
	SIGNAL_FENCE();
	slot->pc = pc;
	return rule;
}

void unwind_rules_forget(struct unwind_rules *rules)
{
	const unsigned used = 1u << (rules->is_grown ? UNWIND_RULES_BITS
						     : UNWIND_RULES_BITS_FIRST);

	for (unsigned i = 0; i < used; i++)
		rules->slot[i] = (struct unwind_slot){0};
}
