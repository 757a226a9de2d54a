#include "decoder/capture/writer_stream.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "decoder/capture/definition.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/capture/writer_window.h"
#include "decoder/render/render.h"
#include "record/layout.h"

/*
 * The records of messages, taken apart: the first word, which may say more
 * than the context, and the arguments.  Called by writer_stream.c with what it
 * has of a block; reads through a bounded cursor, and may be asked again with
 * a longer one.  Allocates nothing.
 */

struct record_read {
	/* To be set before. */
	bool binary128; /* what a long double of the writer is */
	struct definition_table *definitions;
	struct render_argument *arguments; /* to be filled; they point into */
					   /* the record and definitions */
	/* Of the head. */
	struct definition_context *context;
	size_t least_bytes; /* of the record */
	uint32_t word;	    /* the first */
	uint32_t id;	    /* of the context */
	uint32_t length;    /* of its only argument; 0: not told in `word` */
	bool continues;	    /* a line: has no ticks */
	bool repeats;	    /* the context before; `word` is the string, too */
	/* Of the rest. */
	uint32_t ticks;
	bool misses_string; /* there was no such definition: */
	uint32_t missing_string;
};

#define UNKNOWN_STRING "<string ?>"

static void take_apart(
	struct record_read *read, uint32_t word, uint32_t last, uint32_t other)
{
	read->word = read->id = word;
	read->length = 0;
	read->continues = word & BINLOG_CONTINUES;
	read->repeats = false;
	if (!read->continues)
		return;
	read->repeats = word & BINLOG_REPEATS;
	if (read->repeats) {
		read->id = word & BINLOG_OTHER ? other : last;
		return;
	}
	read->length = word >> BINLOG_LENGTH_SHIFT & BINLOG_LENGTH_MAX;
	read->id = word & ((1u << BINLOG_LENGTH_SHIFT) - 1);
}

/*
 * What the first word says; `last` is the id of the context of the message
 * right before it, `other` that of the last other one in its line; or 0.
 * ERROR_NONE, or why the record cannot be read, and with it the rest of its
 * block; `id` says of which context.
 */
static enum error_code record_read_head(
	struct record_read *read, uint32_t word, uint32_t last, uint32_t other)
{
	const struct definition_context *context;

	take_apart(read, word, last, other);
	context = read->context =
		definition_context(read->definitions, read->id);
	if (!context)
		return ERROR_CONTEXT;
	if (!context->usable)
		return ERROR_ARGUMENT;
	if ((read->repeats || read->length) &&
		(context->arguments != 1 ||
			context->kinds[0] != BINLOG_ARG_STRING))
		return ERROR_ARGUMENT;
	read->least_bytes = sizeof(word);
	if (!read->continues)
		read->least_bytes += sizeof(read->ticks);
	if (!read->repeats)
		read->least_bytes += context->fixed_bytes;
	return ERROR_NONE;
}

/* A string that is a word, the one right before the cursor. */
static void read_short(
	struct cursor *record, uint32_t word, struct render_argument *argument)
{
	argument->bytes = (word & ~(BINLOG_CONTINUES | BINLOG_SHORT)) >> 24;
	argument->data = record->at - sizeof(word);
	if (argument->bytes > BINLOG_SHORT_MAX)
		record->failed = true;
}

static void read_defined(
	struct record_read *read, uint32_t id, struct render_argument *argument)
{
	const struct definition_string *string =
		definition_string(read->definitions, id);

	if (string && string->bytes) {
		argument->data = string->bytes;
		argument->bytes = (uint32_t)string->length;
		return;
	}
	read->misses_string = true;
	read->missing_string = id;
	argument->null = argument->kind != BINLOG_ARG_STRING;
	if (!argument->null) {
		argument->data = UNKNOWN_STRING;
		argument->bytes = sizeof(UNKNOWN_STRING) - 1;
	}
}

/* A string's bytes or what the length word says instead of them. */
static void read_string(struct record_read *read, struct cursor *record,
	struct render_argument *argument)
{
	uint32_t length = cursor_u32(record);

	if (length == BINLOG_NULL) {
		argument->null = true;
	} else if (length & BINLOG_STRING_ID) {
		read_defined(read, length & ~BINLOG_STRING_ID, argument);
	} else if (length & BINLOG_SHORT) {
		read_short(record, length, argument);
	} else {
		argument->bytes = length;
		argument->data = cursor_padded(record, length);
	}
}

