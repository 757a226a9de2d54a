#include "symbolizer/dwarf/dwarfsplit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "symbolizer/dwarf/dwarfpackage.h"
#include "symbolizer/elf/debugfile.h"
#include "symbolizer/elf/elffile.h"

/* A file that was looked for; one that is not there is so only once. */
struct file {
	const char *root;
	char *path;
	struct dwarfobject *object; /* null: it cannot be used */
};

struct dwarfsplit {
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

struct dwarfsplit *dwarfsplit_new(const struct debugpaths *paths)
{
	struct dwarfsplit *split = calloc(1, sizeof(*split));

	if (!split)
		return NULL;
	split->options = paths->options;
	split->file_root = paths->file->root;
	split->program_root = paths->program->root;
	split->file = copy(paths->file->path);
	split->program = copy(paths->program->path);
	return split;
}

void dwarfsplit_free(struct dwarfsplit *split)
{
	size_t i;

	if (!split)
		return;
	for (i = 0; i < split->file_count; i++) {
		free(split->files[i].path);
		dwarfobject_close(split->files[i].object);
	}
	free(split->files);
	free(split->file);
	free(split->program);
	free(split);
}

static struct dwarfobject *open_object(const char *root, const char *path)
{
	struct dwarfobject *object;
	struct elffile file;
	const char *why;

	if (elffile_open_below(&file, root, path) != NULL)
		return NULL;
	object = dwarfobject_open(&file, DWARFOBJECT_SPLIT, &why);
	elffile_close(&file);
	if (!object)
		return NULL;
	if (!dwarfunit_list(object)) {
		dwarfobject_close(object);
		return NULL;
	}
	dwarfpackage_apply(object);
	return object;
}

/* `path` is taken over.  Null when there is no such file. */
static struct dwarfobject *object_at(
	struct dwarfsplit *split, const char *root, char *path)
{
	size_t i;

	if (!path)
		return NULL;
	for (i = 0; i < split->file_count; i++)
		if (split->files[i].root == root &&
			strcmp(split->files[i].path, path) == 0) {
			free(path);
			return split->files[i].object;
		}
	if (!array_reserve(
		    split->files, split->file_room, split->file_count + 1)) {
		free(path);
		return NULL;
	}
	split->files[split->file_count] = (struct file){
		.root = root, .path = path, .object = open_object(root, path)};
	return split->files[split->file_count++].object;
}

/* Where the compiler has put it, as far as that can be told here. */
static struct dwarfobject *recorded_object(
	struct dwarfsplit *split, const struct dwarfunit *skeleton)
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
	return found ? object_at(split, place.root, place.path) : NULL;
}

/* One that is beside the program now. */
static struct dwarfobject *object_beside(
	struct dwarfsplit *split, const char *name)
{
	const char *program = split->program ? split->program : "";
	const char *slash = strrchr(program, '/');
	char *path;

	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - program) : 0,
		    program, name) < 0)
		return NULL;
	return object_at(split, split->program_root, path);
}

/* The package that is named after a file. */
static struct dwarfobject *package_of(
	struct dwarfsplit *split, const char *root, const char *file)
{
	char *path;

	if (!file || asprintf(&path, "%s.dwp", file) < 0)
		return NULL;
	return object_at(split, root, path);
}

/* What the skeleton knows for the unit that it stands for. */
static struct dwarfunit *adopt(
	struct dwarfunit *unit, const struct dwarfunit *skeleton)
{
	unit->home = skeleton->home;
	unit->has_lines = false;
	unit->address_base = skeleton->address_base;
	unit->ranges_base = skeleton->ranges_base;
	unit->low = skeleton->low;
	return unit;
}

static struct dwarfunit *unit_in(
	struct dwarfobject *object, const struct dwarfunit *skeleton)
{
	size_t i;

	for (i = 0; object && i < object->unit_count; i++) {
		struct dwarfunit *unit = &object->units[i];

		/* before version 5 only the first entry tells the id */
		if (unit->encoding.version < 5 && !unit->in_package)
			dwarfunit_open(unit);
		if (unit->split_id == skeleton->split_id &&
			dwarfunit_open(unit))
			return adopt(unit, skeleton);
	}
	return NULL;
}

struct dwarfunit *dwarfsplit_unit(
	struct dwarfsplit *split, struct dwarfunit *skeleton)
{
	const char *name = skeleton->split_name;
	const char *slash = strrchr(name, '/');
	struct dwarfunit *unit =
		unit_in(package_of(split, split->program_root, split->program),
			skeleton);

	if (!unit)
		unit = unit_in(package_of(split, split->file_root, split->file),
			skeleton);
	if (!unit)
		unit = unit_in(recorded_object(split, skeleton), skeleton);
	if (!unit)
		unit = unit_in(object_beside(split, slash ? slash + 1 : name),
			skeleton);
	return unit;
}
