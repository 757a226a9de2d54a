#include "shim/sys.h"

#include <sys/resource.h>

bool sys_forbidden;

size_t sys_fair_share(size_t wish, size_t least)
{
	struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY};

	SYS4(prlimit64, 0, RLIMIT_AS, NULL, &space);
	if (space.rlim_cur == RLIM_INFINITY || space.rlim_cur / 64 > wish)
		return wish;
	if (least > wish)
		return wish;
	return space.rlim_cur / 64 < least ? least : space.rlim_cur / 64;
}

bool sys_is_readable(const void *address)
{
	return SYS4(rt_sigprocmask, ~0u, address, NULL, 8) == -EINVAL;
}
