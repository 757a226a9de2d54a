#include "decoder/pack/pack_batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <endian.h>
#include <zlib.h>
#include <zstd.h>

#include "base/array.h"
#include "base/render_buffer.h"
#include "decoder/pack/column_doubles.h"
#include "decoder/pack/column_phrases.h"
#include "decoder/pack/column_shape.h"
#include "decoder/pack/entropy.h"
#include "decoder/pack/pack_choice.h"
#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_value.h"
#include "decoder/pack/string_columns.h"
#include "decoder/pack/text_columns.h"
#include "record/layout.h"

/*
 * From the rows of pack_batch.c to a BATCH frame: who says what, as an index,
 * and the columns, both compressed.  Keeps nothing between two batches but
 * memory.
 */

/* Among the values: a null pointer. */
#define PACK_COLUMNS_NULL UINT64_MAX

struct pack_columns;

/* Of a body: bytes that are compressed, and what they become. */
struct pack_piece {
	uint32_t size;
	uint32_t raw;
};

static bool pack_columns_write(struct pack_columns *columns,
	struct pack_batch *batch, struct pack_define *define, uint32_t first,
	uint32_t count, uint64_t number);

/*
 * The index of a batch: who says what in it, for readers that look for
 * something, or have lost the definitions.
 */

/* What is in a batch: ids, in the order of their places. */
struct pack_index {
	uint32_t *sites;
	size_t site_count;
	uint32_t *threads;
	size_t thread_count;
	const uint16_t *thread_places; /* of each row */
	uint32_t first;		       /* rows */
	uint32_t count;
};

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

static void index_put_site(struct render_buffer *out, struct modules *modules,
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

/* Of each writer where it is, and the changes.  Counts them if `out` is null;
 * `now` has room for all writers. */
static size_t put_changes(struct render_buffer *out,
	const struct pack_index *index, const struct pack_row *rows,
	uint16_t *now)
{
	size_t changes = 0;
	uint32_t i;

	memset(now, 0, index->thread_count * sizeof(*now));
	for (i = 0; i < index->count; i++) {
		uint16_t place = index->thread_places[i];

		if (rows[i].core == now[place])
			continue;
		now[place] = rows[i].core;
		changes++;
		if (!out)
			continue;
		pack_value_array(out, 3);
		pack_value_uint(out, place);
		pack_value_uint(out, i);
		pack_value_uint(out, rows[i].core);
	}
	return changes;
}

static void put_cores(struct render_buffer *out, const struct pack_index *index,
	const struct pack_row *rows, uint16_t *now)
{
	pack_value_array(out, put_changes(NULL, index, rows, now));
	put_changes(out, index, rows, now);
}

/* Appends it; entries have their counts. */
static void pack_index_put(struct render_buffer *out,
	const struct pack_index *index, const struct pack_batch *batch,
	const struct pack_define *define, uint16_t *scratch)
{
	struct modules modules = {.stamp = batch->stamp, .define = define};
	size_t i;

	pack_value_array(out, 5);
	pack_value_array(out, index->site_count);
	for (i = 0; i < index->site_count; i++)
		index_put_site(out, &modules,
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
	put_cores(out, index, batch->rows + index->first, scratch);
}

/*
 * Compresses what columns have become: bytes of many kinds, one after the
 * other.  Each kind gets a block of zstd with a code of its own; where one
 * ends is told by the bytes themselves.
 */

struct pack_compress;

#define CHUNK 1024u
/* What another block must save; a table of codes takes about half of it. */
#define BLOCK_GAIN 160u
#define BLOCK_HEAD 16u
#define BLOCK_MOST ((size_t)32 << 10)
/* What a frame should have, and what a piece of it. */
#define FRAME_LEAST 8192u
#define PIECE_LEAST 2048u
#define LEVEL 9
#define INDEX_LEVEL 7 /* for what is small 9 takes ten times the time */
/*
 * Numbers are alike by chance: copies of a few bytes take more than coding each
 * byte does, and much time to be found.  Strings are alike for a reason.
 */
#define MATCH_OF_NUMBERS 6
#define SEARCH_LOG 5
/* Bodies have not many more different pieces; tables are memory. */
#define HASH_OF_NUMBERS 17
#define HASH_OF_STRINGS 18
/* Short copies must save one byte of so many. */
#define GAIN_OF 512u

enum content { INDEX, NUMBERS, STRINGS };

/* Bytes of one kind, from `next_block()`. */
struct block {
	uint32_t size;
	uint32_t compressed; /* about */
};

/* Where a frame of zstd may begin within a body, besides where the kind of
 * bytes changes. */
struct parts {
	size_t columns; /* of sites begin here, */
	size_t texts;	/* and here what is behind all columns */
};

struct compressed {
	struct render_buffer bytes;
	struct pack_piece *pieces;
	size_t count;
	size_t room;
};

struct pack_compress {
	ZSTD_CCtx *zstd;
	struct pack_choice with_strings;
	struct compressed other;
	struct block *blocks;
	size_t block_count;
	size_t block_room;
	uint32_t block[256]; /* how often each byte is in it */
	uint32_t chunk[256]; /* behind it */
};

/* Null: out of memory. */
static struct pack_compress *pack_compress_new(void)
{
	struct pack_compress *compress = calloc(1, sizeof(*compress));

	if (!compress)
		return NULL;
	compress->zstd = ZSTD_createCCtx();
	if (compress->zstd)
		return compress;
	free(compress);
	return NULL;
}

static void count_bytes(uint32_t counts[256], const char *bytes, size_t size)
{
	size_t i;

	memset(counts, 0, 256 * sizeof(*counts));
	for (i = 0; i < size; i++)
		counts[(uint8_t)bytes[i]]++;
}

/* Takes the chunk into the block, unless it is of another kind. */
static bool belongs(struct pack_compress *compress, size_t size, size_t more,
	uint64_t *bytes)
{
	uint64_t apart = *bytes + entropy_bytes(compress->chunk, more);
	size_t i;

	for (i = 0; i < 256; i++)
		compress->block[i] += compress->chunk[i];
	*bytes = entropy_bytes(compress->block, size + more);
	return *bytes < apart + BLOCK_GAIN;
}

/* How many of the bytes are of one kind, and what they take then. */
static struct block next_block(struct pack_compress *compress,
	const char *bytes, size_t size, size_t most)
{
	size_t done = size < CHUNK ? size : CHUNK;
	uint64_t compressed;

	count_bytes(compress->block, bytes, done);
	compressed = entropy_bytes(compress->block, done);
	while (done < size && done < most) {
		size_t more = size - done < CHUNK ? size - done : CHUNK;
		uint64_t before = compressed;

		count_bytes(compress->chunk, bytes + done, more);
		if (!belongs(compress, done, more, &compressed)) {
			compressed = before;
			break;
		}
		done += more;
	}
	return (struct block){(uint32_t)done, (uint32_t)compressed};
}

/* The level that was asked for, or else what is good for the bytes. */
static void set_up(ZSTD_CCtx *zstd, size_t size, int level, enum content what)
{
	int own = what == INDEX ? INDEX_LEVEL : LEVEL;

	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(
		zstd, ZSTD_c_compressionLevel, level ? level : own);
	if (level == 0)
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog,
			what == STRINGS ? HASH_OF_STRINGS : HASH_OF_NUMBERS);
	if (level == 0 && what == NUMBERS) {
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, MATCH_OF_NUMBERS);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_strategy, ZSTD_lazy);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_searchLog, SEARCH_LOG);
	}
	/* A body is several frames, whose readers know how long it is. */
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, what == INDEX);
	ZSTD_CCtx_setPledgedSrcSize(zstd, size);
}

