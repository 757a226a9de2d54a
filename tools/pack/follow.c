#include "tools/pack/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "decoder/live.h"
#include "tools/pack/follow_back.h"
#include "tools/pack/follow_frames.h"
#include "tools/pack/follow_log.h"
#include "tools/pack/follow_space.h"

/* Between passes, milliseconds: while there is something to pack, and the
 * longest while there is not. */
enum { PAUSE_BUSY = 20, PAUSE_MOST = 200, PAUSE_FULL = 1000 };

/*
 * A step ends when so much could be freed, or something has not been written
 * for so long: a few messages longer, since each step has its price in bytes,
 * and what is not in the log is in the captures.
 */
#define STEP_BYTES ((uint64_t)2 << 20)
#define STEP_NS 1000000000u
#define STEP_MESSAGES 8192u
#define STEP_FEW_NS 10000000000u
/* The log is on disk this often. */
#define SYNC_NS 1000000000u

/* A pass has no more messages, and writes whenever there is so much. */
#define PASS_MESSAGES 200000u
#define WRITE_BYTES ((size_t)1 << 20)

/* One program may execute another: for a moment nobody is there. */
#define ALONE_NS 500000000u

enum exit_status { EXIT_ALL = 0, EXIT_DAMAGE = 1, EXIT_NOTHING = 2 };

struct follow {
	const struct follow_options *options;
	struct error_list errors; /* of this pass */
	bool damaged;
	struct live *live;
	struct follow_log log;
	struct follow_space space;
	struct pack *pack;
	int directory;	  /* open and locked, or -1 */
	uint64_t begun;	  /* CLOCK_MONOTONIC: the file of the log */
	uint64_t stepped; /* the last step */
	uint64_t synced;
	uint64_t alone; /* since when nobody is there; 0: somebody is */
	uint64_t messages;
	uint64_t bytes; /* of files before this one */
	bool told_waiting;
	bool told_space;
	bool failed;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void sleep_milliseconds(int milliseconds)
{
	const struct timespec time = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = milliseconds % 1000 * 1000000l,
	};

	nanosleep(&time, NULL);
}

static void complain(const char *what, const char *why, const char *advice)
{
	fprintf(stderr, "binlog-pack: %s: %s: %s\n", what, why, advice);
}

/* Cannot go on. */
static void fail(struct follow *follow, const char *what, const char *why,
	const char *advice)
{
	complain(what, why, advice);
	follow->failed = true;
}

static void fail_memory(struct follow *follow)
{
	fail(follow, follow->options->directory, "out of memory",
		"start it again, it goes on where its log ends");
}

/* ---- writing ---- */

/* A full disk may have room again: the captures keep what was said. */
static bool write_out(struct follow *follow, bool whole)
{
	struct follow_log *log = &follow->log;
	bool told = false;

	while (!follow_log_write(log, whole)) {
		if (!told)
			complain(log->path, strerror(log->failed),
				"waits and tries again; meanwhile the "
				"captures grow");
		told = true;
		if (stopped)
			return false;
		sleep_milliseconds(PAUSE_FULL);
	}
	if (told)
		complain(log->path, "written again", "nothing is lost");
	return true;
}

static void sync_now_and_then(struct follow *follow)
{
	uint64_t time = now();

	if (time - follow->synced < SYNC_NS)
		return;
	fdatasync(follow->log.fd);
	follow->synced = time;
}

/* Everything that was given out so far is in the log, and said to be. */
static bool write_step(struct follow *follow, bool all)
{
	struct frame_write *frame = pack_frame(follow->pack);

	if (!pack_flush(follow->pack) ||
		!follow_frames_save(frame, follow->live, all) ||
		!pack_flush(follow->pack)) {
		fail_memory(follow);
		return false;
	}
	follow->stepped = now();
	if (write_out(follow, true))
		return true;
	follow->failed = true;
	return false;
}

static void tell_space(struct follow *follow)
{
	if (follow->space.failed != 0 && !follow->told_space) {
		complain(follow->options->directory,
			strerror(follow->space.failed),
			"room of captures is not given back");
		follow->told_space = true;
	}
	follow->space.failed = 0;
}

static bool step(struct follow *follow)
{
	if (!write_step(follow, false))
		return false;
	sync_now_and_then(follow);
	live_release(follow->live, follow_space_take, follow_space_take_all,
		&follow->space);
	follow_space_settle(&follow->space);
	tell_space(follow);
	return true;
}

/* ---- files of the log ---- */

