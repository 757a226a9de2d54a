/*
 * A writer: one thread, at one level of nesting, and the block that it fills.
 * Every wrapper that records enters the writer of its thread, appends, and
 * leaves; entering is one comparison that also covers "first call in this
 * thread", "after fork", "a library was unloaded" and "already inside".
 * Nothing here is shared between threads; async-signal-safe.
 */
#ifndef SHIM_WRITER_H
#define SHIM_WRITER_H

#include "record/layout.h"
#include "shim/control/process.h"
#include "shim/host/clock.h"
#include "shim/host/signal_exchange.h"
#include "shim/host/sys.h"
#include "shim/streams/streams.h"
#include "shim/unwind/unwind.h"
#include "shim/writer/measure.h"
#include "shim/writer/coroutine.h"
#include "shim/writer/memo.h"
#include "shim/writer/ring.h"

/* The largest record; two of them fit into the usual block. */
#define WRITER_RECORD_MAX ((1u << 17) - 256)

/* The smallest block, in which there is not room for any record. */
#define WRITER_BLOCK_SMALLEST 4096u

/* Calls that interrupt calls that interrupt calls, and so on. */
#define WRITER_LEVELS 8u

#define WRITER_GUESSES 1024u

/* So far above a call everything is of the program's stack. */
#define WRITER_STACK 65536u

/* A thread that is one of many finds out after so many calls whether it still
 * is. */
#define WRITER_TURNS 256u

/* Records that are shorter need no test of their own for room. */
#define WRITER_MARGIN 512u

/* A format that will hardly come again is not defined: its text is recorded. */
enum writer_fleeting {
	FLEETING_NOT,
	FLEETING_PLAIN, /* it is the text */
	FLEETING_MADE,	/* of it and arguments */
};

struct define_tables;
struct plan;

/* A constant format that was met lately. */
struct writer_format {
	const char *format;
	struct plan *plan;
	uint32_t id;
};

#define WRITER_FORMATS 64u

/*
 * A format that the program has made, short and on one page: as long as its
 * bytes are these it is that of the memo.  Nearly all are made once and used
 * again: translated ones, and those that are put together from what is asked
 * for.
 */
#define WRITER_MADE_BYTES 40u
struct writer_made {
	const char *format; /* null: none */
	struct memo *memo;
	uintptr_t key;
	uint32_t bytes; /* with the final zero */
	char text[WRITER_MADE_BYTES];
};

#define WRITER_MADE 64u

/*
 * With a ring the block of the writer is one of its places, for records, and
 * definitions go here: into blocks that stay.
 */
struct writer_ring {
	/* Of the block, and what will be of the next one: a handler that jumps
	 * out leaves one of them whole. */
	struct ring_hold holds[2];
	uint32_t held;	       /* which of them it is */
	uint32_t taking;       /* see ring_take() */
	uint32_t next_bytes;   /* of the next block in the ring */
	bool turns;	       /* one block is being exchanged for another */
	bool named;
	char name[16];		     /* of the thread, as it was recorded */
	struct binlog_anchor anchor; /* the latest */
	struct binlog_block *definitions; /* null: none could be had */
	char *cursor;
	char *end;
};