static bool find_blocks(struct pack_compress *compress,
	const struct render_buffer *from, const struct parts *parts)
{
	const size_t ends[] = {parts->columns, parts->texts, from->length};
	size_t at = 0;
	size_t part;

	compress->block_count = 0;
	for (part = 0; part < sizeof(ends) / sizeof(*ends); part++)
		while (at < ends[part]) {
			if (!array_reserve(compress->blocks,
				    compress->block_room,
				    compress->block_count + 1))
				return false;
			compress->blocks[compress->block_count] =
				next_block(compress, from->data + at,
					ends[part] - at, BLOCK_MOST);
			at += compress->blocks[compress->block_count++].size;
		}
	return true;
}

/* How many blocks one frame has that begins with this one, at `at`. */
static size_t frame_blocks(const struct pack_compress *compress, size_t first,
	size_t at, const struct parts *parts, enum content what, size_t *size)
{
	size_t compressed = 0;
	size_t i;

	*size = 0;
	for (i = first; i < compress->block_count; i++) {
		const size_t now = at + *size;
		const bool may = now == parts->texts || now <= parts->columns ||
				 (what == NUMBERS && now < parts->texts);

		if (may && compressed >= FRAME_LEAST)
			break;
		*size += compress->blocks[i].size;
		compressed += compress->blocks[i].compressed;
	}
	return i - first;
}

/* One piece more, up to here; or the last one is longer. */
static bool put_piece(
	struct compressed *to, size_t raw, size_t *begin, bool begins_frame)
{
	const size_t size = to->bytes.length - *begin;
	struct pack_piece *last =
		to->count > 0 ? &to->pieces[to->count - 1] : NULL;

	if (!begins_frame && last && last->size < PIECE_LEAST) {
		last->size += (uint32_t)size;
		last->raw += (uint32_t)raw;
	} else {
		if (!array_reserve(to->pieces, to->room, to->count + 1))
			return false;
		to->pieces[to->count++] = (struct pack_piece){
			.size = (uint32_t)size, .raw = (uint32_t)raw};
	}
	*begin = to->bytes.length;
	return true;
}

static bool compress_block(struct pack_compress *compress,
	struct render_buffer *to, const char *bytes, size_t size, bool last)
{
	ZSTD_inBuffer in = {bytes, size, 0};
	ZSTD_outBuffer out = {to->data, to->room, to->length};
	size_t left = ZSTD_compressStream2(
		compress->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);

	to->length = out.pos;
	return left == 0;
}

