#include "decoder/fleet/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "base/pool.h"
#include "decoder/capture/recording.h"
#include "decoder/export/json_fields.h"
#include "decoder/message/event_words.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "record/hash.h"

/* What messages of one context have in common. */
struct fleet_context {
	const struct fleet_rows *of;
	uint64_t statement;
	uint64_t stack;
	const char *stream;
	size_t stream_bytes;
};

struct fleet_rows {
	struct fleet_rows_settings settings;
	struct native_block blocks[FLEET_TABLES];
	struct whole_call call;
	struct id_map
		told[FLEET_TABLES]; /* ids of what is in a block, or was */
	struct render_buffer scratch;
	struct fleet_context none;
	uint64_t source;
	uint64_t number;
	bool failed;
	size_t other_rows;  /* of all tables but messages, when their */
	size_t other_bytes; /* bytes were added up */
	/* While a stack or a place is looked up: */
	struct location place;
	struct pool pool; /* its strings */
	size_t frames;
	uint64_t hash;
};

struct fleet_rows *fleet_rows_new(const struct fleet_rows_settings *settings)
{
	struct fleet_rows *rows = calloc(1, sizeof(*rows));
	enum fleet_table table;

	if (!rows)
		return NULL;
	rows->settings = *settings;
	for (table = 0; table < FLEET_TABLES; table++)
		native_block_begin(&rows->blocks[table], table);
	return rows;
}

/* Whether this is the first time; then it has to be told. */
static bool is_new(struct fleet_rows *rows, enum fleet_table table, uint64_t id)
{
	if (id_map_find(&rows->told[table], id))
		return false;
	rows->failed |= !id_map_set(&rows->told[table], id, rows);
	return true;
}

/*
 * Places.
 */

static const struct program_module *module_of(const struct message *message)
{
	const struct definition_context *context = message->context;

	return context->depth > 0
		       ? program_module_at(message->program,
				 context->frames[0] - 1, context->modules)
		       : NULL;
}

