#include "decoder/pack/pack_handed.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/array.h"
#include "base/limits.h"
#include "decoder/capture/handed_texts.h"
#include "decoder/capture/program_file.h"
#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_define.h"
#include "decoder/pack/pack_value.h"

#define LEVEL 9
/* A frame gets no more calls when it has so many bytes: far below what may be.
 */
#define FRAME_BYTES ((size_t)128 << 10)
#define TEXT_BYTES_MAX ((size_t)3 << 10)

_Static_assert(
	FRAME_BYTES + LIMITS_HANDED * TEXT_BYTES_MAX < PACKED_HANDED_MAX, "");

struct handed_text {
	uint32_t text; /* id */
	uint32_t how;  /* and SYMBOLIZER_HANDINGS times what it takes */
	uint64_t call, begin, end;
};

struct pack_handed_call {
	bool asked;
	bool known; /* the program was there */
	struct handed_text *texts;
	size_t count, room;
};

static struct pack_handed_call *state_of(
	struct pack_handed *handed, const struct pack_entry *entry)
{
	size_t had = handed->state_room;

	if (!array_reserve(handed->states, handed->state_room, entry->id)) {
		handed->failed = true;
		return NULL;
	}
	memset(handed->states + had, 0,
		(handed->state_room - had) * sizeof(*handed->states));
	return &handed->states[entry->id - 1];
}

static void take_text(void *closure, const struct symbolizer_handed *told)
{
	struct pack_handed *handed = closure;
	struct pack_handed_call *call = handed->asked;
	const struct pack_entry *text;

	if (call->count == LIMITS_HANDED || told->count > TEXT_BYTES_MAX)
		return;
	text = pack_table_intern(&handed->texts, told->bytes, told->count);
	if (!text || !array_reserve(call->texts, call->room, call->count + 1)) {
		handed->failed = true;
		return;
	}
	handed->state_bytes += sizeof(call->texts[0]);
	call->texts[call->count++] = (struct handed_text){
		.text = text->id,
		.how = (uint32_t)told->how +
		       SYMBOLIZER_HANDINGS * (uint32_t)told->takes_any,
		.call = told->call,
		.begin = told->begin,
		.end = told->end,
	};
}

static void ask(struct pack_handed *handed, const struct message *message,
	uint64_t next, struct pack_handed_call *call)
{
	uint64_t address = next - 1;
	struct program_file *file = restore_file(
		handed->restore, message, &address, handed->matters);

	call->asked = true;
	call->known = file;
	if (!file)
		return;
	handed->asked = call;
	symbolizer_program_handed(
		file->program, address + 1, take_text, handed);
}

static void ask_call(struct pack_handed *handed, const struct message *message,
	uint64_t next)
{
	const struct program_module *module = program_module_at(
		message->program, next - 1, message->context->modules);
	struct pack_frame_content content = {0};
	struct pack_handed_call *call;
	struct pack_entry *entry;

	if (!module)
		return;
	content.module = pack_define_module(handed->define, module);
	content.offset = next - module->bias;
	entry = content.module ? pack_table_intern(&handed->calls, &content,
					 sizeof(content))
			       : NULL;
	call = entry ? state_of(handed, entry) : NULL;
	if (!call) {
		handed->failed = true;
		return;
	}
	if (entry->part == handed->define->part)
		return;
	entry->part = handed->define->part;
	if (!call->asked)
		ask(handed, message, next, call);
	if (!call->known)
		return;
	if (array_reserve(handed->waiting, handed->waiting_room,
		    handed->waiting_count + 1))
		handed->waiting[handed->waiting_count++] = entry->id;
	else
		handed->failed = true;
}

void pack_handed_ask(struct pack_handed *handed, const struct message *message)
{
	struct definition_context *context = message->context;
	size_t i;

	if (!definition_passes_text_on(context))
		return;
	for (i = 0; i < context->depth && i < HANDED_FRAMES_MAX; i++)
		ask_call(handed, message, context->frames[i]);
}

/* Its place in the frame that is being made, where it is once. */
static uint32_t place_of(struct pack_handed *handed, uint32_t id,
	struct render_buffer *list, uint32_t *count)
{
	struct pack_entry *text = pack_table_entry(&handed->texts, id);

