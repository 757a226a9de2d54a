#include "decoder/capture/definition.h"

#include <ctype.h>
#include <stdalign.h>
#include <string.h>

#include "base/seeded_hash.h"
#include "record/hash.h"
#include "record/layout.h"

/*
 * Threads that do the same define the same, so a capture of very many has each
 * format, path and stack once.  What comes after so many others is hardly that:
 * each writer has its own.
 */
#define COMMON_MOST 1024u

struct common_bytes {
	size_t size;
	alignas(uint64_t) char bytes[]; /* a NUL follows them */
};

/* Null: these are no common bytes, nor will they be. */
static const char *common_copy(
	struct definition_table *table, const void *bytes, size_t size)
{
	struct program_table *programs = table->programs;
	struct common_bytes *common;
	uint64_t hash;

	if (!programs || size == 0)
		return NULL;
	hash = seeded_hash(seeded_hash_start, bytes, size);
	common = id_map_find(&programs->common, hash);
	if (common)
		return common->size == size &&
				       memcmp(common->bytes, bytes, size) == 0
			       ? common->bytes
			       : NULL;
	if (programs->common.count >= COMMON_MOST)
		return NULL;
	common = pool_take(&programs->common_pool, sizeof(*common) + size + 1);
	if (!common)
		return NULL;
	common->size = size;
	memcpy(common->bytes, bytes, size);
	common->bytes[size] = '\0';
	return id_map_set(&programs->common, hash, common) ? common->bytes
							   : NULL;
}

/* A NUL follows them.  Null: out of memory. */
static const char *copy_bytes(
	struct definition_table *table, const void *bytes, size_t size)
{
	const char *common = common_copy(table, bytes, size);

	return common ? common : pool_copy(&table->pool, bytes, size);
}

bool definition_add_string(
	struct definition_table *table, struct cursor *record)
{
	struct binlog_string_record head;
	const uint8_t *bytes;
	struct definition_string *string;

	cursor_struct(record, &head, sizeof(head));
	if (record->failed)
		return false;
	bytes = cursor_bytes(record, head.bytes);
	string = pool_take(&table->pool, sizeof(*string));
	if (!string)
		return bytes;
	*string = (struct definition_string){
		.length = head.bytes,
		.address = head.address,
		.at = table->at,
	};
	if (bytes)
		string->bytes = copy_bytes(table, bytes, head.bytes);
	if (string->bytes || !bytes)
		id_map_set(&table->strings, head.id, string);
	return bytes;
}

bool definition_add_stream(
	struct definition_table *table, struct cursor *record)
{
	struct binlog_stream_record head;
	struct definition_stream *stream;
	const uint8_t *path;

	cursor_struct(record, &head, sizeof(head));
	path = cursor_bytes(record, head.path_bytes);
	if (!path)
		return false;
	stream = pool_take(&table->pool, sizeof(*stream));
	if (!stream)
		return true;
	*stream = (struct definition_stream){
		.id = head.id,
		.flags = head.flags,
		.fd = head.fd,
		.mode = head.mode,
		.device = head.device,
		.inode = head.inode,
		.file = head.file,
		.position = head.position,
		.buffering = head.buffering,
		.order = head.order,
		.buffer_bytes = head.buffer_bytes,
		.description = head.description,
		.at = table->at,
	};
	if (head.path_bytes > 0)
		stream->path = copy_bytes(table, path, head.path_bytes);
	id_map_set(&table->streams, head.id, stream);
	return true;
}

/* As many as `depth` are in the record.  Null: out of memory. */
static const uint64_t *read_frames(
	struct definition_table *table, struct cursor *record, size_t depth)
{
	size_t size = depth * sizeof(uint64_t);
	const uint8_t *bytes = cursor_bytes(record, size);
	const void *common = common_copy(table, bytes, size);
	uint64_t *frames;

	if (common)
		return common;
	frames = pool_take(&table->pool, size + sizeof(*frames));
	if (frames && size > 0)
		memcpy(frames, bytes, size);
	return frames;
}

