#include "decoder/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "decoder/capture/recording.h"
#include "record/in_use.h"

static void live_order_set_limit(struct live *live);
static bool live_order_is_last(const struct live *live);

/*
 * Who could still write to a capture that is followed.  Called by
 * live_capture.c before it looks at what was written, so that who is gone has
 * written all that it ever will.
 */

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

/* All of the capture was packed and freed before, and nobody is left. */
static bool live_life_is_over(const struct recording *recording)
{
	bool over = recording->freed.log != 0 &&
		    recording->freed.bytes >= recording->header.published &&
		    in_use_hold(recording->fd) == IN_USE_NO;

	in_use_release(recording->fd);
	return over;
}

/* Descriptors that are not of captures. */
#define OTHER_FILES ((rlim_t)24)

/* The directory's time may be so much older than a name in it. */
#define STAMP_NS 100000000

/* For captures. */
static size_t count_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
		limit.rlim_cur < 2 * OTHER_FILES)
		return OTHER_FILES;
	return limit.rlim_cur - OTHER_FILES;
}

struct live *live_new(const char *directory, struct error_list *errors)
{
	struct live *live = calloc(1, sizeof(*live));

	if (live) {
		live->most = count_descriptors();
		live->directory = directory;
		live->guard = LIVE_ORDER_GUARD_NS;
		live->errors = errors;
	}
	return live;
}

void live_only(struct live *live, const char *name)
{
	live->only = name;
}

void live_set_guard(struct live *live, uint64_t guard)
{
	live->guard = guard;
}

void live_keep_nothing(struct live *live)
{
	live->keeps_nothing = true;
}

struct live_pasts *live_past_of(struct live *live)
{
	return &live->pasts;
}

/* ---- the files ---- */

/* Its number may be another file's since it was removed. */
static bool is_retired(
	const struct live *live, const char *path, const struct stat *st)
{
	size_t i;

	for (i = 0; i < live->retired_count; i++)
		if (live->retired[i]->recording->inode == st->st_ino &&
			live->retired[i]->recording->device == st->st_dev &&
			strcmp(live->retired[i]->path, path) == 0)
			return true;
	return false;
}

static bool is_known(
	const struct live *live, const char *path, const struct stat *st)
{
	size_t i;

	for (i = 0; i < live->count; i++)
		if (live->captures[i]->recording->inode == st->st_ino &&
			live->captures[i]->recording->device == st->st_dev)
			return true;
	for (i = 0; i < live->stranger_count; i++)
		if (live->strangers[i].inode == st->st_ino &&
			live->strangers[i].device == st->st_dev)
			return true;
	return is_retired(live, path, st);
}

static bool add_stranger(struct live *live, const struct stat *st)
{
	struct stranger *strangers = realloc(live->strangers,
		(live->stranger_count + 1) * sizeof(*strangers));

	if (!strangers)
		return false;
	live->strangers = strangers;
	strangers[live->stranger_count++] =
		(struct stranger){st->st_dev, st->st_ino};
	return true;
}

static bool add_capture(struct live *live, char *path, struct recording *from)
{
	struct live_capture *capture;
	struct live_past *past;

	if (!array_reserve(live->captures, live->room, live->count + 1))
		return false;
	past = live_past_find(&live->pasts, from->header.nonce);
	capture = live_capture_new(path, from, past);
	if (!capture)
		return false;
	capture->keeps_nothing = live->keeps_nothing;
	if (past)
		past->taken = true;
	live->captures[live->count++] = capture;
	return true;
}

/* It will be there, or there will be descriptors, later. */
static bool may_be_tried_again(const struct error *error)
{
	return error->code == ERROR_UNBORN ||
	       (error->code == ERROR_OPEN &&
		       (error->system == ENOENT || error->system == EMFILE ||
			       error->system == ENFILE));
}

