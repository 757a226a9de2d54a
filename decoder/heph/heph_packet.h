/*
 * What is in Heph's trace format, version 0.1.0: packets of options and of
 * events with typed attributes.  All numbers are big-endian, and all strings
 * are UTF-8 behind the number of their bytes, 16 bits.
 */
#ifndef DECODER_HEPH_PACKET_H
#define DECODER_HEPH_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEPH_OPTION_MAGIC 0x75d11d4du
#define HEPH_EVENT_MAGIC 0xc1fc1fb7u
#define HEPH_HEAD_BYTES 8u /* of each packet: magic and size */
#define HEPH_OPTION_BYTES_MIN 10u
#define HEPH_EVENT_BYTES_MIN 42u
#define HEPH_STRING_MAX UINT16_MAX
#define HEPH_EPOCH "epoch"

enum heph_type {
	HEPH_UNSIGNED = 1,
	HEPH_SIGNED = 2,
	HEPH_FLOAT = 3,
	HEPH_STRING = 4,
	HEPH_ARRAY = 0x80, /* of one of these */
};

/* Not ended by a NUL. */
struct heph_string {
	const char *bytes;
	size_t size;
};

struct heph_event {
	uint32_t stream;
	uint32_t counter;
	uint64_t substream;
	uint64_t start; /* nanoseconds since the epoch of the trace */
	uint64_t end;
	struct heph_string description;
};

struct heph_attribute {
	struct heph_string name;
	uint8_t type; /* enum heph_type, without HEPH_ARRAY */
	bool array;
	uint16_t count; /* of values; 1 if it is no array */
};

#endif
