#include "shim/writer.h"

#include <signal.h>
#include <sys/mman.h>

#include "shim/arena.h"
#include "shim/bytes.h"
#include "shim/capture_file.h"
#include "shim/define.h"
#include "shim/sys.h"
#include "shim/terminal.h"

/* The first block is small, since most threads say little; each next one is
 * twice as large, since refilling costs two or three system calls. */
#define BLOCK_SMALLEST 32768u
#define BLOCK_LARGEST 262144u

/* Writers that may be left behind by handlers which jump out of calls. */
#define REPLACED_MAX 4096u
/* How many writers are looked at for one whose thread has ended. */
#define INHERIT_PROBES 4

/* Further apart, two frames are taken to be on different stacks. */
#define ABANDONED_MAX ((uintptr_t)1 << 20)

_Static_assert(WRITER_RECORD_MAX + sizeof(struct binlog_block) +
			       2 * sizeof(struct binlog_clock_record) <
		       BLOCK_SMALLEST,
	"a record fits into any block");

/* Every thread's writer before its first call; only the cold part is read. */
static struct {
	uint32_t idle;
	char rest[sizeof(struct writer) -
		  sizeof(struct memo) * MEMO_SETS * MEMO_WAYS];
} nobody __attribute__((aligned(64)));

/* All of this process, newest first. */
static struct writer *writers;

__thread struct writer *writer_self = (struct writer *)(void *)&nobody;

/* The blocks of a writer begin with whom it serves. */
static void introduce(struct writer *w)
{
	static uint32_t described;
	struct binlog_thread_record *thread;
	uint32_t pid = process.pid;
	void *record;

	if (__atomic_exchange_n(&described, pid, __ATOMIC_RELAXED) != pid) {
		record = writer_control(w, process_describe(NULL));
		if (record) {
			process_describe(record);
			writer_commit_control(w, BINLOG_PROCESS);
		}
	}
	thread = writer_control(w, sizeof(*thread));
	if (!thread)
		return;
	thread->tid = w->tid;
	thread->nesting = w->nesting;
	/* PR_GET_NAME 16: the name of the calling thread */
	SYS2(prctl, 16, thread->name);
	writer_commit_control(w, BINLOG_THREAD);
}

/* Addresses may mean something else now: forget what was known of them. */
static void renew(struct writer *w)
{
	w->generation = process_generation;
	for (unsigned i = 0; i < MEMO_SETS * MEMO_WAYS; i++)
		w->memo[i / MEMO_WAYS][i % MEMO_WAYS].pc = 0;
	for (unsigned i = 0; i < MEMO_CALLERS; i++)
		w->callers[i].pc = 0;
	define_forget(w->tables);
	unwind_forget(w->unwind_cache);
}

/*
 * Who was inside has jumped out of it (siglongjmp from a handler), and not we
 * are interrupting it: then our call would be further down the stack than its
 * call, or on the alternate signal stack.
 */
static bool is_abandoned(const struct writer *w, uintptr_t sp)
{
	stack_t stack = {.ss_flags = SS_ONSTACK};

	return sp >= w->entered && sp - w->entered < ABANDONED_MAX &&
	       !sys_failed(SYS2(sigaltstack, NULL, &stack)) &&
	       !(stack.ss_flags & SS_ONSTACK);
}

static struct writer *make(unsigned nesting, uintptr_t sp)
{
	struct writer *w = arena_take(sizeof(*w));

	if (!w)
		return NULL;
	w->tables = define_new();
	w->unwind_cache = arena_take(unwind_cache_bytes);
	w->trace = arena_take(sizeof(*w->trace));
	if (!w->tables || !w->unwind_cache || !w->trace)
		return NULL;
	w->number = __atomic_fetch_add(
		&capture_file_header->next_writer, 1, __ATOMIC_RELAXED);
	w->tid = (uint32_t)SYS0(gettid);
	w->core_now = clock_core_address();
	w->nesting = (uint8_t)nesting;
	w->next_bytes = BLOCK_SMALLEST;
	w->generation = process_generation;
	w->entered = sp;
	w->armed = true;
	w->next = __atomic_load_n(&writers, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&writers, &w->next, w, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	introduce(w);
	return w;
}

/* Nobody uses it, nor will its thread. */
static bool is_left(struct writer *w, unsigned nesting, uint32_t tid)
{
	uint32_t its = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);