static bool begin_packing(struct follow *follow)
{
	follow->pack =
		pack_new(&follow->options->pack, follow_log_take, &follow->log);
	if (!follow->pack) {
		fail_memory(follow);
		return false;
	}
	follow->space.log = pack_frame(follow->pack)->log;
	follow->begun = now();
	return true;
}

static bool begin_file(struct follow *follow)
{
	if (!follow_log_open_next(&follow->log)) {
		fail(follow, follow->log.path, strerror(errno),
			"choose another name, or move it away");
		return false;
	}
	if (!begin_packing(follow))
		return false;
	follow_frames_begin(pack_frame(follow->pack));
	return write_step(follow, true);
}

static bool end_file(struct follow *follow)
{
	bool done = pack_end(follow->pack) && write_out(follow, true);

	follow->messages += pack_messages(follow->pack);
	follow->bytes += follow->log.bytes;
	pack_free(follow->pack);
	follow->pack = NULL;
	if (done)
		fdatasync(follow->log.fd);
	follow_log_close(&follow->log);
	if (!done)
		follow->failed = true;
	return done;
}

static bool is_too_old(const struct follow *follow)
{
	uint64_t most = follow->options->rotate_seconds * 1000000000u;

	return most > 0 && now() - follow->begun >= most;
}

static bool rotate_if_due(struct follow *follow)
{
	uint64_t most = follow->options->rotate_bytes;
	bool due =
		(most > 0 && follow->log.bytes >= most) || is_too_old(follow);

	if (!due || pack_messages(follow->pack) == 0)
		return true;
	return end_file(follow) && begin_file(follow);
}

/* What was cut off behind its last step ends there. */
static bool end_found(struct follow *follow, const struct follow_found *found)
{
	struct frame_write frame = {.log = found->log, .part = found->part};
	bool good;

	frame_write_begin(&frame, PACKED_END);
	frame_write_uint(&frame, PACKED_END_MESSAGES, found->messages);
	frame_write_end(&frame);
	good = !frame.out.failed &&
	       follow_log_take(&follow->log, frame.out.data, frame.out.length);
	frame_write_free(&frame);
	return good;
}

/* Goes on behind the last step that is whole. */
static bool go_on(struct follow *follow, const struct follow_found *found)
{
	if (!follow_log_open_again(&follow->log, found->whole) ||
		!end_found(follow, found)) {
		fail(follow, follow->log.path, strerror(errno),
			"check its permissions");
		return false;
	}
	return begin_packing(follow) && write_step(follow, true);
}

/*
 * A file of ours without a whole step has nothing that is not in captures; what
 * was noted is in the one before.
 */
static bool take_up_older(struct follow *follow)
{
	unsigned number = follow->log.number;
	struct follow_found found;
	bool good = unlink(follow->log.path) == 0;

	if (good && number > 0 && follow_log_find(&follow->log, number))
		good = follow_back_look(follow->log.path, &found) &&
		       follow_back_recall(follow->log.path, found.whole,
			       live_past_of(follow->live));
	if (!good)
		fail(follow, follow->log.path, strerror(errno),
			"check its permissions");
	return good && begin_file(follow);
}

static bool open_log(struct follow *follow)
{
	struct follow_found found;
	const char *path = follow->log.path;

	if (!follow_log_find(&follow->log, 0))
		return begin_file(follow);
	if (!follow_back_look(path, &found)) {
		fail(follow, path, strerror(errno), "check its permissions");
		return false;
	}
	if (!found.is_ours && !found.is_empty) {
		fail(follow, path, "it is there, and not a log of --follow",
			"choose another name");
		return false;
	}
	if (found.whole == 0)
		return take_up_older(follow);
	if (!follow_back_recall(
		    path, found.whole, live_past_of(follow->live))) {
		fail(follow, path, strerror(errno), "check its permissions");
		return false;
	}
	return go_on(follow, &found);
}

/* ---- passes ---- */

/* Two at once would free what the other has not read. */
static bool lock_directory(struct follow *follow)
{
	const char *path = follow->options->directory;

	if (follow->directory < 0)
		follow->directory =
			open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (follow->directory < 0)
		return true; /* it is waited for */
	if (flock(follow->directory, LOCK_EX | LOCK_NB) == 0 ||
		errno != EWOULDBLOCK)
		return true;
	fail(follow, path, "another binlog-pack follows it",
		"wait for its end, or stop it");
	return false;
}

static bool pass_errors_on(struct follow *follow)
{
	struct error_list *errors = &follow->errors;
	char sentence[4608];
	size_t i;

	follow->damaged |= error_count(errors, ERROR_SEVERITY_DAMAGE) > 0;
	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		error_sentence(&errors->kept[i], sentence, sizeof(sentence));
		fprintf(stderr, "%s\n", sentence);
		if (!pack_loss(follow->pack,
			    live_recording_at(
				    follow->live, errors->kept[i].file),
			    &errors->kept[i]))
			return false;
	}
	*errors = (struct error_list){0};
	return true;
}

