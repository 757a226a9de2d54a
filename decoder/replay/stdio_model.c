#include "decoder/replay/stdio_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "record/layout.h"
#include "record/libc.h"

/* From this size on libc writes whole multiples of the buffer. */
#define ALIGNED_FROM 128u

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

void stdio_model_set(struct stdio_model *model, uint32_t mode, uint32_t size)
{
	if (size == 0)
		size = 1;
	model->mode = mode;
	model->size = limits_exceeded(LIMIT_STDIO_BUFFER, size)
			      ? LIMITS_STDIO_BUFFER
			      : size;
}

void stdio_model_replace_buffer(
	struct stdio_model *model, const struct stdio_model_sink *sink)
{
	stdio_model_flush(model, sink);
	model->end = 0;
}

void stdio_model_reopen(
	struct stdio_model *model, const struct stdio_model_sink *sink)
{
	stdio_model_replace_buffer(model, sink);
	model->begun = false;
}

/* After a write: new_do_write(). */
static void reset(struct stdio_model *model)
{
	model->used = 0;
	model->end = model->mode == BINLOG_BUFFER_FULL ? model->size : 0;
}

void stdio_model_flush(
	struct stdio_model *model, const struct stdio_model_sink *sink)
{
	if (model->used == 0)
		return;
	sink->write(sink->closure, model->data, model->used);
	reset(model);
}

void stdio_model_purge(struct stdio_model *model)
{
	model->used = 0;
}

static bool make_room(struct stdio_model *model, size_t size)
{
	size_t room = model->room > 0 ? model->room : 256;
	char *data;

	while (room < model->used + size)
		room *= 2;
	if (room == model->room)
		return true;
	data = realloc(model->data, room);
	if (!data)
		return false;
	model->data = data;
	model->room = room;
	return true;
}

static void keep(struct stdio_model *model, const char *bytes, size_t size,
	const struct stdio_model_sink *sink)
{
	if (size == 0)
		return;
	if (!make_room(model, size)) {
		stdio_model_flush(model, sink);
		sink->write(sink->closure, bytes, size);
		return;
	}
	memcpy(model->data + model->used, bytes, size);
	model->used += size;
}

/* The first text: libc gets itself a buffer. */
static void begin(struct stdio_model *model)
{
	if (model->begun)
		return;
	model->begun = true;
	model->end = model->mode == BINLOG_BUFFER_FULL ? model->size : 0;
}

void stdio_model_used(struct stdio_model *model)
{
	begin(model);
}

/* A byte for which there was no room: _IO_new_file_overflow(). */
static void overflow(struct stdio_model *model, char byte,
	const struct stdio_model_sink *sink)
{
	begin(model);
	if (model->used >= model->size)
		stdio_model_flush(model, sink);
	keep(model, &byte, 1, sink);
	if (model->mode == BINLOG_BUFFER_NONE ||
		(model->mode == BINLOG_BUFFER_LINE && byte == '\n'))
		stdio_model_flush(model, sink);
}

/* _IO_default_xsputn(). */
static void put_slowly(struct stdio_model *model, const char *bytes,
	size_t size, const struct stdio_model_sink *sink)
{
	while (size > 0) {
		size_t part = model->used < model->end
				      ? least(model->end - model->used, size)
				      : 0;

		keep(model, bytes, part, sink);
		bytes += part;
		size -= part;
		if (size == 0)
			break;
		overflow(model, *bytes++, sink);
		size--;
	}
}

/* How much is copied without looking further; by lines up to the last one. */
static size_t fits(const struct stdio_model *model, const char *bytes,
	size_t size, bool *newline)
{
	size_t space;
	const char *last;

	if (model->mode != BINLOG_BUFFER_LINE || !model->begun)
		return model->end > model->used
			       ? least(model->end - model->used, size)
			       : 0;
	space = model->size > model->used ? model->size - model->used : 0;
	last = space >= size ? memrchr(bytes, '\n', size) : NULL;
	*newline = last != NULL;
	return last ? (size_t)(last + 1 - bytes) : least(space, size);
}

void stdio_model_block(struct stdio_model *model, const char *bytes,
	size_t size, const struct stdio_model_sink *sink)
{
	bool newline = false;
	size_t part, direct;

	if (size == 0)
		return;
	part = fits(model, bytes, size, &newline);
	keep(model, bytes, part, sink);
	bytes += part;
	size -= part;
	if (size == 0 && !newline)
		return;
	begin(model);
	stdio_model_flush(model, sink);
	direct = size;
	if (model->size >= ALIGNED_FROM)
		direct -= size % model->size;
	if (direct > 0) {
		sink->write(sink->closure, bytes, direct);
		reset(model);
	}
	put_slowly(model, bytes + direct, size - direct, sink);
}

void stdio_model_byte(struct stdio_model *model, char byte,
	const struct stdio_model_sink *sink)
{
	if (model->used < model->end)
		keep(model, &byte, 1, sink);
	else
		overflow(model, byte, sink);
}

void stdio_model_print(struct stdio_model *model, const char *text, size_t size,
	bool failed, const struct stdio_model_sink *sink)
{
	while (size > 0) {
		size_t room =
			model->used < model->end ? model->end - model->used : 0;
		size_t part = least(room > 0 ? room : LIBC_STAGE, size);

		/* A portion is handed on when there is more to come. */
		if (failed && part == size)
			return;
		if (room == 0)
			stdio_model_block(model, text, part, sink);
		else
			keep(model, text, part, sink);
		text += part;
		size -= part;
		/* What has filled the buffer is followed by one byte alone. */
		if (room > 0 && size > 0) {
			if (failed && size == 1)
				return;
			overflow(model, *text++, sink);
			size--;
		}
	}
}

void stdio_model_text(struct stdio_model *model,
	const struct render_buffer *text, const struct stdio_model_sink *sink)
{
	const struct render_pieces *pieces = text->pieces;
	const char *data = text->data;
	size_t at = 0;
	size_t i;

	for (i = 0; i < pieces->count; i++) {
		size_t end = pieces->ends[i] / RENDER_PIECE_KINDS;
		unsigned int kind = pieces->ends[i] % RENDER_PIECE_KINDS;

		if (kind == RENDER_PIECE_BYTES)
			while (at < end)
				stdio_model_byte(model, data[at++], sink);
		else if (kind == RENDER_PIECE_BLOCK)
			stdio_model_block(model, data + at, end - at, sink);
		else
			stdio_model_print(model, data + at, end - at,
				kind == RENDER_PIECE_FAILED, sink);
		at = end;
	}
}

bool stdio_model_copy(struct stdio_model *to, const struct stdio_model *from)
{
	*to = *from;
	to->data = NULL;
	to->room = to->used = 0;
	if (!make_room(to, from->used))
		return false;
	if (from->used > 0)
		memcpy(to->data, from->data, from->used);
	to->used = from->used;
	return true;
}

void stdio_model_free(struct stdio_model *model)
{
	free(model->data);
	*model = (struct stdio_model){0};
}
