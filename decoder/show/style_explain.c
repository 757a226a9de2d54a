#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/cursor.h"
#include "base/escape.h"
#include "decoder/capture/unpacked_file.h"
#include "decoder/message/event_words.h"
#include "decoder/output/style.h"
#include "decoder/render/render.h"
#include "record/format.h"
#include "record/layout.h"

/*
 * Of each message where every byte of it is in its file, and what is made of
 * it.  The record is read out of the file once more and taken apart here by
 * itself, so what is said of the bytes is not what the reader believes of them.
 */

#define FIRST_BYTES 256u      /* of a record, at the first try */
#define SHOWN_BYTES 256u      /* of a field, in hex */
#define ROW_BYTES ((size_t)8) /* of these, in a row */
#define INDENT "    "

struct explain {
	struct style_settings settings;
	struct calendar calendar;
	struct render_buffer text;
	uint8_t *bytes; /* of the record */
	size_t room;
};

/* What an argument is for, as its format says. */
struct use {
	const char *directive; /* null: none takes it */
	size_t length;
	const char *role;
	size_t piece; /* of the text that it makes, in `text`; */
	size_t piece_bytes;
	bool makes; /* it makes some */
};

struct record {
	struct explain *explain;
	const struct message *message;
	struct cursor cursor;
	const uint8_t *start;
	struct use uses[FORMAT_KINDS_MAX];
};

static const char *name_of_control(uint32_t kind)
{
	switch (kind) {
#define CONTROL(name, number, comment)                                         \
	case number:                                                           \
		return #name;
#include "record/control.def"
#undef CONTROL
	}
	return "unknown";
}

static const char *name_of_text(uint32_t kind)
{
	switch (kind) {
#define TEXT(name, number, comment)                                            \
	case number:                                                           \
		return #name;
#include "record/text.def"
#undef TEXT
	}
	return "unknown";
}

static const char *name_of_argument(uint8_t kind)
{
	switch (kind) {
#define ARGUMENT(name, number, bytes, comment)                                 \
	case number:                                                           \
		return #name;
#include "record/argument.def"
#undef ARGUMENT
	}
	return "unknown";
}

/* Short ones, with our own formats. */
__attribute__((format(printf, 2, 3))) static void put(
	struct explain *explain, const char *format, ...)
{
	char line[256];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	render_buffer_put_string(&explain->settings.output->text, line);
}

static void put_foreign(struct explain *explain, const char *bytes, size_t size)
{
	escape_put(
		&explain->settings.output->text, bytes, size, ESCAPE_NEWLINE);
}

static void put_string(struct explain *explain, const char *string)
{
	put_foreign(explain, string, strlen(string));
}

static void put_quoted(struct explain *explain, const char *bytes, size_t size)
{
	size_t shown = size < SHOWN_BYTES ? size : SHOWN_BYTES;

	put(explain, "\"");
	put_foreign(explain, bytes, shown);
	put(explain, "\"");
	if (shown < size)
		put(explain, " and %zu bytes more", size - shown);
}

static void begin_line(struct explain *explain, const char *label)
{
	put(explain, INDENT "%-10s", label);
}

static void end_line(struct explain *explain)
{
	put(explain, "\n");
}

/* Where an address is, and in which file. */
static void put_address(struct explain *explain, const struct message *message,
	uint64_t address)
{
	const struct program_module *module =
		address > 0 ? program_module_at(message->program, address - 1,
				      message->context->modules)
			    : NULL;

	put(explain, "0x%" PRIx64, address);
	if (!module)
		return;
	put(explain, ", ");
	put_string(explain, module->path);
	put(explain, "+0x%" PRIx64, address - module->bias);
}

/* Its head is in the file, whatever was read of it before. */
static void put_definition(struct explain *explain,
	const struct message *message, uint32_t kind, uint64_t at)
{
	struct binlog_control_head head;

	if (at == 0) {
		put(explain, "; where that is recorded is not known");
		return;
	}
	put(explain, "; %s record at %" PRIu64, name_of_control(kind), at);
	if (recording_read(message->capture, at, &head, sizeof(head)) ==
			sizeof(head) &&
		head.kind == kind)
		put(explain, ", %" PRIu32 " bytes", head.size);
}

