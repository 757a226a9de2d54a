#include "tools/symbolize/modules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"

/* As the shell would of an administrator, then as the loader. */
static const char usual[] = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:"
			    "/usr/sbin:/sbin:"
#if defined(__x86_64__)
			    "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
#elif defined(__aarch64__)
			    "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
#endif
			    "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";

/* The path of a file there; null: there is none. */
static char *look_in(const struct modules *modules, const char *directory,
	size_t bytes, const char *name, const char *ending)
{
	char *path;

	if (bytes > PATH_MAX ||
		asprintf(&path, "%.*s%s%s%s", (int)bytes, directory,
			bytes > 0 ? "/" : "", name, ending) < 0)
		return NULL;
	if (symbolizer_has_file(modules->options, path))
		return path;
	free(path);
	return NULL;
}

/* Directories with colons between; null: none. */
static char *look_in_all(const struct modules *modules, const char *directories,
	const char *name)
{
	char *found = NULL;

	while (directories && !found) {
		size_t bytes = strcspn(directories, ":");

		found = look_in(modules, directories, bytes, name, "");
		directories += bytes;
		directories = *directories ? directories + 1 : NULL;
	}
	return found;
}

static char *look_for_debug_file(
	const struct modules *modules, const char *name)
{
	const char *const *directory = modules->options->debug_directories;
	char *found = look_in(modules, "", 0, name, ".debug");

	for (; directory && *directory && !found; directory++)
		found = look_in(modules, *directory, strlen(*directory), name,
			".debug");
	return found;
}

static char *look_for(const struct modules *modules, const char *name)
{
	char *found = look_in(modules, "", 0, name, "");

	if (strchr(name, '/') || strlen(name) > NAME_MAX)
		return found;
	if (!found)
		found = look_in_all(modules, getenv("PATH"), name);
	if (!found)
		found = look_in_all(modules, getenv("LD_LIBRARY_PATH"), name);
	if (!found)
		found = look_in_all(modules, usual, name);
	if (!found)
		found = look_for_debug_file(modules, name);
	return found;
}

struct modules_place *modules_find(struct modules *modules, const char *name)
{
	const size_t slot = seeded_hash(seeded_hash_start, name, strlen(name)) %
			    MODULES_KEPT;
	struct modules_place *place = &modules->kept[slot];

	if (place->name && strcmp(place->name, name) == 0)
		return place;
	free(place->name);
	free(place->path);
	*place = (struct modules_place){.name = strdup(name)};
	if (!place->name)
		return NULL;
	place->path = look_for(modules, name);
	return place;
}

void modules_free(struct modules *modules)
{
	size_t i;

	for (i = 0; i < MODULES_KEPT; i++) {
		free(modules->kept[i].name);
		free(modules->kept[i].path);
	}
}
