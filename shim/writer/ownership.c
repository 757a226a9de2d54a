#include "shim/writer/ownership.h"

#include <signal.h>

#include "record/hash.h"
#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/file/segment.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"
#include "shim/writer/define.h"
#include "shim/writer/life.h"
#include "shim/writer/origin.h"
#include "shim/writer/spill.h"

/* Calls of one thread and level that may come back, and perhaps never do. */
#define LEFT_MAX 4096u
/* How many writers a new thread has to look at for one to inherit. */
#define PROBES 8u
#define SAVED_MAX (1u << 20)
/* Of the frames of a call and of what interrupts it, at least. */
#define FRAMES_BYTES 512u
/* Further apart, two frames are taken to be on different stacks. */
#define APART_MAX ((uintptr_t)1 << 20)

/* An owner is one number: how often there was a new one, process, thread. */
#define ID_BITS 22 /* PID_MAX_LIMIT of the kernel */
#define ID_MASK (((uint64_t)1 << ID_BITS) - 1)
#define OWNER_NEXT ((uint64_t)1 << 2 * ID_BITS)
#define OWNER_MASK (OWNER_NEXT - 1)

/* Of a writer that is never found without looking: no process is so old. */
#define GENERATION_NEVER ~0u

/* At its end a process waits so often, and so long, for calls of others; and
 * for a thread that would go on if it got a processor. */
#define WAITS 200u
#define WAITS_SHORT 20u
#define WAIT_NS 100000
#define WAITS_RUNNING 1500u

static bool is_shared;

/*
 * Where the kernel may not be asked (shim/host/sys.h) a thread is known by
 * where its own memory is: no two that live have that in common.
 */
static uint64_t ourselves_unasked(void)
{
	return ((uintptr_t)sys_thread_pointer() >> 6 |
		       (uint64_t)1 << (2 * ID_BITS - 1)) &
	       OWNER_MASK;
}

static uint64_t ourselves(void)
{
	if (unlikely(sys_forbidden))
		return ourselves_unasked();
	return ((uint64_t)SYS0(getpid) & ID_MASK) << ID_BITS |
	       ((uint64_t)SYS0(gettid) & ID_MASK);
}

/* The writer of the calling thread, by its numbers; null: none. */
static struct writer *find_own(void)
{
	uint64_t owner = ourselves();
	struct writer *w = NULL;

	if (arena_is_marked())
		w = __atomic_load_n(&process_self()->writers, __ATOMIC_ACQUIRE);
	while (w && (!w->armed || w->nesting != 0 ||
			    (w->owner & OWNER_MASK) != owner))
		w = w->next;
	return w;
}

void ownership_share(void)
{
	__atomic_store_n(&is_shared, true, __ATOMIC_SEQ_CST);
	/* So that no call finds its writer free without coming here. */
	process_changed();
}

/* The blocks of a writer begin with whom it serves. */
void ownership_introduce(struct writer *w)
{
	bool *described = &process_self()->described;
	void *record;

	if (!__atomic_exchange_n(described, true, __ATOMIC_RELAXED)) {
		record = writer_control(w, process_describe(NULL));
		if (record) {
			process_describe(record);
			writer_commit_control(w, BINLOG_PROCESS);
		} else {
			__atomic_store_n(described, false, __ATOMIC_RELAXED);
		}
	}
	writer_introduce(w);
	origin_introduce(w);
}

/*
 * What it knows is of this generation.  Of several processes in one memory
 * each has to be looked for, so that none of theirs is ever just free; and
 * what was switched since the call has looked is seen to by the next one.
 */
static void date(struct writer *w, uint32_t generation)
{
	w->seen = generation;
	if (is_shared || control_is_behind() || spill_is_wanted(w))
		generation = GENERATION_NEVER;
	w->idle = generation | (uint64_t)w->tid << 32;
}

static void forget_calls(struct writer *w)
{
	/* Pages of the table that were never used stay unused. */
	for (unsigned i = 0; i < w->memo_sets * MEMO_WAYS; i++)
		if (w->memo[i].pc)
			w->memo[i].pc = 0;
	for (unsigned i = 0; i < WRITER_FORMATS; i++)
		w->formats[i].format = NULL;
	writer_forget_last(w);
}

/* Addresses mean something else now: nothing is known of them. */
static void forget_addresses(struct writer *w)
{
	for (unsigned i = 0; i < MEMO_CALLERS; i++)
		w->callers[i].pc = 0;
	define_forget(w->tables);
	unwind_forget(w->unwind_cache);
}