static bool compress_body(struct pack_compress *compress, struct compressed *to,
	const struct render_buffer *from, int level, enum content what,
	const struct parts *parts)
{
	const size_t count = compress->block_count;
	size_t at = 0, begin = 0;
	size_t first, i, blocks, size;

	to->count = 0;
	to->bytes.length = 0;
	if (!render_buffer_reserve(&to->bytes,
		    ZSTD_compressBound(from->length) + count * BLOCK_HEAD))
		return false;
	for (first = 0; first < count; first += blocks) {
		blocks = frame_blocks(compress, first, at, parts, what, &size);
		set_up(compress->zstd, size, level, what);
		for (i = first; i < first + blocks; i++) {
			const size_t raw = compress->blocks[i].size;

			if (!compress_block(compress, &to->bytes,
				    from->data + at, raw,
				    i + 1 == first + blocks) ||
				!put_piece(to, raw, &begin, i == first))
				return false;
			at += raw;
		}
	}
	return true;
}

/*
 * Puts frames of zstd into `to`, which is emptied before, of this level or, if
 * that is 0, in the way that is best for what it is: that is tried out, and
 * remembered.  None needs what is in another; each is one piece or more, and
 * from the first on pieces can be decoded as far as they are whole.  False: out
 * of memory.
 */
static bool pack_compress_body(struct pack_compress *compress,
	struct compressed *to, const struct render_buffer *from, int level,
	const struct parts *parts)
{
	struct pack_choice *choice = &compress->with_strings;
	bool settled = level != 0 || pack_choice_settled(choice);
	struct compressed longer;
	bool pays;

	if (!find_blocks(compress, from, parts) ||
		!compress_body(compress, to, from, level,
			settled && choice->other ? STRINGS : NUMBERS, parts))
		return false;
	if (settled)
		return true;
	if (!compress_body(
		    compress, &compress->other, from, level, STRINGS, parts))
		return false;
	pays = compress->other.bytes.length +
		       compress->other.bytes.length / GAIN_OF <
	       to->bytes.length;
	if (pays) {
		longer = *to;
		*to = compress->other;
		compress->other = longer;
	}
	pack_choice_make(choice, pays);
	return true;
}

/* One frame. */
static bool pack_compress_index(struct pack_compress *compress,
	struct render_buffer *to, const struct render_buffer *from, int level)
{
	to->length = 0;
	if (!render_buffer_reserve(to, ZSTD_compressBound(from->length)))
		return false;
	set_up(compress->zstd, from->length, level, INDEX);
	return compress_block(compress, to, from->data, from->length, true);
}

static void free_compressed(struct compressed *compressed)
{
	render_buffer_free(&compressed->bytes);
	free(compressed->pieces);
}

/* Null is fine. */
static void pack_compress_free(struct pack_compress *compress)
{
	if (!compress)
		return;
	ZSTD_freeCCtx(compress->zstd);
	free_compressed(&compress->other);
	free(compress->blocks);
	free(compress);
}

#define ROOM_FIRST 256u /* messages */

/* Columns that may be written in two ways, of all batches. */
enum choice { SITES, THREADS, TICKS, SPLIT, WALL, CONTINUES, TEXTS, CHOICES };

struct starts {
	uint32_t *at;
	size_t count;
	size_t room;
	bool failed;
};

struct pack_columns {
	size_t room; /* messages: of each array, which are one allocation */
	struct string_value *strings; /* the first of them */
	uint64_t *numbers;
	uint32_t *sites; /* ids, by place */
	uint32_t *threads;
	uint32_t *order; /* rows, by place of the site */
	uint32_t *site_counts;
	uint16_t *site_places; /* of each row */
	uint16_t *thread_places;
	bool *starts;
	struct pack_choice choices[CHOICES];
	unsigned split; /* low bits of ticks that are apart; 0: none */
	uint64_t *high; /* ticks without these */
	size_t high_room;
	struct column_write writer;
	struct string_columns string_writer;
	struct text_columns text_writer;
	uint32_t *text_columns; /* of each argument: TEXT_..., its column */
	size_t text_columns_room;
	uint32_t *first_arguments; /* of each site: its place there */
	size_t first_arguments_room;
	bool together; /* texts are not in their site's columns */
	struct render_buffer other;
	struct render_buffer body;
	struct render_buffer index;
	struct starts begins;	    /* of all columns in the body, */
	struct starts other_begins; /* and where it is written otherwise */
	size_t commons_end;
	size_t texts_start;
	struct compressed packed_body;
	struct render_buffer packed_index;
	struct render_buffer told; /* of a PIECES */
	struct pack_compress *compress;
};

/* What pack_columns_write() was called with. */
struct work {
	struct pack_columns *columns;
	struct pack_batch *batch;
	struct pack_define *define;
	const struct pack_row *rows;
	struct pack_index index;
};

/* Null: out of memory. */
static struct pack_columns *pack_columns_new(void)
{
	struct pack_columns *columns = calloc(1, sizeof(*columns));

	if (!columns)
		return NULL;
	columns->compress = pack_compress_new();
	columns->string_writer.numbers = &columns->writer;
	columns->text_writer.strings = &columns->string_writer;
	if (columns->compress)
		return columns;
	free(columns);
	return NULL;
}

/* False: out of memory. */
static bool reserve(struct pack_columns *columns, size_t count)
{
	const size_t each = sizeof(*columns->strings) +
			    sizeof(*columns->numbers) + 4 * sizeof(uint32_t) +
			    2 * sizeof(uint16_t) + sizeof(bool);
	size_t room = columns->room ? columns->room : ROOM_FIRST;

	if (count <= columns->room)
		return true;
	while (room < count)
		room *= 4;
	free(columns->strings);
	columns->room = 0;
	columns->strings = malloc(room * each);
	if (!columns->strings)
		return false;
	columns->room = room;
	columns->numbers = (uint64_t *)(columns->strings + room);
	columns->sites = (uint32_t *)(columns->numbers + room);
	columns->threads = columns->sites + room;
	columns->order = columns->threads + room;
	columns->site_counts = columns->order + room;
	columns->site_places = (uint16_t *)(columns->site_counts + room);
	columns->thread_places = columns->site_places + room;
	columns->starts = (bool *)(columns->thread_places + room);
	return true;
}

