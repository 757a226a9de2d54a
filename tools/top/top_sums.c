#include "tools/top/top_sums.h"

static void add_switches(
	struct top_sums *sums, const struct top_capture *capture)
{
	const struct binlog_switches *switches = &capture->switches;

	sums->suppressed += switches->suppressed;
	sums->redacted += switches->redacted;
	if (!capture->target.in_use || switches->generation == 0)
		return;
	if (!sums->switched || switches->level > sums->level)
		sums->level = switches->level;
	sums->off = (!sums->switched || sums->off) && switches->off;
	sums->switched = true;
}

static void add(struct top_sums *sums, const struct top_capture *capture)
{
	const struct status_count *count = &capture->count;

	sums->captures++;
	sums->running += capture->target.in_use;
	sums->rate += top_captures_rate(capture, count->recent);
	if (count->has_ring)
		sums->byte_rate = -1;
	else if (sums->byte_rate >= 0)
		sums->byte_rate +=
			top_captures_rate(capture, count->recent_bytes);
	sums->calls += count->calls;
	sums->passed += count->passed;
	sums->dropped += count->dropped;
	sums->rough |= top_captures_is_rough(capture);
	sums->behind |= count->unfinished;
	sums->damaged |= count->failed ||
			 error_count(&count->errors, ERROR_SEVERITY_DAMAGE) > 0;
	add_switches(sums, capture);
}

struct top_sums top_sums_of(const struct top_captures *captures)
{
	struct top_sums sums = {0};
	size_t i;

	for (i = 0; i < captures->count; i++)
		add(&sums, captures->all[i]);
	return sums;
}
