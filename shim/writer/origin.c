#include "shim/writer/origin.h"

#include <sys/mman.h>

#include "record/hash.h"
#include "shim/control/process.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/sys.h"
#include "shim/unwind/unwind.h"
#include "shim/writer/define.h"

/* Threads that are created and have not begun yet. */
#define STARTS 512u
/* Stacks that threads are created with; of others no frames are known. */
#define PLACES 1024u
#define PLACE_BYTES (128u << 10)
#define PROBES 16u
/* Threads that create one at the same moment; of others nothing is known. */
#define SCRATCHES 8u

struct place {
	uint64_t hash;
	uint64_t exact;	  /* as in struct unwind_trace */
	uint64_t modules; /* define_identity() of the addresses, */
	uint32_t reloads; /* and when that was asked */
	uint32_t depth;
	uintptr_t pc[];
};

struct creator {
	struct place *place; /* null: its stack is not known */
	uint32_t pid;
	uint32_t tid; /* 0: nobody */
	char name[16];
};

/* The innermost first. */
struct chain {
	struct creator by[BINLOG_ORIGIN_GENERATIONS];
};

struct origin_start {
	uint32_t next; /* one more than its number */
	struct origin_task task;
	struct chain chain;
};

/* To walk a stack with. */
struct scratch {
	uint32_t busy;	 /* pid of who uses it: a child inherits it busy */
	uint32_t serial; /* of who has used it last */
	uint32_t reloads;
	struct unwind_trace trace;
	struct unwind_cache *cache;
};

/*
 * Not of the arena: a child of fork has the stacks of its parents.  Pages that
 * nobody needs are never touched.
 */
struct memory {
	/* One more than the number of a start; above it how often that has
	 * changed. */
	uint64_t unused;
	uint32_t starts_used;
	uint32_t place_bytes;
	struct place *places[PLACES];
	struct scratch scratch[SCRATCHES];
	struct origin_start starts[STARTS];
	char place_room[PLACE_BYTES] __attribute__((aligned(16)));
	char caches[] __attribute__((aligned(64)));
};

static struct memory *memory;

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

OF_THREAD struct chain own;
/* The last scratch that it has used, and its number there. */
OF_THREAD uint32_t scratch_serial, scratch_number;
/* A child with another pid than this one is made by: */
OF_THREAD uint32_t forks_pid;
OF_THREAD struct creator forks;

static size_t cache_bytes(void)
{
	return (unwind_cache_bytes + 63u) & ~(size_t)63;
}

