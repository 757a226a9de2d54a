#include "symbolizer/dwarf/dwarf_supplement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/elf/debugfile.h"

/* What a file says of its supplement, or a supplement of itself. */
struct link {
	char *section;	   /* that the rest lies in */
	const char *name;  /* of the supplement */
	const uint8_t *id; /* its build-id, or another number */
	size_t id_bytes;
};

static struct dwarf_cursor read_section(
	struct elffile *file, const char *name, struct link *link)
{
	size_t section = elffile_section_named(file, name);
	struct dwarf_bytes bytes = {0};
	const char *why;

	if (section != ELFFILE_NONE)
		link->section =
			elffile_read_section(file, section, &bytes.bytes, &why);
	bytes.data = (const uint8_t *)link->section;
	return dwarf_cursor_at(&bytes, 0);
}

/* .gnu_debugaltlink: a name and a build-id. */
static bool read_gnu_link(struct elffile *file, struct link *link)
{
	struct dwarf_cursor cursor =
		read_section(file, ".gnu_debugaltlink", link);

	link->name = dwarf_cursor_string(&cursor);
	link->id = cursor.at;
	link->id_bytes = dwarf_cursor_left(&cursor);
	return !cursor.damaged && link->id_bytes > 0;
}

/* .debug_sup, which the supplement has as well. */
static bool read_link(
	struct elffile *file, bool is_supplement, struct link *link)
{
	struct dwarf_cursor cursor = read_section(file, ".debug_sup", link);

	dwarf_cursor_skip(&cursor, 2); /* version */
	if (!cursor.damaged &&
		(dwarf_cursor_byte(&cursor) != 0) != is_supplement)
		return false;
	link->name = dwarf_cursor_string(&cursor);
	link->id_bytes = dwarf_cursor_uleb(&cursor);
	link->id = cursor.at;
	dwarf_cursor_skip(&cursor, link->id_bytes);
	return !cursor.damaged && link->id_bytes > 0;
}

static bool is_wanted(struct elffile *file, const struct link *wanted)
{
	struct link own = {0};
	bool same = file->build_id_bytes == wanted->id_bytes &&
		    memcmp(file->build_id, wanted->id, wanted->id_bytes) == 0;

	if (!same && read_link(file, true, &own))
		same = own.id_bytes == wanted->id_bytes &&
		       memcmp(own.id, wanted->id, wanted->id_bytes) == 0;
	free(own.section);
	return same;
}

static bool open_path(struct elffile *file, const char *root, const char *path,
	const struct link *wanted)
{
	if (elffile_open_below(file, root, path) != NULL)
		return false;
	if (is_wanted(file, wanted))
		return true;
	elffile_close(file);
	return false;
}

/* A name that does not begin with a slash is relative to the debug file. */
static bool open_beside(struct elffile *file, const struct debugpaths *paths,
	const struct link *wanted)
{
	const char *own = paths->file->path ? paths->file->path : "";
	const char *slash = strrchr(own, '/');
	bool found;
	char *path;

	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - own) : 0, own,
		    wanted->name) < 0)
		return false;
	found = open_path(file, paths->file->root, path, wanted);
	free(path);
	return found;
}

static bool open_named(struct elffile *file, const struct debugpaths *paths,
	const struct link *wanted)
{
	struct searchpath place;
	bool found;

	if (wanted->name[0] != '/')
		return open_beside(file, paths, wanted);
	if (!searchpath_find(&place, paths->options, wanted->name))
		return false;
	found = open_path(file, place.root, place.path, wanted);
	free(place.path);
	return found;
}

/* DIRECTORY/.dwz/NAME: where distributions put them, whatever the name. */
static bool open_below(struct elffile *file, const struct debugpaths *paths,
	const struct link *wanted)
{
	static const char *const usual[] = {"/usr/lib/debug", NULL};
	const char *const *directory = paths->options->debug_directories;
	const char *slash = strrchr(wanted->name, '/');
	const char *name = slash ? slash + 1 : wanted->name;
	bool found = false;

	for (directory = directory ? directory : usual; *directory && !found;
		directory++) {
		char *path;

		if (asprintf(&path, "%s/.dwz/%s", *directory, name) < 0)
			return false;
		found = open_path(file, NULL, path, wanted) ||
			(paths->options->sysroot &&
				open_path(file, paths->options->sysroot, path,
					wanted));
		free(path);
	}
	return found;
}

static bool open_wanted(struct elffile *file, const struct debugpaths *paths,
	const struct link *wanted)
{
	return open_named(file, paths, wanted) ||
	       open_below(file, paths, wanted) ||
	       debugfile_open_by_build_id(file, paths->options, DEBUGFILE_DEBUG,
		       wanted->id, wanted->id_bytes);
}

struct dwarf_reader *dwarf_supplement_open(
	struct elffile *file, const struct debugpaths *paths)
{
	struct dwarf_reader *reader = NULL;
	struct elffile supplement;
	const char *why;
	struct link link = {0};
	bool named = read_gnu_link(file, &link);

	if (!named) {
		free(link.section);
		link = (struct link){0};
		named = read_link(file, false, &link);
	}
	if (named && open_wanted(&supplement, paths, &link)) {
		reader = dwarf_reader_open(
			&supplement, DWARF_READER_WHOLE, &why);
		elffile_close(&supplement);
	}
	free(link.section);
	return reader;
}
