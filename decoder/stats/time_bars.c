#include "decoder/stats/time_bars.h"

#include <string.h>

#define US ((uint64_t)1000)
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* Each is a multiple of one before it, those that have a 1 of all before. */
static const uint64_t lengths[] = {
	1,
	10,
	100,
	US,
	10 * US,
	100 * US,
	MS,
	10 * MS,
	100 * MS,
	SECOND,
	10 * SECOND,
	MINUTE,
	10 * MINUTE,
	HOUR,
	DAY,
	10 * DAY,
	100 * DAY,
	1000 * DAY,
	10000 * DAY,
	100000 * DAY,
};

/* Between these, for what is shown: parts of 10 (or 60, 24) of the next. */
static const unsigned steps[] = {1, 2, 3, 5, 6, 12};

#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

void time_bars_begin(struct time_bars *bars, uint64_t length)
{
	bars->fixed = length > 0;
	bars->length = length > 0 ? length : 1;
}

/* Stretches are put together: the new length is a multiple of the old one. */
static void put_together(struct time_bars *bars, uint64_t length)
{
	static uint64_t counts[TIME_BARS_MAX];
	uint64_t by = length / bars->length;
	uint64_t place;

	memset(counts, 0, sizeof(counts));
	for (place = bars->first; bars->any; place++) {
		counts[place / by % TIME_BARS_MAX] +=
			bars->counts[place % TIME_BARS_MAX];
		if (place == bars->last)
			break;
	}
	memcpy(bars->counts, counts, sizeof(counts));
	bars->first /= by;
	bars->last /= by;
	bars->length = length;
}

static bool has_room(
	const struct time_bars *bars, uint64_t time, uint64_t length)
{
	uint64_t place = time / length;
	uint64_t by = length / bars->length;
	uint64_t first = bars->any ? bars->first / by : place;
	uint64_t last = bars->any ? bars->last / by : place;

	first = place < first ? place : first;
	last = place > last ? place : last;
	return last - first < TIME_BARS_MAX;
}

void time_bars_widen(struct time_bars *bars, uint64_t time)
{
	uint64_t place;
	size_t i;

	if (bars->fixed && !has_room(bars, time, bars->length))
		bars->failed = true;
	for (i = 0; !bars->fixed && i < LENGTHS; i++)
		if (lengths[i] >= bars->length &&
			has_room(bars, time, lengths[i])) {
			if (lengths[i] > bars->length)
				put_together(bars, lengths[i]);
			break;
		}
	place = time / bars->length;
	if (!bars->any || place < bars->first)
		bars->first = place;
	if (!bars->any || place > bars->last)
		bars->last = place;
	bars->any = true;
}

static bool is_enough(
	const struct time_bars *bars, uint64_t length, uint64_t most)
{
	uint64_t by = length / bars->length;

	return length % bars->length == 0 &&
	       bars->last / by - bars->first / by < most;
}

void time_bars_settle(struct time_bars *bars, uint64_t most)
{
	size_t i, j;

	if (bars->fixed || !bars->any)
		return;
	for (i = 0; i < LENGTHS; i++)
		for (j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
			uint64_t length = lengths[i] * steps[j];

			if (i + 1 < LENGTHS &&
				(length >= lengths[i + 1] ||
					lengths[i + 1] % length != 0))
				continue;
			if (length < bars->length ||
				!is_enough(bars, length, most))
				continue;
			put_together(bars, length);
			return;
		}
}
