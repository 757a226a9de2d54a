/*
 * Packed logs as inputs: pieces are frames, whose records are changed field by
 * field, and whose sums fit afterwards.  Batches come to be stored without
 * compression, so that their index and their columns can be changed, too.
 */
#ifndef TESTS_FUZZ_FRAMES_H
#define TESTS_FUZZ_FRAMES_H

#include <zlib.h>
#include <zstd.h>

#include "base/msgpack_check.h"
#include "record/packed.h"
#include "tests/fuzz/pieces.h"

#define FRAMES_FIELDS 24u
#define FRAMES_OBJECTS 4096u

/* ---- frames ---- */

static inline size_t frames_number(const uint8_t *bytes, size_t size)
{
	size_t number = 0;

	while (size-- > 0)
		number = number << 8 | *bytes++;
	return number;
}

static inline struct piece frames_find(const uint8_t *bytes, size_t size)
{
	static const uint8_t start[] = {0xc1, 0xce};
	struct piece piece = {.size = size};
	const uint8_t *next;
	size_t length;

	if (size >= 12 && bytes[0] == 0xc1 && bytes[1] == 0xce &&
		bytes[6] == 0xc1) {
		piece.head = bytes[7] == 0xda ? 10 : bytes[7] == 0xdb ? 12 : 8;
		length = piece.head == 8
				 ? bytes[7] & 31u
				 : frames_number(bytes + 8, piece.head - 8);
		if (length <= size - piece.head) {
			piece.size = piece.head + length;
			return piece;
		}
		piece.head = 0;
	}
	next = size > 1 ? memmem(bytes + 1, size - 1, start, sizeof(start))
			: NULL;
	if (next)
		piece.size = (size_t)(next - bytes);
	return piece;
}

static inline size_t frames_frame(
	uint8_t *into, size_t room, const uint8_t *record, size_t size)
{
	uint32_t sum = (uint32_t)crc32(0, record, (uInt)size);
	size_t head = size < 32 ? 8 : size <= UINT16_MAX ? 10 : 12;
	size_t i;

	if (room < head + size)
		return 0;
	into[0] = into[6] = 0xc1;
	into[1] = 0xce;
	for (i = 0; i < 4; i++)
		into[2 + i] = (uint8_t)(sum >> (24 - 8 * i));
	into[7] = head == 8 ? (uint8_t)(0xa0 | size) : head == 10 ? 0xda : 0xdb;
	for (i = 8; i < head; i++)
		into[i] = (uint8_t)(size >> 8 * (head - 1 - i));
	memcpy(into + head, record, size);
	return head + size;
}

/* ---- records ---- */

struct frames_field {
	uint64_t key;
	const uint8_t *value; /* with its head */
	size_t size;
};

/* Of a record: its tag and fields. */
struct frames_record {
	uint8_t tag;
	struct frames_field fields[FRAMES_FIELDS];
	size_t count;
	uint8_t changed[2 * PIECE_ROOM]; /* values that are not in the input */
	size_t used;
};

/* False: it is no record, or one with too many fields. */
static inline bool frames_parse(
	struct frames_record *record, const uint8_t *bytes, size_t size)
{
	size_t at = 2;
	size_t i;

	record->used = 0;
	if (size < 2 || bytes[0] > 0x7f || (bytes[1] & 0xf0) != 0x80)
		return false;
	record->tag = bytes[0];
	record->count = bytes[1] & 15;
	for (i = 0; i < record->count && at < size; i++) {
		struct frames_field *field = &record->fields[i];

		field->key = bytes[at++];
		field->value = bytes + at;
		field->size =
			msgpack_check(bytes + at, size - at, 1, FRAMES_OBJECTS);
		if (field->key > 0x7f || field->size == 0)
			return false;
		at += field->size;
	}
	return i == record->count && at == size;
}

static inline size_t frames_build(
	const struct frames_record *record, uint8_t *into, size_t most)
{
	size_t at = 2;
	size_t i;

	into[0] = record->tag;
	into[1] = (uint8_t)(0x80 | record->count);
	for (i = 0; i < record->count; i++) {
		const struct frames_field *field = &record->fields[i];

		if (most - at < 1 + field->size)
			return 0;
		into[at] = (uint8_t)field->key;
		memcpy(into + at + 1, field->value, field->size);
		at += 1 + field->size;
	}
	return at;
}

static inline struct frames_field *frames_of(
	struct frames_record *record, uint64_t key)
{
	size_t i;

	for (i = 0; i < record->count; i++)
		if (record->fields[i].key == key)
			return &record->fields[i];
	return NULL;
}

/* What is in a string or a binary.  Null: it is neither. */
static inline const uint8_t *frames_bytes(
	const struct frames_field *field, size_t *size)
{
	uint8_t head = field->value[0];
	size_t bytes = 1;

	if (head >= 0xa0 && head <= 0xbf) {
		*size = head & 31;
		return field->value + 1;
	}
	if (head >= 0xc4 && head <= 0xc6)
		bytes = (size_t)1 << (head - 0xc4);
	else if (head >= 0xd9 && head <= 0xdb)
		bytes = (size_t)1 << (head - 0xd9);
	else
		return NULL;
	*size = frames_number(field->value + 1, bytes);
	return field->value + 1 + bytes;
}

/* The field is now this binary, this number; unless there is no room. */
static inline void frames_set_bytes(struct frames_record *record,
	struct frames_field *field, const uint8_t *bytes, size_t size)
{
	uint8_t *into = record->changed + record->used;

