#include "symbolizer/answers/symbolmodule.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/elf/debugfile.h"
#include "symbolizer/files/openfile.h"

#define DELETED " (deleted)"

/* What is being opened for a module. */
struct opening {
	struct symbolmodule *module;
	const struct symbolizer_options *options;
	struct searchpath place; /* where the file should be */
};

/* The first complaint is the cause of those that follow. */
static void complain(struct symbolmodule *module, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(struct symbolmodule *module, const char *format, ...)
{
	va_list arguments;

	if (module->complaint)
		return;
	va_start(arguments, format);
	if (vasprintf(&module->complaint, format, arguments) < 0)
		module->complaint = NULL;
	va_end(arguments);
}

static void take_complaint_back(struct symbolmodule *module)
{
	free(module->complaint);
	module->complaint = NULL;
}

static char *hexadecimal(const uint8_t *bytes, size_t count)
{
	char *text = calloc(2 * count + 1, 1);
	size_t i;

	for (i = 0; text && i < count; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static void complain_of_build_id(
	struct symbolmodule *module, const struct elffile *file)
{
	char *wanted = hexadecimal(module->build_id, module->build_id_bytes);
	char *found = hexadecimal(file->build_id, file->build_id_bytes);

	if (wanted && found && *found)
		complain(module,
			"%s: not the file that was recorded: its build-id is "
			"%s and should be %s: put the right file there, "
			"give the directory of its debug file, or use --force",
			module->name, found, wanted);
	else if (wanted)
		complain(module,
			"%s: not the file that was recorded: it has no "
			"build-id and should have %s: put the right file "
			"there, give the directory of its debug file, or use "
			"--force",
			module->name, wanted);
	free(wanted);
	free(found);
}

static bool hash_part(const struct opening *opening, struct elffile *file,
	const struct elffile_part *part, uint64_t *hash)
{
	void *bytes = elffile_read(file, part->offset, part->bytes);

	if (bytes)
		*hash = opening->options->hash(bytes, part->bytes);
	free(bytes);
	return bytes != NULL;
}

/*
 * A hash that cannot be made does not equal.  Before constants were part of it
 * it was that of the code alone.
 */
static bool has_content(const struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;
	const struct elffile_part code = {file->code_offset, file->code_bytes};
	uint64_t each[1 + ELFFILE_CONSTANT] = {0}, hash = 0;
	unsigned used = 1;
	bool whole;

	if (!module->content_hash || !opening->options->hash)
		return true;
	whole = hash_part(opening, file, &code, &each[0]);
	if (whole && each[0] == module->content_hash)
		return true;
	for (; whole && used <= file->constants; used++)
		whole = hash_part(
			opening, file, &file->constant[used - 1], &each[used]);
	if (whole)
		hash = opening->options->hash(each, used * sizeof(*each));
	if (whole && hash == module->content_hash)
		return true;
	complain(module,
		"%s: not the file that was recorded: the hash of its code and "
		"constants is "
		"%016llx and should be %016llx: put the right file there or "
		"use --force",
		module->name, (unsigned long long)hash,
		(unsigned long long)module->content_hash);
	return false;
}

static bool has_build_id(
	const struct symbolmodule *module, const struct elffile *file)
{
	return module->build_id_bytes > 0 &&
	       file->build_id_bytes == module->build_id_bytes &&
	       memcmp(file->build_id, module->build_id, file->build_id_bytes) ==
		       0;
}

static bool is_recorded_file(
	const struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;

	if (module->build_id) {
		if (has_build_id(module, file))
			return true;
		complain_of_build_id(module, file);
		return false;
	}
	if (module->file_bytes && file->bytes != module->file_bytes) {
		complain(module,
			"%s: not the file that was recorded: it has %llu bytes "
			"and should have %llu: put the right file there or use "
			"--force",
			module->name, (unsigned long long)file->bytes,
			(unsigned long long)module->file_bytes);
		return false;
	}
	return has_content(opening, file);
}

/*
 * The name that a file had before it was removed, when another file of that
 * name can be told from it.  Null: it cannot.  Caller frees.
 */
static char *name_before_removal(const struct symbolmodule *module)
{
	size_t bytes = strlen(module->path);
	size_t mark = sizeof(DELETED) - 1;

	if (bytes <= mark || strcmp(module->path + bytes - mark, DELETED) != 0)
		return NULL;
	if (!module->build_id && !module->content_hash)
		return NULL;
	return strndup(module->path, bytes - mark);
}

/* Opens what `recorded` leads to now, and notes where that is. */
static const char *open_at(
	struct opening *opening, struct elffile *file, const char *recorded)
{
	free(opening->place.path);
	if (!searchpath_find(&opening->place, opening->options, recorded))
		return "out of memory";
	return elffile_open_below(
		file, opening->place.root, opening->place.path);
}

static const char *open_path(struct opening *opening, struct elffile *file)
{
	const char *why = open_at(opening, file, opening->module->path);
	char *before = why ? name_before_removal(opening->module) : NULL;

	if (before && !open_at(opening, file, before))
		why = NULL;
	free(before);
	return why;
}

static bool is_vdso(const char *path)
{
	return path[0] == '[' || strncmp(path, "linux-vdso.so.", 14) == 0;
}

static bool open_vdso(struct symbolmodule *module, struct elffile *file)
{
	if (!elffile_open(file, VDSO_NAME)) {
		if (has_build_id(module, file))
			return true;
		elffile_close(file);
	}
	complain(module,
		"%s: no names: another kernel has provided this code and there "
		"is no file of it: ask on the machine where it was recorded",
		module->name);
	return false;
}

/* Where it was; false with a complaint when it is not there. */
static bool open_named(struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;
	const char *why;

	if (is_vdso(module->path))
		return open_vdso(module, file);
	why = open_path(opening, file);
	if (why) {
		complain(module,
			"%s: no names: %s: put the file there or give the "
			"directory of its debug file",
			module->name, why);
		return false;
	}
	if (is_recorded_file(opening, file))
		return true;
	elffile_close(file);
	return false;
}

/* The file itself, wherever it is; false with a complaint. */
static bool open_recorded(struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;

	if (module->path && open_named(opening, file))
		return true;
	if (module->build_id &&
		debugfile_open_by_build_id(file, opening->options,
			DEBUGFILE_PROGRAM, module->build_id,
			module->build_id_bytes)) {
		take_complaint_back(module);
		return true;
	}
	if (!module->path)
		complain(module,
			"%s: no debug file with this build-id: it is not below "
			".build-id in a debug directory: give the directory "
			"that it is in",
			module->name);
	return false;
}

/* Takes `file` over when it is the first, or better than what there is. */
static void use_file(struct symbolmodule *module, struct elffile *file)
{
	struct symtab symtab;

	if (!symtab_load(&symtab, file, module->sources))
		symtab_free(&symtab);
	if (module->has_file && (symtab.count == 0 || symtab.dynamic)) {
		symtab_free(&symtab);
		elffile_close(file);
		return;
	}
	if (module->has_file) {
		symtab_take_stubs(&symtab, &module->symtab);
		symtab_free(&module->symtab);
		elffile_close(&module->file);
	}
	module->file = *file;
	module->symtab = symtab;
	module->has_file = true;
}

static void use_debuginfo(const struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;
	const struct debugpaths paths = {
		.options = opening->options,
		.file = file,
		.program = module->has_file ? &module->file : file,
	};
	const char *why;

	if (module->sources == SYMTAB_TABLES)
		return;
	module->debuginfo = debuginfo_open(file, &paths, &why);
	if (why)
		complain(module, "%s: no lines: %s: %s", module->name, why,
			why == elffile_no_memory
				? SYMBOLIZER_MORE("symbol-memory")
				: "build it again or install its debug file "
				  "again");
}

/* What .gnu_debuglink of the file names. */
static bool open_linked(struct opening *opening, struct elffile *debug)
{
	struct symbolmodule *module = opening->module;
	bool rejected;

	if (!module->has_file || !opening->place.path)
		return false;
	if (debugfile_open_by_link(debug, opening->options, &module->file,
		    &opening->place, &rejected))
		return true;
	if (rejected)
		complain(module,
			"%s: no lines: the debug file that it names was made "
			"for another file, its CRC32 differs: install the "
			"right one",
			module->name);
	return false;
}

/* The separate debug file of what has been opened or could not be opened. */
static bool open_separate(struct opening *opening, struct elffile *debug)
{
	struct symbolmodule *module = opening->module;
	const uint8_t *build_id = module->build_id;
	size_t bytes = module->build_id_bytes;
	const char *why;

	if (module->has_file && module->file.build_id) {
		build_id = module->file.build_id;
		bytes = module->file.build_id_bytes;
	}
	if (build_id && debugfile_open_by_build_id(debug, opening->options,
				DEBUGFILE_DEBUG, build_id, bytes))
		return true;
	if (open_linked(opening, debug))
		return true;
	if (build_id && debugfile_download(
				debug, opening->options, build_id, bytes, &why))
		return true;
	if (build_id && why)
		complain(module,
			"%s: no lines: --debuginfod has no answer: %s: try "
			"again or install its debug file",
			module->name, why);
	return false;
}

static bool has_all(const struct symbolmodule *module)
{
	if (module->sources == SYMTAB_TABLES)
		return module->has_file && !module->symtab.dynamic;
	return module->debuginfo;
}

static void use(struct opening *opening, struct elffile *file)
{
	struct elffile debug;

	if (file) {
		use_debuginfo(opening, file);
		use_file(opening->module, file);
	}
	if (has_all(opening->module) || !open_separate(opening, &debug))
		return;
	/* with the debug file the file itself is not missed */
	take_complaint_back(opening->module);
	use_debuginfo(opening, &debug);
	use_file(opening->module, &debug);
}

static void open_module(struct opening *opening)
{
	struct symbolmodule *module = opening->module;
	struct elffile file;

	use(opening, open_recorded(opening, &file) ? &file : NULL);
	if (module->has_file || !opening->options->force || !module->path ||
		is_vdso(module->path) || open_path(opening, &file))
		return;
	take_complaint_back(module);
	use(opening, &file);
}

static void *copy(const void *data, size_t bytes)
{
	void *made = malloc(bytes);

	if (made)
		memcpy(made, data, bytes);
	return made;
}

struct symbolmodule *symbolmodule_new(const struct symbolizer_module *wanted,
	const struct symbolizer_options *options, enum symtab_sources sources)
{
	struct symbolmodule *module = calloc(1, sizeof(*module));
	struct opening opening = {.module = module, .options = options};

	if (!module)
		return NULL;
	module->sources = sources;
	module->file_bytes = wanted->file_bytes;
	module->content_hash = wanted->content_hash;
	if (wanted->path)
		module->path = strdup(wanted->path);
	if (wanted->build_id_bytes > 0) {
		module->build_id =
			copy(wanted->build_id, wanted->build_id_bytes);
		module->build_id_bytes = wanted->build_id_bytes;
	}
	module->name = wanted->path ? strdup(wanted->path)
				    : hexadecimal(wanted->build_id,
					      wanted->build_id_bytes);
	if (!module->name || (wanted->path && !module->path) ||
		(wanted->build_id_bytes > 0 && !module->build_id)) {
		symbolmodule_free(module);
		return NULL;
	}
	open_module(&opening);
	free(opening.place.path);
	return module;
}

void symbolmodule_free(struct symbolmodule *module)
{
	if (!module)
		return;
	debuginfo_close(module->debuginfo);
	codejumps_free(&module->jumps);
	if (module->has_file) {
		symtab_free(&module->symtab);
		elffile_close(&module->file);
	}
	free(module->path);
	free(module->build_id);
	free(module->complaint);
	free(module->name);
	free(module);
}
