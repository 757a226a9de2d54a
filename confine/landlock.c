#include "confine/landlock.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "record/linux.h"

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