static void read_argument(struct record_read *read, struct cursor *record,
	struct render_argument *argument)
{
	uint64_t bits;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		argument->i32 = (int32_t)cursor_u32(record);
		break;
	case BINLOG_ARG_I64:
		argument->i64 = (int64_t)cursor_u64(record);
		break;
	case BINLOG_ARG_F64:
		bits = cursor_u64(record);
		memcpy(&argument->f64, &bits, sizeof(bits));
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		argument->data = cursor_bytes(record, 16);
		break;
	default:
		read_string(read, record, argument);
	}
}

/* The only one, of which the first word has told something. */
static void read_only(struct record_read *read, struct cursor *record)
{
	struct render_argument *argument = &read->arguments[0];

	*argument = (struct render_argument){.kind = BINLOG_ARG_STRING};
	if (read->repeats) {
		read_short(record, read->word & ~BINLOG_OTHER, argument);
	} else {
		argument->bytes = read->length;
		argument->data = cursor_padded(record, read->length);
	}
}

/* The whole record, of which the cursor is at the first word; afterwards it is
 * behind the last.  False: it ended before. */
static bool record_read_rest(struct record_read *read, struct cursor *record)
{
	const struct definition_context *context = read->context;
	bool only = read->repeats || read->length;

	cursor_u32(record);
	read->ticks = read->continues ? 0 : cursor_u32(record);
	read->misses_string = false;
	if (only)
		read_only(read, record);
	for (size_t i = 0; !only && i < context->arguments && !record->failed;
		i++) {
		read->arguments[i] =
			(struct render_argument){.kind = context->kinds[i],
				.binary128 = read->binary128};
		read_argument(read, record, &read->arguments[i]);
	}
	return !record->failed;
}

#define RECORD_HEAD ((size_t)8)
/* The kernel knows no more; other numbers say that it was not asked. */
#define CORES_MAX 65536u

uint32_t writer_stream_position(const struct writer_stream *stream)
{
	if (stream->window_end == 0)
		return 0;
	return stream->state == WRITER_MESSAGE
		       ? (uint32_t)(stream->message.offset -
				    stream->block->offset)
		       : writer_window_position(stream);
}

static uint64_t offset_of(const struct writer_stream *stream)
{
	return (stream->block ? stream->block->offset : 0) +
	       writer_window_position(stream);
}

static void report(
	struct writer_stream *stream, enum error_code code, uint64_t number)
{
	recording_report(stream->capture, code, offset_of(stream), number);
}

static void approach_block(struct writer_stream *stream)
{
	if (stream->block == stream->blocks_end) {
		stream->state = stream->live ? WRITER_WAITS : WRITER_END;
		return;
	}
	stream->state = WRITER_BETWEEN;
	/* Definitions come before what is older than their blocks. */
	if (stream->capture->ring &&
		!(stream->block->sequence & BINLOG_RING_DATA))
		return;
	if (stream->block->anchor.ticks > stream->ticks)
		stream->ticks = stream->block->anchor.ticks;
	if (stream->block->anchor.realtime > stream->wall)
		stream->wall = stream->block->anchor.realtime;
}

static void leave_block(struct writer_stream *stream)
{
	writer_window_drop(stream);
	stream->window_end = 0;
	stream->last_bytes = 0;
	stream->block++;
	approach_block(stream);
}

/* The rest of the block makes no sense. */
static void give_up_block(
	struct writer_stream *stream, enum error_code code, uint64_t number)
{
	report(stream, code, number);
	stream->partial = false;
	leave_block(stream);
}

static void use_anchor(struct writer_stream *stream,
	const struct binlog_anchor *anchor, uint32_t core)
{
	wall_clock_learn(
		stream->clock, stream->capture, &stream->anchor, anchor);
	/* Unless the clock was set back, no time is shown twice. */
	if (anchor->realtime < stream->anchor.realtime)
		stream->least_wall = 0;
	stream->anchor = *anchor;
	stream->segment.span = 0;
	stream->message.core = core < CORES_MAX ? core + 1 : 0;
}