static uint16_t take_place(
	struct pack_entry *entry, uint32_t stamp, uint32_t *ids, size_t *count)
{
	if (entry->batch != stamp) {
		entry->batch = stamp;
		entry->place = (uint32_t)*count;
		entry->count = 0;
		ids[(*count)++] = entry->id;
	}
	entry->count++;
	return (uint16_t)entry->place;
}

static void take_places(struct work *work)
{
	struct pack_columns *columns = work->columns;
	uint16_t *places = columns->site_places;
	const struct pack_row *rows = work->rows;
	uint32_t stamp = work->batch->stamp;
	uint32_t count = work->index.count;
	uint32_t i;

	work->index.sites = columns->sites;
	work->index.threads = columns->threads;
	for (i = 0; i < count; i++)
		places[i] = take_place(
			pack_table_entry(&work->define->sites, rows[i].site),
			stamp, columns->sites, &work->index.site_count);
	places = columns->thread_places;
	work->index.thread_places = places;
	for (i = 0; i < count; i++)
		places[i] = take_place(pack_table_entry(&work->define->threads,
					       rows[i].thread),
			stamp, columns->threads, &work->index.thread_count);
}

static struct pack_entry *site_at(const struct work *work, size_t place)
{
	return pack_table_entry(&work->define->sites, work->index.sites[place]);
}

/* The rows of each site together; of each in their order. */
static void sort_rows(struct work *work)
{
	struct pack_columns *columns = work->columns;
	const uint16_t *places = columns->site_places;
	uint64_t *starts = columns->numbers;
	uint32_t *order = columns->order;
	uint32_t count = work->index.count;
	uint32_t start = 0;
	size_t i;

	for (i = 0; i < work->index.site_count; i++) {
		starts[i] = start;
		columns->site_counts[i] = site_at(work, i)->count;
		start += columns->site_counts[i];
	}
	for (i = 0; i < count; i++)
		order[starts[places[i]]++] = (uint32_t)i;
}

/* Another column begins. */
static void note_start(struct pack_columns *columns)
{
	struct starts *starts = &columns->begins;

	if (!array_reserve(starts->at, starts->room, starts->count + 1)) {
		starts->failed = true;
		return;
	}
	starts->at[starts->count++] = (uint32_t)columns->body.length;
}

static void put_numbers(struct work *work, size_t count)
{
	column_write_numbers(&work->columns->writer, &work->columns->body,
		work->columns->numbers, count);
}

static void put_grouped(struct work *work, enum choice choice)
{
	struct pack_columns *columns = work->columns;
	const struct column_write_groups groups = {
		.order = columns->order,
		.counts = columns->site_counts,
		.count = work->index.site_count,
	};

	column_write_grouped(&columns->writer, &columns->body, columns->numbers,
		work->index.count, &groups, &columns->choices[choice]);
}

/* A line is one moment, and often made of the same messages. */
static void put_sites(struct work *work)
{
	struct pack_columns *columns = work->columns;
	const struct pack_row *rows = work->rows;
	const uint16_t *places = columns->site_places;
	uint64_t *numbers = columns->numbers;
	bool *starts = columns->starts;
	uint32_t count = work->index.count;
	uint32_t i;

	numbers[0] = places[0];
	starts[0] = true;
	for (i = 1; i < count; i++) {
		numbers[i] = places[i];
		starts[i] = rows[i].ticks != rows[i - 1].ticks;
	}
	column_phrases_write(&columns->writer, &columns->body, numbers, count,
		starts, &columns->choices[SITES]);
}

/* Of what differs by chance so many low bits may be alike, whatever is done. */
static const unsigned splits[] = {4, 5, 6, 7, 8};

static void put_low_bits(struct render_buffer *out, const uint64_t *numbers,
	size_t count, unsigned bits)
{
	uint64_t some = 0;
	unsigned have = 0;
	size_t i;

	if (!render_buffer_reserve(out, count * bits / 8 + 1))
		return;
	for (i = 0; i < count; i++) {
		some |= (numbers[i] & (((uint64_t)1 << bits) - 1)) << have;
		for (have += bits; have >= 8; have -= 8, some >>= 8)
			out->data[out->length++] = (char)some;
	}
	if (have > 0)
		out->data[out->length++] = (char)some;
}

static bool put_split(
	struct work *work, struct render_buffer *out, unsigned bits)
{
	struct pack_columns *columns = work->columns;
	struct pack_choice grouped = {.other = true, .left = 1};
	const struct column_write_groups groups = {
		.order = columns->order,
		.counts = columns->site_counts,
		.count = work->index.site_count,
	};
	uint32_t i;

