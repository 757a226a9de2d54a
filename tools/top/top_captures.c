#include "tools/top/top_captures.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "decoder/live/live_past.h"
#include "tools/live/follow_back.h"
#include "tools/live/follower.h"

/*
 * What binlog-top shows and how, as the command line and then the keys have it.
 * Filled by the command line and by keys; read by whoever makes the page.
 */

static const struct {
	const char *text;
	const char *columns;
} views[] = {
#define VIEW(name, text, columns) [TOP_VIEW_##name] = {text, columns},
#include "tools/top/top_views.def"
#undef VIEW
};

static const char *const sorts[] = {
#define SORT(name, text, what) [TOP_SORT_##name] = text,
#include "tools/top/top_sorts.def"
#undef SORT
};

const char *top_settings_view(enum top_view view)
{
	return views[view].text;
}

const char *top_settings_columns(enum top_view view)
{
	return views[view].columns;
}

const char *top_settings_sort(enum top_sort sort)
{
	return sorts[sort];
}

/*
 * What binlog-pack --follow has taken out of captures before binlog-top came:
 * the definitions that what is still there needs, as its log has them.  Asked
 * for captures of which something was freed.
 */

/* False: it is not a log that a follower writes. */
static bool read_log(struct live_pasts *pasts, const char *path)
{
	struct follow_found found;
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       follow_back_look(path, &found) && found.is_ours &&
	       follow_back_recall(path, found.whole, pasts);
}

/* It has its log open. */
static void read_logs_of(struct live_pasts *pasts, pid_t follower)
{
	char directory[32], name[PATH_MAX], path[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *entries;

	snprintf(directory, sizeof(directory), "/proc/%d/fd", (int)follower);
	entries = opendir(directory);
	while (entries && !found && (entry = readdir(entries))) {
		ssize_t length;

		snprintf(name, sizeof(name), "%s/%s", directory, entry->d_name);
		length = readlink(name, path, sizeof(path) - 1);
		if (length <= 0)
			continue;
		path[length] = '\0';
		found = read_log(pasts, path);
	}
	if (entries)
		closedir(entries);
}

/*
 * Adds what the log of whoever follows the directory of this capture has noted
 * up to now.  Without a follower nothing is known.
 */
static void top_past_read(struct live_pasts *pasts, const char *capture)
{
	char directory[PATH_MAX];
	pid_t follower;
	char *slash;

	snprintf(directory, sizeof(directory), "%s", capture);
	slash = strrchr(directory, '/');
	if (!slash)
		return;
	*slash = '\0';
	follower = follower_of(directory);
	if (follower > 0)
		read_logs_of(pasts, follower);
}

/* That have ended, and are shown still. */
#define ENDED_MAX 64u
/* A ring is read anew each time: no more than a part of our time is for that.
 */
#define RING_SHARE 4u
/* However many there are, each gets on. */
#define LEAST_NS 1000000u

uint64_t top_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

double top_captures_rate(const struct top_capture *capture, uint64_t recent)
{
	const struct status_count *count = &capture->count;

	return count->ended > count->begun
		       ? (double)recent * 1e9 /
				 (double)(count->ended - count->begun)
		       : 0;
}

bool top_captures_is_rough(const struct top_capture *capture)
{
	const struct status_count *count = &capture->count;

	return count->unfinished || count->was_unfinished ||
	       count->missed > 0 ||
	       (count->has_ring && count->ring_span != UINT64_MAX);
}

/* ---- which there are ---- */

static void free_capture(struct top_capture *capture)
{
	status_count_free(&capture->count);
	if (capture->target.fd >= 0)
		close(capture->target.fd);
	free(capture);
}

static struct top_capture *find(
	const struct top_captures *captures, const struct target *target)
{
	struct stat wanted, st;
	size_t i;

	if (fstat(target->fd, &wanted) != 0)
		return NULL;
	for (i = 0; i < captures->count; i++)
		if (fstat(captures->all[i]->target.fd, &st) == 0 &&
			st.st_ino == wanted.st_ino &&
			st.st_dev == wanted.st_dev)
			return captures->all[i];
	return NULL;
}

/* Parts of it may have been packed and freed. */
static void begin_count(struct top_capture *capture)
{
	const struct target *target = &capture->target;
	struct live_pasts pasts = {0};
	struct binlog_packed freed;
	const struct live_past *past = NULL;

	if (pread(target->fd, &freed, sizeof(freed), BINLOG_PACKED_OFFSET) ==
			(ssize_t)sizeof(freed) &&
		freed.bytes > 0) {
		top_past_read(&pasts, target->path);
		past = live_past_find(&pasts, target->header.nonce);
	}
	status_count_begin(&capture->count, target, past);
	live_past_free(&pasts);
}

/* Takes over what is open in *target.  False: out of memory. */
static bool add(struct top_captures *captures, struct target *target)
{
	struct top_capture **all = realloc(captures->all,
		(captures->count + 1) * sizeof(struct top_capture *));
	struct top_capture *capture;

	if (!all)
		return false;
	captures->all = all;
	capture = calloc(1, sizeof(*capture));
	if (!capture)
		return false;
	capture->target = *target;
	capture->seen = true;
	target->fd = -1;
	begin_count(capture);
	all[captures->count++] = capture;
	return true;
}

static void take_targets(struct top_captures *captures)
{
	struct targets *targets = &captures->targets;
	const char *directory = targets->directory;
	pid_t process = targets->process;
	size_t i;

	for (i = 0; i < targets->count; i++) {
		struct target *target = &targets->all[i];
		struct top_capture *known = find(captures, target);

		if (known) {
			known->seen = true;
			known->target.executed = target->executed;
		} else if (!add(captures, target)) {
			captures->failed = true;
		}
	}
	targets_close(targets);
	*targets = (struct targets){.directory = directory, .process = process};
}

/* Of those that nobody writes to any more only the last ones are kept. */
static void forget_ended(struct top_captures *captures)
{
	size_t ended = 0;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < captures->count; i++)
		ended += !captures->all[i]->target.in_use;
	for (i = 0; i < captures->count; i++) {
		struct top_capture *capture = captures->all[i];

		if (capture->target.in_use || ended <= ENDED_MAX) {
			captures->all[kept++] = capture;
			continue;
		}
		ended--;
		free_capture(capture);
	}
	captures->count = kept;
}

