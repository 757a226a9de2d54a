#include "decoder/capture/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/capture/by_hand.h"
#include "decoder/capture/named_text.h"
#include "decoder/capture/restore.h"
#include "decoder/render/render_plan.h"
#include "record/hash.h"
#include "record/layout.h"
#include "record/libc.h"
#include "record/utf8.h"

#define SYSLOG_ARGUMENTS 4 /* before those of the format */
#define UNICODE_MOST 0x10ffffu

/* Argument `index` if it is of this kind, else null. */
static const struct render_argument *argument_at(
	const struct message *message, size_t index, uint8_t kind)
{
	if (index >= message->count || message->arguments[index].kind != kind)
		return NULL;
	return &message->arguments[index];
}

static int32_t integer_at(const struct message *message, size_t index)
{
	const struct render_argument *argument =
		argument_at(message, index, BINLOG_ARG_I32);

	return argument ? argument->i32 : 0;
}

/* Null or empty both come as null. */
static const struct render_argument *string_at(
	const struct message *message, size_t index)
{
	const struct render_argument *argument =
		argument_at(message, index, BINLOG_ARG_STRING);

	return argument && !argument->null && argument->bytes > 0 ? argument
								  : NULL;
}

static void put_argument_string(
	struct render_buffer *out, const struct render_argument *string)
{
	if (string)
		render_buffer_put(out, string->data, string->bytes);
}

static bool is_plain(uint32_t character)
{
	return character >= ' ' && character < 0x7f && character != '"' &&
	       character != '\\';
}

static void put_quoted(
	struct render_buffer *out, const uint8_t *bytes, size_t size)
{
	char escape[8];
	size_t i;

	render_buffer_put_byte(out, '"');
	for (i = 0; i < size; i++) {
		if (is_plain(bytes[i])) {
			render_buffer_put_byte(out, (char)bytes[i]);
			continue;
		}
		snprintf(escape, sizeof(escape), "\\x%02x", bytes[i]);
		render_buffer_put_string(out, escape);
	}
	render_buffer_put_byte(out, '"');
}

/* Characters as UTF-8, those that are none or cannot be seen by number. */
static void put_wide(
	struct render_buffer *out, const uint8_t *bytes, size_t size)
{
	uint32_t character;
	char put[16];
	size_t i;

	render_buffer_put_string(out, "L\"");
	for (i = 0; i + sizeof(character) <= size; i += sizeof(character)) {
		memcpy(&character, bytes + i, sizeof(character));
		if (is_plain(character) ||
			(printable_character(character) &&
				character <= UNICODE_MOST &&
				!(character >= 0xd800 && character <= 0xdfff)))
			render_buffer_put(out, put, utf8_put(put, character));
		else
			render_buffer_put(out, put,
				(size_t)snprintf(put, sizeof(put),
					character < 0x100     ? "\\x%02x"
					: character < 0x10000 ? "\\u%04x"
							      : "\\U%08x",
					character));
	}
	render_buffer_put_byte(out, '"');
}

static void put_value(
	struct render_buffer *out, const struct render_argument *argument)
{
	char number[64] = "?";

	if (argument->null) {
		render_buffer_put_string(out, "(null)");
		return;
	}
	switch (argument->kind) {
	case BINLOG_ARG_I32:
		snprintf(number, sizeof(number), "%" PRId32, argument->i32);
		break;
	case BINLOG_ARG_I64:
		snprintf(number, sizeof(number), "%" PRId64, argument->i64);
		break;
	case BINLOG_ARG_F64:
		snprintf(number, sizeof(number), "%.17g", argument->f64);
		break;
	case BINLOG_ARG_STRING:
		put_quoted(out, argument->data, argument->bytes);
		return;
	case BINLOG_ARG_WIDE:
		put_wide(out, argument->data, argument->bytes);
		return;
	}
	render_buffer_put_string(out, number);
}

/* "module+0xoffset"; false: it is in no file that is known. */
static bool put_place(const struct message *message, uint64_t address,
	struct render_buffer *out)
{
	const struct program_module *module = program_module_at(
		message->program, address, message->context->modules);
	const char *slash;
	char offset[32];

	if (address == 0 || !module)
		return false;
	slash = strrchr(module->path, '/');
	render_buffer_put_string(out, slash ? slash + 1 : module->path);
	snprintf(offset, sizeof(offset), "+0x%" PRIx64, address - module->bias);
	render_buffer_put_string(out, offset);
	return true;
}

