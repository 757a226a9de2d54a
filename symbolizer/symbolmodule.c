#include "symbolizer/symbolmodule.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/debugfile.h"

#define DELETED " (deleted)"

static const char *const usual_directories[] = {"/usr/lib/debug", NULL};

/* What is being opened for a module. */
struct opening {
	struct symbolmodule *module;
	const struct symbolizer_options *options;
	const char *const *directories;
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

static char *hexadecimal(const uint8_t *bytes, size_t count)
{
	char *text = malloc(2 * count + 1);
	size_t i;

	for (i = 0; text && i < count; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	if (text)
		text[2 * count] = '\0';
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
			"%s and should be %s: put the right file there or "
			"give the directory of its debug file",
			module->name, found, wanted);
	else if (wanted)
		complain(module,
			"%s: not the file that was recorded: it has no "
			"build-id and should have %s: put the right file there "
			"or give the directory of its debug file",
			module->name, wanted);
	free(wanted);
	free(found);
}

/* A hash that cannot be made does not equal. */
static bool has_content(const struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;
	uint64_t hash = 0;
	void *code;

	if (!module->content_hash || !opening->options->hash)
		return true;
	code = elffile_read(file, file->code_offset, file->code_bytes);
	if (code)
		hash = opening->options->hash(code, file->code_bytes);
	free(code);
	if (code && hash == module->content_hash)
		return true;
	complain(module,
		"%s: not the file that was recorded: the hash of its code is "
		"%016llx and should be %016llx: put the right file there",
		module->name, (unsigned long long)hash,
		(unsigned long long)module->content_hash);
	return false;
}

static bool is_recorded_file(
	const struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;

	if (module->build_id) {
		if (file->build_id_bytes == module->build_id_bytes &&
			memcmp(file->build_id, module->build_id,
				file->build_id_bytes) == 0)
			return true;
		complain_of_build_id(module, file);
		return false;
	}
	if (module->file_bytes && file->bytes != module->file_bytes) {
		complain(module,
			"%s: not the file that was recorded: it has %llu bytes "
			"and should have %llu: put the right file there",
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

static const char *open_path(struct symbolmodule *module, struct elffile *file)
{
	const char *why = elffile_open(file, module->path);
	char *before = why ? name_before_removal(module) : NULL;

	if (before && !elffile_open(file, before))
		why = NULL;
	free(before);
	return why;
}

/* Opens the file itself; false with a complaint when there is none. */
static bool open_recorded(const struct opening *opening, struct elffile *file)
{
	struct symbolmodule *module = opening->module;
	const char *why;

	if (!module->path) {
		complain(module,
			"%s: no debug file with this build-id: it is not below "
			".build-id in a debug directory: give the directory "
			"that it is in",
			module->name);
		return false;
	}
	if (module->path[0] == '[') {
		complain(module,
			"%s: no names: the kernel provides this code and there "
			"is no file of it: nothing can be done",
			module->name);
		return false;
	}
	why = open_path(module, file);
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

/* Takes `file` over when it is the first, or better than what there is. */
static void use_file(struct symbolmodule *module, struct elffile *file)
{
	struct symtab symtab;

	if (!symtab_load(&symtab, file))
		symtab_free(&symtab);
	if (module->has_file && (symtab.count == 0 || symtab.dynamic)) {
		symtab_free(&symtab);
		elffile_close(file);
		return;
	}
	if (module->has_file) {
		symtab_free(&module->symtab);
		elffile_close(&module->file);
	}
	module->file = *file;
	module->symtab = symtab;
	module->has_file = true;
}

static void use_debuginfo(struct symbolmodule *module, struct elffile *file)
{
	const char *why;

	module->debuginfo = debuginfo_open(file, &why);
	if (why)
		complain(module,
			"%s: no lines: %s: build it again or install its "
			"debug file again",
			module->name, why);
}

/* The separate debug file of what has been opened or could not be opened. */
static bool open_separate(const struct opening *opening, struct elffile *debug)
{
	struct symbolmodule *module = opening->module;
	const uint8_t *build_id = module->build_id;
	size_t bytes = module->build_id_bytes;
	bool rejected;

	if (!build_id && module->has_file) {
		build_id = module->file.build_id;
		bytes = module->file.build_id_bytes;
	}
	if (build_id && debugfile_open_by_build_id(
				debug, opening->directories, build_id, bytes))
		return true;
	if (!module->has_file)
		return false;
	if (debugfile_open_by_link(debug, opening->directories, &module->file,
		    module->path, &rejected))
		return true;
	if (rejected)
		complain(module,
			"%s: no lines: the debug file that it names was made "
			"for another file, its CRC32 differs: install the "
			"right one",
			module->name);
	return false;
}

static void open_module(const struct opening *opening)
{
	struct symbolmodule *module = opening->module;
	struct elffile file;
	struct elffile debug;

	if (open_recorded(opening, &file)) {
		use_debuginfo(module, &file);
		use_file(module, &file);
	}
	if (module->debuginfo || !open_separate(opening, &debug))
		return;
	/* with the debug file the file itself is not missed */
	free(module->complaint);
	module->complaint = NULL;
	use_debuginfo(module, &debug);
	use_file(module, &debug);
}

static void *copy(const void *data, size_t bytes)
{
	void *made = malloc(bytes);

	if (made)
		memcpy(made, data, bytes);
	return made;
}

struct symbolmodule *symbolmodule_new(const struct symbolizer_module *wanted,
	const struct symbolizer_options *options)
{
	struct symbolmodule *module = calloc(1, sizeof(*module));
	struct opening opening = {.module = module, .options = options};

	if (!module)
		return NULL;
	opening.directories = options->debug_directories
				      ? options->debug_directories
				      : usual_directories;
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
	return module;
}

void symbolmodule_free(struct symbolmodule *module)
{
	if (!module)
		return;
	debuginfo_close(module->debuginfo);
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

bool symbolmodule_is(const struct symbolmodule *module,
	const struct symbolizer_module *wanted)
{
	if (!module->path != !wanted->path ||
		(module->path && strcmp(module->path, wanted->path) != 0))
		return false;
	return module->build_id_bytes == wanted->build_id_bytes &&
	       (module->build_id_bytes == 0 ||
		       memcmp(module->build_id, wanted->build_id,
			       module->build_id_bytes) == 0) &&
	       module->file_bytes == wanted->file_bytes &&
	       module->content_hash == wanted->content_hash;
}
