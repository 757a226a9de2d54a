#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "rules/levels.h"
#include "tools/ctl/status.h"

/* Of threads, and of sites. */
enum { SHOWN_MOST = 10 };
/* Bytes of a format. */
enum { FORMAT_MOST = 50 };

static void put_switches(const struct status *status)
{
	const struct binlog_switches *switches = &status->switches;
	const char *level = level_name(switches->level);
	int i;

	if (!status->can_be_switched) {
		puts("  switches  none: its library is of an older version");
		return;
	}
	printf("  switches  %s, level ", switches->off ? "off" : "on");
	fputs(switches->level >= LEVEL_LAST ? "all"
		: level			    ? level
					    : "none",
		stdout);
	if (switches->depth)
		printf(", depth %u", switches->depth);
	else
		fputs(", depth as started", stdout);
	printf("\n  streams  ");
	for (i = 0; i < SWITCH_STREAMS; i++)
		printf("%s%s %s", i ? ", " : " ", status_streams[i],
			status_mode(switches->modes[i]));
	printf("\n  rules     %u", status->rules);
	if (switches->rules_wrong)
		printf(", refused at line %" PRIu32, switches->rules_wrong);
	putchar('\n');
}

static void put_ring(const struct status_count *count)
{
	printf("  ring      %" PRIu64 " bytes, ", count->ring_bytes);
	if (count->ring_span == UINT64_MAX)
		puts("nothing of it was overwritten");
	else
		printf("holds all of the last %.3g s\n",
			(double)count->ring_span / 1e9);
}

static void put_calls(const struct status *status)
{
	const struct status_count *count = &status->count;

	printf("  calls     %s%" PRIu64 " recorded, %.0f a second; %" PRIu64
	       " passed, %" PRIu64 " dropped, %" PRIu64 " suppressed, %" PRIu64
	       " redacted\n",
		count->unfinished ? "more than " : "", count->calls,
		status_rate(status, count->recent), count->passed,
		count->dropped, status->switches.suppressed,
		status->switches.redacted);
	if (count->has_ring)
		put_ring(count);
	else
		printf("  bytes     %" PRIu64 " of these calls, %" PRIu64
		       " on disk\n",
			count->bytes, status->disk);
	if (count->newest > 0)
		printf("  holds     %.1f s, the last of them %s\n",
			(double)(count->newest - count->oldest) / 1e9,
			status_rate(status, count->recent) > 0
				? "now"
				: "before this look");
}

static void put_threads(const struct status *status)
{
	const struct status_count *count = &status->count;
	size_t i;

	for (i = 0; i < count->thread_count && i < SHOWN_MOST; i++) {
		const struct status_thread *thread = &count->threads[i];

		printf("  thread    %" PRIu64 " calls, %.0f a second: %" PRIu32
		       " ",
			thread->calls, status_rate(status, thread->recent),
			thread->tid);
		ctl_say_put(stdout, thread->name);
		putchar('\n');
	}
	if (count->thread_count > SHOWN_MOST)
		printf("  threads   %zu more\n",
			count->thread_count - SHOWN_MOST);
}

static void put_format(const struct status_site *site)
{
	struct render_buffer out = {0};
	size_t length = site->format_bytes;

	if (!site->format)
		return;
	escape_put(&out, site->format,
		length < FORMAT_MOST ? length : FORMAT_MOST, ESCAPE_NEWLINE);
	printf(" \"%.*s\"%s", (int)out.length, out.data,
		length > FORMAT_MOST ? "..." : "");
	render_buffer_free(&out);
}

static void put_site(
	const struct status *status, const struct status_site *site)
{
	printf("  site      %" PRIu64 " calls, %.0f a second", site->calls,
		status_rate(status, site->recent));
	if (site->bytes > 0)
		printf(", %" PRIu64 " bytes", site->bytes);
	fputs(": ", stdout);
	ctl_say_put(stdout, site->module ? site->module : "");
	printf("+0x%" PRIx64 " ", site->offset);
	ctl_say_put(stdout, site->called ? site->called : "");
	put_format(site);
	putchar('\n');
}

void status_text(const struct status *status)
{
	const struct status_count *count = &status->count;
	size_t i;

	ctl_say_put(stdout, status->target->label);
	fputs(": ", stdout);
	ctl_say_put(stdout, status->target->path);
	putchar('\n');
	put_switches(status);
	put_calls(status);
	put_threads(status);
	for (i = 0; i < count->site_count && i < SHOWN_MOST; i++)
		put_site(status, &count->sites[i]);
	if (count->site_count > SHOWN_MOST)
		printf("  sites     %zu more\n",
			count->site_count - SHOWN_MOST);
	if (count->failed || error_count(&count->errors, ERROR_SEVERITY_DAMAGE))
		puts("  damaged   see binlog-show");
}
