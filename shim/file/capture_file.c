#include "shim/file/capture_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "record/prepared.h"
#include "shim/file/growth.h"
#include "shim/file/lease.h"
#include "shim/file/quota.h"
#include "shim/file/segment.h"
#include "shim/host/above.h"
#include "shim/host/bytes.h"
#include "shim/host/clock.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"

/*
 * Whether a path can be relied upon: captures are lengthened by their paths,
 * see growth.h, and by then somebody else may have put another file there.
 * Called when a capture is made.  No lock, async-signal-safe.
 */

/* Access control lists show in the bits of the group. */
static bool is_closed(const char *directory, uid_t user)
{
	struct stat st;

	return !sys_failed(SYS4(newfstatat, AT_FDCWD, directory, &st,
		       AT_SYMLINK_NOFOLLOW)) &&
	       S_ISDIR(st.st_mode) && (st.st_uid == user || st.st_uid == 0) &&
	       (!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
}

/*
 * Nobody but this user and root can change what the absolute path leads to, or
 * any directory on the way: each is no link, is owned by one of them, and in it
 * others may make nothing, or remove nothing of ours (sticky).  `path` is
 * changed, and as it was afterwards.
 */
static bool place_is_ours(char *path)
{
	uid_t user = (uid_t)SYS0(geteuid);
	bool ours = true;

	for (size_t i = 0; ours && path[i]; i++) {
		size_t end = i == 0 ? 1 : i;
		char next = path[end];

		if (path[i] != '/')
			continue;
		path[end] = '\0';
		ours = is_closed(path, user);
		path[end] = next;
	}
	return ours;
}

/* Of the name of a capture until its header is written. */
#define FRESH_SUFFIX ".new"
/* Of the capture, and of its directory. */
#define MODE 0600
#define MODE_DIRECTORY 0700

/*
 * Of the file system, this part stays free, but no more than so much: a
 * program that fills the disk by its own text may be rotating its logs.
 */
#define KEEP_FREE_PART 32u
#define KEEP_FREE_MOST ((uint64_t)64 << 20)

/*
 * A file that is large already gets so many bytes at once, of which one block
 * is needed: that saves most of the system calls, and a part of the kernel's
 * work.
 */
#define PIECE BINLOG_BLOCK_MAX
#define PIECES_FROM (4 * (uint64_t)PIECE)

/* What has failed is tried again after 2^22 ticks, 1 to 4 ms: on a full disk
 * each call would make some system calls in vain. */
#define PAUSE_TICKS ((uint64_t)1 << 22)

struct binlog_header *capture_file_header;
uint32_t capture_file_number;

/* The next one, while it is made. */
static struct binlog_header *next_header;
static uint64_t next_born_bytes;

/* Claims that are under way in this process; and: they wait, since another file
 * is about to take the place of this one. */
static uint32_t claims;
static bool is_turning;
/* So long they do, and it waits for them. */
#define TURN_TRIES 2000u
#define TURN_NS 50000

/* Of the end of the file so much is kept back for capture_file_claim_last(). */
static uint64_t kept_back;
static uint64_t last_failed_at; /* ticks; 0: it has not */

/* Blocks of this size and larger were not to be had at that time. */
static uint32_t failed_bytes;
static uint64_t failed_at;

/* Other memory is mapped where a block of the file was, see writer.c. */
static bool keeps_off;

/*
 * On disk from the beginning: the header page, and a block for programs that
 * say little, for which nothing more has to be done then.
 */
#define BORN_BLOCK BINLOG_PAGE
#define PAGE_MOST 65536u /* of any kernel */
static const char zeros[BINLOG_PAGE];
static uint64_t born_bytes;

/* While no system call may be made: what was put by for that. */
static char *stock;

/* Some of the disk is left to the program, and to everybody else.  Some kinds
 * of file systems do not tell: then writing will. */
static bool leaves_room(
	long stat_result, const struct statfs *disk, uint64_t size)
{
	uint64_t keep, unit;

	if (sys_failed(stat_result) || disk->f_blocks == 0)
		return true;
	unit = (uint64_t)(disk->f_frsize ? disk->f_frsize : disk->f_bsize);
	keep = disk->f_blocks * unit / KEEP_FREE_PART;
	if (keep > KEEP_FREE_MOST)
		keep = KEEP_FREE_MOST;
	return disk->f_bavail * unit >= keep + size;
}

/*
 * Of what was cut off nothing more is known than one call that is in it.  Where
 * the header page is gone as well all who look at it are told by that.
 */
static void give_up(void)
{
	if (!segment_close() || growth_bytes() < BINLOG_PAGE)
		return;
	__atomic_fetch_add(&capture_file_header->dropped, 1, __ATOMIC_RELAXED);
	above.file_ends();
}

/* In one step: others may be looking at what is in the page. */
static bool replace_page(const char *page)
{
	size_t size = environment_page();
	long fresh = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (sys_failed(fresh))
		return false;
	if (page == (const char *)capture_file_header)
		above.header_ends((struct binlog_header *)fresh);
	return !sys_failed(SYS6(mremap, fresh, size, size,
		MREMAP_MAYMOVE | MREMAP_FIXED, page, 0));
}

bool capture_file_mend(const void *address)
{
	const char *page =
		(const char *)address - (uintptr_t)address % environment_page();

	if (segment_has(address))
		give_up();
	else if (!segment_had(address))
		return false;
	return replace_page(page);
}

/* ---- making it ---- */

static bool write_first(int fd, uint64_t max_bytes)
{
	uint64_t wanted = environment_page() + BORN_BLOCK;
	struct iovec parts[PAGE_MOST / BINLOG_PAGE + 1];
	struct statfs disk;
	int count = 0;
	long written;

	if (wanted > max_bytes ||
		!leaves_room(SYS2(fstatfs, fd, &disk), &disk, BORN_BLOCK))
		wanted = environment_page();
	for (; (uint64_t)count < wanted / BINLOG_PAGE; count++) {
		parts[count].iov_base = (void *)(uintptr_t)zeros;
		parts[count].iov_len = sizeof(zeros);
	}
	written = SYS6(pwritev, fd, parts, count, 0, 0, 0);
	if (sys_failed(written) || (uint64_t)written < environment_page())
		return false;
	next_born_bytes = (uint64_t)written;
	return true;
}

static bool set_up(int fd, char *path, uint64_t max_bytes,
	const struct binlog_header *header)
{
	bool another = capture_file_header != NULL;
	struct stat st;
	uint64_t size = 0;

	next_header = NULL;
	if (!sys_failed(SYS2(fstat, fd, &st)))
		size = growth_begin(
			fd, &st, path, max_bytes, place_is_ours(path), another);
	if (size == 0 || !write_first(fd, max_bytes))
		return false;
	/* Whatever the umask is. */
	if ((st.st_mode & ALLPERMS) != MODE)
		SYS2(fchmod, fd, MODE);
	next_header = segment_begin(fd, size, max_bytes);
	if (!next_header)
		return false;
	bytes_copy(next_header, header, sizeof(*header));
	growth_share(next_header, another);
	next_header->next = environment_page();
	return true;
}

/* What was there before is kept: who has failed may have mapped nothing yet. */
static void undo(void)
{
	if (!next_header)
		return;
	segment_undo(capture_file_header != NULL);
	next_header = NULL;
}

/* Of a descriptor of ours another thread may have made something else's (dup2),
 * which is not ours to close. */
static void close_file(int fd)
{
	struct stat st, named;

	if (capture_file_header && !host_is_single_threaded() &&
		(sys_failed(SYS2(fstat, fd, &st)) ||
			sys_failed(
				SYS4(newfstatat, AT_FDCWD, growth_next_path(),
					&named, AT_SYMLINK_NOFOLLOW)) ||
			st.st_dev != named.st_dev || st.st_ino != named.st_ino))
		return;
	SYS1(close, fd);
}

/* Not by its path, which may be a link by now. */
void capture_file_make_directory(const char *path)
{
	char name[32];
	struct bytes_text text = {name, sizeof(name), 0};
	struct stat st;
	long fd;

	if (sys_failed(SYS3(mkdirat, AT_FDCWD, path, MODE_DIRECTORY)))
		return;
	fd = SYS4(openat, AT_FDCWD, path,
		O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return;
	bytes_put(&text, "/proc/self/fd/");
	bytes_put_number(&text, (uint64_t)fd, 10);
	if (!sys_failed(SYS2(fstat, fd, &st)) &&
		(st.st_mode & ALLPERMS) != MODE_DIRECTORY)
		SYS3(fchmodat, AT_FDCWD, name, MODE_DIRECTORY);
	SYS1(close, fd);
}

/* In the directory, so many bytes of the path, which is made if need be. */
static long open_unnamed(char *path, size_t directory)
{
	long fd;

	path[directory] = '\0';
	fd = SYS4(openat, AT_FDCWD, path, O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
	if (fd == -ENOENT) {
		capture_file_make_directory(path);
		fd = SYS4(openat, AT_FDCWD, path,
			O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
	}
	path[directory] = '/';
	return fd;
}

/* By its descriptor; older kernels want that to be a path. */
static bool give_name(int fd, const char *path)
{
	char name[32];
	struct bytes_text text = {name, sizeof(name), 0};

	if (!sys_failed(SYS6(linkat, fd, "", AT_FDCWD, path, AT_EMPTY_PATH, 0)))
		return true;
	bytes_put(&text, "/proc/self/fd/");
	bytes_put_number(&text, (uint64_t)fd, 10);
	return !sys_failed(SYS6(
		linkat, AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW, 0));
}

/*
 * A reader that looks for captures sees whole ones only, also if we are killed
 * in here: so it has no name before its header is written.
 */
static bool make_unnamed(
	char *path, uint64_t max_bytes, const struct binlog_header *header)
{
	size_t directory = bytes_length(path);
	bool made;
	long fd;

	while (directory > 0 && path[directory] != '/')
		directory--;
	fd = open_unnamed(path, directory);
	if (sys_failed(fd))
		return false;
	made = set_up((int)fd, path, max_bytes, header) &&
	       give_name((int)fd, path);
	if (made)
		close_file((int)fd);
	else
		SYS1(close, fd);
	if (!made)
		undo();
	return made;
}

/* Or, on file systems that cannot do so, a name that readers do not look for.
 */
static bool make_renamed(
	char *path, uint64_t max_bytes, const struct binlog_header *header)
{
	static char fresh[CAPTURE_FILE_PATH + sizeof(FRESH_SUFFIX)];
	struct bytes_text text = {fresh, sizeof(fresh), 0};
	bool made;
	long fd;

	bytes_put(&text, path);
	bytes_put(&text, FRESH_SUFFIX);
	fd = SYS4(openat, AT_FDCWD, fresh,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (sys_failed(fd))
		return false;
	made = set_up((int)fd, path, max_bytes, header) &&
	       !sys_failed(SYS4(renameat, AT_FDCWD, fresh, AT_FDCWD, path));
	if (made) {
		close_file((int)fd);
		return true;
	}
	SYS1(close, fd);
	undo();
	SYS3(unlinkat, AT_FDCWD, fresh, 0);
	return false;
}

void capture_file_make_room(char *path)
{
	if (quota_is_set() && place_is_ours(path))
		quota_fit(path);
}

bool capture_file_create(
	char *path, uint64_t max_bytes, const struct binlog_header *header)
{
	if (!capture_file_prepare(path, max_bytes, header))
		return false;
	capture_file_header = next_header;
	born_bytes = next_born_bytes;
	return true;
}

struct binlog_header *capture_file_prepare(
	char *path, uint64_t max_bytes, const struct binlog_header *header)
{
	max_bytes &= ~(uint64_t)(environment_page() - 1);
	return make_unnamed(path, max_bytes, header) ||
			       make_renamed(path, max_bytes, header)
		       ? next_header
		       : NULL;
}

bool capture_file_may_begin(const char *directory, uint64_t bytes)
{
	struct statfs disk;
	long result = SYS2(statfs, directory, &disk);

	return !sys_failed(result) && leaves_room(result, &disk, bytes);
}

/* ---- sharing another's ---- */

static bool is_shareable(long stat_result, const struct stat *st)
{
	return !sys_failed(stat_result) && S_ISREG(st->st_mode) &&
	       (st->st_mode & ALLPERMS) == MODE && st->st_nlink == 1 &&
	       st->st_uid == (uid_t)SYS0(geteuid) &&
	       st->st_size >= environment_page();
}

/*
 * A capture that nobody has mapped has ended: readers may have read all of it,
 * and removed it.  A lease is refused while somebody has.
 */
static bool is_mapped_by_others(const char *path, struct stat *st)
{
	long fd = SYS4(openat, AT_FDCWD, path,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	bool mapped;

	if (sys_failed(fd))
		return false;
	mapped = is_shareable(SYS2(fstat, fd, st), st) &&
		 lease_take((int)fd) == -EAGAIN;
	SYS1(close, fd);
	return mapped;
}

static struct binlog_header *map_shared(
	const char *path, struct stat *st, uint64_t max_bytes)
{
	long fd = SYS4(openat, AT_FDCWD, path,
		O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct binlog_header *header = NULL;
	struct stat now;

	if (sys_failed(fd))
		return NULL;
	if (is_shareable(SYS2(fstat, fd, &now), &now) &&
		now.st_dev == st->st_dev && now.st_ino == st->st_ino)
		header = segment_begin(
			(int)fd, (uint64_t)now.st_size, max_bytes);
	*st = now;
	SYS1(close, fd);
	return header;
}

bool capture_file_join(char *path, uint64_t max_bytes,
	bool (*fits)(const struct binlog_header *header))
{
	struct binlog_header *header;
	uint64_t born = environment_page() + BORN_BLOCK;
	struct stat st;

	max_bytes &= ~(uint64_t)(environment_page() - 1);
	if (!place_is_ours(path) || !is_mapped_by_others(path, &st))
		return false;
	header = map_shared(path, &st, max_bytes);
	if (!header)
		return false;
	if (!fits(header)) {
		segment_undo(false);
		return false;
	}
	growth_join(header, &st, path, max_bytes);
	/* Its first block may be there still. */
	born_bytes = (uint64_t)st.st_blocks * 512 >= born ? born
							  : environment_page();
	capture_file_header = header;
	return true;
}

/* ---- from one to the next ---- */

static bool wait_a_moment(unsigned *tries)
{
	static const struct timespec moment = {0, TURN_NS};

	if (*tries == 0)
		return false;
	--*tries;
	SYS2(nanosleep, &moment, NULL);
	return true;
}

struct binlog_header *capture_file_current(uint32_t *number)
{
	unsigned tries = TURN_TRIES;
	struct binlog_header *header;

	do {
		*number =
			__atomic_load_n(&capture_file_number, __ATOMIC_SEQ_CST);
		header =
			__atomic_load_n(&capture_file_header, __ATOMIC_SEQ_CST);
	} while ((__atomic_load_n(&is_turning, __ATOMIC_SEQ_CST) ||
			 *number != __atomic_load_n(&capture_file_number,
					    __ATOMIC_SEQ_CST)) &&
		 wait_a_moment(&tries));
	return header;
}

static void end_claim(void)
{
	__atomic_fetch_sub(&claims, 1, __ATOMIC_SEQ_CST);
}

/* With signals blocked.  False: another file is used by now, or is about to be,
 * and that takes too long. */
static bool begin_claim_of(uint32_t number)
{
	unsigned tries = TURN_TRIES;

	do {
		__atomic_fetch_add(&claims, 1, __ATOMIC_SEQ_CST);
		if (likely(!__atomic_load_n(&is_turning, __ATOMIC_SEQ_CST) &&
			    __atomic_load_n(&capture_file_number,
				    __ATOMIC_SEQ_CST) == number))
			return true;
		end_claim();
	} while (__atomic_load_n(&capture_file_number, __ATOMIC_SEQ_CST) ==
			 number &&
		 wait_a_moment(&tries));
	/* Whoever is at it will not come back. */
	if (tries == 0)
		capture_file_go_on();
	return false;
}

static bool begin_claim(void)
{
	return begin_claim_of(
		__atomic_load_n(&capture_file_number, __ATOMIC_SEQ_CST));
}

bool capture_file_stop(void)
{
	unsigned tries = TURN_TRIES;

	__atomic_store_n(&is_turning, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&claims, __ATOMIC_SEQ_CST) > 0)
		if (!wait_a_moment(&tries)) {
			capture_file_go_on();
			return false;
		}
	return true;
}

void capture_file_go_on(void)
{
	__atomic_store_n(&is_turning, false, __ATOMIC_SEQ_CST);
}

void capture_file_drop(const char *path)
{
	undo();
	SYS3(unlinkat, AT_FDCWD, path, 0);
}

unsigned capture_file_turn(struct segment_range range[SEGMENT_RANGES])
{
	unsigned count = segment_turn(range);

	growth_turn();
	born_bytes = next_born_bytes;
	stock = NULL;
	keeps_off = false;
	__atomic_store_n(&last_failed_at, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&failed_bytes, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&capture_file_header, next_header, __ATOMIC_RELEASE);
	__atomic_fetch_add(&capture_file_number, 1, __ATOMIC_SEQ_CST);
	return count;
}

void capture_file_is_child(void)
{
	__atomic_store_n(&claims, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&is_turning, false, __ATOMIC_RELAXED);
}

void capture_file_keep_back(uint64_t bytes)
{
	kept_back = bytes;
}

/* ---- the blocks ---- */

/*
 * Takes the next `size` bytes of the file; false: the cap is reached.  Large
 * blocks begin at a multiple of their size if they can: the kernel then keeps
 * each in one piece, and has it mapped by one fault.
 */
static bool take_range(uint32_t size, uint64_t back, uint64_t *at)
{
	uint64_t *next = &capture_file_header->next;
	uint64_t gap =
		size < BINLOG_PREPARED_BLOCK ? 0 : BINLOG_PREPARED_BLOCK - 1;
	uint64_t start = __atomic_load_n(next, __ATOMIC_RELAXED);
	uint64_t max;

	do {
		max = segment_limit();
		max = max > back ? max - back : 0;
		/* Zero where the page is new: it was cut off. */
		if (start == 0 || start > max || size > max - start)
			return false;
		*at = (start + gap) & ~gap;
		/* *at is less than start + size */
		if (size > max - *at)
			*at = start;
	} while (!__atomic_compare_exchange_n(next, &start, *at + size, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

/*
 * Of what was made longer after it was cut to somewhere before `at`, a block
 * may have its beginning still: where that cut was.  Pages behind the last that
 * has anything are of no use to anybody.
 */
static uint64_t end_of_rest(uint64_t at)
{
	uint64_t least = at > BINLOG_BLOCK_MAX ? at - BINLOG_BLOCK_MAX : 0;

	for (; at > least && at > BINLOG_PAGE; at -= BINLOG_PAGE) {
		const char *page = segment_place(at - BINLOG_PAGE, BINLOG_PAGE);

		if (!page || sys_readable(page, BINLOG_PAGE) == 0 ||
			memcmp(page, zeros, sizeof(zeros)) != 0)
			break;
	}
	return at;
}

/* There are zeros from there on where blocks were; 0: not that anybody knows.
 */
static void end_at(uint64_t at)
{
	uint64_t end = at != 0 ? end_of_rest(at) : 0;

	give_up();
	if (end != 0)
		growth_cut(end);
}

static void *take_fresh_before(uint32_t size, uint64_t back, uint64_t *at)
{
	struct statfs disk;
	char *block = NULL;

	if (!leaves_room(SYS2(statfs, growth_path(), &disk), &disk, size) ||
		!take_range(size, back, at))
		return NULL;
	if (growth_reach(*at + size))
		block = segment_place(*at, size);
	if (block && growth_back(block, *at, size))
		return block;
	if (growth_was_cut())
		end_at(growth_cut_again());
	/* Give the range back unless somebody has claimed the next one. */
	__atomic_compare_exchange_n(&capture_file_header->next,
		&(uint64_t){*at + size}, *at, false, __ATOMIC_RELAXED,
		__ATOMIC_RELAXED);
	return NULL;
}

static void *take_fresh(uint32_t size, uint64_t *at)
{
	return take_fresh_before(size, kept_back, at);
}

void capture_file_keep_off(void)
{
	keeps_off = true;
}

bool capture_file_keeps_off(void)
{
	return keeps_off;
}

uint64_t capture_file_offset(const void *block)
{
	return segment_offset(block);
}

char *capture_file_place(uint64_t offset, uint32_t size)
{
	return segment_place(offset, size);
}

static void *take_prepared(struct binlog_prepared *prepared)
{
	char *block;
	uint64_t at;

	if (keeps_off || !prepared_take(prepared, &at))
		return NULL;
	block = segment_place(at, BINLOG_PREPARED_BLOCK);
	if (!block)
		prepared_give(prepared, at);
	return block;
}

static void *take_piece(struct binlog_prepared *prepared)
{
	uint64_t at;
	char *piece = take_fresh(PIECE, &at);
	uint64_t end;

	if (!piece)
		return NULL;
	end = at + PIECE;
	while ((at += BINLOG_PREPARED_BLOCK) < end)
		prepared_give(prepared, at);
	return piece;
}

static void *take_large_block(void)
{
	struct binlog_prepared *prepared = prepared_of(capture_file_header);
	void *block = take_prepared(prepared);
	uint64_t at;

	if (!block && !keeps_off &&
		__atomic_load_n(&capture_file_header->next, __ATOMIC_RELAXED) >=
			PIECES_FROM)
		block = take_piece(prepared);
	if (!block)
		block = take_fresh(BINLOG_PREPARED_BLOCK, &at);
	return block;
}

/*
 * Most threads, children and programs that share a capture say little: of their
 * first blocks several are claimed at once, which saves the others the system
 * calls, 15 us.
 */
#define PAGES_AT_ONCE 8u

static void *take_from_pages(uint64_t *pages)
{
	uint64_t now = __atomic_load_n(pages, __ATOMIC_ACQUIRE);

	while (now & 0xffff)
		if (__atomic_compare_exchange_n(pages, &now,
			    ((now >> 16) + 1) << 16 | ((now & 0xffff) - 1),
			    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return segment_place(
				(now >> 16) * BINLOG_PAGE, BINLOG_PAGE);
	return NULL;
}

/* Null: there is no room for more than one. */
static void *take_page(void)
{
	uint64_t *pages = &prepared_of(capture_file_header)->pages;
	char *block = keeps_off ? NULL : take_from_pages(pages);
	uint64_t at, none;

	if (block || keeps_off)
		return block;
	block = take_fresh(PAGES_AT_ONCE * BINLOG_PAGE, &at);
	none = __atomic_load_n(pages, __ATOMIC_ACQUIRE);
	/* Somebody else may have been as fast: then the others are not used. */
	if (block && (none & 0xffff) == 0)
		__atomic_compare_exchange_n(pages, &none,
			(at / BINLOG_PAGE + 1) << 16 | (PAGES_AT_ONCE - 1),
			false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return block;
}

/* Where the file may not grow any more, a small one can have the place of one
 * that was packed and freed. */
static void *take_block(uint32_t size)
{
	void *block = NULL;
	uint64_t at;

	if (size == BINLOG_PREPARED_BLOCK)
		return take_large_block();
	if (size == BINLOG_PAGE)
		block = take_page();
	if (!block)
		block = take_fresh(size, &at);
	if (!block && size < BINLOG_PREPARED_BLOCK)
		block = take_prepared(prepared_of(capture_file_header));
	return block;
}

/* Right behind the header page, if nobody has claimed anything. */
static void *take_born(uint32_t size)
{
	uint64_t next = environment_page();

	return size <= born_bytes - next &&
			       __atomic_compare_exchange_n(
				       &capture_file_header->next, &next,
				       next + size, false, __ATOMIC_RELAXED,
				       __ATOMIC_RELAXED)
		       ? (char *)capture_file_header + next
		       : NULL;
}

static void *take_from_stock(uint32_t size)
{
	uint64_t at;

	if (!stock)
		return NULL;
	at = __atomic_fetch_add(growth_shared(), size, __ATOMIC_RELAXED);
	return at <= BINLOG_BLOCK_MAX - size ? stock + at : NULL;
}

void capture_file_stock(void)
{
	if (!capture_file_header || stock || !begin_claim())
		return;
	stock = take_block(BINLOG_BLOCK_MAX);
	end_claim();
}

void *capture_file_claim_last(uint32_t number, uint32_t size)
{
	void *block;
	uint64_t at;

	if (sys_forbidden ||
		(last_failed_at &&
			clock_ticks() - last_failed_at < PAUSE_TICKS) ||
		!begin_claim_of(number))
		return NULL;
	block = take_fresh_before(size, 0, &at);
	__atomic_store_n(
		&last_failed_at, block ? 0 : clock_ticks(), __ATOMIC_RELAXED);
	end_claim();
	return block;
}

void *capture_file_claim(uint32_t size)
{
	return capture_file_claim_of(
		__atomic_load_n(&capture_file_number, __ATOMIC_SEQ_CST), size);
}

void *capture_file_claim_of(uint32_t number, uint32_t size)
{
	uint32_t failed = __atomic_load_n(&failed_bytes, __ATOMIC_RELAXED);
	void *block;

	if (!capture_file_header)
		return NULL;
	if (unlikely(sys_forbidden))
		return take_from_stock(size);
	if (failed && size >= failed && clock_ticks() - failed_at < PAUSE_TICKS)
		return NULL;
	if (!begin_claim_of(number))
		return NULL;
	block = take_born(size);
	if (!block)
		block = take_block(size);
	end_claim();
	if (block && failed)
		__atomic_store_n(&failed_bytes, 0, __ATOMIC_RELAXED);
	if (block)
		return block;
	failed_at = clock_ticks();
	if (!failed || size < failed)
		__atomic_store_n(&failed_bytes, size, __ATOMIC_RELAXED);
	return NULL;
}

void capture_file_was_cut(uint32_t number, uint64_t at)
{
	if (!begin_claim_of(number))
		return;
	end_at(at);
	end_claim();
}

char *capture_file_note(uint32_t kind, size_t bytes, uint64_t *at)
{
	const size_t heads = sizeof(struct binlog_block) +
			     sizeof(struct binlog_control_head);
	struct binlog_control_head *head;
	struct binlog_block *block;
	uint32_t size = environment_page();

	while (size < BINLOG_BLOCK_MAX && size - heads - 8 < bytes)
		size *= 2;
	if (!capture_file_header || size - heads - 8 < bytes || !begin_claim())
		return NULL;
	block = take_fresh(size, at);
	end_claim();
	if (!block)
		return NULL;
	block->size = size;
	block->nonce = capture_file_header->nonce;
	block->pid = capture_file_header->pid;
	block->writer = __atomic_fetch_add(
		&capture_file_header->next_writer, 1, __ATOMIC_RELAXED);
	clock_anchor(&block->anchor);
	head = (struct binlog_control_head *)(block + 1);
	head->size = (uint32_t)((sizeof(*head) + bytes + 3) & ~(size_t)3);
	head->kind = kind;
	__atomic_store_n(&block->magic, BINLOG_BLOCK_MAGIC, __ATOMIC_RELEASE);
	__atomic_fetch_add(
		&capture_file_header->published, size, __ATOMIC_RELEASE);
	*at += heads;
	return (char *)(head + 1);
}
