#include "symbolizer/elf/searchpath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of `path` the map replaces: whole names only; 0: nothing. */
static size_t covered(const char *map, const char *path)
{
	size_t length = strcspn(map, "=");

	if (strncmp(map, path, length) != 0)
		return 0;
	if (length > 0 && map[length - 1] != '/' && path[length] &&
		path[length] != '/')
		return 0;
	return length;
}

/* The map that replaces most of `path`, or null. */
static const char *map_for(
	const char *const *maps, const char *path, size_t *replaced)
{
	const char *best = NULL;

	*replaced = 0;
	for (; maps && *maps; maps++) {
		size_t length = covered(*maps, path);

		if (length > *replaced) {
			*replaced = length;
			best = *maps;
		}
	}
	return best;
}

bool searchpath_find(struct searchpath *place,
	const struct symbolizer_options *options, const char *recorded)
{
	size_t replaced;
	const char *map = map_for(options->path_maps, recorded, &replaced);

	*place = (struct searchpath){0};
	if (map) {
		const char *rest = recorded + replaced;

		if (asprintf(&place->path, "%s%s%s", strchr(map, '=') + 1,
			    *rest && *rest != '/' ? "/" : "", rest) < 0)
			place->path = NULL;
		return place->path;
	}
	if (*recorded == '/')
		place->root = options->sysroot;
	place->path = strdup(recorded);
	return place->path;
}
