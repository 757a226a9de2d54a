#include "tools/ctl/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/sentence.h"
#include "rules/policy.h"
#include "rules/rules.h"
#include "tools/live/words.h"
#include "tools/output/standard_output.h"

/*
 * What binlog-ctl says to people.  Called by its main and by running.c; names
 * in what is said may be anybody's, and reach no terminal raw.
 */

static void put(FILE *file, const char *bytes, size_t size, size_t indent)
{
	struct render_buffer out = {0};

	escape_put(&out, bytes, size, indent);
	if (out.length > 0)
		fwrite(out.data, 1, out.length, file);
	render_buffer_free(&out);
}

void ctl_say_put(FILE *file, const char *text)
{
	put(file, text, strlen(text), ESCAPE_NEWLINE);
}

void ctl_say_lines(const char *text, size_t size)
{
	if (isatty(STDOUT_FILENO))
		put(stdout, text, size, 0);
	else if (size > 0)
		fwrite(text, 1, size, stdout);
}

enum exit_status ctl_say_complaint(const char *what, const char *why)
{
	sentence_say(
		"binlog-ctl: %s%s%s", what, why ? ": " : "", why ? why : "");
	return EXIT_NOTHING;
}

enum exit_status ctl_say_finish(enum exit_status status)
{
	return standard_output_finish("binlog-ctl") ? status : EXIT_NOTHING;
}

/* Between two looks. */
#define LOOK_US 200000
/* Then it is a file of many gigabytes. */
#define COUNT_NS 5000000000u

const char *const status_streams[SWITCH_STREAMS] = {
	[SWITCH_STDOUT] = "stdout",
	[SWITCH_STDERR] = "stderr",
	[SWITCH_SYSLOG] = "syslog",
	[SWITCH_FILES] = "files",
};

const char *status_mode(uint8_t mode)
{
	return mode == SWITCH_AS_STARTED || mode > 1 + POLICY_PASS
		       ? "as started"
		       : policy_mode_name((enum policy_mode)(mode - 1));
}

double status_rate(const struct status *status, uint64_t recent)
{
	const struct status_count *count = &status->count;

	return count->ended > count->begun
		       ? (double)recent * 1e9 /
				 (double)(count->ended - count->begun)
		       : 0;
}

static unsigned count_rules(const struct status *status)
{
	size_t bytes;
	char *text =
		rules_text_read(status->target->fd, &status->switches, &bytes);
	size_t room = text ? rules_room(text, bytes) : 0;
	void *memory = text ? malloc(room) : NULL;
	struct rules *rules = NULL;
	struct rules_error error;
	unsigned count;

	if (memory)
		rules = rules_parse(text, bytes, memory, room, &error);
	count = rules ? rules_count(rules) : 0;
	free(memory);
	free(text);
	return count;
}

static void read_page(struct status *status)
{
	int fd = status->target->fd;
	struct stat st;

	if (pread(fd, &status->header, sizeof(status->header), 0) !=
			(ssize_t)sizeof(status->header) ||
		pread(fd, &status->switches, sizeof(status->switches),
			BINLOG_SWITCHES_OFFSET) !=
			(ssize_t)sizeof(status->switches))
		return;
	status->can_be_switched = status->switches.generation != 0;
	status->rules = count_rules(status);
	if (fstat(fd, &st) == 0)
		status->disk = (uint64_t)st.st_blocks * 512;
}

static void gather(struct status *all, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		status_count_begin(&all[i].count, all[i].target, NULL);
		status_count_pass(&all[i].count, COUNT_NS);
	}
	usleep(LOOK_US);
	for (i = 0; i < count; i++) {
		if (!all[i].count.unfinished)
			status_count_pass(&all[i].count, COUNT_NS);
		status_count_sort(&all[i].count);
		read_page(&all[i]);
	}
}

void status_show(const struct targets *targets, bool json)
{
	struct status *all = calloc(targets->count + 1, sizeof(*all));
	size_t i;

	if (!all)
		return;
	for (i = 0; i < targets->count; i++)
		all[i].target = &targets->all[i];
	gather(all, targets->count);
	for (i = 0; i < targets->count; i++) {
		if (!targets->all[i].executed || all[i].count.recent > 0)
			(json ? status_json : status_text)(&all[i]);
		status_count_free(&all[i].count);
	}
	free(all);
}
