#include "shim/capture_file.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include "record/prepared.h"
#include "shim/bytes.h"
#include "shim/clock.h"
#include "shim/environment.h"
#include "shim/growth.h"
#include "shim/sys.h"

/* Of the name of a capture until its header is written. */
#define FRESH_SUFFIX ".new"
/* Of all addresses, where a program may have only so many: RLIMIT_AS. */
#define ADDRESSES_LEAST ((size_t)1 << 20)

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

/*
 * The file is mapped in segments, each reaching sixteen times as far as the
 * one before, so that few addresses are taken of a program that says little.  A
 * segment begins so far before the end of the last one that every block is
 * whole in the one that its end is in.
 */
#define SEGMENTS 8
#define SEGMENT_FIRST ((uint64_t)8 << 20)
#define SEGMENT_GROWTH_SHIFT 4

/* Opened together where the file is as long as that. */
#define OPENED ((uint64_t)2 << 20)

struct segment {
	char *base;	/* null: not mapped yet */
	uint64_t start; /* the offset that is mapped at `base` */
	/* Up to this offset it may be used: what is not in the file yet would
	 * be looked at by tools that look at all memory, at the price of a
	 * SIGBUS each. */
	uint64_t open;
};

struct binlog_header *capture_file_header;

static uint64_t file_max;
static struct segment segments[SEGMENTS];

/* Blocks of this size and larger were not to be had at that time. */
static uint32_t failed_bytes;
static uint64_t failed_at;

/* One page of it, on disk from the beginning. */
static const char zeros[BINLOG_PAGE];

/* While no system call may be made: what was put by for that. */
static char *stock;

/* Some of the disk is left to the program, and to everybody else. */
static bool leaves_room(uint32_t size)
{
	struct statfs disk;
	uint64_t keep, unit;

	/* Some kinds of file systems do not tell: then writing will. */
	if (sys_failed(SYS2(statfs, growth_path(), &disk)) ||
		disk.f_blocks == 0)
		return true;
	unit = (uint64_t)(disk.f_frsize ? disk.f_frsize : disk.f_bsize);
	keep = disk.f_blocks * unit / KEEP_FREE_PART;
	if (keep > KEEP_FREE_MOST)
		keep = KEEP_FREE_MOST;
	return disk.f_bavail * unit >= keep + size;
}

/* ---- the mapping ---- */

/* Where a segment ends, were the file to grow without limit. */
static uint64_t end_of_segment(unsigned i)
{
	return SEGMENT_FIRST << i * SEGMENT_GROWTH_SHIFT;
}

static uint64_t start_of_segment(unsigned i)
{
	return i == 0 ? 0 : end_of_segment(i - 1) - BINLOG_BLOCK_MAX;
}

/* The program may have got a limit of its addresses since the last time. */
static uint64_t limited_end(unsigned i)
{
	uint64_t max = __atomic_load_n(&file_max, __ATOMIC_ACQUIRE);
	uint64_t share = sys_fair_share(max, ADDRESSES_LEAST) &
			 ~(uint64_t)(environment_page() - 1);

	if (share < max) {
		__atomic_store_n(&file_max, share, __ATOMIC_RELEASE);
		max = share;
	}
	return end_of_segment(i) < max ? end_of_segment(i) : max;
}

/*
 * Of what is mapped already the kernel gives another mapping, which reaches
 * further, without asking for the file: mremap(2), an old size of 0.
 */
static long map_further(unsigned i, uint64_t start, uint64_t bytes)
{
	const struct segment *last = &segments[i - 1];
	long address = SYS4(mremap, last->base + (start - last->start), 0,
		bytes, MREMAP_MAYMOVE);
	long fd;

	if (!sys_failed(address)) {
		SYS3(mprotect, address, bytes, PROT_NONE);
		return address;
	}
	fd = growth_open();
	if (sys_failed(fd))
		return fd;
	address = SYS6(mmap, 0, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE,
		fd, start);
	SYS1(close, fd);
	return address;
}