static void enter_block(struct writer_stream *stream)
{
	const struct recording_block *block = stream->block;

	if (block->sequence != stream->next_sequence)
		stream->partial = false;
	stream->next_sequence = block->sequence + 1;
	stream->message.place = &stream->place;
	stream->place.definitions = &stream->definitions;
	stream->place.block = block;
	stream->place.anchor = block->offset;
	stream->block_end = block->size;
	stream->window_end = sizeof(struct binlog_block);
	use_anchor(stream, &block->anchor, block->core);
	stream->last_context = stream->other_context = 0;
	stream->tid = block->tid;
	if (!stream->program || stream->program->pid != block->pid ||
		stream->program->process != block->process)
		stream->program = program_find(
			&stream->capture->programs, block->pid, block->process);
	if (!stream->program)
		give_up_block(stream, ERROR_MEMORY, 0);
	else if (!writer_window_enlarge(stream))
		leave_block(stream);
	else
		stream->state = WRITER_MESSAGE;
}

/*
 * Beyond the zero word that ends the records only the start of an unfinished
 * one may follow, and that is not zero for long.  So data that begins at a
 * page after zeros is what is left around pages that never reached the disk.
 */
static void check_tail(struct writer_stream *stream)
{
	size_t zeros = 0;

	do {
		struct cursor rest = writer_window_look(stream, 1);
		size_t run = cursor_zeros(&rest);

		zeros += run;
		stream->window_at += run;
		if (run == cursor_left(&rest))
			continue;
		if (zeros > 3 * RECORD_HEAD &&
			offset_of(stream) % BINLOG_PAGE == 0)
			report(stream, ERROR_PAGE_GONE,
				stream->block_end -
					writer_window_position(stream));
		return;
	} while (writer_window_more(stream));
}

/* What ended the records: a zero word, the block's end, or the file's. */
static void end_block(struct writer_stream *stream)
{
	struct cursor rest = writer_window_look(stream, sizeof(uint32_t));
	bool cut = stream->block_end < stream->block->size;

	if (stream->window_open || writer_window_is_open(stream)) {
		writer_window_wait(stream);
		return;
	}
	if (cursor_left(&rest) >= sizeof(uint32_t))
		check_tail(stream);
	else if (cut)
		report(stream, ERROR_BLOCK_CUT, stream->block->writer);
	leave_block(stream);
}

/* A record that should be whole is not. */
static void end_within_record(struct writer_stream *stream)
{
	if (stream->window_open)
		writer_window_wait(stream);
	else if (stream->block_end < stream->block->size)
		give_up_block(stream, ERROR_BLOCK_CUT, stream->block->writer);
	else
		give_up_block(stream, ERROR_RECORD,
			stream->block_end - writer_window_position(stream));
}

static void take_clock(struct writer_stream *stream, struct cursor *record)
{
	struct binlog_clock_record clock;

	cursor_struct(record, &clock, sizeof(clock));
	if (record->failed)
		return;
	use_anchor(stream, &clock.anchor, clock.core);
	stream->place.anchor = stream->definitions.at;
}

static void take_thread(struct writer_stream *stream, struct cursor *record)
{
	struct binlog_thread_record thread;

	cursor_struct(record, &thread, sizeof(thread));
	if (record->failed)
		return;
	stream->tid = thread.tid;
	stream->place.thread = stream->definitions.at;
	memcpy(stream->thread, thread.name, sizeof(thread.name));
	/* What is known of another one; in a ring it may be said long after
	 * what it is about. */
	if (stream->origin && !stream->capture->ring)
		stream->origin->known.count = 0;
}

static struct definition_context *creation(
	const struct writer_stream *stream, uint32_t id)
{
	struct definition_context *context =
		definition_context(&stream->definitions, id);

	return context && context->text == BINLOG_TEXT_CREATED ? context : NULL;
}

/* The one that is said of this thread from now on.  Null: out of memory. */
static struct writer_origin *begin_origin(
	struct writer_stream *stream, uint32_t tid)
{
	bool ring = stream->capture->ring;
	struct writer_origin *origin =
		ring ? id_map_find(&stream->origins, tid) : stream->origin;

	if (!origin) {
		origin = pool_take(&stream->definitions.pool, sizeof(*origin));
		if (!origin)
			return NULL;
		*origin = (struct writer_origin){.tid = tid};
	}
	origin->tid = tid;
	origin->known = (struct message_origin){.by = origin->known.by};
	if (ring && !id_map_set(&stream->origins, tid, origin))
		return NULL;
	return origin;
}

/* Most have one.  False: out of memory. */
static bool make_room(
	struct writer_stream *stream, struct writer_origin *origin)
{
	struct message_origin *known = &origin->known;
	uint32_t room = origin->room ? origin->room * 2 : 1;
	struct message_creator *by;

