#include "decoder/packed/packed_reader.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "decoder/capture/message.h"
#include "decoder/capture/unpacked_file.h"
#include "decoder/packed/frame_scan.h"
#include "decoder/packed/packed_body.h"
#include "decoder/packed/packed_context.h"
#include "decoder/packed/packed_define.h"
#include "decoder/packed/packed_log.h"
#include "decoder/packed/packed_parity.h"
#include "decoder/packed/packed_pieces.h"
#include "decoder/packed/packed_salvage.h"
#include "decoder/packed/packed_tail.h"

/*
 * The bytes of a packed log, for frame_scan.h: of a regular file, which is
 * open only for as long as it is read if there are many, or of standard input.
 * Used by the reader and by recovery.
 */

/* It is the same file as at first, or the first. */
static bool is_same(struct packed_file *file)
{
	struct stat st;

	if (fstat(file->fd, &st) != 0)
		return false;
	if (file->regular &&
		(st.st_dev != file->device || st.st_ino != file->inode)) {
		errno = ESTALE;
		return false;
	}
	file->regular = S_ISREG(st.st_mode);
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->owner = st.st_uid;
	return true;
}

/* Of a copy, which is read in its place. */
static void take_copy(struct packed_file *file)
{
	file->open = true;
	file->regular = true; /* can be read again */
	file->fd = -1;
	file->device = file->unpacked->device;
	file->inode = file->unpacked->inode;
	file->owner = file->unpacked->owner;
}

static bool open_file(struct packed_file *file)
{
	file->unpacked = unpacked_file_find(file->path);
	if (file->unpacked) {
		take_copy(file);
		return true;
	}
	if (strcmp(file->path, PACKED_FILE_STDIN) == 0) {
		file->fd = STDIN_FILENO;
		file->open = true;
		return true;
	}
	file->fd =
		open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (file->fd < 0)
		return false;
	file->open = true;
	if (is_same(file))
		return true;
	packed_file_close(file);
	return false;
}

static bool is_to_grow(const struct packed_file *file)
{
	return file->more && file->regular && !file->unpacked &&
	       !file->complete && file->more(file->more_closure);
}

ssize_t packed_file_read(
	void *closure, uint64_t offset, void *buffer, size_t size)
{
	struct packed_file *file = closure;
	ssize_t n;

	if (!file->open && !open_file(file))
		return -1;
	do {
		if (file->unpacked)
			n = unpacked_file_read(
				file->unpacked, buffer, size, offset);
		else if (file->regular)
			n = pread(file->fd, buffer, size, (off_t)offset);
		else if (file->fd == STDIN_FILENO)
			n = unpacked_file_stdin(buffer, size);
		else
			n = read(file->fd, buffer, size);
	} while ((n < 0 && errno == EINTR) ||
		 (n == 0 && size > 0 && is_to_grow(file)));
	if (file->read && n > 0)
		*file->read += (uint64_t)n;
	if (file->patches && n > 0)
		packed_parity_patch(file, offset, buffer, (size_t)n);
	return n;
}

uint64_t packed_file_data(void *closure, uint64_t offset)
{
	const struct packed_file *file = closure;
	off_t data;

	if (!file->open || !file->regular)
		return offset;
	if (file->unpacked)
		return packed_parity_data(file, offset,
			unpacked_file_data(file->unpacked, offset));
	data = lseek(file->fd, (off_t)offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO) /* the rest is one */
		data = lseek(file->fd, 0, SEEK_END);
	return packed_parity_data(
		file, offset, data < 0 ? offset : (uint64_t)data);
}

struct frame_scan *packed_file_scan(struct packed_file *file, uint64_t offset)
{
	struct frame_scan *scan =
		frame_scan_new(packed_file_read, file, offset);

	if (scan)
		frame_scan_pass_holes(scan, packed_file_data);
	return scan;
}

void packed_file_close(struct packed_file *file)
{
	if (file->open && file->fd > STDIN_FILENO)
		close(file->fd);
	file->open = false;
}

