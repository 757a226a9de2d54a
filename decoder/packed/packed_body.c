#include "decoder/packed/packed_body.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/packed/packed_body_parts.h"
#include "decoder/packed/packed_context.h"

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
	good = body->writers && body->processes && body->clocks_of &&
	       body->clocks;
	body->writer_room = good ? count + 1 : 0;
	return good;
}

static bool resolve_writer(struct packed_body *body, size_t i)
{
	const struct packed_index_writer *told = &body->index->writers[i];
	const struct packed_thread *thread =
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
	for (a = 0; a < told->arguments; a++)
		if (row->columns ? !decode_column(body, bytes, told->kinds[a],
					   told->messages, &row->columns[a])
				 : !skip_column(body, bytes, told->kinds[a],
					   told->messages))
			return false;
	return true;
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

	if (!decode_common(body, bytes))
		return false;
	for (i = 0; i < body->index->row_count; i++)
		if (!decode_row(body, bytes, i))
			return false;
	return cursor_left(bytes) == 0;
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
	body->at = 0;
	body->left = body->index->count;
	body->next_clock = 0;
	body->last_writer = UINT32_MAX;
	body->message.ticks = 0;
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

static void turn_to_writer(struct packed_body *body, uint32_t number)
{
	const struct packed_writer *writer = &body->writers[number];
	struct message *message = &body->message;

	body->last_writer = number;
	message->pid = writer->pid;
	message->tid = writer->tid;
	message->thread = writer->thread;
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
		message->ticks += column_read_next(&body->ticks);
		wall = column_read_next(&body->wall);
		message->continues = column_read_next(&body->continues);
		body->at++;
		body->left--;
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
	column_store_free(&body->store);
}
