#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rules/levels.h"
#include "tools/ctl/status.h"

/* Of sites: the busiest. */
enum { SITES_MOST = 100 };

/* What is no text is there byte by byte, as if it were Latin-1. */
static void put_bytes(const char *bytes, size_t size)
{
	size_t i;

	putchar('"');
	for (i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < ' ' || c > 126)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void put_string(const char *name, const char *text)
{
	printf("\"%s\":", name);
	put_bytes(text, strlen(text));
}

static void put_number(const char *name, uint64_t number)
{
	printf(",\"%s\":%" PRIu64, name, number);
}

static void put_switches(const struct status *status)
{
	const struct binlog_switches *switches = &status->switches;
	const char *level = level_name(switches->level);
	int i;

	printf(",\"on\":%s,", switches->off ? "false" : "true");
	put_string("level", level ? level : "none");
	put_number("depth", switches->depth);
	for (i = 0; i < SWITCH_STREAMS; i++) {
		putchar(',');
		put_string(status_streams[i], status_mode(switches->modes[i]));
	}
	put_number("version", switches->version);
	put_number("applied", switches->applied);
	put_number("rules", status->rules);
	put_number("rules_wrong", switches->rules_wrong);
	put_number("suppressed", switches->suppressed);
	put_number("redacted", switches->redacted);
}

static void put_threads(const struct status *status)
{
	const struct status_count *count = &status->count;
	size_t i;

	fputs(",\"threads\":[", stdout);
	for (i = 0; i < count->thread_count; i++) {
		const struct status_thread *thread = &count->threads[i];

		fputs(i ? ",{" : "{", stdout);
		put_string("name", thread->name);
		put_number("pid", thread->pid);
		put_number("tid", thread->tid);
		put_number("calls", thread->calls);
		printf(",\"rate\":%.1f}", status_rate(status, thread->recent));
	}
	putchar(']');
}

static void put_site(
	const struct status *status, const struct status_site *site)
{
	putchar('{');
	put_string("module", site->module ? site->module : "");
	put_number("offset", site->offset);
	if (site->called) {
		putchar(',');
		put_string("called", site->called);
	}
	if (site->format) {
		fputs(",\"format\":", stdout);
		put_bytes(site->format, site->format_bytes);
	}
	put_number("calls", site->calls);
	put_number("bytes", site->bytes);
	printf(",\"rate\":%.1f}", status_rate(status, site->recent));
}

static void put_sites(const struct status *status)
{
	const struct status_count *count = &status->count;
	size_t i;

	fputs(",\"sites\":[", stdout);
	for (i = 0; i < count->site_count && i < SITES_MOST; i++) {
		if (i > 0)
			putchar(',');
		put_site(status, &count->sites[i]);
	}
	putchar(']');
}

void status_json(const struct status *status)
{
	const struct status_count *count = &status->count;

	putchar('{');
	put_string("process", status->target->label);
	putchar(',');
	put_string("capture", status->target->path);
	put_number("pid", status->header.pid);
	put_switches(status);
	put_number("calls", count->calls);
	printf(",\"rate\":%.1f", status_rate(status, count->recent));
	printf(",\"all_counted\":%s", count->unfinished ? "false" : "true");
	put_number("passed", count->passed);
	put_number("dropped", count->dropped);
	put_number("bytes", count->bytes);
	put_number("disk", status->disk);
	if (count->has_ring) {
		put_number("ring", count->ring_bytes);
		if (count->ring_span != UINT64_MAX)
			printf(",\"ring_seconds\":%.6f",
				(double)count->ring_span / 1e9);
	}
	put_number("oldest", count->oldest);
	put_number("newest", count->newest);
	put_threads(status);
	put_sites(status);
	puts("}");
}
