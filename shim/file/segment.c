#include "shim/file/segment.h"

#include <sys/mman.h>

#include "record/layout.h"
#include "shim/file/growth.h"
#include "shim/host/environment.h"
#include "shim/host/sys.h"

/* Of all addresses, where a program may have only so many: RLIMIT_AS. */
#define ADDRESSES_LEAST ((size_t)1 << 20)

/*
 * The first segment is what a file has at first, and enough for most programs.
 * Of the others each reaches sixteen times as far as the one before, and begins
 * so far before its end that every block is whole in the one that its end is
 * in.
 */
#define SEGMENTS SEGMENT_RANGES
#define FIRST ((uint64_t)128 << 10)
#define SECOND ((uint64_t)8 << 20)
#define GROWTH_SHIFT 4
_Static_assert(FIRST <= ADDRESSES_LEAST, "the first is always to be had");
/* From this one on files are large. */
#define LARGE 2u

/* Opened together where the file is as long as that. */
#define OPENED ((uint64_t)2 << 20)

struct segment {
	char *base; /* null: not mapped yet */
	/* Up to this offset it may be used: what is not in the file yet would
	 * be looked at by tools that look at all memory, at the price of a
	 * SIGBUS each. */
	uint64_t open;
};

/* Of a capture: the one that is used, and the one before it or the next one. */
struct mapped {
	uint64_t limit;
	struct segment segments[SEGMENTS];
};

static struct mapped all[2];
static struct mapped *used = &all[0];