	if (known->count < origin->room)
		return true;
	by = pool_take(&stream->definitions.pool, room * sizeof(*by));
	if (!by)
		return false;
	if (known->count > 0)
		memcpy(by, known->by, known->count * sizeof(*by));
	known->by = by;
	origin->room = room;
	return true;
}

static void take_origin(struct writer_stream *stream, struct cursor *record)
{
	struct binlog_origin_record said;
	struct message_creator creator;
	struct writer_origin *origin;

	cursor_struct(record, &said, sizeof(said));
	if (record->failed)
		return;
	if (said.generation == 0)
		stream->origin = begin_origin(stream, said.tid);
	origin = stream->origin;
	if (!origin || said.tid != origin->tid ||
		said.generation != origin->known.count ||
		said.generation >= BINLOG_ORIGIN_GENERATIONS ||
		!make_room(stream, origin))
		return;
	creator = (struct message_creator){
		.context = creation(stream, said.context),
		.pool = &stream->capture->programs.pool,
		.pid = said.creator_pid,
		.tid = said.creator_tid,
	};
	memcpy(creator.name, said.name, sizeof(said.name));
	message_origin_add(&origin->known, &creator);
}

/* Null: not known. */
static const struct message_origin *origin_now(
	const struct writer_stream *stream)
{
	const struct writer_origin *origin = stream->origin;

	if (origin && origin->tid != stream->tid)
		origin = id_map_find(&stream->origins, stream->tid);
	return origin && origin->known.count > 0 ? &origin->known : NULL;
}

static bool take_context(struct writer_stream *stream, struct cursor *record)
{
	struct cursor ahead = *record;
	struct binlog_context_record head;

	cursor_struct(&ahead, &head, sizeof(head));
	return !ahead.failed && head.text == BINLOG_TEXT_CREATED
		       ? definition_add_creation(&stream->definitions, record,
				 stream->program, &stream->capture->programs)
		       : definition_add_context(&stream->definitions, record,
				 stream->program->module_count);
}

static void take_coroutine(struct writer_stream *stream, struct cursor *record)
{
	struct binlog_coroutine_record said;
	struct definition_context *context;

	cursor_struct(record, &said, sizeof(said));
	if (record->failed)
		return;
	context = definition_context(&stream->definitions, said.context);
	if (context)
		context->coroutine = said.number;
}

static bool take_module(struct writer_stream *stream, struct cursor *record)
{
	bool full;
	bool good = program_add_module(
		&stream->capture->programs, stream->program, record, &full);

	if (full)
		report(stream, ERROR_MODULES, stream->program->module_count);
	return good;
}

/* Once: the texts that follow lack what could not be kept. */
static void tell_of_memory(struct writer_stream *stream)
{
	bool lacks = definition_table_lacks(&stream->definitions) ||
		     program_table_lacks(&stream->capture->programs);

	if (lacks && !stream->lacks)
		report(stream, ERROR_MEMORY, 0);
	stream->lacks = lacks;
}

static void take_control(
	struct writer_stream *stream, uint32_t kind, struct cursor *record)
{
	bool good = true;

	/* What is recalled is in no block. */
	stream->definitions.at = stream->block ? offset_of(stream) : 0;
	switch (kind) {
	case BINLOG_CLOCK:
		take_clock(stream, record);
		break;
	case BINLOG_PROCESS:
		stream->place.process = stream->definitions.at;
		good = program_describe(
			&stream->capture->programs, stream->program, record);
		break;
	case BINLOG_THREAD:
		take_thread(stream, record);
		break;
	case BINLOG_ORIGIN:
		take_origin(stream, record);
		break;
	case BINLOG_MODULE:
		good = take_module(stream, record);
		break;
	case BINLOG_STRING:
		good = definition_add_string(&stream->definitions, record);
		break;
	case BINLOG_STREAM:
		good = definition_add_stream(&stream->definitions, record);
		break;
	case BINLOG_CONTEXT:
		good = take_context(stream, record);
		break;
	case BINLOG_COROUTINE:
		take_coroutine(stream, record);
		break;
	default: /* of a newer writer */
		break;
	}
	if (!good || record->failed)
		report(stream, ERROR_DEFINITION, kind);
	tell_of_memory(stream);
}

