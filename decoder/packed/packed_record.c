#include "decoder/packed/packed_record.h"

#include <string.h>

#include "base/limits.h"
#include "base/msgpack_check.h"

/* An object takes 24 bytes of memory. */
#define ZONE_CHUNK 4096u

/* The fields of a tag, a bit each. */
struct known {
	bool tag;
	uint64_t fields[PACKED_RECORD_FIELDS / 64];
};

static const struct known *known_of(uint32_t tag)
{
	static struct known all[PACKED_RECORD_FIELDS];
	static bool made;

	if (!made) {
#define TAG(name, number, comment) all[number].tag = true;
#include "record/packed_tags.def"
#undef TAG
		for (size_t i = 0; i < PACKED_RECORD_FIELDS; i++) {
			const size_t PACKED_ALL = i;
#define FIELD(tag, name, number, kind, comment)                                \
	all[PACKED_##tag].fields[(number) / 64] |= (uint64_t)1 << (number) % 64;
#include "record/packed_fields.def"
#undef FIELD
		}
		made = true;
	}
	return &all[tag];
}

/* In place: what a string or an array of strings says. */
static void unmask(uint8_t *bytes, const msgpack_object *object, uint8_t mask)
{
	struct packed_bytes string = packed_object_bytes(object);
	uint8_t *at = string.data ? bytes + (string.data - bytes) : NULL;
	size_t i;

	for (i = 0; at && i < string.size; i++)
		at[i] ^= mask;
	if (object->type == MSGPACK_OBJECT_ARRAY)
		for (i = 0; i < object->via.array.size; i++)
			unmask(bytes, &object->via.array.ptr[i], mask);
}

/* Of a field that is there twice the first one counts. */
static void enter_fields(
	struct packed_record *record, const msgpack_object_map *map)
{
	const struct known *known = known_of(record->tag);
	size_t i;

	record->known = known->tag;
	record->unknown = 0;
	memset(record->fields, 0, sizeof(record->fields));
	for (i = 0; i < map->size; i++) {
		const msgpack_object *key = &map->ptr[i].key;
		uint64_t number = key->type == MSGPACK_OBJECT_POSITIVE_INTEGER
					  ? key->via.u64
					  : PACKED_RECORD_FIELDS;

		if (number >= PACKED_RECORD_FIELDS ||
			!(known->fields[number / 64] >> number % 64 & 1))
			record->unknown++;
		else if (!record->fields[number])
			record->fields[number] = &map->ptr[i].val;
	}
}

static void unmask_fields(struct packed_record *record, uint8_t *bytes)
{
	uint8_t mask = (uint8_t)packed_record_number(record, PACKED_ALL_MASK);
	size_t i;

	for (i = 0; mask && i < PACKED_RECORD_FIELDS; i++)
		if (record->fields[i])
			unmask(bytes, record->fields[i], mask);
}

bool packed_record_read(
	struct packed_record *record, uint8_t *bytes, size_t size)
{
	size_t used = msgpack_check(bytes, size, 2, LIMITS_OBJECTS);
	msgpack_object payload;
	size_t at = 1;

	if (used == 0 || bytes[0] >= PACKED_RECORD_FIELDS)
		return false;
	if (!record->zone)
		record->zone = msgpack_zone_new(ZONE_CHUNK);
	if (!record->zone)
		return false;
	msgpack_zone_clear(record->zone);
	if (msgpack_unpack((const char *)bytes, used, &at, record->zone,
		    &payload) < 0 ||
		payload.type != MSGPACK_OBJECT_MAP)
		return false;
	record->tag = bytes[0];
	record->extra = size - used;
	enter_fields(record, &payload.via.map);
	unmask_fields(record, bytes);
	return true;
}

void packed_record_free(struct packed_record *record)
{
	if (record->zone)
		msgpack_zone_free(record->zone);
	record->zone = NULL;
}

uint64_t packed_object_number(const msgpack_object *object)
{
	if (!object)
		return 0;
	switch (object->type) {
	case MSGPACK_OBJECT_BOOLEAN:
		return object->via.boolean;
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		return object->via.u64;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		return (uint64_t)object->via.i64;
	default:
		return 0;
	}
}

uint32_t packed_object_id(const msgpack_object *object)
{
	uint64_t number = packed_object_number(object);

	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

struct packed_bytes packed_object_bytes(const msgpack_object *object)
{
	if (object && object->type == MSGPACK_OBJECT_STR)
		return (struct packed_bytes){
			(const uint8_t *)object->via.str.ptr,
			object->via.str.size};
	if (object && object->type == MSGPACK_OBJECT_BIN)
		return (struct packed_bytes){
			(const uint8_t *)object->via.bin.ptr,
			object->via.bin.size};
	return (struct packed_bytes){0};
}

const msgpack_object *packed_object_elements(
	const msgpack_object *object, size_t least, size_t *count)
{
	*count = 0;
	if (!object || object->type != MSGPACK_OBJECT_ARRAY ||
		object->via.array.size < least)
		return NULL;
	*count = object->via.array.size;
	return object->via.array.ptr;
}

uint64_t packed_record_number(
	const struct packed_record *record, enum packed_field field)
{
	return packed_object_number(record->fields[field]);
}

uint32_t packed_record_id(
	const struct packed_record *record, enum packed_field field)
{
	return packed_object_id(record->fields[field]);
}

bool packed_record_has(
	const struct packed_record *record, enum packed_field field)
{
	return record->fields[field];
}

struct packed_bytes packed_record_bytes(
	const struct packed_record *record, enum packed_field field)
{
	return packed_object_bytes(record->fields[field]);
}

const msgpack_object_array *packed_record_list(
	const struct packed_record *record, enum packed_field field)
{
	const msgpack_object *object = record->fields[field];

	return object && object->type == MSGPACK_OBJECT_ARRAY
		       ? &object->via.array
		       : NULL;
}
