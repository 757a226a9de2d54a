#include "tools/top/top_past.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/live/follow_back.h"
#include "tools/live/follower.h"

/* False: it is not a log that a follower writes. */
static bool read_log(struct live_pasts *pasts, const char *path)
{
	struct follow_found found;
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       follow_back_look(path, &found) && found.is_ours &&
	       follow_back_recall(path, found.whole, pasts);
}

/* It has its log open. */
static void read_logs_of(struct live_pasts *pasts, pid_t follower)
{
	char directory[32], name[PATH_MAX], path[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *entries;

	snprintf(directory, sizeof(directory), "/proc/%d/fd", (int)follower);
	entries = opendir(directory);
	while (entries && !found && (entry = readdir(entries))) {
		ssize_t length;

		snprintf(name, sizeof(name), "%s/%s", directory, entry->d_name);
		length = readlink(name, path, sizeof(path) - 1);
		if (length <= 0)
			continue;
		path[length] = '\0';
		found = read_log(pasts, path);
	}
	if (entries)
		closedir(entries);
}

void top_past_read(struct live_pasts *pasts, const char *capture)
{
	char directory[PATH_MAX];
	pid_t follower;
	char *slash;

	snprintf(directory, sizeof(directory), "%s", capture);
	slash = strrchr(directory, '/');
	if (!slash)
		return;
	*slash = '\0';
	follower = follower_of(directory);
	if (follower > 0)
		read_logs_of(pasts, follower);
}
