#include "decoder/pack/pack_columns.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/pack/column_doubles.h"
#include "decoder/pack/column_phrases.h"
#include "decoder/pack/column_tuples.h"
#include "decoder/pack/pack_compress.h"
#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_index.h"
#include "decoder/pack/string_columns.h"
#include "record/layout.h"

#define ROOM_FIRST 256u /* messages */

/* Columns that may be written in two ways, of all batches. */
enum choice { SITES, THREADS, TICKS, TICKS_TUPLES, WALL, CONTINUES, CHOICES };

struct pack_columns {
	size_t room; /* messages: of each array, which are one allocation */
	struct string_value *strings; /* the first of them */
	uint64_t *numbers;
	uint32_t *sites; /* ids, by place */
	uint32_t *threads;
	uint32_t *order; /* rows, by place of the site */
	uint32_t *site_counts;
	uint16_t *site_places; /* of each row */
	uint16_t *thread_places;
	bool *starts;
	struct pack_choice choices[CHOICES];
	unsigned tuple; /* values of each, of column_tuples_best() */
	struct column_write writer;
	struct string_columns string_writer;
	struct render_buffer body;
	struct render_buffer index;
	struct render_buffer packed_body;
	struct render_buffer packed_index;
	struct pack_compress *compress;
};

/* What pack_columns_write() was called with. */
struct work {
	struct pack_columns *columns;
	struct pack_batch *batch;
	struct pack_define *define;
	const struct pack_row *rows;
	struct pack_index index;
};

struct pack_columns *pack_columns_new(void)
{
	struct pack_columns *columns = calloc(1, sizeof(*columns));

	if (!columns)
		return NULL;
	columns->compress = pack_compress_new();
	columns->string_writer.numbers = &columns->writer;
	if (columns->compress)
		return columns;
	free(columns);
	return NULL;
}

/* False: out of memory. */
static bool reserve(struct pack_columns *columns, size_t count)
{
	const size_t each = sizeof(*columns->strings) +
			    sizeof(*columns->numbers) + 4 * sizeof(uint32_t) +
			    2 * sizeof(uint16_t) + sizeof(bool);
	size_t room = columns->room ? columns->room : ROOM_FIRST;

	if (count <= columns->room)
		return true;
	while (room < count)
		room *= 4;
	free(columns->strings);
	columns->room = 0;
	columns->strings = malloc(room * each);
	if (!columns->strings)
		return false;
	columns->room = room;
	columns->numbers = (uint64_t *)(columns->strings + room);
	columns->sites = (uint32_t *)(columns->numbers + room);
	columns->threads = columns->sites + room;
	columns->order = columns->threads + room;
	columns->site_counts = columns->order + room;
	columns->site_places = (uint16_t *)(columns->site_counts + room);
	columns->thread_places = columns->site_places + room;
	columns->starts = (bool *)(columns->thread_places + room);
	return true;
}

static uint16_t take_place(
	struct pack_entry *entry, uint32_t stamp, uint32_t *ids, size_t *count)
{
	if (entry->batch != stamp) {
		entry->batch = stamp;
		entry->place = (uint32_t)*count;
		entry->count = 0;
		ids[(*count)++] = entry->id;
	}
	entry->count++;
	return (uint16_t)entry->place;
}

static void take_places(struct work *work)
{
	struct pack_columns *columns = work->columns;
	uint16_t *places = columns->site_places;
	const struct pack_row *rows = work->rows;
	uint32_t stamp = work->batch->stamp;
	uint32_t count = work->index.count;
	uint32_t i;

	work->index.sites = columns->sites;
	work->index.threads = columns->threads;
	for (i = 0; i < count; i++)
		places[i] = take_place(
			pack_table_entry(&work->define->sites, rows[i].site),
			stamp, columns->sites, &work->index.site_count);
	places = columns->thread_places;
	for (i = 0; i < count; i++)
		places[i] = take_place(pack_table_entry(&work->define->threads,
					       rows[i].thread),
			stamp, columns->threads, &work->index.thread_count);
}

static struct pack_entry *site_at(const struct work *work, size_t place)
{
	return pack_table_entry(&work->define->sites, work->index.sites[place]);
}

