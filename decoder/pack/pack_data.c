#include "decoder/pack/pack_data.h"

#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_frames.h"
#include "decoder/pack/pack_value.h"
#include "record/layout.h"

static void put_argument(
	struct frame_write *frame, const struct render_argument *argument)
{
	struct render_buffer *out = &frame->fields;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		pack_value_int(out, argument->i32);
		break;
	case BINLOG_ARG_I64:
		pack_value_int(out, argument->i64);
		break;
	case BINLOG_ARG_F64:
		pack_value_double(out, argument->f64);
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		frame_write_item_binary(frame, argument->data, 16);
		break;
	case BINLOG_ARG_STRING:
		if (argument->null)
			pack_value_nil(out);
		else
			frame_write_item_text(
				frame, argument->data, argument->bytes);
		break;
	default:
		if (argument->null)
			pack_value_nil(out);
		else
			frame_write_item_binary(
				frame, argument->data, argument->bytes);
	}
}

static void put_arguments(
	struct frame_write *frame, const struct message *message)
{
	size_t i;

	if (message->count == 0)
		return;
	frame_write_list(frame, PACKED_DATA_ARGUMENTS, message->count);
	for (i = 0; i < message->count; i++)
		put_argument(frame, &message->arguments[i]);
}

/* In a module that is named; 0 is none: in memory. */
static void put_place(struct frame_write *frame,
	const struct pack_define *define, uint64_t module, uint64_t offset,
	unsigned magic_field, unsigned offset_field)
{
	if (module != 0)
		frame_write_uint(frame, magic_field,
			pack_frames_magic(pack_table_entry(
				&define->modules, (uint32_t)module)));
	frame_write_some(frame, offset_field, offset);
}

/* Which executable has the format, and where. */
static void put_format(struct frame_write *frame,
	const struct pack_define *define, const struct pack_site_content *site)
{
	const struct pack_string_content *format;

	if (site->format == 0)
		return;
	format = pack_content(pack_table_entry(&define->strings, site->format));
	put_place(frame, define, format->module, format->offset,
		PACKED_DATA_MAGIC, PACKED_DATA_OFFSET);
}

/* What is needed of the site when that is lost. */
static void put_site(struct frame_write *frame,
	const struct pack_define *define, const struct pack_site_content *site)
{
	const struct pack_stream_content *stream;
	const struct pack_frame_content *call;

	frame_write_uint(frame, PACKED_DATA_TEXT, site->text);
	frame_write_some(frame, PACKED_DATA_FLAGS, site->flags);
	if (site->stream != 0) {
		stream = pack_content(
			pack_table_entry(&define->streams, site->stream));
		frame_write_some(frame, PACKED_DATA_STREAM, stream->flags);
	}
	if (site->arguments > 0)
		frame_write_binary(
			frame, PACKED_DATA_KINDS, site + 1, site->arguments);
	if (site->backtrace != 0) {
		call = pack_content(
			pack_table_entry(&define->backtraces, site->backtrace));
		put_place(frame, define, call->module, call->offset,
			PACKED_DATA_CALL_MAGIC, PACKED_DATA_CALL_OFFSET);
	}
}

void pack_data_write(struct pack_define *define, const struct message *message,
	const struct pack_entry *site, const struct pack_entry *thread,
	uint64_t number)
{
	struct frame_write *frame = define->frame;

	frame_write_begin(frame, PACKED_DATA);
	frame_write_some(frame, PACKED_DATA_NUMBER, number);
	frame_write_uint(frame, PACKED_DATA_SITE, site->id);
	frame_write_uint(frame, PACKED_DATA_THREAD, thread->id);
	frame_write_some(frame, PACKED_DATA_TICKS, message->ticks);
	frame_write_some(frame, PACKED_DATA_TIME, message->wall);
	put_arguments(frame, message);
	frame_write_some(frame, PACKED_DATA_CONTINUES, message->continues);
	put_format(frame, define, pack_content(site));
	frame_write_some(frame, PACKED_DATA_PID, message->pid);
	frame_write_some(frame, PACKED_DATA_TID, message->tid);
	put_site(frame, define, pack_content(site));
	frame_write_end(frame);
}