/* False: nothing is there, and never was. */
static bool find_all(struct top_captures *captures)
{
	bool good;
	size_t i;

	for (i = 0; i < captures->count; i++)
		captures->all[i]->seen = false;
	captures->targets = (struct targets){0};
	good = targets_open(&captures->targets, captures->place, false);
	snprintf(captures->sentence, sizeof(captures->sentence), "%s",
		captures->targets.sentence);
	take_targets(captures);
	captures->ended = captures->targets.process != 0 && !good;
	for (i = 0; i < captures->count; i++)
		captures->all[i]->target.in_use = captures->all[i]->seen;
	forget_ended(captures);
	return good || captures->count > 0;
}

/* ---- what is in them ---- */

static void read_page(struct top_capture *capture)
{
	int fd = capture->target.fd;
	struct stat st;

	if (pread(fd, &capture->switches, sizeof(capture->switches),
		    BINLOG_SWITCHES_OFFSET) !=
		(ssize_t)sizeof(capture->switches))
		capture->switches = (struct binlog_switches){0};
	if (fstat(fd, &st) == 0)
		capture->disk = (uint64_t)st.st_blocks * 512;
}

static void read_capture(struct top_capture *capture, uint64_t most_ns)
{
	uint64_t begun = top_now();

	if (begun < capture->due)
		return;
	status_count_pass(
		&capture->count, most_ns > LEAST_NS ? most_ns : LEAST_NS);
	if (capture->count.has_ring)
		capture->due = top_now() + RING_SHARE * (top_now() - begun);
	read_page(capture);
}

bool top_captures_look(struct top_captures *captures, uint64_t most_ns)
{
	uint64_t until = top_now() + most_ns;
	size_t i;

	if (!find_all(captures))
		return false;
	for (i = 0; i < captures->count; i++) {
		uint64_t time = top_now();

		read_capture(captures->all[i],
			time < until ? (until - time) / (captures->count - i)
				     : 0);
	}
	return true;
}

void top_captures_free(struct top_captures *captures)
{
	size_t i;

	for (i = 0; i < captures->count; i++)
		free_capture(captures->all[i]);
	free(captures->all);
	*captures = (struct top_captures){0};
}