/* In place of a format: where it was, or else the call, as stacks have it. */
static void put_lost(const struct message *message, struct render_buffer *out)
{
	const struct definition_context *context = message->context;

	render_buffer_put_string(out, "<fmt ");
	if (!put_place(message, context->format ? context->format->address : 0,
		    out) &&
		!put_place(message,
			context->depth > 0 ? context->frames[0] - 1 : 0, out))
		render_buffer_put_byte(out, '?');
	render_buffer_put_byte(out, '>');
}

/* All that can be said of a call whose format is lost. */
static void put_without_format(
	const struct message *message, size_t first, struct render_buffer *out)
{
	size_t i;

	put_lost(message, out);
	for (i = first; i < message->count; i++) {
		render_buffer_put_string(out, i == first ? " args: " : ", ");
		put_value(out, &message->arguments[i]);
	}
	render_buffer_put_byte(out, '\n');
}

static void report_format(const struct message *message)
{
	recording_report(message->capture, ERROR_STRING, message->offset, 0);
}

const struct definition_string *message_format(const struct message *message)
{
	struct definition_context *context = message->context;
	const struct definition_string *found = NULL;

	if (!context->restored && message->capture->restore)
		found = restore_format(message->capture->restore, message);
	if (found)
		context->format = found;
	context->restored = true;
	return context->format && context->format->bytes ? context->format
							 : NULL;
}

/* Of a statement what was put around it stays as it is. */
static void put_named_statement(
	const struct message *message, size_t first, struct render_buffer *out)
{
	const struct definition_statement *statement =
		message->context->statement;
	const struct definition_string *all = message->context->format;
	const struct render_argument *own =
		message->arguments + first + statement->prefix;
	size_t count =
		message->count - first - statement->prefix - statement->tail;

	if (statement->prefix)
		put_argument_string(out, own - 1);
	named_text_put(out, statement->inner, own, count);
	if (statement->tail)
		put_argument_string(out, own + count);
	render_buffer_put(out, all->bytes + all->length - statement->newlines,
		statement->newlines);
}

/* Of one that there is, with the names of its arguments. */
__attribute__((noinline, cold)) static void put_named(
	const struct message *message, size_t first, struct render_buffer *out)
{
	const struct definition_string *format = message->context->format;

	if (message->context->statement)
		put_named_statement(message, first, out);
	else if (!named_text_put(out, format, message->arguments + first,
			 message->count - first))
		render_plan_put(&message->context->plan, message->pool, out,
			format->bytes, format->length,
			message->arguments + first, message->count - first,
			message->capture->libc);
}

/* The format with the arguments from `first` on. */
static void put_format(
	const struct message *message, size_t first, struct render_buffer *out)
{
	const struct definition_string *format = message_format(message);

	if (!format) {
		report_format(message);
		put_without_format(message, first, out);
		return;
	}
	if (first > message->count)
		first = message->count;
	/* What was written was what was said. */
	if (by_hand_is_asked_for() && !out->pieces &&
		by_hand_put(out, format->bytes, format->length,
			message->arguments + first, message->count - first,
			message->capture->libc))
		return;
	if (__builtin_expect(out->named, 0)) {
		put_named(message, first, out);
		return;
	}
	render_plan_put(&message->context->plan, message->pool, out,
		format->bytes, format->length, message->arguments + first,
		message->count - first, message->capture->libc);
}

static void put_literal(
	const struct message *message, struct render_buffer *out)
{
	const struct definition_string *format = message_format(message);

	if (format) {
		render_buffer_put(out, format->bytes, format->length);
	} else {
		report_format(message);
		put_lost(message, out);
	}
}

/* What was appended since piece `first` is of one call of vfprintf(). */
static void join_printed(
	const struct message *message, struct render_buffer *out, size_t first)
{
	if (out->pieces && libc_has(message->capture->libc, LIBC_BUFFERS))
		render_buffer_join_printed(out, first,
			message->context->flags & BINLOG_CONTEXT_FAILED);
}

/*
 * Bytes, which may be what a format has been made into.  Of a call that has
 * failed a buffer takes nothing, unless it is filled by it: only the replay
 * knows.
 */
static void put_bytes(const struct message *message, struct render_buffer *out)
{
	const struct definition_context *context = message->context;
	const struct render_argument *string = string_at(message, 0);
	size_t first = render_buffer_pieces(out);
	size_t size = string ? string->bytes : 0;

	if (context->flags & BINLOG_CONTEXT_FAILED && !message->partial &&
		!out->pieces)
		size = context->stream && context->stream->buffering ==
						  BINLOG_BUFFER_FULL
			       ? 0
			       : libc_handed_on(size, LIBC_STAGE);
	if (size > 0)
		render_buffer_put(out, string->data, size);
	/* a format that did not last is not there */
	if (context->has_format || context->flags & BINLOG_CONTEXT_FAILED)
		join_printed(message, out, first);
}