static void put_rows(struct record *record, const uint8_t *from, size_t size)
{
	struct explain *explain = record->explain;
	uint64_t at =
		record->message->offset + (uint64_t)(from - record->start);
	size_t i;

	put(explain, INDENT "%12" PRIu64 " %6zu ", at, size);
	for (i = 0; i < ROW_BYTES; i++)
		if (i < size)
			put(explain, " %02x", from[i]);
		else
			put(explain, "   ");
	put(explain, "  ");
}

/*
 * A field that has just been read, `size` bytes before the cursor: its offset,
 * bytes and the begin of a line that says what it is; where there are many, the
 * others follow when that line has ended.
 */
static void begin_field(struct record *record, size_t size)
{
	const uint8_t *from = record->cursor.at - size;

	put_rows(record, from, size < ROW_BYTES ? size : ROW_BYTES);
}

static void end_field(struct record *record, size_t size)
{
	const uint8_t *from = record->cursor.at - size;
	size_t done = ROW_BYTES;

	end_line(record->explain);
	for (; done < size && done < SHOWN_BYTES; done += ROW_BYTES) {
		size_t left = size - done;

		put_rows(record, from + done,
			left < ROW_BYTES ? left : ROW_BYTES);
		put(record->explain, "...\n");
	}
	if (done < size)
		put(record->explain,
			INDENT "%12" PRIu64 " %6zu  these are not shown\n",
			record->message->offset +
				(uint64_t)(from + done - record->start),
			size - done);
}

static void put_use(struct record *record, size_t argument)
{
	struct explain *explain = record->explain;
	const struct use *use = &record->uses[argument];

	if (use->role)
		put(explain, ", %s", use->role);
	if (use->directive) {
		put(explain, use->role ? " " : ", for ");
		put_foreign(explain, use->directive, use->length);
	}
	if (!use->makes)
		return;
	put(explain, ", makes ");
	put_quoted(explain, render_buffer_from(&explain->text, use->piece),
		use->piece_bytes);
}

static void begin_argument(struct record *record, size_t argument, size_t size)
{
	begin_field(record, size);
	put(record->explain, "argument %zu", argument + 1);
}

static void put_kind(struct record *record, size_t argument)
{
	put(record->explain, ": %s",
		name_of_argument(record->message->context->kinds[argument]));
}

static void explain_number(struct record *record, size_t argument, size_t size)
{
	struct explain *explain = record->explain;
	const uint8_t *bytes = cursor_bytes(&record->cursor, size);
	int32_t i32 = 0;
	int64_t i64 = 0;
	double f64 = 0;

	if (!bytes)
		return;
	begin_argument(record, argument, size);
	put_kind(record, argument);
	switch (record->message->context->kinds[argument]) {
	case BINLOG_ARG_I32:
		memcpy(&i32, bytes, sizeof(i32));
		put(explain, " %" PRId32, i32);
		break;
	case BINLOG_ARG_I64:
		memcpy(&i64, bytes, sizeof(i64));
		put(explain, " %" PRId64, i64);
		break;
	case BINLOG_ARG_F64:
		memcpy(&f64, bytes, sizeof(f64));
		put(explain, " %.17g", f64);
		break;
	}
	put_use(record, argument);
	end_field(record, size);
}

/* The bytes of a string, and what they are padded with. */
static void explain_bytes(struct record *record, size_t argument, size_t size)
{
	size_t padding = -size & 3;

	if (!cursor_bytes(&record->cursor, size))
		return;
	if (size > 0) {
		begin_argument(record, argument, size);
		put(record->explain, ": its bytes");
		put_use(record, argument);
		end_field(record, size);
	}
	if (padding == 0 || !cursor_bytes(&record->cursor, padding))
		return;
	begin_field(record, padding);
	put(record->explain, "up to a multiple of 4");
	end_field(record, padding);
}

