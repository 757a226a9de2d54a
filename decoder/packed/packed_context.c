#include "decoder/packed/packed_context.h"

#include <string.h>

#include "base/limits.h"

/* A module that nobody knows the place of is put where no program has any. */
#define PLACE_BITS 40u
#define PLACE_FIRST ((uint64_t)1 << 63)
/* So much is kept for the next batch. */
#define KEPT_BYTES_MAX ((size_t)12 << 20)

struct packed_context {
	struct definition_context context;
	struct definition_string format;
	struct definition_stream stream; /* when its definition is lost */
	const struct packed_process *process;
	uint32_t id;	       /* of the site */
	uint32_t version;      /* of its definition; 0: lost */
	uint64_t moved;	       /* of the process */
	uint32_t stream_flags; /* what the row said: */
	uint64_t format_at;
	uint64_t call_at;
	struct packed_context *collides;
	uint8_t kinds[];
};

static uint32_t hash_of(uint32_t id, const struct packed_process *process)
{
	size_t hash = id_map_hash(id) ^ (uintptr_t)process / sizeof(*process);

	return (uint32_t)(hash ^ hash >> 32);
}

/* Null: there is no memory, or too much is taken already. */
static void *take(struct packed_log *log, size_t size)
{
	void *taken = NULL;

	if (log->context_pool.bytes <= limits_size(LIMIT_CONTEXTS))
		taken = pool_take(&log->context_pool, size);
	if (!taken)
		log->left_out += size;
	return taken;
}

/* What is added to addresses of the module; 0 without one. */
static uint64_t bias_of(struct packed_log *log, struct packed_process *process,
	const struct program_module *module)
{
	const struct packed_place *place;
	uint64_t start;

	if (!module)
		return 0;
	place = packed_log_place(process, module);
	if (place)
		return place->bias;
	start = PLACE_FIRST + (module->start << PLACE_BITS);
	place = packed_log_map(log, process, module, start,
		start + ((uint64_t)1 << PLACE_BITS), start);
	return place ? place->bias : 0;
}

static void fill_frames(struct packed_log *log, struct packed_context *made,
	const struct packed_row *row, const struct packed_trace *trace,
	struct packed_process *process)
{
	size_t depth = trace ? trace->depth : row->call != 0;
	uint64_t *frames = take(log, (depth + 1) * sizeof(*frames));
	size_t i;

	if (!frames)
		return;
	for (i = 0; trace && i < depth; i++)
		frames[i] = trace->offsets[i] +
			    bias_of(log, process, trace->modules[i]);
	if (!trace)
		frames[0] = row->call + bias_of(log, process, row->call_module);
	made->context.frames = frames;
	made->context.depth = depth;
}

/* Null: it is lost, and where it was is all that is known. */
static void fill_format(struct packed_log *log, struct packed_context *made,
	const struct packed_row *row, const struct packed_string *string,
	struct packed_process *process)
{
	if (string && (string->whole || !row->format_module)) {
		made->format = string->string;
		made->format.address += bias_of(log, process, string->module);
	} else {
		if (string)
			made->format = string->string;
		made->format.address =
			row->format + bias_of(log, process, row->format_module);
	}
	if (made->context.has_format)
		made->context.format = &made->format;
}

static void fill_stream(struct packed_context *made,
	const struct packed_row *row, const struct packed_call *call)
{
	made->context.stream = call ? call->stream : NULL;
	if (made->context.stream || row->stream_flags == 0)
		return;
	made->stream.flags = row->stream_flags;
	made->stream.fd = -1;
	made->context.stream = &made->stream;
}

/*
 * How many of its modules the process can have had, so that each frame is in
 * the one that the log says: a library that was loaded later may be where one
 * was that has been unloaded.
 */
static size_t modules_known(const struct packed_context *made,
	const struct packed_row *row, const struct packed_trace *trace,
	const struct program *program)
{
	size_t known = program->module_count;
	size_t i;

	for (i = 0; made->context.frames && i < made->context.depth; i++) {
		const struct program_module *of =
			trace ? trace->modules[i] : row->call_module;
		const struct program_module *at;

		while (of &&
			(at = program_module_at(
				 program, made->context.frames[i], known)) &&
			program_module_hash(at) != program_module_hash(of) &&
			at >= program->modules && at < program->modules + known)
			known = (size_t)(at - program->modules);
	}
	return known;
}