/*
 * A DATA record of a packed log: a message by itself.  Driven by the reader,
 * which takes the message out before the next frame.  What is lost of its
 * definitions is made up of what it says itself.
 */

/* All zeros has no message. */
struct packed_data {
	bool waits; /* the message is to be taken */
	struct message message;
	struct render_argument arguments[FORMAT_KINDS_MAX]; /* its */
	uint8_t kinds[FORMAT_KINDS_MAX];		    /* made up */
};

#define LONG_DOUBLE_BYTES 16u
/* In the id of a process of which nothing but its pid is known. */
#define MADE_UP 0x80000000u

/* What it can be when nothing says it. */
static uint8_t likely_kind(const msgpack_object *object)
{
	switch (object->type) {
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		return BINLOG_ARG_F64;
	case MSGPACK_OBJECT_STR:
	case MSGPACK_OBJECT_BIN:
	case MSGPACK_OBJECT_NIL:
		return BINLOG_ARG_STRING;
	default:
		return BINLOG_ARG_I64;
	}
}

static bool fill_string(
	struct render_argument *argument, const msgpack_object *object)
{
	struct packed_bytes bytes = packed_object_bytes(object);

	argument->null = !bytes.data;
	argument->data = bytes.data;
	argument->bytes = (uint32_t)bytes.size;
	return bytes.data || object->type == MSGPACK_OBJECT_NIL;
}

static bool fill_long_double(
	struct render_argument *argument, const msgpack_object *object)
{
	struct packed_bytes bytes = packed_object_bytes(object);

	argument->data = bytes.data;
	return bytes.size == LONG_DOUBLE_BYTES;
}

/* A double, or the bits of one. */
static void fill_double(
	struct render_argument *argument, const msgpack_object *object)
{
	if (object->type == MSGPACK_OBJECT_FLOAT64 ||
		object->type == MSGPACK_OBJECT_FLOAT32)
		argument->f64 = object->via.f64;
	else
		argument->i64 = (int64_t)packed_object_number(object);
}

static bool fill_argument(struct render_argument *argument, uint8_t kind,
	const msgpack_object *object, bool binary128)
{
	*argument =
		(struct render_argument){.kind = kind, .binary128 = binary128};
	switch (kind) {
	case BINLOG_ARG_I32:
		argument->i32 = (int32_t)packed_object_number(object);
		break;
	case BINLOG_ARG_I64:
		argument->i64 = (int64_t)packed_object_number(object);
		break;
	case BINLOG_ARG_F64:
		fill_double(argument, object);
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		return fill_long_double(argument, object);
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		return fill_string(argument, object);
	default:
		return false;
	}
	return true;
}

/* What the record says of its site, if it does; else what is likely. */
static bool fill_kinds(struct packed_data *data,
	const struct packed_record *record, struct packed_row *row)
{
	const msgpack_object_array *arguments =
		packed_record_list(record, PACKED_DATA_ARGUMENTS);
	struct packed_bytes kinds =
		packed_record_bytes(record, PACKED_DATA_KINDS);
	size_t i;

	row->kinds = data->kinds;
	if (row->arguments > FORMAT_KINDS_MAX)
		return false;
	if (kinds.data && kinds.size == row->arguments)
		memcpy(data->kinds, kinds.data, kinds.size);
	else
		for (i = 0; i < row->arguments; i++)
			data->kinds[i] = likely_kind(&arguments->ptr[i]);
	return true;
}

static bool make_row(struct packed_data *data, struct packed_log *log,
	const struct packed_record *record, struct packed_row *row)
{
	row->text =
		packed_record_has(record, PACKED_DATA_TEXT)
			? (uint16_t)packed_record_id(record, PACKED_DATA_TEXT)
			: BINLOG_TEXT_FORMAT;
	row->flags = (uint16_t)packed_record_id(record, PACKED_DATA_FLAGS);
	row->stream_flags = packed_record_id(record, PACKED_DATA_STREAM);
	row->format = packed_record_number(record, PACKED_DATA_OFFSET);
	row->format_module = packed_log_named(
		log, packed_record_number(record, PACKED_DATA_MAGIC));
	row->call = packed_record_number(record, PACKED_DATA_CALL_OFFSET);
	row->call_module = packed_log_named(
		log, packed_record_number(record, PACKED_DATA_CALL_MAGIC));
	return fill_kinds(data, record, row);
}

