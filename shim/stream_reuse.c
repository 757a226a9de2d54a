#include "shim/stream_reuse.h"

#include "shim/process.h"
#include "shim/streams.h"

/* Another thread may be about to use one of the latest. */
#define LATEST 64u

static uint8_t is_vacant[STREAMS_MAX + 1];

static unsigned take(void)
{
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (__atomic_load_n(&is_vacant[i], __ATOMIC_RELAXED) &&
			__atomic_exchange_n(&is_vacant[i], 0, __ATOMIC_ACQ_REL))
			return i;
	return STREAM_FULL;
}

static uint32_t latest_serial(void)
{
	uint32_t latest = 0;

	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (streams[i].serial > latest)
			latest = streams[i].serial;
	return latest;
}

static bool is_over(const struct stream *stream, uint32_t latest)
{
	return stream->path && stream->inode &&
	       stream->pending != PENDING_SOMETHING &&
	       latest - stream->serial >= LATEST;
}

/* Marks those that are still needed; true if others are left. */
static bool mark(bool is_needed[STREAMS_MAX + 1], unsigned highest)
{
	uint32_t latest = latest_serial();
	bool any = false;

	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		is_needed[i] = !is_over(&streams[i], latest);
	for (unsigned fd = 0; fd <= highest; fd++) {
		is_needed[streams_of_fd[fd] & STREAMS_MAX] = true;
		is_needed[streams_of_stdio[fd] & STREAMS_MAX] = true;
	}
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		any |= !is_needed[i];
	return any;
}

static void sweep(bool is_needed[STREAMS_MAX + 1], unsigned highest)
{
	if (!mark(is_needed, highest))
		return;
	/* Nobody finds the others any more, nor remembers what they were:
	 * memos, definitions and what writers have said are void. */
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (!is_needed[i])
			__atomic_store_n(
				&streams[i].inode, 0, __ATOMIC_RELEASE);
	__atomic_fetch_add(&streams_flushes, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&process_generation, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = STREAM_FULL + 1; i <= STREAMS_MAX; i++)
		if (!is_needed[i])
			__atomic_store_n(&is_vacant[i], 1, __ATOMIC_RELEASE);
}

COLD unsigned stream_reuse_number(unsigned highest)
{
	static bool scratch[STREAMS_MAX + 1];
	static bool is_sweeping;
	unsigned number = take();

	if (number == STREAM_FULL &&
		!__atomic_exchange_n(&is_sweeping, true, __ATOMIC_ACQUIRE)) {
		sweep(scratch, highest);
		__atomic_store_n(&is_sweeping, false, __ATOMIC_RELEASE);
		number = take();
	}
	return number;
}
