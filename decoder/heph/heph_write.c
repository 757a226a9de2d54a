#include "decoder/heph/heph_write.h"

#include <endian.h>
#include <string.h>

#include "base/utf8_read.h"

static void put_u16(struct render_buffer *out, uint16_t number)
{
	number = htobe16(number);
	render_buffer_put(out, &number, sizeof(number));
}

static void put_u32(struct render_buffer *out, uint32_t number)
{
	number = htobe32(number);
	render_buffer_put(out, &number, sizeof(number));
}

void heph_write_number(struct render_buffer *out, uint64_t number)
{
	number = htobe64(number);
	render_buffer_put(out, &number, sizeof(number));
}

void heph_write_text(struct render_buffer *out, const char *bytes, size_t size)
{
	size = utf8_text_fit(bytes, size, HEPH_STRING_MAX);
	put_u16(out, (uint16_t)size);
	render_buffer_put(out, bytes, size);
}

void heph_write_epoch(struct render_buffer *out, uint64_t epoch)
{
	static const size_t bytes = sizeof(HEPH_EPOCH) - 1;

	put_u32(out, HEPH_OPTION_MAGIC);
	put_u32(out, (uint32_t)(HEPH_OPTION_BYTES_MIN + bytes + sizeof(epoch)));
	heph_write_text(out, HEPH_EPOCH, bytes);
	heph_write_number(out, epoch);
}

size_t heph_write_begin(
	struct render_buffer *out, const struct heph_event *event)
{
	size_t begin = out->length;

	put_u32(out, HEPH_EVENT_MAGIC);
	put_u32(out, 0); /* the size, for heph_write_end() */
	put_u32(out, event->stream);
	put_u32(out, event->counter);
	heph_write_number(out, event->substream);
	heph_write_number(out, event->start);
	heph_write_number(out, event->end);
	heph_write_text(out, event->description.bytes, event->description.size);
	return begin;
}

void heph_write_attribute(
	struct render_buffer *out, const struct heph_attribute *attribute)
{
	heph_write_text(out, attribute->name.bytes, attribute->name.size);
	render_buffer_put_byte(out,
		(char)(attribute->type | (attribute->array ? HEPH_ARRAY : 0)));
	if (attribute->array)
		put_u16(out, attribute->count);
}

static void put_name(
	struct render_buffer *out, const char *name, enum heph_type type)
{
	heph_write_attribute(
		out, &(struct heph_attribute){.name = {name, strlen(name)},
			     .type = (uint8_t)type});
}

void heph_write_unsigned(
	struct render_buffer *out, const char *name, uint64_t number)
{
	put_name(out, name, HEPH_UNSIGNED);
	heph_write_number(out, number);
}

void heph_write_signed(
	struct render_buffer *out, const char *name, int64_t number)
{
	put_name(out, name, HEPH_SIGNED);
	heph_write_number(out, (uint64_t)number);
}

void heph_write_float(
	struct render_buffer *out, const char *name, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	put_name(out, name, HEPH_FLOAT);
	heph_write_number(out, bits);
}

void heph_write_string(struct render_buffer *out, const char *name,
	const char *bytes, size_t size)
{
	put_name(out, name, HEPH_STRING);
	heph_write_text(out, bytes, size);
}

void heph_write_end(struct render_buffer *out, size_t begin)
{
	uint32_t size = htobe32((uint32_t)(out->length - begin));

	if (!out->failed)
		memcpy(out->data + begin + sizeof(uint32_t), &size,
			sizeof(size));
}
