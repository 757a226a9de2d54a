#include "base/array.h"
#include "base/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/seeded_hash.h"
#include "record/layout.h"
#include "record/program_name.h"

static uint32_t hash_of(uint32_t pid, uint32_t process)
{
	size_t hash = id_map_hash(pid) * 31 + process;

	return (uint32_t)(hash ^ hash >> 32);
}

static bool enter(struct program_table *table, struct program *program)
{
	uint32_t hash = hash_of(program->pid, program->process);

	if (!id_map_set(&table->pids, program->pid, program) ||
		!id_map_set(&table->numbers, program->process, program))
		return false;
	program->collides = id_map_find(&table->programs, hash);
	program->older = table->newest;
	table->newest = program;
	return id_map_set(&table->programs, hash, program);
}

struct program *program_find(
	struct program_table *table, uint32_t pid, uint32_t process)
{
	struct program *program;

	if (table->elsewhere && process == 0 && pid == table->elsewhere_pid)
		return table->elsewhere;
	program = id_map_find(&table->programs, hash_of(pid, process));
	while (program && (program->pid != pid || program->process != process))
		program = program->collides;
	if (program)
		return program;
	program = pool_take(&table->pool, sizeof(*program));
	if (!program)
		return NULL;
	*program =
		(struct program){.pid = pid, .process = process, .name = "?"};
	return enter(table, program) ? program : NULL;
}

/*
 * By the number that the child has noted, or, if it was executed and not
 * forked, or is from a writer that knew of no such numbers, by the pid.
 */
static const struct program *find_parent(const struct program_table *table,
	const struct program *child, const struct binlog_process_record *head)
{
	const struct program *parent =
		child->process != 0 ? id_map_find(&table->numbers, head->parent)
				    : id_map_find(&table->pids, head->ppid);

	return parent == child ? NULL : parent;
}

/* The next NUL-terminated string of the record.  Null: it is not there. */
static const char *next_string(struct cursor *record)
{
	size_t length = strnlen((const char *)record->at, cursor_left(record));

	if (length == cursor_left(record))
		return NULL;
	return (const char *)cursor_bytes(record, length + 1);
}

/* Null: not both strings are there. */
static const char *read_names(struct cursor *strings, const char **directory)
{
	const char *executable = next_string(strings);

	*directory = executable ? next_string(strings) : NULL;
	return *directory ? executable : NULL;
}

/* What it was started with. */
static void set_start(struct program_table *table, struct program *program,
	const struct program_description *description)
{
	struct pool *pool = &table->pool;

	if (description->arguments) {
		program->arguments = pool_copy(pool, description->arguments,
			description->argument_bytes);
		program->argument_bytes = description->argument_bytes;
	}
	if (description->host)
		program->host = pool_copy(
			pool, description->host, description->host_bytes);
	if (description->environment) {
		program->environment = pool_copy(pool, description->environment,
			description->environment_bytes);
		program->environment_bytes = description->environment_bytes;
	}
}

void program_set(struct program_table *table, struct program *program,
	const struct program_description *description)
{
	if (program == table->elsewhere && program->executable)
		return;
	program->ppid = description->ppid;
	program->uid = description->uid;
	program->fork = description->fork;
	program->parent = description->parent;
	if (!description->executable)
		return;
	program->executable = pool_copy(&table->pool, description->executable,
		description->executable_bytes);
	program->directory = pool_copy(&table->pool, description->directory,
		description->directory_bytes);
	set_start(table, program, description);
	if (!program->executable || !*program->executable)
		return;
	program->name = binlog_program_name(program->executable,
		program->argument_bytes > 0 ? program->arguments : NULL);
}

/* What is behind the names, as far as it is there. */
static void read_start(struct cursor *strings, uint32_t argc,
	struct program_description *description)
{
	const char *begin = (const char *)strings->at;

	while (argc > 0 && next_string(strings))
		argc--;
	description->arguments = begin;
	description->argument_bytes =
		(size_t)((const char *)strings->at - begin);
	if (argc > 0)
		return;
	description->host = next_string(strings);
	if (!description->host)
		return;
	description->host_bytes = strlen(description->host);
	begin = (const char *)strings->at;
	while (next_string(strings))
		;
	description->environment = begin;
	description->environment_bytes =
		(size_t)((const char *)strings->at - begin);
}

bool program_describe(struct program_table *table, struct program *program,
	struct cursor *record)
{
	struct program_description description;
	struct binlog_process_record head;
	const char *executable, *directory;
	const uint8_t *strings;
	struct cursor rest;

