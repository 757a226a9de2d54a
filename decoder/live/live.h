/*
 * The messages of all captures of a directory while these grow, in the order of
 * the calls.  Called by binlog-pack --follow, in passes: each gives out what
 * was said until shortly before it began.  Promises that a writer's messages
 * come once and in its order; that writers are merged by time unless a thread
 * was stopped between taking the time and committing; and that no program
 * waits for it.
 */
#ifndef DECODER_LIVE_H
#define DECODER_LIVE_H

#include <sys/types.h>
#include <time.h>

#include "base/error.h"
#include "decoder/capture/message.h"
#include "decoder/live/live_capture.h"
#include "decoder/live/live_past.h"

/*
 * Asks now and then only.  True: `ended` is set, or `gone` of some writers,
 * which was not before.
 */
bool live_life_ask(struct live_capture *capture);

struct live;

/* Both stay the caller's.  Null: out of memory. */
struct live *live_new(const char *directory, struct error_list *errors);

/* Before the first pass: of all captures that with this name alone. */
void live_only(struct live *live, const char *name);

/*
 * Likewise: messages that are younger, in nanoseconds, are left for a later
 * pass, since others may have one before them that is not committed yet.
 */
void live_set_guard(struct live *live, uint64_t guard);

/* Likewise: live_save() will not be called. */
void live_keep_nothing(struct live *live);

/* Before the first pass: what is to be filled from a log that is there. */
struct live_pasts *live_past_of(struct live *live);

enum live_state {
	LIVE_ABSENT, /* there is no directory, or it cannot be opened: errno */
	LIVE_EMPTY,  /* there has been no capture in it yet */
	LIVE_GROWS,
	LIVE_ENDED, /* nobody is left who could write to any capture */
	LIVE_FAILED /* out of memory */
};

/* Begins a pass: looks for what is new. */
enum live_state live_look(struct live *live);

/* The next message, valid until the next call; null: the pass is over. */
const struct message *live_next(struct live *live);

/* The pass is over although more may come of it: in the next one, then. */
void live_end_pass(struct live *live);

/* In the pass that is over there was something, or there is for the next. */
bool live_is_busy(const struct live *live);

/* Before live_look(): what somebody else, binlog-pack, has freed, and what will
 * be in its place. */
void live_notice_freed(struct live *live);

/* Until when, nanoseconds since 1970, this pass gives out all messages. */
uint64_t live_reached(const struct live *live);

/* A capture all of which was given out, each once.  Null: there is none. */
struct recording *live_next_ended(struct live *live);

/*
 * Instead of live_release(), between passes: captures that were given out
 * altogether are not looked at again.  What their messages pointed to stays.
 */
void live_retire_ended(struct live *live);

/* What a later follower has to know; see live_past.h. */
struct live_save {
	void (*records)(
		void *closure, uint64_t nonce, const void *bytes, size_t size);
	void (*position)(void *closure, uint64_t nonce,
		const struct live_position *position);
	void *closure;
};

/*
 * Between passes: how far all that was given out reaches, and the records that
 * what follows needs; what has changed since the last time, or `all`.
 */
void live_save(struct live *live, const struct live_save *save, bool all);

/* A block of which nothing is needed any more, and may use `place` bytes. */
typedef void live_take(void *closure, struct recording *capture,
	const struct recording_block *block, uint64_t place);

/* All of the capture, which is closed afterwards.  False: it cannot be freed,
 * and remains what live_save() tells of. */
typedef bool live_take_all(void *closure, struct recording *capture);

/* After what live_save() said is safe: what can be freed of the captures. */
void live_release(struct live *live, live_take *take, live_take_all *take_all,
	void *closure);

/* How many bytes live_release() would give now, and of how many. */
uint64_t live_released(const struct live *live);
uint64_t live_claimed(const struct live *live);

/* A place of a capture was freed, and may be taken for a block again. */
bool live_expect(struct live *live, const struct recording *capture,
	uint64_t offset, uint64_t size);

/* The capture with this path, as it was given; null: there is none. */
struct recording *live_recording_at(const struct live *live, const char *path);

/* How many captures it has that are not given out altogether. */
size_t live_count(const struct live *live);

/* Null is fine. */
void live_free(struct live *live);

/* A file that is not a capture, and is not looked at again. */
struct stranger {
	dev_t device;
	ino_t inode;
};

struct live {
	const char *directory;
	const char *only; /* of the captures in it; null: all */
	uint64_t guard;	  /* see live_set_guard() */
	bool keeps_nothing;
	struct error_list *errors;
	struct live_pasts pasts;
	struct live_capture **captures;
	size_t count;
	size_t room;
	size_t most;		       /* that can be open */
	struct live_capture **retired; /* are not looked at again */
	size_t retired_count;
	struct stranger *strangers;
	size_t stranger_count;
	struct timespec scanned; /* the directory's time then */
	bool skipped;		 /* a file, the last time */
	bool seen_any;
	bool failed;
	bool by_wall;
	struct live_writer **heap;
	size_t heap_count;
	size_t heap_room;
	bool delivered; /* the message of the top */
	bool busy;
	/* What is later than this was said after: */
	uint64_t limit_ticks;
	uint64_t limit_wall;
	uint64_t sampled_at; /* CLOCK_MONOTONIC, of the following */
	uint64_t sampled_ticks;
	uint64_t sampled_wall;
};

/*
 * A message that is younger may have another one before it that is not
 * committed yet: a thread may be without a core between the two.
 */
#define LIVE_ORDER_GUARD_NS 20000000u

/* When all is known that is new. */
void live_order_begin(struct live *live);

#endif
