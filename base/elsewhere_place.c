#include "base/elsewhere_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the library makes it absolute: nothing is resolved. */
static bool make_absolute(const char *path, char whole[static PATH_MAX])
{
	char here[PATH_MAX];
	int length;

	while (path[0] == '.' && path[1] == '/')
		path += 2;
	if (path[0] == '/')
		length = snprintf(whole, PATH_MAX, "%s", path);
	else if (getcwd(here, sizeof(here)) && here[0] == '/')
		length = snprintf(whole, PATH_MAX, "%s/%s", here, path);
	else
		length = snprintf(whole, PATH_MAX, "%s", path);
	return length > 0 && length < PATH_MAX;
}

/* What is above the directory of the captures; path[to->owned] is a slash. */
static bool is_ours(const struct elsewhere *to)
{
	struct stat st;
	bool ours;

	to->path[to->owned] = '\0';
	ours = lstat(to->path, &st) == 0 && elsewhere_is_ours(&st, geteuid());
	to->path[to->owned] = '/';
	return ours;
}

static bool find(
	struct elsewhere *to, unsigned place, const char *asked, char *path)
{
	char whole[PATH_MAX];

	*to = (struct elsewhere){.path = path, .size = PATH_MAX};
	return make_absolute(asked, whole) &&
	       elsewhere_find(
		       to, place, getenv("XDG_STATE_HOME"), geteuid(), whole);
}

bool elsewhere_place_find(
	unsigned place, const char *asked, char path[static PATH_MAX])
{
	struct elsewhere to;
	struct stat st;

	return find(&to, place, asked, path) && is_ours(&to) &&
	       lstat(path, &st) == 0 && elsewhere_is_ours(&st, geteuid());
}

static bool make(unsigned place, const char *asked, char path[static PATH_MAX])
{
	struct elsewhere to;

	if (!find(&to, place, asked, path))
		return false;
	if (place == 0)
		mkdir(getenv("XDG_STATE_HOME"), ELSEWHERE_MODE);
	path[to.owned] = '\0';
	mkdir(path, ELSEWHERE_MODE);
	path[to.owned] = '/';
	if (!is_ours(&to))
		return false;
	mkdir(path, ELSEWHERE_MODE);
	return elsewhere_place_find(place, asked, path) &&
	       access(path, W_OK | X_OK) == 0;
}

bool elsewhere_place_make(const char *asked, char path[static PATH_MAX])
{
	const mode_t mask = umask(0);
	bool made = false;
	unsigned place;

	for (place = 0; place < ELSEWHERE_PLACES && !made; place++)
		made = make(place, asked, path);
	umask(mask);
	return made;
}