static void put_perror(const struct message *message, struct render_buffer *out)
{
	const struct render_argument *prefix = string_at(message, 0);
	size_t first = render_buffer_pieces(out);

	put_argument_string(out, prefix);
	if (prefix)
		render_buffer_put_string(out, ": ");
	render_buffer_put_string(out, strerror(integer_at(message, 1)));
	render_buffer_put_string(out, "\n");
	join_printed(message, out, first);
}

static void put_warn(const struct message *message, bool with_errno,
	struct render_buffer *out)
{
	size_t first = render_buffer_pieces(out);

	put_argument_string(out, string_at(message, 0));
	render_buffer_put_string(out, ": ");
	join_printed(message, out, first);
	if (message->context->has_format)
		put_format(message, with_errno ? 2 : 1, out);
	first = render_buffer_pieces(out);
	if (with_errno && message->context->has_format)
		render_buffer_put_string(out, ": ");
	if (with_errno)
		render_buffer_put_string(out, strerror(integer_at(message, 1)));
	render_buffer_put_string(out, "\n");
	join_printed(message, out, first);
}

static void put_error(const struct message *message, struct render_buffer *out)
{
	int32_t number = integer_at(message, 1);
	size_t first = render_buffer_pieces(out);

	put_argument_string(out, string_at(message, 0));
	join_printed(message, out, first);
	put_format(message, 2, out);
	first = render_buffer_pieces(out);
	if (number != 0) {
		render_buffer_put_string(out, ": ");
		render_buffer_put_string(out, strerror(number));
	}
	join_printed(message, out, first);
	render_buffer_put_byte(out, '\n');
}

static void put_ident(
	const struct message_syslog *syslog, struct render_buffer *out)
{
	char pid[16];

	if (syslog->ident)
		render_buffer_put(out, syslog->ident, syslog->ident_bytes);
	if (syslog->pid != 0) {
		snprintf(pid, sizeof(pid), "[%" PRId32 "]",
			(int32_t)syslog->pid);
		render_buffer_put_string(out, pid);
	}
	render_buffer_put_string(out, ": ");
}

static void read_syslog(
	const struct message *message, struct message_syslog *syslog)
{
	const struct render_argument *ident = string_at(message, 3);

	syslog->priority = (uint32_t)integer_at(message, 0);
	syslog->pid = (uint32_t)integer_at(message, 1);
	syslog->utc_offset = integer_at(message, 2);
	syslog->ident = ident ? ident->data : NULL;
	syslog->ident_bytes = ident ? ident->bytes : 0;
}

bool message_is_syslog(
	const struct message *message, struct message_syslog *syslog)
{
	if (message->context->text != BINLOG_TEXT_SYSLOG)
		return false;
	read_syslog(message, syslog);
	return true;
}

/* LOG_PERROR prints the datagram by "%s%s": it ends at its first NUL. */
static void put_syslog_perror(
	const struct message *message, struct render_buffer *out)
{
	struct message_syslog syslog;
	size_t start = out->length;
	const char *nul;
	bool ends;

	read_syslog(message, &syslog);
	put_ident(&syslog, out);
	put_format(message, 4, out);
	ends = out->length > start && out->data[out->length - 1] == '\n';
	nul = out->length > start
		      ? memchr(out->data + start, '\0', out->length - start)
		      : NULL;
	if (nul)
		out->length = (size_t)(nul - out->data);
	if (!ends)
		render_buffer_put_byte(out, '\n');
}

static void put_characters(
	const struct message *message, struct render_buffer *out)
{
	const struct render_argument *string = string_at(message, 0);
	size_t i;

	for (i = 0; string && i < string->bytes; i++)
		render_buffer_put_byte(out, ((const char *)string->data)[i]);
}

static void put_character(
	const struct message *message, struct render_buffer *out)
{
	if (argument_at(message, 0, BINLOG_ARG_I32))
		render_buffer_put_byte(out, (char)integer_at(message, 0));
}

int64_t message_event_value(const struct message *message)
{
	const struct render_argument *argument =
		argument_at(message, 0, BINLOG_ARG_I64);

	return argument ? argument->i64 : 0;
}

void message_report_slow(const struct message *message)
{
	bool is_error = message_stream(message) & BINLOG_STREAM_STDERR;
	bool is_output = message_stream(message) & BINLOG_STREAM_STDOUT;

	/* Calls that were passed are told of by their number. */
	if (message->capture->passed > 0)
		return;
	recording_report(message->capture,
		is_output && is_error ? ERROR_UNSEEN_BOTH
		: is_error	      ? ERROR_UNSEEN_STDERR
				      : ERROR_UNSEEN_STDOUT,
		message->offset, (uint64_t)message_event_value(message));
}

