#include "symbolizer/files/openedlist.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"

/* Debug information may be split over many files; what asks more is mad. */
#define FILES_MAX 16384
#define NS_PER_SECOND 1000000000u
#define SETTLED_SECONDS 2 /* FAT has the largest ticks */

static bool is_same_string(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has(
	const struct openedlist *list, const char *root, const char *path)
{
	size_t i;

	/* the same one is asked for soon again, if at all */
	for (i = list->count; i > 0 && list->count - i < 16; i--)
		if (is_same_string(list->files[i - 1].path, path) &&
			is_same_string(list->files[i - 1].root, root))
			return true;
	return false;
}

bool openedlist_put(struct openedlist *list, const char *root, const char *path,
	const struct openfile_identity *identity)
{
	struct openedlist_file file = {
		.root = root ? strdup(root) : NULL,
		.path = strdup(path),
		.identity = *identity,
	};
	struct openedlist_file *files = NULL;

	if (list->count < FILES_MAX)
		files = array_grow(
			list->files, &list->room, list->count, sizeof(*files));
	if (files)
		list->files = files;
	if (files && file.path && !file.root == !root) {
		files[list->count++] = file;
		return true;
	}
	free(file.root);
	free(file.path);
	return false;
}

static bool is_new(const struct openfile_identity *identity)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return identity->changed / NS_PER_SECOND + SETTLED_SECONDS >=
	       (uint64_t)now.tv_sec;
}

void openedlist_add(struct openedlist *list, const char *root, const char *path)
{
	struct openfile_identity identity;

	if (list->incomplete || has(list, root, path))
		return;
	openfile_identify(&identity, root, path);
	if (is_new(&identity) || !openedlist_put(list, root, path, &identity))
		list->incomplete = true;
}

bool openedlist_is_unchanged(const struct openedlist *list)
{
	struct openfile_identity now;
	size_t i;

	for (i = 0; i < list->count; i++) {
		openfile_identify(
			&now, list->files[i].root, list->files[i].path);
		if (memcmp(&now, &list->files[i].identity, sizeof(now)) != 0)
			return false;
	}
	return !list->incomplete;
}

bool openedlist_is_vain(const struct openedlist *list)
{
	const struct openfile_identity nothing = {0};
	size_t i;

	for (i = 0; i < list->count; i++)
		if (memcmp(&list->files[i].identity, &nothing,
			    sizeof(nothing)) != 0)
			return false;
	return true;
}

void openedlist_free(struct openedlist *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		free(list->files[i].root);
		free(list->files[i].path);
	}
	free(list->files);
	memset(list, 0, sizeof(*list));
}
