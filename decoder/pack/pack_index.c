#include "decoder/pack/pack_index.h"

#include <string.h>

#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_value.h"

/* The modules that were named, in the order of their places. */
struct modules {
	struct render_buffer bytes;
	uint32_t count;
	uint32_t stamp;
	const struct pack_define *define;
};

static void put_module(struct modules *modules, struct pack_entry *entry)
{
	const struct pack_module_content *head = pack_content(entry);
	const char *bytes = (const char *)(head + 1);
	struct render_buffer *out = &modules->bytes;

	entry->batch = modules->stamp;
	entry->place = ++modules->count;
	pack_value_array(out, 5);
	pack_value_uint(out, entry->id);
	pack_value_binary(out, bytes, head->build_id_bytes);
	pack_value_text(out, bytes + head->build_id_bytes, head->path_bytes);
	pack_value_uint(out, head->file_bytes);
	pack_value_uint(out, head->content_hash);
}

/* Counted from 1. */
static uint32_t place_of(struct modules *modules, uint64_t id)
{
	struct pack_entry *entry;

	if (id == 0)
		return 0;
	entry = pack_table_entry(&modules->define->modules, (uint32_t)id);
	if (entry->batch != modules->stamp)
		put_module(modules, entry);
	return entry->place;
}

static struct pack_frame_content format_of(
	const struct pack_define *define, const struct pack_site_content *site)
{
	const struct pack_string_content *string;

	if (site->format == 0)
		return (struct pack_frame_content){0};
	string = pack_content(pack_table_entry(&define->strings, site->format));
	return (struct pack_frame_content){string->module, string->offset};
}

static struct pack_frame_content call_of(
	const struct pack_define *define, const struct pack_site_content *site)
{
	const struct pack_frame_content *frames;

	if (site->backtrace == 0)
		return (struct pack_frame_content){0};
	frames = pack_content(
		pack_table_entry(&define->backtraces, site->backtrace));
	return frames[0];
}

static void put_site(struct render_buffer *out, struct modules *modules,
	const struct pack_entry *entry)
{
	const struct pack_define *define = modules->define;
	const struct pack_site_content *site = pack_content(entry);
	struct pack_frame_content format = format_of(define, site);
	struct pack_frame_content call = call_of(define, site);
	const struct pack_stream_content *stream = NULL;

	if (site->stream != 0)
		stream = pack_content(
			pack_table_entry(&define->streams, site->stream));
	pack_value_array(out, 10);
	pack_value_uint(out, entry->id);
	pack_value_uint(out, entry->count);
	pack_value_uint(out, site->text);
	pack_value_uint(out, site->flags);
	pack_value_uint(out, stream ? stream->flags : 0);
	pack_value_binary(out, site + 1, site->arguments);
	pack_value_uint(out, place_of(modules, format.module));
	pack_value_uint(out, format.offset);
	pack_value_uint(out, place_of(modules, call.module));
	pack_value_uint(out, call.offset);
}

static void put_writer(struct render_buffer *out,
	const struct pack_define *define, const struct pack_entry *entry)
{
	const struct pack_thread_content *thread = pack_content(entry);
	const struct pack_process_content *process = pack_content(
		pack_table_entry(&define->processes, thread->process));

	pack_value_array(out, 6);
	pack_value_uint(out, entry->id);
	pack_value_uint(out, process->capture);
	pack_value_uint(out, thread->process);
	pack_value_uint(out, process->pid);
	pack_value_uint(out, thread->tid);
	pack_value_uint(out, entry->count);
}

static bool is_replaced(
	const struct pack_batch *batch, size_t clock, uint32_t first)
{
	size_t i;

	for (i = clock + 1;
		i < batch->clock_count && batch->clocks[i].message <= first;
		i++)
		if (batch->clocks[i].capture == batch->clocks[clock].capture)
			return true;
	return false;
}

/* That it is any message's: not replaced before the first, nor later. */
static bool is_of_range(const struct pack_batch *batch, size_t clock,
	uint32_t first, uint32_t count)
{
	uint32_t message = batch->clocks[clock].message;

	return message <= first ? !is_replaced(batch, clock, first)
				: message - first < count;
}

static void put_clock(struct render_buffer *out, const struct pack_clock *clock,
	uint32_t first)
{
	uint64_t rate;

	memcpy(&rate, &clock->segment.rate, sizeof(rate));
	pack_value_array(out, 6);
	pack_value_uint(out, clock->capture);
	pack_value_uint(out, clock->segment.from);
	pack_value_uint(out, clock->segment.span);
	pack_value_uint(out, clock->segment.realtime);
	pack_value_uint(out, rate);
	pack_value_uint(
		out, clock->message > first ? clock->message - first : 0);
}

static void put_clocks(struct render_buffer *out,
	const struct pack_batch *batch, const struct pack_index *index)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < batch->clock_count; i++)
		count += is_of_range(batch, i, index->first, index->count);
	pack_value_array(out, count);
	for (i = 0; i < batch->clock_count; i++)
		if (is_of_range(batch, i, index->first, index->count))
			put_clock(out, &batch->clocks[i], index->first);
}

void pack_index_put(struct render_buffer *out, const struct pack_index *index,
	const struct pack_batch *batch, const struct pack_define *define)
{
	struct modules modules = {.stamp = batch->stamp, .define = define};
	size_t i;

	pack_value_array(out, 4);
	pack_value_array(out, index->site_count);
	for (i = 0; i < index->site_count; i++)
		put_site(out, &modules,
			pack_table_entry(&define->sites, index->sites[i]));
	pack_value_array(out, index->thread_count);
	for (i = 0; i < index->thread_count; i++)
		put_writer(out, define,
			pack_table_entry(&define->threads, index->threads[i]));
	pack_value_array(out, modules.count);
	render_buffer_put(out, modules.bytes.data, modules.bytes.length);
	if (modules.bytes.failed)
		out->failed = true;
	render_buffer_free(&modules.bytes);
	put_clocks(out, batch, index);
}