	cursor_struct(record, &head, sizeof(head));
	strings = cursor_bytes(record, head.bytes);
	if (!strings)
		return false;
	rest = cursor_over(strings, head.bytes);
	executable = read_names(&rest, &directory);
	if (!executable)
		return false;
	description = (struct program_description){
		.ppid = head.ppid,
		.uid = head.uid,
		.fork = head.fork,
		.parent = find_parent(table, program, &head),
		.executable = executable,
		.executable_bytes = strlen(executable),
		.directory = directory,
		.directory_bytes = strlen(directory),
	};
	read_start(&rest, head.argc, &description);
	program_set(table, program, &description);
	return true;
}

static bool same_module(
	const struct program_module *a, const struct program_module *b)
{
	return a->start == b->start && a->end == b->end && a->bias == b->bias &&
	       a->file_bytes == b->file_bytes &&
	       a->content_hash == b->content_hash &&
	       a->build_id_bytes == b->build_id_bytes &&
	       a->path_bytes == b->path_bytes &&
	       memcmp(a->build_id, b->build_id, a->build_id_bytes) == 0 &&
	       memcmp(a->path, b->path, a->path_bytes) == 0;
}

/* Every writer may describe every module: what is known is not kept twice. */
static bool is_known(
	const struct program *program, const struct program_module *module)
{
	size_t i;

	for (i = program->module_count; i > 0; i--) {
		const struct program_module *old = &program->modules[i - 1];

		if (old->start < module->end && module->start < old->end)
			return same_module(old, module);
	}
	return false;
}

static bool read_module(struct cursor *record, struct program_module *module)
{
	struct binlog_module_record head;

	cursor_struct(record, &head, sizeof(head));
	*module = (struct program_module){
		.start = head.start,
		.end = head.end,
		.bias = head.bias,
		.file_bytes = head.file_bytes,
		.content_hash = head.content_hash,
		.build_id_bytes = head.build_id_bytes,
		.path_bytes = head.path_bytes,
	};
	module->build_id = cursor_bytes(record, head.build_id_bytes);
	module->path = (const char *)cursor_bytes(record, head.path_bytes);
	return module->path;
}

bool program_add_mapping(struct program_table *table, struct program *program,
	const struct program_module *module)
{
	struct program_module kept = *module;

	if (is_known(program, module))
		return true;
	if (program->module_count >= limits_size(LIMIT_MODULES))
		return false;
	if (!array_reserve(program->modules, program->module_room,
		    program->module_count + 1)) {
		table->pool.failed = true;
		return true;
	}
	kept.path = pool_copy(&table->pool, module->path, module->path_bytes);
	kept.build_id = (const uint8_t *)pool_copy(
		&table->pool, module->build_id, module->build_id_bytes);
	if (kept.path && kept.build_id)
		program->modules[program->module_count++] = kept;
	return true;
}

bool program_add_module(struct program_table *table, struct program *program,
	struct cursor *record, bool *full)
{
	struct program_module module;

	*full = false;
	if (!read_module(record, &module))
		return false;
	*full = !program_add_mapping(table, program, &module);
	return true;
}

static const struct program_module *module_of(
	const struct program *program, uint64_t address, size_t known)
{
	size_t i;

	for (i = known < program->module_count ? known : program->module_count;
		i > 0; i--)
		if (address >= program->modules[i - 1].start &&
			address < program->modules[i - 1].end)
			return &program->modules[i - 1];
	for (i = known; i < program->module_count; i++)
		if (address >= program->modules[i].start &&
			address < program->modules[i].end)
			return &program->modules[i];
	return NULL;
}

const struct program_module *program_module_at(
	const struct program *program, uint64_t address, size_t known)
{
	unsigned generation;

	for (generation = 0;
		program && !limits_reached(LIMIT_ANCESTORS, generation);
		generation++, program = program->parent) {
		const struct program_module *module =
			module_of(program, address, known);

		if (module)
			return module;
		known = SIZE_MAX;
	}
	return NULL;
}

uint64_t program_module_hash(const struct program_module *module)
{
	uint64_t hash;

	if (module->build_id_bytes > 0)
		return seeded_hash(seeded_hash_start, module->build_id,
			module->build_id_bytes);
	hash = seeded_hash(seeded_hash_start, module->path, module->path_bytes);
	hash = seeded_hash_word(hash, module->file_bytes);
	return seeded_hash_word(hash, module->content_hash);
}

void program_table_free(struct program_table *table)
{
	struct program *program;

	for (program = table->newest; program; program = program->older)
		free(program->modules);
	id_map_free(&table->programs);
	id_map_free(&table->pids);
	id_map_free(&table->numbers);
	id_map_free(&table->creations);
	id_map_free(&table->common);
	pool_free(&table->common_pool);
	pool_free(&table->pool);
}