/* False: the block has ended. */
static bool step_control(struct writer_stream *stream)
{
	struct cursor record = writer_window_look(stream, RECORD_HEAD);
	uint32_t kind = cursor_u32(&record);
	uint32_t size = cursor_u32(&record);

	if (record.failed) {
		end_within_record(stream);
		return false;
	}
	if (size < RECORD_HEAD || size % 4 != 0 || size > BINLOG_BLOCK_MAX) {
		give_up_block(stream, ERROR_CONTROL, size);
		return false;
	}
	record = writer_window_look(stream, size);
	if (cursor_left(&record) < size) {
		end_within_record(stream);
		return false;
	}
	record = cursor_over(record.at, size);
	if (stream->keep && kind != BINLOG_CLOCK)
		stream->keep(stream->keeper, record.at, size);
	take_control(stream, kind, &record);
	stream->window_at += size;
	return true;
}

/* They are of the anchor's epoch, which is all that 32 bits count: if they are
 * less than the anchor's, the counter was set back. */
static uint64_t whole_ticks(const struct writer_stream *stream, uint32_t low)
{
	return (stream->anchor.ticks & ~(uint64_t)UINT32_MAX) | low;
}

static void set_time(struct writer_stream *stream, uint64_t ticks)
{
	if (!wall_segment_holds(&stream->segment, ticks))
		stream->segment = wall_clock_segment(
			stream->clock, &stream->anchor, ticks);
	stream->message.ticks = ticks;
	stream->message.wall = wall_segment_time(&stream->segment, ticks);
	if (stream->message.wall < stream->least_wall)
		stream->message.wall = stream->least_wall;
	stream->least_wall = stream->message.wall;
	if (ticks > stream->ticks)
		stream->ticks = ticks;
	if (stream->message.wall > stream->wall)
		stream->wall = stream->message.wall;
	if (stream->capture->ring && ticks > stream->capture->ring->newest)
		stream->capture->ring->newest = ticks;
}

static void finish_message(
	struct writer_stream *stream, struct definition_context *context)
{
	struct message *message = &stream->message;
	message->segment = &stream->segment;

	message->pid = stream->block->pid;
	message->tid = stream->tid;
	message->thread = stream->thread;
	message->origin = origin_now(stream);
	message->coroutine = context->coroutine;
	message->program = stream->program;
	message->context = context;
	message->pool = &stream->definitions.pool;
	message->continues = stream->partial;
	message->partial = context->flags & BINLOG_CONTEXT_PARTIAL;
	message->offset = offset_of(stream);
	message->capture = stream->capture;
	message->count = context->arguments;
	stream->partial = message->partial;
}

/* What goes on with a line has the time of what it goes on with. */
static void take_time(
	struct writer_stream *stream, const struct record_read *read)
{
	if (!read->continues)
		set_time(stream, whole_ticks(stream, read->ticks));
	else if (!stream->last_context)
		set_time(stream, stream->anchor.ticks);
}

static void note_context(
	struct writer_stream *stream, const struct record_read *read)
{
	if (!read->continues)
		stream->other_context = 0;
	else if (stream->last_context != read->id)
		stream->other_context = stream->last_context;
	stream->last_context = read->id;
}

/* No more than a writer needs: thousands may be open at once.  Never null. */
static bool reserve_arguments(struct writer_stream *stream, size_t count)
{
	struct render_argument *arguments = stream->message.arguments;

	if (arguments && count <= stream->argument_room)
		return true;
	arguments = realloc(arguments, (count + 1) * sizeof(*arguments));
	if (!arguments)
		return false;
	stream->message.arguments = arguments;
	stream->argument_room = count;
	return true;
}

static void step_message(struct writer_stream *stream, uint32_t word)
{
	struct record_read read = {
		.binary128 = stream->capture->header.machine == EM_AARCH64,
		.definitions = &stream->definitions,
	};
	enum error_code code = record_read_head(
		&read, word, stream->last_context, stream->other_context);
	struct cursor record;

	if (code == ERROR_NONE &&
		!reserve_arguments(stream, read.context->arguments))
		code = ERROR_MEMORY;
	read.arguments = stream->message.arguments;
	if (code != ERROR_NONE) {
		give_up_block(stream, code, read.id);
		return;
	}
	do {
		record = writer_window_look(stream, read.least_bytes);
		if (!record_read_rest(&read, &record))
			continue;
		take_time(stream, &read);
		finish_message(stream, read.context);
		if (read.misses_string)
			report(stream, ERROR_STRING, read.missing_string);
		note_context(stream, &read);
		stream->window_at = (size_t)(record.at - stream->window);
		return;
	} while (writer_window_more(stream));
	end_within_record(stream);
}