/* `fd` is used for the first segment only. */
static bool map_segment(unsigned i, long fd)
{
	struct segment *segment = &segments[i];
	uint64_t start = start_of_segment(i);
	uint64_t end = limited_end(i);
	char *expected = NULL;
	long address;

	if (start >= end)
		return false;
	address = i > 0 ? map_further(i, start, end - start)
			: SYS6(mmap, 0, end - start, PROT_NONE,
				  MAP_SHARED | MAP_NORESERVE, fd, start);
	if (sys_failed(address))
		return false;
	SYS3(madvise, address, end - start, MADV_DONTDUMP);
	/* A file of that size is filled in large pieces, which are cheaper; and
	 * not read ahead where there is nothing to be read yet. */
	if (i > 0)
		SYS3(madvise, address, end - start, MADV_HUGEPAGE);
	/* All who come here store the same. */
	__atomic_store_n(&segment->start, start, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&segment->base, &expected,
		    (char *)address, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		SYS2(munmap, address, end - start);
	return true;
}

/*
 * How far to open what has to be open up to `end`.  The kernel maps pieces that
 * it keeps together by one fault if all of it may be used.
 */
static uint64_t end_of_opening(uint64_t end, unsigned i)
{
	uint64_t wished = (end + OPENED - 1) & ~(OPENED - 1);

	return wished <= limited_end(i) && wished <= growth_size() ? wished
								   : end;
}

/* Where what ends at this offset is mapped, accessible; or null. */
static struct segment *open_up_to(uint64_t end)
{
	struct segment *segment;
	uint64_t now;
	unsigned i = 0;

	while (i < SEGMENTS && end_of_segment(i) < end)
		i++;
	if (i == SEGMENTS)
		return NULL;
	segment = &segments[i];
	for (unsigned j = 1; j <= i; j++)
		if (!__atomic_load_n(&segments[j].base, __ATOMIC_ACQUIRE) &&
			!map_segment(j, -1))
			return NULL;
	/* Only now it is known how much of it was mapped. */
	if (end > __atomic_load_n(&file_max, __ATOMIC_ACQUIRE))
		return NULL;
	if (end <= __atomic_load_n(&segment->open, __ATOMIC_ACQUIRE))
		return segment;
	end = end_of_opening(end, i);
	/* All up to `end`, so that it stays one mapping. */
	if (sys_failed(SYS3(mprotect, segment->base, end - segment->start,
		    PROT_READ | PROT_WRITE)))
		return NULL;
	now = __atomic_load_n(&segment->open, __ATOMIC_ACQUIRE);
	while (now < end &&
		!__atomic_compare_exchange_n(&segment->open, &now, end, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return segment;
}

/* Of what was cut off nothing more is known than one call that is in it. */
static void give_up(void)
{
	if (__atomic_exchange_n(&file_max, 0, __ATOMIC_ACQ_REL) != 0 &&
		growth_bytes() >= BINLOG_PAGE)
		__atomic_fetch_add(
			&capture_file_header->dropped, 1, __ATOMIC_RELAXED);
}

bool capture_file_mend(const void *address)
{
	const char *at = address;

	for (unsigned i = 0; i < SEGMENTS; i++) {
		const struct segment *segment = &segments[i];

		if (!segment->base || at < segment->base ||
			(uint64_t)(at - segment->base) >=
				segment->open - segment->start)
			continue;
		give_up();
		at -= (uintptr_t)at % environment_page();
		return !sys_failed(SYS6(mmap, at, environment_page(),
			PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	}
	return false;
}

/* ---- making it ---- */

/* All that the kernel would have to fill when the header is stored to. */
static bool write_page(int fd)
{
	uint32_t at;

	for (at = 0; at < environment_page(); at += BINLOG_PAGE)
		if (SYS4(pwrite64, fd, zeros, BINLOG_PAGE, at) != BINLOG_PAGE)
			return false;
	return true;
}

static bool set_up(int fd, const char *path, uint64_t max_bytes,
	const struct binlog_header *header)
{
	if (!growth_begin(fd, path, max_bytes) || !write_page(fd))
		return false;
	file_max = max_bytes;
	if (!map_segment(0, fd))
		return false;
	if (!open_up_to(BINLOG_PAGE)) {
		SYS2(munmap, segments[0].base, limited_end(0));
		segments[0].base = NULL;
		return false;
	}
	capture_file_header = (struct binlog_header *)segments[0].base;
	bytes_copy(capture_file_header, header, sizeof(*header));
	capture_file_header->next = environment_page();
	return true;
}

bool capture_file_create(const char *path, uint64_t max_bytes,
	const struct binlog_header *header)
{
	/* A reader that looks for captures sees whole ones only, also if we
	 * are killed in here. */
	static char fresh[4096 + sizeof(FRESH_SUFFIX)];
	struct bytes_text text = {fresh, sizeof(fresh), 0};
	bool made;
	long fd;

	bytes_put(&text, path);
	bytes_put(&text, FRESH_SUFFIX);
	fd = SYS4(openat, AT_FDCWD, fresh,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (sys_failed(fd))
		return false;
	SYS2(fchmod, fd, 0600); /* whatever the umask is */
	made = set_up((int)fd, path,
		       max_bytes & ~(uint64_t)(environment_page() - 1),
		       header) &&
	       !sys_failed(SYS4(renameat, AT_FDCWD, fresh, AT_FDCWD, path));
	SYS1(close, fd);
	if (made)
		return true;
	capture_file_header = NULL;
	SYS3(unlinkat, AT_FDCWD, fresh, 0);
	return false;
}

/* ---- the blocks ---- */

/*
 * Takes the next `size` bytes of the file; false: the cap is reached.  Large
 * blocks begin at a multiple of their size if they can: the kernel then keeps
 * each in one piece, and has it mapped by one fault.
 */
static bool take_range(uint32_t size, uint64_t *at)
{
	uint64_t *next = &capture_file_header->next;
	uint64_t gap =
		size < BINLOG_PREPARED_BLOCK ? 0 : BINLOG_PREPARED_BLOCK - 1;
	uint64_t start = __atomic_load_n(next, __ATOMIC_RELAXED);
	uint64_t max;

	do {
		max = __atomic_load_n(&file_max, __ATOMIC_RELAXED);
		if (start > max || size > max - start)
			return false;
		*at = (start + gap) & ~gap;
		if (*at > max || size > max - *at)
			*at = start;
	} while (!__atomic_compare_exchange_n(next, &start, *at + size, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

/* Mapped, accessible; or null. */
static char *place_of(uint64_t at, uint32_t size)
{
	const struct segment *segment = open_up_to(at + size);

	return segment ? segment->base + (at - segment->start) : NULL;
}

static void *take_fresh(uint32_t size, uint64_t *at)
{
	char *block = NULL;

	if (!leaves_room(size) || !take_range(size, at))
		return NULL;
	if (growth_reach(*at + size))
		block = place_of(*at, size);
	if (block && growth_back(block, *at, size))
		return block;
	/* Give the range back unless somebody has claimed the next one. */
	__atomic_compare_exchange_n(&capture_file_header->next,
		&(uint64_t){*at + size}, *at, false, __ATOMIC_RELAXED,
		__ATOMIC_RELAXED);
	return NULL;
}

static void *take_prepared(struct binlog_prepared *prepared)
{
	char *block;
	uint64_t at;

	if (!prepared_take(prepared, &at))
		return NULL;
	block = place_of(at, BINLOG_PREPARED_BLOCK);
	if (!block)
		prepared_give(prepared, at);
	return block;
}

/* Whoever prepares blocks for us; we do not wait for it. */
static void wake_helper(struct binlog_prepared *prepared)
{
	uint32_t wake = __atomic_load_n(&prepared->wake, __ATOMIC_SEQ_CST);

	if (wake > prepared_left(prepared) &&
		__atomic_exchange_n(&prepared->wake, 0, __ATOMIC_SEQ_CST) != 0)
		SYS6(futex, &prepared->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *take_piece(struct binlog_prepared *prepared)
{
	uint64_t at;
	char *piece = take_fresh(PIECE, &at);
	uint64_t end = at + PIECE;

	while (piece && (at += BINLOG_PREPARED_BLOCK) < end)
		prepared_give(prepared, at);
	return piece;
}

static void *take_large_block(void)
{
	struct binlog_prepared *prepared = prepared_of(capture_file_header);
	void *block = take_prepared(prepared);
	uint64_t at;

	if (!block && capture_file_header->next >= PIECES_FROM)
		block = take_piece(prepared);
	if (!block)
		block = take_fresh(BINLOG_PREPARED_BLOCK, &at);
	wake_helper(prepared);
	return block;
}

static void *take_block(uint32_t size)
{
	uint64_t at;

	return size == BINLOG_PREPARED_BLOCK ? take_large_block()
					     : take_fresh(size, &at);
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
	if (capture_file_header && !stock)
		stock = take_block(BINLOG_BLOCK_MAX);
}

void *capture_file_claim(uint32_t size)
{
	uint32_t failed = __atomic_load_n(&failed_bytes, __ATOMIC_RELAXED);
	void *block;

	if (!capture_file_header)
		return NULL;
	if (unlikely(sys_forbidden))
		return take_from_stock(size);
	if (failed && size >= failed && clock_ticks() - failed_at < PAUSE_TICKS)
		return NULL;
	block = take_block(size);
	if (block && failed)
		__atomic_store_n(&failed_bytes, 0, __ATOMIC_RELAXED);
	if (block)
		return block;
	failed_at = clock_ticks();
	if (!failed || size < failed)
		__atomic_store_n(&failed_bytes, size, __ATOMIC_RELAXED);
	return NULL;
}
