#include "decoder/pack/pack_define.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "decoder/names/frames.h"
#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_frames.h"
#include "decoder/pack/pack_handed.h"
#include "decoder/pack/pack_value.h"
#include "record/layout.h"

/*
 * The names of a packed log's stacks and pointers, for readers that will not
 * have the files: what the symbolizer says of them, written as SYMBOL frames
 * before the messages.  Used by pack.c and pack_define.c.
 */

#define INLINED 1u
#define WRAPPER 2u

/* As pack_content.h: without padding, and then the name. */
struct question {
	uint64_t module;
	uint64_t address;
	uint64_t between;
	uint64_t inside;
	uint64_t argument;
};

typedef void put_value(struct render_buffer *list, struct pack_symbols *symbols,
	const struct pack_symbols_frame *frame);

static void put_function(struct render_buffer *list,
	struct pack_symbols *symbols, const struct pack_symbols_frame *frame)
{
	const char *name =
		frame->function ? symbols->text.data + frame->function - 1 : "";

	(void)list;
	frame_write_item_text(symbols->define->frame, name, strlen(name));
}

static void put_file(struct render_buffer *list, struct pack_symbols *symbols,
	const struct pack_symbols_frame *frame)
{
	const char *name =
		frame->file ? symbols->text.data + frame->file - 1 : "";

	(void)list;
	frame_write_item_text(symbols->define->frame, name, strlen(name));
}

static void put_line(struct render_buffer *list, struct pack_symbols *symbols,
	const struct pack_symbols_frame *frame)
{
	(void)symbols;
	pack_value_uint(list, frame->answer.line);
}

static void put_column(struct render_buffer *list, struct pack_symbols *symbols,
	const struct pack_symbols_frame *frame)
{
	(void)symbols;
	pack_value_uint(list, frame->answer.column);
}

static void put_offset(struct render_buffer *list, struct pack_symbols *symbols,
	const struct pack_symbols_frame *frame)
{
	(void)symbols;
	pack_value_uint(list, frame->answer.offset);
}

static void put_flags(struct render_buffer *list, struct pack_symbols *symbols,
	const struct pack_symbols_frame *frame)
{
	(void)symbols;
	pack_value_uint(list, (frame->answer.inlined ? INLINED : 0) |
				      (frame->answer.wrapper ? WRAPPER : 0));
}

static void put_question(
	struct frame_write *frame, const struct pack_entry *entry)
{
	const struct question *asked = (const void *)entry->content;
	const char *name = (const char *)(asked + 1);

	frame_write_uint(frame, PACKED_SYMBOL_MODULE, asked->module);
	frame_write_uint(frame, PACKED_SYMBOL_OFFSET, asked->address);
	if (!asked->between)
		return;
	frame_write_uint(frame, PACKED_SYMBOL_BETWEEN, 1);
	frame_write_some(frame, PACKED_SYMBOL_INSIDE, asked->inside);
	if (entry->size > sizeof(*asked))
		frame_write_text(frame, PACKED_SYMBOL_NAME, name,
			entry->size - sizeof(*asked));
	frame_write_some(frame, PACKED_SYMBOL_ARGUMENT, asked->argument);
}

/* The question before this one has been answered. */
static void finish(struct pack_symbols *symbols)
{
	static const struct {
		enum packed_field field;
		put_value *put;
	} lists[] = {
		{PACKED_SYMBOL_FUNCTIONS, put_function},
		{PACKED_SYMBOL_FILES, put_file},
		{PACKED_SYMBOL_LINES, put_line},
		{PACKED_SYMBOL_COLUMNS, put_column},
		{PACKED_SYMBOL_OFFSETS, put_offset},
		{PACKED_SYMBOL_FLAGS, put_flags},
	};
	struct frame_write *frame = symbols->define->frame;
	size_t i, k;

	if (!symbols->asked || symbols->failed)
		return;
	frame_write_begin(frame, PACKED_SYMBOL);
	put_question(frame, symbols->asked);
	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct render_buffer *list =
			frame_write_list(frame, lists[i].field, symbols->count);

		for (k = 0; k < symbols->count; k++)
			lists[i].put(list, symbols, &symbols->frames[k]);
	}
	frame_write_end(frame);
	symbols->asked = NULL;
}

static struct pack_entry *symbols_intern(
	struct pack_symbols *symbols, const struct symbol_question *question)
{
	const struct question head = {
		.module = pack_define_module(symbols->define, question->module),
		.address = question->address,
		.between = question->between,
		.inside = question->inside,
		.argument = question->argument,
	};
	struct pack_entry *entry = NULL;

