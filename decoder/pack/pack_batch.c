#include "decoder/pack/pack_batch.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/pack/pack_columns.h"
#include "record/layout.h"

#define MESSAGE_BYTES 4u /* in the body, about, without arguments */
#define ESTIMATE_MAX ((size_t)1 << 20)
/* All strings of a message together: no record of a capture has more. */
#define STRINGS_MAX ((1u << 20) + (8u << 10))
/* Rows to begin with: many captures say little. */
#define ROWS_FIRST 256u
/* Left in a full batch for the rest of a call. */
#define ROWS_OF_CALL 1024u
/* So many messages go by before a capture's clock is told anew. */
#define CLOCK_MESSAGES 64u

/* False: there are as many as may be, or no memory. */
__attribute__((noinline, cold)) static bool more_rows(struct pack_batch *batch)
{
	size_t room = batch->row_room ? batch->row_room * 4 : ROWS_FIRST;
	struct pack_row *rows;

	if (batch->row_room == PACKED_MESSAGES_MAX)
		return false;
	rows = realloc(batch->rows, room * sizeof(*rows));
	if (!rows) {
		batch->failed = true;
		return false;
	}
	batch->rows = rows;
	batch->row_room = room;
	batch->rows_full =
		(uint32_t)(room < PACKED_MESSAGES_MAX ? room
						      : room - ROWS_OF_CALL);
	return true;
}

bool pack_batch_begin(struct pack_batch *batch, int level)
{
	*batch = (struct pack_batch){.stamp = 1, .level = level};
	batch->columns = pack_columns_new();
	return batch->columns && more_rows(batch);
}

bool pack_batch_full(struct pack_batch *batch)
{
	if (__builtin_expect(batch->count < batch->rows_full, 1))
		return batch->estimate >= ESTIMATE_MAX;
	return !more_rows(batch);
}

bool pack_batch_over(const struct pack_batch *batch)
{
	return batch->count == PACKED_MESSAGES_MAX ||
	       batch->estimate >= 2 * ESTIMATE_MAX || batch->failed;
}

static bool more_values(struct pack_batch *batch, size_t count)
{
	size_t room = batch->value_room ? batch->value_room * 2 : 1u << 16;
	uint64_t *values;

	while (room - batch->value_count < count)
		room *= 2;
	values = realloc(batch->values, room * sizeof(*values));
	if (!values) {
		batch->failed = true;
		return false;
	}
	batch->values = values;
	batch->value_room = room;
	return true;
}

static uint64_t keep_bytes(
	struct pack_batch *batch, const void *bytes, uint32_t size)
{
	uint64_t at = batch->bytes.length;

	render_buffer_put(&batch->bytes, bytes, size);
	batch->estimate += size + 1;
	return at << 32 | size;
}

static uint64_t value_of(
	struct pack_batch *batch, const struct render_argument *argument)
{
	uint64_t value;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		batch->estimate += 2;
		return (uint64_t)(int64_t)argument->i32;
	case BINLOG_ARG_LONG_DOUBLE:
		return keep_bytes(batch, argument->data, 16);
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		return argument->null ? PACK_COLUMNS_NULL
				      : keep_bytes(batch, argument->data,
						argument->bytes);
	default:
		batch->estimate += 4;
		memcpy(&value, &argument->i64, sizeof(value));
		return value;
	}
}

static bool is_string(const struct render_argument *argument)
{
	return argument->kind == BINLOG_ARG_STRING ||
	       argument->kind == BINLOG_ARG_WIDE;
}

/* How many strings were left out. */
static size_t add_values(
	struct pack_batch *batch, const struct message *message)
{
	size_t room = STRINGS_MAX;
	size_t cut = 0;
	size_t i;

