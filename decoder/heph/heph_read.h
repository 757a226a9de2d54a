/*
 * Packets of Heph's trace format out of bytes that anybody may have written.
 * Used by the reader of such files; nothing beyond the packet is looked at.
 */
#ifndef DECODER_HEPH_READ_H
#define DECODER_HEPH_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

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

/* All of these take a cursor over what follows the size of a packet. */

/* True: it is the option `epoch`. */
bool heph_read_epoch(struct cursor packet, uint64_t *epoch);

/* Leaves the cursor at the attributes.  False: the event does not fit. */
bool heph_read_event(struct cursor *packet, struct heph_event *event);

/*
 * The next attribute; its values follow.  False: there is none, or, if the
 * cursor has failed or is not at its end, it makes no sense.
 */
bool heph_read_attribute(
	struct cursor *packet, struct heph_attribute *attribute);

uint64_t heph_read_number(struct cursor *packet);
double heph_read_float(struct cursor *packet);
struct heph_string heph_read_string(struct cursor *packet);

/* Steps over the values of an attribute. */
void heph_read_over(
	struct cursor *packet, const struct heph_attribute *attribute);

#endif
