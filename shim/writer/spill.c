#include "shim/writer/spill.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/host/above.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/signal_mask.h"
#include "shim/host/sys.h"
#include "shim/writer/life.h"
#include "shim/writer/position.h"

/* No capture is smaller: each has all definitions once more. */
#define LEAST ((uint64_t)1 << 20)
/* Of a quota, a capture has this part at most. */
#define QUOTA_PART 4u
/* So much of a capture is for calls that have begun there, of all processes. */
#define BACK_PART 4u
#define BACK_MOST ((uint64_t)4 << 20)
/* Of this, for those of the process that goes on elsewhere. */
#define LEFT_BYTES (64u << 10)

/* What has failed is not tried again at once. */
#define PAUSE_NS ((uint64_t)50000000)
/* Somebody may have been killed in the middle of it. */
#define PAUSE_LONG_NS ((uint64_t)5000000000)
/* Who waits for another thread. */
#define WAITS 4000u
#define WAIT_NS 50000
/* So long a call that has begun before may take to be seen. */
#define HELD_NS ((uint64_t)1000000000)
#define HELD_MOST 16u

bool spill_on;
uint32_t spill_wanted;
unsigned spill_held;

static uint64_t not_before;
/* The process whose thread is at it, or gives something back: in a child of
 * fork nobody is. */
static uint32_t at_it;

/* For calls that were under way: of some of the latest captures. */
#define LEFT_MOST 8u

static struct left {
	uint32_t number; /* of the capture */
	uint32_t used;
	char *base; /* null: there were none */
} lefts[LEFT_MOST];

/* A capture that was left, and is mapped still. */
struct held {
	uint32_t number;
	uint32_t pid;
	uint64_t since;
	struct binlog_header *header;
	unsigned count;
	struct segment_range range[SEGMENT_RANGES];
	bool is_hidden; /* what is stored there is nobody's business */
};

static struct held held[HELD_MOST];

