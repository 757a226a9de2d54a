/*
 * What a thread remembers of a call: same place, same format, same stack
 * pointer, and every stack word that the unwinder had read still as it was,
 * means the same backtrace, hence the same context.  That is a proof and not
 * a guess: an unwinder is a function of exactly these inputs.  Two ways per
 * set, the most recent first; a thread's own, no sharing.
 */
#ifndef SHIM_MEMO_H
#define SHIM_MEMO_H

#include "shim/unwind.h"

#define MEMO_SETS 128u
#define MEMO_WAYS 2u
#define MEMO_WORDS 32u

/* The FILE that the called function prints to: see stdio_turn.h. */
struct call_turn {
	FILE *file;  /* null: none */
	bool locks;  /* the function takes the lock of the FILE */
	bool drains; /* and what is in its buffer comes first */
	bool lost;   /* others came between: begin again */
	uint8_t tries;
	FILE *held; /* locked by us until the call ends, or null */
};

/* Where a recorded call was made, as its caller has the registers. */
struct call {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t fp;
	const char *function;	/* the name that was called */
	struct call_turn *turn; /* null: it does not matter */
};

struct plan;

struct memo {
	uintptr_t pc; /* 0: free */
	uintptr_t sp;
	uintptr_t key;	/* address of a constant format or text, else */
			/* a hash of the format, or 0 */
	uint64_t where; /* memo_where() of the call, while `version` holds */
	const struct plan *plan; /* how to copy the arguments */
	uint32_t context;
	uint32_t tag;	  /* memo_tag() */
	uint32_t length;  /* of a constant text */
	uint32_t version; /* streams_version when it was on the short way, */
			  /* or 0: see fast.c */
	uint8_t words;
	bool holds_back; /* the stream does, until it is full: what goes on */
			 /* with a line need not be timed */
	bool needs_fp;
	uint16_t mix; /* of its number: see fast_guess() */
	uintptr_t fp;
	uint32_t macros_context; /* with the same stack, for what is found in */
				 /* the buffer before; 0: not known yet */
	struct unwind_word word[MEMO_WORDS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct memo) == 640, "whole cache lines");
_Static_assert(MEMO_WORDS % 4 == 0, "compared by fours");

/* What else two calls must have in common: where to, and how. */
static inline uint32_t memo_tag(unsigned stream, unsigned text)
{
	return stream | text << 12;
}

static inline unsigned memo_stream(const struct memo *memo)
{
	return memo->tag & 0xfff;
}

/* The same as the caller sees it, who knows no numbers of streams. */
static inline uint64_t memo_where(const FILE *file, unsigned text)
{
	return (uintptr_t)file ^ (uint64_t)text << 56;
}

/* Where the code at a pc has its own return address: see struct unwind_trace.
 * All zeros is none. */
struct memo_caller {
	uintptr_t pc;
	int32_t offset;
	bool by_fp;
};

#define MEMO_CALLERS 64u

static inline unsigned memo_caller_slot(uintptr_t pc)
{
	return (unsigned)(pc * 0x9e3779b97f4a7c15u >> 58) % MEMO_CALLERS;
}

/*
 * One set of the table: by all that varies between calls.  A function that
 * prints for many is told apart by who has called it.
 */
static inline __attribute__((always_inline)) unsigned memo_set_of(
	const struct memo_caller *callers, uintptr_t pc, uintptr_t sp,
	uintptr_t fp, uintptr_t key, uint32_t tag)
{
	const struct memo_caller *caller = &callers[memo_caller_slot(pc)];
	uintptr_t by = 0;
	uint64_t mixed;

	if (likely(caller->pc == pc))
		by = *(const uintptr_t *)((caller->by_fp ? fp : sp) +
					  (uintptr_t)(intptr_t)caller->offset);
	mixed = (pc ^ by << 13 ^ key << 17 ^ key >> 7 ^ sp << 31 ^
			(uint64_t)tag << 5) *
		0x9e3779b97f4a7c15u;
	return (unsigned)(mixed >> 57) % MEMO_SETS;
}

/*
 * Innermost first, stopping at the first difference: so nothing is touched
 * that a real unwinding would not touch, too.  By fours: see memo_fill_up().
 */
static inline __attribute__((always_inline)) bool memo_same_stack(
	const struct memo *memo, uintptr_t fp)
{
	const struct unwind_word *word = memo->word;
	const struct unwind_word *end = word + memo->words;

	if (unlikely(memo->needs_fp && memo->fp != fp))
		return false;
	do {
		if (unlikely(*(const uintptr_t *)word[0].address !=
				     word[0].value ||
			     *(const uintptr_t *)word[1].address !=
				     word[1].value ||
			     *(const uintptr_t *)word[2].address !=
				     word[2].value ||
			     *(const uintptr_t *)word[3].address !=
				     word[3].value))
			return false;
		word += 4;
	} while (word < end);
	return true;
}

extern HIDDEN const uintptr_t memo_nothing;

/* The words of a memo, which are as yet as many as the unwinder has read: the
 * rest of the last four are words that never change. */
static inline void memo_fill_up(struct memo *memo)
{
	for (unsigned i = memo->words; i == 0 || i % 4; i++)
		memo->word[i] = (struct unwind_word){
			(uintptr_t)&memo_nothing, memo_nothing};
}

static inline __attribute__((always_inline)) bool memo_matches(
	const struct memo *memo, const struct call *call, uintptr_t key,
	uint32_t tag)
{
	return memo->pc == call->pc && memo->key == key &&
	       memo->sp == call->sp && memo->tag == tag &&
	       memo_same_stack(memo, call->fp);
}

/* Fills an entry whose pc is 0; its pc last. */
static inline void memo_assign(struct memo *to, const struct memo *from)
{
	uintptr_t pc = from->pc;

	__builtin_memcpy((char *)to + sizeof(pc),
		(const char *)from + sizeof(pc), sizeof(*to) - sizeof(pc));
	SIGNAL_FENCE();
	to->pc = pc;
}

/*
 * Moves the second entry of a set to its front.  There is no moment at which a
 * handler that jumps away leaves a mixture.
 */
struct memo *memo_promote(struct memo set[MEMO_WAYS]);

/* The entry for this call, moved to the front of its set; null: none. */
static inline __attribute__((always_inline)) struct memo *memo_find(
	struct memo set[MEMO_WAYS], const struct call *call, uintptr_t key,
	uint32_t tag)
{
	if (likely(memo_matches(&set[0], call, key, tag)))
		return &set[0];
	return memo_matches(&set[1], call, key, tag) ? memo_promote(set) : NULL;
}

#endif
