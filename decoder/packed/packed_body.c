#include "decoder/packed/packed_body.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/msgpack_check.h"
#include "decoder/packed/packed_context.h"

/*
 * The index of a batch: its sites, writers, modules and clocks, as
 * record/packed.h has them.  Filled by the reader from a BATCH; checked as far
 * as it can be without the body, and all of it in memory that is used again.
 */

#define ZONE_CHUNK 8192u

/* Elements of an index and of its parts; more of them are of later writers. */
#define PARTS 4u
#define PART_CORES 4u /* in logs that know them */
#define OF_CORE 3u
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

/* False: out of memory.  Places that are not there are nobody's. */
static bool read_cores(struct packed_index *index, const msgpack_object *all)
{
	const msgpack_object *cores = NULL;
	size_t i, n, count = 0;

	if (all->via.array.size > PART_CORES)
		cores = part(all, PART_CORES, &count);
	index->core_count = 0;
	index->cores = make_room(
		index->cores, &index->core_room, count, sizeof(*index->cores));
	if (!index->cores)
		return false;
	for (i = 0; cores && i < count; i++) {
		const msgpack_object *told =
			packed_object_elements(&cores[i], OF_CORE, &n);
		struct packed_core core;

		if (!told)
			break;
		core = (struct packed_core){packed_object_id(&told[0]),
			packed_object_id(&told[1]), packed_object_id(&told[2])};
		if (core.writer < index->writer_count &&
			(index->core_count == 0 ||
				core.from >= index->cores[index->core_count - 1]
						     .from))
			index->cores[index->core_count++] = core;
	}
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
	       read_clocks(index, &all) && read_cores(index, &all);
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
	free(index->cores);
	free(index->bytes.data);
	packed_index_spare(index);
	*index = (struct packed_index){0};
}

/* So many writers are tried to find a process that a site is of. */
#define TRIES 16u

static bool make_rows(struct packed_body *body, size_t count)
{
	if (count < body->row_room)
		return true;
	free(body->rows);
	free(body->sites);
	body->rows = calloc(count + 1, sizeof(*body->rows));
	body->sites = calloc(count + 1, sizeof(*body->sites));
	body->row_room = body->rows && body->sites ? count + 1 : 0;
	return body->row_room > 0;
}

static void free_writers(struct packed_body *body)
{
	free(body->writers);
	free(body->processes);
	free(body->clocks_of);
	free(body->clocks);
	free(body->cores);
}

static bool make_writers(struct packed_body *body, size_t count)
{
	bool good;

	if (count < body->writer_room)
		return true;
	free_writers(body);
	body->writers = calloc(count + 1, sizeof(*body->writers));
	body->processes = calloc(count + 1, sizeof(struct packed_process *));
	body->clocks_of = calloc(count + 1, sizeof(struct packed_body_clock *));
	body->clocks = calloc(count + 1, sizeof(*body->clocks));
	body->cores = calloc(count + 1, sizeof(*body->cores));
	good = body->writers && body->processes && body->clocks_of &&
	       body->clocks && body->cores;
	body->writer_room = good ? count + 1 : 0;
	return good;
}

static bool resolve_writer(struct packed_body *body, size_t i)
{
	const struct packed_index_writer *told = &body->index->writers[i];
	struct packed_thread *thread =
		packed_log_thread(body->log, told->thread);
	struct packed_process *process = packed_log_process(
		body->log, told->process, told->capture, told->pid);

	if (!process)
		return false;
	body->processes[i] = process;
	body->writers[i] = (struct packed_writer){
		.capture = process->capture,
		.program = process->program,
		.thread = thread ? thread->name : "",
		.origin = thread ? packed_context_origin(
					   body->log, thread, process)
				 : NULL,
		.coroutine = thread ? thread->coroutine : 0,
		.pid = told->pid,
		.tid = told->tid,
		.messages = told->messages,
	};
	return true;
}

/* A clock for each capture among the writers. */
static bool resolve_clocks(struct packed_body *body)
{
	size_t i, count = 0;
	bool good = true;

	id_map_free(&body->of_captures);
	for (i = 0; i < body->index->writer_count && good; i++) {
		uint32_t id = body->index->writers[i].capture;
		struct packed_body_clock *clock =
			id_map_find(&body->of_captures, id);

		if (!clock) {
			clock = &body->clocks[count++];
			clock->told = false;
			good = id_map_set(&body->of_captures, id, clock);
		}
		body->clocks_of[i] = clock;
	}
	return good;
}

