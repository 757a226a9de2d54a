#include "tools/run/summary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elsewhere_place.h"
#include "base/sentence.h"
#include "record/layout.h"
#include "tools/live/status_count.h"
#include "tools/run/capture_place.h"

/* Longer than this nobody waits for a number. */
#define COUNT_NS 1000000000u

struct sums {
	uint64_t run;
	uint64_t messages;
	uint64_t passed;
	uint64_t dropped;
	unsigned programs; /* that have said something */
	unsigned files;
	uint32_t refused;      /* enum binlog_spill_refused */
	bool unfinished;       /* there is more than was counted */
	const char *directory; /* where they are; null: none was found */
	char elsewhere[PATH_MAX];
};

/* ---- counting ---- */

static void count(struct sums *sums, const struct target *target)
{
	struct binlog_spill spill = {0};
	struct status_count counted;

	status_count_begin(&counted, target, NULL);
	status_count_pass(&counted, COUNT_NS / (sums->files + 1));
	sums->files++;
	sums->messages += counted.calls;
	sums->programs += counted.calls > 0;
	sums->passed += counted.passed;
	sums->dropped += counted.dropped;
	sums->unfinished |= counted.unfinished || counted.failed;
	if (counted.passed > 0 && pread(target->fd, &spill, sizeof(spill),
					  BINLOG_SPILL_OFFSET) > 0)
		sums->refused = spill.refused;
	status_count_free(&counted);
}

static void look_at(struct sums *sums, const char *directory, const char *name)
{
	struct target target = {.in_use = true};
	int length = snprintf(
		target.path, sizeof(target.path), "%s/%s", directory, name);

	if (length >= (int)sizeof(target.path))
		return;
	target.fd = open(target.path,
		O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (target.fd < 0)
		return;
	if (pread(target.fd, &target.header, sizeof(target.header), 0) ==
			(ssize_t)sizeof(target.header) &&
		memcmp(target.header.magic, BINLOG_MAGIC,
			sizeof(target.header.magic)) == 0 &&
		target.header.run == sums->run) {
		sums->directory = directory;
		count(sums, &target);
	}
	close(target.fd);
}

static void look_in(struct sums *sums, const char *directory)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (strstr(entry->d_name, BINLOG_SUFFIX))
			look_at(sums, directory, entry->d_name);
	if (entries)
		closedir(entries);
}

static void look(struct sums *sums, const char *asked)
{
	unsigned place;

	look_in(sums, asked);
	for (place = 0; place < ELSEWHERE_PLACES && !sums->directory; place++)
		if (elsewhere_place_find(place, asked, sums->elsewhere))
			look_in(sums, sums->elsewhere);
}

/* ---- saying ---- */

/* Behind a space, as a shell reads it; nothing for what is usual. */
static void quote(char *to, size_t size, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./+,:@%-";
	size_t length = 0;

	*to = '\0';
	if (!path)
		return;
	if (*path && path[strspn(path, plain)] == '\0') {
		snprintf(to, size, " %s%s", *path == '-' ? "./" : "", path);
		return;
	}
	length += (size_t)snprintf(to, size, " '");
	for (; *path && length + 6 < size; path++)
		length += (size_t)snprintf(to + length, size - length,
			*path == '\'' ? "'\\''" : "%c", *path);
	snprintf(to + length, size - length, "'");
}

static void say_recorded(const struct summary *summary, const struct sums *sums,
	const char *argument)
{
	char of[64] = "";

	if (sums->messages == 0) {
		sentence_say("binlog-run: %s: nothing was recorded: it said "
			     "nothing, or nothing that --streams has recorded",
			summary->program);
		return;
	}
	if (sums->programs > 1)
		snprintf(of, sizeof(of), " of %u programs", sums->programs);
	sentence_say("binlog-run: %s%" PRIu64 " message%s%s recorded in %s, "
		     "to read: binlog-show%s",
		sums->unfinished ? "more than " : "", sums->messages,
		sums->messages == 1 ? "" : "s", of,
		sums->directory != summary->directory ? sums->directory
		: summary->shown		      ? summary->shown
						      : "binlog.data",
		argument);
}

static void say_losses(const struct sums *sums, int error)
{
	static const char *const reasons[] = {
		[BINLOG_SPILL_FINE] = "see --max-size and --full",
		[BINLOG_SPILL_QUOTA] = "the quota leaves no room: raise it, or "
				       "remove some captures",
		[BINLOG_SPILL_DISK] = "the disk is full",
		[BINLOG_SPILL_OTHER] = "another capture could not be made",
	};
	const char *why =
		reasons[sums->refused <= BINLOG_SPILL_OTHER ? sums->refused
							    : 0];

	if (sums->refused == BINLOG_SPILL_FINE && error == ENOSPC)
		why = reasons[BINLOG_SPILL_DISK];
	if (sums->passed > 0)
		sentence_say("binlog-run: %" PRIu64 " message%s passed "
			     "through, written as usual and not recorded: %s",
			sums->passed, sums->passed == 1 ? " was" : "s were",
			why);
	if (sums->dropped > 0)
		sentence_say("binlog-run: %" PRIu64
			     " message%s lost, neither written nor recorded",
			sums->dropped, sums->dropped == 1 ? " was" : "s were");
}

static void say_output(const struct summary *summary, const char *argument)
{
	struct stat st;

	if (!summary->output || fstat(summary->output_fd, &st) != 0 ||
		st.st_size != summary->output_bytes)
		return;
	sentence_say("binlog-run: %s: nothing was written there, the text is "
		     "in the capture: binlog-show --raw --stream=stdout%s",
		summary->output, argument);
}

void summary_say(const struct summary *summary, uint64_t run)
{
	struct sums sums = {.run = run};
	char argument[PATH_MAX];
	int error = capture_place_obstacle(summary->directory);

	if (run != 0)
		look(&sums, summary->directory);
	if (!sums.directory) {
		sentence_say("binlog-run: %s was not recorded: %s: %s",
			summary->program, summary->directory,
			error ? strerror(error)
			      : "no capture of it was made: see binlog-run "
				"--selftest");
		return;
	}
	quote(argument, sizeof(argument),
		sums.directory == summary->directory ? summary->shown
						     : sums.directory);
	say_recorded(summary, &sums, argument);
	say_losses(&sums, error);
	if (sums.messages > 0)
		say_output(summary, argument);
}