	if (!column_write_room((void **)&columns->high, &columns->high_room,
		    work->index.count, sizeof(*columns->high)))
		return false;
	for (i = 0; i < work->index.count; i++)
		columns->high[i] =
			(uint64_t)((int64_t)columns->numbers[i] >> bits);
	render_buffer_put_byte(out, (char)PACKED_SPLIT);
	column_shape_put_number(out, bits);
	column_write_grouped(&columns->writer, out, columns->high,
		work->index.count, &groups, &grouped);
	put_low_bits(out, columns->numbers, work->index.count, bits);
	return true;
}

static void put_ticks(struct work *work)
{
	struct pack_columns *columns = work->columns;
	struct render_buffer *out = &columns->body;
	struct pack_choice *choice = &columns->choices[SPLIT];
	size_t start = out->length;
	size_t i;

	if (pack_choice_settled(choice)) {
		if (columns->split == 0 ||
			!put_split(work, out, columns->split))
			put_grouped(work, TICKS);
		return;
	}
	columns->split = 0;
	put_grouped(work, TICKS);
	for (i = 0; i < sizeof(splits) / sizeof(*splits); i++) {
		columns->other.length = 0;
		if (put_split(work, &columns->other, splits[i]) &&
			column_write_keep_better(
				&columns->writer, out, start, &columns->other))
			columns->split = splits[i];
	}
	pack_choice_make(choice, columns->split != 0);
}

/* The columns that all messages have. */
static void put_common(struct work *work)
{
	uint64_t *numbers = work->columns->numbers;
	const uint16_t *threads = work->columns->thread_places;
	const struct pack_row *rows = work->rows;
	uint32_t count = work->index.count;
	uint32_t i;

	work->columns->begins.count = 0;
	note_start(work->columns);
	put_sites(work);
	for (i = 0; i < count; i++)
		numbers[i] = threads[i];
	note_start(work->columns);
	put_grouped(work, THREADS);
	numbers[0] = rows[0].ticks;
	for (i = 1; i < count; i++)
		numbers[i] = rows[i].ticks - rows[i - 1].ticks;
	note_start(work->columns);
	put_ticks(work);
	for (i = 0; i < count; i++)
		numbers[i] = rows[i].residual;
	note_start(work->columns);
	put_grouped(work, WALL);
	for (i = 0; i < count; i++)
		numbers[i] = rows[i].continues;
	note_start(work->columns);
	put_grouped(work, CONTINUES);
	work->columns->commons_end = work->columns->body.length;
}

static void put_strings(
	struct work *work, const uint32_t *order, size_t count, size_t argument)
{
	const struct pack_batch *batch = work->batch;
	/* Without any bytes the empty string is no null pointer. */
	const char *bytes = batch->bytes.data ? batch->bytes.data : "";
	struct string_value *strings = work->columns->strings;
	size_t i;

	for (i = 0; i < count; i++) {
		uint64_t value =
			batch->values[work->rows[order[i]].values + argument];

		if (value == PACK_COLUMNS_NULL)
			strings[i] = (struct string_value){0};
		else
			strings[i] = (struct string_value){
				bytes + (value >> 32), (uint32_t)value};
	}
	string_columns_write(&work->columns->string_writer,
		&work->columns->body, strings, count);
}

static void put_long_doubles(
	struct work *work, const uint32_t *order, size_t count, size_t argument)
{
	const struct pack_batch *batch = work->batch;
	size_t i;

	for (i = 0; i < count; i++)
		render_buffer_put(&work->columns->body,
			batch->bytes.data +
				(batch->values[work->rows[order[i]].values +
					       argument] >>
					32),
			16);
}

static void put_values(struct work *work, const uint32_t *order, size_t count,
	size_t argument, uint8_t kind)
{
	const struct pack_batch *batch = work->batch;
	size_t i;

	for (i = 0; i < count; i++)
		work->columns->numbers[i] =
			batch->values[work->rows[order[i]].values + argument];
	if (kind == BINLOG_ARG_F64)
		column_doubles_write(&work->columns->writer,
			&work->columns->body, work->columns->numbers, count);
	else
		put_numbers(work, count);
}

/*
 * Texts of all sites together.
 */

/* In place of the number of a column: one by itself. */
#define APART UINT32_MAX

static bool is_text(const struct work *work, size_t place, size_t argument)
{
	const struct pack_columns *columns = work->columns;

	return columns->together &&
	       columns->text_columns[columns->first_arguments[place] +
				     argument] != APART;
}

/* Which argument of which site is a text that is never null. */
static bool find_texts(struct work *work)
{
	struct pack_columns *columns = work->columns;
	const struct pack_batch *batch = work->batch;
	size_t arguments = 0;
	size_t i, k;

	if (!column_write_room((void **)&columns->first_arguments,
		    &columns->first_arguments_room, work->index.site_count,
		    sizeof(uint32_t)))
		return false;
	for (i = 0; i < work->index.site_count; i++) {
		const struct pack_site_content *site =
			pack_content(site_at(work, i));
		const uint8_t *kinds = (const uint8_t *)(site + 1);

		columns->first_arguments[i] = (uint32_t)arguments;
		if (!column_write_room((void **)&columns->text_columns,
			    &columns->text_columns_room,
			    arguments + site->arguments + 64, sizeof(uint32_t)))
			return false;
		for (k = 0; k < site->arguments; k++)
			columns->text_columns[arguments++] =
				kinds[k] == BINLOG_ARG_STRING ? 0 : APART;
	}
	for (i = 0; i < work->index.count; i++) {
		size_t place = columns->site_places[i];
		const struct pack_site_content *site =
			pack_content(site_at(work, place));
		uint32_t *of =
			columns->text_columns + columns->first_arguments[place];

		for (k = 0; k < site->arguments; k++)
			if (batch->values[work->rows[i].values + k] ==
				PACK_COLUMNS_NULL)
				of[k] = APART;
	}
	return arguments > 0;
}