	if (size > UINT16_MAX ||
		sizeof(record->changed) - record->used < size + 3)
		return;
	into[0] = 0xc5;
	into[1] = (uint8_t)(size >> 8);
	into[2] = (uint8_t)size;
	memcpy(into + 3, bytes, size);
	field->value = into;
	field->size = size + 3;
	record->used += field->size;
}

static inline void frames_set_number(struct frames_record *record,
	struct frames_field *field, uint64_t number)
{
	uint8_t *into = record->changed + record->used;
	size_t i;

	if (sizeof(record->changed) - record->used < 9)
		return;
	into[0] = 0xcf;
	for (i = 0; i < 8; i++)
		into[1 + i] = (uint8_t)(number >> (56 - 8 * i));
	field->value = into;
	field->size = 9;
	record->used += 9;
}

/* ---- batches ---- */

static inline void frames_store(
	struct frames_record *record, enum packed_field field)
{
	static uint8_t plain[PIECE_ROOM];
	struct frames_field *bytes = frames_of(record, field);
	const uint8_t *from;
	size_t size;

	from = bytes ? frames_bytes(bytes, &size) : NULL;
	if (!from)
		return;
	size = ZSTD_decompress(plain, sizeof(plain), from, size);
	if (!ZSTD_isError(size))
		frames_set_bytes(record, bytes, plain, size);
}

/* Not compressed any more. */
static inline void frames_store_batch(struct frames_record *record)
{
	struct frames_field *compression =
		frames_of(record, PACKED_BATCH_COMPRESSION);

	if (!compression || compression->value[0] != PACKED_ZSTD)
		return;
	frames_store(record, PACKED_BATCH_INDEX);
	frames_store(record, PACKED_BATCH_BODY);
	frames_set_number(record, compression, PACKED_STORED);
}

static inline void frames_fit(struct frames_record *record,
	enum packed_field bytes, enum packed_field size)
{
	struct frames_field *of = frames_of(record, bytes);
	struct frames_field *told = frames_of(record, size);
	size_t number;

	if (of && told && frames_bytes(of, &number))
		frames_set_number(record, told, number);
}

/* ---- changes ---- */

static inline uint64_t frames_interesting(uint32_t *seed)
{
	uint32_t random = pieces_random(seed);

	switch (random % 4) {
	case 0:
		return random >> 2 & 15;
	case 1:
		return ((uint64_t)1 << (random >> 2 & 63)) - (random >> 8 & 1);
	case 2:
		return UINT64_MAX - (random >> 2 & 15);
	default:
		return random >> 2 & 0xffff;
	}
}

static inline void frames_change_value(struct frames_record *record,
	struct frames_field *field, uint32_t *seed)
{
	static uint8_t value[PIECE_ROOM];
	size_t size = 0;
	const uint8_t *bytes = frames_bytes(field, &size);

	if (bytes && size < PIECE_ROOM) {
		memcpy(value, bytes, size);
		size = LLVMFuzzerMutate(value, size, PIECE_ROOM / 8);
		frames_set_bytes(record, field, value, size);
	} else if (pieces_chance(seed, 60)) {
		frames_set_number(record, field, frames_interesting(seed));
	} else if (sizeof(record->changed) - record->used > 2 * field->size) {
		uint8_t *into = record->changed + record->used;

		memcpy(into, field->value, field->size);
		field->size =
			LLVMFuzzerMutate(into, field->size, 2 * field->size);
		field->value = into;
		record->used += field->size;
	}
}

static inline void frames_change_fields(
	struct frames_record *record, uint32_t *seed)
{
	struct frames_field *fields = record->fields;
	size_t one = pieces_random(seed) % record->count;
	size_t other = pieces_random(seed) % record->count;
	uint32_t chance = pieces_random(seed) % 100;

	if (chance < 80) {
		frames_change_value(record, &fields[one], seed);
	} else if (chance < 85) {
		fields[one] = fields[--record->count];
	} else if (chance < 90) {
		fields[one].key = frames_interesting(seed) & 0x7f;
	} else if (chance < 95) {
		fields[one].value = fields[other].value;
		fields[one].size = fields[other].size;
	} else if (record->count < 15) {
		fields[record->count] = fields[one];
		fields[record->count++].key = frames_interesting(seed) & 31;
	}
}

static inline size_t frames_change(
	uint8_t *bytes, size_t size, size_t most, uint32_t *seed)
{
	static struct frames_record record;
	static uint8_t built[2 * PIECE_ROOM];

	if (!frames_parse(&record, bytes, size) || record.count == 0 ||
		pieces_chance(seed, 5))
		return LLVMFuzzerMutate(bytes, size, most);
	if (record.tag == PACKED_BATCH)
		frames_store_batch(&record);
	frames_change_fields(&record, seed);
	if (record.tag == PACKED_BATCH && pieces_chance(seed, 95)) {
		frames_fit(
			&record, PACKED_BATCH_INDEX, PACKED_BATCH_INDEX_BYTES);
		frames_fit(&record, PACKED_BATCH_BODY, PACKED_BATCH_BODY_BYTES);
	}
	if (pieces_chance(seed, 2))
		record.tag = pieces_random(seed) & 15;
	size = frames_build(&record, built, most);
	if (size > 0)
		memcpy(bytes, built, size);
	return size;
}

static const struct piece_format frames_format = {
	frames_find, frames_change, frames_frame, NULL};

#endif
