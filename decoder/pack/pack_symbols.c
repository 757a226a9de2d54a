#include "decoder/pack/pack_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/names/frames.h"
#include "decoder/pack/pack_define.h"
#include "decoder/pack/pack_value.h"

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

static struct pack_entry *intern(
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
	entry = intern(symbols, question);
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
	struct pack_symbols_frame *more;

	if (!symbols->asked)
		return;
	if (symbols->count == symbols->room) {
		size_t room = symbols->room ? symbols->room * 2 : 16;

		more = realloc(symbols->frames, room * sizeof(*more));
		if (!more) {
			symbols->failed = true;
			return;
		}
		symbols->frames = more;
		symbols->room = room;
	}
	symbols->frames[symbols->count++] = (struct pack_symbols_frame){
		.function = keep(symbols, frame->function),
		.file = keep(symbols, frame->file),
		.answer = *frame,
	};
}

static bool look_on(void *closure, const struct place *place)
{
	(void)closure;
	(void)place;
	return true;
}

static void look_at(void *closure, const struct place *place)
{
	(void)closure;
	(void)place;
}

static void stop_listening(struct pack_symbols *symbols)
{
	places_tell(symbols->places, NULL);
	finish(symbols);
	symbols->define->failed |= symbols->failed;
}

void pack_symbols_write(
	struct pack_symbols *symbols, const struct message *message)
{
	const struct places_witness witness = {
		take_question, take_frame, symbols};

	places_tell(symbols->places, &witness);
	frames_each(symbols->places, message, look_on, NULL);
	stop_listening(symbols);
}

/* What is no pointer, but could be one, has a name that nobody asks for. */
void pack_symbols_pointers(
	struct pack_symbols *symbols, const struct message *message)
{
	const struct places_witness witness = {
		take_question, take_frame, symbols};
	size_t i;

	for (i = 0; i < message->count; i++) {
		const struct render_argument *argument = &message->arguments[i];
		uint64_t pointer = (uint64_t)argument->i64;

		if (argument->kind != BINLOG_ARG_I64 ||
			!program_module_at(message->program, pointer,
				message->context->modules))
			continue;
		places_tell(symbols->places, &witness);
		places_find(symbols->places, message, pointer, look_at, NULL);
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