/* Gives them their numbers; how many. */
static size_t number_texts(struct work *work)
{
	struct pack_columns *columns = work->columns;
	uint32_t *of = columns->text_columns;
	uint32_t count = 0;
	size_t i, k;

	for (i = 0; i < work->index.site_count; i++) {
		const struct pack_site_content *site =
			pack_content(site_at(work, i));

		for (k = 0; k < site->arguments; k++, of++)
			if (*of != APART)
				*of = count++;
	}
	return count;
}

/* In the order of the calls. */
static bool gather_texts(struct work *work)
{
	struct pack_columns *columns = work->columns;
	struct text_columns *texts = &columns->text_writer;
	const struct pack_batch *batch = work->batch;
	const char *bytes = batch->bytes.data ? batch->bytes.data : "";
	size_t count = 0;
	size_t i, k;

	for (i = 0; i < work->index.site_count; i++) {
		const struct pack_entry *entry = site_at(work, i);
		const struct pack_site_content *site = pack_content(entry);

		for (k = 0; k < site->arguments; k++)
			count += is_text(work, i, k) ? entry->count : 0;
	}
	if (!text_columns_reserve(texts, count))
		return false;
	texts->count = 0;
	for (i = 0; i < work->index.count; i++) {
		size_t place = columns->site_places[i];
		const struct pack_site_content *site =
			pack_content(site_at(work, place));
		const uint32_t *of =
			columns->text_columns + columns->first_arguments[place];

		for (k = 0; k < site->arguments; k++) {
			uint64_t value =
				batch->values[work->rows[i].values + k];

			if (of[k] == APART)
				continue;
			texts->texts[texts->count] = (struct string_value){
				bytes + (value >> 32), (uint32_t)value};
			texts->column_of[texts->count++] = of[k];
		}
	}
	return true;
}

static void put_site(struct work *work, const uint32_t *order, size_t place)
{
	const struct pack_entry *entry = site_at(work, place);
	const struct pack_site_content *site = pack_content(entry);
	const uint8_t *kinds = (const uint8_t *)(site + 1);
	size_t i;

	for (i = 0; i < site->arguments; i++) {
		note_start(work->columns);
		if (is_text(work, place, i)) {
			render_buffer_put_byte(&work->columns->body,
				(char)PACKED_STRINGS_TOGETHER);
			continue;
		}
		switch (kinds[i]) {
		case BINLOG_ARG_STRING:
		case BINLOG_ARG_WIDE:
			put_strings(work, order, entry->count, i);
			break;
		case BINLOG_ARG_LONG_DOUBLE:
			put_long_doubles(work, order, entry->count, i);
			break;
		default:
			put_values(work, order, entry->count, i, kinds[i]);
		}
	}
}

static void put_all_sites(struct work *work)
{
	const uint32_t *order = work->columns->order;
	size_t i;

	for (i = 0; i < work->index.site_count; i++) {
		put_site(work, order, i);
		order += site_at(work, i)->count;
	}
	work->columns->texts_start = work->columns->body.length;
}

/* The columns of all sites, the texts behind them.  False: it cannot be so. */
static bool put_together(struct work *work)
{
	struct pack_columns *columns = work->columns;
	size_t start = columns->body.length;
	size_t starts = columns->begins.count;
	size_t count;

	columns->together = true;
	count = find_texts(work) ? number_texts(work) : 0;
	if (count > 0 && gather_texts(work)) {
		put_all_sites(work);
		note_start(columns);
		if (text_columns_write(
			    &columns->text_writer, &columns->body, count)) {
			columns->together = false;
			return true;
		}
	}
	columns->together = false;
	columns->body.length = start;
	columns->begins.count = starts;
	return false;
}

static void exchange_starts(struct pack_columns *columns)
{
	const struct starts starts = columns->begins;

	columns->begins = columns->other_begins;
	columns->other_begins = starts;
}

/* In the way that is less; both are tried. */
static bool try_together(struct work *work)
{
	struct pack_columns *columns = work->columns;
	size_t start = columns->body.length;
	size_t starts = columns->begins.count;
	size_t texts_start, i;
	bool other;

	if (!put_together(work))
		return false;
	columns->other.length = 0;
	render_buffer_put(&columns->other, columns->body.data + start,
		columns->body.length - start);
	texts_start = columns->texts_start;
	exchange_starts(columns);
	columns->begins.count = 0;
	columns->body.length = 0;
	for (i = 0; i < starts; i++) {
		columns->body.length = columns->other_begins.at[i];
		note_start(columns);
	}
	columns->body.length = start;
	put_all_sites(work);
	other = column_write_keep_better(
		&columns->writer, &columns->body, start, &columns->other);
	if (other) {
		exchange_starts(columns);
		columns->texts_start = texts_start;
	}
	pack_choice_make(&columns->choices[TEXTS], other);
	return true;
}