	if (batch->value_room - batch->value_count < message->count &&
		!more_values(batch, message->count))
		return 0;
	for (i = 0; i < message->count; i++) {
		const struct render_argument *argument = &message->arguments[i];
		uint64_t value = PACK_COLUMNS_NULL;

		if (is_string(argument) && !argument->null &&
			argument->bytes > room)
			cut++;
		else
			value = value_of(batch, argument);
		if (value != PACK_COLUMNS_NULL && is_string(argument))
			room -= (uint32_t)value;
		batch->values[batch->value_count++] = value;
	}
	return cut;
}

static void add_clock(struct pack_batch *batch, uint32_t capture,
	struct pack_capture *state, const struct wall_segment *segment)
{
	size_t room = batch->clock_room ? batch->clock_room * 2 : 64;
	struct pack_clock *clocks;

	if (batch->clock_count == batch->clock_room) {
		clocks = realloc(batch->clocks, room * sizeof(*clocks));
		if (!clocks) {
			batch->failed = true;
			return;
		}
		batch->clocks = clocks;
		batch->clock_room = room;
	}
	state->clock = *segment;
	state->clock_batch = batch->stamp;
	state->clock_message = batch->count;
	batch->clocks[batch->clock_count++] =
		(struct pack_clock){capture, batch->count, *segment};
}

/* What readers compute alike. */
static bool is_sane(const struct wall_segment *segment)
{
	return segment && segment->rate >= 0 && segment->rate < 1e18;
}

/* The wall time as the difference to what the capture's clock says. */
static uint64_t residual_of(struct pack_batch *batch,
	const struct message *message, uint32_t capture,
	struct pack_capture *state)
{
	const struct wall_segment *own = message->segment;
	bool has = state->clock_batch == batch->stamp;
	uint64_t says = 0;

	if (has)
		says = wall_segment_time(&state->clock, message->ticks);
	if (says == message->wall || !is_sane(own))
		return message->wall - says;
	if (has && (batch->count - state->clock_message < CLOCK_MESSAGES ||
			   wall_segment_time(own, message->ticks) !=
				   message->wall))
		return message->wall - says;
	add_clock(batch, capture, state, own);
	return message->wall - wall_segment_time(own, message->ticks);
}

size_t pack_batch_add(struct pack_batch *batch, const struct message *message,
	uint32_t site, uint32_t thread, uint32_t capture,
	struct pack_capture *state)
{
	struct pack_row *row = &batch->rows[batch->count];

	row->ticks = message->ticks;
	row->wall = message->wall;
	row->residual = residual_of(batch, message, capture, state);
	row->site = site;
	row->thread = thread;
	row->continues = message->continues;
	row->values = (uint32_t)batch->value_count;
	batch->count++;
	batch->estimate += MESSAGE_BYTES;
	return message->count > 0 ? add_values(batch, message) : 0;
}

/* One batch, or two if its columns are too many bytes. */
static bool write_range(struct pack_batch *batch, struct pack_define *define,
	uint32_t first, uint32_t count, uint64_t number)
{
	uint32_t half = count / 2;

	batch->stamp++;
	if (pack_columns_write(
		    batch->columns, batch, define, first, count, number))
		return true;
	if (batch->failed || count < 2)
		return false;
	return write_range(batch, define, first, half, number) &&
	       write_range(batch, define, first + half, count - half,
		       number + half);
}

bool pack_batch_write(
	struct pack_batch *batch, struct pack_define *define, uint64_t number)
{
	bool done =
		batch->count == 0 ||
		(!batch->failed && !batch->bytes.failed &&
			write_range(batch, define, 0, batch->count, number));

	batch->stamp++;
	batch->count = 0;
	batch->value_count = 0;
	batch->bytes.length = 0;
	batch->estimate = 0;
	batch->clock_count = 0;
	return done;
}

void pack_batch_end(struct pack_batch *batch)
{
	pack_columns_free(batch->columns);
	render_buffer_free(&batch->bytes);
	free(batch->rows);
	free(batch->values);
	free(batch->clocks);
	*batch = (struct pack_batch){0};
}
