/*
 * What a thread remembers of a call: same place, same format, same stack
 * pointer, and every stack word that the unwinder had read still as it was,
 * means the same backtrace, hence the same context.  That is a proof and not
 * a guess: an unwinder is a function of exactly these inputs.  Two ways per
 * set, and in a large table two sets that a call may be in, so that nearly all
 * of it is used before calls that take turns push each other out; a thread's
 * own, no sharing.
 */
#ifndef SHIM_MEMO_H
#define SHIM_MEMO_H

#include <pthread.h>

#include "shim/host/entry.h"
#include "shim/host/sys.h"
#include "shim/unwind/unwind.h"

/* At first, on few pages; what every thread may have; what is made larger only
 * for calls that come back; and at last. */
#define MEMO_SETS 2u
#define MEMO_SETS_USUAL 128u
#define MEMO_SETS_LARGE 2048u
#define MEMO_SETS_MAX 8192u
#define MEMO_WAYS 2u
#define MEMO_WORDS 64u

/* The FILE that the called function prints to: see stdio_turn.h. */
struct call_turn {
	FILE *file;  /* null: none */
	bool locks;  /* the function takes the lock of the FILE */
	bool drains; /* and what is in its buffer comes first */
	bool lost;   /* others came between: begin again */
	uint8_t tries;
	bool settles; /* a call that is cancelled leaves known text behind */
	FILE *held;   /* locked by us until the call ends, or null */
	struct _pthread_cleanup_buffer cleanup; /* gives it back */
};

/* Where a recorded call was made, as its caller has the registers. */
struct call {
	uintptr_t pc;
	uintptr_t sp;
	uintptr_t fp;
	const char *function;	/* the name that was called */
	const char *format;	/* of which its text was made; null: none */
	struct call_turn *turn; /* null: it does not matter */
	uint8_t entry;		/* ENTRY_... */
};

struct plan;
struct fast_step;

struct memo {
	uintptr_t pc;	  /* 0: free */
	uintptr_t place;  /* of the return address: sp less one word */
	uintptr_t key;	  /* address of a constant format or text, else */
			  /* a hash of the format, or 0 */
	const FILE *file; /* of the call, while `version` holds */
	uint32_t version; /* streams_version when it was on the short way, */
			  /* or 0: see fast.c */
	uint32_t context;
	/* Of fast_x86_64.S: where it compares the stack, and goes on then. */
	const char *check;
	const char *record;
	uint32_t stream;
	uint32_t literal; /* bytes of the text that are always the same */
	struct memo
		*next[ENTRY_COUNT - 1]; /* the one that came after it when */
					/* it was last looked for */
	const struct fast_step *steps;	/* how to copy the arguments */
	const char *check_words;	/* `check`, after that of fp */
	const char *miss; /* where a step that cannot do it goes */
	uintptr_t fp;
	const struct plan *plan; /* how to copy the arguments */
	uint32_t tag;		 /* memo_tag() */
	uint32_t length;	 /* of a constant text */
	uint32_t macros_context; /* with the same stack, for what is found in */
				 /* the buffer before; 0: not known yet */
	uint16_t mix;		 /* of its number: see fast_guess() */
	uint8_t first;		 /* of `word` that is used */
	bool holds_back; /* the stream does, until it is full: what goes on */
			 /* with a line need not be timed */
	bool needs_fp;
	bool special; /* not all calls are recorded, or not as they are: no */
	/* business of the short way */
	uint8_t older; /* of the first of a set: the way to be replaced next */
	uint8_t stack_pages; /* from that of `place` on, without a gap, in */
			     /* which one of the words is: see memo_covers() */
	/* The last ones are used, innermost first. */
	struct unwind_word word[MEMO_WORDS];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct memo) == 1280, "whole cache lines");
_Static_assert(MEMO_WORDS % 4 == 0, "compared by fours");

/* What else two calls must have in common: where to, and how. */
static inline uint32_t memo_tag(
	const struct call *call, unsigned stream, unsigned text)
{
	return stream | text << 12 | (uint32_t)call->entry << 24;
}

static inline unsigned memo_stream(const struct memo *memo)
{
	return memo->stream;
}

static inline unsigned memo_text(const struct memo *memo)
{
	return memo->tag >> 12 & 0xfff;
}