/* In this order: a handler may jump out of it. */
static void renew_calls(struct writer *w, uint32_t now)
{
	uint32_t reloads = __atomic_load_n(&process_reloads, __ATOMIC_ACQUIRE);

	if (w->seen != now)
		forget_calls(w);
	if (w->reloads != reloads)
		forget_addresses(w);
	SIGNAL_FENCE();
	w->reloads = reloads;
	date(w, now);
}

/* Another capture is used, or is to be. */
static COLD bool follow_capture(struct writer *w)
{
	uint64_t mask;

	/* What is said at the end has room in what is kept back. */
	if (spill_is_wanted(w) && !life_is_over())
		spill_go(w);
	if (w->file ==
		__atomic_load_n(&capture_file_number, __ATOMIC_ACQUIRE))
		return false;
	mask = signal_mask_block();
	writer_move(w);
	forget_calls(w);
	ownership_introduce(w);
	signal_mask_restore(mask);
	return true;
}

bool ownership_follows(struct writer *w)
{
	return spill_is_on() && follow_capture(w);
}

static void renew(struct writer *w)
{
	/* Before the look whether anything is wanted: who wants it raises it
	 * afterwards. */
	uint32_t now = control_generation();

	if (unlikely(spill_is_on()))
		follow_capture(w);
	renew_calls(w, now);
}

/* After a call that did not end.  Everything else that a call changes is done
 * so that it may be left at any moment. */
static void mend(struct writer *w)
{
	writer_mend(w);
	w->decided = false;
	w->special = false;
	w->depth = 0;
	w->redaction = NULL;
	unwind_leave(w->unwind_cache);
}

/*
 * The file was cut, which was found outside of any call of this writer: what it
 * has said is lost.  In what there seems to be of its block more would be, and
 * nobody told: a part of it may be no file's, see capture_file_mend().
 */
static void leave_what_is_cut(struct writer *w)
{
	/* In a header page that is zeros there is no next block. */
	if (likely(segment_limit() != 0 && !growth_was_cut() &&
		    __atomic_load_n(&w->header->next, __ATOMIC_RELAXED) != 0))
		return;
	w->block = NULL;
	writer_set_end(w, w->cursor);
	w->ring.end = w->ring.cursor;
	__atomic_store_n(&w->settled, w->said, __ATOMIC_RELAXED);
}

static struct writer *make(unsigned level, uint64_t owner)
{
	struct writer **writers = &process_self()->writers;
	struct writer *w = arena_take(sizeof(*w));

