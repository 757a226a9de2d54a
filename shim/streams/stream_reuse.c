#include "shim/streams/stream_reuse.h"

#include "shim/control/process.h"
#include "shim/host/above.h"
#include "shim/host/sys.h"
#include "shim/streams/streams.h"

/* How often a thread looks again while another one begins a round. */
#define TRIES 100

static bool is_vacant[STREAMS_MAX + 1];
static bool is_busy;
static bool is_scarce; /* not only log files come and go */

static unsigned take(void)
{
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (__atomic_load_n(&is_vacant[i], __ATOMIC_RELAXED) &&
			__atomic_exchange_n(
				&is_vacant[i], false, __ATOMIC_ACQ_REL))
			return i;
	return STREAM_FULL;
}

/* Which numbers are those of files that are over. */
static void find_over(bool is_over[STREAMS_MAX + 1], unsigned highest)
{
	for (unsigned i = 0; i <= STREAMS_MAX; i++)
		is_over[i] = i > STREAM_FULL && i < streams_count() &&
			     (streams[i].path || is_scarce) && !is_vacant[i] &&
			     streams[i].pending != PENDING_SOMETHING;
	for (unsigned fd = 0; fd <= highest; fd++) {
		is_over[streams_slots[fd].of_fd & STREAMS_MAX] = false;
		is_over[streams_slots[fd].of_stdio & STREAMS_MAX] = false;
	}
}

/* Those that were over in the last round and are so still. */
static void vacate(const bool is_over[STREAMS_MAX + 1])
{
	if (is_scarce)
		above.streams_end(); /* what was said counts by the number */
	/* Memos, definitions and what writers have said of them are void. */
	__atomic_fetch_add(&streams_flushes, STREAMS_MAX + 1, __ATOMIC_SEQ_CST);
	process_changed();
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (is_over[i] && streams[i].retired)
			__atomic_store_n(&is_vacant[i], true, __ATOMIC_RELEASE);
}

static void retire(const bool is_over[STREAMS_MAX + 1])
{
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (is_over[i])
			__atomic_store_n(
				&streams[i].retired, true, __ATOMIC_RELEASE);
}

static void begin_round(unsigned highest)
{
	static bool is_over[STREAMS_MAX + 1]; /* of whoever is busy */

	if (__atomic_exchange_n(&is_busy, true, __ATOMIC_ACQUIRE))
		return;
	find_over(is_over, highest);
	vacate(is_over);
	retire(is_over);
	__atomic_store_n(&is_busy, false, __ATOMIC_RELEASE);
}

COLD void stream_reuse_begin(unsigned highest)
{
	begin_round(highest);
}

COLD void stream_reuse_evict(unsigned highest)
{
	__atomic_store_n(&is_scarce, true, __ATOMIC_RELAXED);
	streams_evict(highest);
	begin_round(highest);
}

COLD unsigned stream_reuse_number(unsigned highest)
{
	unsigned number = take();

	if (number != STREAM_FULL)
		return number;
	begin_round(highest);
	number = take();
	/* Not for long: we may be a handler that has interrupted it. */
	for (int i = 0; number == STREAM_FULL && i < TRIES &&
			__atomic_load_n(&is_busy, __ATOMIC_ACQUIRE);
		i++) {
		SYS0(sched_yield);
		number = take();
	}
	if (number == STREAM_FULL)
		number = take();
	/* All are in use. */
	for (int i = 0; number == STREAM_FULL && i < 2; i++) {
		stream_reuse_evict(highest);
		number = take();
	}
	return number;
}
