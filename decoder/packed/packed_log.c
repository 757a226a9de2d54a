#include "decoder/packed/packed_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "record/hash.h"

/* Of one whose PROCESS is lost: no writer has so many. */
#define NUMBER_MADE_UP 0x80000000u

struct packed_log *packed_log_new(
	uint64_t number, const char *path, struct packed_captures *captures)
{
	struct packed_log *log = calloc(1, sizeof(*log));

	if (!log)
		return NULL;
	log->number = number;
	log->path = path;
	log->all_captures = captures;
	return log;
}

bool packed_log_lacks(const struct packed_log *log)
{
	const struct id_map *const maps[] = {&log->captures, &log->modules,
		&log->magics, &log->processes, &log->threads, &log->strings,
		&log->streams, &log->traces, &log->calls, &log->contexts};
	bool lacks = log->pool.failed || log->context_pool.failed;
	size_t i;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		lacks |= maps[i]->failed;
	return lacks;
}

void packed_log_free(struct packed_log *log)
{
	struct packed_process *process;

	for (process = log->newest; process; process = process->older)
		id_map_free(&process->places);
	id_map_free(&log->captures);
	id_map_free(&log->modules);
	id_map_free(&log->magics);
	id_map_free(&log->processes);
	id_map_free(&log->threads);
	id_map_free(&log->strings);
	id_map_free(&log->streams);
	id_map_free(&log->traces);
	id_map_free(&log->calls);
	id_map_free(&log->contexts);
	pool_free(&log->context_pool);
	pool_free(&log->pool);
	free(log);
}

void *packed_log_take(struct packed_log *log, size_t size)
{
	void *taken = NULL;

	if (limits_size(LIMIT_DEFINITIONS) - log->bytes >= size)
		taken = pool_take(&log->pool, size);
	if (taken)
		log->bytes += size;
	else
		log->left_out += size;
	return taken;
}

char *packed_log_copy(struct packed_log *log, struct packed_bytes bytes)
{
	char *copied = packed_log_take(log, bytes.size + 1);

	if (!copied)
		return NULL;
	if (bytes.size > 0)
		memcpy(copied, bytes.data, bytes.size);
	copied[bytes.size] = '\0';
	return copied;
}

struct recording *packed_log_capture(const struct packed_log *log, uint32_t id)
{
	return id_map_find(&log->captures, id);
}

struct packed_thread *packed_log_thread(
	const struct packed_log *log, uint32_t id)
{
	return id_map_find(&log->threads, id);
}

const struct packed_call *packed_log_call(
	const struct packed_log *log, uint32_t id)
{
	return id_map_find(&log->calls, id);
}

/* The capture with this id, in any case.  Null: out of memory. */
static struct recording *some_capture(
	struct packed_log *log, uint32_t id, uint32_t pid)
{
	struct recording *capture = packed_log_capture(log, id);

	if (capture)
		return capture;
	capture = packed_capture_make(log->all_captures, log->path);
	if (!capture)
		return NULL;
	capture->header.pid = pid;
	id_map_set(&log->captures, id, capture);
	return capture;
}

/* Of two with the same hash the latest is meant. */
static uint32_t hash_of(uint64_t magic)
{
	return (uint32_t)(magic ^ magic >> 32);
}

/* As packed_fields.def has it. */
static uint64_t magic_of(const struct program_module *module)
{
	uint64_t hash = binlog_hash(module->build_id, module->build_id_bytes);

	hash = binlog_hash_word(hash, module->file_bytes);
	return binlog_hash_word(hash, module->content_hash);
}

const struct program_module *packed_log_named(
	const struct packed_log *log, uint64_t magic)
{
	return id_map_find(&log->magics, hash_of(magic));
}

static struct program_module *copy_module(
	struct packed_log *log, const struct program_module *file)
{
	struct program_module *module;

	if (file->path_bytes > LIMITS_PATH ||
		file->build_id_bytes > LIMITS_BUILD_ID)
		return NULL;
	module = packed_log_take(log, sizeof(*module));
	if (!module)
		return NULL;
	*module = *file;
	module->start = log->module_count++;
	module->path = packed_log_copy(
		log, (struct packed_bytes){
			     (const uint8_t *)file->path, file->path_bytes});
	module->build_id = (const uint8_t *)packed_log_copy(log,
		(struct packed_bytes){file->build_id, file->build_id_bytes});
	if (!module->path || !module->build_id)
		return NULL;
	id_map_set(&log->magics, hash_of(magic_of(module)), module);
	return module;
}