struct writer {
	/*
	 * Odd: no call is inside; then it is `idle`, and free if that equals
	 * the turn among the switches: the generation (control.h) is that of
	 * when it was left, and no other thread has spoken since.  Even: a call
	 * is inside, which has its return address there.  0: in a child of
	 * fork, and before it is armed.  Only its own thread and handlers
	 * change it; it is taken by one instruction, since a handler may come
	 * before or after it and leave it as it was.
	 */
	uint64_t state;
	uint64_t idle;	   /* generation, and the number of the thread << 32 */
	uint32_t turns;	   /* as one of many: see writer_take_turn() */
	uint32_t seen;	   /* the generation for which memos hold */
	char *cursor;	   /* where the next record goes */
	char *limit;	   /* WRITER_MARGIN before `end` */
	struct memo *last; /* used on the short way; never null */
	char *open;	   /* the cursor after a piece of a line, or any */
	uint32_t open_context;	/* of that piece */
	uint32_t other_context; /* before it in this line; 0: none */
	char *end;		/* of the block, less a final zero word */
	uint32_t epoch;		/* ticks >> CLOCK_EPOCH_SHIFT of the anchor */
	uint32_t core;
	const volatile uint32_t *core_now; /* clock_core_address() */
	struct binlog_block *block;	   /* null: none could be had */
	/* Of its thread: [n] serves handlers that interrupt n calls; [0] is
	 * not used. */
	struct writer **levels;
	struct define_tables *tables;
	struct unwind_cache *unwind_cache;
	struct unwind_trace *trace; /* scratch of the slow path */
	struct writer *next;	    /* of all */
	uint32_t number;
	uint32_t sequence;     /* of the next block */
	uint32_t next_bytes;   /* size of the next block */
	uint32_t failed_bytes; /* one of this size was not to be had, or 0 */
	uint32_t tid;
	uint32_t said_key;   /* stream and flush for which `said` counts */
	uint64_t said;	     /* bytes, ever: see writer_said() */
	uint64_t settled;    /* of these: added to what streams have */
	uint64_t owner;	     /* see ownership.c, which alone uses these three */
	struct writer *left; /* by this thread, in a call that may go on */
	uint64_t frames;     /* a hash of that call's */
	size_t wanted;	     /* bytes of the record that did not fit last */
	struct writer *level[WRITER_LEVELS]; /* for `levels` of some */
	bool armed;
	bool exchanges; /* its block: the last one may be freed, see writer.c */
	bool filled; /* a block, since cancel.c has looked */
	bool writes; /* a text, which is recorded before or after: ownership.h
		      */
	uint8_t nesting;
	bool excused;	 /* the call is passed because that is wanted */
	uint32_t length; /* scratch of fast_x86_64.S, like `first` */
	uint32_t first;
	struct measure_tables measures;
	uint16_t guesses[WRITER_GUESSES][2]; /* numbers of memos: fast.h */
	uint8_t seconds; /* how often the second of them was right */
	struct writer_format formats[WRITER_FORMATS];
	struct writer_made *made; /* WRITER_MADE of them; null: not needed yet */
	struct memo *memo;  /* sets of MEMO_WAYS each */
	uint32_t memo_sets; /* a power of two */
	char *room;	    /* for texts that are made: capture_once.c */
	uint32_t room_bytes;
	uintptr_t made_page; /* number of the page: writer_is_made() */
	const char *refused; /* the format that the short way has asked of:
			      * it is not to be defined */
	uintptr_t missed;    /* sp of a call of which there is no memo; see */
	/* writer_find_memo() */
	uint32_t cancel_seen; /* the request for which cancel.c asked last */
	uint64_t cancel_held; /* bytes in the FILE before the text: its, too */
	uint32_t memo_losses; /* entries that others have taken the place of */
	uint32_t reloads;     /* process_reloads for which definitions hold */
	/* Of the call that is under way: see site.h. */
	bool decided;	     /* it is to be recorded; */
	bool special;	     /* but not every one from there, or not as it is */
	bool has_secret;     /* it has to be decided, by its format */
	uint8_t fleeting;    /* enum writer_fleeting: its format */
	uint8_t depth;	     /* of its backtrace; 0: as usual */
	uint8_t ruled_level; /* 1 more than a rule has said; 0: none has */
	struct coroutine coroutine; /* that makes it: define_walk() */
	const struct redaction *redaction;
	struct site *site_spare;
	struct memo_caller callers[MEMO_CALLERS];
	struct memo spare; /* for a call that cannot be remembered */
	struct writer_ring ring;
	/* Of its blocks: */
	struct binlog_header *header; /* of their capture, */
	uint32_t file;		      /* its capture_file_number, */
	uint32_t process;	      /* and `process` in them */
};

