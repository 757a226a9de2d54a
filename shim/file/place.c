#include "shim/file/place.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>

#include "shim/host/sys.h"

/* Access control lists show in the bits of the group. */
static bool is_closed(const char *directory, uid_t user)
{
	struct stat st;

	return !sys_failed(SYS4(newfstatat, AT_FDCWD, directory, &st,
		       AT_SYMLINK_NOFOLLOW)) &&
	       S_ISDIR(st.st_mode) && (st.st_uid == user || st.st_uid == 0) &&
	       (!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
}

bool place_is_ours(char *path)
{
	uid_t user = (uid_t)SYS0(geteuid);
	bool ours = true;

	for (size_t i = 0; ours && path[i]; i++) {
		size_t end = i == 0 ? 1 : i;
		char next = path[end];

		if (path[i] != '/')
			continue;
		path[end] = '\0';
		ours = is_closed(path, user);
		path[end] = next;
	}
	return ours;
}
