/*
 * Rules about the source, which a process cannot know, turned into rules about
 * places in its executable and libraries: `func`, `file` and `line` become
 * `at`, by the log statements that are found in the files (binlog-show
 * --index). Called by binlog-ctl and binlog-run before a text of rules is in
 * force.
 */
#ifndef TOOLS_PROGRAM_RESOLVE_H
#define TOOLS_PROGRAM_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "rules/rules.h"
#include "symbolizer/symbolizer.h"

/* An executable or a library. */
struct resolve_module {
	char *path; /* where it can be read */
	char *name; /* its path to the process */
};

/* All zeros is empty. */
struct resolve_modules {
	struct resolve_module *modules;
	size_t count;
};

/*
 * Adds the executable and the libraries of a process that runs, as the kernel
 * tells them, that are not there yet.  False: errno says why not all are there.
 */
bool resolve_modules_add(struct resolve_modules *modules, pid_t process);

/* The same for one file. */
bool resolve_modules_add_file(
	struct resolve_modules *modules, const char *path, const char *name);

void resolve_modules_free(struct resolve_modules *modules);

/* Told in a sentence what has no effect, and why; `line` of the text, or 0. */
struct resolve_report {
	void (*say)(void *closure, unsigned line, const char *sentence);
	void *closure;
};

/* Whether there are such rules, and all of the text is right. */
bool resolve_is_needed(const char *text, size_t bytes);

/*
 * The text with each rule about the source replaced by such about places, on
 * the same line; what no statement matches stays as it is.  The caller frees
 * it; it ends in a NUL that *resolved does not count.  A text without such
 * rules costs nothing.  Null: it is wrong, see *error, or there is no memory:
 * error->line is 0.
 */
char *resolve_rules(const char *text, size_t bytes,
	const struct resolve_module *modules, size_t count,
	const struct symbolizer_options *options,
	const struct resolve_report *report, size_t *resolved,
	struct rules_error *error);

#endif
