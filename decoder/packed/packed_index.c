#include "decoder/packed/packed_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/msgpack_check.h"

#define ZONE_CHUNK 8192u

/* Elements of an index and of its parts; more of them are of later writers. */
#define PARTS 4u
#define OF_SITE 10u
#define OF_WRITER 6u
#define OF_MODULE 5u
#define OF_CLOCK 6u

/* `items` with room for so many.  Null: out of memory, and they are gone. */
static void *make_room(
	void *items, size_t *room, size_t count, size_t item_bytes)
{
	void *larger;

	if (items && count <= *room)
		return items;
	larger = reallocarray(items, count + 1, item_bytes);
	if (!larger)
		free(items);
	*room = larger ? count + 1 : 0;
	return larger;
}

/* The array at this place of the index.  Null: there is none. */
static const msgpack_object *part(
	const msgpack_object *index, size_t place, size_t *count)
{
	return packed_object_elements(&index->via.array.ptr[place], 0, count);
}

/* The module at a place in the array of them, which counts from 1. */
static const struct program_module *module_at(struct packed_log *log,
	const msgpack_object *index, const msgpack_object *place)
{
	size_t count;
	const msgpack_object *modules = part(index, 2, &count);
	uint64_t number = packed_object_number(place);
	const msgpack_object *told;
	struct packed_bytes build_id, path;
	struct program_module file;

	if (!modules || number == 0 || number > count)
		return NULL;
	told = packed_object_elements(&modules[number - 1], OF_MODULE, &count);
	if (!told)
		return NULL;
	build_id = packed_object_bytes(&told[1]);
	path = packed_object_bytes(&told[2]);
	file = (struct program_module){
		.build_id = build_id.data,
		.build_id_bytes = build_id.size,
		.path = (const char *)path.data,
		.path_bytes = path.size,
		.file_bytes = packed_object_number(&told[3]),
		.content_hash = packed_object_number(&told[4]),
	};
	return packed_log_module(log, packed_object_id(&told[0]), &file);
}

static bool kinds_are_known(struct packed_bytes kinds)
{
	size_t i;

	for (i = 0; i < kinds.size; i++)
		if (kinds.data[i] < BINLOG_ARG_I32 ||
			kinds.data[i] > BINLOG_ARG_WIDE)
			return false;
	return kinds.size <= FORMAT_KINDS_MAX;
}

static bool read_row(struct packed_row *row, struct packed_log *log,
	const msgpack_object *index, const msgpack_object *site)
{
	size_t count;
	const msgpack_object *told =
		packed_object_elements(site, OF_SITE, &count);
	struct packed_bytes kinds;

	if (!told)
		return false;
	kinds = packed_object_bytes(&told[5]);
	*row = (struct packed_row){
		.id = packed_object_id(&told[0]),
		.messages = packed_object_id(&told[1]),
		.text = (uint16_t)packed_object_id(&told[2]),
		.flags = (uint16_t)packed_object_id(&told[3]),
		.stream_flags = packed_object_id(&told[4]),
		.kinds = kinds.data,
		.arguments = kinds.size,
		.format_module = module_at(log, index, &told[6]),
		.format = packed_object_number(&told[7]),
		.call_module = module_at(log, index, &told[8]),
		.call = packed_object_number(&told[9]),
	};
	return kinds_are_known(kinds);
}

/* As many messages in all of them as in the batch. */
static bool read_rows(struct packed_index *index, struct packed_log *log,
	const msgpack_object *all)
{
	const msgpack_object *sites = part(all, 0, &index->row_count);
	uint64_t messages = 0;
	size_t i;

	index->rows = make_room(index->rows, &index->row_room, index->row_count,
		sizeof(*index->rows));
	if (!sites || !index->rows)
		return false;
	for (i = 0; i < index->row_count; i++) {
		if (!read_row(&index->rows[i], log, all, &sites[i]))
			return false;
		messages += index->rows[i].messages;
	}
	return messages == index->count;
}

