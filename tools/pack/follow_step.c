#include "tools/pack/follow_step.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "base/array.h"
#include "base/sentence.h"
#include "decoder/live/live.h"
#include "decoder/pack/frame_write.h"
#include "decoder/pack/pack_value.h"
#include "record/packed.h"
#include "record/prepared.h"
#include "tools/live/follow_back.h"
#include "tools/live/page_guard.h"
#include "tools/pack/log_file.h"

/*
 * Gives room on disk back that captures have used up to here, and hands the
 * same places of them to their programs again, so that captures do not grow.
 * Called by follow.c with what was packed and written; a block goes back the
 * way of record/prepared.h.
 * Promises that no program waits, and that killed at any moment it costs a few
 * places in the file and nothing else.
 */

/* So many blocks are kept ready for the program: at 32 MB/s that is more than
 * follow.c ever sleeps. */
enum { READY = 24 };

#define PLACE ((uint64_t)BINLOG_PREPARED_BLOCK)

/* A capture while it is open for writing. */
struct opened {
	int fd;
	struct binlog_header *header; /* its first page */
};

static bool open_for_writing(struct opened *opened, int readable)
{
	char path[40];
	void *page;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", readable);
	opened->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (opened->fd < 0)
		return false;
	page_guard_begin();
	page = mmap(NULL, BINLOG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		opened->fd, 0);
	if (page == MAP_FAILED) {
		close(opened->fd);
		return false;
	}
	opened->header = page;
	return true;
}

/* Not for longer than it takes: it is how others know that it is in use. */
static void close_again(struct opened *opened)
{
	munmap(opened->header, BINLOG_PAGE);
	close(opened->fd);
}

static void punch(const struct opened *opened, uint64_t at, uint64_t end)
{
	if (at < end)
		fallocate(opened->fd,
			FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
			(off_t)(end - at));
}

static void count_freed(
	const struct opened *opened, uint64_t log, uint64_t bytes)
{
	struct binlog_packed *packed =
		(struct binlog_packed *)((char *)opened->header +
					 BINLOG_PACKED_OFFSET);

	__atomic_store_n(&packed->log, log, __ATOMIC_RELAXED);
	__atomic_fetch_add(&packed->bytes, bytes, __ATOMIC_RELAXED);
}

/* What a block has counted is the file's from here on. */
static void move_counters(const struct opened *opened, uint64_t offset)
{
	static const uint64_t zeros[2];
	const off_t place =
		(off_t)(offset + offsetof(struct binlog_block, passed));
	uint64_t counters[2];

	if (pread(opened->fd, counters, sizeof(counters), place) !=
			sizeof(counters) ||
		(counters[0] == 0 && counters[1] == 0) ||
		pwrite(opened->fd, zeros, sizeof(zeros), place) !=
			sizeof(zeros))
		return;
	__atomic_fetch_add(
		&opened->header->passed, counters[0], __ATOMIC_RELAXED);
	__atomic_fetch_add(
		&opened->header->dropped, counters[1], __ATOMIC_RELAXED);
}

/* ---- what comes ---- */

/* Null: out of memory. */
static struct follow_space_file *file_of(
	struct follow_space *space, struct recording *recording)
{
	size_t i;

	for (i = 0; i < space->count; i++)
		if (space->files[i].recording == recording)
			return &space->files[i];
	if (!array_reserve(space->files, space->room, space->count + 1))
		return NULL;
	space->files[space->count] =
		(struct follow_space_file){.recording = recording};
	return &space->files[space->count++];
}

static void append(struct follow_space *space, struct follow_places *places,
	const struct follow_place *place)
{
	if (array_reserve(places->all, places->room, places->count + 1))
		places->all[places->count++] = *place;
	else
		space->failed = ENOMEM;
}

/* As live_take and live_take_all. */
static void follow_space_take(void *closure, struct recording *recording,
	const struct recording_block *block, uint64_t bytes)
{
	struct follow_space *space = closure;
	struct follow_space_file *file = file_of(space, recording);
	const struct follow_place place = {
		.offset = block->offset,
		.bytes = bytes,
		.block = block->size,
	};

	if (file)
		append(space, &file->large, &place);
	else
		space->failed = ENOMEM;
}

/* ---- what becomes of it ---- */

/*
 * Small ones are freed at once.  Of larger ones the header stays until they
 * are handed over: so whoever follows after us finds them again.
 */
