#include "symbolizer/debugfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_ID_BYTES_MIN 2
#define BUILD_ID_BYTES_MAX 64

static bool open_if_same(struct elffile *debug, const char *path,
	const uint8_t *build_id, size_t build_id_bytes)
{
	if (elffile_open(debug, path) != NULL)
		return false;
	if (debug->build_id_bytes == build_id_bytes &&
		memcmp(debug->build_id, build_id, build_id_bytes) == 0)
		return true;
	elffile_close(debug);
	return false;
}

bool debugfile_open_by_build_id(struct elffile *debug,
	const char *const *directories, const uint8_t *build_id,
	size_t build_id_bytes)
{
	char name[2 * BUILD_ID_BYTES_MAX + 1];
	bool found = false;
	size_t i;

	if (build_id_bytes < BUILD_ID_BYTES_MIN ||
		build_id_bytes > BUILD_ID_BYTES_MAX)
		return false;
	for (i = 0; i < build_id_bytes; i++)
		snprintf(name + 2 * i, 3, "%02x", build_id[i]);
	for (; *directories && !found; directories++) {
		char *path;

		if (asprintf(&path, "%s/.build-id/%.2s/%s.debug", *directories,
			    name, name + 2) < 0)
			return false;
		found = open_if_same(debug, path, build_id, build_id_bytes);
		free(path);
	}
	return found;
}

/* What is looked for, and what became of it. */
struct link {
	const char *name;
	uint32_t crc;
	bool rejected;
};

static bool open_linked(struct elffile *debug, struct link *link,
	const char *root, const char *directory, const char *below)
{
	uint32_t crc;
	char *path;
	bool same;

	if (asprintf(&path, "%s%s%s%s", root, directory, below, link->name) < 0)
		return false;
	same = elffile_open(debug, path) == NULL;
	free(path);
	if (!same)
		return false;
	if (elffile_crc(debug, &crc) && crc == link->crc)
		return true;
	elffile_close(debug);
	link->rejected = true;
	return false;
}

/* The part up to the last slash, "./" when there is none.  Caller frees. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

static bool open_near(struct elffile *debug, struct link *link,
	const char *const *directories, const char *path)
{
	char *real = realpath(path, NULL);
	char *near = directory_of(path);
	char *far = real ? directory_of(real) : NULL;
	bool found = false;

	if (near)
		found = open_linked(debug, link, "", near, "") ||
			open_linked(debug, link, "", near, ".debug/");
	for (; far && *directories && !found; directories++)
		found = open_linked(debug, link, *directories, far, "");
	free(real);
	free(near);
	free(far);
	return found;
}

bool debugfile_open_by_link(struct elffile *debug,
	const char *const *directories, struct elffile *file, const char *path,
	bool *rejected)
{
	struct link link = {0};
	char *name = elffile_debug_link(file, &link.crc);
	bool found = false;

	/* a name with a slash could lead anywhere */
	if (name && !strchr(name, '/')) {
		link.name = name;
		found = open_near(debug, &link, directories, path);
	}
	free(name);
	*rejected = link.rejected;
	return found;
}