/* As an index would say it. */
static bool fill_row(struct packed_data *data, struct packed_log *log,
	const struct packed_record *record, struct packed_row *row)
{
	const msgpack_object_array *arguments =
		packed_record_list(record, PACKED_DATA_ARGUMENTS);
	const struct packed_call *call;

	*row = (struct packed_row){
		.id = packed_record_id(record, PACKED_DATA_SITE),
		.messages = 1,
		.arguments = arguments ? arguments->size : 0,
	};
	call = packed_log_call(log, row->id);
	if (!call || !call->whole)
		if (!make_row(data, log, record, row))
			return false;
	if (!call)
		return true;
	row->text = call->text;
	row->flags = call->flags;
	row->kinds = call->kinds;
	return call->arguments == row->arguments;
}

static bool fill_arguments(struct message *message,
	const struct packed_record *record, const struct packed_row *row)
{
	const msgpack_object_array *arguments =
		packed_record_list(record, PACKED_DATA_ARGUMENTS);
	bool binary128 = message->capture->header.machine == EM_AARCH64;
	size_t i;

	message->count = row->arguments;
	for (i = 0; i < row->arguments; i++)
		if (!fill_argument(&message->arguments[i], row->kinds[i],
			    &arguments->ptr[i], binary128))
			return false;
	return true;
}

/*
 * Takes the record, which has to stay.  False: it makes no sense, or there is
 * no memory.
 */
static bool packed_data_read(struct packed_data *data, struct packed_log *log,
	const struct packed_record *record, uint64_t offset)
{
	struct packed_thread *thread = packed_log_thread(
		log, packed_record_id(record, PACKED_DATA_THREAD));
	struct message *message = &data->message;
	struct packed_process *process;
	struct packed_row row;

	message->pid = packed_record_id(record, PACKED_DATA_PID);
	message->tid = packed_record_id(record, PACKED_DATA_TID);
	packed_context_forget(log);
	process = thread && thread->process
			  ? thread->process
			  : packed_log_process(log, message->pid | MADE_UP, 0,
				    message->pid);
	if (!process || !fill_row(data, log, record, &row))
		return false;
	message->context = packed_context_find(log, &row, process);
	if (!message->context)
		return false;
	message->thread = thread ? thread->name : "";
	message->origin =
		thread ? packed_context_origin(log, thread, process) : NULL;
	message->coroutine = thread ? thread->coroutine : 0;
	message->program = process->program;
	message->capture = process->capture;
	message->pool = &log->context_pool;
	message->ticks = packed_record_number(record, PACKED_DATA_TICKS);
	message->wall = packed_record_number(record, PACKED_DATA_TIME);
	message->continues =
		packed_record_number(record, PACKED_DATA_CONTINUES);
	message->partial = message->context->flags & BINLOG_CONTEXT_PARTIAL;
	message->offset = offset;
	message->arguments = data->arguments;
	data->waits = fill_arguments(message, record, &row);
	return data->waits;
}

/* The message, once.  Null: there is none. */
static const struct message *packed_data_next(struct packed_data *data)
{
	if (!data->waits)
		return NULL;
	data->waits = false;
	return &data->message;
}

/* Logs that have ended go first when all take too much. */
#define ENDED_BYTES_MAX ((size_t)24 << 20)
/* Where its first message is looked for, before a log is read as a whole. */
#define BEGIN_BYTES ((uint64_t)4 << 20)