static void receive(struct follow_space *space, struct follow_space_file *file,
	const struct opened *opened, const struct follow_place *place)
{
	struct follow_place first = *place;
	uint64_t at;

	move_counters(opened, place->offset);
	if (place->bytes < PLACE) {
		punch(opened, place->offset, place->offset + place->bytes);
		count_freed(opened, space->log, place->block);
		append(space, &file->small, place);
		return;
	}
	first.bytes = PLACE;
	punch(opened, place->offset + PLACE, place->offset + place->bytes);
	file->large.all[file->ready++] = first;
	for (at = PLACE; place->bytes - at >= PLACE; at += PLACE) {
		const struct follow_place more = {
			.offset = place->offset + at,
			.bytes = PLACE,
			.punched = true,
		};

		append(space, &file->large, &more);
	}
}

static void receive_all(struct follow_space *space,
	struct follow_space_file *file, const struct opened *opened)
{
	struct follow_places *large = &file->large;
	size_t count = large->count;
	size_t i;

	for (i = file->ready; i < count; i++) {
		const struct follow_place place = large->all[i];

		receive(space, file, opened, &place);
	}
	/* What came off larger ones. */
	memmove(large->all + file->ready, large->all + count,
		(large->count - count) * sizeof(*large->all));
	file->ready += large->count - count;
	large->count = file->ready;
}

static int compare_places(const void *left, const void *right)
{
	const struct follow_place *a = left;
	const struct follow_place *b = right;

	/* The last one is handed over first, in rows from the lowest on. */
	return a->offset < b->offset ? 1 : a->offset > b->offset ? -1 : 0;
}

/* Small ones that lie side by side are one, from the lowest on. */
static void join(struct follow_places *small)
{
	struct follow_place *end = small->all + small->count;
	struct follow_place *last = end;
	struct follow_place *place;

	qsort(small->all, small->count, sizeof(*small->all), compare_places);
	for (place = end; place > small->all;) {
		place--;
		if (place->bytes == 0)
			continue;
		if (last < end && last->offset + last->bytes == place->offset)
			last->bytes += place->bytes;
		else
			*--last = *place;
	}
	small->count = (size_t)(end - last);
	memmove(small->all, last, small->count * sizeof(*small->all));
}

/* What is large enough by now can be used again. */
static void use_small(
	struct follow_space *space, struct follow_space_file *file)
{
	size_t i;

	if (file->small.count < 2)
		return;
	join(&file->small);
	for (i = 0; i < file->small.count; i++) {
		struct follow_place *place = &file->small.all[i];

		while (place->bytes >= PLACE) {
			const struct follow_place large = {
				.offset = place->offset,
				.bytes = PLACE,
				.punched = true,
			};

			append(space, &file->large, &large);
			place->offset += PLACE;
			place->bytes -= PLACE;
		}
	}
}