static bool open_file(struct live *live, char *path, const struct stat *st)
{
	struct error_list errors = {0};
	struct recording *recording = recording_open_live(path, &errors);

	if (recording && (recording->device != st->st_dev ||
				 recording->inode != st->st_ino)) {
		/* Another file, or a link, has come there meanwhile. */
		recording_close(recording);
		live->skipped = true;
		free(path);
		return true;
	}
	if (recording) {
		recording->errors = live->errors;
		live->seen_any = true;
		if (!live_life_is_over(recording))
			return add_capture(live, path, recording);
		recording_close(recording);
	} else if (errors.count > 0 && may_be_tried_again(&errors.kept[0])) {
		live->skipped = true;
		free(path);
		return true;
	} else if (errors.count > 0) {
		/* The path stays, since the error has it. */
		error_add(live->errors, &errors.kept[0]);
		return add_stranger(live, st);
	}
	free(path);
	return add_stranger(live, st);
}

static bool add_file(struct live *live, const char *name)
{
	char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/%s", live->directory, name) < 0)
		return false;
	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
		is_known(live, path, &st)) {
		free(path);
		return true;
	}
	if (live->count < live->most)
		return open_file(live, path, &st);
	live->skipped = true;
	free(path);
	return true;
}

static bool is_capture(const struct live *live, const char *name)
{
	size_t length = strlen(name);
	size_t suffix = strlen(BINLOG_SUFFIX);

	if (live->only)
		return strcmp(name, live->only) == 0;
	return length > suffix &&
	       strcmp(name + length - suffix, BINLOG_SUFFIX) == 0;
}

/* A name may have come right after the directory was read, at a time that is
 * the same by the clock of the file system. */
static bool is_to_be_scanned(struct live *live, int fd)
{
	struct timespec now;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return true;
	clock_gettime(CLOCK_REALTIME, &now);
	if (st.st_mtim.tv_sec == live->scanned.tv_sec &&
		st.st_mtim.tv_nsec == live->scanned.tv_nsec)
		return false;
	if ((now.tv_sec - st.st_mtim.tv_sec) * 1000000000 + now.tv_nsec -
			st.st_mtim.tv_nsec >
		STAMP_NS)
		live->scanned = st.st_mtim;
	return true;
}

static void scan_entries(struct live *live, DIR *entries)
{
	const struct dirent *entry;

	live->skipped = false;
	while (!live->failed && (entry = readdir(entries)))
		if (is_capture(live, entry->d_name) &&
			!add_file(live, entry->d_name))
			live->failed = true;
	/* What is known of captures that are not there is of no use. */
	if (live->skipped)
		live->scanned = (struct timespec){0};
	else if (live->seen_any)
		live_past_free(&live->pasts);
}

/* False: there is no directory, for the reason in errno. */
static bool scan_directory(struct live *live)
{
	DIR *entries = opendir(live->directory);
	int error;

	if (!entries) {
		error = errno;
		live->scanned = (struct timespec){0};
		errno = error;
		return false;
	}
	if (is_to_be_scanned(live, dirfd(entries)))
		scan_entries(live, entries);
	closedir(entries);
	return true;
}

/* ---- passes ---- */

enum live_state live_look(struct live *live)
{
	bool there, ended;
	int error;
	size_t i;

	live->delivered = false;
	live->busy = false;
	live_order_set_limit(live);
	there = scan_directory(live);
	error = errno;
	for (i = 0; i < live->count; i++) {
		live_capture_look(live->captures[i], true);
		live->failed |= live->captures[i]->failed;
	}
	live_order_begin(live);
	ended = live_order_is_last(live);
	errno = error;
	if (live->failed)
		return LIVE_FAILED;
	if (!live->seen_any)
		return there ? LIVE_EMPTY : LIVE_ABSENT;
	return ended ? LIVE_ENDED : LIVE_GROWS;
}

void live_notice_freed(struct live *live)
{
	size_t i;

	for (i = 0; i < live->count; i++)
		live_capture_notice_freed(live->captures[i]);
}