struct packed_reader {
	struct packed_file file;
	struct packed_readers *shared;
	struct frame_scan *scan;
	struct packed_record record;
	struct packed_log *logs[LIMITS_FILE_LOGS];
	size_t log_count;
	uint64_t frames;
	uint64_t whole;	    /* of these, intact */
	uint64_t newer;	    /* records and fields that are not known */
	uint64_t forgotten; /* logs, before their end */
	struct packed_index index;
	struct packed_body body;
	struct packed_pieces pieces;
	uint64_t whole_end;    /* of the last frame that is intact, */
	uint64_t batch_end;    /* and of the last of them with a batch */
	uint64_t pieces_begin; /* of the batch that `pieces` is about */
	struct packed_data data;
	struct message_place place; /* of the messages of this frame */
	const struct packed_tail *tail; /* null: nothing is passed over */
	size_t passed;			/* its runs from here on were */
	bool late;			/* nothing of the log was read yet */
	bool skims;
	bool ended;
};

static void report(struct packed_reader *reader, enum error_code code,
	uint64_t offset, uint64_t number)
{
	const struct error error = {
		.code = code,
		.file = reader->file.path,
		.offset = offset,
		.number = number,
	};

	error_add(reader->shared->captures.errors, &error);
}

struct packed_reader *packed_reader_new(
	const char *path, struct packed_readers *shared)
{
	struct packed_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->file.path = path;
	reader->shared = shared;
	reader->file.read = &shared->read;
	reader->file.more = shared->more;
	reader->file.more_closure = shared->more_closure;
	reader->scan = packed_file_scan(&reader->file, 0);
	if (reader->scan)
		return reader;
	free(reader);
	return NULL;
}

bool packed_reader_begin_late(
	struct packed_reader *reader, const struct packed_tail *tail)
{
	struct frame_scan *scan = packed_file_scan(&reader->file, tail->begin);

	if (!scan)
		return false;
	frame_scan_free(reader->scan);
	reader->scan = scan;
	reader->tail = tail;
	reader->passed = tail->count;
	reader->late = tail->begin > 0;
	return true;
}

static void end_log(struct packed_reader *reader, struct packed_log *log)
{
	uint64_t offset = frame_scan_offset(reader->scan);

	if (log->begun && !log->ended)
		report(reader, ERROR_PACKED_OPEN, offset, log->next);
	if (log->lost > 0)
		report(reader, ERROR_PACKED_LOST, offset, log->lost);
	if (log->left_out > 0)
		report(reader, ERROR_PACKED_MANY, offset, log->left_out);
	packed_log_free(log);
}

static void forget(struct packed_reader *reader, size_t place)
{
	end_log(reader, reader->logs[place]);
	reader->logs[place] = reader->logs[--reader->log_count];
}

/* The same with what may still be needed. */
static void forget_early(struct packed_reader *reader, size_t place)
{
	reader->forgotten += !reader->logs[place]->ended;
	forget(reader, place);
}

/* The one that was used least, or of those that have ended.  The number of
 * logs: there is none. */
static size_t find_oldest(const struct packed_reader *reader, bool ended)
{
	size_t oldest = reader->log_count;
	size_t i;

	for (i = 0; i < reader->log_count; i++)
		if ((reader->logs[i]->ended || !ended) &&
			(oldest == reader->log_count ||
				reader->logs[i]->used <
					reader->logs[oldest]->used))
			oldest = i;
	return oldest;
}

static size_t bytes_of_all(const struct packed_reader *reader)
{
	size_t bytes = 0;
	size_t i;

	for (i = 0; i < reader->log_count; i++)
		bytes += reader->logs[i]->bytes;
	return bytes;
}

/* Before another one. */
static void make_room(struct packed_reader *reader)
{
	size_t oldest;

	while (bytes_of_all(reader) > ENDED_BYTES_MAX) {
		oldest = find_oldest(reader, true);
		if (oldest == reader->log_count)
			break;
		forget(reader, oldest);
	}
	while (reader->log_count == LIMITS_FILE_LOGS ||
		bytes_of_all(reader) > limits_size(LIMIT_LOGS))
		forget_early(reader, find_oldest(reader, false));
}

