#include "confine/confine.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "confine/instrumented.h"
#include "confine/reader_calls.h"
#include "record/linux.h"

/*
 * Where in the file system this process may still write (Landlock).  Used by
 * confine.c; promises that reading goes on as it was, and that a kernel which
 * has less of it gives what it has.
 */

/*
 * Of <linux/landlock.h>, which a machine may not have (Linux 5.13) or have
 * older than its kernel.
 */
#define VERSION_ASKED (1u << 0)	  /* LANDLOCK_CREATE_RULESET_VERSION */
#define RULE_PATH_BENEATH 1	  /* LANDLOCK_RULE_PATH_BENEATH */
#define FILES_EXECUTE (1ULL << 0) /* LANDLOCK_ACCESS_FS_... */
#define FILES_WRITE_FILE (1ULL << 1)
#define FILES_REMOVE_DIR (1ULL << 4)
#define FILES_REMOVE_FILE (1ULL << 5)
#define FILES_MAKE_CHAR (1ULL << 6)
#define FILES_MAKE_DIR (1ULL << 7)
#define FILES_MAKE_REG (1ULL << 8)
#define FILES_MAKE_SOCK (1ULL << 9)
#define FILES_MAKE_FIFO (1ULL << 10)
#define FILES_MAKE_BLOCK (1ULL << 11)
#define FILES_MAKE_SYM (1ULL << 12)
#define FILES_TRUNCATE (1ULL << 14) /* Linux 6.2 */
#define FILES_DEVICES (1ULL << 15)  /* Linux 6.10 */
#define NETWORK_TCP 3u
#define SCOPES 3u

/* As the kernel has it; older ones know the first fields only. */
struct ruleset {
	uint64_t files;
	uint64_t network;
	uint64_t scopes;
};

/* struct landlock_path_beneath_attr */
struct __attribute__((packed)) path_rule {
	uint64_t allowed_access;
	int32_t parent_fd;
};

/* From the version of the interface on that knows them. */
static const struct {
	int version;
	size_t bytes;
	struct ruleset known;
} versions[] = {
	{1, sizeof(uint64_t),
		{.files = FILES_EXECUTE | FILES_WRITE_FILE | FILES_REMOVE_DIR |
			  FILES_REMOVE_FILE | FILES_MAKE_CHAR | FILES_MAKE_DIR |
			  FILES_MAKE_REG | FILES_MAKE_SOCK | FILES_MAKE_FIFO |
			  FILES_MAKE_BLOCK | FILES_MAKE_SYM}},
	{3, sizeof(uint64_t), {.files = FILES_TRUNCATE}},
	{4, 2 * sizeof(uint64_t), {.network = NETWORK_TCP}},
	{5, 2 * sizeof(uint64_t), {.files = FILES_DEVICES}},
	{6, 3 * sizeof(uint64_t), {.scopes = SCOPES}},
};

/* What is given back below a directory, of what is taken. */
#define WRITING                                                                \
	(FILES_WRITE_FILE | FILES_REMOVE_FILE | FILES_MAKE_REG | FILES_TRUNCATE)

/* A descriptor of a set without rules, or -1. */
static int make_ruleset(struct ruleset *taken)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_ASKED);
	size_t bytes = 0;
	size_t i;

	*taken = (struct ruleset){0};
	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (version < versions[i].version)
			break;
		bytes = versions[i].bytes;
		taken->files |= versions[i].known.files;
		taken->network |= versions[i].known.network;
		taken->scopes |= versions[i].known.scopes;
	}
	if (bytes == 0)
		return -1;
	return (int)syscall(SYS_landlock_create_ruleset, taken, bytes, 0);
}

/* One that is not there needs none. */
static bool add_rule(
	int ruleset, const struct ruleset *taken, const char *directory)
{
	struct path_rule rule = {
		.allowed_access = WRITING & taken->files,
		.parent_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	bool good;

	if (rule.parent_fd < 0)
		return true;
	good = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule,
		       0) == 0;
	close(rule.parent_fd);
	return good;
}

/*
 * From here on nothing is executed, and nothing is written, made or removed
 * but below these directories (those that are there); what is open stays so.
 * No TCP connection is made, no abstract socket of others is reached and no
 * signal is sent to them, as far as the kernel knows of these.  /proc of other
 * processes shows what it shows to any user.
 *
 * Only the calling thread and what it starts: to be called before there are
 * others.  PR_SET_NO_NEW_PRIVS has to be set.  False: the kernel has none, or
 * a rule cannot be made; then nothing has changed.
 */
static bool landlock_keep_writing_below(
	const char *const *directories, size_t count)
{
	struct ruleset taken;
	int ruleset = make_ruleset(&taken);
	bool good = ruleset >= 0;
	size_t i;

	for (i = 0; i < count && good; i++)
		good = add_rule(ruleset, &taken, directories[i]);
	good = good && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	if (ruleset >= 0)
		close(ruleset);
	return good;
}

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
