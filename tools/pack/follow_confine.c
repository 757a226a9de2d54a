#include "tools/pack/follow_confine.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "confine/confine.h"

/* One that is waited for will be in the nearest that is there. */
static const char *nearest(char *path)
{
	while (access(path, F_OK) != 0 && strcmp(path, ".") != 0 &&
		strcmp(path, "/") != 0)
		path = dirname(path);
	return path;
}

const char *follow_confine(const char *captures, const char *log)
{
	struct confine_needs needs = {
		.needs = CONFINE_WRITES | CONFINE_SHARES | CONFINE_THREADS};
	char directory[PATH_MAX], beside[PATH_MAX];

	snprintf(directory, sizeof(directory), "%s", captures);
	snprintf(beside, sizeof(beside), "%s", log);
	confine_allow_below(&needs, nearest(directory));
	confine_allow_below(&needs, dirname(beside));
	return confine_enter(&needs);
}