static void explain_string(struct record *record, size_t argument)
{
	struct explain *explain = record->explain;
	const struct message_place *place = record->message->place;
	uint32_t word = cursor_u32(&record->cursor);
	const struct definition_string *string;

	if (record->cursor.failed)
		return;
	begin_argument(record, argument, sizeof(word));
	put_kind(record, argument);
	if (word == BINLOG_NULL) {
		put(explain, ", a null pointer");
		put_use(record, argument);
	} else if (word & BINLOG_STRING_ID) {
		word &= ~BINLOG_STRING_ID;
		string = definition_string(place->definitions, word);
		put(explain, ", STRING_ID: string %" PRIu32, word);
		put_definition(explain, record->message, BINLOG_STRING,
			string ? string->at : 0);
		put_use(record, argument);
	} else if (word & BINLOG_SHORT) {
		put(explain, ", SHORT: %" PRIu32 " bytes, here",
			(word & ~BINLOG_SHORT) >> 24);
		put_use(record, argument);
	} else {
		put(explain, ", %" PRIu32 " bytes follow", word);
		end_field(record, sizeof(word));
		explain_bytes(record, argument, word);
		return;
	}
	end_field(record, sizeof(word));
}

static void explain_argument(struct record *record, size_t argument)
{
	switch (record->message->context->kinds[argument]) {
	case BINLOG_ARG_I32:
		explain_number(record, argument, 4);
		break;
	case BINLOG_ARG_I64:
	case BINLOG_ARG_F64:
		explain_number(record, argument, 8);
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		explain_number(record, argument, 16);
		break;
	default:
		explain_string(record, argument);
	}
}

/* The first word of a line that goes on: it may say more than the context. */
static void explain_line(struct record *record, uint32_t word)
{
	struct explain *explain = record->explain;
	uint32_t id = record->message->context->id;

	if (word & BINLOG_REPEATS) {
		put(explain,
			"CONTINUES, REPEATS%s: context %" PRIu32
			", no ticks, argument 1: STRING, %" PRIu32
			" bytes, here",
			word & BINLOG_OTHER ? ", OTHER" : "", id,
			(word & ~(BINLOG_CONTINUES | BINLOG_REPEATS |
					BINLOG_OTHER)) >>
				24);
		put_use(record, 0);
		return;
	}
	put(explain, "CONTINUES: context %" PRIu32 ", no ticks", id);
	if (word >> BINLOG_LENGTH_SHIFT & BINLOG_LENGTH_MAX)
		put(explain, ", %" PRIu32 " bytes of argument 1 follow",
			word >> BINLOG_LENGTH_SHIFT & BINLOG_LENGTH_MAX);
}

/* All fields; afterwards the cursor is behind the record, or has failed. */
static void explain_fields(struct record *record)
{
	struct explain *explain = record->explain;
	const struct definition_context *context = record->message->context;
	uint32_t word = cursor_u32(&record->cursor);
	bool continues = word & BINLOG_CONTINUES;
	uint32_t length =
		continues && !(word & BINLOG_REPEATS)
			? word >> BINLOG_LENGTH_SHIFT & BINLOG_LENGTH_MAX
			: 0;
	size_t i;

	begin_field(record, sizeof(word));
	if (continues)
		explain_line(record, word);
	else
		put(explain, "context %" PRIu32, context->id);
	end_field(record, sizeof(word));
	if (!continues) {
		uint32_t ticks = cursor_u32(&record->cursor);

		if (record->cursor.failed)
			return;
		begin_field(record, sizeof(ticks));
		put(explain, "ticks: the lower half, 0x%08" PRIx32, ticks);
		end_field(record, sizeof(ticks));
	}
	if (continues && word & BINLOG_REPEATS)
		return;
	if (length > 0) {
		explain_bytes(record, 0, length);
		return;
	}
	for (i = 0; i < context->arguments && !record->cursor.failed; i++)
		explain_argument(record, i);
}

/* Reads the record, and more of it until all of it is there.  False: it is not.
 */
