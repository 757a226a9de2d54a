#include "sandbox/close_from.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/linux.h"

bool close_from(int first)
{
	DIR *all;
	const struct dirent *entry;

	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return true;
	all = opendir("/proc/self/fd");
	if (!all)
		return false;
	while ((entry = readdir(all)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd >= first && fd != dirfd(all))
			close(fd);
	}
	closedir(all);
	return true;
}
