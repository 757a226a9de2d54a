/*
 * The files that belong to binlog-run and the value of LD_PRELOAD that names
 * one of them.  Called by main.  Promises to keep what was preloaded before,
 * in its order.
 */
#ifndef TOOLS_PROGRAM_PRELOAD_H
#define TOOLS_PROGRAM_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

#include "tools/program/elf_image.h"

/* Exit statuses; the last two are those of env(1) and of every shell. */
enum refusal_status {
	REFUSAL_POINTLESS = 2, /* usage, or the program would not be recorded */
	REFUSAL_CANNOT_RUN = 126,
	REFUSAL_NOT_FOUND = 127,
};

struct refusal {
	enum refusal_status status;
	char sentence[8192];
};

/*
 * Fills in the refusal; too long a sentence is cut.  Always returns false, so
 * that a check can end with it.
 */
bool refusal_set(struct refusal *refusal, enum refusal_status status,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * The absolute path of a file installed along with the running program: the
 * first of the null-terminated `places`, relative to the program's directory,
 * at which there is one.  False when there is none.
 */
bool preload_find_beside(const char *const *places, char path[static PATH_MAX]);

/*
 * Finds libbinlog.so and opens it into `library`, to be closed after true; or
 * says why the dynamic loader could not load it.
 */
bool preload_find_library(char path[static PATH_MAX], struct elf_image *library,
	struct refusal *refusal);

/*
 * A value for LD_PRELOAD: `sanitizer` (may be empty) first, then `library`,
 * then `old` (null for none); nothing that `old` holds already is added again.
 * The caller's to free; null when out of memory.
 */
char *preload_compose(
	const char *sanitizer, const char *library, const char *old);

#endif