static bool put_fields(struct record *record)
{
	struct explain *explain = record->explain;
	const struct message *message = record->message;
	struct render_buffer *out = &explain->settings.output->text;
	size_t start = out->length;
	size_t size, n;

	for (size = FIRST_BYTES; size <= 2 * BINLOG_BLOCK_MAX; size *= 2) {
		if (size > explain->room) {
			uint8_t *bytes = realloc(explain->bytes, size);

			if (!bytes)
				break;
			explain->bytes = bytes;
			explain->room = size;
		}
		n = recording_read(message->capture, message->offset,
			explain->bytes, size);
		record->start = explain->bytes;
		record->cursor = cursor_over(explain->bytes, n);
		out->length = start;
		if (n > 0)
			explain_fields(record);
		if (n > 0 && !record->cursor.failed)
			return true;
		if (n < size)
			break;
	}
	out->length = start;
	return false;
}

/* Those of text.def, before the arguments of the format. */
static const char *role_before(const struct message *message, size_t argument)
{
	static const char *const syslog[] = {"priority with facility",
		"pid, or 0", "seconds east of UTC", "ident"};

	switch (message->context->text) {
	case BINLOG_TEXT_SYSLOG:
	case BINLOG_TEXT_SYSLOG_PERROR:
		return argument < 4 ? syslog[argument] : NULL;
	case BINLOG_TEXT_PERROR:
	case BINLOG_TEXT_WARN:
	case BINLOG_TEXT_WARNX:
	case BINLOG_TEXT_ERROR:
		return argument == 0 ? "what is put before" : "errno";
	case BINLOG_TEXT_CHARACTER:
		return "the character";
	case BINLOG_TEXT_BYTES_AT:
		return argument == 0 ? "offset" : "the text";
	case BINLOG_TEXT_BYTES:
	case BINLOG_TEXT_BYTES_LINE:
	case BINLOG_TEXT_CHARACTERS:
		return "the text";
	}
	return message_is_event(message) ? "the event's" : NULL;
}

static void use_argument(struct record *record, int argument, const char *role,
	const struct format_directive *directive)
{
	size_t first = definition_arguments_before(record->message->context);
	struct use *use;

	if (argument == FORMAT_NONE ||
		first + (size_t)argument >= record->message->count)
		return;
	use = &record->uses[first + (size_t)argument];
	if (use->directive)
		return;
	use->directive = directive->text;
	use->length = directive->length;
	use->role = role;
}

/* The first argument that a directive takes. */
static int first_of(const struct format_directive *directive)
{
	int first = directive->argument;

	if (directive->precision_argument != FORMAT_NONE &&
		(first == FORMAT_NONE || directive->precision_argument < first))
		first = directive->precision_argument;
	if (directive->width_argument != FORMAT_NONE &&
		(first == FORMAT_NONE || directive->width_argument < first))
		first = directive->width_argument;
	return first;
}

/* The text that one directive makes, rendered by itself. */
static void render_piece(
	struct record *record, const struct format_directive *directive)
{
	struct render_buffer *text = &record->explain->text;
	const struct message *message = record->message;
	size_t before = definition_arguments_before(message->context);
	size_t count = message->count - before;
	bool numbered = memchr(directive->text, '$', directive->length);
	bool is_errno = directive->conversion == 'm';
	int argument = is_errno ? (int)count - 1 : directive->argument;
	size_t first = numbered ? 0 : (size_t)first_of(directive);
	size_t start = text->length;
	struct use *use;

	if (argument == FORMAT_NONE ||
		before + (size_t)argument >= message->count)
		return;
	use = &record->uses[before + (size_t)argument];
	if (use->makes)
		return;
	if (is_errno)
		first = count - 1;
	render_format(text, directive->text, directive->length,
		message->arguments + before + first, count - first, NULL,
		message->capture->libc);
	use->makes = directive->conversion != 'n';
	use->piece = start;
	use->piece_bytes = text->length - start;
}

