/*
 * Whatever messages say: a trace of Perfetto is packets whose fields are, down
 * to events and tracks, as protobuf encodes them.
 */
#include "tests/fuzz/hostile_log.h"

struct wire_field {
	uint64_t number;
	unsigned type; /* of the wire */
	const uint8_t *bytes;
	size_t size;
};

static const uint8_t *take_varint(
	const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	unsigned shift = 0;

	*value = 0;
	do {
		FUZZ_CHECK(at < end && shift < 70);
		if (shift < 64)
			*value |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
	} while (*at++ & 0x80);
	return at;
}

static const uint8_t *take_field(
	const uint8_t *at, const uint8_t *end, struct wire_field *field)
{
	uint64_t key, size = 0;

	at = take_varint(at, end, &key);
	field->number = key >> 3;
	field->type = key & 7;
	FUZZ_CHECK(field->number > 0);
	switch (field->type) {
	case 0:
		return take_varint(at, end, &size);
	case 1:
		size = 8;
		break;
	case 2:
		at = take_varint(at, end, &size);
		break;
	case 5:
		size = 4;
		break;
	default:
		FUZZ_CHECK(!"no such type");
	}
	FUZZ_CHECK(size <= (size_t)(end - at));
	field->bytes = at;
	field->size = size;
	return at + size;
}

static void check_event(const struct wire_field *event)
{
	const uint8_t *at = event->bytes;
	const uint8_t *end = at + event->size;
	struct wire_field field;

	FUZZ_CHECK(event->type == 2);
	while (at < end)
		at = take_field(at, end, &field);
}

static void check_packet(const struct wire_field *packet)
{
	const uint8_t *at = packet->bytes;
	const uint8_t *end = at + packet->size;
	struct wire_field field;

	FUZZ_CHECK(packet->number == 1 && packet->type == 2);
	while (at < end) {
		at = take_field(at, end, &field);
		/* track_event, interned_data, track_descriptor */
		if (field.number == 11 || field.number == 12 ||
			field.number == 60)
			check_event(&field);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct render_buffer *text =
		hostile_log_show("perfetto", NULL, data, size);
	const uint8_t *at = (const uint8_t *)text->data;
	const uint8_t *end = text->length > 0 ? at + text->length : at;
	struct wire_field packet;

	while (at < end) {
		at = take_field(at, end, &packet);
		check_packet(&packet);
	}
	return 0;
}