/* The one with this number, from here on in this part.  Null: out of memory. */
static struct packed_log *log_with(
	struct packed_reader *reader, uint64_t number, uint64_t part)
{
	struct packed_log *log = NULL;
	size_t i;

	for (i = 0; i < reader->log_count && !log; i++)
		if (reader->logs[i]->number == number)
			log = reader->logs[i];
	if (!log) {
		make_room(reader);
		log = packed_log_new(
			number, reader->file.path, &reader->shared->captures);
		if (!log)
			return NULL;
		log->has_owner = reader->file.regular;
		log->owner = reader->file.owner;
		reader->logs[reader->log_count++] = log;
	}
	log->used = reader->frames;
	log->part = part;
	return log;
}

/* The one that the record is of.  Null: out of memory. */
static struct packed_log *log_of(struct packed_reader *reader)
{
	return log_with(reader,
		packed_record_number(&reader->record, PACKED_ALL_LOG),
		packed_record_number(&reader->record, PACKED_ALL_PART));
}

/* Before this number, which is of that time. */
static void report_gap(struct packed_reader *reader, struct packed_log *log,
	uint64_t offset, uint64_t number, uint64_t time)
{
	const struct error error = {
		.code = ERROR_PACKED_GAP,
		.file = reader->file.path,
		.offset = offset,
		.number = number - log->next,
		.first = log->next + 1,
		.last = number,
		.since = log->until,
		.until = time,
	};

	error_add(reader->shared->captures.errors, &error);
}

/* Whether messages are missing before this one, `count` of which follow; the
 * times of the first and the last. */
static void check_number(struct packed_reader *reader, struct packed_log *log,
	uint64_t offset, uint64_t number, uint64_t count, uint64_t first,
	uint64_t last)
{
	if (log->begun && number < log->next) {
		/* The same log again. */
		if (!log->ended)
			report(reader, ERROR_PACKED_OPEN, offset, log->next);
		log->begun = false;
	}
	if (!log->begun && number > 0 && !reader->late)
		report(reader, ERROR_PACKED_BEGIN, offset, number);
	else if (log->begun && number > log->next)
		report_gap(reader, log, offset, number, first);
	reader->late = false;
	log->begun = true;
	log->ended = false;
	log->next = number + count;
	log->until = last;
}

static void take_end(
	struct packed_reader *reader, struct packed_log *log, uint64_t offset)
{
	uint64_t messages =
		packed_record_number(&reader->record, PACKED_END_MESSAGES);

	if (messages > log->next)
		report_gap(reader, log, offset, messages, 0);
	log->begun = true;
	log->ended = true;
	log->next = messages;
}

/* The record that was just read gives messages. */
static const struct message_place *note_place(struct packed_reader *reader,
	const struct packed_record *record, const uint32_t *next)
{
	reader->place.log = reader->file.path;
	reader->place.part = packed_record_number(record, PACKED_ALL_PART);
	reader->place.next = next;
	reader->place.number = packed_record_number(
		record, next ? PACKED_BATCH_NUMBER : PACKED_DATA_NUMBER);
	reader->place.unpacked =
		next ? packed_record_number(record, PACKED_BATCH_BODY_BYTES)
		     : 0;
	return &reader->place;
}

static void take_batch(
	struct packed_reader *reader, struct packed_log *log, uint64_t offset)
{
	struct packed_readers *shared = reader->shared;
	struct packed_body *body = &reader->body;
	uint64_t count =
		packed_record_number(&reader->record, PACKED_BATCH_COUNT);

	check_number(reader, log, offset,
		packed_record_number(&reader->record, PACKED_BATCH_NUMBER),
		count,
		packed_record_number(&reader->record, PACKED_BATCH_FIRST),
		packed_record_number(&reader->record, PACKED_BATCH_LAST));
	if (reader->skims)
		return;
	if (!packed_index_read(
		    &reader->index, log, &reader->record, &shared->inflate) ||
		!packed_body_resolve(body, log, &reader->index, offset)) {
		report(reader, ERROR_PACKED_BATCH, offset, count);
		return;
	}
	body->message.place = note_place(reader, &reader->record, &body->at);
	if (shared->wants && !shared->wants(shared->closure, &body->batch))
		return;
	if (!packed_body_decode(body, &reader->record, &shared->inflate))
		report(reader, ERROR_PACKED_BATCH, offset, count);
	else if (shared->fold)
		shared->fold(shared->closure, body);
}

