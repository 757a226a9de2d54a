#include "shim/pace.h"

#include "shim/capture_file.h"
#include "shim/clock.h"

/* After so long it is known well enough. */
#define ENOUGH_NS 100000000u
#define SHIFT 20
#define PART ((uint64_t)1 << SHIFT)
/* What is longer is for ever: 13 days. */
#define LONGEST_NS ((uint64_t)1 << 50)

/* Ticks in PART nanoseconds. */
static uint64_t pace_now(void)
{
	const struct binlog_anchor *start = &capture_file_header->start;
	static uint64_t pace;
	struct binlog_anchor now;
	uint64_t known = __atomic_load_n(&pace, __ATOMIC_RELAXED);
	uint64_t ticks, passed;

	if (known)
		return known;
	clock_anchor(&now);
	ticks = now.ticks - start->ticks;
	passed = now.monotonic - start->monotonic;
	for (; passed >> 32; passed >>= 1)
		ticks >>= 1;
	known = passed ? (ticks << SHIFT) / passed : 0;
	if (known == 0) /* time stands still */
		known = PART;
	if (passed > ENOUGH_NS)
		__atomic_store_n(&pace, known, __ATOMIC_RELAXED);
	return known;
}

/* In two parts, so that nothing is lost above or below. */
uint64_t pace_ticks(uint64_t nanoseconds)
{
	uint64_t pace;

	if (nanoseconds >= LONGEST_NS)
		return INT64_MAX;
	pace = pace_now();
	return nanoseconds / PART * pace + (nanoseconds % PART * pace) / PART;
}

uint64_t pace_nanoseconds(uint64_t ticks)
{
	uint64_t pace = pace_now();

	if (ticks / pace >= LONGEST_NS / PART)
		return LONGEST_NS;
	return ticks / pace * PART + ticks % pace * PART / pace;
}
