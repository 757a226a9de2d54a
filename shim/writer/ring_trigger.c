#include "shim/writer/ring_trigger.h"

#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/host/bytes.h"
#include "shim/host/clock.h"
#include "shim/writer/pace.h"
#include "shim/writer/ring.h"

/* What has happened was recorded a moment ago. */
#define MOMENT_NS 100000u

/* What BINLOG_TRIGGER says. */
static bool on_signal;
static bool on_exit_status;
static uint64_t before_usual = RING_ALL;
static uint64_t after_usual;

static void reach(uint64_t *until, uint64_t end)
{
	uint64_t before = __atomic_load_n(until, __ATOMIC_RELAXED);

	while (before < end &&
		!__atomic_compare_exchange_n(until, &before, end, false,
			__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

/* What follows closely is one window. */
static bool extend(struct binlog_ring *ring, uint64_t from, uint64_t until)
{
	uint32_t count = __atomic_load_n(&ring->windows, __ATOMIC_ACQUIRE);
	struct binlog_ring_window *last;

	if (count == 0)
		return false;
	last = &ring_windows[(count < BINLOG_RING_WINDOWS
					     ? count
					     : BINLOG_RING_WINDOWS) -
			     1];
	if (count < BINLOG_RING_WINDOWS &&
		(last->from > from ||
			__atomic_load_n(&last->until, __ATOMIC_ACQUIRE) < from))
		return false;
	reach(&last->until, until);
	return true;
}

void ring_trigger(const struct ring_event *event)
{
	uint64_t now = clock_ticks();
	bool usual = event->before_ns == 0 && event->after_ns == 0;
	uint64_t before, until, from;
	struct binlog_ring_window *window;
	struct binlog_ring *ring;
	uint32_t i;

	if (!ring_is_on())
		return;
	ring = ring_of(capture_file_header);
	before = pace_ticks(usual ? before_usual : event->before_ns);
	before += event->ticks + pace_ticks(MOMENT_NS);
	from = before < now ? now - before : 0;
	until = now + pace_ticks(usual ? after_usual : event->after_ns);
	if (extend(ring, from, until))
		return;
	i = __atomic_fetch_add(&ring->windows, 1, __ATOMIC_ACQ_REL);
	if (i >= BINLOG_RING_WINDOWS) {
		extend(ring, from, until);
		return;
	}
	window = &ring_windows[i];
	window->from = from;
	window->at = now;
	window->cause = event->cause;
	window->rule_at = event->rule_at;
	window->rule_bytes = event->rule_bytes;
	window->latency = event->ticks ? pace_nanoseconds(event->ticks) : 0;
	reach(&window->until, until);
}

static void wait_for(uint32_t what)
{
	if (ring_is_on())
		__atomic_fetch_or(&ring_of(capture_file_header)->waits, what,
			__ATOMIC_RELEASE);
}

void ring_trigger_wait(void)
{
	wait_for(BINLOG_RING_WAITS);
}

void ring_trigger_by_control(void)
{
	static const struct ring_event by_control = {
		.cause = BINLOG_CAUSE_CONTROL};

	ring_trigger(&by_control);
}

/* 0: it goes on after all. */
void ring_trigger_end(unsigned text, int64_t value)
{
	bool killed = text == BINLOG_TEXT_SIGNAL;
	bool failed = (text == BINLOG_TEXT_EXIT || text == BINLOG_TEXT_LEFT) &&
		      (value & 0xff) != 0;

	struct ring_event event = {
		.cause = killed ? BINLOG_CAUSE_SIGNAL : BINLOG_CAUSE_EXIT,
	};

	if ((killed && on_signal) || (failed && on_exit_status))
		ring_trigger(&event);
}

/* ---- BINLOG_TRIGGER=signal,exit,kill,before=5s,after=100ms ---- */

static void obey(const char *word)
{
	if (bytes_starts(word, "signal"))
		on_signal = true;
	else if (bytes_starts(word, "exit"))
		on_exit_status = true;
	else if (bytes_starts(word, "kill"))
		wait_for(BINLOG_RING_KILL);
	else if (bytes_starts(word, "before="))
		before_usual = bytes_duration(word + 7, before_usual);
	else if (bytes_starts(word, "after="))
		after_usual = bytes_duration(word + 6, after_usual);
}

void ring_trigger_begin(void)
{
	const char *value = settings_get(CONFIG_trigger);

	if (!ring_is_on() || !value || !*value)
		return;
	ring_trigger_wait();
	for (; *value; value += *value == ',') {
		obey(value);
		while (*value && *value != ',')
			value++;
	}
}
