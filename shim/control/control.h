/*
 * What can be switched from outside while the process runs: record/switches.h,
 * as the library obeys it.  The word that every call compares anyway, the
 * generation, is among the switches; so a call that nobody has switched
 * anything for since the last one does nothing for it, and the first one after
 * a change finds that nothing is known any more.  Lock-free,
 * async-signal-safe.
 */
#ifndef SHIM_CONTROL_H
#define SHIM_CONTROL_H

#include "record/switches.h"
#include "rules/levels.h"
#include "shim/host/sys.h"
#include "shim/unwind/unwind.h"

struct rules;

/* Never null: until there is a capture, switches that nobody else knows. */
extern HIDDEN struct binlog_switches *control_switches;

/* The version that this process has followed. */
extern HIDDEN uint32_t control_seen;

/* Odd, as it will be from then on, whatever has been stored there: a child of
 * fork would take 0 for that of its writer, which is not there yet. */
static inline uint32_t control_generation(void)
{
	uint32_t generation = __atomic_load_n(
		&control_switches->generation, __ATOMIC_ACQUIRE);

	return likely(generation & 1)
		       ? generation
		       : __atomic_or_fetch(&control_switches->generation, 1,
				 __ATOMIC_SEQ_CST);
}

/* Something was switched that this process has not followed yet. */
static inline bool control_is_behind(void)
{
	return __atomic_load_n(&control_switches->version, __ATOMIC_ACQUIRE) !=
	       __atomic_load_n(&control_seen, __ATOMIC_RELAXED);
}

/* From here on nothing that was known of calls holds. */
static inline void control_forget(void)
{
	__atomic_fetch_add(&control_switches->generation, 2, __ATOMIC_SEQ_CST);
}

/* The least important level that is recorded; see levels.def. */
static inline int control_level(void)
{
	return __atomic_load_n(&control_switches->level, __ATOMIC_RELAXED);
}

/* Frames of backtrace, whatever has been stored there. */
static inline unsigned control_depth(unsigned usual)
{
	unsigned depth =
		__atomic_load_n(&control_switches->depth, __ATOMIC_RELAXED);

	if (depth > UNWIND_FRAMES_MAX)
		return UNWIND_FRAMES_MAX;
	return depth ? depth : usual;
}

/* While arming: the level of the environment. */
void control_set_level(int level);

void control_set_off(void);

/* Before the first call: those of the settings are there in the capture. */
void control_set_rules(uint64_t at, size_t bytes);

/* The capture is there: its header page has the switches from now on. */
void control_begin(struct binlog_header *header);

/* It was there before, with what others obey. */
void control_join(struct binlog_header *header);

/* That page is cut off; `header` takes its place, where nobody will switch
 * anything any more. */
void control_end(struct binlog_header *header);

/* Another capture is used, which nobody has looked at yet; the rules in force,
 * and all else that was switched, go with us.  `rules`: the text that was in
 * the old one at control_rules_place(), null: there was none. */
void control_go_on(struct binlog_header *header, const char *rules);

/* Where the text of the rules in force is in memory; null: there are none. */
const char *control_rules_place(void);

/* In a child of fork, before its first record: the rules are those of its
 * parent, but what was made of them is gone. */
void control_follow_fork(void);

void control_follow(void);

/* Something was switched: see to it.  Whoever asks what is recorded does. */
static inline void control_look(void)
{
	if (unlikely(control_is_behind()))
		control_follow();
}

/* Null: none are in force. */
const struct rules *control_rules(void);

/* What this process has followed: what belongs together. */
struct control_force {
	const struct rules *rules;
	uint64_t rules_at; /* where their text is in the capture, or 0 */
	int level;
};

void control_get_force(struct control_force *force);

/* Calls may be treated in different ways: there are rules, or a level. */
extern HIDDEN bool control_deciding;

static inline bool control_is_deciding(void)
{
	return __atomic_load_n(&control_deciding, __ATOMIC_RELAXED);
}

/* And in different ways in different threads. */
extern HIDDEN bool control_asks_threads;

static inline bool control_is_asking_threads(void)
{
	return __atomic_load_n(&control_asks_threads, __ATOMIC_RELAXED);
}

#endif