/* Whether all kinds are known and few enough; counts their bytes. */
static bool check_kinds(struct definition_context *context)
{
	static const int8_t sizes[] = {
#define ARGUMENT(name, number, bytes, comment) [number] = bytes,
#include "record/argument.def"
#undef ARGUMENT
	};
	bool varies = false;
	size_t i;

	if (context->arguments > FORMAT_KINDS_MAX)
		return false;
	for (i = 0; i < context->arguments; i++) {
		uint8_t kind = context->kinds[i];

		if (kind >= sizeof(sizes) || sizes[kind] == 0)
			return false;
		if (sizes[kind] < 0)
			varies = true;
		else
			context->fixed_bytes += (uint32_t)sizes[kind];
	}
	if (varies)
		context->fixed_bytes = 0;
	return true;
}

/* The part of the record that has a fixed size, and what its ids mean. */
static void read_context(struct definition_table *table, struct cursor *record,
	struct definition_context *context)
{
	struct binlog_context_record head;

	cursor_struct(record, &head, sizeof(head));
	context->id = head.id;
	context->text = head.text;
	context->flags = head.flags;
	context->has_format = head.format != 0;
	context->format = definition_string(table, head.format);
	context->function = definition_string(table, head.function);
	context->stream = id_map_find(&table->streams, head.stream);
	context->depth = head.depth;
	context->arguments = head.arguments;
}

bool definition_add_context(struct definition_table *table,
	struct cursor *record, size_t modules_known)
{
	struct definition_context read = {
		.modules = (uint32_t)modules_known, .at = table->at};
	struct definition_context *context;

	read_context(table, record, &read);
	if (cursor_left(record) / sizeof(uint64_t) < read.depth)
		return false;
	read.frames = read_frames(table, record, read.depth);
	read.kinds = cursor_bytes(record, read.arguments);
	if (!read.kinds || read.id < BINLOG_CONTEXT_FIRST)
		return false;
	read.kinds =
		(const uint8_t *)copy_bytes(table, read.kinds, read.arguments);
	context = pool_take(&table->pool, sizeof(*context));
	if (!context || !read.frames || !read.kinds)
		return true;
	read.usable = check_kinds(&read);
	*context = read;
	id_map_set(&table->contexts, read.id, context);
	return true;
}

/* Into memory that lasts as long as the programs. */
static bool add_shared(struct definition_table *table, struct cursor *record,
	size_t modules_known, struct pool *pool)
{
	struct program_table *programs = table->programs;
	const struct pool own = table->pool;
	bool good;

	table->pool = *pool;
	table->programs = NULL; /* it is kept once anyway */
	good = definition_add_context(table, record, modules_known);
	*pool = table->pool;
	table->pool = own;
	table->programs = programs;
	return good;
}

bool definition_add_creation(struct definition_table *table,
	struct cursor *record, const struct program *program,
	struct program_table *programs)
{
	struct cursor rest = *record;
	struct binlog_context_record head;
	struct definition_context *context, *before;
	const uint8_t *frames;
	size_t bytes;
	uint64_t hash;
	bool good;

	cursor_struct(&rest, &head, sizeof(head));
	bytes = head.depth * sizeof(uint64_t);
	frames = cursor_bytes(&rest, bytes);
	if (rest.failed || !frames)
		return false;
	hash = binlog_hash_word(binlog_hash(frames, bytes), (uintptr_t)program);
	hash = binlog_hash_word(hash, program->module_count);
	context = id_map_find(&programs->creations, hash);
	if (context && context->depth == head.depth &&
		memcmp(context->frames, frames, bytes) == 0) {
		*record = rest;
		id_map_set(&table->contexts, head.id, context);
		return true;
	}
	before = id_map_find(&table->contexts, head.id);
	good = add_shared(
		table, record, program->module_count, &programs->pool);
	context = good ? id_map_find(&table->contexts, head.id) : NULL;
	/* Without memory the id still means what it did. */
	if (!context || context == before)
		return good;
	/* These are the writer's own. */
	context->format = context->function = NULL;
	context->stream = NULL;
	id_map_set(&programs->creations, hash, context);
	return true;
}