static uint64_t now(void)
{
	struct timespec time = {0};

	SYS2(clock_gettime, CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool take(uint32_t *by)
{
	uint32_t other = __atomic_load_n(by, __ATOMIC_ACQUIRE);

	return other != process.pid &&
	       __atomic_compare_exchange_n(by, &other, process.pid, false,
		       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void give(uint32_t *by)
{
	__atomic_store_n(by, 0, __ATOMIC_RELEASE);
}

/* ---- settings ---- */

static bool is_spill(const char *value)
{
	static const char word[] = "spill";

	return bytes_starts(value, word) && !value[sizeof(word) - 1];
}

uint64_t spill_begin(const char *value, uint64_t max_bytes, uint64_t quota)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	uint64_t back;

	if (!value || !is_spill(value) || max_bytes == 0)
		return max_bytes;
	SYS4(prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
	if (quota != 0 && max_bytes > quota / QUOTA_PART)
		max_bytes = quota / QUOTA_PART;
	if (max_bytes > limit.rlim_cur)
		max_bytes = limit.rlim_cur;
	if (max_bytes < LEAST)
		max_bytes = LEAST;
	back = max_bytes / BACK_PART;
	capture_file_keep_back(back < BACK_MOST ? back : BACK_MOST);
	spill_on = true;
	return max_bytes;
}

/* Whoever takes its writer from here on sees to it first. */
void spill_want(const struct writer *w, bool urgent)
{
	uint32_t wanted = w->file + 1;

	if (!spill_on || now() < __atomic_load_n(&not_before, __ATOMIC_RELAXED))
		return;
	if (__atomic_exchange_n(&spill_wanted, wanted, __ATOMIC_ACQ_REL) !=
			wanted ||
		urgent)
		control_forget();
}

/* ---- of those that have begun before ---- */

void *spill_claim_left(const struct writer *w, uint32_t size)
{
	struct left *left = &lefts[w->file % LEFT_MOST];
	char *base = __atomic_load_n(&left->base, __ATOMIC_ACQUIRE);
	uint32_t at;

	if (!base || left->number != w->file)
		return NULL;
	at = __atomic_fetch_add(&left->used, size, __ATOMIC_ACQ_REL);
	/* Not what is of another one by now. */
	return base == __atomic_load_n(&left->base, __ATOMIC_ACQUIRE) &&
			       at <= LEFT_BYTES && size <= LEFT_BYTES - at
		       ? base + at
		       : NULL;
}

static const struct writer *all_writers(void)
{
	return __atomic_load_n(&process_self()->writers, __ATOMIC_ACQUIRE);
}

static bool is_inside(const struct writer *w)
{
	return __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) % 2 == 0;
}

/* ---- what is mapped ---- */

/* Something in place of it, in one step: who is late stores to that. */
static bool hide(char *address, uint64_t bytes)
{
	return !sys_failed(SYS6(mmap, address, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
		0));
}

/*
 * The header page stays, in one way or the other: the short way may have read
 * where the switches are long ago.  As the file's, where positions are in it,
 * which programs share that are executed.
 */
static char *behind_page(const struct held *of, unsigned i, uint64_t *bytes)
{
	uint64_t page = i == 0 ? environment_page() : 0;

	*bytes = of->range[i].bytes - page;
	return of->range[i].address + page;
}

static void hide_all(struct held *of)
{
	for (unsigned i = 0; i < of->count; i++) {
		uint64_t bytes;
		char *address = behind_page(of, i, &bytes);

		hide(address, bytes);
	}
	if (!position_is_in(of->header))
		hide((char *)of->header, environment_page());
	of->is_hidden = true;
}

static void unmap_all(struct held *of)
{
	if (!of->is_hidden)
		hide_all(of);
	for (unsigned i = 0; i < of->count; i++) {
		uint64_t bytes;
		char *address = behind_page(of, i, &bytes);

		SYS2(munmap, address, bytes);
	}
}

enum use { USE_NONE, USE_IDLE, USE_INSIDE };

/* Of a child of fork nothing is known: it may be in a handler, and come back
 * to a call. */
static enum use use_of(const struct held *of)
{
	enum use use = of->pid == process.pid ? USE_NONE : USE_IDLE;

	/* Before the list: who is about to be in it may have asked already
	 * which capture is the current one. */
	if (__atomic_load_n(&process_self()->births, __ATOMIC_SEQ_CST) > 0)
		return USE_INSIDE;
	for (const struct writer *w = all_writers(); w; w = w->next)
		/* Also one that is about to get its first block there. */
		if (__atomic_load_n(&w->file, __ATOMIC_ACQUIRE) <= of->number) {
			if (is_inside(w) && w->armed)
				return USE_INSIDE;
			use = USE_IDLE;
		}
	return use;
}

static void drop_held(unsigned i)
{
	for (; i + 1 < spill_held; i++)
		held[i] = held[i + 1];
	__atomic_fetch_sub(&spill_held, 1, __ATOMIC_RELAXED);
}

/* By who is at it.  Who is inside of a call is seen to be only after a moment;
 * who has gone on in another capture does not come back. */
static void give_back(void)
{
	uint64_t time = now();

	for (unsigned i = spill_held; i-- > 0;) {
		enum use use = use_of(&held[i]);

		if (use == USE_NONE) {
			unmap_all(&held[i]);
			drop_held(i);
		} else if (use == USE_IDLE && !held[i].is_hidden &&
			   time - held[i].since >= HELD_NS) {
			hide_all(&held[i]);
		}
	}
}

COLD void spill_give_back_slow(void)
{
	static uint64_t looked;
	uint64_t mask, time = now();

	if (!arena_is_marked() ||
		time - __atomic_load_n(&looked, __ATOMIC_RELAXED) < PAUSE_NS)
		return;
	__atomic_store_n(&looked, time, __ATOMIC_RELAXED);
	mask = signal_mask_block();
	if (take(&at_it)) {
		give_back();
		give(&at_it);
	}
	signal_mask_restore(mask);
}

/* One more; false: those that are there cannot go. */
static bool make_place(void)
{
	if (spill_held < HELD_MOST)
		return true;
	for (unsigned i = 0; i < HELD_MOST; i++)
		if (held[i].is_hidden || use_of(&held[i]) != USE_INSIDE) {
			if (!held[i].is_hidden)
				hide_all(&held[i]);
			/* Its addresses are lost. */
			drop_held(i);
			return true;
		}
	return false;
}

static void hold(struct binlog_header *header, uint32_t number,
	const struct segment_range *range, unsigned count)
{
	struct held *of = &held[spill_held];

	*of = (struct held){
		.number = number,
		.pid = process.pid,
		.since = now(),
		.header = header,
		.count = count,
	};
	for (unsigned i = 0; i < count; i++)
		of->range[i] = range[i];
	__atomic_fetch_add(&spill_held, 1, __ATOMIC_RELAXED);
}

/* ---- from one to the next ---- */

/* Whether they are inside of a call may not be seen yet. */
static bool are_there_others(const struct writer *self)
{
	for (const struct writer *w = all_writers(); w; w = w->next)
		if (w != self && w->armed && w->file == self->file)
			return true;
	return false;
}

static bool has_spoken(void)
{
	for (const struct writer *w = all_writers(); w; w = w->next)
		if (w->file == capture_file_number && w->block)
			return true;
	return false;
}

static struct binlog_spill *account_of(struct binlog_header *header)
{
	return (struct binlog_spill *)((char *)header + BINLOG_SPILL_OFFSET);
}

static void refuse(uint32_t why, uint64_t pause)
{
	account_of(capture_file_header)->refused = why;
	__atomic_store_n(&not_before, now() + pause, __ATOMIC_RELAXED);
}

static void turn(const struct writer *w, struct binlog_header *next, bool spoke)
{
	struct binlog_header *before = capture_file_header;
	const char *rules = control_rules_place();
	uint32_t number = capture_file_number;
	struct left *left = &lefts[number % LEFT_MOST];
	struct segment_range range[SEGMENT_RANGES];
	unsigned count;
	char *base = NULL;

	if (are_there_others(w))
		base = capture_file_claim_last(number, LEFT_BYTES);
	__atomic_store_n(&left->base, NULL, __ATOMIC_SEQ_CST);
	left->used = 0;
	left->number = number;
	__atomic_store_n(&left->base, base, __ATOMIC_SEQ_CST);
	if (!capture_file_stop()) {
		capture_file_drop(growth_next_path());
		refuse(BINLOG_SPILL_OTHER, PAUSE_LONG_NS);
		return;
	}
	life_go_on(next);
	count = capture_file_turn(range);
	process_spills(spoke);
	hold(before, number, range, count);
	capture_file_go_on();
	control_go_on(next, rules);
	__atomic_fetch_add(&account_of(before)->left, 1, __ATOMIC_RELEASE);
}

static void go(const struct writer *w)
{
	bool spoke = has_spoken();
	struct binlog_spill account = {
		.before = capture_file_header->nonce,
		.process = spoke ? process_self()->number : 0,
		.spoke = spoke,
	};
	struct binlog_header *next;
	uint32_t why = BINLOG_SPILL_OTHER;

	give_back();
	next = make_place() ? above.next_capture(&account, &why) : NULL;
	if (next)
		turn(w, next, spoke);
	else
		refuse(why, PAUSE_NS);
}

static bool has_turned(uint32_t number)
{
	return __atomic_load_n(&capture_file_number, __ATOMIC_ACQUIRE) !=
	       number;
}

static void try(const struct writer *w, uint32_t number)
{
	static const struct timespec moment = {0, WAIT_NS};

	for (unsigned i = 0; i < WAITS && !has_turned(number); i++)
		if (take(&at_it)) {
			if (!has_turned(number))
				go(w);
			give(&at_it);
			return;
		} else {
			SYS2(nanosleep, &moment, NULL);
		}
	if (!has_turned(number))
		refuse(BINLOG_SPILL_OTHER, PAUSE_LONG_NS);
}

COLD void spill_go(struct writer *w)
{
	uint32_t number = w->file;
	uint32_t wanted = number + 1;
	uint64_t mask;

	if (!spill_on || sys_forbidden || has_turned(number))
		return;
	if (now() >= __atomic_load_n(&not_before, __ATOMIC_RELAXED)) {
		mask = signal_mask_block();
		try(w, number);
		signal_mask_restore(mask);
	}
	/* It was refused: who finds no room later wants it again. */
	if (!has_turned(number))
		__atomic_compare_exchange_n(&spill_wanted, &wanted, 0, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