/* Of the calling thread; a constant one that is never free at first. */
extern __thread struct writer *writer_self
	__attribute__((tls_model("initial-exec")));

/*
 * What writer_self is before the loader fills thread state in: that is after
 * the resolvers of IFUNCs, which may print.  Before the first call.
 */
void writer_prepare(void);

/*
 * writer_self, safe before writer_prepare(): at no distance from the thread's
 * own address is that address, of something that is never free.
 */
#if defined(__x86_64__)
extern HIDDEN intptr_t writer_place; /* of writer_self, from there */

/* Sanitizers know nothing of segments. */
TSAN_IGNORE UBSAN_IGNORE static inline struct writer *writer_current(void)
{
	return *(struct writer * __seg_fs *)writer_place;
}
#else
extern HIDDEN struct writer *const writer_nobody;

static inline struct writer *writer_current(void)
{
	return likely(writer_self) ? writer_self : writer_nobody;
}
#endif

/* No call is inside. */
static inline bool writer_is_free(const struct writer *w)
{
	return w->state % 2 != 0;
}

/* The calling thread is inside from here on, by a call with this stack pointer.
 */
static inline void writer_occupy(struct writer *w, uintptr_t sp)
{
	w->state = sp - sizeof(uintptr_t);
	SIGNAL_FENCE();
}

/*
 * The same if it is free, nothing unusual has happened, and no other thread
 * has spoken: whoever has spoken last needs no fence to be in order.
 */
static inline bool writer_try(struct writer *w, uintptr_t sp)
{
	uint64_t turn =
		__atomic_load_n(&control_switches->turn, __ATOMIC_RELAXED);

	return signal_exchange(&w->state, turn | 1, sp - sizeof(uintptr_t));
}

/*
 * The same where nothing has happened but that another thread has spoken, or
 * many do.  A processor reads the time up to 100 ns before a lock is its own;
 * so who may have got a lock from another thread waits for all that it has
 * loaded before it reads the time.  The word that says who speaks is stored to
 * only when this changes: threads that print at once do not fight for it.
 */
bool writer_take_turn(struct writer *w, uintptr_t sp);

/* From here on the calling thread, which is inside, is in order. */
void writer_speak(struct writer *w);

/*
 * From here on every thread of this process is one of many: what is mapped is
 * shared with programs that know nothing of its turns, and may be a lock.
 */
void writer_hear_others(void);

static inline void writer_set_end(struct writer *w, char *end)
{
	w->end = end;
	w->limit = end ? end - WRITER_MARGIN : NULL;
}

struct writer *writer_enter_slow(uintptr_t sp);

/*
 * Ours until writer_leave(); null: record nothing, pass the call.  `sp` is
 * the stack pointer of the call, by which one that a handler has jumped out
 * of is told from one that it has interrupted.
 */
static inline struct writer *writer_enter(uintptr_t sp)
{
	struct writer *w = writer_current();

	return likely(writer_try(w, sp)) || writer_take_turn(w, sp)
		       ? w
		       : writer_enter_slow(sp);
}

static inline void writer_leave(struct writer *w)
{
	SIGNAL_FENCE();
	w->state = w->idle;
	TSAN_GIVE(w);
}

bool writer_refill(struct writer *w, uint32_t bytes);
bool writer_sync_clock(struct writer *w, uint32_t bytes, uint64_t *ticks);

/*
 * There is room for so many bytes at `at`.  The end may be before that: if a
 * handler has forked in the middle of a record, the child has lost the block.
 */
static inline bool writer_fits(
	const struct writer *w, const char *at, size_t bytes)
{
	return w->end - at >= (ptrdiff_t)bytes;
}

/* Room for a record of `bytes` (at most WRITER_RECORD_MAX) at w->cursor. */
static inline bool writer_reserve(struct writer *w, uint32_t bytes)
{
	return likely(writer_fits(w, w->cursor, bytes)) ||
	       writer_refill(w, bytes);
}

/*
 * Like writer_reserve(), for a record that carries time: *ticks is the time
 * now, and the block's anchor is fit for its lower 32 bits.
 */
