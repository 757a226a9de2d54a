#include "shim/streams/streams.h"

uint32_t streams_flushes;

void streams_said(unsigned stream)
{
	if (__atomic_load_n(&streams[stream].pending, __ATOMIC_RELAXED) ==
		PENDING_NOTHING)
		__atomic_store_n(&streams[stream].pending, PENDING_SOMETHING,
			__ATOMIC_RELEASE);
}

static bool flush_one(unsigned stream)
{
	uint8_t expected = PENDING_SOMETHING;

	if (!__atomic_compare_exchange_n(&streams[stream].pending, &expected,
		    PENDING_NOTHING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	__atomic_fetch_add(&streams_flushes, STREAMS_MAX + 1, __ATOMIC_SEQ_CST);
	return true;
}

unsigned streams_pending(const FILE *file)
{
	unsigned used = streams_count();

	for (unsigned i = STREAM_FIRST; i < used; i++)
		if (streams[i].file == file &&
			__atomic_load_n(&streams[i].pending,
				__ATOMIC_ACQUIRE) == PENDING_SOMETHING)
			return i;
	return STREAM_PASS;
}

bool streams_has_said(const FILE *file)
{
	unsigned used = streams_count();

	for (unsigned i = STREAM_FIRST; i < used; i++)
		if (streams[i].file == file && streams[i].said > 0)
			return true;
	return false;
}

/* A FILE may have held back text before its descriptor became another's. */
bool streams_flush(unsigned stream)
{
	unsigned used = streams_count();
	const FILE *file = streams[stream].file;
	bool any = false;

	for (unsigned i = STREAM_FIRST; i < used; i++)
		if (streams[i].file == file)
			any |= flush_one(i);
	return any;
}

bool streams_flush_all(void)
{
	unsigned used = streams_count();
	bool any = false;

	for (unsigned i = STREAM_FIRST; i < used; i++)
		any |= flush_one(i);
	return any;
}

bool streams_hold_back(void)
{
	unsigned used = streams_count();

	for (unsigned i = STREAM_FIRST; i < used; i++)
		if (__atomic_load_n(&streams[i].pending, __ATOMIC_ACQUIRE) ==
			PENDING_SOMETHING)
			return true;
	return false;
}
