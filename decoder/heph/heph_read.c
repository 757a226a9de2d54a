#include "decoder/heph/heph_read.h"

#include <endian.h>
#include <string.h>

static uint16_t read_u16(struct cursor *packet)
{
	const uint8_t *bytes = cursor_bytes(packet, sizeof(uint16_t));

	return bytes ? (uint16_t)(bytes[0] << 8 | bytes[1]) : 0;
}

uint64_t heph_read_number(struct cursor *packet)
{
	return be64toh(cursor_u64(packet));
}

double heph_read_float(struct cursor *packet)
{
	uint64_t bits = heph_read_number(packet);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

struct heph_string heph_read_string(struct cursor *packet)
{
	size_t size = read_u16(packet);
	const uint8_t *bytes = cursor_bytes(packet, size);

	return (struct heph_string){
		bytes ? (const char *)bytes : "", bytes ? size : 0};
}

bool heph_read_epoch(struct cursor packet, uint64_t *epoch)
{
	struct heph_string name = heph_read_string(&packet);

	if (name.size != sizeof(HEPH_EPOCH) - 1 ||
		memcmp(name.bytes, HEPH_EPOCH, name.size) != 0 ||
		cursor_left(&packet) != sizeof(*epoch))
		return false;
	*epoch = heph_read_number(&packet);
	return !packet.failed;
}

bool heph_read_event(struct cursor *packet, struct heph_event *event)
{
	event->stream = be32toh(cursor_u32(packet));
	event->counter = be32toh(cursor_u32(packet));
	event->substream = heph_read_number(packet);
	event->start = heph_read_number(packet);
	event->end = heph_read_number(packet);
	event->description = heph_read_string(packet);
	return !packet->failed;
}

bool heph_read_attribute(
	struct cursor *packet, struct heph_attribute *attribute)
{
	struct cursor before = *packet;
	const uint8_t *type;

	if (cursor_left(packet) == 0)
		return false;
	attribute->name = heph_read_string(packet);
	type = cursor_bytes(packet, 1);
	attribute->type = type ? *type & ~HEPH_ARRAY : 0;
	attribute->array = type && *type & HEPH_ARRAY;
	attribute->count = attribute->array ? read_u16(packet) : 1;
	if (!packet->failed && attribute->type >= HEPH_UNSIGNED &&
		attribute->type <= HEPH_STRING)
		return true;
	*packet = before;
	return false;
}

void heph_read_over(
	struct cursor *packet, const struct heph_attribute *attribute)
{
	unsigned i;

	for (i = 0; i < attribute->count && !packet->failed; i++)
		if (attribute->type == HEPH_STRING)
			heph_read_string(packet);
		else
			heph_read_number(packet);
}