	if (!w->armed || !w->idle || w->nesting != nesting ||
		w == writer_self || w == writer_self->nested)
		return false;
	if (its == tid) /* a dead thread's number is ours now */
		return true;
	return SYS3(tgkill, process.pid, its, 0) == -ESRCH &&
	       __atomic_compare_exchange_n(&w->tid, &its, tid, false,
		       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* The writer of a thread that has ended, with its block and definitions. */
static struct writer *inherit(unsigned nesting, uintptr_t sp)
{
	static struct writer *cursor; /* whom to look at next: any will do */
	uint32_t tid = (uint32_t)SYS0(gettid);
	struct writer *w = __atomic_load_n(&cursor, __ATOMIC_RELAXED);

	for (int i = 0; i < INHERIT_PROBES; i++) {
		if (!w || !w->armed)
			w = __atomic_load_n(&writers, __ATOMIC_ACQUIRE);
		if (!w)
			return NULL;
		__atomic_store_n(&cursor, w->next, __ATOMIC_RELAXED);
		if (is_left(w, nesting, tid))
			break;
		w = w->next;
		if (i == INHERIT_PROBES - 1)
			return NULL;
	}
	w->tid = tid;
	w->entered = sp;
	w->idle = 0;
	SIGNAL_FENCE();
	w->nested = NULL;
	w->core_now = clock_core_address();
	w->core = ~0u - 1; /* of another moment: a new anchor comes first */
	renew(w);
	introduce(w);
	return w;
}

static struct writer *obtain(unsigned nesting, uintptr_t sp)
{
	struct writer *w;

	if (process_follow_fork())
		writers = NULL; /* the parent's, and empty here */
	w = inherit(nesting, sp);
	return w ? w : make(nesting, sp);
}

static struct writer *take(struct writer *w, uintptr_t sp)
{
	w->entered = sp;
	w->idle = 0;
	SIGNAL_FENCE();
	if (w->generation != process_generation)
		renew(w);
	return w;
}

/*
 * In place of one that is not free.  If its user has jumped out of it, for
 * ever; should it come back after all (a handler that switches between
 * stacks), it still finds its own writer untouched.
 */
static struct writer *replace(
	struct writer **place, unsigned nesting, uintptr_t sp)
{
	static unsigned replaced;
	struct writer *w;

	if (__atomic_fetch_add(&replaced, 1, __ATOMIC_RELAXED) >= REPLACED_MAX)
		return NULL;
	w = obtain(nesting, sp);
	if (w)
		*place = w;
	return w;
}

COLD struct writer *writer_enter_slow(uintptr_t sp)
{
	struct writer *w = writer_self;

	if (!process_is_recording())
		return NULL;
	if (!w->armed) {
		w = obtain(0, sp);
		if (w)
			writer_self = w;
		return w;
	}
	if (w->idle)
		return take(w, sp);
	if (is_abandoned(w, sp))
		return replace(&writer_self, 0, sp);
	if (!w->nested)
		return w->nested = obtain(1, sp);
	if (w->nested->idle)
		return take(w->nested, sp);
	/* Else a handler within a handler within a call. */
	return is_abandoned(w->nested, sp) ? replace(&w->nested, 1, sp) : NULL;
}

/*
 * A child of fork gets an empty arena.  If a call is under way further up the
 * stack, in a handler that forks, the child may return to it: then it needs
 * the arena as it was, but must not write to what is the parent's.
 */
bool writer_before_fork(void)
{
	bool busy = writer_self->armed && !writer_self->idle;

	if (busy)
		arena_keep(true);
	return busy;
}

static void orphan(struct writer *w)
{
	if (!w || !w->armed)
		return;
	w->armed = false;
	w->generation = 0; /* so that it never becomes idle */
	w->idle = 0;
	w->end = w->cursor;
	if (w->block)
		SYS6(mmap, w->block, w->block->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void writer_after_fork(bool child)
{
	arena_keep(false);
	if (!child)
		return;
	orphan(writer_self->nested);
	orphan(writer_self);
	arena_unmark();
}

static void start_block(struct writer *w, void *memory, uint32_t size)
{
	struct binlog_block *block = memory;

	block->size = size;
	block->nonce = capture_file_header->nonce;
	block->pid = process.pid;
	block->tid = w->tid;
	block->writer = w->number;
	block->sequence = w->sequence;
	block->core = *w->core_now;
	clock_anchor(&block->anchor);
	__atomic_store_n(&block->magic, BINLOG_BLOCK_MAGIC, __ATOMIC_RELEASE);
	__atomic_fetch_add(
		&capture_file_header->published, size, __ATOMIC_RELEASE);
	w->sequence++;
	w->block = block;
	w->cursor = (char *)(block + 1);
	w->end = (char *)block + size - sizeof(uint32_t);
	w->epoch = (uint32_t)(block->anchor.ticks >> CLOCK_EPOCH_SHIFT);
	w->core = block->core;
}

COLD bool writer_refill(struct writer *w, uint32_t bytes)
{
	void *memory;

	if (bytes > WRITER_RECORD_MAX + sizeof(struct binlog_clock_record) ||
		!w->armed)
		return false;
	memory = capture_file_claim(w->next_bytes);
	if (!memory && w->next_bytes > BLOCK_SMALLEST) {
		w->next_bytes = BLOCK_SMALLEST;
		memory = capture_file_claim(w->next_bytes);
	}
	if (!memory)
		return false;
	start_block(w, memory, w->next_bytes);
	if (w->next_bytes < BLOCK_LARGEST)
		w->next_bytes *= 2;
	return true;
}

void *writer_control(struct writer *w, uint32_t bytes)
{
	struct binlog_control_head *head;

	if (bytes > WRITER_RECORD_MAX || !writer_reserve(w, bytes))
		return NULL;
	head = (struct binlog_control_head *)w->cursor;
	head->size = bytes;
	return head;
}

void writer_commit_control(struct writer *w, uint32_t kind)
{
	const struct binlog_control_head *head = (const void *)w->cursor;

	writer_commit(w, w->cursor + head->size, kind);
}

COLD bool writer_sync_clock(struct writer *w, uint32_t bytes, uint64_t *ticks)
{
	struct binlog_clock_record *clock;

	/* One reservation for both, so that no new block, with an anchor
	 * later than *ticks, comes between them. */
	if (!writer_reserve(w, (uint32_t)sizeof(*clock) + bytes))
		return false;
	clock = writer_control(w, sizeof(*clock));
	clock->core = *w->core_now;
	clock->reserved = 0;
	clock_anchor(&clock->anchor);
	w->epoch = (uint32_t)(clock->anchor.ticks >> CLOCK_EPOCH_SHIFT);
	w->core = clock->core;
	writer_commit_control(w, BINLOG_CLOCK);
	*ticks = clock_ticks();
	return true;
}

void writer_stock_up(void)
{
	struct writer *w = writer_enter((uintptr_t)__builtin_frame_address(0));
	void *memory;

	if (!w)
		return;
	memory = capture_file_claim(BINLOG_BLOCK_MAX);
	if (memory)
		start_block(w, memory, BINLOG_BLOCK_MAX);
	writer_leave(w);
}

static void add_up(struct writer *w)
{
	uint64_t said = __atomic_exchange_n(&w->said, 0, __ATOMIC_RELAXED);

	if (said)
		__atomic_fetch_add(&streams[w->said_key & STREAMS_MAX].said,
			said, __ATOMIC_RELAXED);
}

COLD bool writer_said_slow(struct writer *w, unsigned stream)
{
	bool shows = terminal_is_replaced(stream);
	/* With another number of flushes the next text comes here again. */
	uint32_t flushes = shows ? ~streams_flushes : streams_flushes;

	add_up(w);
	w->said_key = stream | flushes << STREAMS_BITS;
	SIGNAL_FENCE();
	streams_said(stream);
	if (shows || streams[stream].buffering == BINLOG_BUFFER_LINE)
		terminal_watches = true;
	return shows;
}

void writer_add_up(void)
{
	struct writer *w = NULL;

	if (arena_is_marked())
		w = __atomic_load_n(&writers, __ATOMIC_ACQUIRE);
	for (; w && w->armed; w = w->next)
		add_up(w);
}

void writer_add_up_own(void)
{
	struct writer *w = writer_self;

	if (arena_is_marked() && w->armed)
		add_up(w);
}

bool writer_has_spoken(void)
{
	return arena_is_marked() &&
	       __atomic_load_n(&writers, __ATOMIC_ACQUIRE) != NULL;
}

static void count(size_t in_block, size_t in_header)
{
	struct writer *w = writer_self;
	char *counter = NULL;

	if (w->armed && w->block)
		counter = (char *)w->block + in_block;
	else if (capture_file_header)
		counter = (char *)capture_file_header + in_header;
	if (counter)
		__atomic_fetch_add((uint64_t *)counter, 1, __ATOMIC_RELAXED);
}

void writer_count_passed(void)
{
	count(offsetof(struct binlog_block, passed),
		offsetof(struct binlog_header, passed));
}

void writer_count_dropped(void)
{
	count(offsetof(struct binlog_block, dropped),
		offsetof(struct binlog_header, dropped));
}