uint32_t definition_context_stream(const struct definition_context *context)
{
	if (context->text == BINLOG_TEXT_SYSLOG)
		return BINLOG_STREAM_SYSLOG;
	return context->stream ? context->stream->flags : 0;
}

bool definition_is_formatted(const struct definition_context *context)
{
	switch (context->text) {
	case BINLOG_TEXT_FORMAT:
	case BINLOG_TEXT_WARN:
	case BINLOG_TEXT_WARNX:
	case BINLOG_TEXT_ERROR:
	case BINLOG_TEXT_SYSLOG:
	case BINLOG_TEXT_SYSLOG_PERROR:
		return true;
	}
	return false;
}

size_t definition_arguments_before(const struct definition_context *context)
{
	switch (context->text) {
	case BINLOG_TEXT_WARNX:
		return 1;
	case BINLOG_TEXT_WARN:
	case BINLOG_TEXT_ERROR:
		return 2;
	case BINLOG_TEXT_SYSLOG:
	case BINLOG_TEXT_SYSLOG_PERROR:
		return 4;
	default:
		return 0;
	}
}

void definition_table_free(struct definition_table *table)
{
	id_map_free(&table->strings);
	id_map_free(&table->streams);
	id_map_free(&table->contexts);
	pool_free(&table->pool);
}

/* Of a format: whether it has a %s, and what is around it. */
static enum definition_says says_of(const struct definition_string *format)
{
	struct format_directive directive;
	struct format_cursor cursor;
	bool string = false;
	bool marks = false;
	size_t i;

	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive)) {
		string |= directive.conversion == 's';
		marks |= directive.conversion && directive.conversion != 's';
		for (i = 0; !directive.conversion && i < directive.length;
			i++) {
			unsigned char c = (unsigned char)directive.text[i];

			if (isalnum(c) || c >= 0x80)
				return DEFINITION_SAYS;
			marks |= !isspace(c);
		}
	}
	if (!string || cursor.at < cursor.end)
		return DEFINITION_SAYS;
	return marks ? DEFINITION_MARKS : DEFINITION_NOTHING;
}

static enum definition_says find_says(const struct definition_context *context)
{
	if (context->flags & BINLOG_CONTEXT_FAILED)
		return DEFINITION_SAYS;
	switch (context->text) {
	case BINLOG_TEXT_BYTES:
	case BINLOG_TEXT_BYTES_LINE:
	case BINLOG_TEXT_CHARACTERS:
		return DEFINITION_NOTHING;
	case BINLOG_TEXT_FORMAT:
	case BINLOG_TEXT_SYSLOG:
		return context->format && context->format->bytes
			       ? says_of(context->format)
			       : DEFINITION_SAYS;
	}
	return DEFINITION_SAYS;
}

enum definition_says definition_says(struct definition_context *context)
{
	if (context->says == 0)
		context->says = (uint8_t)find_says(context);
	return context->says;
}

/*
 * A format with few words that ends in `%s`, as `error: %s`: who calls who
 * prints so may have given it a statement.
 */
static bool ends_in_text(const struct definition_context *context)
{
	struct format_directive directive, last = {0};
	struct format_cursor cursor;
	size_t letters = 0;
	size_t i;

	if ((context->text != BINLOG_TEXT_FORMAT &&
		    context->text != BINLOG_TEXT_SYSLOG) ||
		!context->format || !context->format->bytes)
		return false;
	format_begin(&cursor, context->format->bytes, context->format->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion)
			last = directive;
		for (i = 0; !directive.conversion && i < directive.length; i++)
			letters +=
				isalnum((unsigned char)directive.text[i]) != 0;
	}
	return last.conversion == 's' && letters <= DEFINITION_LABEL_MAX;
}

bool definition_passes_text_on(struct definition_context *context)
{
	return definition_says(context) != DEFINITION_SAYS ||
	       ends_in_text(context);
}
