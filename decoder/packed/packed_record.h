/*
 * One record of a packed log, by its fields.  Made by the reader out of a
 * frame whose check sum fits; nothing in it is trusted.  Numbers and bytes are
 * asked for by field; what is missing or of another kind is so answered.
 */
#ifndef DECODER_PACKED_RECORD_H
#define DECODER_PACKED_RECORD_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/packed.h"

#define PACKED_RECORD_FIELDS 128u

/* All zeros before the first use; the memory is used again. */
struct packed_record {
	uint32_t tag; /* enum packed_tag, or one that is not known */
	bool known;   /* it is */
	const msgpack_object *fields[PACKED_RECORD_FIELDS];
	size_t unknown; /* fields that it should not have */
	size_t extra;	/* bytes behind the payload */
	msgpack_zone *zone;
};

struct packed_bytes {
	const uint8_t *data; /* null: there are none */
	size_t size;
};

/*
 * Takes a frame's record apart, which it may change and points into.  False:
 * it makes no sense, or there is no memory for it.
 */
bool packed_record_read(
	struct packed_record *record, uint8_t *bytes, size_t size);

/* The memory. */
void packed_record_free(struct packed_record *record);

/* Missing ones and others are 0; negative ones are two's complements. */
uint64_t packed_record_number(
	const struct packed_record *record, enum packed_field field);

/* Likewise, but numbers that do not fit are 0, too: no id is. */
uint32_t packed_record_id(
	const struct packed_record *record, enum packed_field field);

bool packed_record_has(
	const struct packed_record *record, enum packed_field field);

struct packed_bytes packed_record_bytes(
	const struct packed_record *record, enum packed_field field);

/* Null: there is none. */
const msgpack_object_array *packed_record_list(
	const struct packed_record *record, enum packed_field field);

/* The same of any object; null is fine. */
uint64_t packed_object_number(const msgpack_object *object);
uint32_t packed_object_id(const msgpack_object *object);
struct packed_bytes packed_object_bytes(const msgpack_object *object);

/* Null: it is no array, or has fewer elements. */
const msgpack_object *packed_object_elements(
	const msgpack_object *object, size_t least, size_t *count);

#endif
