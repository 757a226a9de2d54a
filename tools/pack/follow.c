#include "tools/pack/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/sentence.h"
#include "decoder/show/descriptors.h"
#include "decoder/show/say.h"
#include "tools/pack/follow_step.h"

/* Between passes, milliseconds: while there is something to pack, and the
 * longest while there is not. */
enum { PAUSE_BUSY = 20, PAUSE_MOST = 200 };
/* Milliseconds, and how often: a second. */
enum { LOCK_PAUSE = 20, LOCK_TRIES = 50 };

/*
 * A step ends when so much could be freed (captures may be limited), or
 * something has not been written for so long: a few messages longer, since each
 * step has its price in bytes, and what is not in the log is in the captures.
 */
#define STEP_BYTES ((uint64_t)2 << 20)
#define STEP_LEAST ((uint64_t)64 << 10) /* and a quarter of the captures */
#define STEP_NS 1000000000u
#define STEP_MESSAGES 8192u
#define STEP_FEW_NS 10000000000u
/* A pass has no more messages, and writes whenever there is so much. */
#define PASS_MESSAGES 200000u
#define WRITE_BYTES ((size_t)1 << 20)

/* One program may execute another: for a moment nobody is there. */
#define ALONE_NS 500000000u

static volatile sig_atomic_t stopped;
static volatile sig_atomic_t rotated;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

/* By binlog-ctl, or whoever knows our number. */
static void rotate(int number)
{
	(void)number;
	rotated = 1;
}

/* A program that removes old captures (BINLOG_QUOTA) has it for a moment. */
static bool has_another(int directory)
{
	int tries = 0;

	while (flock(directory, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK)
			return false;
		if (tries++ == LOCK_TRIES)
			return true;
		follow_step_sleep(LOCK_PAUSE);
	}
	return false;
}

/* Two at once would free what the other has not read. */
static bool lock_directory(struct follow *follow)
{
	const char *path = follow->options->directory;

	if (follow->directory < 0)
		follow->directory =
			open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (follow->directory < 0)
		return true; /* it is waited for */
	if (!has_another(follow->directory))
		return true;
	follow_step_fail(follow, path, "another binlog-pack follows it",
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
		sentence_say("%s", sentence);
		if (!pack_loss(follow->pack,
			    live_recording_at(
				    follow->live, errors->kept[i].file),
			    &errors->kept[i]))
			return false;
	}
	if (!pack_loss_of_more(follow->pack, errors))
		return false;
	*errors = (struct error_list){0};
	say_limits();
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
			!follow_step_write(follow, false)) {
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
	uint64_t freed = live_released(follow->live);

	if ((rotated && pack_has_any(follow->pack)) || freed >= STEP_BYTES ||
		(freed >= STEP_LEAST &&
			freed >= live_claimed(follow->live) / 4))
		return true;
	if (pack_pending(follow->pack) + follow->log.out.length == 0)
		return false;
	return follow_step_is_too_old(follow) ||
	       follow_step_now() - follow->stepped >=
		       (few ? STEP_FEW_NS : STEP_NS);
}

static void tell_waiting(struct follow *follow, enum live_state state, int why)
{
	if (follow->told_waiting)
		return;
	follow->told_waiting = true;
	follow_step_complain(follow->options->directory,
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
		follow->alone = follow_step_now();
	return follow_step_now() - follow->alone >= ALONE_NS;
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
		follow_step_fail_memory(follow);
		return false;
	}
	if (follow->failed)
		return false;
	if (ended || stopped || is_step_due(follow))
		return follow_step(follow) && follow_step_rotate(follow) &&
		       !stopped;
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
		follow_step_sleep(pause);
	}
	if (!follow->failed)
		follow_step(follow);
	if (!follow->failed && follow->pack)
		follow_step_end(follow);
}

enum exit_status follow_run(const struct follow_options *options)
{
	static struct follow follow;
	struct sigaction action = {.sa_handler = stop};

	follow = (struct follow){
		.options = options,
		.directory = -1,
		.stopped = &stopped,
		.rotated = &rotated,
		.log = {.name = options->log,
			.fd = -1,
			.rotates = options->rotate_bytes > 0 ||
				   options->rotate_seconds > 0},
	};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = rotate;
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGHUP, SIG_IGN);
	descriptors_raise_limit();
	follow.live = live_new(options->directory, &follow.errors);
	if (!follow.live)
		follow_step_fail_memory(&follow);
	follow.space.live = follow.live;
	if (follow.live && lock_directory(&follow) && follow_step_open(&follow))
		follow_captures(&follow);
	follow_log_close(&follow.log);
	pack_free(follow.pack);
	follow_space_free(&follow.space);
	live_free(follow.live);
	render_buffer_free(&follow.log.out);
	if (follow.directory >= 0)
		close(follow.directory);
	if (!options->quiet && !follow.failed)
		sentence_say("%" PRIu64 " messages, %" PRIu64 " bytes",
			follow.messages, follow.bytes);
	if (follow.failed)
		return EXIT_NOTHING;
	return follow.damaged || limits_were_met() ? EXIT_DAMAGE
						   : EXIT_ALL_READ;
}
