#include "decoder/live/live_life.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "decoder/capture/liveness.h"
#include "record/in_use.h"

/* How often it is asked who is left; children, so many times more seldom. */
#define ASK_NS 200000000u
#define CHILDREN 5u

/* Numbers of processes descend no further. */
#define GENERATIONS_MAX 64

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* By the processes that it tells of. */
static bool any_is_alive(const struct live_capture *capture)
{
	struct recording *recording = capture->recording;
	const struct program *program;

	if (liveness_of(recording, recording->header.pid,
		    recording->header.start.boottime) == LIVENESS_ALIVE)
		return true;
	for (program = recording->programs.newest; program;
		program = program->older)
		if (kill((pid_t)program->pid, 0) == 0 || errno == EPERM)
			return true;
	return false;
}

static bool is_in_use(const struct live_capture *capture)
{
	enum in_use use = in_use_hold(capture->recording->fd);

	in_use_release(capture->recording->fd);
	return use == IN_USE_YES ||
	       (use == IN_USE_UNKNOWN && any_is_alive(capture));
}

static bool is_here(const struct live_capture *capture)
{
	uint64_t there = liveness_founder(capture->recording).pid_namespace;
	struct stat st;

	return there != 0 && stat("/proc/self/ns/pid", &st) == 0 &&
	       st.st_ino == there;
}

/*
 * What it calls its number is what we call it, too: every process that it
 * descends from, up to the one that has made the capture, is its parent's own
 * child.  Others may be in another namespace.
 */
static bool has_a_number(
	const struct program *program, const struct recording *recording)
{
	int i;

	for (i = 0; i < GENERATIONS_MAX && program; i++) {
		if (program->process == 0)
			return program->pid == recording->header.pid;
		/* That which has made it may have said nothing itself. */
		if (!program->parent)
			return program->ppid == recording->header.pid;
		if (program->parent->pid != program->ppid)
			return false;
		program = program->parent;
	}
	return false;
}

static bool is_gone(
	const struct program *program, const struct recording *recording)
{
	return has_a_number(program, recording) &&
	       kill((pid_t)program->pid, 0) != 0 && errno == ESRCH;
}

/* Processes that have ended, while others go on. */
static bool look_for_gone(struct live_capture *capture)
{
	const struct program *last = NULL;
	bool gone = false;
	bool any = false;
	size_t i;

	if (!is_here(capture))
		return false;
	for (i = 0; i < capture->count; i++) {
		struct live_writer *writer = capture->writers[i];
		const struct program *program = writer->stream.program;

		/* No thread: rules, which its children go on to obey. */
		if (writer->gone || !program || writer->count == 0 ||
			writer->stream.tid == 0 ||
			writer->stream.state != WRITER_WAITS)
			continue;
		if (program != last)
			gone = is_gone(program, capture->recording);
		last = program;
		writer->gone = gone;
		any |= gone;
	}
	return any;
}

bool live_life_ask(struct live_capture *capture)
{
	uint64_t time = now();

	if (time - capture->asked < ASK_NS)
		return false;
	capture->asked = time;
	capture->ended = !is_in_use(capture);
	return capture->ended ||
	       (capture->asks++ % CHILDREN == 0 && look_for_gone(capture));
}

bool live_life_is_over(const struct recording *recording)
{
	bool over = recording->freed.log != 0 &&
		    recording->freed.bytes >= recording->header.published &&
		    in_use_hold(recording->fd) == IN_USE_NO;

	in_use_release(recording->fd);
	return over;
}