void packed_log_executable(
	struct packed_log *log, const struct program_module *file)
{
	if (!packed_log_named(log, magic_of(file)))
		copy_module(log, file);
}

const struct program_module *packed_log_module(
	struct packed_log *log, uint32_t id, const struct program_module *file)
{
	struct program_module *module = id_map_find(&log->modules, id);

	if (module || id == 0)
		return module;
	module = copy_module(log, file);
	if (module)
		id_map_set(&log->modules, id, module);
	return module;
}

/* What they lack is what the log lacks. */
static void note_programs(
	struct packed_log *log, const struct recording *capture)
{
	log->pool.failed |= program_table_lacks(&capture->programs);
}

struct packed_process *packed_log_make_process(struct packed_log *log,
	uint32_t id, uint32_t capture_id, uint32_t pid, uint32_t number)
{
	struct recording *capture = some_capture(log, capture_id, pid);
	struct packed_process *made = packed_log_take(log, sizeof(*made));

	if (!made || !capture)
		return NULL;
	*made = (struct packed_process){
		.capture = capture,
		.program = program_find(&capture->programs, pid, number),
		.older = log->newest,
	};
	note_programs(log, capture);
	if (!made->program || !id_map_set(&log->processes, id, made))
		return NULL;
	log->newest = made;
	return made;
}

struct packed_process *packed_log_process(
	struct packed_log *log, uint32_t id, uint32_t capture, uint32_t pid)
{
	struct packed_process *process = id_map_find(&log->processes, id);
	struct recording *of;
	bool founder;

	if (process)
		return process;
	of = some_capture(log, capture, pid);
	founder = of && of->header.pid == pid;
	return packed_log_make_process(
		log, id, capture, pid, founder ? 0 : id | NUMBER_MADE_UP);
}

/* A module's number in its log is where it starts. */
static uint32_t number_of(const struct program_module *module)
{
	return (uint32_t)module->start;
}

const struct packed_place *packed_log_place(
	const struct packed_process *process,
	const struct program_module *module)
{
	const struct packed_place *place = NULL;
	unsigned generation;

	for (generation = 0; process && !place &&
			     !limits_reached(LIMIT_ANCESTORS, generation);
		generation++, process = process->parent)
		place = id_map_find(&process->places, number_of(module));
	return place;
}

/* False: there are too many, or too much is taken already. */
static bool add_mapping(struct packed_log *log, struct packed_process *process,
	const struct program_module *mapped)
{
	size_t before = process->program->module_count;
	size_t size = mapped->path_bytes + mapped->build_id_bytes;

	if (limits_size(LIMIT_MAPPED_NAMES) - log->map_bytes < size) {
		log->left_out += size;
		return false;
	}
	if (!program_add_mapping(
		    &process->capture->programs, process->program, mapped))
		return false;
	note_programs(log, process->capture);
	if (process->program->module_count > before)
		log->map_bytes += size;
	return true;
}

/* The place of the module, this one if it has none.  Null: out of memory. */
static struct packed_place *make_place(struct packed_log *log,
	struct packed_process *process, const struct program_module *module,
	uint64_t bias)
{
	uint32_t number = number_of(module);
	struct packed_place *place = id_map_find(&process->places, number);

	if (place)
		return place;
	place = packed_log_take(log, sizeof(*place));
	if (!place || !id_map_set(&process->places, number, place))
		return NULL;
	*place = (struct packed_place){bias, log->part};
	return place;
}

const struct packed_place *packed_log_map(struct packed_log *log,
	struct packed_process *process, const struct program_module *module,
	uint64_t start, uint64_t end, uint64_t bias)
{
	struct program_module mapped = *module;
	struct packed_place *place;

	mapped.start = start;
	mapped.end = end;
	mapped.bias = bias;
	if (!add_mapping(log, process, &mapped))
		return NULL;
	place = make_place(log, process, module, bias);
	if (!place)
		return NULL;
	if (process->part != log->part)
		process->moved = 0;
	process->part = log->part;
	/* What earlier parts have said is said again, or is over. */
	if (place->part == log->part && place->bias != bias)
		process->moved = binlog_hash_word(
			process->moved ^ (uintptr_t)module, bias);
	*place = (struct packed_place){bias, log->part};
	return place;
}