/* The rows of each site together; of each in their order. */
static void sort_rows(struct work *work)
{
	struct pack_columns *columns = work->columns;
	const uint16_t *places = columns->site_places;
	uint64_t *starts = columns->numbers;
	uint32_t *order = columns->order;
	uint32_t count = work->index.count;
	uint32_t start = 0;
	size_t i;

	for (i = 0; i < work->index.site_count; i++) {
		starts[i] = start;
		columns->site_counts[i] = site_at(work, i)->count;
		start += columns->site_counts[i];
	}
	for (i = 0; i < count; i++)
		order[starts[places[i]]++] = (uint32_t)i;
}

static void put_numbers(struct work *work, size_t count)
{
	column_write_numbers(&work->columns->writer, &work->columns->body,
		work->columns->numbers, count);
}

static void put_grouped(struct work *work, enum choice choice)
{
	struct pack_columns *columns = work->columns;
	const struct column_write_groups groups = {
		.order = columns->order,
		.counts = columns->site_counts,
		.count = work->index.site_count,
	};

	column_write_grouped(&columns->writer, &columns->body, columns->numbers,
		work->index.count, &groups, &columns->choices[choice]);
}

/* A line is one moment, and often made of the same messages. */
static void put_sites(struct work *work)
{
	struct pack_columns *columns = work->columns;
	const struct pack_row *rows = work->rows;
	const uint16_t *places = columns->site_places;
	uint64_t *numbers = columns->numbers;
	bool *starts = columns->starts;
	uint32_t count = work->index.count;
	uint32_t i;

	numbers[0] = places[0];
	starts[0] = true;
	for (i = 1; i < count; i++) {
		numbers[i] = places[i];
		starts[i] = rows[i].ticks != rows[i - 1].ticks;
	}
	column_phrases_write(&columns->writer, &columns->body, numbers, count,
		starts, &columns->choices[SITES]);
}

/* Often the same few differences again and again. */
static void put_ticks(struct work *work)
{
	struct pack_columns *columns = work->columns;
	struct column_write *writer = &columns->writer;
	struct pack_choice *choice = &columns->choices[TICKS_TUPLES];
	bool settled = pack_choice_settled(choice);
	size_t start = columns->body.length;
	uint32_t count = work->index.count;

	if (settled && choice->other &&
		column_tuples_write(writer, &columns->body, columns->numbers,
			count, columns->tuple))
		return;
	put_grouped(work, TICKS);
	if (settled)
		return;
	columns->tuple = column_tuples_best(writer, columns->numbers, count);
	writer->tuples.length = 0;
	pack_choice_make(choice,
		columns->tuple > 0 &&
			column_tuples_write(writer, &writer->tuples,
				columns->numbers, count, columns->tuple) &&
			column_write_keep_better(writer, &columns->body, start,
				&writer->tuples));
}

/* The columns that all messages have. */
static void put_common(struct work *work)
{
	uint64_t *numbers = work->columns->numbers;
	const uint16_t *threads = work->columns->thread_places;
	const struct pack_row *rows = work->rows;
	uint32_t count = work->index.count;
	uint32_t i;

	put_sites(work);
	for (i = 0; i < count; i++)
		numbers[i] = threads[i];
	put_grouped(work, THREADS);
	numbers[0] = rows[0].ticks;
	for (i = 1; i < count; i++)
		numbers[i] = rows[i].ticks - rows[i - 1].ticks;
	put_ticks(work);
	for (i = 0; i < count; i++)
		numbers[i] = rows[i].residual;
	put_grouped(work, WALL);
	for (i = 0; i < count; i++)
		numbers[i] = rows[i].continues;
	put_grouped(work, CONTINUES);
}

static void put_strings(
	struct work *work, const uint32_t *order, size_t count, size_t argument)
{
	const struct pack_batch *batch = work->batch;
	/* Without any bytes the empty string is no null pointer. */
	const char *bytes = batch->bytes.data ? batch->bytes.data : "";
	struct string_value *strings = work->columns->strings;
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t value =
			batch->values[work->rows[order[i]].values + argument];

		if (value == PACK_COLUMNS_NULL)
			strings[i] = (struct string_value){0};
		else
			strings[i] = (struct string_value){
				bytes + (value >> 32), (uint32_t)value};
	}
	string_columns_write(&work->columns->string_writer,
		&work->columns->body, strings, count);
}

static void put_long_doubles(
	struct work *work, const uint32_t *order, size_t count, size_t argument)
{
	const struct pack_batch *batch = work->batch;
	size_t i;

	for (i = 0; i < count; i++)
		render_buffer_put(&work->columns->body,
			batch->bytes.data +
				(batch->values[work->rows[order[i]].values +
					       argument] >>
					32),
			16);
}