/* ENTRY_... */
static inline unsigned memo_entry(const struct memo *memo)
{
	return memo->tag >> 24;
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
 * By which a set of the table is chosen: all that varies between calls.  A
 * function that prints for many is told apart by who has called it.
 */
static inline __attribute__((always_inline)) unsigned memo_hash(
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
	return (unsigned)(mixed >> 40);
}

/*
 * Innermost first, stopping at the first difference: so nothing is touched
 * that a real unwinding would not touch, too.  By fours: see memo_set_words().
 */
static inline __attribute__((always_inline)) bool memo_same_stack(
	const struct memo *memo, uintptr_t fp)
{
	const struct unwind_word *end = memo->word + MEMO_WORDS;
	const struct unwind_word *word = memo->word + (memo->first & ~3u);

	if (unlikely(memo->needs_fp && memo->fp != fp))
		return false;
	for (; word < end; word += 4)
		if (unlikely(*(const uintptr_t *)word[0].address !=
				     word[0].value ||
			     *(const uintptr_t *)word[1].address !=
				     word[1].value ||
			     *(const uintptr_t *)word[2].address !=
				     word[2].value ||
			     *(const uintptr_t *)word[3].address !=
				     word[3].value))
			return false;
	return true;
}

extern HIDDEN const uintptr_t memo_nothing;

/* Of `place`, which is set, and the words: in the order of addresses. */
static inline uint8_t memo_count_pages(const struct memo *memo)
{
	uintptr_t first = memo->place / SYS_PAGE, last = first;

	for (unsigned i = memo->first; i < MEMO_WORDS; i++) {
		uintptr_t page = memo->word[i].address / SYS_PAGE;

		if (page > last + 1 || last - first == UINT8_MAX - 1)
			break;
		if (page > last)
			last = page;
	}
	return (uint8_t)(last - first + 1);
}

/*
 * After the memo was found: the bytes can be read, since they are on the stack,
 * on pages of which a word has just been read, or the call's return address.
 */
static inline bool memo_covers(
	const struct memo *memo, const void *bytes, size_t size)
{
	uintptr_t first = memo->place / SYS_PAGE;
	uintptr_t start = (uintptr_t)bytes / SYS_PAGE;
	uintptr_t end = ((uintptr_t)bytes + size - 1) / SYS_PAGE;

	return start - first < memo->stack_pages &&
	       end - first < memo->stack_pages;
}

/* The words that the unwinder has read; before them, so that they are fours,
 * words that never change. */
static inline void memo_set_words(
	struct memo *memo, const struct unwind_word *word, unsigned count)
{
	memo->first = (uint8_t)(MEMO_WORDS - count);
	for (unsigned i = 0; i < count; i++)
		memo->word[memo->first + i] = word[i];
	for (unsigned i = memo->first & ~3u; i < memo->first; i++)
		memo->word[i] = (struct unwind_word){
			(uintptr_t)&memo_nothing, memo_nothing};
	memo->stack_pages = memo_count_pages(memo);
}

/* Nothing is known of what comes after it. */
static inline void memo_prepare(struct memo *memo, struct memo *spare)
{
	for (unsigned i = 0; i < ENTRY_COUNT - 1; i++)
		memo->next[i] = spare;
}

static inline __attribute__((always_inline)) bool memo_matches(
	const struct memo *memo, const struct call *call, uintptr_t key,
	uint32_t tag)
{
	return memo->pc == call->pc && memo->key == key &&
	       memo->place == call->sp - sizeof(uintptr_t) &&
	       memo->tag == tag && memo_same_stack(memo, call->fp);
}

/* The entry for this call, which now is the last of its set to be replaced;
 * null: none. */
static inline __attribute__((always_inline)) struct memo *memo_find(
	struct memo set[MEMO_WAYS], const struct call *call, uintptr_t key,
	uint32_t tag)
{
	for (unsigned way = 0; way < MEMO_WAYS; way++)
		if (likely(memo_matches(&set[way], call, key, tag))) {
			set[0].older = !way;
			return &set[way];
		}
	return NULL;
}

static inline bool memo_is_full(const struct memo set[MEMO_WAYS])
{
	return set[0].pc && set[1].pc;
}

/* One that is free, else the one that was not used last; its content counts for
 * nothing any more. */
static inline struct memo *memo_replace(struct memo set[MEMO_WAYS])
{
	unsigned way = memo_is_full(set) ? set[0].older : set[0].pc != 0;
	struct memo *memo = &set[way];

	memo->pc = 0;
	SIGNAL_FENCE();
	set[0].older = !way;
	return memo;
}

#endif
