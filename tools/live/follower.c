#include "tools/live/follower.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define COMMAND "binlog-pack"

/* The kernel cuts names off there. */
static bool is_packer(pid_t process)
{
	char path[32], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)process);
	file = fopen(path, "re");
	if (file && !fgets(name, sizeof(name), file))
		*name = '\0';
	if (file)
		(void)fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return strcmp(name, COMMAND) == 0;
}

/* One that does not know the signal would be killed by it. */
static bool catches(pid_t process, int number)
{
	char path[32], line[128];
	uint64_t caught = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigCgt: %" SCNx64, &caught) == 1)
			break;
	if (file)
		(void)fclose(file);
	return caught >> (number - 1) & 1;
}

/* N: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE ...  The device is not always
 * what stat(2) says. */
pid_t follower_of(const char *directory)
{
	struct stat st;
	char line[256];
	pid_t found = 0;
	FILE *locks;

	if (stat(directory, &st) != 0)
		return 0;
	locks = fopen("/proc/locks", "re");
	while (locks && found == 0 && fgets(line, sizeof(line), locks)) {
		uint64_t inode;
		int process;

		if (sscanf(line, "%*s FLOCK %*s WRITE %d %*x:%*x:%" SCNu64,
			    &process, &inode) == 2 &&
			inode == st.st_ino && process > 0 && is_packer(process))
			found = process;
	}
	if (locks)
		(void)fclose(locks);
	return found;
}

const char *follower_rotate(const char *directory)
{
	pid_t process = follower_of(directory);

	if (process == 0)
		return "no binlog-pack --follow packs what is written there: "
		       "there is nothing to rotate";
	if (!catches(process, SIGUSR1))
		return "its binlog-pack is of an older version, which cannot "
		       "be told: stop it and start this one";
	return kill(process, SIGUSR1) == 0 ? NULL : strerror(errno);
}
