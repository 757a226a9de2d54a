#include "shim/arena.h"

#include <sys/mman.h>

#include "shim/sys.h"

/*
 * Only what is in use is made accessible: mlockall() would make all of a
 * large writable mapping resident.
 */
#define ARENA_BYTES ((size_t)8 << 30)
#define ARENA_SMALLEST ((size_t)16 << 20) /* under RLIMIT_AS */
#define ARENA_STEP ((size_t)1 << 20)

static char *arena; /* its first word is the mark, wiped with it */
static size_t arena_bytes;
static size_t arena_open_bytes; /* accessible so far */
/* Goes on counting in a child: a pointer into the parent's part, as threads
 * keep in their TLS, must go on pointing to zeros there. */
static size_t arena_used = 64;

static bool make_accessible(size_t bytes)
{
	size_t now = __atomic_load_n(&arena_open_bytes, __ATOMIC_ACQUIRE);

	bytes = (bytes + ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
	if (bytes > arena_bytes)
		return false;
	/* Threads may overlap here: the same pages twice do no harm. */
	if (sys_failed(SYS3(mprotect, arena, bytes, PROT_READ | PROT_WRITE)))
		return false;
	while (now < bytes &&
		!__atomic_compare_exchange_n(&arena_open_bytes, &now, bytes,
			false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		;
	return true;
}

bool arena_open(void)
{
	long address = -ENOMEM;
	size_t bytes = sys_fair_share(ARENA_BYTES, ARENA_SMALLEST);

	for (; bytes >= ARENA_SMALLEST; bytes /= 4) {
		address = SYS6(mmap, 0, bytes, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (!sys_failed(address))
			break;
	}
	if (sys_failed(address))
		return false;
	arena_bytes = bytes;
	arena = (char *)address;
	if (!sys_failed(SYS3(madvise, arena, bytes, MADV_WIPEONFORK)) &&
		make_accessible(ARENA_STEP))
		return true;
	SYS2(munmap, arena, bytes);
	return false;
}

void *arena_take(size_t size)
{
	size_t at, end;

	size = (size + 63) & ~(size_t)63;
	at = __atomic_fetch_add(&arena_used, size, __ATOMIC_RELAXED);
	end = at + size;
	if (end > __atomic_load_n(&arena_open_bytes, __ATOMIC_ACQUIRE) &&
		!make_accessible(end)) {
		__atomic_fetch_sub(&arena_used, size, __ATOMIC_RELAXED);
		return NULL;
	}
	return arena + at;
}

bool arena_is_marked(void)
{
	return arena && *(const uint64_t *)arena != 0;
}

void arena_mark(void)
{
	*(uint64_t *)arena = 1;
}

void arena_unmark(void)
{
	*(uint64_t *)arena = 0;
}

void arena_keep(bool keep)
{
	SYS3(madvise, arena, arena_bytes,
		keep ? MADV_KEEPONFORK : MADV_WIPEONFORK);
}