static bool retire(struct live *live, struct live_capture *capture)
{
	struct recording *recording = capture->recording;
	struct live_capture **retired = realloc(live->retired,
		(live->retired_count + 1) * sizeof(struct live_capture *));

	if (!retired)
		return false;
	live->retired = retired;
	if (recording->fd >= 0)
		close(recording->fd);
	recording->fd = -1;
	live->retired[live->retired_count++] = capture;
	return true;
}

void live_retire_ended(struct live *live)
{
	size_t kept = 0;
	size_t i;

	while (live_next_ended(live))
		;
	for (i = 0; i < live->count; i++)
		if (!live->captures[i]->finished ||
			!retire(live, live->captures[i]))
			live->captures[kept++] = live->captures[i];
	live->count = kept;
}

uint64_t live_reached(const struct live *live)
{
	return live_order_is_last(live) ? UINT64_MAX : live->limit_wall;
}

bool live_is_busy(const struct live *live)
{
	return live->busy;
}

/*
 * The order of the messages of all captures that are followed.  Called by
 * live.c, which begins a pass; live_next() is here.
 */

/* So many times, each of a millisecond, the rest of a call is waited for. */
#define REST_TRIES 50

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t ticks_of(uint32_t clock)
{
	if (clock == BINLOG_CLOCK_TSC) {
#if defined(__x86_64__)
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
		uint64_t ticks;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
		return ticks;
#endif
	}
	return nanoseconds(CLOCK_MONOTONIC);
}

/* Before it is looked for what is new: how late a message of this pass may be.
 */
static void live_order_set_limit(struct live *live)
{
	uint64_t now = nanoseconds(CLOCK_MONOTONIC);

	if (live->count == 0 ||
		(live->sampled_at != 0 && now - live->sampled_at < live->guard))
		return;
	live->limit_ticks = live->sampled_ticks;
	live->limit_wall = live->sampled_wall;
	live->sampled_at = now;
	live->sampled_ticks =
		ticks_of(live->captures[0]->recording->header.clock);
	live->sampled_wall = nanoseconds(CLOCK_REALTIME);
}

/* Ticks of both count the same thing from the same moment. */
static bool ticks_agree(
	const struct binlog_header *a, const struct binlog_header *b)
{
	static const uint8_t unknown[sizeof(a->boot_id)];

	return a->clock == b->clock &&
	       memcmp(a->boot_id, b->boot_id, sizeof(unknown)) == 0 &&
	       memcmp(a->boot_id, unknown, sizeof(unknown)) != 0;
}

static void choose_order(struct live *live)
{
	size_t i;

	for (i = 0; i < live->count && !live->by_wall; i++) {
		const struct live_capture *first = live->captures[0];
		const struct live_capture *capture = live->captures[i];

		live->by_wall =
			capture->clock.jumped ||
			(i > 0 && (!ticks_agree(&first->recording->header,
					   &capture->recording->header) ||
					  !wall_clock_agrees(&first->clock,
						  &capture->clock)));
	}
}

/* A short-lived process learns the rate of the clock from the others. */
static void share_rate(struct live *live)
{
	struct binlog_anchor first, last;
	size_t i;

	if (live->by_wall || live->count == 0)
		return;
	first = live->captures[0]->clock.first;
	last = live->captures[0]->clock.last;
	for (i = 1; i < live->count; i++) {
		const struct wall_clock *clock = &live->captures[i]->clock;

		if (clock->first.ticks < first.ticks)
			first = clock->first;
		if (clock->last.ticks > last.ticks)
			last = clock->last;
	}
	for (i = 0; i < live->count; i++) {
		live->captures[i]->clock.first = first;
		live->captures[i]->clock.last = last;
	}
}

static uint64_t key_of(
	const struct live *live, const struct live_writer *writer)
{
	return live->by_wall ? writer->stream.wall : writer->stream.ticks;
}

static bool is_before(const struct live *live, const struct live_writer *a,
	const struct live_writer *b)
{
	uint64_t left = key_of(live, a);
	uint64_t right = key_of(live, b);

	return left != right ? left < right : a->order < b->order;
}