/* One that knows where the site's module is, so it probably is of it. */
static struct packed_process *process_for(
	const struct packed_body *body, const struct packed_row *row)
{
	size_t i;

	for (i = 0; i < body->index->writer_count && i < TRIES; i++)
		if (!row->call_module ||
			packed_log_place(body->processes[i], row->call_module))
			return body->processes[i];
	return body->processes[0];
}

static bool resolve_row(struct packed_body *body, size_t i)
{
	const struct packed_row *told = &body->index->rows[i];
	struct packed_body_row *row = &body->rows[i];
	struct packed_process *process = process_for(body, told);

	*row = (struct packed_body_row){
		.context = packed_context_find(body->log, told, process),
		.process = process,
	};
	body->sites[i] = (struct packed_site){
		.context = row->context,
		.messages = told->messages,
		.wanted = true,
	};
	return row->context;
}

bool packed_body_resolve(struct packed_body *body, struct packed_log *log,
	const struct packed_index *index, uint64_t offset)
{
	size_t i;

	packed_context_forget(log);
	body->log = log;
	body->index = index;
	body->left = 0;
	body->message.offset = offset;
	if (!make_rows(body, index->row_count) ||
		!make_writers(body, index->writer_count))
		return false;
	for (i = 0; i < index->writer_count; i++)
		if (!resolve_writer(body, i))
			return false;
	for (i = 0; i < index->row_count; i++)
		if (!resolve_row(body, i))
			return false;
	body->batch = (struct packed_batch){
		.number = index->number,
		.count = index->count,
		.first = index->first,
		.last = index->last,
		.sites = body->sites,
		.site_count = index->row_count,
		.writers = body->writers,
		.writer_count = index->writer_count,
		.pool = &log->context_pool,
	};
	return resolve_clocks(body);
}

static bool decode_column(struct packed_body *body, struct cursor *bytes,
	uint8_t kind, size_t count, union packed_body_column *column)
{
	switch (kind) {
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		return column_strings_read(
			bytes, &body->store, count, &column->strings);
	case BINLOG_ARG_LONG_DOUBLE:
		return column_strings_read_long_doubles(
			bytes, count, &column->strings);
	default:
		return column_read_numbers(
			bytes, &body->store, count, NULL, &column->numbers);
	}
}

static bool skip_column(struct packed_body *body, struct cursor *bytes,
	uint8_t kind, size_t count)
{
	struct column_store_mark mark = column_store_mark(&body->store);
	union packed_body_column column;
	bool good;

	if (kind != BINLOG_ARG_STRING && kind != BINLOG_ARG_WIDE &&
		kind != BINLOG_ARG_LONG_DOUBLE)
		return column_read_skip(bytes, &body->store, count);
	good = decode_column(body, bytes, kind, count, &column);
	column_store_return(&body->store, mark);
	return good;
}

/* A column of strings that are behind all columns; they are read later. */
static bool is_together(const struct cursor *bytes, uint8_t kind)
{
	return kind == BINLOG_ARG_STRING && cursor_left(bytes) > 0 &&
	       *bytes->at == PACKED_STRINGS_TOGETHER;
}

static bool add_together(
	struct packed_body *body, struct cursor *bytes, size_t row, size_t a)
{
	struct packed_body_text *text;

	if (!array_reserve(body->texts, body->text_room, body->text_count + 1))
		return false;
	text = &body->texts[body->text_count++];
	text->row = (uint32_t)row;
	text->argument = (uint32_t)a;
	return cursor_bytes(bytes, 1);
}

static bool decode_row(struct packed_body *body, struct cursor *bytes, size_t i)
{
	const struct packed_row *told = &body->index->rows[i];
	struct packed_body_row *row = &body->rows[i];
	size_t a;

	if (told->messages == 0 || told->arguments == 0)
		return true;
	if (body->sites[i].wanted) {
		row->columns = column_store_take(
			&body->store, told->arguments * sizeof(*row->columns));
		if (!row->columns)
			return false;
	}
	for (a = 0; a < told->arguments; a++) {
		if (is_together(bytes, told->kinds[a])) {
			if (!add_together(body, bytes, i, a))
				return false;
			continue;
		}
		if (row->columns ? !decode_column(body, bytes, told->kinds[a],
					   told->messages, &row->columns[a])
				 : !skip_column(body, bytes, told->kinds[a],
					   told->messages))
			return false;
	}
	return true;
}

/* Of which column each of the texts is: those of a message one by one. */
struct turns {
	struct column sites;
	const uint32_t *first; /* of each site: its first column, */
	uint32_t next;	       /* and this message's */
	uint32_t end;
};

