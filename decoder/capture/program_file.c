#include "decoder/capture/program_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static struct symbolizer_program *open_recorded(
	const struct program_module *module,
	const struct symbolizer_options *options, const char *path,
	char **complaint)
{
	const struct symbolizer_module asked = {
		.path = path,
		.build_id =
			module->build_id_bytes > 0 ? module->build_id : NULL,
		.build_id_bytes = module->build_id_bytes,
		.file_bytes = module->file_bytes,
		.content_hash = module->content_hash,
	};

	*complaint = NULL;
	return symbolizer_program_open(options, &asked, complaint);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * At a path that is not the recorded one, so no map is for it.  What is wrong
 * with one that has the name of the module is told instead of *complaint.
 */
static struct symbolizer_program *open_other(
	const struct program_module *module,
	const struct symbolizer_options *options, const char *path,
	char **complaint)
{
	struct symbolizer_options here = *options;
	bool same_name = strcmp(last_part(path), last_part(module->path)) == 0;
	struct symbolizer_program *program;
	char *wrong;

	if (!same_name && module->build_id_bytes == 0 &&
		module->content_hash == 0)
		return NULL; /* it could be any */
	here.path_maps = NULL;
	here.sysroot = NULL;
	here.force &= same_name;
	program = open_recorded(module, &here, path, &wrong);
	if (program || (wrong && same_name)) {
		free(*complaint);
		*complaint = wrong;
	} else {
		free(wrong);
	}
	return program;
}

static struct symbolizer_program *open_anywhere(
	const struct program_module *module,
	const struct symbolizer_options *options,
	const char *const *executables, char **complaint)
{
	struct symbolizer_program *program =
		open_recorded(module, options, module->path, complaint);

	for (; !program && executables && *executables; executables++)
		program = open_other(module, options, *executables, complaint);
	return program;
}

struct program_file *program_file_open(const struct program_module *module,
	const struct symbolizer_options *options,
	const char *const *executables, char **complaint)
{
	struct program_file *file = calloc(1, sizeof(*file));

	*complaint = NULL;
	if (!file)
		return NULL;
	/* the file outlives the capture that has named it */
	file->module = *module;
	file->module.path =
		pool_copy(&file->pool, module->path, module->path_bytes);
	file->module.build_id = (const uint8_t *)pool_copy(
		&file->pool, module->build_id, module->build_id_bytes);
	if (!file->module.path || !file->module.build_id) {
		program_file_close(file);
		return NULL;
	}
	file->program = open_anywhere(module, options, executables, complaint);
	return file;
}

void program_file_close(struct program_file *file)
{
	symbolizer_program_close(file->program);
	free(file->calls);
	pool_free(&file->pool);
	free(file->complaint);
	free(file);
}

bool program_file_is(
	const struct program_file *file, const struct program_module *module)
{
	const struct program_module *own = &file->module;

	return own->file_bytes == module->file_bytes &&
	       own->content_hash == module->content_hash &&
	       own->build_id_bytes == module->build_id_bytes &&
	       memcmp(own->build_id, module->build_id, own->build_id_bytes) ==
		       0 &&
	       strcmp(own->path, module->path) == 0;
}

static void take_call(void *closure, const struct symbolizer_call *call)
{
	struct program_file *file = closure;
	struct program_file_call taken = {.next = call->next};

	if (call->said)
		return; /* what it prints is not sure */
	if (!array_reserve(file->calls, file->room, file->count + 1))
		return;
	if (call->text_count == 1 && !call->more && !call->texts->wide) {
		taken.text = pool_copy(
			&file->pool, call->texts->bytes, call->texts->count);
		taken.length = call->texts->count;
	}
	file->calls[file->count++] = taken;
}

static int compare(const void *left, const void *right)
{
	const struct program_file_call *a = left;
	const struct program_file_call *b = right;

	return a->next < b->next ? -1 : a->next > b->next;
}

const struct program_file_call *program_file_call_before(
	struct program_file *file, uint64_t address)
{
	const struct program_file_call wanted = {.next = address};

	if (!file->listed) {
		file->listed = true;
		symbolizer_program_calls(file->program, take_call, file);
		if (file->count > 0)
			qsort(file->calls, file->count, sizeof(*file->calls),
				compare);
	}
	if (file->count == 0)
		return NULL;
	return bsearch(&wanted, file->calls, file->count, sizeof(*file->calls),
		compare);
}
