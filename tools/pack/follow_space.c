#include "tools/pack/follow_space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "record/prepared.h"
#include "tools/live/page_guard.h"

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

void follow_space_take(void *closure, struct recording *recording,
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

void follow_space_settle(struct follow_space *space)
{
	size_t i;

	for (i = 0; i < space->count; i++)
		settle_file(space, &space->files[i]);
}

/* ---- the end ---- */

bool follow_space_take_all(void *closure, struct recording *recording)
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
