#include "symbolizer/elf/debugfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/files/openfile.h"

/*
 * Where a recorded path leads on this machine: through the path maps, else
 * below the sysroot, else as it is.  Called for modules and for whatever lies
 * beside them.  Promises that what is below the sysroot stays there, also
 * where links are absolute.
 */

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

#define BUILD_ID_BYTES_MIN 2

static const char *const usual_directories[] = {"/usr/lib/debug", NULL};

static const char *const *directories_of(
	const struct symbolizer_options *options)
{
	return options->debug_directories ? options->debug_directories
					  : usual_directories;
}

/* Opens `path`, which is freed, below `root` if it has that build-id. */
static bool open_if_same(struct elffile *file, const char *root, char *path,
	const uint8_t *build_id, size_t build_id_bytes)
{
	bool opened = path && !elffile_open_below(file, root, path);

	free(path);
	if (!opened)
		return false;
	if (file->build_id_bytes == build_id_bytes &&
		memcmp(file->build_id, build_id, build_id_bytes) == 0)
		return true;
	elffile_close(file);
	return false;
}

static char *path_in_tree(
	const char *directory, const char *name, enum debugfile_kind kind)
{
	char *path;

	if (asprintf(&path, "%s/.build-id/%.2s/%s%s", directory, name, name + 2,
		    kind == DEBUGFILE_DEBUG ? ".debug" : "") < 0)
		return NULL;
	return path;
}

bool debugfile_open_by_build_id(struct elffile *file,
	const struct symbolizer_options *options, enum debugfile_kind kind,
	const uint8_t *build_id, size_t build_id_bytes)
{
	const char *const *directory = directories_of(options);
	char name[DOWNLOAD_DIGITS_MAX + 1];

	if (build_id_bytes < BUILD_ID_BYTES_MIN ||
		!download_digits(name, build_id, build_id_bytes))
		return false;
	for (; *directory; directory++) {
		if (open_if_same(file, NULL,
			    path_in_tree(*directory, name, kind), build_id,
			    build_id_bytes))
			return true;
		if (options->sysroot &&
			open_if_same(file, options->sysroot,
				path_in_tree(*directory, name, kind), build_id,
				build_id_bytes))
			return true;
	}
	return false;
}

/* What is looked for, and what became of it. */
struct link {
	const char *name;
	uint32_t crc;
	bool rejected;
};

/* `head` and `middle` make up the directory, each with a slash if need be. */
static bool open_linked(struct elffile *debug, struct link *link,
	const char *root, const char *head, const char *middle)
{
	uint32_t crc;
	char *path;
	bool opened;

	if (asprintf(&path, "%s%s%s", head, middle, link->name) < 0)
		return false;
	opened = !elffile_open_below(debug, root, path);
	free(path);
	if (!opened)
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
	const struct searchpath *place)
{
	char *near = directory_of(place->path);
	bool found = near && (open_linked(debug, link, place->root, near, "") ||
				     open_linked(debug, link, place->root, near,
					     ".debug/"));

	free(near);
	return found;
}

/* In each debug directory, below the directory of `path`, which is absolute. */
static bool open_below_directories(struct elffile *debug, struct link *link,
	const struct symbolizer_options *options, const char *root,
	const char *path)
{
	const char *const *directory = directories_of(options);
	char *far = directory_of(path);
	bool found = false;

	for (; far && *directory && !found; directory++)
		found = open_linked(debug, link, NULL, *directory, far) ||
			(root && open_linked(
					 debug, link, root, *directory, far));
	free(far);
	return found;
}

/* The path may lead through links: both names of the place count. */
static bool open_far(struct elffile *debug, struct link *link,
	const struct symbolizer_options *options,
	const struct searchpath *place)
{
	char *real = openfile_real_path(place->root, place->path);
	bool found = place->path[0] == '/' &&
		     open_below_directories(
			     debug, link, options, place->root, place->path);

	if (!found && real && strcmp(real, place->path) != 0)
		found = open_below_directories(
			debug, link, options, place->root, real);
	free(real);
	return found;
}

bool debugfile_open_by_link(struct elffile *debug,
	const struct symbolizer_options *options, struct elffile *file,
	const struct searchpath *place, bool *rejected)
{
	struct link link = {0};
	char *name = elffile_debug_link(file, &link.crc);
	bool found = false;

	/* a name with a slash could lead anywhere */
	if (name && !strchr(name, '/')) {
		link.name = name;
		found = open_near(debug, &link, place) ||
			open_far(debug, &link, options, place);
	}
	free(name);
	*rejected = link.rejected;
	return found;
}

bool debugfile_download(struct elffile *debug,
	const struct symbolizer_options *options, const uint8_t *build_id,
	size_t build_id_bytes, const char **why)
{
	char name[DOWNLOAD_NAME_MAX + 1];

	*why = NULL;
	if (!options->debuginfod ||
		!download_name(name, build_id, build_id_bytes))
		return false;
	*why = elffile_open(debug, name);
	if (*why)
		return false;
	if (debug->build_id_bytes == build_id_bytes &&
		memcmp(debug->build_id, build_id, build_id_bytes) == 0)
		return true;
	*why = "it has sent a file with another build-id";
	elffile_close(debug);
	return false;
}