static bool write_zeros(const struct opened *opened, uint64_t at, uint64_t end)
{
	static const char zeros[BINLOG_PREPARED_BLOCK];

	while (at < end) {
		ssize_t n = pwrite(opened->fd, zeros, end - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (uint64_t)n;
	}
	return true;
}

/* The header last: until then the block counts as one that was read. */
static bool clear(const struct opened *opened, uint64_t offset)
{
	return write_zeros(opened, offset + BINLOG_PAGE, offset + PLACE) &&
	       write_zeros(opened, offset, offset + BINLOG_PAGE);
}

static void hand_over(struct follow_space *space,
	struct follow_space_file *file, const struct opened *opened)
{
	struct binlog_prepared *prepared = prepared_of(opened->header);
	struct follow_places *large = &file->large;

	if (large->count > 0)
		qsort(large->all, large->count, sizeof(*large->all),
			compare_places);
	while (large->count > 0 && prepared_left(prepared) < READY) {
		struct follow_place *place = &large->all[large->count - 1];

		if (!clear(opened, place->offset)) {
			space->failed = errno;
			break;
		}
		count_freed(opened, space->log, place->block);
		place->block = 0;
		if (!prepared_give(prepared, place->offset))
			break;
		if (!live_expect(
			    space->live, file->recording, place->offset, PLACE))
			space->failed = ENOMEM;
		large->count--;
	}
	file->ready = large->count;
}

static void punch_rest(
	struct follow_space_file *file, const struct opened *opened)
{
	size_t i;

	for (i = 0; i < file->large.count; i++) {
		struct follow_place *place = &file->large.all[i];

		if (!place->punched)
			punch(opened, place->offset + BINLOG_PAGE,
				place->offset + place->bytes);
		place->punched = true;
	}
}

static void settle_file(
	struct follow_space *space, struct follow_space_file *file)
{
	struct opened opened;

	if (file->large.count == 0)
		return;
	if (!open_for_writing(&opened, file->recording->fd)) {
		space->failed = errno;
		file->large.count = file->ready = 0;
		return;
	}
	receive_all(space, file, &opened);
	use_small(space, file);
	hand_over(space, file, &opened);
	punch_rest(file, &opened);
	close_again(&opened);
}

/* After them: frees, and hands over. */
static void follow_space_settle(struct follow_space *space)
{
	size_t i;

	for (i = 0; i < space->count; i++)
		settle_file(space, &space->files[i]);
}

/* ---- the end ---- */

static bool follow_space_take_all(void *closure, struct recording *recording)
{
	struct follow_space *space = closure;
	struct binlog_packed *packed;
	struct opened opened;
	struct stat st;
	uint64_t left, at;
	size_t i;

	for (i = 0; i < space->count; i++)
		if (space->files[i].recording == recording) {
			free(space->files[i].large.all);
			free(space->files[i].small.all);
			space->files[i] = space->files[--space->count];
			break;
		}
	if (!open_for_writing(&opened, recording->fd)) {
		space->failed = errno;
		return false;
	}
	/* somebody may go on giving blocks */
	left = prepared_left(prepared_of(opened.header));
	while (left > 0 && prepared_take(prepared_of(opened.header), &at))
		left--;
	if (fstat(opened.fd, &st) == 0)
		punch(&opened, BINLOG_PAGE, (uint64_t)st.st_size);
	count_freed(&opened, space->log, 0);
	packed = (struct binlog_packed *)((char *)opened.header +
					  BINLOG_PACKED_OFFSET);
	packed->bytes = opened.header->published;
	close_again(&opened);
	return true;
}

void follow_space_free(struct follow_space *space)
{
	while (space->count > 0) {
		space->count--;
		free(space->files[space->count].large.all);
		free(space->files[space->count].small.all);
	}
	free(space->files);
}

/*
 * The log of a follower: one file or, where it is rotated, one after another.
 * Called by follow.c.  What is written comes in steps, each of which ends with
 * a POSITION that says how far captures were read up to there; promises that a
 * file which is found again is cut behind the last step that is whole, so that
 * all files together have everything once.
 *
 *	LOG                without rotation
 *	LOG-000001.blog    with it, and so on; LOG without its own .blog
 */

#define MODE 0600 /* as that of captures */
#define DIGITS 6

/* LOG without .blog, bytes. */
static size_t stem_of(const char *name)
{
	size_t length = strlen(name);
	size_t suffix = strlen(PACKED_SUFFIX);

	return length > suffix && strcmp(name + length - suffix,
					  PACKED_SUFFIX) == 0
		       ? length - suffix
		       : length;
}

static bool set_path(struct follow_log *log, unsigned number)
{
	int n;

	if (number == 0)
		n = snprintf(log->path, sizeof(log->path), "%s", log->name);
	else
		n = snprintf(log->path, sizeof(log->path), "%.*s-%0*u%s",
			(int)stem_of(log->name), log->name, DIGITS, number,
			PACKED_SUFFIX);
	if (n < 0 || (size_t)n >= sizeof(log->path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	log->number = number;
	return true;
}

/* 0: the name is not one of this log's. */
static unsigned number_in(const char *name, const char *stem, size_t length)
{
	unsigned long number;
	char *end;

	if (strncmp(name, stem, length) != 0 || name[length] != '-' ||
		name[length + 1] < '0' || name[length + 1] > '9')
		return 0;
	number = strtoul(name + length + 1, &end, 10);
	if (strcmp(end, PACKED_SUFFIX) != 0 || number >= UINT_MAX)
		return 0;
	return (unsigned)number;
}

static DIR *open_directory(const struct follow_log *log)
{
	const char *slash = strrchr(log->name, '/');
	char *directory;
	DIR *entries;

	if (!slash)
		return opendir(".");
	directory = strndup(log->name, (size_t)(slash - log->name) + 1);
	entries = directory ? opendir(directory) : NULL;
	free(directory);
	return entries;
}

/*
 * The newest file that is there: its path and number; false: there is none.
 * `below`: older than this one, 0 for the newest of all.
 */
static bool follow_log_find(struct follow_log *log, unsigned below)
{
	const char *slash = strrchr(log->name, '/');
	const char *stem = slash ? slash + 1 : log->name;
	DIR *entries = open_directory(log);
	const struct dirent *entry;
	unsigned newest = 0;
	struct stat st;

	while (entries && (entry = readdir(entries))) {
		unsigned number = number_in(entry->d_name, stem, stem_of(stem));

		if (number > newest && (below == 0 || number < below))
			newest = number;
	}
	if (entries)
		closedir(entries);
	return set_path(log, newest) &&
	       (newest > 0 || lstat(log->path, &st) == 0);
}

/*
 * Makes the file after the one that was found or written, or `again`, opens
 * that and cuts it off behind `bytes`.  False: errno says why not.
 */
static bool follow_log_open_next(struct follow_log *log)
{
	if (!set_path(
		    log, log->rotates || log->number > 0 ? log->number + 1 : 0))
		return false;
	log->fd = open(log->path,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	log->bytes = log->whole = 0;
	return log->fd >= 0;
}

static bool follow_log_open_again(struct follow_log *log, uint64_t bytes)
{
	struct stat st;

	log->fd = open(log->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (log->fd < 0)
		return false;
	log->bytes = log->whole = bytes;
	if (log_file_is_own(log->fd) && fstat(log->fd, &st) == 0 &&
		((uint64_t)st.st_size == bytes ||
			ftruncate(log->fd, (off_t)bytes) == 0))
		return true;
	close(log->fd);
	log->fd = -1;
	return false;
}

/* As pack_take: into `out`. */
static bool follow_log_take(void *closure, const void *bytes, size_t size)
{
	struct follow_log *log = closure;

	render_buffer_put(&log->out, bytes, size);
	return !log->out.failed;
}

/*
 * Writes `out`; what could not be written stays there, and `failed` says why.
 * `whole`: it is the end of a step.
 */
static bool follow_log_write(struct follow_log *log, bool whole)
{
	size_t done = 0;

	log->failed = 0;
	while (done < log->out.length && log->failed == 0) {
		ssize_t n = pwrite(log->fd, log->out.data + done,
			log->out.length - done, (off_t)log->bytes);

		if (n > 0) {
			done += (size_t)n;
			log->bytes += (uint64_t)n;
		} else if (n == 0 || errno != EINTR) {
			log->failed = n == 0 ? ENOSPC : errno;
		}
	}
	log->out.length -= done;
	if (done > 0)
		memmove(log->out.data, log->out.data + done, log->out.length);
	if (log->failed == 0 && whole)
		log->whole = log->bytes;
	return log->failed == 0;
}

void follow_log_close(struct follow_log *log)
{
	if (log->fd < 0)
		return;
	if (log->bytes != log->whole &&
		ftruncate(log->fd, (off_t)log->whole) != 0)
		log->failed = errno;
	if (close(log->fd) != 0)
		log->failed = errno;
	log->fd = -1;
	log->out.length = 0;
}

/*
 * What a follower notes in its log for those after it: POSITION and CONTROL
 * frames.  Written by follow.c at the end of each step; follow_back.h reads
 * them.
 */

/* So many writers in one frame. */
#define WRITERS_MAX 40000u
#define NUMBERS ((size_t)5)
#define LEVEL 3

struct saving {
	struct frame_write *frame;
	uint64_t *numbers; /* five for each writer */
	size_t count;
	size_t room;
	bool failed;
};

static void put_records(struct saving *saving, uint64_t nonce,
	const uint8_t *bytes, size_t size)
{
	size_t bound = ZSTD_compressBound(size);
	void *packed = malloc(bound);
	size_t length =
		packed ? ZSTD_compress(packed, bound, bytes, size, LEVEL) : 0;

	if (!packed || ZSTD_isError(length)) {
		saving->failed = true;
	} else {
		frame_write_begin(saving->frame, PACKED_CONTROL);
		frame_write_uint(saving->frame, PACKED_CONTROL_NONCE, nonce);
		frame_write_uint(saving->frame, PACKED_CONTROL_BYTES, size);
		frame_write_binary(
			saving->frame, PACKED_CONTROL_RECORDS, packed, length);
		frame_write_end(saving->frame);
	}
	free(packed);
}

/* Of live_save: in pieces, which are put together again. */
static void save_records(
	void *closure, uint64_t nonce, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size > 0) {
		size_t piece =
			size < PACKED_CONTROL_MAX ? size : PACKED_CONTROL_MAX;

		put_records(closure, nonce, at, piece);
		at += piece;
		size -= piece;
	}
}

static void save_position(
	void *closure, uint64_t nonce, const struct live_position *position)
{
	struct saving *saving = closure;
	uint64_t *numbers;

	if (!array_reserve(
		    saving->numbers, saving->room, saving->count + NUMBERS)) {
		saving->failed = true;
		return;
	}
	numbers = saving->numbers + saving->count;
	saving->count += NUMBERS;
	numbers[0] = nonce;
	numbers[1] = position->writer;
	numbers[2] = position->sequence;
	numbers[3] = position->offset;
	numbers[4] = position->wall;
}

/* The last one ends the step. */
static void put_positions(struct saving *saving)
{
	size_t at = 0;

	do {
		size_t left = saving->count - at;
		size_t count = left < NUMBERS * WRITERS_MAX
				       ? left
				       : NUMBERS * WRITERS_MAX;
		struct render_buffer *list;

		frame_write_begin(saving->frame, PACKED_POSITION);
		frame_write_some(saving->frame, PACKED_POSITION_MORE,
			at + count < saving->count);
		list = frame_write_list(
			saving->frame, PACKED_POSITION_WRITERS, count);
		for (size_t end = at + count; at < end; at++)
			pack_value_uint(list, saving->numbers[at]);
		frame_write_end(saving->frame);
	} while (at < saving->count);
}

/*
 * Notes what has changed since the last time, or `all`, in frames that end
 * with the POSITION of a whole step.  False: out of memory.
 */
static bool follow_frames_save(
	struct frame_write *frame, struct live *live, bool all)
{
	struct saving saving = {.frame = frame};
	const struct live_save save = {
		.records = save_records,
		.position = save_position,
		.closure = &saving,
	};

	live_save(live, &save, all);
	put_positions(&saving);
	free(saving.numbers);
	return !saving.failed;
}

/*
 * Has the log written to disk beside everything else, since that may take as
 * long as the disk is busy, and captures grow meanwhile.  Promises nothing for
 * a power cut but that the log on disk is seldom more than a second or two
 * behind.
 */

static atomic_bool busy;

static void *run(void *fd)
{
	fdatasync((int)(intptr_t)fd);
	close((int)(intptr_t)fd);
	atomic_store(&busy, false);
	return NULL;
}

/* Begins with what `fd` has, unless it is at it still; returns at once. */
static void follow_sync(int fd)
{
	bool started = false;
	sigset_t all, before;
	pthread_t thread;
	int copy;

	if (atomic_exchange(&busy, true))
		return;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0) {
		/* Signals are for the thread that waits for them. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		started = pthread_create(&thread, NULL, run,
				  (void *)(intptr_t)copy) == 0;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	if (started) {
		pthread_detach(thread);
		return;
	}
	if (copy >= 0)
		close(copy);
	atomic_store(&busy, false);
}

#define PAUSE_FULL 1000 /* milliseconds */

/* The log is on disk this often. */
#define SYNC_NS 1000000000u

uint64_t follow_step_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void follow_step_sleep(int milliseconds)
{
	const struct timespec time = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = milliseconds % 1000 * 1000000L,
	};

	nanosleep(&time, NULL);
}

void follow_step_complain(const char *what, const char *why, const char *advice)
{
	sentence_say("binlog-pack: %s: %s: %s", what, why, advice);
}

/* Cannot go on. */
void follow_step_fail(struct follow *follow, const char *what, const char *why,
	const char *advice)
{
	follow_step_complain(what, why, advice);
	follow->failed = true;
}

void follow_step_fail_memory(struct follow *follow)
{
	follow_step_fail(follow, follow->options->directory, "out of memory",
		"start it again, it goes on where its log ends");
}

/* ---- writing ---- */

/* A full disk may have room again: the captures keep what was said. */
bool follow_step_write(struct follow *follow, bool whole)
{
	struct follow_log *log = &follow->log;
	bool told = false;

	while (!follow_log_write(log, whole)) {
		if (!told)
			follow_step_complain(log->path, strerror(log->failed),
				"waits and tries again; meanwhile the "
				"captures grow");
		told = true;
		if (*follow->stopped)
			return false;
		follow_step_sleep(PAUSE_FULL);
	}
	if (told)
		follow_step_complain(
			log->path, "written again", "nothing is lost");
	return true;
}

/* Everything that was given out so far is in the log, and said to be. */
static bool write_step(struct follow *follow, bool all)
{
	struct frame_write *frame = pack_frame(follow->pack);

	if (!pack_flush(follow->pack) ||
		!follow_frames_save(frame, follow->live, all) ||
		!pack_flush(follow->pack)) {
		follow_step_fail_memory(follow);
		return false;
	}
	follow->stepped = follow_step_now();
	if (follow_step_write(follow, true))
		return true;
	follow->failed = true;
	return false;
}

bool follow_step(struct follow *follow)
{
	uint64_t time;

	if (!write_step(follow, false))
		return false;
	time = follow_step_now();
	if (time - follow->synced >= SYNC_NS) {
		follow_sync(follow->log.fd);
		follow->synced = time;
	}
	live_release(follow->live, follow_space_take, follow_space_take_all,
		&follow->space);
	follow_space_settle(&follow->space);
	if (follow->space.failed != 0 && !follow->told_space) {
		follow_step_complain(follow->options->directory,
			strerror(follow->space.failed),
			"room of captures is not given back");
		follow->told_space = true;
	}
	follow->space.failed = 0;
	return true;
}

/* ---- files of the log ---- */

static bool begin_packing(struct follow *follow)
{
	follow->pack =
		pack_new(&follow->options->pack, follow_log_take, &follow->log);
	if (!follow->pack) {
		follow_step_fail_memory(follow);
		return false;
	}
	follow->space.log = pack_frame(follow->pack)->log;
	follow->begun = follow_step_now();
	return true;
}

static bool begin_file(struct follow *follow)
{
	struct frame_write *frame;

	if (!follow_log_open_next(&follow->log)) {
		follow_step_fail(follow, follow->log.path, strerror(errno),
			"choose another name, or move it away");
		return false;
	}
	if (!begin_packing(follow))
		return false;
	/* First in each file: it is one of a follower. */
	frame = pack_frame(follow->pack);
	frame_write_begin(frame, PACKED_POSITION);
	frame_write_uint(frame, PACKED_POSITION_MORE, 1);
	frame_write_end(frame);
	return write_step(follow, true);
}

bool follow_step_end(struct follow *follow)
{
	bool done = pack_end(follow->pack) && follow_step_write(follow, true);

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

bool follow_step_is_too_old(const struct follow *follow)
{
	uint64_t most = follow->options->rotate_seconds * 1000000000u;

	return most > 0 && follow_step_now() - follow->begun >= most;
}

bool follow_step_rotate(struct follow *follow)
{
	uint64_t most = follow->options->rotate_bytes;
	bool due = (most > 0 && follow->log.bytes >= most) ||
		   follow_step_is_too_old(follow) || *follow->rotated;

	if (!due || !pack_has_any(follow->pack))
		return true;
	/* From now on its files have numbers. */
	follow->log.rotates |= *follow->rotated;
	*follow->rotated = 0;
	return follow_step_end(follow) && begin_file(follow);
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
		follow_step_fail(follow, follow->log.path, strerror(errno),
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
		follow_step_fail(follow, follow->log.path, strerror(errno),
			"check its permissions");
	return good && begin_file(follow);
}

bool follow_step_open(struct follow *follow)
{
	struct follow_found found;
	const char *path = follow->log.path;

	if (!follow_log_find(&follow->log, 0))
		return begin_file(follow);
	if (!follow_back_look(path, &found)) {
		follow_step_fail(
			follow, path, strerror(errno), "check its permissions");
		return false;
	}
	if (!found.is_ours && !found.is_empty) {
		follow_step_fail(follow, path,
			"it is there, and not a log of --follow",
			"choose another name");
		return false;
	}
	if (found.whole == 0)
		return take_up_older(follow);
	if (!follow_back_recall(
		    path, found.whole, live_past_of(follow->live))) {
		follow_step_fail(
			follow, path, strerror(errno), "check its permissions");
		return false;
	}
	return go_on(follow, &found);
}