static inline bool writer_begin(
	struct writer *w, uint32_t bytes, uint64_t *ticks)
{
	if (unlikely(!writer_reserve(w, bytes)))
		return false;
	*ticks = clock_ticks();
	if (likely((uint32_t)(*ticks >> CLOCK_EPOCH_SHIFT) == w->epoch &&
		    *w->core_now == w->core))
		return true;
	return writer_sync_clock(w, bytes, ticks);
}

/*
 * Publishes what was written from w->cursor + 4 up to `end` as a record whose
 * first word is `first`.  If we die before the last store but one, a reader
 * sees the old end of the block; from that store on, the whole record.
 */
static inline void writer_commit(struct writer *w, char *end, uint32_t first)
{
	*(uint32_t *)end = 0;
	__atomic_store_n((uint32_t *)w->cursor, first, __ATOMIC_RELEASE);
	SIGNAL_FENCE();
	w->cursor = end;
}

/* What came after what, and what was made: so that no guess leads into an older
 * table. */
static inline void writer_forget_last(struct writer *w)
{
	memo_prepare(&w->spare, &w->spare);
	w->last = &w->spare;
	for (unsigned i = 0; w->made && i < WRITER_MADE; i++)
		w->made[i].format = NULL;
}

/*
 * Whether a format was surely made by the program: it is on the stack, or where
 * one was lately of which that was found out.
 */
static inline bool writer_is_made(
	const struct writer *w, uintptr_t sp, const char *format)
{
	return (uintptr_t)format - sp < WRITER_STACK ||
	       (uintptr_t)format / SYS_PAGE == w->made_page;
}

/* Where this format is, if it was met lately. */
static inline struct writer_format *writer_format_at(
	struct writer *w, const char *format)
{
	return &w->formats[((uintptr_t)format * 0x9e3779b97f4a7c15u >> 58) %
			   WRITER_FORMATS];
}

/* A larger table of memos, which is empty: for who loses many in one block. */
void writer_grow_memo(struct writer *w);

/* The two sets by the hash of a call. */
static inline struct memo *writer_memo_set(struct writer *w, unsigned hash)
{
	return &w->memo[hash % w->memo_sets * MEMO_WAYS];
}

static inline struct memo *writer_memo_other_set(
	struct writer *w, unsigned hash)
{
	return writer_memo_set(w, hash * 0x9e3779b1u >> 16);
}

/* The memo of a call, which now is the last of its set to be replaced; null:
 * there is none. */
static inline struct memo *writer_memo(
	struct writer *w, const struct call *call, uintptr_t key, uint32_t tag)
{
	unsigned hash =
		memo_hash(w->callers, call->pc, call->sp, call->fp, key, tag);
	struct memo *memo =
		memo_find(writer_memo_set(w, hash), call, key, tag);

	if (likely(memo || w->memo_sets < MEMO_SETS_LARGE))
		return memo;
	return memo_find(writer_memo_other_set(w, hash), call, key, tag);
}

/* The set for a new one. */
static inline struct memo *writer_memo_room(
	struct writer *w, const struct call *call, uintptr_t key, uint32_t tag)
{
	unsigned hash =
		memo_hash(w->callers, call->pc, call->sp, call->fp, key, tag);
	struct memo *set = writer_memo_set(w, hash), *other;

	if (!memo_is_full(set) || w->memo_sets < MEMO_SETS_LARGE)
		return set;
	other = writer_memo_other_set(w, hash);
	return memo_is_full(other) ? set : other;
}

/* The memo of a format's call, unless the short way has just looked for it in
 * vain; to look for it once more would do no harm. */
static inline struct memo *writer_find_memo(
	struct writer *w, const struct call *call, uintptr_t key, uint32_t tag)
{
	bool missed = w->missed == call->sp;

	w->missed = 0;
	return missed ? NULL : writer_memo(w, call, key, tag);
}

/* The writer's next text has a time of its own, even in the middle of a line:
 * others may say something meanwhile. */
