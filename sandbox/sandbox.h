/*
 * What a reader gives up before it looks at what strangers have written.
 * Called by the mains of the tools once their options are parsed, their outputs
 * open and their pager started.  Promises that from then on this process
 * executes nothing, connects to nothing, traces and disturbs no other process,
 * and opens no file for writing, but for what its needs name; and that no
 * kernel, container or debugger keeps it from reading.
 *
 * Calls that it has no right to fail with ENOSYS, as in a kernel that does not
 * have them, so that a younger libc takes its older way; opening for writing
 * fails with EACCES.  Nobody is killed: output that is there shall come out.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stddef.h>

/* Beyond reading files and writing to what is open. */
enum sandbox_need {
	/* to start and to end the symbolizer's worker */
	SANDBOX_WORKER = 1 << 0,
	/* to open files below another root */
	SANDBOX_ROOTED = 1 << 1,
	/* to make files below the directories */
	SANDBOX_WRITES = 1 << 2,
	/* likewise, where Landlock bounds it; it can do without */
	SANDBOX_KEEPS = 1 << 3,
	/* to map files shared; others may see what is open */
	SANDBOX_SHARES = 1 << 4,
	SANDBOX_THREADS = 1 << 5,
	/* to set the modes of a terminal */
	SANDBOX_TERMINAL = 1 << 6,
	/* to look at others by /proc, which Landlock forbids: without it */
	SANDBOX_PROCESSES = 1 << 7,
	/* the network, and all but to execute and to trace */
	SANDBOX_DOWNLOADS = 1 << 8,
	/* to let what is preloaded ask others: needed where something is */
	SANDBOX_PRELOADED = 1 << 9,
};

#define SANDBOX_DIRECTORIES_MAX 34

struct sandbox_needs {
	unsigned needs;
	/* Where files are made; those that are not there are passed over. */
	const char *directories[SANDBOX_DIRECTORIES_MAX];
	size_t directory_count;
};

/* Null and one too many are passed over.  `directory` stays the caller's. */
void sandbox_allow_below(struct sandbox_needs *needs, const char *directory);

/*
 * For the rest of the process, before it has other threads.  Null, or a
 * sentence why it must not go on, which only the variable BINLOG_SANDBOX brings
 * about: `off` asks for nothing to be given up, `require` for all of it.
 * Under valgrind and sanitizers, which make calls of their own, nothing is.
 */
const char *sandbox_enter(const struct sandbox_needs *needs);

#endif
