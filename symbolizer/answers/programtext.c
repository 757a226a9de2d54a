#include "symbolizer/answers/programtext.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/answers/symbolmodule.h"
#include "symbolizer/code/imports.h"

struct programtext {
	struct symbolmodule *module;
	struct constantdata data;
	struct handed handed;
};

/* A separate debug file has the sections of the program, but not the bytes. */
static bool is_program(const struct symbolmodule *module)
{
	const struct elffile_section *section = module->file.sections;
	size_t i;

	for (i = 0; module->has_file && i < module->file.section_count; i++)
		if (section[i].flags & SHF_EXECINSTR &&
			section[i].type == SHT_PROGBITS)
			return true;
	return false;
}

static struct symbolmodule *find(const struct symbolizer_options *options,
	const struct symbolizer_module *wanted)
{
	static const char *const nowhere[] = {NULL};
	struct symbolizer_options without = *options;
	struct symbolmodule *module =
		symbolmodule_new(wanted, options, SYMTAB_ALL);

	if (!module || !module->has_file || is_program(module))
		return module;
	symbolmodule_free(module);
	without.debug_directories = nowhere;
	without.debuginfod = false;
	return symbolmodule_new(wanted, &without, SYMTAB_ALL);
}

struct programtext *programtext_open(const struct symbolizer_options *options,
	const struct symbolizer_module *wanted, char **complaint)
{
	struct programtext *program = calloc(1, sizeof(*program));

	*complaint = NULL;
	if (!program)
		return NULL;
	program->module = find(options, wanted);
	if (program->module && is_program(program->module) &&
		constantdata_open(&program->data, &program->module->file))
		return program;
	if (program->module && program->module->complaint)
		*complaint = strdup(program->module->complaint);
	symbolmodule_free(program->module);
	free(program);
	return NULL;
}

void programtext_close(struct programtext *program)
{
	if (!program)
		return;
	handed_free(&program->handed);
	constantdata_close(&program->data);
	symbolmodule_free(program->module);
	free(program);
}

const char *programtext_path(const struct programtext *program)
{
	return program->module->name;
}

const uint8_t *programtext_string(
	struct programtext *program, uint64_t address, size_t *count)
{
	return constantdata_string(&program->data, address, count);
}

const uint8_t *programtext_bytes(
	struct programtext *program, uint64_t address, size_t count)
{
	size_t left;
	const uint8_t *bytes = constantdata_at(&program->data, address, &left);

	return bytes && count <= left ? bytes : NULL;
}

const char *programtext_calls(
	struct programtext *program, callsites_take *take, void *closure)
{
	return callsites_list(&program->module->file, take, closure);
}

void programtext_handed(struct programtext *program, uint64_t next,
	handed_take *take, void *closure)
{
	handed_each(&program->handed, &program->data, next, take, closure);
}

void programtext_statements(
	struct programtext *program, handed_take *take, void *closure)
{
	handed_list(&program->handed, &program->data, take, closure);
}
