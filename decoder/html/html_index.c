#include "decoder/html/html_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/literal.h"
#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/html/html_page.h"
#include "decoder/message/category.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "decoder/names/locations.h"
#include "record/hash.h"
#include "rules/levels.h"

/*
 * The lines of a report on their way into it: in columns, so many at a time as
 * a browser unpacks in a moment.  Used by style_html.c.  A chunk has three
 * parts, which the page reads as html/data.js says: who, when and where; what
 * was said; the arguments.
 */

#define ROWS 4096u
#define CHUNK_BYTES ((size_t)1 << 20) /* of texts and values, about */

/* What stands before a value; html/data.js has the same. */
enum value_tag {
	VALUE_UNKNOWN,
	VALUE_INTEGER,
	VALUE_UNSIGNED,
	VALUE_FLOAT,
	VALUE_TEXT,
	VALUE_CUT, /* a text that goes on */
};

struct html_rows {
	struct html_page *page;
	uint32_t count; /* in this chunk */
	uint64_t done;	/* in those before */
	uint64_t wall;	/* of the row before it, or 0 */
	struct render_buffer walls;
	struct render_buffer threads;
	struct render_buffer shapes;
	struct render_buffer lengths;
	struct render_buffer texts;
	struct render_buffer values;
	struct render_buffer scratch;
};

struct html_rows *html_rows_new(struct html_page *page)
{
	struct html_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->page = page;
	return rows;
}

void html_rows_put_number(struct render_buffer *out, uint64_t number)
{
	for (; number > 127; number >>= 7)
		render_buffer_put_byte(out, (char)(number | 128));
	render_buffer_put_byte(out, (char)number);
}

void html_rows_put_signed(struct render_buffer *out, uint64_t number)
{
	html_rows_put_number(
		out, number << 1 ^ (number >> 63 ? UINT64_MAX : 0));
}

static void put_sized(
	struct render_buffer *out, const struct render_buffer *from)
{
	html_rows_put_number(out, from->length);
	render_buffer_put(out, from->data, from->length);
	out->failed = out->failed || from->failed;
}

static void empty(struct html_rows *rows)
{
	rows->done += rows->count;
	rows->count = 0;
	rows->walls.length = rows->threads.length = rows->shapes.length = 0;
	rows->lengths.length = rows->texts.length = rows->values.length = 0;
	rows->wall = 0;
}

static void put_chunk(struct html_rows *rows)
{
	struct render_buffer parts[3] = {{0}};
	size_t i;

	html_rows_put_number(&parts[0], rows->count);
	put_sized(&parts[0], &rows->walls);
	put_sized(&parts[0], &rows->threads);
	put_sized(&parts[0], &rows->shapes);
	put_sized(&parts[1], &rows->lengths);
	put_sized(&parts[1], &rows->texts);
	put_sized(&parts[2], &rows->values);
	html_page_put_chunk(rows->page, "lines", parts, 3);
	for (i = 0; i < 3; i++)
		render_buffer_free(&parts[i]);
	empty(rows);
}

/* From there on, in units of 16 bits, as JavaScript counts. */
static size_t units_from(const struct render_buffer *text, size_t start)
{
	size_t units = 0;
	size_t i;

	for (i = start; i < text->length; i++) {
		units += ((unsigned char)text->data[i] & 0xc0) != 0x80;
		units += (unsigned char)text->data[i] >= 0xf0;
	}
	return units;
}

void html_rows_put(struct html_rows *rows, const struct html_row *row)
{
	size_t start = rows->texts.length;

	html_rows_put_signed(&rows->walls, row->wall - rows->wall);
	rows->wall = row->wall;
	html_rows_put_number(&rows->threads, row->thread);
	html_rows_put_number(&rows->shapes, row->shape);
	escape_put(&rows->texts, row->text, row->bytes, 0);
	html_rows_put_number(&rows->lengths, units_from(&rows->texts, start));
	html_rows_put_number(&rows->values, row->value_count);
	render_buffer_put(&rows->values, row->values, row->value_bytes);
	rows->count++;
	if (rows->count == ROWS ||
		rows->texts.length + rows->values.length >= CHUNK_BYTES)
		put_chunk(rows);
}