static void put_body(struct work *work)
{
	struct pack_columns *columns = work->columns;
	struct pack_choice *choice = &columns->choices[TEXTS];

	columns->body.length = 0;
	sort_rows(work);
	put_common(work);
	if (pack_choice_settled(choice)) {
		if (!choice->other || !put_together(work))
			put_all_sites(work);
	} else if (!try_together(work)) {
		put_all_sites(work);
	}
}

/*
 * Behind a batch: of which pieces it consists, so that those can be read which
 * are whole when it is damaged.
 */

static void put_sum(struct render_buffer *out, const char *bytes, size_t size)
{
	const uint32_t sum =
		htole32((uint32_t)crc32(0, (const Bytef *)bytes, (uInt)size));

	render_buffer_put(out, &sum, sizeof(sum));
}

static void put_signed(struct render_buffer *out, uint64_t value)
{
	column_shape_put_number(
		out, value << 1 ^ (uint64_t)((int64_t)value >> 63));
}

/* Which strings are not behind all columns, if others are. */
static void put_apart(struct work *work, struct render_buffer *out)
{
	struct pack_columns *columns = work->columns;
	const bool texts = columns->texts_start < columns->body.length;
	size_t apart = 0, column = 0, told = 0;
	bool put;
	size_t i, k;

	for (put = false; texts; put = true) {
		if (put)
			column_shape_put_number(out, apart + 1);
		for (i = 0, column = 0; i < work->index.site_count; i++) {
			const struct pack_site_content *site =
				pack_content(site_at(work, i));
			const uint8_t *kinds = (const uint8_t *)(site + 1);
			const uint32_t *of = columns->text_columns +
					     columns->first_arguments[i];

			for (k = 0; k < site->arguments; k++, column++) {
				if (kinds[k] != BINLOG_ARG_STRING ||
					of[k] != APART)
					continue;
				apart++;
				if (!put)
					continue;
				column_shape_put_number(out, column - told);
				told = column;
			}
		}
		if (put)
			return;
	}
	column_shape_put_number(out, 0);
}

/* `frame` is the batch's, whose body begins at `body`. */
static void put_pieces(
	struct work *work, const char *frame, size_t size, size_t body)
{
	struct pack_columns *columns = work->columns;
	const struct compressed *packed = &columns->packed_body;
	const struct starts *starts = &columns->begins;
	struct render_buffer *out = &columns->told;
	const size_t end = body + packed->bytes.length;
	size_t raw = 0, column = 0, told = 0;
	size_t i;

	out->length = 0;
	column_shape_put_number(out, body);
	put_sum(out, frame, body);
	column_shape_put_number(out, size - end);
	if (end < size)
		put_sum(out, frame + end, size - end);
	for (i = 0; i < packed->count; i++) {
		const struct pack_piece *piece = &packed->pieces[i];

		column_shape_put_number(out, piece->size);
		column_shape_put_number(out, piece->raw);
		while (column < starts->count && starts->at[column] < raw)
			column++;
		raw += piece->raw;
		if (column < starts->count && starts->at[column] < raw) {
			column_shape_put_number(out, column + 1 - told);
			column_shape_put_number(
				out, starts->at[column] - (raw - piece->raw));
			told = column + 1;
		} else {
			column_shape_put_number(out, 0);
		}
		put_sum(out, frame + body, piece->size);
		body += piece->size;
	}
	put_apart(work, out);
}

static void put_ticks_of_marks(struct work *work)
{
	struct render_buffer *out = &work->columns->told;
	const uint32_t count = work->index.count;
	uint64_t before = 0;
	uint32_t i;

	out->length = 0;
	for (i = 0; i < count; i++) {
		if (i % PACKED_MARK_MESSAGES != PACKED_MARK_MESSAGES - 1 &&
			i + 1 != count)
			continue;
		put_signed(out, work->rows[i].ticks - before);
		before = work->rows[i].ticks;
	}
}

static void put_batch(struct work *work, uint64_t number)
{
	struct frame_write *frame = work->define->frame;
	struct pack_columns *columns = work->columns;
	const struct render_buffer *body = &columns->packed_body.bytes;
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	size_t start = frame->out.length;
	size_t behind;
	uint32_t i;

	for (i = 0; i < work->index.count; i++) {
		uint64_t wall = work->rows[i].wall;

		first = wall < first ? wall : first;
		last = wall > last ? wall : last;
	}
	frame_write_begin(frame, PACKED_BATCH);
	frame_write_some(frame, PACKED_BATCH_NUMBER, number);
	frame_write_uint(frame, PACKED_BATCH_COUNT, work->index.count);
	frame_write_some(frame, PACKED_BATCH_FIRST, first);
	frame_write_some(frame, PACKED_BATCH_LAST, last);
	frame_write_uint(frame, PACKED_BATCH_COMPRESSION, PACKED_ZSTD);
	frame_write_uint(
		frame, PACKED_BATCH_INDEX_BYTES, columns->index.length);
	frame_write_binary(frame, PACKED_BATCH_INDEX,
		columns->packed_index.data, columns->packed_index.length);
	frame_write_uint(frame, PACKED_BATCH_BODY_BYTES, columns->body.length);
	frame_write_binary(frame, PACKED_BATCH_BODY, body->data, body->length);
	behind = frame->fields.length;
	frame_write_end(frame);
	behind = frame->fields.length - behind;
	if (frame->out.failed || columns->begins.failed ||
		frame->out.length - start < PACKED_PIECES_LEAST)
		return;
	put_pieces(work, frame->out.data + start, frame->out.length - start,
		frame->out.length - start - behind - body->length);
	start = frame->out.length - start;
	frame_write_begin(frame, PACKED_PIECES);
	frame_write_some(frame, PACKED_PIECES_NUMBER, number);
	frame_write_uint(frame, PACKED_PIECES_COUNT, work->index.count);
	frame_write_some(frame, PACKED_PIECES_FIRST, first);
	frame_write_some(frame, PACKED_PIECES_SPAN, last - first);
	frame_write_uint(frame, PACKED_PIECES_BYTES, start);
	frame_write_binary(frame, PACKED_PIECES_SUMS, columns->told.data,
		columns->told.length);
	put_ticks_of_marks(work);
	frame_write_binary(frame, PACKED_PIECES_TICKS, columns->told.data,
		columns->told.length);
	frame_write_end(frame);
	if (columns->told.failed)
		frame->out.failed = true;
}

