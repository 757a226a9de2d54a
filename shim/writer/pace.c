#include "shim/writer/pace.h"

#include "shim/file/capture_file.h"
#include "shim/host/clock.h"

#define SHIFT 20
#define PART ((uint64_t)1 << SHIFT)
/* What is longer is for ever: 13 days. */
#define LONGEST_NS ((uint64_t)1 << 50)
/* Sooner than that it is asked for each time. */
#define FIRST_NS 100000000u
/* Of what has passed, reading the clocks may take this part: who is interrupted
 * meanwhile would take ticks and time of different moments. */
#define PRECISION 8192u
#define TRIES 3

/* Whether the clocks were read at one moment. */
static bool read_clocks(struct binlog_anchor *now)
{
	const struct binlog_anchor *start = &capture_file_header->start;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_ticks();

		clock_anchor(now);
		if (now->ticks - before <
			(now->ticks - start->ticks) / PRECISION)
			return true;
	}
	return false;
}

/* Ticks in PART nanoseconds.  The older the capture is, the better it is known:
 * it is asked for again when twice the time has passed. */
static uint64_t pace_now(void)
{
	const struct binlog_anchor *start = &capture_file_header->start;
	static uint64_t pace, until;
	struct binlog_anchor now;
	uint64_t known = __atomic_load_n(&pace, __ATOMIC_RELAXED);
	uint64_t ticks, passed;
	bool good;

	if (known && clock_ticks() < __atomic_load_n(&until, __ATOMIC_RELAXED))
		return known;
	good = read_clocks(&now);
	ticks = now.ticks - start->ticks;
	passed = now.monotonic - start->monotonic;
	good &= passed > FIRST_NS;
	for (; passed >> 32; passed >>= 1)
		ticks >>= 1;
	known = passed ? (ticks << SHIFT) / passed : 0;
	if (known == 0) /* time stands still */
		known = PART;
	if (good) {
		__atomic_store_n(&pace, known, __ATOMIC_RELAXED);
		__atomic_store_n(
			&until, 2 * now.ticks - start->ticks, __ATOMIC_RELAXED);
	}
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

uint64_t pace_passed(void)
{
	return clock_ticks() - capture_file_header->start.ticks;
}

uint64_t pace_nanoseconds(uint64_t ticks)
{
	uint64_t pace = pace_now();

	if (ticks / pace >= LONGEST_NS / PART)
		return LONGEST_NS;
	return ticks / pace * PART + ticks % pace * PART / pace;
}