static void put_text(struct html_rows *rows, struct render_buffer *out,
	const struct field_value *value)
{
	bool cut = limits_exceeded(LIMIT_HTML_VALUE, value->bytes);

	rows->scratch.length = 0;
	escape_put(&rows->scratch, value->text,
		cut ? limits_size(LIMIT_HTML_VALUE) : value->bytes, 0);
	render_buffer_put_byte(out, cut ? VALUE_CUT : VALUE_TEXT);
	put_sized(out, &rows->scratch);
}

static void put_value(struct html_rows *rows, const struct field *field,
	const struct field_value *value, struct render_buffer *out)
{
	if (!value->known) {
		render_buffer_put_byte(out, VALUE_UNKNOWN);
		return;
	}
	switch (field->type) {
	case FIELD_INTEGER:
		render_buffer_put_byte(out, VALUE_INTEGER);
		html_rows_put_signed(out, value->u64);
		break;
	case FIELD_UNSIGNED:
	case FIELD_CHARACTER:
	case FIELD_POINTER:
		render_buffer_put_byte(out, VALUE_UNSIGNED);
		html_rows_put_number(out, value->u64);
		break;
	case FIELD_FLOAT:
		render_buffer_put_byte(out, VALUE_FLOAT);
		render_buffer_put(out, &value->f64, sizeof(value->f64));
		break;
	case FIELD_TEXT:
		put_text(rows, out, value);
		break;
	}
}

uint32_t html_rows_put_values(struct html_rows *rows,
	const struct message *message, struct render_buffer *out)
{
	const struct fields *fields = fields_of(message);
	struct render_buffer wide = {0};
	size_t start = out->length;
	size_t i;

	for (i = 0; i < fields->count; i++) {
		struct field_value value =
			field_value(&fields->all[i], message, &wide);

		if (limits_exceeded(LIMIT_HTML_VALUES, out->length - start))
			value.known = false;
		put_value(rows, &fields->all[i], &value, out);
	}
	render_buffer_free(&wide);
	return (uint32_t)fields->count;
}

uint64_t html_rows_end(struct html_rows *rows)
{
	uint64_t done;

	if (rows->count > 0)
		put_chunk(rows);
	done = rows->done;
	render_buffer_free(&rows->walls);
	render_buffer_free(&rows->threads);
	render_buffer_free(&rows->shapes);
	render_buffer_free(&rows->lengths);
	render_buffer_free(&rows->texts);
	render_buffer_free(&rows->values);
	render_buffer_free(&rows->scratch);
	free(rows);
	return done;
}

/*
 * Small numbers for byte strings, in the order in which they were first seen:
 * what many messages share stands in a report once.  Used by the parts of a
 * report.  Promises a bounded number of entries; all memory is its own.
 */

/* What has the same hash is looked at one by one: so many at most. */
#define COLLISIONS_MAX 16u

struct html_interned {
	uint32_t number;
	size_t size;
	const void *bytes;
	struct html_interned *collides; /* or null */
};

