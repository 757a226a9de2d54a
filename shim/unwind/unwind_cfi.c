#include "shim/unwind/unwind_backend.h"

#include <errno.h>
#include <stddef.h>

#include "shim/host/inside.h"
#include "shim/host/sys.h"
#include "shim/unwind/cfi.h"
#include "shim/unwind/cfi_machine.h"
#include "shim/unwind/unwind_rules.h"

#define PAGE ((uintptr_t)4096)
/* Frames larger than this make the proven range begin anew. */
#define PAGES_BRIDGED 32
struct unwind_cache {
	/* Proven readable: this part of the stack last walked. */
	uintptr_t low, high;
	struct unwind_rules rules;
};

_Static_assert(sizeof(struct unwind_cache) <= UNWIND_CACHE_BYTES,
	"the caller provides so much");

/* The frame pointer: read only when something depends on it. */
enum fp_state {
	FP_START, /* as it was at the start */
	FP_KNOWN,
	FP_SAVED, /* at `fp`, not read so far */
	FP_LOST,
};

struct walk {
	struct unwind_cache *cache;
	struct unwind_trace *trace;
	uintptr_t sp;
	uintptr_t fp;
	enum fp_state fp_state;
#if defined(__aarch64__)
	/* Where the interrupted function had its return address, in which it
	 * may be still in its register; 0: after a call. */
	uintptr_t link;
#endif
};

/* The stack may hold anything, and belongs to functions of any type. */
typedef uintptr_t __attribute__((may_alias)) stack_word;

/* Makes the page of `address`, a word that is to be read, a part of the proven
 * range, or fails. */
static COLD bool prove(struct unwind_cache *cache, uintptr_t address)
{
	uintptr_t page = address & -PAGE;

	if (cache->high > page || page - cache->high > PAGES_BRIDGED * PAGE)
		cache->low = cache->high = page;
	for (; cache->high < page; cache->high += PAGE)
		if (!sys_is_readable((const void *)cache->high))
			return false;
	if (!sys_are_readable((const void *)address, sizeof(stack_word)))
		return false;
	cache->high += PAGE;
	return true;
}

/* Reads a word of the stack and lists it. */
static inline bool load(struct walk *w, uintptr_t address, uintptr_t *value)
{
	struct unwind_trace *trace = w->trace;

	if (unlikely(address < w->cache->low || address >= w->cache->high) &&
		!prove(w->cache, address)) {
		trace->repeatable = false;
		return false;
	}
	*value = *(const stack_word *)address;
	if (likely(trace->words < UNWIND_WORDS_MAX)) {
		trace->word[trace->words].address = address;
		trace->word[trace->words].value = *value;
		trace->words++;
	} else {
		trace->repeatable = false;
	}
	return true;
}

/* Makes w->fp the value of the frame pointer. */
static bool need_fp(struct walk *w)
{
	switch (w->fp_state) {
	case FP_START:
		w->trace->needs_fp = true;
		return true;
	case FP_KNOWN:
		return true;
	case FP_SAVED:
		w->fp_state = FP_KNOWN;
		return load(w, w->fp, &w->fp);
	case FP_LOST:
		break;
	}
	w->trace->repeatable = false;
	return false;
}

/* Whether a whole word of the frame between sp and its CFA is there. */
static inline bool is_inside(uintptr_t address, uintptr_t low, uintptr_t cfa)
{
	return address % sizeof(stack_word) == 0 && address >= low &&
	       address < cfa;
}

#if defined(__x86_64__)
static inline bool is_cfa(
	const struct walk *w, struct cfi_rule rule, uintptr_t cfa)
{
	(void)rule;
	return is_inside(cfa, w->sp + 1, UINTPTR_MAX);
}

static inline uintptr_t strip(uintptr_t address)
{
	return address;
}

static inline bool load_return(
	struct walk *w, struct cfi_rule rule, uintptr_t cfa, uintptr_t *pc)
{
	(void)rule;
	return load(w, cfa - sizeof(stack_word), pc);
}

static inline void note_link(struct walk *w, uintptr_t frame)
{
	(void)w;
	(void)frame;
}
#else
__thread struct unwind_interrupted unwind_interrupted;

/* A function that has saved nothing, not even its return address, has no frame
 * at all. */
static inline bool is_cfa(
	const struct walk *w, struct cfi_rule rule, uintptr_t cfa)
{
	return is_inside(cfa, w->sp + (rule.ra_offset != 0), UINTPTR_MAX);
}

/*
 * Without its signature.  Where there are none the instruction does nothing,
 * and to an address without one neither (xpaclri).
 */