static void find_uses(struct record *record)
{
	const struct message *message = record->message;
	const struct definition_context *context = message->context;
	size_t before = definition_arguments_before(context);
	const struct definition_string *format;
	struct format_directive directive;
	struct format_cursor cursor;
	size_t i;

	record->explain->text.length = 0;
	memset(record->uses, 0, sizeof(record->uses));
	for (i = 0; i < message->count; i++)
		if (!definition_is_formatted(context) || i < before)
			record->uses[i].role = role_before(message, i);
	if (!definition_is_formatted(context) || message->count < before)
		return;
	format = message_format(message);
	if (!format)
		return;
	format_begin_for(
		&cursor, format->bytes, format->length, message->capture->libc);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion == 'm')
			use_argument(record, (int)(message->count - before) - 1,
				"errno of", &directive);
		use_argument(record, directive.argument, NULL, &directive);
		use_argument(record, directive.width_argument, "width of",
			&directive);
		use_argument(record, directive.precision_argument,
			"precision of", &directive);
		render_piece(record, &directive);
	}
}

static void put_file(struct explain *explain, const struct message *message)
{
	const struct recording_block *block = message->place->block;

	begin_line(explain, "file");
	put_string(explain, message->capture->path);
	end_line(explain);
	if (message->capture->unpacked) {
		begin_line(explain, "");
		put(explain, "compressed or from a pipe: offsets are those of "
			     "the unpacked bytes\n");
	}
	begin_line(explain, "block");
	put(explain,
		"at %" PRIu64 ", %" PRIu32 " bytes, writer %" PRIu32
		", its block %" PRIu32 "\n",
		block->offset, block->size, block->writer, block->sequence);
}

/* The record, and each of its bytes. */
static void put_record(struct record *record)
{
	struct explain *explain = record->explain;
	const struct message *message = record->message;
	struct render_buffer *out = &explain->settings.output->text;
	size_t start = out->length;
	size_t fields;

	begin_line(explain, "record");
	put(explain, "at %" PRIu64, message->offset);
	fields = out->length;
	if (!put_fields(record)) {
		put(explain, ": its bytes are not there any more\n");
		return;
	}
	/* its length is known only now */
	explain->text.length = 0;
	render_buffer_put(&explain->text, render_buffer_from(out, fields),
		out->length - fields);
	out->length = start;
	begin_line(explain, "record");
	put(explain, "at %" PRIu64 ", %zu bytes:\n", message->offset,
		(size_t)(record->cursor.at - record->start));
	render_buffer_put(out, explain->text.data, explain->text.length);
}

/* Which anchor the line of time goes through that the message was told by. */
static void put_anchor(struct explain *explain, const struct message *message)
{
	const struct recording *capture = message->capture;
	const struct message_place *place = message->place;
	uint64_t from = message->segment->from;
	struct binlog_control_head head = {0};
	struct binlog_anchor anchor = {0};
	uint64_t at = place->anchor;
	size_t i;

	if (at == place->block->offset) {
		anchor = place->block->anchor;
	} else if (at > 0) {
		recording_read(message->capture, at, &head, sizeof(head));
		recording_read(message->capture, at + sizeof(head), &anchor,
			sizeof(anchor));
	}
	if (at > 0 && anchor.ticks == from) {
		put(explain, "anchor of the %s at %" PRIu64,
			head.kind == BINLOG_CLOCK ? "CLOCK record" : "block",
			at);
		return;
	}
	for (i = 0; i < capture->block_count; i++)
		if (capture->blocks[i].anchor.ticks == from) {
			put(explain, "anchor of the block at %" PRIu64,
				capture->blocks[i].offset);
			return;
		}
	put(explain, "anchor of a record whose offset is not known");
}

static void put_time(struct explain *explain, const struct message *message)
{
	const struct wall_segment *segment = message->segment;

	begin_line(explain, "time");
	put(explain, "%" PRIu64 " ns since 1970, of ticks %" PRIu64,
		message->wall, message->ticks);
	if (message->place && message->place->block)
		put(explain,
			": the upper half is that of the last anchor, at "
			"%" PRIu64,
			message->place->anchor);
	end_line(explain);
	if (!segment || !message->place || !message->place->block)
		return;
	begin_line(explain, "");
	put(explain, "= %" PRIu64 " + (ticks - %" PRIu64 ") * %.15g ns: ",
		segment->realtime, segment->from, segment->rate);
	put_anchor(explain, message);
	end_line(explain);
}

