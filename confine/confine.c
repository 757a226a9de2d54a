#include "confine/confine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "confine/instrumented.h"
#include "confine/landlock.h"
#include "confine/reader_calls.h"

#define VARIABLE "BINLOG_SANDBOX"

void confine_allow_below(struct confine_needs *needs, const char *directory)
{
	if (directory && needs->directory_count < CONFINE_DIRECTORIES_MAX)
		needs->directories[needs->directory_count++] = directory;
}

static bool is_bounded(const struct confine_needs *needs)
{
	return !(needs->needs & (CONFINE_PROCESSES | CONFINE_DOWNLOADS)) &&
	       landlock_keep_writing_below(
		       needs->directories, needs->directory_count);
}

/* Null, or what of it there is not. */
static const char *give_up_all(const struct confine_needs *wanted)
{
	unsigned needs = wanted->needs;
	bool bounded;

	if (instrumented())
		return VARIABLE "=require: valgrind or a sanitizer makes calls "
				"of its own: leave it out";
	/* no core of what is in memory; others find our log by what is open */
	if (!(needs & CONFINE_SHARES) && prctl(PR_SET_DUMPABLE, 0) != 0)
		return VARIABLE "=require: the kernel lets others look into "
				"this process: unset it";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return VARIABLE "=require: the kernel does not let rights be "
				"given up: unset it";
	bounded = is_bounded(wanted);
	if (secure_getenv("LD_PRELOAD"))
		needs |= CONFINE_PRELOADED;
	if (needs & CONFINE_KEEPS && bounded)
		needs |= CONFINE_WRITES;
	if (!reader_calls_filter(needs))
		return VARIABLE "=require: the kernel gives no filter of "
				"system calls: unset it to read without";
	if (!bounded && !(needs & (CONFINE_PROCESSES | CONFINE_DOWNLOADS)))
		return VARIABLE "=require: the kernel has no Landlock: unset "
				"it to read without";
	return NULL;
}

const char *confine_enter(const struct confine_needs *needs)
{
	const char *wanted = secure_getenv(VARIABLE);
	const char *missing;

	if (wanted && strcmp(wanted, "off") == 0)
		return NULL;
	if (wanted && *wanted && strcmp(wanted, "require") != 0)
		return VARIABLE ": neither off nor require: correct or unset "
				"it";
	missing = give_up_all(needs);
	return wanted && *wanted ? missing : NULL;
}