/*
 * Appends a BATCH frame of rows[first..first + count), to which `stamp` of the
 * batch belongs alone.  False: its body or index would be too large, or
 * memory was out, and then `failed` of the batch says so.
 */
static bool pack_columns_write(struct pack_columns *columns,
	struct pack_batch *batch, struct pack_define *define, uint32_t first,
	uint32_t count, uint64_t number)
{
	struct work work = {
		.columns = columns,
		.batch = batch,
		.define = define,
		.rows = batch->rows + first,
		.index = {.first = first, .count = count},
	};

	if (!reserve(columns, count)) {
		batch->failed = true;
		return false;
	}
	take_places(&work);
	columns->index.length = 0;
	pack_index_put(&columns->index, &work.index, batch, define,
		(uint16_t *)columns->numbers);
	put_body(&work);
	batch->failed |= columns->index.failed || columns->body.failed;
	if (batch->failed || columns->index.length > PACKED_INDEX_MAX ||
		columns->body.length > PACKED_BODY_MAX)
		return false;
	if (!pack_compress_index(columns->compress, &columns->packed_index,
		    &columns->index, batch->level) ||
		!pack_compress_body(columns->compress, &columns->packed_body,
			&columns->body, batch->level,
			&(const struct parts){
				columns->commons_end, columns->texts_start})) {
		batch->failed = true;
		return false;
	}
	put_batch(&work, number);
	return true;
}

/* Null is fine. */
static void pack_columns_free(struct pack_columns *columns)
{
	if (!columns)
		return;
	pack_compress_free(columns->compress);
	free(columns->strings);
	string_columns_free(&columns->string_writer);
	text_columns_free(&columns->text_writer);
	free(columns->text_columns);
	free(columns->first_arguments);
	free(columns->high);
	render_buffer_free(&columns->other);
	column_write_free(&columns->writer);
	render_buffer_free(&columns->body);
	render_buffer_free(&columns->index);
	free_compressed(&columns->packed_body);
	free(columns->begins.at);
	free(columns->other_begins.at);
	render_buffer_free(&columns->told);
	render_buffer_free(&columns->packed_index);
	free(columns);
}

#define MESSAGE_BYTES 4u /* in the body, about, without arguments */
/* Bytes of a batch as it is collected, until it is known what they become; and
 * at most, if that is little. */
#define ESTIMATE_FIRST ((size_t)1 << 20)
#define ESTIMATE_MAX ((size_t)6 << 20)
/* What they should become. */
#define BODY_WANTED ((size_t)640 << 10)
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
	*batch = (struct pack_batch){
		.stamp = 1, .level = level, .most = ESTIMATE_FIRST};
	batch->columns = pack_columns_new();
	return batch->columns && more_rows(batch);
}

bool pack_batch_full(struct pack_batch *batch)
{
	if (__builtin_expect(batch->count < batch->rows_full, 1))
		return batch->estimate >= batch->most;
	return !more_rows(batch);
}

bool pack_batch_over(const struct pack_batch *batch)
{
	return batch->count == PACKED_MESSAGES_MAX ||
	       batch->estimate >= batch->most + ESTIMATE_FIRST || batch->failed;
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
	size_t room = PACK_BATCH_STRINGS_MAX;
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
	if (!array_reserve(
		    batch->clocks, batch->clock_room, batch->clock_count + 1)) {
		batch->failed = true;
		return;
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
	row->core = message->core <= UINT16_MAX ? (uint16_t)message->core : 0;
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

/* The next one will be like it. */
static void learn(struct pack_batch *batch)
{
	size_t body = batch->columns->body.length;
	size_t most = ESTIMATE_FIRST;

	if (batch->estimate < ESTIMATE_FIRST / 4)
		return;
	if (body < BODY_WANTED)
		most = body > 0 ? (size_t)((uint64_t)batch->estimate *
					   BODY_WANTED / body)
				: ESTIMATE_MAX;
	batch->most = most < ESTIMATE_FIRST ? ESTIMATE_FIRST
		      : most > ESTIMATE_MAX ? ESTIMATE_MAX
					    : most;
}

bool pack_batch_write(
	struct pack_batch *batch, struct pack_define *define, uint64_t number)
{
	bool done =
		batch->count == 0 ||
		(!batch->failed && !batch->bytes.failed &&
			write_range(batch, define, 0, batch->count, number));

	learn(batch);
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
