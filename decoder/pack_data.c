#include "decoder/pack_data.h"

#include "decoder/pack_content.h"
#include "decoder/pack_frames.h"
#include "decoder/pack_value.h"
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

/* Which executable has the format, and where. */
static void put_format(struct frame_write *frame,
	const struct pack_define *define, const struct pack_entry *site)
{
	const struct pack_site_content *head = pack_content(site);
	const struct pack_string_content *format;

	if (head->format == 0)
		return;
	format = pack_content(pack_table_entry(&define->strings, head->format));
	if (format->module == 0)
		return;
	frame_write_uint(frame, PACKED_DATA_MAGIC,
		pack_frames_magic(pack_table_entry(
			&define->modules, format->module)));
	frame_write_some(frame, PACKED_DATA_OFFSET, format->offset);
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
	put_format(frame, define, site);
	frame_write_some(frame, PACKED_DATA_PID, message->pid);
	frame_write_some(frame, PACKED_DATA_TID, message->tid);
	frame_write_end(frame);
}