uint32_t message_stream(const struct message *message)
{
	return definition_context_stream(message->context);
}

/* Each place is told of once. */
__attribute__((noinline, cold)) static void report_cut(
	const struct message *message, struct render_buffer *out)
{
	struct definition_context *context = message->context;

	if (!context->cut)
		recording_report(message->capture, ERROR_TEXT_CUT,
			message->offset, limits_of(LIMIT_PADDING));
	context->cut = true;
	out->cut = false;
}

void message_text(const struct message *message, struct render_buffer *out)
{
	/* but for who wants to know more than the text */
	if (message->text && !out->named && !out->pieces && !out->pointers &&
		!by_hand_is_asked_for()) {
		render_buffer_put(
			out, message->text->data, message->text->length);
		return;
	}
	switch (message->context->text) {
	case BINLOG_TEXT_FORMAT:
		put_format(message, 0, out);
		break;
	case BINLOG_TEXT_LITERAL:
		put_literal(message, out);
		break;
	case BINLOG_TEXT_LITERAL_LINE:
		put_literal(message, out);
		render_buffer_put_byte(out, '\n');
		break;
	case BINLOG_TEXT_BYTES:
		put_bytes(message, out);
		break;
	case BINLOG_TEXT_BYTES_AT:
		put_argument_string(out, string_at(message, 1));
		break;
	case BINLOG_TEXT_BYTES_LINE:
		put_argument_string(out, string_at(message, 0));
		render_buffer_put_byte(out, '\n');
		break;
	case BINLOG_TEXT_CHARACTER:
		put_character(message, out);
		break;
	case BINLOG_TEXT_CHARACTERS:
		put_characters(message, out);
		break;
	case BINLOG_TEXT_PERROR:
		put_perror(message, out);
		break;
	case BINLOG_TEXT_WARN:
		put_warn(message, true, out);
		break;
	case BINLOG_TEXT_WARNX:
		put_warn(message, false, out);
		break;
	case BINLOG_TEXT_ERROR:
		put_error(message, out);
		break;
	case BINLOG_TEXT_SYSLOG:
		put_format(message, 4, out);
		break;
	case BINLOG_TEXT_SYSLOG_PERROR:
		put_syslog_perror(message, out);
		break;
	default:
		recording_report(message->capture, ERROR_TEXT, message->offset,
			message->context->text);
		put_without_format(message, 0, out);
	}
	if (__builtin_expect(out->cut, 0))
		report_cut(message, out);
}

void message_strip_prefix(
	const struct message *message, struct render_buffer *text, size_t start)
{
	const struct definition_statement *statement =
		message->context->statement;
	size_t first = definition_arguments_before(message->context);
	size_t bytes;

	if (!statement || !statement->prefix || text->failed ||
		first >= message->count)
		return;
	bytes = message->arguments[first].bytes;
	if (bytes > text->length - start)
		return;
	text->length -= bytes;
	memmove(text->data + start, text->data + start + bytes,
		text->length - start);
}

void message_syslog_head(const struct message *message,
	const struct message_syslog *syslog, struct render_buffer *out)
{
	time_t seconds =
		(time_t)(message->wall / 1000000000u) + syslog->utc_offset;
	struct tm tm = {0};
	char head[64];

	snprintf(
		head, sizeof(head), "<%" PRId32 ">", (int32_t)syslog->priority);
	render_buffer_put_string(out, head);
	gmtime_r(&seconds, &tm);
	render_buffer_put(
		out, head, strftime(head, sizeof(head), "%h %e %T ", &tm));
	put_ident(syslog, out);
}

void message_origin_add(
	struct message_origin *origin, const struct message_creator *creator)
{
	const struct definition_context *context = creator->context;
	uint64_t hash = binlog_hash_word(origin->hash, creator->tid);
	size_t i;

	hash = binlog_hash_word(hash, creator->pid);
	hash = binlog_hash_word(
		hash, binlog_hash(creator->name, strlen(creator->name)));
	for (i = 0; context && i < context->depth; i++)
		hash = binlog_hash_word(hash, context->frames[i]);
	origin->hash = hash | 1;
	origin->by[origin->count++] = *creator;
}

struct message message_of_creator(
	const struct message *message, const struct message_creator *creator)
{
	struct message made = *message;

	made.context = creator->context;
	made.pool = creator->pool;
	made.count = 0;
	made.text = NULL;
	made.origin = NULL;
	made.coroutine = 0;
	return made;
}
