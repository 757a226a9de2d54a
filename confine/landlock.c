#include "confine/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux 6.2, 6.10: younger than the headers may be. */
#define ACCESS_TRUNCATE (1ULL << 14)
#define ACCESS_DEVICES (1ULL << 15)
#define NETWORK_TCP 3u
#define SCOPES 3u

/* As the kernel has it; older ones know the first fields only. */
struct ruleset {
	uint64_t files;
	uint64_t network;
	uint64_t scopes;
};

/* From the version of the interface on that knows them. */
static const struct {
	int version;
	size_t bytes;
	struct ruleset known;
} versions[] = {
	{1, sizeof(uint64_t),
		{.files = LANDLOCK_ACCESS_FS_EXECUTE |
			  LANDLOCK_ACCESS_FS_WRITE_FILE |
			  LANDLOCK_ACCESS_FS_REMOVE_DIR |
			  LANDLOCK_ACCESS_FS_REMOVE_FILE |
			  LANDLOCK_ACCESS_FS_MAKE_CHAR |
			  LANDLOCK_ACCESS_FS_MAKE_DIR |
			  LANDLOCK_ACCESS_FS_MAKE_REG |
			  LANDLOCK_ACCESS_FS_MAKE_SOCK |
			  LANDLOCK_ACCESS_FS_MAKE_FIFO |
			  LANDLOCK_ACCESS_FS_MAKE_BLOCK |
			  LANDLOCK_ACCESS_FS_MAKE_SYM}},
	{3, sizeof(uint64_t), {.files = ACCESS_TRUNCATE}},
	{4, 2 * sizeof(uint64_t), {.network = NETWORK_TCP}},
	{5, 2 * sizeof(uint64_t), {.files = ACCESS_DEVICES}},
	{6, 3 * sizeof(uint64_t), {.scopes = SCOPES}},
};

/* What is given back below a directory, of what is taken. */
#define WRITING                                                                \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |      \
		LANDLOCK_ACCESS_FS_MAKE_REG | ACCESS_TRUNCATE)

/* A descriptor of a set without rules, or -1. */
static int make_ruleset(struct ruleset *taken)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
		LANDLOCK_CREATE_RULESET_VERSION);
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
	struct landlock_path_beneath_attr rule = {
		.allowed_access = WRITING & taken->files,
		.parent_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	bool good;

	if (rule.parent_fd < 0)
		return true;
	good = syscall(SYS_landlock_add_rule, ruleset,
		       LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
	close(rule.parent_fd);
	return good;
}

bool landlock_keep_writing_below(const char *const *directories, size_t count)
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
