/*
 * What is kept of the ring although newer blocks would take its place: the time
 * around something that has happened.  Called by the decisions of rules, by
 * whoever sees the control page change, and by the end of processes; nothing
 * without a ring.  Costs a few stores, since what has to be kept is looked for
 * when it would be overwritten.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_RING_TRIGGER_H
#define SHIM_RING_TRIGGER_H

#include "record/ring_table.h"

/* Once, behind ring_begin(): reads BINLOG_TRIGGER. */
void ring_trigger_begin(void);

/* Something has happened. */
struct ring_event {
	enum binlog_cause cause;
	/* What the ring holds of the time so long before it, and so long after
	 * it, is kept.  Both 0: as BINLOG_TRIGGER says; RING_ALL before: all
	 * that it holds. */
	uint64_t before_ns;
	uint64_t after_ns;
	/* Of a rule: see struct binlog_ring_window.  What is kept begins before
	 * the `ticks` of the latency. */
	uint64_t ticks;
	uint64_t rule_at;
	uint32_t rule_bytes;
};

/* May be called at every record. */
#define RING_ALL UINT64_MAX
void ring_trigger(const struct ring_event *event);

/* From here on the ring counts only where something has happened. */
void ring_trigger_wait(void);

/* The same by binlog-ctl. */
void ring_trigger_by_control(void);

/* The process is about to end: what life_note() is told. */
void ring_trigger_end(unsigned text, int64_t value);

#endif
