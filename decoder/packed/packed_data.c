#include "decoder/packed/packed_data.h"

#include <elf.h>
#include <string.h>

#include "decoder/packed/packed_context.h"

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

bool packed_data_read(struct packed_data *data, struct packed_log *log,
	const struct packed_record *record, uint64_t offset)
{
	const struct packed_thread *thread = packed_log_thread(
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

const struct message *packed_data_next(struct packed_data *data)
{
	if (!data->waits)
		return NULL;
	data->waits = false;
	return &data->message;
}