	if (text->batch != handed->frames) {
		text->batch = handed->frames;
		text->place = (*count)++;
		pack_value_text(list, text->content, text->size);
	}
	return text->place;
}

static void put_call(struct pack_handed *handed, uint32_t id,
	struct render_buffer *texts, uint32_t *text_count)
{
	const struct pack_frame_content *content =
		pack_content(pack_table_entry(&handed->calls, id));
	const struct pack_handed_call *call = &handed->states[id - 1];
	struct render_buffer *out = &handed->call_list;
	size_t i;

	pack_value_array(out, 2 + 5 * call->count);
	pack_value_uint(out, content->module);
	pack_value_uint(out, content->offset);
	for (i = 0; i < call->count; i++) {
		const struct handed_text *text = &call->texts[i];

		pack_value_uint(
			out, place_of(handed, text->text, texts, text_count));
		pack_value_uint(out, text->how);
		pack_value_int(out, (int64_t)(content->offset - text->call));
		pack_value_uint(out, text->call - text->begin);
		pack_value_uint(out, text->end - text->call);
	}
}

static void put_compressed(struct pack_handed *handed,
	struct frame_write *frame, const struct render_buffer *all)
{
	struct render_buffer *to = &handed->compressed;
	size_t size = SIZE_MAX;

	if (!handed->plain &&
		render_buffer_reserve(to, ZSTD_compressBound(all->length)))
		size = ZSTD_compress(
			to->data, to->room, all->data, all->length, LEVEL);
	if (ZSTD_isError(size) || size >= all->length) {
		frame_write_binary(
			frame, PACKED_HANDED_CALLS, all->data, all->length);
		return;
	}
	frame_write_uint(frame, PACKED_HANDED_COMPRESSION, PACKED_ZSTD);
	frame_write_binary(frame, PACKED_HANDED_CALLS, to->data, size);
}

static void write_frame(struct pack_handed *handed, size_t calls,
	struct render_buffer *texts, uint32_t text_count)
{
	struct frame_write *frame = handed->define->frame;
	struct render_buffer all = {0};

	pack_value_array(&all, 2);
	pack_value_array(&all, text_count);
	render_buffer_put(&all, texts->data, texts->length);
	pack_value_array(&all, calls);
	render_buffer_put(
		&all, handed->call_list.data, handed->call_list.length);
	handed->failed |=
		all.failed || texts->failed || handed->call_list.failed;
	if (!handed->failed) {
		frame_write_begin(frame, PACKED_HANDED);
		frame_write_uint(frame, PACKED_HANDED_BYTES, all.length);
		put_compressed(handed, frame, &all);
		frame_write_end(frame);
	}
	render_buffer_free(&all);
}

void pack_handed_write(struct pack_handed *handed)
{
	struct render_buffer *texts = &handed->text_list;
	size_t done = 0;

	while (done < handed->waiting_count && !handed->failed) {
		size_t first = done;
		uint32_t text_count = 0;

		handed->frames++;
		texts->length = handed->call_list.length = 0;
		while (done < handed->waiting_count &&
			texts->length + handed->call_list.length < FRAME_BYTES)
			put_call(handed, handed->waiting[done++], texts,
				&text_count);
		write_frame(handed, done - first, texts, text_count);
	}
	handed->waiting_count = 0;
	handed->define->failed |= handed->failed;
}

size_t pack_handed_bytes(const struct pack_handed *handed)
{
	return handed->texts.bytes + handed->calls.bytes + handed->state_bytes +
	       handed->state_room * sizeof(*handed->states);
}

void pack_handed_forget(struct pack_handed *handed)
{
	size_t i;

	for (i = 0; i < handed->state_room; i++)
		free(handed->states[i].texts);
	free(handed->states);
	handed->states = NULL;
	handed->state_room = handed->state_bytes = 0;
	pack_table_free(&handed->texts);
	pack_table_free(&handed->calls);
	handed->waiting_count = 0;
}

void pack_handed_free(struct pack_handed *handed)
{
	pack_handed_forget(handed);
	free(handed->waiting);
	render_buffer_free(&handed->text_list);
	render_buffer_free(&handed->call_list);
	render_buffer_free(&handed->compressed);
}
