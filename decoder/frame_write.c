#include "decoder/frame_write.h"

#include <zlib.h>

#include "decoder/pack_value.h"

#define RESERVED 0xc1 /* the byte that MessagePack has no use for */
#define UINT32 0xce
#define FIXRAW 0xa0
#define FIXRAW_MAX 31u
#define RAW16 0xda
#define RAW32 0xdb

void frame_write_begin(struct frame_write *frame, enum packed_tag tag)
{
	frame->tag = tag;
	frame->count = 0;
	frame->fields.length = 0;
	frame_write_uint(frame, PACKED_ALL_LOG, frame->log);
	frame_write_some(frame, PACKED_ALL_PART, frame->part);
}

/* The number of the next field. */
static struct render_buffer *begin_field(
	struct frame_write *frame, unsigned field)
{
	frame->count++;
	pack_value_uint(&frame->fields, field);
	return &frame->fields;
}

void frame_write_uint(struct frame_write *frame, unsigned field, uint64_t value)
{
	pack_value_uint(begin_field(frame, field), value);
}

void frame_write_int(struct frame_write *frame, unsigned field, int64_t value)
{
	pack_value_int(begin_field(frame, field), value);
}

void frame_write_some(struct frame_write *frame, unsigned field, uint64_t value)
{
	if (value != 0)
		frame_write_uint(frame, field, value);
}

void frame_write_item_text(
	struct frame_write *frame, const void *bytes, size_t size)
{
	pack_value_text(&frame->fields, bytes, size);
}

void frame_write_item_binary(
	struct frame_write *frame, const void *bytes, size_t size)
{
	pack_value_binary(&frame->fields, bytes, size);
}

void frame_write_text(struct frame_write *frame, unsigned field,
	const void *bytes, size_t size)
{
	begin_field(frame, field);
	frame_write_item_text(frame, bytes, size);
}

void frame_write_binary(struct frame_write *frame, unsigned field,
	const void *bytes, size_t size)
{
	begin_field(frame, field);
	frame_write_item_binary(frame, bytes, size);
}

struct render_buffer *frame_write_list(
	struct frame_write *frame, unsigned field, size_t count)
{
	struct render_buffer *fields = begin_field(frame, field);

	pack_value_array(fields, count);
	return fields;
}

static void put_number(struct render_buffer *out, uint32_t number, size_t bytes)
{
	while (bytes-- > 0)
		render_buffer_put_byte(out, (char)(number >> 8 * bytes));
}

static void put_raw_head(struct render_buffer *out, size_t size)
{
	if (size <= FIXRAW_MAX) {
		render_buffer_put_byte(out, (char)(FIXRAW | size));
	} else if (size <= UINT16_MAX) {
		render_buffer_put_byte(out, (char)RAW16);
		put_number(out, (uint32_t)size, 2);
	} else {
		render_buffer_put_byte(out, (char)RAW32);
		put_number(out, (uint32_t)size, 4);
	}
}

void frame_write_end(struct frame_write *frame)
{
	const struct render_buffer *fields = &frame->fields;
	struct render_buffer *out = &frame->out;
	struct render_buffer head = {0};
	uLong crc;

	pack_value_uint(&head, frame->tag);
	pack_value_map(&head, frame->count);
	crc = crc32(0, (const Bytef *)head.data, (uInt)head.length);
	crc = crc32(crc, (const Bytef *)fields->data, (uInt)fields->length);
	render_buffer_put_byte(out, (char)RESERVED);
	render_buffer_put_byte(out, (char)UINT32);
	put_number(out, (uint32_t)crc, 4);
	render_buffer_put_byte(out, (char)RESERVED);
	put_raw_head(out, head.length + fields->length);
	render_buffer_put(out, head.data, head.length);
	render_buffer_put(out, fields->data, fields->length);
	if (head.failed || fields->failed)
		out->failed = true;
	render_buffer_free(&head);
}

void frame_write_free(struct frame_write *frame)
{
	render_buffer_free(&frame->out);
	render_buffer_free(&frame->fields);
}
