#include "shim/host/arena.h"

#include <sys/mman.h>

#include "shim/host/sys.h"

/*
 * In chunks, each sixteen times as large as the one before: a program that has
 * a limit of its addresses, or sets one, must not find them taken.  The first
 * is for most programs, and wholly accessible, hence one mapping.  Of others
 * only what is in use is: mlockall() would make all of a large writable mapping
 * resident.
 */
#define CHUNKS 8
#define CHUNK_FIRST ((size_t)1 << 20)
#define CHUNK_GROWTH_SHIFT 4
#define CHUNK_LARGEST ((size_t)8 << 30)
#define CHUNK_LEAST ((size_t)1 << 20) /* under RLIMIT_AS */
#define STEP ((size_t)1 << 20)
_Static_assert(CHUNK_LEAST % STEP == 0, "a chunk has whole steps");
/* The lowest bits of a place. */
#define SIZE_MASK ((uintptr_t)63)
/* At the beginning of the first one: the mark, and the root. */
#define MARKED_BYTES (sizeof(uint64_t) + ARENA_ROOT_BYTES)

struct chunk {
	/* The address, and in the lowest bits the logarithm of the size: one
	 * word, so that a chunk is there as a whole.  0: not yet. */
	uintptr_t place;
	size_t open; /* accessible so far */
	/* Goes on counting in a child: a pointer into the parent's part, as
	 * threads keep in their TLS, must go on pointing to zeros there. */
	size_t used;
};

static struct chunk chunks[CHUNKS] = {{.used = MARKED_BYTES}};
static uint64_t *mark; /* wiped with the rest */
_Static_assert(MARKED_BYTES % 64 == 0, "what is taken is aligned");
bool arena_kept;
/* The kernel has never wiped anything: before Linux 4.14. */
static bool never_wiped;

static char *address_of(uintptr_t place)
{
	return (char *)(place & ~SIZE_MASK);
}

static size_t size_of(uintptr_t place)
{
	return (size_t)1 << (place & SIZE_MASK);
}

/* The logarithm of a chunk's size: `bytes` have to fit in. */
static unsigned choose_size(unsigned i, size_t bytes)
{
	size_t wish = CHUNK_FIRST << i * CHUNK_GROWTH_SHIFT;
	unsigned log = 12;

	if (wish > CHUNK_LARGEST)
		wish = CHUNK_LARGEST;
	wish = sys_fair_share(wish, CHUNK_LEAST);
	if (wish < bytes)
		wish = bytes;
	while (((size_t)1 << log) < wish)
		log++;
	return log;
}

static bool add_chunk(unsigned i, size_t bytes)
{
	unsigned log = choose_size(i, bytes);
	size_t size = (size_t)1 << log;
	uintptr_t expected = 0;
	long address =
		SYS6(mmap, 0, size, i == 0 ? PROT_READ | PROT_WRITE : PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long wiped;

	if (sys_failed(address))
		return false;
	if (i == 0)
		chunks[0].open = size;
	wiped = SYS3(madvise, address, size, MADV_WIPEONFORK);
	if (wiped == -EINVAL || sys_is_emulated())
		never_wiped = true;
	/* Or not yet: a program may have all mappings that it can have. */
	if (sys_failed(wiped) || never_wiped)
		arena_kept = true;
	if (!__atomic_compare_exchange_n(&chunks[i].place, &expected,
		    (uintptr_t)address | log, false, __ATOMIC_ACQ_REL,
		    __ATOMIC_ACQUIRE))
		SYS2(munmap, address, size);
	return true;
}

/* The chunk can be used up to `end`, which is in it. */
static bool open_up_to(struct chunk *chunk, uintptr_t place, size_t end)
{
	size_t now = __atomic_load_n(&chunk->open, __ATOMIC_ACQUIRE);

	if (end <= now)
		return true;
	end = (end + STEP - 1) / STEP * STEP;
	/* Threads may overlap here: the same pages twice do no harm. */
	if (sys_failed(SYS3(
		    mprotect, address_of(place), end, PROT_READ | PROT_WRITE)))
		return false;
	while (now < end &&
		!__atomic_compare_exchange_n(&chunk->open, &now, end, false,
			__ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		;
	return true;
}

static void *take_from(struct chunk *chunk, uintptr_t place, size_t size)
{
	size_t at = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);

	do {
		if (size > size_of(place) - at ||
			!open_up_to(chunk, place, at + size))
			return NULL;
	} while (!__atomic_compare_exchange_n(&chunk->used, &at, at + size,
		false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return address_of(place) + at;
}

bool arena_open(void)
{
	if (!add_chunk(0, CHUNK_LEAST))
		return false;
	mark = (uint64_t *)address_of(chunks[0].place);
	return true;
}

void *arena_take(size_t size)
{
	void *taken = NULL;

	size = (size + 63) & ~(size_t)63;
	for (unsigned i = 0; i < CHUNKS && !taken; i++) {
		struct chunk *chunk = &chunks[i];
		uintptr_t place =
			__atomic_load_n(&chunk->place, __ATOMIC_ACQUIRE);

		if (!place && !add_chunk(i, size))
			return NULL;
		place = __atomic_load_n(&chunk->place, __ATOMIC_ACQUIRE);
		taken = take_from(chunk, place, size);
	}
	return taken;
}

void arena_stock(void)
{
	unsigned last = 1;

	while (last < CHUNKS - 1 &&
		__atomic_load_n(&chunks[last].place, __ATOMIC_ACQUIRE))
		last++;
	add_chunk(last, CHUNK_LEAST);
	/* Not all of it: a program may keep all that it can touch in memory. */
	for (unsigned i = last - 1; i <= last; i++) {
		struct chunk *chunk = &chunks[i];
		uintptr_t place =
			__atomic_load_n(&chunk->place, __ATOMIC_ACQUIRE);
		size_t end = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE) +
			     4 * STEP;

		if (place)
			open_up_to(chunk, place,
				end < size_of(place) ? end : size_of(place));
	}
}

bool arena_is_marked(void)
{
	return mark && __atomic_load_n(mark, __ATOMIC_ACQUIRE) != 0;
}

void arena_mark(void)
{
	__atomic_store_n(mark, 1, __ATOMIC_RELEASE);
}

void *arena_root(void)
{
	return mark ? mark + 1 : NULL;
}

void arena_unmark(void)
{
	for (size_t i = 0; i < MARKED_BYTES / sizeof(*mark); i++)
		mark[i] = 0;
}

void arena_keep(bool keep)
{
	bool all = true;

	if (never_wiped)
		return;
	for (unsigned i = 0; i < CHUNKS; i++) {
		uintptr_t place =
			__atomic_load_n(&chunks[i].place, __ATOMIC_ACQUIRE);

		if (place && sys_failed(SYS3(madvise, address_of(place),
				     size_of(place),
				     keep ? MADV_KEEPONFORK : MADV_WIPEONFORK)))
			all = false;
	}
	if (!keep)
		arena_kept = !all;
}