	symbols->text.length = 0;
	render_buffer_put(&symbols->text, (const char *)&head, sizeof(head));
	if (question->name)
		render_buffer_put(
			&symbols->text, question->name, strlen(question->name));
	if (head.module != 0 && !symbols->text.failed)
		entry = pack_table_intern(&symbols->questions,
			symbols->text.data, symbols->text.length);
	symbols->failed |= !entry;
	return entry;
}

static void take_question(void *closure, const struct symbol_question *question)
{
	struct pack_symbols *symbols = closure;
	struct pack_entry *entry;

	finish(symbols);
	entry = symbols_intern(symbols, question);
	if (!entry || entry->part == symbols->define->part)
		return;
	entry->part = symbols->define->part;
	symbols->asked = entry;
	symbols->count = 0;
	symbols->text.length = 0;
}

static size_t keep(struct pack_symbols *symbols, const char *name)
{
	size_t at = symbols->text.length;

	if (!name)
		return 0;
	render_buffer_put(&symbols->text, name, strlen(name) + 1);
	symbols->failed |= symbols->text.failed;
	return at + 1;
}

static void take_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct pack_symbols *symbols = closure;

	if (!symbols->asked)
		return;
	if (!array_reserve(
		    symbols->frames, symbols->room, symbols->count + 1)) {
		symbols->failed = true;
		return;
	}
	symbols->frames[symbols->count++] = (struct pack_symbols_frame){
		.function = keep(symbols, frame->function),
		.file = keep(symbols, frame->file),
		.answer = *frame,
	};
}

static bool look_on(void *closure, const struct location *location)
{
	(void)closure;
	(void)location;
	return true;
}

static void look_at(void *closure, const struct location *location)
{
	(void)closure;
	(void)location;
}

static void stop_listening(struct pack_symbols *symbols)
{
	locations_tell(symbols->locations, NULL);
	finish(symbols);
	symbols->define->failed |= symbols->failed;
}

/* Writes what this part does not have yet of the message's stack. */
static void pack_symbols_write(
	struct pack_symbols *symbols, const struct message *message)
{
	const struct locations_witness witness = {
		take_question, take_frame, symbols};

	locations_tell(symbols->locations, &witness);
	frames_each(symbols->locations, message, look_on, NULL);
	stop_listening(symbols);
}

/* What is no pointer, but could be one, has a name that nobody asks for. */
void pack_symbols_pointers(
	struct pack_symbols *symbols, const struct message *message)
{
	const struct locations_witness witness = {
		take_question, take_frame, symbols};
	size_t i;

	for (i = 0; i < message->count; i++) {
		const struct render_argument *argument = &message->arguments[i];
		uint64_t pointer = (uint64_t)argument->i64;

		if (argument->kind != BINLOG_ARG_I64 ||
			!program_module_at(message->program, pointer,
				message->context->modules))
			continue;
		locations_tell(symbols->locations, &witness);
		locations_find(
			symbols->locations, message, pointer, look_at, NULL);
		stop_listening(symbols);
	}
}

void pack_symbols_forget(struct pack_symbols *symbols)
{
	pack_table_free(&symbols->questions);
}

void pack_symbols_free(struct pack_symbols *symbols)
{
	pack_symbols_forget(symbols);
	free(symbols->frames);
	render_buffer_free(&symbols->text);
}

/* What is written can be read. */
_Static_assert((int)LIMITS_PACKED_STACK <= (int)LIMITS_DEPTH, "");

/* Counts the logs of all packers of this process. */
static uint32_t logs;

static void begin_content(
	struct pack_define *define, const void *head, size_t size)
{
	define->content.length = 0;
	render_buffer_put(&define->content, head, size);
}

static void add_content(
	struct pack_define *define, const void *bytes, size_t size)
{
	render_buffer_put(&define->content, bytes, size);
}

/* Null: out of memory. */
static struct pack_entry *intern(
	struct pack_define *define, struct pack_table *table)
{
	struct pack_entry *entry = NULL;

	if (!define->content.failed)
		entry = pack_table_intern(
			table, define->content.data, define->content.length);
	if (!entry)
		define->failed = true;
	return entry;
}