/* What is whole of the batch, unless nobody wants any of it. */
static bool take_pieces(struct packed_reader *reader, struct packed_log *log,
	uint64_t offset, struct packed_lost *lost)
{
	struct packed_readers *shared = reader->shared;
	struct packed_pieces *pieces = &reader->pieces;
	struct packed_body *body = &reader->body;
	bool wanted;

	if (pieces->bytes > offset - reader->whole_end ||
		!packed_pieces_read(
			pieces, &reader->record, &reader->file, offset) ||
		!packed_index_read(&reader->index, log, &pieces->record,
			&shared->inflate) ||
		!packed_body_resolve(
			body, log, &reader->index, reader->pieces_begin))
		return false;
	body->message.place = note_place(reader, &pieces->record, &body->at);
	reader->place.bytes = pieces->bytes;
	wanted = !shared->wants || shared->wants(shared->closure, &body->batch);
	if (!packed_salvage(body, pieces, lost))
		return false;
	if (!wanted)
		body->left = 0;
	return true;
}

/* Of a batch whose frame was not whole. */
static void take_damaged(
	struct packed_reader *reader, struct packed_log *log, uint64_t offset)
{
	struct packed_pieces *pieces = &reader->pieces;
	struct packed_lost lost;
	bool part;

	if (!packed_pieces_told(pieces, &reader->record)) {
		report(reader, ERROR_PACKED_RECORD, offset, PACKED_PIECES);
		return;
	}
	/* its messages are known, but something is between */
	if (reader->whole_end == reader->batch_end && log->begun &&
		log->next == pieces->number + pieces->count)
		return;
	reader->pieces_begin =
		offset > pieces->bytes ? offset - pieces->bytes : 0;
	check_number(reader, log, reader->pieces_begin, pieces->number,
		pieces->count, pieces->first, pieces->last);
	if (reader->skims)
		return;
	lost = packed_lost_all(pieces);
	part = take_pieces(reader, log, offset, &lost);
	if (!part)
		reader->body.left = 0;
	packed_lost_report(&lost, pieces, part, reader->file.path,
		reader->pieces_begin, reader->shared->captures.errors);
	packed_record_free(&pieces->record);
}

static void take_data(
	struct packed_reader *reader, struct packed_log *log, uint64_t offset)
{
	const uint64_t time =
		packed_record_number(&reader->record, PACKED_DATA_TIME);

	check_number(reader, log, offset,
		packed_record_number(&reader->record, PACKED_DATA_NUMBER), 1,
		time, time);
	if (!reader->skims &&
		!packed_data_read(&reader->data, log, &reader->record, offset))
		report(reader, ERROR_PACKED_BATCH, offset, 1);
	reader->data.message.place = note_place(reader, &reader->record, NULL);
}

static void check_version(struct packed_reader *reader, uint64_t offset)
{
	uint64_t version =
		packed_record_number(&reader->record, PACKED_PREAMBLE_VERSION);

	if (version > PACKED_VERSION)
		report(reader, ERROR_VERSION, offset, version);
}

static void take_known(
	struct packed_reader *reader, struct packed_log *log, uint64_t offset)
{
	switch (reader->record.tag) {
	case PACKED_BATCH:
		take_batch(reader, log, offset);
		return;
	case PACKED_DATA:
		take_data(reader, log, offset);
		return;
	case PACKED_PIECES:
		take_damaged(reader, log, offset);
		return;
	case PACKED_END:
		take_end(reader, log, offset);
		return;
	case PACKED_PREAMBLE:
		check_version(reader, offset);
		break;
	}
	if (!packed_define(log, &reader->record))
		report(reader, ERROR_PACKED_RECORD, offset, reader->record.tag);
}