	if (!w)
		return NULL;
	/* Large ones follow each other so that the end of one, touched late or
	 * never, shares its page with the beginning of the next. */
	w->memo = arena_take(sizeof(*w->memo) * MEMO_SETS * MEMO_WAYS);
	w->memo_sets = MEMO_SETS;
	w->trace = arena_take(sizeof(*w->trace));
	w->unwind_cache = arena_take(unwind_cache_bytes);
	w->tables = define_new();
	if (!w->tables || !w->unwind_cache || !w->trace || !w->memo)
		return NULL;
	/* Pages are written to before they are read: one fault, and not two. */
	unwind_leave(w->unwind_cache);
	for (unsigned i = 0; i < MEMO_SETS * MEMO_WAYS; i++)
		w->memo[i].pc = 0;
	w->header = capture_file_current(&w->file);
	w->number = __atomic_fetch_add(
		&w->header->next_writer, 1, __ATOMIC_RELAXED);
	w->next_bytes = environment_page();
	w->reloads = __atomic_load_n(&process_reloads, __ATOMIC_ACQUIRE);
	w->nesting = (uint8_t)level;
	w->owner = owner;
	w->tid = (uint32_t)(owner & ID_MASK);
	date(w, control_generation());
	w->core_now = clock_core_address();
	writer_forget_last(w);
	measure_prepare(&w->measures);
	w->armed = true;
	process_enumerate(w->number);
	w->process = __atomic_load_n(&process_self()->number, __ATOMIC_ACQUIRE);
	w->next = __atomic_load_n(writers, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(writers, &w->next, w, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return w;
}

/*
 * Makes the writer ours if its thread has ended.  One with our own numbers is
 * an earlier thread's if we have none yet.  Writers of other processes are
 * left alone: of the parent's, after a fork that has kept the arena, and of
 * children that share our memory.
 */
static bool claim(struct writer *w, uint64_t owner, bool first)
{
	uint64_t its = __atomic_load_n(&w->owner, __ATOMIC_ACQUIRE);
	uint64_t wish = ((its & ~OWNER_MASK) + OWNER_NEXT) | owner;
	bool ours = (its & OWNER_MASK) == owner;
	bool ended;

	if (((its ^ owner) & OWNER_MASK) >> ID_BITS != 0)
		return false;
	ended = ours ? first
		     : SYS3(tgkill, its >> ID_BITS & ID_MASK, its & ID_MASK,
			       0) == -ESRCH;
	if (!ended || !__atomic_compare_exchange_n(&w->owner, &its, wish, false,
			      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	TSAN_TAKE(w);
	return true;
}

/* Probes that threads have not needed, for those that meet many living ones in
 * a row: some of them, or none. */
static uint32_t saved_probes;

static uint32_t draw_probes(void)
{
	uint32_t saved = __atomic_load_n(&saved_probes, __ATOMIC_RELAXED);
	uint32_t drawn;

	do
		drawn = saved < PROBES ? saved : PROBES;
	while (drawn > 0 && !__atomic_compare_exchange_n(&saved_probes, &saved,
				    saved - drawn, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED));
	return drawn;
}

static void save_probes(uint32_t probes)
{
	if (__atomic_load_n(&saved_probes, __ATOMIC_RELAXED) < SAVED_MAX)
		__atomic_fetch_add(&saved_probes, probes, __ATOMIC_RELAXED);
}

/*
 * One whose thread has ended, with its block and definitions; null: none was
 * found.  Each thread pays for PROBES.  So on average it costs no more than
 * that, and if one in PROBES of all writers is an ended thread's, one is
 * always found: memory is bounded by the threads alive at one time.
 */
static struct writer *find_ended(uint64_t owner, bool first)
{
	static struct writer *cursor; /* whom to look at next: any will do */
	struct writer *all =
		__atomic_load_n(&process_self()->writers, __ATOMIC_ACQUIRE);
	struct writer *w = __atomic_load_n(&cursor, __ATOMIC_RELAXED);
	struct writer *found = NULL;
	uint32_t probes = PROBES;
	unsigned laps = 0;

	while (all && !found && (probes > 0 || (probes = draw_probes()) > 0)) {
		if (!w) {
			w = all;
			if (laps++ == 2)
				break;
		}
		if (w->armed && claim(w, owner, first))
			found = w;
		w = w->next;
		probes--;
	}
	__atomic_store_n(&cursor, w, __ATOMIC_RELAXED);
	save_probes(probes);
	return found;
}

/*
 * A writer for this thread and level, put where it is looked for.  `levels` is
 * null if it is the first one.
 */
static struct writer *obtain(struct writer **place, unsigned level,
	uintptr_t sp, struct writer **levels)
{
	uint64_t mask = signal_mask_block();
	uint64_t owner = ourselves();
	struct writer *w, *old;

	/* Before it asks which capture is the current one: see spill.c. */
	__atomic_fetch_add(&process_self()->births, 1, __ATOMIC_SEQ_CST);
	process_follow_fork();
	w = old =
		find_ended(owner, place == &writer_self && !writer_self->armed);
	if (!w)
		w = make(level, owner);
	if (w) {
		writer_occupy(w, sp);
	}
	if (old) {
		w->nesting = (uint8_t)level;
		w->tid = (uint32_t)(owner & ID_MASK);
		w->left = NULL;
		w->core_now = clock_core_address();
		/* Of no core: a new anchor comes before what it says. */
		w->core = ~0u - 1;
		leave_what_is_cut(w);
		mend(w);
		renew(w);
		if (control_is_asking_threads())
			forget_calls(w); /* of the other thread */
	}
	if (w) {
		w->levels = levels ? levels : w->level;
		for (unsigned i = 0; i < WRITER_LEVELS; i++)
			w->level[i] = NULL;
		ownership_introduce(w);
		leave_what_is_cut(w);
		life_watch_thread();
		*place = w;
	}
	__atomic_fetch_sub(&process_self()->births, 1, __ATOMIC_ACQ_REL);
	signal_mask_restore(mask);
	return w;
}

static struct writer *take(struct writer *w, uintptr_t sp)
{
	writer_occupy(w, sp);
	leave_what_is_cut(w);
	renew(w);
	return w;
}

/* Like take(), of a writer whose call is over without having ended. */
static struct writer *take_over(struct writer *w, uintptr_t sp)
{
	writer_occupy(w, sp);
	mend(w);
	renew(w);
	return w;
}

/* Where the call has its return address, the call at `sp` and its callees,
 * we among them, have their frames: so the call is over. */
static bool is_overwritten(const struct writer *w, uintptr_t sp)
{
	return w->state < sp &&
	       w->state >= (uintptr_t)__builtin_frame_address(0);
}

#if defined(__x86_64__)
static inline bool leads_back(uintptr_t slot)
{
	return sys_is_readable(*(const void *const *)slot);
}
#else
/* The return address may be anywhere in the frame. */
static inline bool leads_back(uintptr_t slot)
{
	return slot != 0;
}
#endif

/*
 * What is in the frames of a call.  While it is interrupted, nothing changes
 * there: below are the registers that the kernel has saved, and the handler.
 * False: they are gone, or there is no address where it would return to.
 */
static bool look_at_frames(const struct writer *w, uint64_t *hash)
{
	uintptr_t low = w->state - FRAMES_BYTES;
	uintptr_t back = w->state;

	if (!sys_is_readable((const void *)low) ||
		!sys_is_readable((const void *)back) || !leads_back(back))
		return false;
	*hash = binlog_hash((const void *)low, FRAMES_BYTES);
	return true;
}

/* A call that was left has come back and ended, or can never come back. */
static bool is_over(const struct writer *w)
{
	uint64_t hash;

	return writer_is_free(w) || !look_at_frames(w, &hash) ||
	       hash != w->frames;
}

bool ownership_seems_left(uintptr_t inside, uintptr_t sp)
{
	stack_t stack = {.ss_flags = SS_ONSTACK};

	if (sp <= inside || sp - inside >= APART_MAX ||
		sys_failed(SYS2(sigaltstack, NULL, &stack)))
		return false;
	return !(stack.ss_flags & SS_ONSTACK) ||
	       inside - (uintptr_t)stack.ss_sp < stack.ss_size;
}

/*
 * Another writer in place of one that is not free, and may be needed once
 * more.  It is kept until it is certain that it is not: until its call has
 * ended, or something else is where its frames were.
 */
static struct writer *replace(
	struct writer **place, unsigned level, uintptr_t sp)
{
	struct writer *left = *place, **link = &left->left, *w;
	unsigned count = 0;

	while ((w = *link) != NULL && !is_overwritten(w, sp) && !is_over(w))
		link = &w->left, count++;
	if (w) {
		*link = w->left;
		take_over(w, sp);
		*place = w;
	} else {
		w = count < LEFT_MAX ? obtain(place, level, sp, left->levels)
				     : NULL;
	}
	if (w)
		w->left = left;
	return w;
}

/* As above, unless that stack is gone; no handler may jump out of here. */
static struct writer *leave_behind(
	struct writer **place, unsigned level, uintptr_t sp)
{
	uint64_t mask = signal_mask_block();
	struct writer *w = *place;

	if (look_at_frames(w, &w->frames))
		w = replace(place, level, sp);
	else
		take_over(w, sp);
	signal_mask_restore(mask);
	return w;
}

static struct writer *enter(uintptr_t sp)
{
	struct writer *own = NULL;
	struct writer **place = &writer_self;
	struct writer **levels = NULL;

	if (unlikely(is_shared)) {
		own = find_own();
		place = &own;
	}
	for (unsigned level = 0;; level++) {
		struct writer *w = *place;

		if (!w || !w->armed)
			return obtain(place, level, sp, levels);
		if (writer_is_free(w))
			return take(w, sp);
		if (is_overwritten(w, sp))
			return take_over(w, sp);
		if (level + 1 == WRITER_LEVELS ||
			ownership_seems_left(w->state, sp))
			return leave_behind(place, level, sp);
		/* What it says next comes after what the handler says: not
		 * even the rest of a line has the time of its beginning. */
		writer_interrupt_line(w);
		levels = w->levels;
		place = &levels[level + 1];
	}
}

struct writer *ownership_enter(uintptr_t sp)
{
	struct writer *w = enter(sp);

	if (w)
		writer_speak(w);
	return w;
}

/* A call is under way, of this process, which was not left for good. */
static bool is_others(const struct writer *w, uint64_t owner)
{
	uint64_t its =
		__atomic_load_n(&w->owner, __ATOMIC_ACQUIRE) & OWNER_MASK;

	return its != owner && its >> ID_BITS == owner >> ID_BITS &&
	       !sys_failed(SYS3(tgkill, its >> ID_BITS, its & ID_MASK, 0));
}

/* The call that was under way is, still; `writes` until it has ended. */
static bool is_under_way(
	const struct writer *w, uint64_t state, const char *cursor)
{
	bool inside = state != 0 && state % 2 == 0;

	return w->armed &&
	       __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) == state &&
	       __atomic_load_n(&w->cursor, __ATOMIC_RELAXED) == cursor &&
	       (inside || __atomic_load_n(&w->writes, __ATOMIC_RELAXED));
}

/*
 * Whether the kernel lets a thread of this process run, sooner or later: where
 * many want to, that takes longer than a call.  One that sleeps, in a write to
 * a pipe that is full, may do so for ever.
 */
static bool is_running(uint64_t thread)
{
	char line[128], path[64];
	struct bytes_text name = {path, sizeof(path), 0};
	long fd, size;

	bytes_put(&name, "/proc/self/task/");
	bytes_put_number(&name, thread, 10);
	bytes_put(&name, "/stat");
	fd = SYS4(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	size = SYS3(read, fd, line, sizeof(line));
	SYS1(close, fd);
	/* "12 (its name) R": the name may have any bytes, 15 at most. */
	while (!sys_failed(size) && size > 2 && line[size - 1] != ')')
		size--;
	return size > 2 && size + 1 < (long)sizeof(line) &&
	       line[size + 1] == 'R';
}

/* False: it has been too long. */
static bool wait_a_moment(unsigned *waits)
{
	static const struct timespec moment = {0, WAIT_NS};

	if (*waits == 0)
		return false;
	--*waits;
	SYS2(nanosleep, &moment, NULL);
	return true;
}

/* The same.  Most calls have ended after a few. */
static bool wait_a_little(unsigned *waits)
{
	if (*waits <= WAITS - WAITS_SHORT)
		return wait_a_moment(waits);
	--*waits;
	SYS0(sched_yield);
	return true;
}

/* Who ends this process, since ownership_wait(); 0: nobody. */
static uint64_t ending;

/* What it began now would be written, and perhaps not be recorded any more. */
static COLD void wait_for_end(struct writer *w)
{
	uint64_t who = __atomic_load_n(&ending, __ATOMIC_SEQ_CST);
	unsigned waits = WAITS_RUNNING;

	if (who == ourselves() || who >> ID_BITS != ourselves() >> ID_BITS)
		return;
	w->writes = false;
	while (__atomic_load_n(&ending, __ATOMIC_RELAXED) == who &&
		wait_a_moment(&waits))
		;
	w->writes = true;
}

struct writer *ownership_begin(uintptr_t sp)
{
	struct writer *w = writer_enter(sp);

	if (w) {
		__atomic_store_n(&w->writes, true, __ATOMIC_SEQ_CST);
		writer_leave(w);
		if (unlikely(__atomic_load_n(&ending, __ATOMIC_SEQ_CST) != 0))
			wait_for_end(w);
	}
	return w;
}

void ownership_end(struct writer *w)
{
	if (w)
		w->writes = false;
}

void ownership_go_on(void)
{
	__atomic_store_n(&ending, 0, __ATOMIC_RELEASE);
}

/* Threads that libc does not know of may have writers, too. */
static bool is_nobody_else(const struct process_self *self)
{
	const struct writer *w =
		__atomic_load_n(&self->writers, __ATOMIC_ACQUIRE);

	return host_is_single_threaded() && !is_shared &&
	       (!w || (w == writer_self && !w->next)) &&
	       __atomic_load_n(&self->births, __ATOMIC_ACQUIRE) == 0;
}

void ownership_wait(void)
{
	const struct process_self *self = process_self();
	const struct writer *w;
	unsigned waits = WAITS, more = WAITS_RUNNING;
	uint64_t owner;

	if (sys_forbidden || !self || is_nobody_else(self))
		return;
	owner = ourselves();
	__atomic_store_n(&ending, owner, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&self->births, __ATOMIC_ACQUIRE) > 0 &&
		wait_a_little(&waits))
		;
	w = __atomic_load_n(&self->writers, __ATOMIC_ACQUIRE);
	for (; w; w = w->next) {
		uint64_t state = __atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
		const char *cursor =
			__atomic_load_n(&w->cursor, __ATOMIC_RELAXED);

		while (is_others(w, owner) && is_under_way(w, state, cursor) &&
			(wait_a_little(&waits) ||
				(is_running(w->owner & ID_MASK) &&
					wait_a_moment(&more))))
			;
	}
}