/* Goes on where there was nothing more, if there is something now. */
static void resume(struct writer_stream *stream)
{
	if (stream->window_end == 0)
		approach_block(stream);
	else if (writer_window_resume(stream))
		stream->state = WRITER_MESSAGE;
}

/* A message, if one was read: nobody wants what is in the block, or, of what a
 * ring holds, only what something has happened to may count. */
static bool is_hidden(const struct writer_stream *stream)
{
	if (stream->state == WRITER_MESSAGE && stream->block->quiet &&
		!message_is_event(&stream->message)) {
		stream->capture->hidden += !stream->message.partial;
		return true;
	}
	return stream->state == WRITER_MESSAGE && stream->block->windowed &&
	       !recording_ring_shows(stream->capture, stream->message.ticks);
}

static void run(struct writer_stream *stream)
{
	if (stream->state == WRITER_BETWEEN)
		enter_block(stream);
	while (stream->state == WRITER_MESSAGE) {
		struct cursor record =
			writer_window_look(stream, sizeof(uint32_t));
		uint32_t first = cursor_u32(&record);

		if (first != 0)
			stream->last_start = writer_window_position(stream);
		if (first >= BINLOG_CONTEXT_FIRST) {
			step_message(stream, first);
			if (is_hidden(stream))
				continue;
			return;
		}
		if (first == 0) {
			end_block(stream);
			return;
		}
		if (!step_control(stream))
			return;
	}
}

void writer_stream_step(struct writer_stream *stream)
{
	if (stream->state != WRITER_WAITS)
		run(stream);
	if (stream->state != WRITER_WAITS)
		return;
	/* The window may have been read long ago. */
	resume(stream);
	/* Blocks are entered in their order: all learn the clock. */
	if (stream->state == WRITER_MESSAGE)
		run(stream);
}

void writer_stream_begin(struct writer_stream *stream,
	struct recording *capture, struct wall_clock *clock,
	const struct recording_block *blocks, size_t count)
{
	*stream = (struct writer_stream){
		.state = WRITER_BETWEEN,
		.ticks = blocks->anchor.ticks,
		.wall = blocks->anchor.realtime,
		.anchor = blocks->anchor,
		.capture = capture,
		.clock = clock,
		.definitions.programs = &capture->programs,
		.block = blocks,
		.blocks_end = blocks + count,
	};
}

void writer_stream_begin_live(struct writer_stream *stream,
	struct recording *capture, struct wall_clock *clock)
{
	*stream = (struct writer_stream){
		.state = WRITER_WAITS,
		.capture = capture,
		.clock = clock,
		.definitions.programs = &capture->programs,
		.live = true,
	};
}

void writer_stream_extend(struct writer_stream *stream,
	const struct recording_block *blocks, size_t count, bool live)
{
	/* The anchor of the first block of all is the one to begin with. */
	if (stream->anchor.boottime == 0 && count > 0)
		stream->anchor = blocks->anchor;
	stream->block = blocks;
	stream->blocks_end = blocks + count;
	stream->live = live;
}

void writer_stream_recall(struct writer_stream *stream, uint32_t pid,
	uint32_t process, const void *record, size_t size)
{
	struct cursor cursor = cursor_over(record, size);
	uint32_t kind = cursor_u32(&cursor);

	cursor = cursor_over(record, size);
	stream->program =
		program_find(&stream->capture->programs, pid, process);
	if (stream->program)
		take_control(stream, kind, &cursor);
}

void writer_stream_settle(struct writer_stream *stream)
{
	writer_window_drop(stream);
	free(stream->message.arguments);
	stream->message.arguments = NULL;
	stream->argument_room = 0;
	id_map_free(&stream->origins);
	id_map_free(&stream->definitions.strings);
	id_map_free(&stream->definitions.streams);
	id_map_free(&stream->definitions.contexts);
}

void writer_stream_end(struct writer_stream *stream)
{
	writer_window_drop(stream);
	free(stream->message.arguments);
	id_map_free(&stream->origins);
	definition_table_free(&stream->definitions);
	*stream = (struct writer_stream){.state = WRITER_END};
}