static void sift_down(struct live *live, size_t i)
{
	struct live_writer **heap = live->heap;
	struct live_writer *moving = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= live->heap_count)
			break;
		if (child + 1 < live->heap_count &&
			is_before(live, heap[child + 1], heap[child]))
			child++;
		if (!is_before(live, heap[child], moving))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moving;
}

static bool add_to_heap(struct live *live, struct live_writer *writer)
{
	if (!array_reserve(live->heap, live->heap_room, live->heap_count + 1))
		return false;
	live->heap[live->heap_count++] = writer;
	return true;
}

static void sort_heap(struct live *live)
{
	size_t i;

	for (i = live->heap_count / 2; i > 0; i--)
		sift_down(live, i - 1);
}

/* All writers that have something to say. */
static void make_heap(struct live *live)
{
	size_t i, j;

	live->heap_count = 0;
	for (i = 0; i < live->count; i++)
		for (j = 0; j < live->captures[i]->count; j++) {
			struct live_writer *writer =
				live->captures[i]->writers[j];

			if (writer->stream.state == WRITER_WAITS)
				live_capture_step(writer);
			if (writer->stream.state != WRITER_WAITS &&
				writer->stream.state != WRITER_END &&
				!add_to_heap(live, writer))
				live->failed = true;
		}
	sort_heap(live);
}

void live_order_begin(struct live *live)
{
	choose_order(live);
	share_rate(live);
	make_heap(live);
}

/* All captures have ended: what is there is all. */
static bool live_order_is_last(const struct live *live)
{
	size_t i;

	for (i = 0; i < live->count; i++)
		if (!live->captures[i]->ended)
			return false;
	return true;
}

static void settle_top(struct live *live)
{
	enum writer_state state = live->heap[0]->stream.state;
	bool turns = !live->by_wall && live->heap[0]->capture->clock.jumped;

	if (state == WRITER_WAITS || state == WRITER_END)
		live->heap[0] = live->heap[--live->heap_count];
	live->by_wall |= turns;
	if (turns)
		sort_heap(live);
	else if (live->heap_count > 0)
		sift_down(live, 0);
}

/* The rest of a call is about to be committed. */
static void wait_for_rest(struct live_writer *writer)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	int i;

	for (i = 0; i < REST_TRIES && writer->stream.state == WRITER_WAITS;
		i++) {
		nanosleep(&moment, NULL);
		live_capture_look(writer->capture, false);
		live_capture_step(writer);
	}
}

/* Steps beyond what was delivered; the next piece of the same call, if any. */
static const struct message *finish_delivered(struct live *live)
{
	struct live_writer *writer = live->heap[0];
	struct writer_stream *stream = &writer->stream;
	bool partial = stream->message.partial;

	do {
		live_capture_step(writer);
		if (partial && stream->state == WRITER_WAITS)
			wait_for_rest(writer);
	} while (partial && stream->state == WRITER_BETWEEN);
	if (partial && stream->state == WRITER_MESSAGE &&
		stream->message.continues)
		return &stream->message;
	live->delivered = false;
	settle_top(live);
	return NULL;
}

/* It was said when others may not have committed what they said before. */
static bool is_too_young(const struct live *live)
{
	return key_of(live, live->heap[0]) >=
		       (live->by_wall ? live->limit_wall : live->limit_ticks) &&
	       !live_order_is_last(live);
}

const struct message *live_next(struct live *live)
{
	const struct message *piece =
		live->delivered ? finish_delivered(live) : NULL;

	if (piece)
		return piece;
	while (live->heap_count > 0 && !is_too_young(live)) {
		struct live_writer *top = live->heap[0];

		if (top->stream.state == WRITER_MESSAGE) {
			live->delivered = live->busy = true;
			return &top->stream.message;
		}
		live_capture_step(top);
		settle_top(live);
	}
	live->busy |= live->heap_count > 0;
	return NULL;
}

void live_end_pass(struct live *live)
{
	if (live->delivered)
		finish_delivered(live);
	live->delivered = false;
}