static inline void writer_interrupt_line(struct writer *w)
{
	uint32_t key = streams_key(w->said_key & STREAMS_MAX);

	__atomic_store_n(
		&w->said_key, key ^ ~(uint32_t)STREAMS_MAX, __ATOMIC_RELAXED);
}

bool writer_said_slow(struct writer *w, unsigned stream);

/* Others may look at it meanwhile: writer_add_up(). */
static inline void writer_count_said(struct writer *w, size_t bytes)
{
	OWNER_ADD(w->said, bytes);
}

/*
 * After a record of text: counts its bytes, and that some may be held back
 * (streams.h).  True if a terminal may have to show some of it (terminal.h).
 */
static inline bool writer_said(struct writer *w, unsigned stream, size_t bytes)
{
	uint32_t key = streams_key(stream);
	bool shows = false;

	if (unlikely(w->said_key != key))
		shows = writer_said_slow(w, stream);
	writer_count_said(w, bytes);
	return shows;
}

/* There is room for definitions that a call can do without: with a ring they
 * would stay in it. */
static inline bool writer_may_define(void)
{
	return !ring_is_on() || ring_may_define();
}

/*
 * Begins a definition, a control record of `bytes`, and returns where it is;
 * the caller fills in what follows the head and calls writer_commit_control().
 */
void *writer_control(struct writer *w, uint32_t bytes);
void writer_commit_control(struct writer *w, uint32_t kind);

/*
 * It goes on in the capture that is used by now, and has defined nothing there.
 * Outside of a call, or before it has used a number.
 */
void writer_move(struct writer *w);

/* Whom the writer serves from here on: a THREAD record among its calls. */
void writer_introduce(struct writer *w);

/*
 * After a call that did not end, or one of another thread.  Its record may be
 * there, the cursor not yet behind it: then it is taken back, since it has not
 * returned.
 */
void writer_mend(struct writer *w);

/*
 * Before system calls become impossible: a large block for this thread, which
 * has to last for the rest of its life.
 */
void writer_stock_up(void);

/* The calling thread is inside a call, which a handler has interrupted. */
static inline bool writer_is_inside(void)
{
	return writer_self->armed && !writer_is_free(writer_self);
}

/*
 * Around a fork by its wrapper: true before it if writer_after_fork() is to be
 * called after it, in parent and child.
 */
bool writer_before_fork(void);
void writer_after_fork(bool child);

/* More than the smallest records can be recorded, for all that is known. */
bool writer_has_room(void);

/*
 * The block of the call that is under way in this thread is lost: it may go on
 * storing there, the next one gets another.
 */
void writer_abandon(void);

/*
 * Where in the capture of now there are zeros in place of a block that a writer
 * of this process fills: the first; 0: nowhere.  So it was cut, and made longer
 * since.  Looks at all writers, with a system call for each.
 */
uint64_t writer_first_cut(void);

/* Adds what all writers have counted to `said` of the streams, or only what
 * that of the calling thread has. */
void writer_add_up(void);
void writer_add_up_own(void);

/* This process itself has recorded something. */
bool writer_has_spoken(void);

/* A call that is made natively although it was meant to be recorded; but for
 * one of which a rule says so. */
void writer_count_passed(void);

/* Some text of this process was written in place of being recorded. */
extern HIDDEN bool writer_has_passed;

static inline bool writer_some_passed(void)
{
	return __atomic_load_n(&writer_has_passed, __ATOMIC_RELAXED);
}

/* Stored once: threads whose text is passed would fight for its cache line. */
static inline void writer_note_passed(void)
{
	if (unlikely(!writer_some_passed()))
		__atomic_store_n(&writer_has_passed, true, __ATOMIC_RELAXED);
}

/* A rule has just said so. */
static inline bool writer_is_excused(void)
{
	return writer_self->excused;
}

/* A call whose text, or the rest of it, is lost. */
void writer_count_dropped(void);

/* ---- of writer.c, for this file ---- */

/* ---- for writer.c ---- */

#endif