/* Once: what follows lacks what could not be kept. */
static void tell_of_memory(
	struct packed_reader *reader, struct packed_log *log, uint64_t offset)
{
	bool lacks = packed_log_lacks(log);

	if (lacks && !log->lacks)
		report(reader, ERROR_MEMORY, offset, 0);
	log->lacks = lacks;
}

static void take_record(struct packed_reader *reader, const struct frame *frame)
{
	struct packed_record *record = &reader->record;
	struct packed_log *log;

	if (packed_parity_note(&reader->file, frame->record,
		    frame->record_bytes, frame->offset))
		return;
	/* of a batch that is intact */
	if (frame->record_bytes > 0 && frame->record[0] == PACKED_PIECES &&
		reader->batch_end == frame->offset)
		return;
	if (!packed_record_read(record, frame->record, frame->record_bytes)) {
		report(reader, ERROR_PACKED_RECORD, frame->offset,
			frame->record_bytes > 0 ? frame->record[0] : 0);
		return;
	}
	reader->newer += record->unknown + !record->known;
	if (record->extra > 0)
		report(reader, ERROR_PACKED_EXTRA, frame->offset,
			record->extra);
	if (!record->known)
		return;
	reader->file.complete = record->tag == PACKED_END;
	log = log_of(reader);
	if (!log) {
		report(reader, ERROR_MEMORY, frame->offset, 0);
		return;
	}
	reader->place.bytes = frame->bytes;
	if (record->tag == PACKED_BATCH)
		reader->batch_end = frame->offset + frame->bytes;
	take_known(reader, log, frame->offset);
	tell_of_memory(reader, log, frame->offset);
}

static void report_damage(
	struct packed_reader *reader, const struct frame *frame)
{
	const struct error error = {
		.code = frame->code,
		.system = frame->system,
		.file = reader->file.path,
		.offset = frame->offset,
		.number = frame->lost,
	};

	error_add(reader->shared->captures.errors, &error);
}

static void finish(struct packed_reader *reader)
{
	uint64_t offset = frame_scan_offset(reader->scan);
	size_t i;

	reader->ended = true;
	if (reader->whole == 0)
		report(reader, ERROR_NO_FRAMES, 0, offset);
	if (reader->newer > 0)
		report(reader, ERROR_PACKED_NEWER, offset, reader->newer);
	if (reader->forgotten > 0)
		report(reader, ERROR_PACKED_LOGS, offset, reader->forgotten);
	for (i = 0; i < reader->log_count; i++)
		end_log(reader, reader->logs[i]);
	reader->log_count = 0;
	packed_file_close(&reader->file);
	packed_parity_free(&reader->file);
}

static void pass_run(struct packed_reader *reader, const struct packed_run *run)
{
	struct packed_log *log = log_with(reader, run->log, run->part);

	if (log)
		check_number(reader, log, run->offset, run->number, run->count,
			run->first, run->last);
	frame_scan_pass(reader->scan, run->offset + run->bytes);
	reader->batch_end = reader->whole_end = run->offset + run->bytes;
}

/* What comes next, as far as nobody wants it. */
static void pass_runs(struct packed_reader *reader)
{
	const struct packed_tail *tail = reader->tail;

	while (reader->passed > tail->wanted) {
		const struct packed_run *run = &tail->runs[reader->passed - 1];
		const uint64_t offset = frame_scan_offset(reader->scan);

		if (offset < run->offset)
			return;
		if (offset == run->offset)
			pass_run(reader, run);
		reader->passed--;
	}
	reader->tail = NULL;
}