/* Sites are those of somebody. */
static bool read_writers(struct packed_index *index, const msgpack_object *all)
{
	const msgpack_object *writers = part(all, 1, &index->writer_count);
	uint64_t messages = 0;
	size_t i, count;

	index->writers = make_room(index->writers, &index->writer_room,
		index->writer_count, sizeof(*index->writers));
	if (!writers || !index->writers)
		return false;
	for (i = 0; i < index->writer_count; i++) {
		const msgpack_object *told =
			packed_object_elements(&writers[i], OF_WRITER, &count);

		if (!told)
			return false;
		index->writers[i] = (struct packed_index_writer){
			packed_object_id(&told[0]), packed_object_id(&told[1]),
			packed_object_id(&told[2]), packed_object_id(&told[3]),
			packed_object_id(&told[4]), packed_object_id(&told[5])};
		messages += index->writers[i].messages;
	}
	return messages == index->count &&
	       (index->writer_count > 0 || index->row_count == 0);
}

static bool read_clock(struct packed_clock *clock, const msgpack_object *object)
{
	size_t count;
	const msgpack_object *told =
		packed_object_elements(object, OF_CLOCK, &count);
	uint64_t bits;

	if (!told)
		return false;
	*clock = (struct packed_clock){
		.capture = packed_object_id(&told[0]),
		.from = packed_object_id(&told[5]),
		.segment = {packed_object_number(&told[1]),
			packed_object_number(&told[2]),
			packed_object_number(&told[3]), 0},
	};
	bits = packed_object_number(&told[4]);
	memcpy(&clock->segment.rate, &bits, sizeof(bits));
	return isfinite(clock->segment.rate) && clock->segment.rate >= 0;
}

static int compare_clocks(const void *left, const void *right)
{
	const struct packed_clock *a = left;
	const struct packed_clock *b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

static bool read_clocks(struct packed_index *index, const msgpack_object *all)
{
	const msgpack_object *clocks = part(all, 3, &index->clock_count);
	bool sorted = true;
	size_t i;

	index->clocks = make_room(index->clocks, &index->clock_room,
		index->clock_count, sizeof(*index->clocks));
	if (!clocks || !index->clocks)
		return false;
	for (i = 0; i < index->clock_count; i++) {
		if (!read_clock(&index->clocks[i], &clocks[i]))
			return false;
		sorted &= i == 0 ||
			  index->clocks[i - 1].from <= index->clocks[i].from;
	}
	if (!sorted)
		qsort(index->clocks, index->clock_count, sizeof(*index->clocks),
			compare_clocks);
	return true;
}

static bool unpack(struct packed_index *index, size_t size, msgpack_object *all)
{
	size_t at = 0;
	size_t used =
		msgpack_check(index->bytes.data, size, 1, LIMITS_INDEX_OBJECTS);

	if (!index->zone)
		index->zone = msgpack_zone_new(ZONE_CHUNK);
	if (used == 0 || !index->zone)
		return false;
	msgpack_zone_clear(index->zone);
	return msgpack_unpack((const char *)index->bytes.data, used, &at,
		       index->zone, all) >= 0 &&
	       all->type == MSGPACK_OBJECT_ARRAY &&
	       all->via.array.size >= PARTS;
}

bool packed_index_read(struct packed_index *index, struct packed_log *log,
	const struct packed_record *batch, struct packed_inflate *inflate)
{
	uint64_t count = packed_record_number(batch, PACKED_BATCH_COUNT);
	uint64_t size = packed_record_number(batch, PACKED_BATCH_INDEX_BYTES);
	msgpack_object all;

	if (count > PACKED_MESSAGES_MAX)
		return false;
	index->number = packed_record_number(batch, PACKED_BATCH_NUMBER);
	index->count = (uint32_t)count;
	index->first = packed_record_number(batch, PACKED_BATCH_FIRST);
	index->last = packed_record_number(batch, PACKED_BATCH_LAST);
	return packed_inflate(inflate,
		       packed_record_number(batch, PACKED_BATCH_COMPRESSION),
		       packed_record_bytes(batch, PACKED_BATCH_INDEX), size,
		       PACKED_INDEX_MAX, &index->bytes) &&
	       unpack(index, (size_t)size, &all) &&
	       read_rows(index, log, &all) && read_writers(index, &all) &&
	       read_clocks(index, &all);
}

void packed_index_spare(struct packed_index *index)
{
	if (index->zone)
		msgpack_zone_free(index->zone);
	index->zone = NULL;
}

void packed_index_free(struct packed_index *index)
{
	free(index->rows);
	free(index->writers);
	free(index->clocks);
	free(index->bytes.data);
	packed_index_spare(index);
	*index = (struct packed_index){0};
}