static void put_thread(struct explain *explain, const struct message *message)
{
	const struct message_place *place = message->place;

	begin_line(explain, "thread");
	put(explain, "%" PRIu32, message->tid);
	if (message->thread && *message->thread) {
		put(explain, " ");
		put_quoted(explain, message->thread, strlen(message->thread));
	}
	if (place && place->block && place->thread > 0)
		put_definition(explain, message, BINLOG_THREAD, place->thread);
	else if (place && place->block)
		put(explain, "; the block says so");
	end_line(explain);
	if (message->coroutine > 0) {
		begin_line(explain, "coroutine");
		put(explain, "%" PRIu64 ", on whose stack it was said\n",
			message->coroutine);
	}
	begin_line(explain, "process");
	put(explain, "%" PRIu32 " ", message->pid);
	put_string(explain, message->program && message->program->executable
				    ? message->program->executable
				    : "?");
	if (place && place->block) {
		put(explain, "; its number is in the block");
		if (place->process > 0)
			put_definition(explain, message, BINLOG_PROCESS,
				place->process);
		else
			put(explain, ", the rest in another writer's PROCESS "
				     "record, or nowhere");
	}
	end_line(explain);
}

static void put_flags(struct explain *explain, uint16_t flags)
{
	static const struct {
		uint16_t flag;
		const char *name;
	} names[] = {
		{BINLOG_CONTEXT_TEE, "TEE"},
		{BINLOG_CONTEXT_PARTIAL, "PARTIAL"},
		{BINLOG_CONTEXT_ESCAPED, "ESCAPED"},
		{BINLOG_CONTEXT_FAILED, "FAILED"},
	};
	uint16_t level =
		flags >> BINLOG_CONTEXT_LEVEL_SHIFT & BINLOG_CONTEXT_LEVEL_BITS;
	size_t i;

	put(explain, ", flags %" PRIu16, flags);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (flags & names[i].flag)
			put(explain, " %s", names[i].name);
	if (level > 0)
		put(explain, " level %d", level - 1);
}

static void put_string_of(struct explain *explain,
	const struct message *message, const char *label,
	const struct definition_string *string)
{
	if (!string)
		return;
	begin_line(explain, label);
	if (string->bytes)
		put_quoted(explain, string->bytes, string->length);
	else
		put(explain, "its bytes are lost");
	if (!message->capture->packed && !message->capture->text)
		put_definition(explain, message, BINLOG_STRING, string->at);
	if (string->address > 0) {
		put(explain, "; in memory at ");
		/* as the address that it is, not of what comes after a call */
		put_address(explain, message, string->address);
	}
	end_line(explain);
}

static void put_site(struct explain *explain, const struct message *message)
{
	const struct definition_context *context = message->context;
	bool recorded = message->place && message->place->block;
	size_t i;

	begin_line(explain, recorded ? "context" : "site");
	put(explain, "%" PRIu32 ": %s", context->id,
		name_of_text(context->text));
	put_flags(explain, context->flags);
	if (recorded)
		put_definition(explain, message, BINLOG_CONTEXT, context->at);
	end_line(explain);
	for (i = 0; i < context->depth; i++) {
		char label[16];

		if (i >= explain->settings.options->depth)
			break;
		snprintf(label, sizeof(label), "#%zu", i);
		begin_line(explain, label);
		put_address(explain, message, context->frames[i]);
		if (recorded && context->at > 0)
			put(explain, "; at %" PRIu64 ", 8 bytes",
				context->at +
					sizeof(struct binlog_context_record) +
					i * sizeof(uint64_t));
		end_line(explain);
	}
	put_string_of(explain, message, "function", context->function);
	if (context->has_format || definition_is_formatted(context))
		put_string_of(
			explain, message, "format", message_format(message));
	if (!context->stream)
		return;
	begin_line(explain, "stream");
	put(explain, "%" PRIu32 ": flags %" PRIu32 ", descriptor %" PRId32,
		context->stream->id, context->stream->flags,
		context->stream->fd);
	if (context->stream->path) {
		put(explain, ", ");
		put_string(explain, context->stream->path);
	}
	if (recorded)
		put_definition(
			explain, message, BINLOG_STREAM, context->stream->at);
	end_line(explain);
}