static void put_values(struct work *work, const uint32_t *order, size_t count,
	size_t argument, uint8_t kind)
{
	const struct pack_batch *batch = work->batch;
	size_t i;

	for (i = 0; i < count; i++)
		work->columns->numbers[i] =
			batch->values[work->rows[order[i]].values + argument];
	if (kind == BINLOG_ARG_F64)
		column_doubles_write(&work->columns->writer,
			&work->columns->body, work->columns->numbers, count);
	else
		put_numbers(work, count);
}

static void put_site(struct work *work, const uint32_t *order, size_t place)
{
	const struct pack_entry *entry = site_at(work, place);
	const struct pack_site_content *site = pack_content(entry);
	const uint8_t *kinds = (const uint8_t *)(site + 1);
	size_t i;

	for (i = 0; i < site->arguments; i++) {
		switch (kinds[i]) {
		case BINLOG_ARG_STRING:
		case BINLOG_ARG_WIDE:
			put_strings(work, order, entry->count, i);
			break;
		case BINLOG_ARG_LONG_DOUBLE:
			put_long_doubles(work, order, entry->count, i);
			break;
		default:
			put_values(work, order, entry->count, i, kinds[i]);
		}
	}
}

static void put_body(struct work *work)
{
	const uint32_t *order = work->columns->order;
	size_t i;

	work->columns->body.length = 0;
	sort_rows(work);
	put_common(work);
	for (i = 0; i < work->index.site_count; i++) {
		put_site(work, order, i);
		order += site_at(work, i)->count;
	}
}

static void put_batch(struct work *work, uint64_t number)
{
	struct frame_write *frame = work->define->frame;
	const struct pack_columns *columns = work->columns;
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < work->index.count; i++) {
		uint64_t wall = work->rows[i].wall;

		first = wall < first ? wall : first;
		last = wall > last ? wall : last;
	}
	frame_write_begin(frame, PACKED_BATCH);
	frame_write_some(frame, PACKED_BATCH_NUMBER, number);
	frame_write_uint(frame, PACKED_BATCH_COUNT, work->index.count);
	frame_write_some(frame, PACKED_BATCH_FIRST, first);
	frame_write_some(frame, PACKED_BATCH_LAST, last);
	frame_write_uint(frame, PACKED_BATCH_COMPRESSION, PACKED_ZSTD);
	frame_write_uint(
		frame, PACKED_BATCH_INDEX_BYTES, columns->index.length);
	frame_write_binary(frame, PACKED_BATCH_INDEX,
		columns->packed_index.data, columns->packed_index.length);
	frame_write_uint(frame, PACKED_BATCH_BODY_BYTES, columns->body.length);
	frame_write_binary(frame, PACKED_BATCH_BODY, columns->packed_body.data,
		columns->packed_body.length);
	frame_write_end(frame);
}

bool pack_columns_write(struct pack_columns *columns, struct pack_batch *batch,
	struct pack_define *define, uint32_t first, uint32_t count,
	uint64_t number)
{
	struct work work = {
		.columns = columns,
		.batch = batch,
		.define = define,
		.rows = batch->rows + first,
		.index = {.first = first, .count = count},
	};

	if (!reserve(columns, count)) {
		batch->failed = true;
		return false;
	}
	take_places(&work);
	columns->index.length = 0;
	pack_index_put(&columns->index, &work.index, batch, define);
	put_body(&work);
	batch->failed |= columns->index.failed || columns->body.failed;
	if (batch->failed || columns->index.length > PACKED_INDEX_MAX ||
		columns->body.length > PACKED_BODY_MAX)
		return false;
	if (!pack_compress_index(columns->compress, &columns->packed_index,
		    &columns->index, batch->level) ||
		!pack_compress_body(columns->compress, &columns->packed_body,
			&columns->body, batch->level)) {
		batch->failed = true;
		return false;
	}
	put_batch(&work, number);
	return true;
}

void pack_columns_free(struct pack_columns *columns)
{
	if (!columns)
		return;
	pack_compress_free(columns->compress);
	free(columns->strings);
	string_columns_free(&columns->string_writer);
	column_write_free(&columns->writer);
	render_buffer_free(&columns->body);
	render_buffer_free(&columns->index);
	render_buffer_free(&columns->packed_body);
	render_buffer_free(&columns->packed_index);
	free(columns);
}