static size_t next_text(void *closure)
{
	struct turns *turns = closure;

	while (turns->next == turns->end) {
		uint64_t site = column_read_next(&turns->sites);

		turns->next = turns->first[site];
		turns->end = turns->first[site + 1];
	}
	return turns->next++;
}

static bool decode_texts(struct packed_body *body, struct cursor *bytes)
{
	struct packed_body_text *all = body->texts;
	const size_t count = body->text_count;
	const size_t rows = body->index->row_count;
	struct column_texts *texts =
		column_store_take(&body->store, sizeof(*texts));
	struct column_strings **columns = column_store_take(
		&body->store, count * sizeof(struct column_strings *));
	uint32_t *counts = column_store_take(
		&body->store, (count + rows + 1) * sizeof(*counts));
	struct turns turns = {.sites = body->site};
	size_t i, row;

	if (!texts || !columns || !counts)
		return false;
	turns.first = counts + count;
	*texts = (struct column_texts){
		.columns = columns, .counts = counts, .column_count = count};
	for (i = 0, row = 0; row <= rows; row++) {
		counts[count + row] = (uint32_t)i;
		for (; i < count && all[i].row == row; i++) {
			union packed_body_column *of = body->rows[row].columns;

			columns[i] = of ? &of[all[i].argument].strings : NULL;
			counts[i] = body->index->rows[row].messages;
			texts->count += counts[i];
		}
	}
	return column_texts_read(bytes, &body->store, texts, next_text, &turns);
}

/* Each place is one, and is taken as often as the index says: then columns of
 * so many values are enough. */
static bool places_fit(
	struct column places, size_t count, uint32_t *left, size_t most)
{
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t place = column_read_next(&places);

		if (place >= most || left[place]-- == 0)
			return false;
	}
	return true;
}

static bool sites_fit(struct packed_body *body, uint32_t **messages)
{
	const struct packed_index *index = body->index;
	size_t size = index->row_count * sizeof(**messages);
	uint32_t *left = column_store_take(&body->store, size);
	size_t i;

	*messages = column_store_take(&body->store, size);
	if (!left || !*messages)
		return false;
	for (i = 0; i < index->row_count; i++)
		left[i] = (*messages)[i] = index->rows[i].messages;
	return places_fit(body->site, index->count, left, index->row_count);
}

static bool writers_fit(struct packed_body *body)
{
	const struct packed_index *index = body->index;
	uint32_t *left = column_store_take(
		&body->store, index->writer_count * sizeof(*left));
	size_t i;

	for (i = 0; left && i < index->writer_count; i++)
		left[i] = index->writers[i].messages;
	return left && places_fit(body->writer, index->count, left,
			       index->writer_count);
}

/* Those that all messages have. */
static bool decode_common(struct packed_body *body, struct cursor *bytes)
{
	struct column *columns[] = {
		&body->writer, &body->ticks, &body->wall, &body->continues};
	size_t count = body->index->count;
	struct column_groups groups;
	uint32_t *messages;
	size_t i;

	if (!column_read_numbers(
		    bytes, &body->store, count, NULL, &body->site) ||
		!sites_fit(body, &messages))
		return false;
	groups = (struct column_groups){
		body->site, messages, body->index->row_count};
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (!column_read_numbers(
			    bytes, &body->store, count, &groups, columns[i]))
			return false;
	return writers_fit(body);
}

static bool decode(struct packed_body *body, struct cursor *bytes)
{
	size_t i;

	body->text_count = 0;
	if (!decode_common(body, bytes))
		return false;
	for (i = 0; i < body->index->row_count; i++)
		if (!decode_row(body, bytes, i))
			return false;
	if (body->text_count > 0 && !decode_texts(body, bytes))
		return false;
	return cursor_left(bytes) == 0;
}

void packed_body_begin(struct packed_body *body)
{
	body->at = 0;
	body->left = body->index->count;
	body->next_clock = 0;
	body->next_core = 0;
	memset(body->cores, 0,
		body->index->writer_count * sizeof(*body->cores));
	body->last_writer = UINT32_MAX;
	body->lost = NULL;
	body->message.ticks = 0;
	body->message.core = 0;
}

bool packed_body_decode(struct packed_body *body,
	const struct packed_record *record, struct packed_inflate *inflate)
{
	uint64_t size = packed_record_number(record, PACKED_BATCH_BODY_BYTES);
	struct cursor bytes;

	column_store_reset(&body->store);
	if (!packed_inflate(inflate,
		    packed_record_number(record, PACKED_BATCH_COMPRESSION),
		    packed_record_bytes(record, PACKED_BATCH_BODY), size,
		    PACKED_BODY_MAX, &body->bytes))
		return false;
	bytes = cursor_over(body->bytes.data, (size_t)size);
	if (!decode(body, &bytes))
		return false;
	packed_body_begin(body);
	return true;
}