/* The build-id, or a hash of what the file has. */
static void put_build(struct native_block *block, struct render_buffer *scratch,
	const struct program_module *module)
{
	size_t i;
	char digits[32];

	scratch->length = 0;
	for (i = 0; module && i < module->build_id_bytes; i++) {
		snprintf(digits, sizeof(digits), "%02x", module->build_id[i]);
		render_buffer_put_string(scratch, digits);
	}
	if (module && module->build_id_bytes == 0 &&
		module->content_hash != 0) {
		snprintf(digits, sizeof(digits), "content-%016" PRIx64,
			module->content_hash);
		render_buffer_put_string(scratch, digits);
	}
	native_block_put_text(block, scratch->data, scratch->length);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static const char *keep(struct fleet_rows *rows, const char *word)
{
	return word ? pool_copy(&rows->pool, word, strlen(word)) : NULL;
}

static void take_place(void *closure, const struct location *location)
{
	struct fleet_rows *rows = closure;

	rows->place = *location;
	rows->place.function = keep(rows, location->function);
	rows->place.file = keep(rows, location->file);
}

/* How the statement is known. */
static const char *known(const struct definition_statement *statement)
{
	if (!statement)
		return "call";
	return statement->sure	    ? "sure"
	       : statement->several ? "one of several"
				    : "likely";
}

static void tell_statement(struct fleet_rows *rows,
	const struct message *message, uint64_t id, uint64_t offset)
{
	struct native_block *block = &rows->blocks[FLEET_statements];
	const struct definition_string *format = message_statement(message);
	const struct program_module *module = module_of(message);
	const struct fields *fields = fields_of(message);
	size_t i;

	rows->place = (struct location){0};
	if (rows->settings.locations)
		frames_author(
			rows->settings.locations, message, take_place, rows);
	native_block_put(block, id);
	native_block_put_text(block, format ? format->bytes : "",
		format ? format->length : 0);
	native_block_put_word(block, message->context->function
					     ? message->context->function->bytes
					     : NULL);
	native_block_put_word(block, known(message->context->statement));
	native_block_put_word(block, module ? base_name(module->path) : NULL);
	put_build(block, &rows->scratch, module);
	native_block_put(block, offset);
	native_block_put_word(block, rows->place.function);
	native_block_put_word(block, rows->place.file);
	native_block_put(block, rows->place.line);
	for (i = 0; i < fields->count; i++) {
		const char *type = json_fields_type(fields->all[i].type);

		native_block_add_text(block, 0, fields->all[i].name,
			strlen(fields->all[i].name));
		native_block_add_text(block, 1, type, strlen(type));
	}
	native_block_end_array(block);
	native_block_end_array(block);
	pool_free(&rows->pool);
}

/* The same in all runs of one build, wherever that was loaded. */
static uint64_t statement_of(
	struct fleet_rows *rows, const struct message *message)
{
	const struct definition_context *context = message->context;
	const struct definition_string *format = message_statement(message);
	const struct program_module *module = module_of(message);
	uint64_t offset = context->depth > 0 ? context->frames[0] - 1 : 0;
	uint64_t id = binlog_hash_word(0, context->text);

	if (context->depth == 0 && !format)
		return 0;
	if (module) {
		offset -= module->bias;
		id = binlog_hash_word(
			id, module->build_id_bytes > 0
				    ? binlog_hash(module->build_id,
					      module->build_id_bytes)
				    : module->content_hash);
		id = binlog_hash_word(
			id, binlog_hash(base_name(module->path),
				    strlen(base_name(module->path))));
	}
	id = binlog_hash_word(id, offset);
	if (format)
		id = binlog_hash_word(
			id, binlog_hash(format->bytes, format->length));
	id |= id == 0;
	if (is_new(rows, FLEET_statements, id))
		tell_statement(rows, message, id, offset);
	return id;
}

/* `function at file:line`, `function in module` or `module+0x...` */
static void put_frame(
	struct render_buffer *out, const struct location *location)
{
	char address[24];

	if (location->function)
		render_buffer_put_string(out, location->function);
	if (location->file) {
		snprintf(address, sizeof(address), ":%u", location->line);
		render_buffer_put_string(out, " at ");
		render_buffer_put_string(out, location->file);
		render_buffer_put_string(out, address);
		return;
	}
	if (location->module) {
		render_buffer_put_string(out, location->function ? " in " : "");
		render_buffer_put_string(out, location->module);
	}
	if (!location->function) {
		snprintf(address, sizeof(address), "%s0x%" PRIx64,
			location->module ? "+" : "", location->address);
		render_buffer_put_string(out, address);
	}
}

static bool take_frame(void *closure, const struct location *location)
{
	struct fleet_rows *rows = closure;
	struct render_buffer *out = &rows->scratch;
	const size_t start = out->length;

	put_frame(out, location);
	rows->hash = binlog_hash_word(
		rows->hash, binlog_hash(render_buffer_from(out, start),
				    out->length - start));
	native_block_add_text(&rows->blocks[FLEET_stacks], 1,
		render_buffer_from(out, start), out->length - start);
	rows->frames++;
	return true;
}

/* Equal names are one stack, of whatever build. */
static uint64_t stack_of(struct fleet_rows *rows, const struct message *message)
{
	struct native_block *block = &rows->blocks[FLEET_stacks];
	struct native_column *frames = &block->columns[1];
	const size_t bytes = frames->data.length;
	const uint64_t items = frames->items;

	if (!rows->settings.locations || message->context->depth == 0)
		return 0;
	rows->scratch.length = 0;
	rows->hash = rows->frames = 0;
	frames_each(rows->settings.locations, message, take_frame, rows);
	if (rows->frames == 0)
		return 0;
	rows->hash |= rows->hash == 0;
	if (!is_new(rows, FLEET_stacks, rows->hash)) {
		frames->data.length = bytes;
		frames->items = items;
		return rows->hash;
	}
	native_block_put(block, rows->hash);
	native_block_end_array(block);
	return rows->hash;
}

static const struct fleet_context *context_of(
	struct fleet_rows *rows, const struct message *message)
{
	struct fleet_context *known = message->context->fleet;

	if (known && known->of == rows)
		return known;
	known = pool_take(message->pool, sizeof(*known));
	if (!known) {
		rows->failed = true;
		return &rows->none;
	}
	*known = (struct fleet_context){.of = rows};
	known->stack = stack_of(rows, message);
	known->statement = statement_of(rows, message);
	rows->scratch.length = 0;
	message_words_stream(message, &rows->scratch);
	known->stream_bytes = rows->scratch.length;
	known->stream = pool_copy(
		message->pool, rows->scratch.data, rows->scratch.length);
	message->context->fleet = known;
	return known;
}

/*
 * Processes.
 */

static const struct program_module *executable_of(const struct program *program)
{
	size_t i;

	for (i = 0; program->executable && i < program->module_count; i++)
		if (strcmp(program->modules[i].path, program->executable) == 0)
			return &program->modules[i];
	return NULL;
}

/* A forked child is where its parent is, which alone has said it. */
static const char *host_of(const struct program *program)
{
	unsigned generation = 0;

	while (!program->host && program->parent &&
		!limits_reached(LIMIT_ANCESTORS, generation++))
		program = program->parent;
	return program->host;
}

static void tell_run(struct fleet_rows *rows, const struct message *message)
{
	struct native_block *block = &rows->blocks[FLEET_runs];
	const struct program *program = message->program;
	const char *word = program->arguments;
	const char *end = word ? word + program->argument_bytes : NULL;

	native_block_put(block, rows->source);
	native_block_put(block, program->pid);
	native_block_put(block, program->process);
	native_block_put(block, program->ppid);
	native_block_put(block, message->capture->header.run);
	native_block_put_word(block, host_of(program));
	native_block_put_word(block, program->name);
	native_block_put_word(block, program->executable);
	put_build(block, &rows->scratch, executable_of(program));
	native_block_put_word(block, program->directory);
	while (word < end) {
		const size_t bytes = strnlen(word, (size_t)(end - word));

		native_block_add_text(block, 0, word, bytes);
		word += bytes + 1;
	}
	native_block_end_array(block);
}

/*
 * Messages.
 */

static void put_field(struct fleet_rows *rows, const struct message *message,
	const struct field *field)
{
	struct native_block *block = &rows->blocks[FLEET_messages];
	const struct field_value value =
		field_value(field, message, &rows->scratch);
	/* of a null one what printf makes of it, and --where */
	struct field_text text = {.bytes = "(null)",
		.size = !value.known && field->type == FIELD_TEXT ? 6 : 0};
	int64_t integer = 0;
	double number = 0;

	if (value.known && field_is_text(field)) {
		field_text_of(&text, field, &value);
	} else if (value.known && field->type == FIELD_FLOAT) {
		number = value.f64;
	} else if (value.known) {
		integer = value.i64;
		number = field->type == FIELD_INTEGER ? (double)value.i64
						      : (double)value.u64;
	}
	native_block_add_text(block, 0, field->name, strlen(field->name));
	native_block_add_text(block, 1, text.bytes, text.size);
	native_block_add_integer(block, 2, integer);
	native_block_add_number(block, 3, number);
}

static void put_fields(struct fleet_rows *rows, const struct message *message)
{
	struct native_block *block = &rows->blocks[FLEET_messages];
	const struct fields *fields = fields_of(message);
	size_t i;

	for (i = 0; i < fields->count; i++)
		put_field(rows, message, &fields->all[i]);
	for (i = 0; i < 4; i++)
		native_block_end_array(block);
}

/* All but the text. */
static void put_head(struct fleet_rows *rows, const struct message *message,
	const char *event)
{
	struct native_block *block = &rows->blocks[FLEET_messages];
	const struct program *program = message->program;
	const struct fleet_context *context = context_of(rows, message);
	struct message_syslog syslog = {0};
	const uint64_t id = binlog_hash_word(
		rows->source, (uint64_t)program->pid << 32 | program->process);

	message_is_syslog(message, &syslog);
	if (is_new(rows, FLEET_runs, id))
		tell_run(rows, message);
	native_block_put(block, rows->source);
	native_block_put(block, rows->number);
	native_block_put(block, message->wall);
	native_block_put_word(block, host_of(program));
	native_block_put(block, message->capture->header.run);
	native_block_put_word(block, program->name);
	native_block_put(block, message->pid);
	native_block_put(block, message->tid);
	native_block_put_word(block, message->thread);
	native_block_put_text(block, context->stream, context->stream_bytes);
	native_block_put(block, (uint64_t)message_level(message));
	native_block_put(block, syslog.priority >> 3);
	native_block_put_text(block, syslog.ident, syslog.ident_bytes);
	native_block_put_word(block, event);
	native_block_put(block, context->statement);
	native_block_put(block, context->stack);
	put_fields(rows, message);
}

static void begin_call(void *closure, const struct message *message)
{
	struct fleet_rows *rows = closure;

	if (message->partial)
		native_block_mark(&rows->blocks[FLEET_messages]);
	put_head(closure, message, NULL);
}

static void end_call(void *closure)
{
	struct fleet_rows *rows = closure;
	const struct render_buffer *text = &rows->call.text;

	native_block_put_text(&rows->blocks[FLEET_messages], text->data,
		rows->settings.text ? text->length : 0);
}

static void put_event(void *closure, const struct message *message)
{
	struct fleet_rows *rows = closure;

	put_head(rows, message, event_words_name(message));
	rows->scratch.length = 0;
	event_words_put(message, &rows->scratch);
	native_block_put_text(&rows->blocks[FLEET_messages], rows->scratch.data,
		rows->scratch.length);
}

static const struct whole_call_parts parts = {
	.begin = begin_call,
	.end = end_call,
	.event = put_event,
};

void fleet_rows_source(struct fleet_rows *rows, uint64_t source)
{
	rows->source = source;
}

void fleet_rows_message(
	struct fleet_rows *rows, const struct message *message, uint64_t number)
{
	/* of a call that goes on it is that of its first piece */
	rows->number = number;
	whole_call_message(&rows->call, message, &parts, rows);
}

bool fleet_rows_open(const struct fleet_rows *rows)
{
	return rows->call.open;
}

void fleet_rows_close(struct fleet_rows *rows)
{
	if (!rows->call.open)
		return;
	end_call(rows);
	whole_call_forget(&rows->call);
}

void fleet_rows_forget(struct fleet_rows *rows)
{
	if (!rows->call.open)
		return;
	native_block_back(&rows->blocks[FLEET_messages]);
	whole_call_forget(&rows->call);
}

void fleet_rows_loss(struct fleet_rows *rows, const char *kind, uint64_t number,
	uint64_t count, const char *words)
{
	struct native_block *block = &rows->blocks[FLEET_losses];

	native_block_put(block, rows->source);
	native_block_put_word(block, kind);
	native_block_put(block, number);
	native_block_put(block, count);
	native_block_put_word(block, words);
}

size_t fleet_rows_bytes(struct fleet_rows *rows)
{
	size_t others = 0;
	enum fleet_table table;

	/* These seldom grow. */
	for (table = FLEET_messages + 1; table < FLEET_TABLES; table++)
		others += rows->blocks[table].rows;
	if (others != rows->other_rows) {
		rows->other_rows = others;
		rows->other_bytes = 0;
		for (table = FLEET_messages + 1; table < FLEET_TABLES; table++)
			rows->other_bytes +=
				native_block_bytes(&rows->blocks[table]);
	}
	return native_block_bytes(&rows->blocks[FLEET_messages]) +
	       rows->other_bytes;
}

size_t fleet_rows_count(const struct fleet_rows *rows)
{
	return rows->blocks[FLEET_messages].rows;
}

struct native_block *fleet_rows_block(
	struct fleet_rows *rows, enum fleet_table table)
{
	return &rows->blocks[table];
}

bool fleet_rows_lack(const struct fleet_rows *rows)
{
	bool lack =
		rows->failed || rows->scratch.failed || rows->call.text.failed;
	enum fleet_table table;

	for (table = 0; table < FLEET_TABLES; table++)
		lack |= native_block_lacks(&rows->blocks[table]);
	return lack;
}

void fleet_rows_free(struct fleet_rows *rows)
{
	enum fleet_table table;

	if (!rows)
		return;
	for (table = 0; table < FLEET_TABLES; table++) {
		native_block_free(&rows->blocks[table]);
		id_map_free(&rows->told[table]);
	}
	render_buffer_free(&rows->call.text);
	render_buffer_free(&rows->scratch);
	pool_free(&rows->pool);
	free(rows);
}
