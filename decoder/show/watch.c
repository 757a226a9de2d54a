#include "decoder/show/watch.h"

#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/sentence.h"
#include "decoder/live/live.h"
#include "decoder/show/descriptors.h"
#include "decoder/show/say.h"

/*
 * Between passes, milliseconds: while something is said, and the longest while
 * nothing is.  With the guard, see live.h, that is how late a message is seen.
 */
enum { PAUSE_BUSY = 8, PAUSE_MOST = 20, PAUSE_LOG = 50 };
#define GUARD_NS 8000000u

static volatile sig_atomic_t stopped;

struct watch {
	struct live *live;
	struct outputs *outputs;
	struct error_list *errors;
	const char *path;
	char *directory; /* copies, with their last parts */
	char *name;
	bool is_file;
	bool quiet;
	bool told_waiting;
	bool caught_up; /* what was said before is shown */
	uint64_t begun; /* nanoseconds since 1970 */
	struct watch_sum sum;
};

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

void watch_signals(void)
{
	/* Who asks twice does not want to wait for a full pipe. */
	struct sigaction action = {
		.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
	struct sigaction before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* With nohup it is to go on. */
	if (sigaction(SIGHUP, NULL, &before) == 0 &&
		before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

/* True: nobody reads the only output any more. */
static bool is_left(const struct outputs *outputs, int milliseconds)
{
	struct pollfd out = {
		.fd = outputs->count == 1 ? outputs->all[0].output.fd : -1};

	return poll(&out, 1, milliseconds) > 0 &&
	       out.revents & (POLLERR | POLLHUP);
}

bool watch_goes_on(const struct outputs *outputs, int milliseconds)
{
	return !stopped && !is_left(outputs, milliseconds) && !stopped;
}

static void say_waiting(struct watch *watch, enum live_state state, int why)
{
	if (watch->told_waiting || watch->quiet)
		return;
	watch->told_waiting = true;
	sentence_say("%s: %s: waiting for one", watch->path,
		state == LIVE_ABSENT ? strerror(why) : "no capture is in it");
}

static void say_new_errors(struct watch_sum *sum, struct error_list *errors)
{
	sum->damaged |= error_count(errors, ERROR_SEVERITY_DAMAGE) > 0 ||
			limits_were_met();
	say_errors(errors);
	*errors = (struct error_list){0};
}

/* False: nobody can be shown more. */
static bool show_messages(struct watch *watch)
{
	const struct message *message;
	bool going = true;

	while (going && !stopped && (message = live_next(watch->live)))
		going = outputs_message(watch->outputs, message);
	live_end_pass(watch->live);
	if (!watch->caught_up && live_reached(watch->live) >= watch->begun) {
		watch->caught_up = true;
		outputs_end_waiting(watch->outputs);
	}
	outputs_flush(watch->outputs);
	return going && outputs_want_messages(watch->outputs);
}

/* Of one file all has to be right: only for directories it is waited. */
static bool is_refused(const struct watch *watch, enum live_state state)
{
	struct error error = {.code = ERROR_OPEN, .file = watch->path};
	struct stat status;

	if (!watch->is_file || state == LIVE_GROWS || state == LIVE_ENDED)
		return false;
	if (stat(watch->path, &status) != 0)
		error.system = errno;
	else if (!S_ISREG(status.st_mode))
		error.code = ERROR_NOT_REGULAR;
	else
		return watch->errors->count > 0;
	error_add(watch->errors, &error);
	return true;
}

/* False: that was the last one. */
static bool pass(struct watch *watch)
{
	enum live_state state;
	int why;

	live_notice_freed(watch->live);
	state = live_look(watch->live);
	why = errno;
	if (state == LIVE_FAILED) {
		watch->sum.end = WATCH_MEMORY;
		return false;
	}
	if (is_refused(watch, state)) {
		watch->sum.end = WATCH_NOTHING;
		return false;
	}
	if (state == LIVE_ABSENT || state == LIVE_EMPTY)
		say_waiting(watch, state, why);
	if (!show_messages(watch))
		return false;
	say_new_errors(&watch->sum, watch->errors);
	live_retire_ended(watch->live);
	if (state != LIVE_ENDED || !watch->is_file)
		return !stopped;
	watch->sum.end = WATCH_ENDED;
	return false;
}

static void go_on(struct watch *watch)
{
	int pause = PAUSE_BUSY;

	while (pass(watch) && !is_left(watch->outputs, pause) && !stopped) {
		if (live_is_busy(watch->live))
			pause = PAUSE_BUSY;
		else if (pause < PAUSE_MOST)
			pause++;
	}
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* One that is not there: a directory may come. */
static bool is_name_of_file(const char *path)
{
	size_t length = strlen(path);
	size_t suffix = strlen(BINLOG_SUFFIX);

	return length > suffix &&
	       strcmp(path + length - suffix, BINLOG_SUFFIX) == 0;
}

/* False: out of memory. */
static bool begin(struct watch *watch)
{
	struct stat status;

	watch->directory = strdup(watch->path);
	watch->name = strdup(watch->path);
	watch->is_file = stat(watch->path, &status) == 0
				 ? !S_ISDIR(status.st_mode)
				 : is_name_of_file(watch->path);
	if (!watch->directory || !watch->name)
		return false;
	watch->live = live_new(
		watch->is_file ? dirname(watch->directory) : watch->path,
		watch->errors);
	if (!watch->live)
		return false;
	if (watch->is_file)
		live_only(watch->live, basename(watch->name));
	live_set_guard(watch->live, GUARD_NS);
	live_keep_nothing(watch->live);
	watch->begun = now();
	return true;
}

struct watch_sum watch_run(const char *path, bool quiet,
	struct outputs *outputs, struct error_list *errors)
{
	struct watch watch = {
		.path = path,
		.quiet = quiet,
		.outputs = outputs,
		.errors = errors,
	};

	descriptors_raise_limit();
	if (begin(&watch))
		go_on(&watch);
	else
		watch.sum.end = WATCH_MEMORY;
	outputs_end(outputs);
	if (watch.sum.end != WATCH_NOTHING)
		say_new_errors(&watch.sum, errors);
	live_free(watch.live);
	free(watch.directory);
	free(watch.name);
	return watch.sum;
}

/* It was not removed. */
static bool is_there(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool watch_log_begins(const struct watch_log *log)
{
	struct stat status;

	while (!stopped && stat(log->path, &status) == 0 && status.st_size == 0)
		if (is_left(log->outputs, PAUSE_LOG))
			return false;
	return !stopped;
}

bool watch_log_more(void *closure)
{
	struct watch_log *log = closure;

	if (!log->caught_up)
		outputs_end_waiting(log->outputs);
	log->caught_up = true;
	outputs_flush(log->outputs);
	say_new_errors(&log->sum, log->errors);
	log->left = !outputs_want_messages(log->outputs) ||
		    is_left(log->outputs, PAUSE_LOG) || stopped ||
		    !is_there(log->path);
	return !log->left;
}
