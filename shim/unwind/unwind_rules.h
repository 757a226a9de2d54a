/*
 * What is remembered of program counters: the rule by which a frame is left,
 * and whom it returned to last.  Used by unwind_cfi.c, a table for each writer,
 * which is empty when all its bytes are zero.  Promises what cfi.h does, and
 * that a handler which interrupts this, or jumps out of it, leaves or finds no
 * program counter with the rule of another.
 */
#ifndef SHIM_UNWIND_RULES_H
#define SHIM_UNWIND_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/host/inside.h"
#include "shim/unwind/cfi.h"

/* Programs log from a few hundred program counters, most from a few: the table
 * begins small, so that those touch one page of it. */
#define UNWIND_RULES_BITS_FIRST 6
#define UNWIND_RULES_BITS 10

/* In a slot: nothing.  No code is there, and nothing returns to behind it. */
#define UNWIND_RULES_NO_PC ((uintptr_t)0)

struct unwind_slot {
	uintptr_t pc;		    /* as cfi_find() takes it */
	struct unwind_slot *caller; /* null: see unwind_rules_plain() */
	struct cfi_rule rule;
};

struct unwind_rules {
	bool is_grown;	 /* all slots are in use */
	uint16_t losses; /* rules that have given way to others before that */
	struct unwind_slot slot[1u << UNWIND_RULES_BITS];
};

/* Finds the rule for `pc`, as cfi_find(), and remembers it. */
struct cfi_rule unwind_rules_learn(struct unwind_rules *rules, uintptr_t pc);

/* All of it: a library was unloaded. */
void unwind_rules_forget(struct unwind_rules *rules);

/* Of the return address, from the CFA; 0: it is not in memory. */
static inline int32_t unwind_rules_return(struct cfi_rule rule)
{
#if defined(__x86_64__)
	(void)rule;
	return -(int32_t)sizeof(uintptr_t);
#else
	return rule.ra_offset;
#endif
}

/* One of the two slots that `pc` may be in: the one that it is in, or else the
 * first. */
static inline struct unwind_slot *unwind_rules_slot(
	struct unwind_rules *rules, uintptr_t pc)
{
	unsigned bits =
		rules->is_grown ? UNWIND_RULES_BITS : UNWIND_RULES_BITS_FIRST;
	unsigned i = (unsigned)(pc * 0x9e3779b97f4a7c15u >> (64 - bits));

	return &rules->slot[unlikely(rules->slot[i].pc != pc) &&
					    rules->slot[i ^ 1].pc == pc
				    ? i ^ 1
				    : i];
}

static inline struct cfi_rule unwind_rules_find(
	struct unwind_rules *rules, uintptr_t pc)
{
	const struct unwind_slot *slot = unwind_rules_slot(rules, pc);

	return likely(slot->pc == pc) ? slot->rule
				      : unwind_rules_learn(rules, pc);
}

/*
 * The slot if it knows `pc`, and its frame is plain: of a known size, with
 * everything in it that has to be.  Else null.
 */
static inline struct unwind_slot *unwind_rules_plain(
	struct unwind_slot *slot, uintptr_t pc)
{
	return slot->pc == pc && slot->caller ? slot : NULL;
}

/*
 * The same for `pc` where the plain frame of `callee` returns to.  It is
 * guessed to be that of the last time, so that the loads of one frame need not
 * wait for those of the one before.
 */
static inline struct unwind_slot *unwind_rules_caller(
	struct unwind_rules *rules, struct unwind_slot *callee, uintptr_t pc)
{
	struct unwind_slot *slot = callee->caller;

	if (unlikely(slot->pc != pc)) {
		slot = unwind_rules_slot(rules, pc);
		if (slot->pc == pc)
			callee->caller = slot;
	}
	return unwind_rules_plain(slot, pc);
}

#endif