static inline uintptr_t strip(uintptr_t address)
{
	register uintptr_t x30 __asm__("x30") = address;

	__asm__("hint 7" : "+r"(x30));
	return x30;
}

/* Which has not been saved: only of a function that was interrupted. */
static COLD bool load_link(struct walk *w, uintptr_t *pc)
{
	const struct unwind_interrupted *first = &unwind_interrupted;

	if (w->link)
		return load(w, w->link, pc);
	w->trace->repeatable = false;
	*pc = first->link;
	return w->trace->depth == 1 && first->sp == w->sp &&
	       first->pc == w->trace->pc[0];
}

static inline bool load_return(
	struct walk *w, struct cfi_rule rule, uintptr_t cfa, uintptr_t *pc)
{
	uintptr_t slot = cfa + (uintptr_t)(intptr_t)rule.ra_offset;

	if (rule.ra_offset == 0
			? !load_link(w, pc)
			: !is_inside(slot, w->sp, cfa) || !load(w, slot, pc))
		return false;
	w->link = 0;
	*pc = strip(*pc);
	return true;
}

static inline void note_link(struct walk *w, uintptr_t frame)
{
	w->link = frame + CFI_SIGNAL_RA;
}
#endif

static bool find_cfa(struct walk *w, struct cfi_rule rule, uintptr_t *cfa)
{
	switch (rule.cfa) {
	case CFI_SP:
		*cfa = w->sp + (uintptr_t)rule.cfa_offset;
		break;
	case CFI_FP:
		if (!need_fp(w))
			return false;
		*cfa = w->fp + (uintptr_t)rule.cfa_offset;
		break;
	case CFI_FP_DEREF:
		if (!need_fp(w))
			return false;
		*cfa = w->fp + (uintptr_t)rule.cfa_offset;
		if (!is_inside(*cfa, w->sp, UINTPTR_MAX) || !load(w, *cfa, cfa))
			return false;
		break;
	case CFI_UNSUPPORTED:
		w->trace->repeatable = false;
		return false;
	default:
		return false;
	}
	return is_cfa(w, rule, *cfa);
}

/* Where the caller's frame pointer is, when this frame has moved it. */
static bool move_fp(
	struct walk *w, struct cfi_rule rule, uintptr_t low, uintptr_t cfa)
{
	uintptr_t slot = cfa;

	if (rule.fp == CFI_FP_LOST) {
		w->fp_state = FP_LOST;
		return true;
	}
	if (rule.fp == CFI_FP_AT_FP) {
		if (!need_fp(w))
			return false;
		slot = w->fp;
	}
	slot += (uintptr_t)rule.fp_offset;
	w->fp_state = is_inside(slot, low, cfa) ? FP_SAVED : FP_LOST;
	w->fp = slot;
	return true;
}

/* From the frame of a function to its caller's, and the address there. */
static inline bool leave_function(
	struct walk *w, struct cfi_rule rule, bool interrupted, uintptr_t *pc)
{
	uintptr_t low = interrupted ? w->sp - CFI_RED_ZONE : w->sp;
	uintptr_t cfa;

	if (likely(rule.cfa == CFI_SP)) {
		cfa = w->sp + (uintptr_t)rule.cfa_offset;
		if (!is_cfa(w, rule, cfa))
			return false;
	} else if (!find_cfa(w, rule, &cfa)) {
		return false;
	}
	if (!load_return(w, rule, cfa, pc))
		return false;
	if (rule.fp != CFI_FP_SAME && !move_fp(w, rule, low, cfa))
		return false;
	w->sp = cfa;
	return true;
}

/* From the trampoline of a signal to the interrupted function. */
static bool leave_signal(struct walk *w, uintptr_t *pc)
{
	uintptr_t frame = w->sp;

	if (frame % sizeof(stack_word) != 0 ||
		!load(w, frame + CFI_SIGNAL_PC, pc) ||
		!load(w, frame + CFI_SIGNAL_SP, &w->sp))
		return false;
	w->fp = frame + CFI_SIGNAL_FP;
	w->fp_state = FP_SAVED;
	note_link(w, frame);
	return true;
}

/*
 * As far as frames are plain and in proven memory: the same as what
 * walk_frames() does with them, but in registers.  Returns the depth, from
 * which that goes on; the stack pointer is aligned.
 */
