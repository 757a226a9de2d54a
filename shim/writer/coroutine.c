#include "shim/writer/coroutine.h"

#include <sys/mman.h>

#include "shim/control/control.h"
#include "shim/host/sys.h"

/*
 * A stack of the table.  `state` changes with all that is said of it: it is a
 * word of each memo that was made by it, which fails then.  Odd: it is being
 * changed; a handler that jumps out of that leaves it so, and it is lost.
 */
struct stack {
	uint64_t state;
	uint64_t number;
	uintptr_t start;
	uintptr_t end;	/* 0: free */
	uint64_t array; /* it may be one of a function that returns some day */
};

uint32_t coroutine_stacks;

/* 64 KiB of addresses each: somebody who is no coroutine has called there. */
#define GRANULE_SHIFT 16
#define GRANULES 32768u

#define GUESSES_SHIFT 14

/* Not of the arena: a child of fork goes on with the stacks of its parent. */
struct memory {
	struct stack stacks[COROUTINE_STACKS];
	uint64_t others[GRANULES / 64];
	/* By page: which of the stacks it was when that was asked last. */
	uint16_t guesses[1u << GUESSES_SHIFT];
};

static struct memory *memory; /* there is one as soon as a stack is noted */

/* Null: there is none. */
static COLD struct memory *map_memory(void)
{
	struct memory *none = NULL;
	long address = SYS6(mmap, 0, sizeof(*memory), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (sys_failed(address))
		return NULL;
	if (__atomic_compare_exchange_n(&memory, &none,
		    (struct memory *)address, false, __ATOMIC_ACQ_REL,
		    __ATOMIC_ACQUIRE))
		return (struct memory *)address;
	SYS2(munmap, address, sizeof(*memory));
	return none;
}

static struct memory *memory_now(void)
{
	struct memory *now = __atomic_load_n(&memory, __ATOMIC_ACQUIRE);

	return likely(now) ? now : map_memory();
}

static struct stack *stack_at(uint32_t number)
{
	return &memory->stacks[number];
}

/* Some stack has been within another: then a page says nothing for sure. */
static bool some_are_nested;
/* Some may have been arrays. */
static bool some_are_arrays;

static void note(bool *that)
{
	if (!__atomic_load_n(that, __ATOMIC_RELAXED))
		__atomic_store_n(that, true, __ATOMIC_SEQ_CST);
}

static uint16_t *guess_of(uintptr_t address)
{
	uintptr_t page = address / SYS_PAGE;

	return &memory->guesses[page * 0x9e3779b97f4a7c15u >>
				(64 - GUESSES_SHIFT)];
}

/* The number of the only stack that an address may be on; or of any. */
static uint32_t guess(uintptr_t address)
{
	return __atomic_load_n(guess_of(address), __ATOMIC_RELAXED);
}

static void keep_guess(uintptr_t address, const struct stack *stack)
{
	__atomic_store_n(guess_of(address), (uint16_t)(stack - memory->stacks),
		__ATOMIC_RELAXED);
}

static uint64_t *word_of(uintptr_t granule)
{
	return &memory->others[granule / 64 % (GRANULES / 64)];
}

static void note_other(uintptr_t sp)
{
	uintptr_t granule = sp >> GRANULE_SHIFT;
	uint64_t bit = (uint64_t)1 << granule % 64;

	if (!(__atomic_load_n(word_of(granule), __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(word_of(granule), bit, __ATOMIC_SEQ_CST);
}

static bool others_were_there(uintptr_t start, uintptr_t end)
{
	uintptr_t granule = start >> GRANULE_SHIFT;
	uintptr_t last = (end - 1) >> GRANULE_SHIFT;

	if (last - granule >= GRANULES)
		return true;
	for (; granule <= last; granule++)
		if (__atomic_load_n(word_of(granule), __ATOMIC_SEQ_CST) >>
				granule % 64 &
			1)
			return true;
	return false;
}

/* False: it is being changed, or was meanwhile. */
static bool read_stack(const struct stack *stack, struct stack *copy)
{
	copy->state = __atomic_load_n(&stack->state, __ATOMIC_ACQUIRE);
	copy->number = __atomic_load_n(&stack->number, __ATOMIC_ACQUIRE);
	copy->start = __atomic_load_n(&stack->start, __ATOMIC_ACQUIRE);
	copy->end = __atomic_load_n(&stack->end, __ATOMIC_ACQUIRE);
	copy->array = __atomic_load_n(&stack->array, __ATOMIC_ACQUIRE);
	return copy->state % 2 == 0 &&
	       __atomic_load_n(&stack->state, __ATOMIC_RELAXED) == copy->state;
}

static const struct stack free_stack;

static bool is_on(const struct stack *stack, uintptr_t address)
{
	return address - stack->start < stack->end - stack->start;
}

/* A glance: whether any of it may be on the stack. */
static bool may_meet(const struct stack *stack, uintptr_t start, uintptr_t end)
{
	return __atomic_load_n(&stack->start, __ATOMIC_RELAXED) < end &&
	       start < __atomic_load_n(&stack->end, __ATOMIC_RELAXED);
}

/* From what was read to what is wanted; false: somebody else has changed it. */
static bool change(struct stack *stack, const struct stack *known,
	const struct stack *wanted)
{
	static uint64_t changes;
	uint64_t state = known->state;
	uint64_t now = __atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED) << 1;

	if (!__atomic_compare_exchange_n(&stack->state, &state, now | 1, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&stack->number, wanted->number, __ATOMIC_RELEASE);
	__atomic_store_n(&stack->start, wanted->start, __ATOMIC_RELEASE);
	__atomic_store_n(&stack->end, wanted->end, __ATOMIC_RELEASE);
	__atomic_store_n(&stack->array, wanted->array, __ATOMIC_RELEASE);
	__atomic_store_n(&stack->state, now, __ATOMIC_RELEASE);
	return true;
}

/* What else was said of this memory: a stack around it may be that of who has
 * it, others were there before. */
static void make_way(struct stack *stack, const struct stack *known,
	const struct stack *wanted)
{
	bool around =
		known->start <= wanted->start && known->end >= wanted->end;

	if (around)
		note(&some_are_nested);
	change(stack, known, around ? known : &free_stack);
}

static struct stack *one_more(void)
{
	uint32_t used = __atomic_load_n(&coroutine_stacks, __ATOMIC_RELAXED);

	do
		if (used >= COROUTINE_STACKS)
			return NULL;
	while (!__atomic_compare_exchange_n(&coroutine_stacks, &used, used + 1,
		false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	/* Nobody has looked for coroutines so far. */
	if (used == 0)
		control_forget();
	return stack_at(used);
}

/* In the order in which they came. */
static struct stack *forget_one(void)
{
	static uint32_t next;

	return stack_at(__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) %
			COROUTINE_STACKS);
}

static bool take(struct stack *stack, const struct stack *wanted)
{
	struct stack known;

	return stack && read_stack(stack, &known) &&
	       change(stack, &known, wanted);
}

/*
 * It lies further up on the stack that the caller is on, for all that is known:
 * what a thread has of its own begins where its stack ends, and above the first
 * one's stack there is nothing.
 */
static bool may_be_array(const struct stack *stack, uintptr_t sp)
{
	static __thread char own __attribute__((tls_model("initial-exec")));

	return stack->start >= sp &&
	       ((uintptr_t)&own < sp || (uintptr_t)&own >= stack->end);
}

static bool is_same(const struct stack *one, const struct stack *other)
{
	return one->start == other->start && one->end == other->end;
}

/* Where it was before; or what has become of it. */
static bool take_again(const struct stack *wanted)
{
	struct stack *same = stack_at(guess(wanted->start)), known;

	return !__atomic_load_n(&some_are_nested, __ATOMIC_SEQ_CST) &&
	       read_stack(same, &known) && is_same(&known, wanted) &&
	       change(same, &known, wanted);
}

/* Null: there is no room for it. */
static struct stack *take_new(const struct stack *wanted)
{
	uint32_t used = __atomic_load_n(&coroutine_stacks, __ATOMIC_ACQUIRE);
	struct stack *unused = NULL, *same = NULL, *taken, known;

	for (uint32_t i = 0; i < used; i++) {
		struct stack *stack = stack_at(i);

		if (__atomic_load_n(&stack->end, __ATOMIC_RELAXED) == 0)
			unused = stack;
		if (!may_meet(stack, wanted->start, wanted->end) ||
			!read_stack(stack, &known) || known.end == 0)
			continue;
		if (is_same(&known, wanted))
			same = stack;
		else
			make_way(stack, &known, wanted);
	}
	if (take(same, wanted))
		return same;
	if (take(unused, wanted)) {
		taken = unused;
	} else {
		taken = one_more();
		if (!taken)
			taken = forget_one();
		if (!take(taken, wanted))
			return NULL;
	}
	if (others_were_there(wanted->start, wanted->end))
		control_forget();
	return taken;
}

void coroutine_made(const void *bottom, size_t bytes, uintptr_t sp)
{
	static uint64_t numbers;
	struct stack wanted = {
		.number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED),
		.start = (uintptr_t)bottom,
		.end = (uintptr_t)bottom + bytes,
	};
	const struct stack *stack;

	if (wanted.end <= wanted.start || !memory_now())
		return;
	wanted.array = may_be_array(&wanted, sp);
	if (wanted.array)
		note(&some_are_arrays);
	if (take_again(&wanted))
		return;
	stack = take_new(&wanted);
	if (stack)
		keep_guess(wanted.start, stack);
}

void coroutine_thread_begins(uintptr_t sp)
{
	uint32_t used = __atomic_load_n(&coroutine_stacks, __ATOMIC_ACQUIRE);
	struct stack known;

	for (uint32_t i = 0; i < used; i++)
		if (may_meet(stack_at(i), sp, sp + 1) &&
			read_stack(stack_at(i), &known) && is_on(&known, sp))
			change(stack_at(i), &known, &free_stack);
}

COLD bool coroutine_may_be_gone(uintptr_t sp)
{
	uint32_t used = __atomic_load_n(&coroutine_stacks, __ATOMIC_ACQUIRE);
	struct stack known;

	if (!__atomic_load_n(&some_are_arrays, __ATOMIC_SEQ_CST))
		return false;
	for (uint32_t i = 0; i < used; i++)
		if (may_meet(stack_at(i), sp, sp + 1) &&
			read_stack(stack_at(i), &known) && known.array &&
			is_on(&known, sp))
			return true;
	return false;
}

static bool leads_out(
	const struct unwind_trace *trace, const struct stack *stack)
{
	for (unsigned i = 0; i < trace->words; i++)
		if (!is_on(stack, trace->word[i].address))
			return true;
	return false;
}

/* A word more, by which a memo of the trace lasts as long as the answer. */
static void depend_on(struct unwind_trace *trace, const struct stack *stack,
	const struct stack *known)
{
	if (trace->words < UNWIND_WORDS_MAX)
		trace->word[trace->words++] = (struct unwind_word){
			(uintptr_t)&stack->state, known->state};
	else
		trace->repeatable = false;
}

static bool is_of(const struct stack *stack, uintptr_t sp,
	const struct unwind_trace *trace, bool whole)
{
	return is_on(stack, sp) && (whole || !stack->array) &&
	       !leads_out(trace, stack);
}

/*
 * The innermost one that the stack pointer is on.  A stack that leads out of it
 * is not a coroutine's: that one has ended, and its memory, an array of a
 * function which has returned, is the stack of who has called that.
 */
static struct stack *find(uintptr_t sp, const struct unwind_trace *trace,
	bool whole, struct stack *found)
{
	uint32_t used = __atomic_load_n(&coroutine_stacks, __ATOMIC_ACQUIRE);
	struct stack *stack = stack_at(guess(sp)), *best = NULL, known;

	if (!__atomic_load_n(&some_are_nested, __ATOMIC_SEQ_CST) &&
		read_stack(stack, found) && is_of(found, sp, trace, whole))
		return stack;
	for (uint32_t i = 0; i < used; i++) {
		stack = stack_at(i);
		if (!may_meet(stack, sp, sp + 1) ||
			!read_stack(stack, &known) ||
			!is_of(&known, sp, trace, whole) ||
			(best && known.end - known.start >=
					 found->end - found->start))
			continue;
		*found = known;
		best = stack;
	}
	if (best)
		keep_guess(sp, best);
	return best;
}

COLD struct coroutine coroutine_look(
	uintptr_t sp, struct unwind_trace *trace, bool whole)
{
	struct stack known;
	const struct stack *stack = find(sp, trace, whole, &known);

	if (!stack) {
		note_other(sp);
		return (struct coroutine){0};
	}
	depend_on(trace, stack, &known);
	return (struct coroutine){
		known.number, (uint32_t)(stack - memory->stacks) + 1};
}