static void take_frame(struct packed_reader *reader)
{
	struct frame frame;

	if (reader->tail)
		pass_runs(reader);
	frame = frame_scan_next(reader->scan);

	reader->frames++;
	switch (frame.kind) {
	case FRAME_WHOLE:
		reader->whole++;
		take_record(reader, &frame);
		reader->whole_end = frame.offset + frame.bytes;
		break;
	case FRAME_DAMAGED:
		if (!packed_parity_mend(&reader->file, &frame, &reader->scan,
			    reader->shared->captures.errors))
			report_damage(reader, &frame);
		break;
	default: /* FRAME_NONE */
		finish(reader);
	}
}

/* What is not needed for the messages of the batch that was decoded. */
static void spare(struct packed_reader *reader)
{
	packed_record_free(&reader->record);
	packed_index_spare(&reader->index);
	if (reader->file.regular) {
		packed_file_close(&reader->file);
		frame_scan_rest(reader->scan);
	}
}

const struct message *packed_reader_next(struct packed_reader *reader)
{
	while (!reader->ended) {
		const struct message *message = packed_body_next(&reader->body);

		if (!message)
			message = packed_data_next(&reader->data);
		if (message)
			return message;
		take_frame(reader);
		if (reader->shared->sparing && reader->body.left > 0)
			spare(reader);
	}
	return NULL;
}

void packed_reader_skim(struct packed_reader *reader)
{
	reader->skims = true;
	while (!reader->ended)
		take_frame(reader);
}

void packed_reader_free(struct packed_reader *reader)
{
	size_t i;

	if (!reader)
		return;
	for (i = 0; i < reader->log_count; i++)
		packed_log_free(reader->logs[i]);
	packed_file_close(&reader->file);
	packed_parity_free(&reader->file);
	packed_record_free(&reader->record);
	packed_index_free(&reader->index);
	packed_body_free(&reader->body);
	packed_pieces_free(&reader->pieces);
	frame_scan_free(reader->scan);
	free(reader);
}

/* Of the first record that tells it. */
typedef uint64_t find_number(const struct packed_record *record);

static uint64_t find_begin(const struct packed_record *record)
{
	if (record->tag == PACKED_BATCH)
		return packed_record_number(record, PACKED_BATCH_FIRST);
	return record->tag == PACKED_DATA
		       ? packed_record_number(record, PACKED_DATA_TIME)
		       : 0;
}

static uint64_t find_log(const struct packed_record *record)
{
	return packed_record_number(record, PACKED_ALL_LOG);
}

/* A frame_read. */
static ssize_t read_beginning(
	void *file, uint64_t offset, void *bytes, size_t size)
{
	uint64_t left = offset < BEGIN_BYTES ? BEGIN_BYTES - offset : 0;

	return packed_file_read(
		file, offset, bytes, size < left ? size : (size_t)left);
}

static uint64_t near_begin(const char *path, find_number *find)
{
	struct packed_file file = {.path = path};
	struct packed_record record = {0};
	struct frame_scan *scan = frame_scan_new(read_beginning, &file, 0);
	uint64_t number = 0;
	struct frame frame;

	if (scan)
		frame_scan_pass_holes(scan, packed_file_data);
	while (scan && number == 0) {
		frame = frame_scan_next(scan);
		if (frame.kind == FRAME_NONE)
			break;
		if (frame.kind == FRAME_WHOLE &&
			packed_record_read(
				&record, frame.record, frame.record_bytes))
			number = find(&record);
	}
	frame_scan_free(scan);
	packed_record_free(&record);
	packed_file_close(&file);
	return number;
}

uint64_t packed_reader_begin(const char *path)
{
	return near_begin(path, find_begin);
}

uint64_t packed_reader_log(const char *path)
{
	return near_begin(path, find_log);
}

bool packed_reader_is_log(const char *path)
{
	struct packed_file file = {.path = path};
	struct frame_scan *scan = packed_file_scan(&file, 0);
	struct frame frame = {.kind = FRAME_NONE};

	if (scan)
		frame = frame_scan_next(scan);
	if (frame.kind == FRAME_DAMAGED)
		frame = frame_scan_next(scan);
	frame_scan_free(scan);
	packed_file_close(&file);
	return frame.kind == FRAME_WHOLE;
}
