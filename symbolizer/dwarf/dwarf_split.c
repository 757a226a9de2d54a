#include "symbolizer/dwarf/dwarf_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/elf/debugfile.h"
#include "symbolizer/elf/elffile.h"

/* A file that was looked for; one that is not there is so only once. */
struct file {
	const char *root;
	char *path;
	struct dwarf_reader *reader; /* null: it cannot be used */
};

struct dwarf_split {
	const struct symbolizer_options *options;
	const char *file_root;
	const char *program_root;
	char *file;
	char *program;
	struct file *files;
	size_t file_count, file_room;
};

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

struct dwarf_split *dwarf_split_new(const struct debugpaths *paths)
{
	struct dwarf_split *split = calloc(1, sizeof(*split));

	if (!split)
		return NULL;
	split->options = paths->options;
	split->file_root = paths->file->root;
	split->program_root = paths->program->root;
	split->file = copy(paths->file->path);
	split->program = copy(paths->program->path);
	return split;
}

void dwarf_split_free(struct dwarf_split *split)
{
	size_t i;

	if (!split)
		return;
	for (i = 0; i < split->file_count; i++) {
		free(split->files[i].path);
		dwarf_reader_close(split->files[i].reader);
	}
	free(split->files);
	free(split->file);
	free(split->program);
	free(split);
}

static struct dwarf_reader *open_reader(const char *root, const char *path)
{
	struct dwarf_reader *reader;
	struct elffile file;
	const char *why;

	if (elffile_open_below(&file, root, path) != NULL)
		return NULL;
	reader = dwarf_reader_open(&file, DWARF_READER_SPLIT, &why);
	elffile_close(&file);
	return reader;
}

/* `path` is taken over.  Null when there is no such file. */
static struct dwarf_reader *reader_at(
	struct dwarf_split *split, const char *root, char *path)
{
	size_t i;

	if (!path)
		return NULL;
	for (i = 0; i < split->file_count; i++)
		if (split->files[i].root == root &&
			strcmp(split->files[i].path, path) == 0) {
			free(path);
			return split->files[i].reader;
		}
	if (!array_reserve(
		    split->files, split->file_room, split->file_count + 1)) {
		free(path);
		return NULL;
	}
	split->files[split->file_count] = (struct file){
		.root = root, .path = path, .reader = open_reader(root, path)};
	return split->files[split->file_count++].reader;
}

/* Where the compiler has put it, as far as that can be told here. */
static struct dwarf_reader *recorded_reader(
	struct dwarf_split *split, const struct dwarf_unit *skeleton)
{
	const char *directory = skeleton->directory ? skeleton->directory : ".";
	const char *name = skeleton->split_name;
	struct searchpath place;
	char *recorded = NULL;
	bool found;

	if (name[0] != '/' && asprintf(&recorded, "%s/%s", directory, name) < 0)
		return NULL;
	found = searchpath_find(
		&place, split->options, recorded ? recorded : name);
	free(recorded);
	return found ? reader_at(split, place.root, place.path) : NULL;
}

/* One that is beside the program now. */
static struct dwarf_reader *reader_beside(
	struct dwarf_split *split, const char *name)
{
	const char *program = split->program ? split->program : "";
	const char *slash = strrchr(program, '/');
	char *path;

	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - program) : 0,
		    program, name) < 0)
		return NULL;
	return reader_at(split, split->program_root, path);
}

/* The package that is named after a file. */
static struct dwarf_reader *package_of(
	struct dwarf_split *split, const char *root, const char *file)
{
	char *path;

	if (!file || asprintf(&path, "%s.dwp", file) < 0)
		return NULL;
	return reader_at(split, root, path);
}

/* What the skeleton knows for the unit that it stands for. */
static struct dwarf_unit *adopt(
	struct dwarf_unit *unit, const struct dwarf_unit *skeleton)
{
	unit->home = skeleton->home;
	unit->lines = UINT64_MAX;
	unit->address_base = skeleton->address_base;
	unit->ranges_base = skeleton->ranges_base;
	unit->low = skeleton->low;
	return unit;
}

static struct dwarf_unit *unit_in(
	struct dwarf_reader *reader, const struct dwarf_unit *skeleton)
{
	size_t i;

	for (i = 0; reader && i < reader->unit_count; i++) {
		struct dwarf_unit *unit = &reader->units[i];

		if (unit->split_id == skeleton->split_id)
			return adopt(unit, skeleton);
	}
	return NULL;
}

struct dwarf_unit *dwarf_split_unit(
	struct dwarf_split *split, struct dwarf_unit *skeleton)
{
	const char *name = skeleton->split_name;
	const char *slash = strrchr(name, '/');
	struct dwarf_unit *unit =
		unit_in(package_of(split, split->program_root, split->program),
			skeleton);

	if (!unit)
		unit = unit_in(package_of(split, split->file_root, split->file),
			skeleton);
	if (!unit)
		unit = unit_in(recorded_reader(split, skeleton), skeleton);
	if (!unit)
		unit = unit_in(reader_beside(split, slash ? slash + 1 : name),
			skeleton);
	return unit;
}
