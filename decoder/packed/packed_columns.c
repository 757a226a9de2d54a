#include "decoder/packed/packed_columns.h"

#include <string.h>

#include "decoder/packed/packed_body.h"

struct message packed_columns_example(
	const struct packed_body *body, size_t site)
{
	const struct packed_body_row *row = &body->rows[site];

	return (struct message){
		.context = row->context,
		.program = row->process->program,
		.capture = row->process->capture,
		.thread = "",
		.pool = body->batch.pool,
		.offset = body->message.offset,
	};
}

bool packed_columns_pieces(struct packed_body *body, const uint8_t **sites)
{
	struct column continues = body->continues;
	struct column site = body->site;
	uint8_t *has = NULL;
	uint32_t i;

	*sites = NULL;
	if (continues.stride == 0 && continues.step == 0 &&
		*continues.at + continues.add == 0)
		return true;
	has = column_store_take(&body->store, body->index->row_count);
	if (!has)
		return false;
	memset(has, 0, body->index->row_count);
	for (i = 0; i < body->index->count; i++)
		has[column_read_next(&site)] |=
			column_read_next(&continues) != 0;
	*sites = has;
	return true;
}

struct column packed_columns_numbers(
	const struct packed_body *body, size_t site, size_t argument)
{
	return body->rows[site].columns[argument].numbers;
}

void *packed_columns_take(struct packed_body *body, size_t size)
{
	return column_store_take(&body->store, size);
}

const uint64_t *packed_columns_times(struct packed_body *body)
{
	const struct packed_index *index = body->index;
	uint64_t **next;
	uint64_t *times = column_store_take(
		&body->store, index->count * sizeof(*times) +
				      index->row_count * sizeof(*next));
	uint64_t ticks = 0;
	size_t at = 0;
	size_t i;

	if (!times)
		return NULL;
	next = (uint64_t **)(void *)(times + index->count);
	for (i = 0; i < index->row_count; i++) {
		next[i] = times + at;
		at += index->rows[i].messages;
	}
	for (; body->at < index->count; body->at++) {
		size_t site = (size_t)column_read_next(&body->site);
		size_t writer = (size_t)column_read_next(&body->writer);

		if (body->next_clock < index->clock_count)
			packed_body_turn_clocks(body);
		ticks += column_read_next(&body->ticks);
		*next[site]++ =
			column_read_next(&body->wall) +
			packed_body_clock_time(body->clocks_of[writer], ticks);
	}
	packed_columns_end(body);
	return times;
}

void packed_columns_end(struct packed_body *body)
{
	body->left = 0;
}