static unsigned walk_plain(
	struct walk *w, uintptr_t *at, unsigned depth, unsigned max_depth)
{
	struct unwind_trace *trace = w->trace;
	const uintptr_t proven = w->cache->high;
	struct unwind_word *word = &trace->word[trace->words];
	uintptr_t *to = &trace->pc[depth], *last = &trace->pc[max_depth];
	uintptr_t sp = w->sp, pc = *at, fp = 0;
	struct unwind_rules *rules = &w->cache->rules;
	struct unwind_slot *slot =
		unwind_rules_plain(unwind_rules_slot(rules, pc - 1), pc - 1);

	/* From proven memory no frame reaches where addresses overflow. */
	if (sp < w->cache->low || sp >= proven)
		return depth;
	if (UNWIND_WORDS_MAX - trace->words < last - to)
		last = to + (UNWIND_WORDS_MAX - trace->words);
	while (slot && to < last) {
		uintptr_t cfa = sp + (uintptr_t)slot->rule.cfa_offset;
		uintptr_t place =
			cfa + (uintptr_t)unwind_rules_return(slot->rule);

		if (place >= proven)
			break;
		if (slot->rule.fp == CFI_FP_SAVED)
			fp = cfa + (uintptr_t)slot->rule.fp_offset;
		pc = *(const stack_word *)place;
		word->address = place;
		word->value = pc;
		word++;
		sp = cfa;
		pc = strip(pc);
		*to++ = pc;
		slot = unwind_rules_caller(rules, slot, pc - 1);
	}
	/* That is where the stack ends, and no frame. */
	if (unlikely(pc == 0) && to > &trace->pc[depth])
		to--;
	*at = pc;
	w->sp = sp;
	if (fp) {
		w->fp = fp;
		w->fp_state = FP_SAVED;
	}
	trace->words = (uint16_t)(word - trace->word);
	trace->depth = (uint16_t)(to - trace->pc);
	return trace->depth;
}

/* True when the walk has ended as a stack should, or where it was told to. */
static bool walk_frames(struct walk *w, uintptr_t pc, unsigned max_depth)
{
	struct unwind_trace *trace = w->trace;
	bool interrupted = false;
	unsigned depth = 1;

	while (depth < max_depth) {
		struct cfi_rule rule;
		bool is_signal;

		if (!interrupted && w->sp % sizeof(stack_word) == 0)
			depth = walk_plain(w, &pc, depth, max_depth);
		if (pc == 0 || depth == max_depth)
			return true;
		/* A call may be the last instruction of its function. */
		rule = unwind_rules_find(&w->cache->rules, pc - !interrupted);
		is_signal = rule.cfa == CFI_SIGNAL;
		if (rule.cfa == CFI_END)
			return true;
		if (unlikely(is_signal)
				? !leave_signal(w, &pc)
				: !leave_function(w, rule, interrupted, &pc))
			return false;
		if (pc == 0)
			return !is_signal;
		/* Neither the trampoline nor the interrupted one has made a
		 * call. */
		if (unlikely(is_signal))
			trace->exact |= (uint64_t)3 << (depth - 1);
		interrupted = is_signal;
		trace->pc[depth++] = pc;
		trace->depth = (uint16_t)depth;
	}
	return true;
}

/* Where the code at `pc` has its own return address. */
static void note_caller(
	struct unwind_trace *trace, struct unwind_cache *cache, uintptr_t pc)
{
	struct cfi_rule rule = unwind_rules_find(&cache->rules, pc - 1);

	if (rule.cfa != CFI_SP && rule.cfa != CFI_FP)
		return;
	trace->caller_offset = rule.cfa_offset + unwind_rules_return(rule);
	trace->caller_by_fp = rule.cfa == CFI_FP;
}

static void walk(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *trace)
{
	struct walk w = {
		.cache = cache,
		.trace = trace,
		.sp = start->sp,
		.fp = start->fp,
		.fp_state = FP_START,
	};

	unwind_backend_begin(trace, start->pc, true);
	/* Another stack, or a deeper one: what was proven may be gone. */
	if (start->sp < cache->low || start->sp >= cache->high)
		cache->low = cache->high = start->sp & -PAGE;
	/*
	 * A walk into the blue may have gone beyond the end of its stack, to
	 * memory that can be unmapped before this stack is left.
	 */
	if (!walk_frames(&w, start->pc, max_depth))
		cache->low = cache->high = 0;
	if (trace->depth > 1)
		note_caller(trace, cache, start->pc);
}

static void forget(struct unwind_cache *cache)
{
	unwind_rules_forget(&cache->rules);
	cache->low = cache->high = 0;
}

static void leave(struct unwind_cache *cache)
{
	cache->low = cache->high = 0;
}

const struct unwind_backend unwind_cfi = {walk, forget, leave};