/* Null: there is none. */
static COLD struct memory *map_memory(void)
{
	static bool failed; /* it is not asked for again */
	size_t size = sizeof(*memory) + SCRATCHES * cache_bytes();
	struct memory *none = NULL;
	struct memory *mapped;
	long address;

	if (__atomic_load_n(&failed, __ATOMIC_RELAXED))
		return NULL;
	address = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(address)) {
		__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
		return NULL;
	}
	mapped = (struct memory *)address;
	if (__atomic_compare_exchange_n(&memory, &none, mapped, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mapped;
	SYS2(munmap, address, size);
	return none;
}

static struct memory *memory_now(void)
{
	struct memory *now = __atomic_load_n(&memory, __ATOMIC_ACQUIRE);

	return likely(now) ? now : map_memory();
}

/* ---- places ---- */

static uint64_t hash_of(const struct unwind_trace *trace)
{
	uint64_t hash = binlog_hash_word(7, trace->exact);

	for (unsigned i = 0; i < trace->depth; i++)
		hash = binlog_hash_word(hash, trace->pc[i]);
	return hash;
}

/* Nothing was unloaded since, or not what is there. */
static bool still_holds(struct place *place)
{
	uint32_t now = __atomic_load_n(&process_reloads, __ATOMIC_ACQUIRE);

	if (likely(__atomic_load_n(&place->reloads, __ATOMIC_RELAXED) == now))
		return true;
	if (define_identity(place->pc, place->depth) != place->modules)
		return false;
	__atomic_store_n(&place->reloads, now, __ATOMIC_RELAXED);
	return true;
}

static bool is_same(
	struct place *place, uint64_t hash, const struct unwind_trace *trace)
{
	uint32_t i = 0;

	if (place->hash != hash || place->depth != trace->depth ||
		place->exact != trace->exact)
		return false;
	while (i < trace->depth && place->pc[i] == trace->pc[i])
		i++;
	return i == trace->depth && still_holds(place);
}

static struct place *make_place(
	struct memory *m, uint64_t hash, const struct unwind_trace *trace)
{
	uint32_t size = (uint32_t)(sizeof(struct place) +
				   trace->depth * sizeof(trace->pc[0]));
	uint32_t at = __atomic_load_n(&m->place_bytes, __ATOMIC_RELAXED);
	struct place *place;

	do
		if (PLACE_BYTES - at < size)
			return NULL;
	while (!__atomic_compare_exchange_n(&m->place_bytes, &at, at + size,
		false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	place = (struct place *)(void *)(m->place_room + at);
	place->hash = hash;
	place->exact = trace->exact;
	place->reloads = __atomic_load_n(&process_reloads, __ATOMIC_ACQUIRE);
	place->modules = define_identity(trace->pc, trace->depth);
	place->depth = trace->depth;
	bytes_copy(place->pc, trace->pc, trace->depth * sizeof(trace->pc[0]));
	return place;
}

/* Null: there is no room for more. */
static struct place *place_of(
	struct memory *m, const struct unwind_trace *trace)
{
	uint64_t hash = hash_of(trace);
	struct place *made = NULL;

	for (uint32_t i = 0; i < PROBES; i++) {
		struct place **slot = &m->places[(hash + i) % PLACES];
		struct place *there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!there && !made)
			made = make_place(m, hash, trace);
		if (!there && !made)
			return NULL;
		if (!there &&
			__atomic_compare_exchange_n(slot, &there, made, false,
				__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return made;
		if (is_same(there, hash, trace))
			return there;
	}
	return NULL;
}

/* ---- stacks ---- */

static struct scratch *take_scratch(struct memory *m, uint32_t pid)
{
	for (uint32_t i = 0; i < SCRATCHES; i++) {
		uint32_t number = (scratch_number + i) % SCRATCHES;
		struct scratch *scratch = &m->scratch[number];
		uint32_t busy =
			__atomic_load_n(&scratch->busy, __ATOMIC_RELAXED);

		if (busy == pid ||
			!__atomic_compare_exchange_n(&scratch->busy, &busy, pid,
				false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		/* In the parent it was left in the middle. */
		if (busy != 0)
			scratch->cache = NULL;
		scratch_number = number;
		return scratch;
	}
	return NULL;
}

/* What it knows of the stack is of this thread, and of the modules as well. */
static void prepare_scratch(struct memory *m, struct scratch *scratch)
{
	static uint32_t serials;
	uint32_t now = __atomic_load_n(&process_reloads, __ATOMIC_ACQUIRE);

	if (unlikely(!scratch->cache || scratch->reloads != now)) {
		scratch->cache =
			(void *)(m->caches + (size_t)(scratch - m->scratch) *
						     cache_bytes());
		unwind_forget(scratch->cache);
		scratch->reloads = now;
	}
	if (scratch->serial == scratch_serial && scratch_serial != 0)
		return;
	unwind_leave(scratch->cache);
	scratch_serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
	scratch->serial = scratch_serial;
}

static struct place *walk(
	struct memory *m, const struct call *call, uint32_t pid)
{
	const struct unwind_start start = {call->pc, call->sp, call->fp};
	struct scratch *scratch = take_scratch(m, pid);
	struct place *place;

	if (!scratch)
		return NULL;
	prepare_scratch(m, scratch);
	unwind_walk(&start, control_depth(process.depth), scratch->cache,
		&scratch->trace);
	place = place_of(m, &scratch->trace);
	__atomic_store_n(&scratch->busy, 0, __ATOMIC_RELEASE);
	return place;
}

/* ---- who ---- */

static void push(struct chain *chain, const struct creator *creator)
{
	for (unsigned i = BINLOG_ORIGIN_GENERATIONS - 1; i > 0; i--)
		chain->by[i] = chain->by[i - 1];
	chain->by[0] = *creator;
}

/* This may be a child that was forked by the thread with our memory. */
static void follow_fork(uint32_t pid)
{
	if (likely(forks_pid == 0) || forks_pid == pid)
		return;
	push(&own, &forks);
	forks_pid = 0;
}

static struct memory *memory_if_wanted(void)
{
	return process_is_recording() && !sys_forbidden ? memory_now() : NULL;
}

/* The calling thread, as it is now.  False: it is in another process, which
 * has our memory. */
static bool describe(
	struct memory *m, struct creator *creator, const struct call *call)
{
	creator->pid = (uint32_t)SYS0(getpid);
	if (arena_is_marked() && process.pid != creator->pid)
		return false;
	creator->tid = (uint32_t)SYS0(gettid);
	/* PR_GET_NAME 16: the name of the calling thread */
	SYS2(prctl, 16, creator->name);
	follow_fork(creator->pid);
	creator->place = walk(m, call, creator->pid);
	return true;
}

/* ---- threads ---- */

static struct origin_start *start_of(struct memory *m, uint32_t number)
{
	return number ? &m->starts[number - 1] : NULL;
}

static struct origin_start *take_start(struct memory *m)
{
	uint64_t unused = __atomic_load_n(&m->unused, __ATOMIC_ACQUIRE);
	struct origin_start *start;
	uint32_t number;
	uint64_t next;

	do {
		start = start_of(m, (uint32_t)unused);
		if (!start)
			break;
		next = __atomic_load_n(&start->next, __ATOMIC_RELAXED);
		next |= ((unused >> 32) + 1) << 32;
	} while (!__atomic_compare_exchange_n(&m->unused, &unused, next, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	if (start)
		return start;
	if (__atomic_load_n(&m->starts_used, __ATOMIC_RELAXED) >= STARTS)
		return NULL;
	number = __atomic_fetch_add(&m->starts_used, 1, __ATOMIC_RELAXED);
	return number < STARTS ? &m->starts[number] : NULL;
}

static void give_start(struct memory *m, struct origin_start *start)
{
	uint64_t unused = __atomic_load_n(&m->unused, __ATOMIC_RELAXED);
	uint64_t next;

	do {
		__atomic_store_n(
			&start->next, (uint32_t)unused, __ATOMIC_RELAXED);
		next = (uint64_t)(start - m->starts) + 1;
		next |= ((unused >> 32) + 1) << 32;
	} while (!__atomic_compare_exchange_n(&m->unused, &unused, next, false,
		__ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

struct origin_start *origin_hand_over(
	const struct call *call, struct origin_task task)
{
	struct memory *m = memory_if_wanted();
	struct origin_start *start;
	struct creator creator;

	if (!m || !describe(m, &creator, call))
		return NULL;
	start = take_start(m);
	if (!start)
		return NULL;
	start->task = task;
	start->chain = own;
	push(&start->chain, &creator);
	return start;
}

void origin_take_back(struct origin_start *start)
{
	give_start(memory, start);
}

struct origin_task origin_accept(struct origin_start *start)
{
	struct origin_task task = start->task;

	own = start->chain;
	give_start(memory, start);
	return task;
}

/* ---- processes ---- */

void origin_before_fork(const struct call *call)
{
	struct memory *m = memory_if_wanted();
	struct creator creator;

	if (!m || !describe(m, &creator, call))
		return;
	forks = creator;
	SIGNAL_FENCE();
	forks_pid = creator.pid;
}

void origin_after_fork(void)
{
	forks_pid = 0;
}

/* ---- records ---- */

/* The number of a context that has its frames; 0: they are not known. */
static uint32_t context_of(struct writer *w, struct place *place)
{
	const struct define_context context = {.text = BINLOG_TEXT_CREATED};
	const struct call call = {0};

	if (!place || !still_holds(place))
		return 0;
	w->trace->depth = (uint16_t)place->depth;
	w->trace->exact = place->exact;
	bytes_copy(
		w->trace->pc, place->pc, place->depth * sizeof(place->pc[0]));
	w->coroutine = (struct coroutine){0};
	return define_context(w, &call, &context);
}

static void write_origin(
	struct writer *w, unsigned generation, const struct creator *creator)
{
	uint32_t context = context_of(w, creator->place);
	struct binlog_origin_record *record =
		writer_control(w, sizeof(*record));

	if (!record)
		return;
	record->tid = w->tid;
	record->generation = generation;
	record->context = context;
	record->creator_pid = creator->pid;
	record->creator_tid = creator->tid;
	bytes_copy(record->name, creator->name, sizeof(record->name));
	writer_commit_control(w, BINLOG_ORIGIN);
}

void origin_introduce(struct writer *w)
{
	follow_fork(process.pid);
	for (unsigned i = 0;
		i < BINLOG_ORIGIN_GENERATIONS && own.by[i].tid != 0; i++)
		write_origin(w, i, &own.by[i]);
}