/* Room for what is kept beside each entry of a table; zeros. */
static bool make_states(
	void **states, size_t *room, size_t size, uint32_t count)
{
	size_t wanted = *room ? *room * 2 : 16;
	char *more;

	if (count <= *room)
		return true;
	more = realloc(*states, wanted * size);
	if (!more)
		return false;
	memset(more + *room * size, 0, (wanted - *room) * size);
	*states = more;
	*room = wanted;
	return true;
}

void pack_define_begin(struct pack_define *define, struct frame_write *frame)
{
	*define = (struct pack_define){
		.frame = frame, .serial = ++logs, .part = 1};
}

void pack_define_part(struct pack_define *define)
{
	define->part++;
	define->last_backtrace = 0;
}

struct pack_entry *pack_define_capture(
	struct pack_define *define, struct recording *capture)
{
	const struct pack_capture_content head = {
		.nonce = capture->header.nonce};
	const char *slash = strrchr(capture->path, '/');
	const char *name = slash ? slash + 1 : capture->path;
	struct pack_entry *entry;

	begin_content(define, &head, sizeof(head));
	add_content(define, name, strlen(name));
	entry = intern(define, &define->captures);
	if (!entry ||
		!make_states((void **)&define->capture_states,
			&define->capture_room, sizeof(*define->capture_states),
			define->captures.count)) {
		define->failed = true;
		return NULL;
	}
	define->capture_states[entry->id - 1].capture = capture;
	if (entry->part != define->part)
		pack_frames_preamble(define, entry, capture);
	return entry;
}

uint32_t pack_define_module(
	struct pack_define *define, const struct program_module *module)
{
	struct pack_module_content head = {
		.file_bytes = module->file_bytes,
		.content_hash = module->content_hash,
		.build_id_bytes = (uint32_t)module->build_id_bytes,
		.path_bytes = (uint32_t)module->path_bytes,
	};
	struct pack_entry *entry;

	begin_content(define, &head, sizeof(head));
	add_content(define, module->build_id, module->build_id_bytes);
	add_content(define, module->path, module->path_bytes);
	entry = intern(define, &define->modules);
	return entry ? entry->id : 0;
}

static bool add_mappings(struct pack_define *define, struct pack_entry *process)
{
	struct pack_process *state = &define->process_states[process->id - 1];
	const struct program *program = state->program;

	for (; program && state->mappings < program->module_count;
		state->mappings++) {
		const struct program_module *module =
			&program->modules[state->mappings];
		uint32_t id = pack_define_module(define, module);

		if (id == 0)
			return false;
		pack_frames_mapping(define, process->id, id, module);
	}
	return true;
}

static struct pack_entry *define_process(struct pack_define *define,
	struct recording *capture, const struct program *program,
	unsigned generation);

/* Its id, or 0 where there is none or too many are before it. */
static uint32_t parent_of(struct pack_define *define, struct recording *capture,
	const struct program *program, unsigned generation)
{
	const struct pack_entry *parent = NULL;

	/* That of another capture is not of this one. */
	if (program->parent && program != capture->programs.elsewhere &&
		!limits_reached(LIMIT_PACKED_ANCESTORS, generation))
		parent = define_process(
			define, capture, program->parent, generation + 1);
	return parent ? parent->id : 0;
}

static struct pack_entry *intern_process(struct pack_define *define,
	const struct recording *of, const struct program *program,
	uint32_t capture)
{
	const struct pack_process_content content = {
		.capture = capture,
		.pid = program->pid,
		.number = program_number(&of->programs, program),
	};
	struct pack_entry *entry;

	begin_content(define, &content, sizeof(content));
	entry = intern(define, &define->processes);
	if (entry &&
		make_states((void **)&define->process_states,
			&define->process_room, sizeof(*define->process_states),
			define->processes.count))
		return entry;
	define->failed = true;
	return NULL;
}

static bool is_told(const struct pack_define *define,
	const struct pack_process *state, const struct program *program)
{
	return state->part == define->part &&
	       state->executable == program->executable &&
	       state->directory == program->directory;
}

static struct pack_entry *define_process(struct pack_define *define,
	struct recording *capture, const struct program *program,
	unsigned generation)
{
	struct pack_entry *owner = pack_define_capture(define, capture);
	struct pack_entry *entry =
		owner ? intern_process(define, capture, program, owner->id)
		      : NULL;
	struct pack_process *state;
	uint32_t parent;

	if (!entry)
		return NULL;
	state = &define->process_states[entry->id - 1];
	state->program = program;
	state->capture = owner->id;
	if (!is_told(define, state, program)) {
		if (state->part != define->part)
			state->mappings = 0;
		state->part = define->part; /* parents may be in a circle */
		state->executable = program->executable;
		state->directory = program->directory;
		parent = parent_of(define, capture, program, generation);
		pack_frames_process(define, entry, capture, program, parent);
	}
	return add_mappings(define, entry) ? entry : NULL;
}

