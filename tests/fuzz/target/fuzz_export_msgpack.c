/*
 * Whatever messages say: what the style shows is maps of MessagePack, one
 * after the other, with all that msgpack-c takes.
 */
#include <msgpack.h>

#include "tests/fuzz/hostile_log.h"
#include "tests/fuzz/utf8_check.h"

/* Strings have to be UTF-8; others are binary. */
static void check_value(const msgpack_object *value)
{
	const char *text;
	uint32_t i;

	switch (value->type) {
	case MSGPACK_OBJECT_STR:
		text = value->via.str.ptr;
		for (i = 0; i < value->via.str.size;) {
			const unsigned char *at =
				(const unsigned char *)text + i;
			const unsigned char *end = (const unsigned char *)text +
						   value->via.str.size;

			FUZZ_CHECK(utf8_check_next(&at, end) != UINT32_MAX);
			i = (uint32_t)(at - (const unsigned char *)text);
		}
		return;
	case MSGPACK_OBJECT_ARRAY:
		for (i = 0; i < value->via.array.size; i++)
			check_value(&value->via.array.ptr[i]);
		return;
	case MSGPACK_OBJECT_MAP:
		for (i = 0; i < value->via.map.size; i++) {
			FUZZ_CHECK(value->via.map.ptr[i].key.type ==
				   MSGPACK_OBJECT_STR);
			check_value(&value->via.map.ptr[i].key);
			check_value(&value->via.map.ptr[i].val);
		}
		return;
	default:
		return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct render_buffer *text =
		hostile_log_show("msgpack", NULL, data, size);
	msgpack_unpacked unpacked;
	size_t at = 0;

	msgpack_unpacked_init(&unpacked);
	while (at < text->length) {
		FUZZ_CHECK(
			msgpack_unpack_next(&unpacked, text->data, text->length,
				&at) == MSGPACK_UNPACK_SUCCESS);
		FUZZ_CHECK(unpacked.data.type == MSGPACK_OBJECT_MAP);
		check_value(&unpacked.data);
	}
	msgpack_unpacked_destroy(&unpacked);
	return 0;
}
