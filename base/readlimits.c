#include "base/readlimits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint64_t readlimits_values[READLIMIT_ROWS] = {
	[READLIMIT_FILE] = READLIMITS_FILE_BYTES,
	[READLIMIT_SECTIONS] = READLIMITS_SECTIONS,
	[READLIMIT_READ_TIMES] = READLIMITS_READ_TIMES,
	[READLIMIT_UNPACKED] = READLIMITS_UNPACKED_BYTES,
	[READLIMIT_UNPACKED_TIMES] = READLIMITS_UNPACKED_TIMES,
	[READLIMIT_MINIDEBUGINFO] = READLIMITS_MINIDEBUGINFO_BYTES,
	[READLIMIT_XZ] = READLIMITS_XZ_BYTES,
	[READLIMIT_TAIL_ENTRIES] = READLIMITS_TAIL_ENTRIES,
	[READLIMIT_TAIL_CALLS] = READLIMITS_TAIL_CALLS,
	[READLIMIT_SHARED_TIMES] = READLIMITS_SHARED_TIMES,
	[READLIMIT_OVERLAPS] = READLIMITS_OVERLAPS,
	[READLIMIT_LOOKUPS] = READLIMITS_LOOKUPS,
	[READLIMIT_ROUNDS] = READLIMITS_ROUNDS,
	[READLIMIT_DEATHS] = READLIMITS_DEATHS,
	[READLIMIT_INLINED] = READLIMITS_INLINED,
	[READLIMIT_TEXT] = READLIMITS_TEXT_BYTES,
	[READLIMIT_NAMES] = READLIMITS_NAMES_BYTES,
};

/* The first file; null: not met. */
static char *met[READLIMIT_ROWS];
static char taken[1];

static struct {
	void (*meet)(void *closure, enum readlimit limit, const char *path);
	void *closure;
} deputy; /* no `meet`: none */

void readlimits_note(enum readlimit limit, const char *path)
{
	char *before = NULL;
	char *first;

	if (deputy.meet) {
		deputy.meet(deputy.closure, limit, path);
		return;
	}
	if (__atomic_load_n(&met[limit], __ATOMIC_ACQUIRE))
		return;
	first = strdup(path);
	if (!__atomic_compare_exchange_n(&met[limit], &before, first, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		free(first);
}

char *readlimits_take(enum readlimit limit)
{
	char *first = __atomic_load_n(&met[limit], __ATOMIC_ACQUIRE);

	if (!first || first == taken ||
		!__atomic_compare_exchange_n(&met[limit], &first, taken, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return NULL;
	return first;
}

void readlimits_delegate(
	void (*meet)(void *closure, enum readlimit limit, const char *path),
	void *closure)
{
	deputy.meet = meet;
	deputy.closure = closure;
}