struct pack_entry *pack_define_process(struct pack_define *define,
	struct recording *capture, const struct program *program)
{
	return define_process(define, capture, program, 0);
}

/* Writes the stacks that the thread and its creators were created with;
 * `creators` may be null.  False: out of memory. */
static bool define_creators(struct pack_define *define,
	const struct message *message, struct pack_creator_content *creators)
{
	const struct message_origin *origin = message->origin;
	size_t i;

	for (i = 0; origin && i < origin->count; i++) {
		const struct message_creator *creator = &origin->by[i];
		struct message creation;
		const struct pack_entry *site = NULL;

		if (creator->context) {
			creation = message_of_creator(message, creator);
			site = pack_define_site(define, &creation);
			if (!site)
				return false;
		}
		if (!creators)
			continue;
		creators[i] = (struct pack_creator_content){
			.site = site ? site->id : 0,
			.pid = creator->pid,
			.tid = creator->tid,
		};
		memcpy(creators[i].name, creator->name,
			strnlen(creator->name, sizeof(creators[i].name)));
	}
	return true;
}

struct pack_entry *pack_define_thread(
	struct pack_define *define, const struct message *message)
{
	struct pack_creator_content creators[BINLOG_ORIGIN_GENERATIONS];
	size_t count = message->origin ? message->origin->count : 0;
	struct pack_entry *process =
		pack_define_process(define, message->capture, message->program);
	struct pack_thread_content content = {
		.tid = message->tid, .coroutine = message->coroutine};
	struct pack_entry *entry;

	if (!process || !define_creators(define, message, creators))
		return NULL;
	content.process = process->id;
	memcpy(content.name, message->thread,
		strnlen(message->thread, sizeof(content.name)));
	begin_content(define, &content, sizeof(content));
	add_content(define, creators, count * sizeof(*creators));
	entry = intern(define, &define->threads);
	if (entry && entry->part != define->part)
		pack_frames_thread(define, entry);
	return entry;
}

static struct pack_process *process_of(
	const struct pack_define *define, const struct pack_entry *thread)
{
	const struct pack_thread_content *content = pack_content(thread);

	return &define->process_states[content->process - 1];
}

uint32_t pack_define_capture_of(
	const struct pack_define *define, const struct pack_entry *thread)
{
	return process_of(define, thread)->capture;
}

bool pack_define_again_thread(struct pack_define *define,
	struct pack_entry *thread, const struct message *message)
{
	const struct pack_process *state = process_of(define, thread);
	struct recording *capture =
		define->capture_states[state->capture - 1].capture;

	if (capture && state->program &&
		!pack_define_process(define, capture, state->program))
		return false;
	if (thread->part == define->part)
		return true;
	if (!define_creators(define, message, NULL))
		return false;
	pack_frames_thread(define, thread);
	return true;
}

bool pack_define_mappings(
	struct pack_define *define, const struct pack_entry *thread)
{
	const struct pack_thread_content *content = pack_content(thread);

	return add_mappings(
		define, pack_table_entry(&define->processes, content->process));
}

/* Where the address is: an offset in a module, or itself in none. */
static bool locate(struct pack_define *define, const struct message *message,
	uint64_t address, struct pack_frame_content *frame)
{
	const struct program_module *module = program_module_at(
		message->program, address, message->context->modules);

	*frame = (struct pack_frame_content){.offset = address};
	if (!module)
		return true;
	frame->module = pack_define_module(define, module);
	frame->offset = address - module->bias;
	return frame->module != 0;
}

/* 0: out of memory.  A null string is one that is lost. */
static uint32_t string_id(struct pack_define *define,
	const struct message *message, const struct definition_string *string)
{
	struct pack_frame_content where = {0};
	struct pack_string_content head = {0};
	struct pack_entry *entry;

	if (string && string->address != 0 &&
		!locate(define, message, string->address, &where))
		return 0;
	head.offset = where.offset;
	head.module = (uint32_t)where.module;
	head.known = string && string->bytes;
	begin_content(define, &head, sizeof(head));
	if (head.known)
		add_content(define, string->bytes, string->length);
	entry = intern(define, &define->strings);
	return entry ? entry->id : 0;
}