static bool pack_pass(struct follow *follow)
{
	const struct message *message;
	uint64_t count = 0;

	while (count < PASS_MESSAGES && (message = live_next(follow->live))) {
		if (!pack_message(follow->pack, message))
			return false;
		count++;
		if (follow->log.out.length >= WRITE_BYTES &&
			!write_out(follow, false)) {
			follow->failed = true;
			return true;
		}
	}
	live_end_pass(follow->live);
	return pass_errors_on(follow);
}

static bool end_captures(struct follow *follow, bool *any)
{
	struct recording *recording;

	while ((recording = live_next_ended(follow->live))) {
		*any = true;
		if (!pack_capture_end(follow->pack, recording))
			return false;
	}
	return true;
}

static bool is_step_due(const struct follow *follow)
{
	bool few = pack_pending(follow->pack) < STEP_MESSAGES;

	if (live_released(follow->live) >= STEP_BYTES)
		return true;
	if (pack_pending(follow->pack) + follow->log.out.length == 0)
		return false;
	return is_too_old(follow) ||
	       now() - follow->stepped >= (few ? STEP_FEW_NS : STEP_NS);
}

static void tell_waiting(struct follow *follow, enum live_state state, int why)
{
	if (follow->told_waiting)
		return;
	follow->told_waiting = true;
	complain(follow->options->directory,
		state == LIVE_ABSENT ? strerror(why) : "no capture is in it",
		"waits for one");
}

/* Nobody has been there for a while, and everything is packed. */
static bool is_over(struct follow *follow, enum live_state state)
{
	if (state != LIVE_ENDED || live_count(follow->live) > 0) {
		follow->alone = 0;
		return false;
	}
	if (follow->alone == 0)
		follow->alone = now();
	return now() - follow->alone >= ALONE_NS;
}

/* False: that was the last one. */
static bool pass(struct follow *follow)
{
	enum live_state state;
	bool ended = false;

	if (!lock_directory(follow))
		return false;
	state = live_look(follow->live);
	if (state == LIVE_ABSENT || state == LIVE_EMPTY)
		tell_waiting(follow, state, errno);
	if (state == LIVE_FAILED || !pack_pass(follow) ||
		!end_captures(follow, &ended)) {
		fail_memory(follow);
		return false;
	}
	if (follow->failed)
		return false;
	if (ended || stopped || is_step_due(follow))
		return step(follow) && rotate_if_due(follow) && !stopped;
	return !is_over(follow, state);
}

static void follow_captures(struct follow *follow)
{
	int pause = PAUSE_BUSY;

	while (pass(follow)) {
		if (live_is_busy(follow->live))
			pause = PAUSE_BUSY;
		else if (pause < PAUSE_MOST)
			pause += pause / 2;
		sleep_milliseconds(pause);
	}
	if (!follow->failed)
		step(follow);
	if (!follow->failed && follow->pack)
		end_file(follow);
}

/* Each capture that grows has a descriptor. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void set_signals(void)
{
	struct sigaction action = {.sa_handler = stop};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGHUP, SIG_IGN);
}

static enum exit_status judge(const struct follow *follow)
{
	if (follow->failed)
		return EXIT_NOTHING;
	return follow->damaged ? EXIT_DAMAGE : EXIT_ALL;
}

int follow_run(const struct follow_options *options)
{
	static struct follow follow;

	follow = (struct follow){
		.options = options,
		.directory = -1,
		.log = {.name = options->log,
			.fd = -1,
			.rotates = options->rotate_bytes > 0 ||
				   options->rotate_seconds > 0},
	};
	set_signals();
	raise_limit();
	follow.live = live_new(options->directory, &follow.errors);
	if (!follow.live)
		fail_memory(&follow);
	follow.space.live = follow.live;
	if (follow.live && lock_directory(&follow) && open_log(&follow))
		follow_captures(&follow);
	follow_log_close(&follow.log);
	pack_free(follow.pack);
	follow_space_free(&follow.space);
	live_free(follow.live);
	render_buffer_free(&follow.log.out);
	if (follow.directory >= 0)
		close(follow.directory);
	if (!options->quiet && !follow.failed)
		fprintf(stderr, "%" PRIu64 " messages, %" PRIu64 " bytes\n",
			follow.messages, follow.bytes);
	return judge(&follow);
}