/* Columns have no bytes of their own for an argument. */
static void put_row(struct record *record)
{
	struct explain *explain = record->explain;
	const struct message *message = record->message;
	const struct message_place *place = message->place;
	size_t i;

	begin_line(explain, "file");
	put_string(explain, place->log);
	end_line(explain);
	if (unpacked_file_find(place->log)) {
		begin_line(explain, "");
		put(explain, "compressed or from a pipe: offsets are those of "
			     "the unpacked bytes\n");
	}
	begin_line(explain, place->next ? "batch" : "record");
	put(explain, "at %" PRIu64 ", %zu bytes, part %" PRIu64,
		message->offset, place->bytes, place->part);
	if (place->next)
		put(explain,
			", columns unpacked %" PRIu64 " bytes; row %" PRIu32
			" of the batch",
			place->unpacked, *place->next - 1);
	put(explain, ", message %" PRIu64 " of the log\n",
		place->number + (place->next ? *place->next - 1 : 0));
	for (i = 0; i < message->count; i++) {
		const struct render_argument *argument = &message->arguments[i];

		begin_line(explain, "");
		put(explain, "argument %zu: %s", i + 1,
			name_of_argument(argument->kind));
		if (argument->kind == BINLOG_ARG_I32)
			put(explain, " %" PRId32, argument->i32);
		else if (argument->kind == BINLOG_ARG_I64)
			put(explain, " %" PRId64, argument->i64);
		else if (argument->kind == BINLOG_ARG_F64)
			put(explain, " %.17g", argument->f64);
		else if (argument->null)
			put(explain, ", a null pointer");
		put_use(record, i);
		if (place->next)
			put(explain,
				"; column %zu of its site, which has no bytes "
				"for a row alone",
				i + 1);
		end_line(explain);
	}
}

static void put_words(struct explain *explain, const struct message *message)
{
	struct render_buffer *out = &explain->settings.output->text;

	calendar_append(&explain->calendar, message->wall, out);
	put(explain, " ");
	put_string(explain, message->program ? message->program->name : "?");
	put(explain, "[%" PRIu32 ":%" PRIu32 "]: ", message->pid, message->tid);
	explain->text.length = 0;
	if (message_is_event(message)) {
		put(explain, "event %s", name_of_text(message->context->text));
	} else {
		message_text(message, &explain->text);
		put_quoted(explain, render_buffer_from(&explain->text, 0),
			explain->text.length);
	}
	if (message->continues)
		put(explain, ", a further piece of the call before");
	end_line(explain);
}

void *style_explain_begin(const struct style_settings *settings)
{
	struct explain *explain = calloc(1, sizeof(*explain));

	if (!explain)
		return NULL;
	explain->settings = *settings;
	explain->calendar.utc = settings->utc;
	return explain;
}

void style_explain_message(void *state, const struct message *message)
{
	struct explain *explain = state;
	const struct message_place *place = message->place;
	struct record record = {.explain = explain, .message = message};

	put_words(explain, message);
	find_uses(&record);
	if (message->context->statement) {
		begin_line(explain, "made");
		put(explain, "of what was recorded, by the program's "
			     "statements: --statements=never has its bytes\n");
	} else if (place && place->log) {
		put_row(&record);
	} else if (place && place->block) {
		put_file(explain, message);
		put_record(&record);
	} else {
		begin_line(explain, "file");
		put_string(explain, message->capture->path);
		put(explain, ", from %" PRIu64 " on", message->offset);
		end_line(explain);
	}
	put_time(explain, message);
	put_thread(explain, message);
	put_site(explain, message);
	if (explain->settings.stack)
		stack_put(explain->settings.stack, message,
			&explain->settings.output->text);
	output_settle(explain->settings.output);
}

void style_explain_end(void *state)
{
	struct explain *explain = state;

	render_buffer_retire(&explain->text, &explain->settings.output->text);
	free(explain->bytes);
	free(explain);
}