static uint32_t backtrace_id(
	struct pack_define *define, const struct message *message)
{
	const struct definition_context *context = message->context;
	size_t depth = context->depth;
	struct pack_frame_content frames[LIMITS_PACKED_STACK];
	struct pack_entry *entry;
	size_t i;

	if (limits_exceeded(LIMIT_PACKED_STACK, depth))
		depth = LIMITS_PACKED_STACK;
	for (i = 0; i < depth; i++)
		if (!locate(define, message, context->frames[i], &frames[i]))
			return 0;
	begin_content(define, frames, depth * sizeof(*frames));
	entry = intern(define, &define->backtraces);
	return entry ? entry->id : 0;
}

static uint32_t stream_id(
	struct pack_define *define, const struct definition_stream *stream)
{
	const struct pack_stream_content head = {
		.device = stream->device,
		.inode = stream->inode,
		.file = stream->file,
		.position = stream->position,
		.flags = stream->flags,
		.fd = (uint32_t)stream->fd,
		.mode = stream->mode,
		.buffer_bytes = stream->buffer_bytes,
		.description = stream->description,
		.buffering = stream->buffering,
		.order = stream->order,
		.has_path = stream->path != NULL,
	};
	struct pack_entry *entry;

	begin_content(define, &head, sizeof(head));
	if (stream->path)
		add_content(define, stream->path, strlen(stream->path));
	entry = intern(define, &define->streams);
	return entry ? entry->id : 0;
}

static struct pack_entry *intern_site(
	struct pack_define *define, const struct message *message)
{
	const struct definition_context *context = message->context;
	struct pack_site_content head = {
		.text = context->text,
		.flags = context->flags,
		.arguments = (uint32_t)context->arguments,
	};

	if (context->has_format)
		head.format = string_id(define, message, context->format);
	if (context->function)
		head.function = string_id(define, message, context->function);
	if (context->stream)
		head.stream = stream_id(define, context->stream);
	if (context->depth > 0)
		head.backtrace = backtrace_id(define, message);
	begin_content(define, &head, sizeof(head));
	add_content(define, context->kinds, context->arguments);
	return define->failed ? NULL : intern(define, &define->sites);
}

bool pack_define_again_site(struct pack_define *define, struct pack_entry *site,
	const struct message *message)
{
	if (!pack_define_process(define, message->capture, message->program))
		return false;
	if (site->part == define->part)
		return true;
	if (define->symbols)
		pack_symbols_write(define->symbols, message);
	if (define->handed)
		pack_handed_ask(define->handed, message);
	pack_frames_site(define, site);
	return true;
}

struct pack_entry *pack_define_site(
	struct pack_define *define, const struct message *message)
{
	struct definition_context *context = message->context;
	struct pack_entry *site;

	if (context->packed >> 32 == define->serial) {
		site = pack_table_entry(
			&define->sites, (uint32_t)context->packed);
	} else {
		if (!pack_define_process(
			    define, message->capture, message->program))
			return NULL;
		site = intern_site(define, message);
		if (!site)
			return NULL;
		context->packed = (uint64_t)define->serial << 32 | site->id;
	}
	return pack_define_again_site(define, site, message) ? site : NULL;
}

void pack_define_forget(
	struct pack_define *define, const struct recording *capture)
{
	uint32_t i;

	for (i = 0; i < define->processes.count; i++) {
		struct pack_process *state = &define->process_states[i];

		if (state->capture != 0 &&
			define->capture_states[state->capture - 1].capture ==
				capture)
			state->program = NULL;
	}
	for (i = 0; i < define->captures.count; i++)
		if (define->capture_states[i].capture == capture)
			define->capture_states[i].capture = NULL;
}

size_t pack_define_bytes(const struct pack_define *define)
{
	return define->captures.bytes + define->processes.bytes +
	       define->threads.bytes + define->modules.bytes +
	       define->strings.bytes + define->backtraces.bytes +
	       define->streams.bytes + define->sites.bytes +
	       define->capture_room * sizeof(*define->capture_states) +
	       define->process_room * sizeof(*define->process_states);
}

void pack_define_free(struct pack_define *define)
{
	pack_table_free(&define->captures);
	pack_table_free(&define->processes);
	pack_table_free(&define->threads);
	pack_table_free(&define->modules);
	pack_table_free(&define->strings);
	pack_table_free(&define->backtraces);
	pack_table_free(&define->streams);
	pack_table_free(&define->sites);
	free(define->capture_states);
	free(define->process_states);
	render_buffer_free(&define->content);
	*define = (struct pack_define){0};
}
