#include "shim/writer.h"

#include "shim/arena.h"
#include "shim/bytes.h"
#include "shim/capture_file.h"
#include "shim/define.h"
#include "shim/sys.h"

/* The first block is small, since most threads say little; each next one is
 * twice as large, since refilling costs two or three system calls. */
#define BLOCK_SMALLEST 32768u
#define BLOCK_LARGEST 262144u

_Static_assert(WRITER_RECORD_MAX + sizeof(struct binlog_block) +
			2 * sizeof(struct binlog_clock_record) <
		BLOCK_SMALLEST,
	"a record fits into any block");

/* Every thread's writer before its first call; only the cold part is read. */
static struct {
	uint32_t idle;
	char rest[sizeof(struct writer) - sizeof(struct memo) * MEMO_SETS *
			MEMO_WAYS];
} nobody __attribute__((aligned(64)));

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

static struct writer *make(unsigned nesting)
{
	struct writer *w;

	process_follow_fork();
	w = arena_take(sizeof(*w));
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
	w->armed = true;
	introduce(w);
	return w;
}

/* Addresses may mean something else now: forget what was known of them. */
static void renew(struct writer *w)
{
	w->generation = process_generation;
	for (unsigned i = 0; i < MEMO_SETS * MEMO_WAYS; i++)
		w->memo[i / MEMO_WAYS][i % MEMO_WAYS].pc = 0;
	define_forget(w->tables);
	unwind_forget(w->unwind_cache);
}

static struct writer *enter_nested(struct writer *outer)
{
	struct writer *w = outer->nested;

	if (!w)
		outer->nested = w = make(1);
	else if (!w->idle)
		return NULL; /* a handler within a handler within a call */
	if (w && w->generation != process_generation)
		renew(w);
	if (w)
		w->idle = 0;
	return w;
}

COLD struct writer *writer_enter_slow(void)
{
	struct writer *w = writer_self;

	if (!process_is_recording())
		return NULL;
	if (!w->armed) {
		w = make(0);
		if (w)
			writer_self = w;
		return w;
	}
	if (!w->idle)
		return enter_nested(w);
	w->idle = 0;
	SIGNAL_FENCE();
	renew(w);
	return w;
}

static void start_block(struct writer *w, void *memory, uint32_t size)
{
	struct binlog_block *block = memory;

	block->size = size;
	block->nonce = capture_file_header->nonce;
	block->pid = process.pid;
	block->tid = w->tid;
	block->writer = w->number;
	block->sequence = w->sequence++;
	block->core = *w->core_now;
	clock_anchor(&block->anchor);
	__atomic_store_n(&block->magic, BINLOG_BLOCK_MAGIC, __ATOMIC_RELEASE);
	__atomic_fetch_add(
		&capture_file_header->published, size, __ATOMIC_RELEASE);
	w->block = block;
	w->cursor = (char *)(block + 1);
	w->end = (char *)block + size - sizeof(uint32_t);
	w->epoch = (uint32_t)(block->anchor.ticks >> CLOCK_EPOCH_SHIFT);
	w->core = block->core;
}

COLD bool writer_refill(struct writer *w, uint32_t bytes)
{
	void *memory;

	if (bytes > WRITER_RECORD_MAX + sizeof(struct binlog_clock_record))
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
	struct writer *w = writer_enter();
	void *memory;

	if (!w)
		return;
	memory = capture_file_claim(BINLOG_BLOCK_MAX);
	if (memory)
		start_block(w, memory, BINLOG_BLOCK_MAX);
	writer_leave(w);
}

void writer_count_passed(void)
{
	struct writer *w = writer_self;

	if (w->armed && w->block)
		__atomic_fetch_add(&w->block->passed, 1, __ATOMIC_RELAXED);
	else if (capture_file_header)
		__atomic_fetch_add(
			&capture_file_header->passed, 1, __ATOMIC_RELAXED);
}
