#include "decoder/pack/frame_write.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "decoder/pack/pack_value.h"

#define RESERVED 0xc1 /* the byte that MessagePack has no use for */
#define UINT32 0xce
#define FIXRAW 0xa0
#define FIXRAW_MAX 31u
#define RAW16 0xda
#define RAW32 0xdb
#define HEAD 7u /* what comes before the raw */
#define MASK_MAX 127u

/* Bytes of a string or binary value among the fields. */
struct range {
	size_t at;
	size_t size;
};

void frame_write_begin(struct frame_write *frame, enum packed_tag tag)
{
	frame->tag = tag;
	frame->count = 0;
	frame->fields.length = 0;
	frame->ranges.length = 0;
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

static void note_range(struct frame_write *frame, size_t size)
{
	const struct range range = {frame->fields.length - size, size};

	render_buffer_put(&frame->ranges, &range, sizeof(range));
}

void frame_write_item_text(
	struct frame_write *frame, const void *bytes, size_t size)
{
	pack_value_text(&frame->fields, bytes, size);
	note_range(frame, size);
}

void frame_write_item_binary(
	struct frame_write *frame, const void *bytes, size_t size)
{
	pack_value_binary(&frame->fields, bytes, size);
	note_range(frame, size);
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

static uint32_t number_at(const uint8_t *bytes, size_t size)
{
	uint32_t number = 0;

	for (; size > 0; size--)
		number = number << 8 | *bytes++;
	return number;
}

/* Bytes of the raw's head; 0: it is none. */
static size_t raw_head(uint8_t first)
{
	if (first >= FIXRAW && first <= (FIXRAW | FIXRAW_MAX))
		return 1;
	return first == RAW16 ? 3 : first == RAW32 ? 5 : 0;
}

/* Whether the bytes begin with a whole frame. */
static bool is_frame(const uint8_t *bytes, size_t size)
{
	size_t head, length;

	if (size <= HEAD || bytes[6] != RESERVED)
		return false;
	head = raw_head(bytes[HEAD]);
	if (head == 0 || size - HEAD < head)
		return false;
	length = head == 1 ? bytes[HEAD] & FIXRAW_MAX
			   : number_at(bytes + HEAD + 1, head - 1);
	if (size - HEAD - head < length)
		return false;
	return crc32(0, bytes + HEAD + head, (uInt)length) ==
	       number_at(bytes + 2, 4);
}

static bool has_frame(const struct render_buffer *fields)
{
	static const uint8_t begin[] = {RESERVED, UINT32};
	const uint8_t *end = (const uint8_t *)fields->data + fields->length;
	const uint8_t *at = (const uint8_t *)fields->data;

	while ((at = memmem(at, (size_t)(end - at), begin, sizeof(begin)))) {
		if (is_frame(at, (size_t)(end - at)))
			return true;
		at++;
	}
	return false;
}

static void turn_ranges(struct frame_write *frame, uint8_t mask)
{
	size_t count = frame->ranges.length / sizeof(struct range);
	size_t i, k;

	for (i = 0; i < count; i++) {
		struct range range;

		memcpy(&range, frame->ranges.data + i * sizeof(range),
			sizeof(range));
		for (k = 0; k < range.size; k++)
			frame->fields.data[range.at + k] ^= (char)mask;
	}
}

/*
 * A program may say what is in a log: were this frame damaged, that would come
 * out of it as a frame of the log.
 */
static void hide_frames(struct frame_write *frame)
{
	uint8_t mask = 0;

	if (frame->fields.failed || frame->ranges.failed ||
		!has_frame(&frame->fields))
		return;
	frame_write_uint(frame, PACKED_ALL_MASK, MASK_MAX);
	while (mask < MASK_MAX && !frame->fields.failed &&
		(mask == 0 || has_frame(&frame->fields))) {
		turn_ranges(frame, (uint8_t)(mask ^ (mask + 1)));
		mask++;
		frame->fields.data[frame->fields.length - 1] = (char)mask;
	}
}

void frame_write_end(struct frame_write *frame)
{
	const struct render_buffer *fields = &frame->fields;
	struct render_buffer *out = &frame->out;
	struct render_buffer head = {0};
	uLong crc;

	hide_frames(frame);
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
	if (head.failed || fields->failed || frame->ranges.failed)
		out->failed = true;
	render_buffer_free(&head);
}

void frame_write_free(struct frame_write *frame)
{
	render_buffer_free(&frame->out);
	render_buffer_free(&frame->fields);
	render_buffer_free(&frame->ranges);
}