static void fill_kinds(
	struct packed_context *made, const struct packed_row *row)
{
	if (row->arguments > 0)
		memcpy(made->kinds, row->kinds, row->arguments);
	made->context.kinds = made->kinds;
	made->context.arguments = row->arguments;
}

static struct packed_context *make(struct packed_log *log,
	const struct packed_row *row, const struct packed_call *call,
	struct packed_process *process)
{
	struct packed_context *made = take(log, sizeof(*made) + row->arguments);
	struct definition_context *context = made ? &made->context : NULL;

	if (!made)
		return NULL;
	*made = (struct packed_context){
		.process = process,
		.id = row->id,
		.version = call ? call->version : 0,
		.stream_flags = row->stream_flags,
		.format_at = row->format,
		.call_at = row->call,
	};
	context->id = row->id;
	context->text = row->text;
	context->flags = row->flags;
	context->usable = true;
	context->has_format =
		call ? call->has_format : row->format_module || row->format;
	if (call && call->function)
		context->function = &call->function->string;
	fill_format(log, made, row, call ? call->format : NULL, process);
	fill_stream(made, row, call);
	fill_kinds(made, row);
	fill_frames(log, made, row, call ? call->trace : NULL, process);
	context->modules = (uint32_t)modules_known(
		made, row, call ? call->trace : NULL, process->program);
	made->moved = process->moved;
	log->lost += !call || !call->whole;
	return context->frames ? made : NULL;
}

/* Before one that it takes the place of. */
static void enter(struct packed_log *log, struct packed_context *made)
{
	uint32_t hash = hash_of(made->id, made->process);

	made->collides = id_map_find(&log->contexts, hash);
	id_map_set(&log->contexts, hash, made);
}

/* Nobody but hostile logs calls two rows by one id. */
static bool is_of(
	const struct packed_context *made, const struct packed_row *row)
{
	const struct definition_context *context = &made->context;

	return context->text == row->text && context->flags == row->flags &&
	       made->stream_flags == row->stream_flags &&
	       made->format_at == row->format && made->call_at == row->call &&
	       context->arguments == row->arguments &&
	       (row->arguments == 0 ||
		       memcmp(context->kinds, row->kinds, row->arguments) == 0);
}

void packed_context_forget(struct packed_log *log)
{
	if (log->context_pool.bytes <= KEPT_BYTES_MAX)
		return;
	id_map_free(&log->contexts);
	pool_free(&log->context_pool);
}

struct definition_context *packed_context_find(struct packed_log *log,
	const struct packed_row *row, struct packed_process *process)
{
	const struct packed_call *call = packed_log_call(log, row->id);
	struct packed_context *found =
		id_map_find(&log->contexts, hash_of(row->id, process));
	struct packed_context *made;

	while (found && (found->id != row->id || found->process != process))
		found = found->collides;
	if (!found || found->version != (call ? call->version : 0) ||
		found->moved != process->moved || !is_of(found, row)) {
		made = make(log, row, call, process);
		if (!made)
			return NULL;
		enter(log, made);
		found = made;
	}
	return &found->context;
}

static struct definition_context *creation(
	struct packed_log *log, uint32_t site, struct packed_process *process)
{
	const struct packed_call *call = packed_log_call(log, site);
	struct packed_row row = {.id = site};

	if (!call || call->text != BINLOG_TEXT_CREATED || !call->trace)
		return NULL;
	row.text = call->text;
	row.flags = call->flags;
	row.kinds = call->kinds;
	row.arguments = call->arguments;
	return packed_context_find(log, &row, process);
}

const struct message_origin *packed_context_origin(struct packed_log *log,
	struct packed_thread *thread, struct packed_process *process)
{
	struct message_origin *origin = &thread->origin;
	size_t count = origin->count;
	size_t i;

	origin->count = 0;
	origin->hash = 0;
	for (i = 0; i < count; i++) {
		struct message_creator creator = origin->by[i];

		creator.context =
			creation(log, thread->origin_sites[i], process);
		creator.pool = &log->context_pool;
		message_origin_add(origin, &creator);
	}
	return count > 0 ? origin : NULL;
}