static uint32_t hash_of(const void *bytes, size_t size)
{
	uint64_t hash = binlog_hash(bytes, size);

	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t intern_enter(struct html_intern *intern, const void *bytes,
	size_t size, uint32_t hash, struct html_interned *before)
{
	struct html_interned *made = pool_take(&intern->pool, sizeof(*made));

	if (!made) {
		intern->failed = true;
		return HTML_INTERN_NONE;
	}
	made->number = intern->count;
	made->size = size;
	made->bytes = pool_copy(&intern->pool, bytes, size);
	made->collides = before;
	if (!made->bytes || !id_map_set(&intern->map, hash, made)) {
		intern->failed = true;
		return HTML_INTERN_NONE;
	}
	return intern->count++;
}

/* The number of these bytes, a new one if need be; *new says which. */
static uint32_t html_intern_add(
	struct html_intern *intern, const void *bytes, size_t size, bool *new)
{
	uint32_t hash = hash_of(bytes, size);
	struct html_interned *first = id_map_find(&intern->map, hash);
	struct html_interned *found = first;
	unsigned tried = 0;

	*new = false;
	while (found && (found->size != size ||
				memcmp(found->bytes, bytes, size) != 0)) {
		found = found->collides;
		if (++tried == COLLISIONS_MAX) {
			limits_note(intern->limit);
			return HTML_INTERN_NONE;
		}
	}
	if (found)
		return found->number;
	if (limits_reached(intern->limit, intern->count))
		return HTML_INTERN_NONE;
	*new = true;
	return intern_enter(intern, bytes, size, hash, first);
}

/* Forgets all; it is empty and usable again. */
static void html_intern_free(struct html_intern *intern)
{
	id_map_free(&intern->map);
	pool_free(&intern->pool);
	*intern = (struct html_intern){.limit = intern->limit};
}

/*
 * Stacks of a report as one tree: each frame once below each of its callers,
 * so a browser can draw from it how much was said through whom.  Used by
 * html_index.c; promises a bounded tree.
 */

/* All zeros but for the first three is an empty tree. */
struct html_stack {
	struct html_intern frames;
	struct locations *locations; /* null: there are no stacks */
	size_t depth;		     /* at most so many frames */
	struct render_buffer json;  /* [parent,function,place,handed], from 1 */
	struct render_buffer names; /* of the stack that is looked at */
	struct render_buffer ends;  /* likewise: of each frame in it */
};

/* Where a frame's two names end in `names`. */
struct ends {
	size_t function;
	size_t location;
	bool handed; /* the text went through it */
};

static void put(struct render_buffer *out, const char *string)
{
	render_buffer_put(
		out, string, limits_cut(LIMIT_HTML_TEXT, strlen(string)));
}

static void put_hexadecimal(struct render_buffer *out, uint64_t number)
{
	static const char digits[] = "0123456789abcdef";
	int shift = 60;

	put(out, "0x");
	while (shift > 0 && number >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		render_buffer_put_byte(out, digits[number >> shift & 15]);
}

static void put_function(
	struct render_buffer *out, const struct location *location)
{
	if (location->function) {
		put(out, location->function);
		if (location->inlined)
			put(out, " (inlined)");
		return;
	}
	if (location->module) {
		put(out, location->module);
		put(out, "+");
	}
	put_hexadecimal(out, location->address);
}

static void put_where(
	struct render_buffer *out, const struct location *location)
{
	char line[DIGITS_U64_MAX];

	if (location->file) {
		put(out, location->file);
		put(out, ":");
		render_buffer_put(out, line,
			(size_t)(digits_write(line, location->line) - line));
	} else if (location->module) {
		put(out, location->module);
	}
}

static bool take_frame(void *closure, const struct location *location)
{
	struct html_stack *stack = closure;
	struct ends ends = {.handed = location->handed};

	if (location->beside)
		return true;
	if (stack->ends.length / sizeof(ends) >= stack->depth)
		return false;
	put_function(&stack->names, location);
	ends.function = stack->names.length;
	put_where(&stack->names, location);
	ends.location = stack->names.length;
	render_buffer_put(&stack->ends, &ends, sizeof(ends));
	return true;
}

static void describe(struct html_stack *stack, uint32_t parent,
	const char *function, const struct ends *ends, size_t start)
{
	struct render_buffer *json = &stack->json;

	html_json_put_plain(json, json->length > 0 ? ",\n[" : "[");
	html_json_put_number(json, parent);
	html_json_put_plain(json, ",");
	html_json_put_text(json, function, ends->function - start);
	html_json_put_plain(json, ",");
	html_json_put_text(json, function + (ends->function - start),
		ends->location - ends->function);
	html_json_put_plain(json, ends->handed ? ",1]" : ",0]");
}

/* The frame that has these names below `parent`. */
static uint32_t stack_enter(struct html_stack *stack, struct render_buffer *key,
	uint32_t parent, const struct ends *ends, size_t start)
{
	const char *names = render_buffer_from(&stack->names, start);
	uint32_t split = (uint32_t)(ends->function - start);
	uint32_t number;
	bool new;

	key->length = 0;
	render_buffer_put(key, &parent, sizeof(parent));
	render_buffer_put(key, &split, sizeof(split));
	render_buffer_put_byte(key, ends->handed);
	render_buffer_put(key, names, ends->location - start);
	if (key->failed)
		return HTML_INTERN_NONE;
	number = html_intern_add(&stack->frames, key->data, key->length, &new);
	if (new &&number != HTML_INTERN_NONE)
		describe(stack, parent, names, ends, start);
	return number;
}

/* The innermost frame of the message's stack; 0: none, or not known. */
static uint32_t html_stack_of(
	struct html_stack *stack, const struct message *message)
{
	struct render_buffer key = {0};
	uint32_t parent = 0;
	size_t count;

	if (!stack->locations)
		return 0;
	stack->names.length = stack->ends.length = 0;
	frames_each(stack->locations, message, take_frame, stack);
	if (stack->names.failed || stack->ends.failed)
		return 0;
	for (count = stack->ends.length / sizeof(struct ends); count > 0;
		count--) {
		struct ends ends[2] = {0};
		size_t first = count > 1 ? count - 2 : 0;
		size_t pair = count > 1 ? 2 : 1;
		uint32_t number;

		memcpy(ends + (2 - pair),
			stack->ends.data + first * sizeof(*ends),
			pair * sizeof(*ends));
		number = stack_enter(
			stack, &key, parent, &ends[1], ends[0].location);
		if (number == HTML_INTERN_NONE)
			break;
		parent = number + 1;
	}
	render_buffer_free(&key);
	return parent;
}

static void html_stack_free(struct html_stack *stack)
{
	html_intern_free(&stack->frames);
	render_buffer_free(&stack->json);
	render_buffer_free(&stack->names);
	render_buffer_free(&stack->ends);
}

/*
 * What a report knows of a call site: what is called there, with which format,
 * where that is, and its arguments.  Used by html_index.c, once for each.
 */

static void put_location(void *closure, const struct location *location)
{
	struct render_buffer words = {0};
	struct render_buffer *json = closure;

	if (!location->file || location->line == 0) {
		html_json_put_plain(json, "null");
		return;
	}
	render_buffer_put(&words, location->file, strlen(location->file));
	render_buffer_put_byte(&words, ':');
	html_json_put_number(&words, location->line);
	html_json_put_text(json, words.data, words.length);
	render_buffer_free(&words);
}

/* Of a call: the format as in its source, without the quotes around it. */
static void put_format(
	struct render_buffer *json, const struct message *message)
{
	const struct definition_string *format =
		message_is_event(message) ? NULL : message_statement(message);
	struct render_buffer words = {0};

	if (format)
		literal_put(&words, format->bytes,
			limits_cut(LIMIT_HTML_TEXT, format->length));
	if (words.length >= 2)
		html_json_put_text(json, words.data + 1, words.length - 2);
	else
		html_json_put_plain(json, "null");
	render_buffer_free(&words);
}

static void put_fields(
	struct render_buffer *json, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	html_json_put_plain(json, ",[");
	for (i = 0; i < fields->count; i++) {
		html_json_put_plain(json, i > 0 ? "," : "");
		html_json_put_string(json, fields->all[i].name);
	}
	html_json_put_plain(json, "],[");
	for (i = 0; i < fields->count; i++) {
		html_json_put_plain(json, i > 0 ? "," : "");
		html_json_put_number(json, fields->all[i].type);
	}
	html_json_put_plain(json, "]");
}

static void put_module(
	struct render_buffer *json, const struct message *message)
{
	const char *module = category_module(message);

	html_json_put_plain(json, ",");
	html_json_put_string(json, module);
	html_json_put_plain(json, ",");
	if (module && category_offset(message) < UINT64_C(1) << 53)
		html_json_put_number(json, category_offset(message));
	else
		html_json_put_plain(json, "null");
}

/*
 * Appends, as a JSON array: function, format, module, offset in it, location,
 * `frame`, names of the arguments, and their types (enum field_type); null is
 * what is not known.  Without places, which may be null, no location is.
 */
static void html_site_put(const struct message *message,
	struct locations *locations, uint32_t frame, struct render_buffer *json)
{
	const struct definition_string *function = message->context->function;

	html_json_put_plain(json, "[");
	html_json_put_string(json, function ? function->bytes : NULL);
	html_json_put_plain(json, ",");
	put_format(json, message);
	put_module(json, message);
	html_json_put_plain(json, ",");
	if (locations && message->context->depth > 0)
		frames_author(locations, message, put_location, json);
	else
		html_json_put_plain(json, "null");
	html_json_put_plain(json, ",");
	html_json_put_number(json, frame);
	put_fields(json, message);
	html_json_put_plain(json, "]");
}

#define THREAD_NAME_BYTES 32
#define FORMAT_KEPT 1024u /* bytes; the rest of a key is its hash */

/* Entries that look alike are one; `json` has them in order, with commas. */
struct list {
	struct html_intern known;
	struct render_buffer json;
};

struct thread {
	uint32_t program;
	uint32_t tid;
	char name[THREAD_NAME_BYTES];
};

/* What the bytes of `calls` stand for: see put_call(). */
struct call {
	uint32_t site;
	uint32_t stream;
};

struct html_index {
	struct style_settings settings;
	struct html_intern threads_known;
	struct render_buffer threads; /* struct thread, by number - 1 */
	struct html_intern programs_known;
	struct render_buffer programs;
	struct list streams;
	struct list sites;
	struct list shapes;
	struct html_intern calls_known;
	struct render_buffer calls; /* struct call, by number */
	struct html_stack stack;
	struct render_buffer key; /* these three for a moment */
	struct render_buffer text;
	struct render_buffer words;
};

static void add_plain(struct list *list, const char *json)
{
	bool new;

	html_intern_add(&list->known, json, strlen(json), &new);
	html_json_put_plain(&list->json, json);
}

struct html_index *html_index_new(const struct style_settings *settings)
{
	struct html_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->settings = *settings;
	index->threads_known.limit = index->programs_known.limit =
		index->streams.known.limit = index->sites.known.limit =
			index->shapes.known.limit = index->calls_known.limit =
				LIMIT_HTML_NUMBERS;
	index->stack.frames.limit = LIMIT_HTML_FRAMES;
	index->stack.locations = settings->stack ? settings->locations : NULL;
	index->stack.depth = settings->options->depth;
	add_plain(&index->streams, "\"other streams\"");
	add_plain(&index->streams, ",\"end\""); /* HTML_INDEX_STREAM_END */
	add_plain(&index->sites,
		"[\"\",\"other places\",null,null,null,0,[],[]]");
	add_plain(&index->shapes, "[0,6,0]");
	return index;
}

static void free_list(struct list *list)
{
	html_intern_free(&list->known);
	render_buffer_free(&list->json);
}

void html_index_free(struct html_index *index)
{
	if (!index)
		return;
	html_intern_free(&index->threads_known);
	html_intern_free(&index->programs_known);
	html_intern_free(&index->calls_known);
	free_list(&index->streams);
	free_list(&index->sites);
	free_list(&index->shapes);
	html_stack_free(&index->stack);
	render_buffer_free(&index->programs);
	render_buffer_free(&index->key);
	render_buffer_free(&index->text);
	render_buffer_free(&index->words);
	render_buffer_free(&index->threads);
	render_buffer_free(&index->calls);
	free(index);
}

/* The number of what stands in `text`. */
static uint32_t enter(struct html_index *index, struct list *list)
{
	const struct render_buffer *text = &index->text;
	uint32_t number;
	bool new;

	if (text->failed)
		return 0;
	number = html_intern_add(&list->known, text->data, text->length, &new);
	if (number == HTML_INTERN_NONE)
		return 0;
	if (new) {
		render_buffer_put(&list->json, ",\n", 2);
		render_buffer_put(&list->json, text->data, text->length);
	}
	return number;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_program(struct render_buffer *json,
	const struct program *program, const struct recording *capture)
{
	html_json_put_plain(json, json->length > 0 ? ",\n[" : "[");
	html_json_put_string(json, program->name);
	html_json_put_plain(json, ",");
	html_json_put_number(json, program->pid);
	html_json_put_plain(json, ",");
	html_json_put_number(json, program->ppid);
	html_json_put_plain(json, ",");
	html_json_put_string(json, program->executable);
	html_json_put_plain(json, ",");
	html_json_put_string(json, capture ? last_part(capture->path) : NULL);
	html_json_put_plain(json, "]");
}

/* From 1 on; 0: of the others. */
static uint32_t number_program(struct html_index *index,
	const struct program *program, const struct recording *capture)
{
	uint32_t number;
	bool new;

	number = html_intern_add(
		&index->programs_known, &program, sizeof(program), &new);
	if (number == HTML_INTERN_NONE)
		return 0;
	if (new)
		put_program(&index->programs, program, capture);
	return number + 1;
}

/* Fewer than are known when memory was out. */
static uint32_t thread_count(const struct html_index *index)
{
	return (uint32_t)(index->threads.length / sizeof(struct thread));
}

static struct thread *thread_at(const struct html_index *index, uint32_t number)
{
	return (struct thread *)(void *)index->threads.data + number - 1;
}

static uint32_t number_thread(
	struct html_index *index, uint32_t program, uint32_t tid)
{
	const struct thread thread = {.program = program, .tid = tid};
	const uint32_t key[] = {program, tid};
	uint32_t number;
	bool new;

	number = html_intern_add(&index->threads_known, key, sizeof(key), &new);
	if (number == HTML_INTERN_NONE)
		return 0;
	if (new)
		render_buffer_put(&index->threads, &thread, sizeof(thread));
	return number < thread_count(index) ? number + 1 : 0;
}

uint32_t html_index_thread(
	struct html_index *index, const struct message *message)
{
	uint32_t number = number_thread(index,
		number_program(index, message->program, message->capture),
		message->tid);

	if (number > 0 && message->thread[0] != '\0')
		snprintf(thread_at(index, number)->name, THREAD_NAME_BYTES,
			"%s", message->thread);
	return number;
}

uint32_t html_index_thread_of(
	struct html_index *index, const struct program *program, uint32_t tid)
{
	return number_thread(index, number_program(index, program, NULL), tid);
}

static void put_string_key(
	struct render_buffer *key, const struct definition_string *string)
{
	size_t length = string && string->bytes ? string->length : 0;
	uint64_t hash = length > 0 ? binlog_hash(string->bytes, length) : 0;

	render_buffer_put(key, &length, sizeof(length));
	render_buffer_put(key, &hash, sizeof(hash));
	if (length > 0)
		render_buffer_put(key, string->bytes,
			length < FORMAT_KEPT ? length : FORMAT_KEPT);
}

/* All that tells one site of one process from others, and their streams. */
static void put_call(struct html_index *index, const struct message *message)
{
	const struct definition_context *context = message->context;
	const struct definition_stream *stream = context->stream;
	struct render_buffer *key = &index->key;
	const struct {
		const struct recording *capture;
		const struct program *program;
		uint64_t device;
		uint64_t inode;
		uint32_t flags;
		int32_t fd;
		uint32_t text;
		uint32_t modules;
	} who = {
		.capture = message->capture,
		.program = message->program,
		.device = stream ? stream->device : 0,
		.inode = stream ? stream->inode : 0,
		.flags = message_stream(message),
		.fd = stream ? stream->fd : -1,
		.text = context->text,
		.modules = (uint32_t)context->modules,
	};

	key->length = 0;
	render_buffer_put(key, &who, sizeof(who));
	put_string_key(key, context->function);
	put_string_key(key, context->format);
	render_buffer_put(key, context->frames,
		context->depth * sizeof(context->frames[0]));
}

static uint32_t describe_site(
	struct html_index *index, const struct message *message)
{
	index->text.length = 0;
	html_site_put(message, index->settings.locations,
		html_stack_of(&index->stack, message), &index->text);
	return enter(index, &index->sites);
}

static uint32_t describe_stream(
	struct html_index *index, const struct message *message)
{
	index->words.length = index->text.length = 0;
	message_words_stream(message, &index->words);
	html_json_put_text(
		&index->text, index->words.data, index->words.length);
	return enter(index, &index->streams);
}

void html_index_site(struct html_index *index, const struct message *message,
	uint32_t *site, uint32_t *stream)
{
	struct html_intern *known = &index->calls_known;
	struct call call;
	uint32_t number;
	bool new;

	put_call(index, message);
	*site = *stream = 0;
	if (index->key.failed)
		return;
	if (known->count == LIMITS_HTML_NUMBERS) {
		html_intern_free(known);
		index->calls.length = 0;
	}
	number = html_intern_add(
		known, index->key.data, index->key.length, &new);
	if (number == HTML_INTERN_NONE)
		return;
	if (new) {
		call.site = describe_site(index, message);
		call.stream = describe_stream(index, message);
		render_buffer_put(&index->calls, &call, sizeof(call));
	}
	if (number >= index->calls.length / sizeof(call))
		return; /* memory was out */
	memcpy(&call, index->calls.data + number * sizeof(call), sizeof(call));
	*site = call.site;
	*stream = call.stream;
}

/* A site, or ~site of one that HTML_INDEX_AGAIN stands beside. */
static void put_site_number(struct render_buffer *text, uint32_t site)
{
	if (site & HTML_INDEX_AGAIN) {
		html_json_put_plain(text, "-");
		site = (site & ~HTML_INDEX_AGAIN) + 1;
	}
	html_json_put_number(text, site);
}

static void put_shape(
	struct render_buffer *text, const struct html_index_shape *shape)
{
	uint32_t i;

	text->length = 0;
	html_json_put_plain(text, "[");
	html_json_put_number(text, shape->stream);
	html_json_put_plain(text, ",");
	html_json_put_number(text, (uint64_t)shape->level);
	for (i = 0; i < shape->count; i++) {
		html_json_put_plain(text, ",");
		put_site_number(text, shape->sites[i]);
	}
	html_json_put_plain(text, "]");
}

/* Where many are known, those of fewer sites have to do. */
uint32_t html_index_shape(
	struct html_index *index, const struct html_index_shape *shape)
{
	uint32_t known = index->shapes.known.count;
	struct html_index_shape less = *shape;

	if (less.count > 1 && known > LIMITS_HTML_NUMBERS / 2)
		less.count = 1;
	if (less.count > 0 && known > LIMITS_HTML_NUMBERS / 4 * 3)
		less.count = 0;
	if (less.count < shape->count)
		limits_note(LIMIT_HTML_NUMBERS);
	put_shape(&index->text, &less);
	return enter(index, &index->shapes);
}

static void put_levels(struct render_buffer *out)
{
	int level;

	html_json_put_plain(out, "\"levels\":[");
	for (level = 0; level <= LEVEL_LAST; level++) {
		html_json_put_plain(out, level > 0 ? "," : "");
		html_json_put_string(out, level_name(level));
	}
	html_json_put_plain(out, "]");
}

static void put_threads(
	const struct html_index *index, struct render_buffer *out)
{
	uint32_t i;

	html_json_put_plain(out, ",\n\"threads\":[[0,0,\"other threads\"]");
	for (i = 1; i <= thread_count(index); i++) {
		const struct thread *thread = thread_at(index, i);

		html_json_put_plain(out, ",[");
		html_json_put_number(out, thread->program);
		html_json_put_plain(out, ",");
		html_json_put_number(out, thread->tid);
		html_json_put_plain(out, ",");
		html_json_put_string(out, thread->name);
		html_json_put_plain(out, "]");
	}
	out->failed = out->failed || index->threads.failed;
	html_json_put_plain(out, "]");
}

static void put_list(struct render_buffer *out, const char *name,
	const char *first, const struct render_buffer *json)
{
	html_json_put_plain(out, ",\n\"");
	html_json_put_plain(out, name);
	html_json_put_plain(out, "\":[");
	html_json_put_plain(out, first);
	if (*first && json->length > 0)
		html_json_put_plain(out, ",\n");
	render_buffer_put(out, json->data, json->length);
	out->failed = out->failed || json->failed;
	html_json_put_plain(out, "]");
}

void html_index_put(const struct html_index *index, struct render_buffer *out)
{
	put_levels(out);
	put_list(out, "programs", "[\"others\",0,0,null,null]",
		&index->programs);
	put_threads(index, out);
	put_list(out, "streams", "", &index->streams.json);
	put_list(out, "sites", "", &index->sites.json);
	put_list(out, "shapes", "", &index->shapes.json);
	put_list(out, "frames", "[0,\"\",\"\",0]", &index->stack.json);
}