static struct mapped *now(void)
{
	return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

static struct mapped *other(void)
{
	return now() == &all[0] ? &all[1] : &all[0];
}

/* Where a segment ends, were the file to grow without limit. */
static uint64_t end_of(unsigned i)
{
	return i == 0 ? FIRST : SECOND << (i - 1) * GROWTH_SHIFT;
}

static uint64_t start_of(unsigned i)
{
	uint64_t before = i == 0 ? 0 : end_of(i - 1);

	return before < BINLOG_BLOCK_MAX ? 0 : before - BINLOG_BLOCK_MAX;
}

static char *base_of(const struct mapped *of, unsigned i)
{
	return __atomic_load_n(&of->segments[i].base, __ATOMIC_ACQUIRE);
}

/* The program may have got a limit of its addresses since the last time, but
 * not of less than the first segment has. */
static uint64_t limited_end(struct mapped *of, unsigned i)
{
	uint64_t max = __atomic_load_n(&of->limit, __ATOMIC_ACQUIRE);
	uint64_t share;

	if (i == 0)
		return FIRST < max ? FIRST : max;
	share = sys_fair_share(max, ADDRESSES_LEAST) &
		~(uint64_t)(environment_page() - 1);
	if (share < max) {
		__atomic_store_n(&of->limit, share, __ATOMIC_RELEASE);
		max = share;
	}
	return end_of(i) < max ? end_of(i) : max;
}

/* All of it can be used, as one mapping, if the file reaches that far. */
void *segment_begin(int fd, uint64_t size, uint64_t max_bytes)
{
	struct mapped *of = base_of(now(), 0) ? other() : now();
	struct segment *first = &of->segments[0];
	uint64_t end, open;
	long address;

	*of = (struct mapped){.limit = max_bytes};
	end = limited_end(of, 0);
	open = (size + environment_page() - 1) & -(uint64_t)environment_page();
	if (open > end)
		open = end;
	address = SYS6(mmap, 0, end, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (sys_failed(address))
		return NULL;
	if (open < end && sys_failed(SYS3(mprotect, address + (long)open,
				  end - open, PROT_NONE))) {
		SYS2(munmap, address, end);
		return NULL;
	}
	first->open = open;
	first->base = (char *)address;
	return first->base;
}

void segment_undo(bool next)
{
	struct mapped *of = next ? other() : now();

	if (of->segments[0].base)
		SYS2(munmap, of->segments[0].base, limited_end(of, 0));
	of->segments[0].base = NULL;
}

unsigned segment_turn(struct segment_range range[SEGMENT_RANGES])
{
	struct mapped *of = now();
	unsigned count = 0;

	for (unsigned i = 0; i < SEGMENTS; i++) {
		char *base = base_of(of, i);

		if (!base)
			continue;
		range[count].address = base;
		range[count++].bytes = limited_end(of, i) - start_of(i);
	}
	__atomic_store_n(&used, other(), __ATOMIC_RELEASE);
	return count;
}

/*
 * Of what is mapped already the kernel gives another mapping, which reaches
 * further, without asking for the file: mremap(2), an old size of 0.
 */
static long map_further(
	struct mapped *of, unsigned i, uint64_t start, uint64_t bytes)
{
	long address = SYS4(mremap,
		base_of(of, i - 1) + (start - start_of(i - 1)), 0, bytes,
		MREMAP_MAYMOVE);
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

static bool map(struct mapped *of, unsigned i)
{
	uint64_t start = start_of(i);
	uint64_t end = limited_end(of, i);
	char *expected = NULL;
	long address;

	if (start >= end)
		return false;
	address = map_further(of, i, start, end - start);
	if (sys_failed(address))
		return false;
	/* A file of that size is filled in large pieces, which are cheaper; and
	 * not read ahead where there is nothing to be read yet. */
	if (i >= LARGE)
		SYS3(madvise, address, end - start, MADV_HUGEPAGE);
	if (!__atomic_compare_exchange_n(&of->segments[i].base, &expected,
		    (char *)address, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		SYS2(munmap, address, end - start);
	return true;
}

/*
 * How far to open what has to be open up to `end`.  The kernel maps pieces that
 * it keeps together by one fault if all of it may be used.
 */
static uint64_t end_of_opening(struct mapped *of, uint64_t end, unsigned i)
{
	uint64_t wished = (end + OPENED - 1) & ~(OPENED - 1);

	return wished <= limited_end(of, i) && wished <= growth_size() ? wished
								   : end;
}

static bool open_up_to(struct mapped *of, uint64_t end, unsigned i)
{
	struct segment *segment = &of->segments[i];
	uint64_t now = __atomic_load_n(&segment->open, __ATOMIC_ACQUIRE);

	if (end <= now)
		return true;
	end = end_of_opening(of, end, i);
	/* All up to `end`, so that it stays one mapping. */
	if (sys_failed(SYS3(mprotect, base_of(of, i), end - start_of(i),
		    PROT_READ | PROT_WRITE)))
		return false;
	while (now < end &&
		!__atomic_compare_exchange_n(&segment->open, &now, end, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return true;
}

uint64_t segment_limit(void)
{
	return __atomic_load_n(&now()->limit, __ATOMIC_ACQUIRE);
}

bool segment_close(void)
{
	return __atomic_exchange_n(&now()->limit, 0, __ATOMIC_ACQ_REL) != 0;
}

char *segment_place(uint64_t offset, uint32_t size)
{
	struct mapped *of = now();
	uint64_t end = offset + size;
	unsigned i = 0;

	while (i < SEGMENTS && end_of(i) < end)
		i++;
	if (i == SEGMENTS)
		return NULL;
	for (unsigned j = 1; j <= i; j++)
		if (!base_of(of, j) && !map(of, j))
			return NULL;
	/* Only now it is known how much of it was mapped. */
	if (end > __atomic_load_n(&of->limit, __ATOMIC_ACQUIRE) ||
		!open_up_to(of, end, i))
		return NULL;
	return base_of(of, i) + (offset - start_of(i));
}

/* SEGMENTS: in none. */
static unsigned segment_of(struct mapped *of, const void *address)
{
	const char *at = address;
	unsigned i;

	for (i = 0; i < SEGMENTS; i++) {
		const char *base = base_of(of, i);
		uint64_t open =
			__atomic_load_n(&of->segments[i].open, __ATOMIC_ACQUIRE);

		/* Mapped, and nothing of it open: its address says nothing. */
		if (base && at >= base && open > start_of(i) &&
			(uint64_t)(at - base) < open - start_of(i))
			break;
	}
	return i;
}

bool segment_has(const void *address)
{
	return segment_of(now(), address) < SEGMENTS;
}

bool segment_had(const void *address)
{
	return segment_of(other(), address) < SEGMENTS;
}

uint64_t segment_offset(const void *address)
{
	struct mapped *of = now();
	unsigned i = segment_of(of, address);

	return i < SEGMENTS ? start_of(i) + (uint64_t)((const char *)address -
						       base_of(of, i))
			    : 0;
}