void packed_body_turn_clocks(struct packed_body *body)
{
	const struct packed_index *index = body->index;

	for (; body->next_clock < index->clock_count &&
		index->clocks[body->next_clock].from <= body->at;
		body->next_clock++) {
		const struct packed_clock *told =
			&index->clocks[body->next_clock];
		struct packed_body_clock *clock =
			id_map_find(&body->of_captures, told->capture);

		if (!clock)
			continue;
		clock->segment = told->segment;
		clock->told = true;
	}
}

/* Before the message at `at`: where its writer is. */
static void turn_cores(struct packed_body *body)
{
	const struct packed_index *index = body->index;

	for (; body->next_core < index->core_count &&
		index->cores[body->next_core].from <= body->at;
		body->next_core++) {
		const struct packed_core *told = &index->cores[body->next_core];

		body->cores[told->writer] = told->core;
		if (told->writer == body->last_writer)
			body->message.core = told->core;
	}
}

static void turn_to_writer(struct packed_body *body, uint32_t number)
{
	const struct packed_writer *writer = &body->writers[number];
	struct message *message = &body->message;

	body->last_writer = number;
	message->core = body->cores[number];
	message->pid = writer->pid;
	message->tid = writer->tid;
	message->thread = writer->thread;
	message->origin = writer->origin;
	message->coroutine = writer->coroutine;
	message->program = writer->program;
	message->capture = writer->capture;
	message->pool = body->batch.pool;
}

/* To the writer's.  Without memory for that it stays as it is: another
 * process of the same program. */
static void turn_to_process(struct packed_body *body, size_t site)
{
	struct packed_body_row *row = &body->rows[site];
	struct packed_process *process = body->processes[body->last_writer];
	struct definition_context *context;

	context = packed_context_find(
		body->log, &body->index->rows[site], process);
	if (!context)
		return;
	row->context = context;
	row->process = process;
}

static void fill_argument(struct render_argument *argument, uint8_t kind,
	union packed_body_column *column, bool binary128)
{
	struct column_value string;

	*argument =
		(struct render_argument){.kind = kind, .binary128 = binary128};
	switch (kind) {
	case BINLOG_ARG_I32:
		argument->i32 = (int32_t)column_read_next(&column->numbers);
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		argument->data =
			column_strings_next_long_double(&column->strings);
		break;
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		string = column_strings_next(&column->strings);
		argument->null = !string.data;
		argument->bytes = (uint32_t)string.size;
		argument->data = string.data;
		break;
	default: /* and the bits of a double */
		argument->i64 = (int64_t)column_read_next(&column->numbers);
	}
}

static void fill_arguments(struct packed_body *body, size_t site)
{
	const struct packed_row *told = &body->index->rows[site];
	struct message *message = &body->message;
	bool binary128 = message->capture->header.machine == EM_AARCH64;
	size_t i;

	message->count = told->arguments;
	message->arguments = body->arguments;
	for (i = 0; i < told->arguments; i++)
		fill_argument(&message->arguments[i], told->kinds[i],
			&body->rows[site].columns[i], binary128);
}

const struct message *packed_body_next(struct packed_body *body)
{
	struct message *message = &body->message;

	while (body->left > 0) {
		size_t site = (size_t)column_read_next(&body->site);
		uint32_t writer = (uint32_t)column_read_next(&body->writer);
		uint64_t wall;

		if (body->next_clock < body->index->clock_count)
			packed_body_turn_clocks(body);
		if (body->next_core < body->index->core_count)
			turn_cores(body);
		message->ticks += column_read_next(&body->ticks);
		wall = column_read_next(&body->wall);
		message->continues = column_read_next(&body->continues);
		body->at++;
		body->left--;
		if (body->lost && body->lost[body->at - 1])
			continue;
		if (!body->sites[site].wanted)
			continue;
		if (writer != body->last_writer)
			turn_to_writer(body, writer);
		if (body->rows[site].process != body->processes[writer])
			turn_to_process(body, site);
		fill_arguments(body, site);
		message->wall =
			wall + packed_body_clock_time(
				       body->clocks_of[writer], message->ticks);
		message->context = body->rows[site].context;
		message->partial =
			message->context->flags & BINLOG_CONTEXT_PARTIAL;
		return message;
	}
	return NULL;
}

void packed_body_free(struct packed_body *body)
{
	free(body->rows);
	free(body->sites);
	free_writers(body);
	id_map_free(&body->of_captures);
	free(body->bytes.data);
	free(body->texts);
	column_store_free(&body->store);
}
