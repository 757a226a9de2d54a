#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8_read.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "decoder/output/style.h"
#include "record/word.h"
#include "rules/levels.h"

#define ARGUMENT "BINLOG_ARG_"
/* systemd takes no longer names. */
#define NAME_BYTES_MAX 64u

/* An entry of the journal's export format for each call. */
struct journal {
	struct style_settings settings;
	struct whole_call call;
	struct render_buffer scratch;
	struct render_buffer value;
};

void *style_journal_begin(const struct style_settings *settings)
{
	struct journal *journal = calloc(1, sizeof(*journal));

	if (!journal)
		return NULL;
	journal->settings = *settings;
	journal->call.pointers = settings->pointers;
	return journal;
}

static bool has_control(const char *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (((uint8_t)bytes[i] < ' ' && bytes[i] != '\t') ||
			bytes[i] == 0x7f)
			return true;
	return false;
}

/* As text where that is allowed, else behind its length. */
static void put_field(struct render_buffer *out, const char *name,
	const char *bytes, size_t size)
{
	uint64_t length = size; /* little-endian */

	render_buffer_put(out, name, strlen(name));
	if (has_control(bytes, size) || !utf8_read_is_good(bytes, size)) {
		render_buffer_put_byte(out, '\n');
		render_buffer_put(out, &length, sizeof(length));
	} else {
		render_buffer_put_byte(out, '=');
	}
	render_buffer_put(out, bytes, size);
	render_buffer_put_byte(out, '\n');
}

static void put_string(
	struct render_buffer *out, const char *name, const char *string)
{
	put_field(out, name, string, strlen(string));
}

static void put_number(
	struct render_buffer *out, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	put_string(out, name, text);
}

/* The kernel's clock at the time, as far as its start tells. */
static void put_boot(struct render_buffer *out, const struct message *message)
{
	const struct binlog_header *header = &message->capture->header;
	static const uint8_t unknown[sizeof(header->boot_id)];
	char id[2 * sizeof(header->boot_id) + 1];
	uint64_t since = header->start.monotonic;
	size_t i;

	if (memcmp(header->boot_id, unknown, sizeof(unknown)) == 0)
		return;
	if (message->wall > header->start.realtime)
		since += message->wall - header->start.realtime;
	put_number(out, "__MONOTONIC_TIMESTAMP", since / 1000);
	for (i = 0; i < sizeof(header->boot_id); i++)
		snprintf(id + 2 * i, 3, "%02x", header->boot_id[i]);
	put_string(out, "_BOOT_ID", id);
}

static void put_ident(struct render_buffer *out, const struct message *message)
{
	struct message_syslog syslog;

	if (!message_is_syslog(message, &syslog)) {
		put_string(out, "SYSLOG_IDENTIFIER", message->program->name);
		return;
	}
	put_number(out, "SYSLOG_FACILITY", syslog.priority >> 3);
	if (syslog.ident)
		put_field(out, "SYSLOG_IDENTIFIER", syslog.ident,
			syslog.ident_bytes);
	else
		put_string(out, "SYSLOG_IDENTIFIER", message->program->name);
}

static void put_origin(struct journal *journal, const struct message *message)
{
	struct render_buffer *out = &journal->settings.output->text;
	const struct definition_string *function = message->context->function;
	int level = message_level(message);

	/* systemd refuses 0. */
	put_number(out, "__REALTIME_TIMESTAMP",
		message->wall < 1000 ? 1 : message->wall / 1000);
	put_boot(out, message);
	put_number(out, "PRIORITY",
		(uint64_t)(level > LEVEL_debug ? LEVEL_debug : level));
	put_ident(out, message);
	put_number(out, "SYSLOG_PID", message->pid);
	put_number(out, "TID", message->tid);
	put_string(out, "BINLOG_THREAD", message->thread);
	put_number(out, "BINLOG_TIME_NS", message->wall);
	journal->scratch.length = 0;
	message_words_stream(message, &journal->scratch);
	put_field(out, "BINLOG_STREAM", journal->scratch.data,
		journal->scratch.length);
	if (function && function->bytes)
		put_field(out, "BINLOG_FUNCTION", function->bytes,
			function->length);
}

static void put_place(void *closure, const struct place *place)
{
	struct render_buffer *out = closure;

	if (place->file) {
		put_string(out, "CODE_FILE", place->file);
		put_number(out, "CODE_LINE", place->line);
	}
	if (place->function)
		put_string(out, "CODE_FUNC", place->function);
}

/* In capital letters, as names of the journal's fields are. */
static void make_name(char name[NAME_BYTES_MAX + 1], const struct field *field)
{
	size_t used = sizeof(ARGUMENT) - 1;
	size_t bytes = strlen(field->name);
	size_t i;

	if (bytes > NAME_BYTES_MAX - used) {
		snprintf(name, NAME_BYTES_MAX + 1, ARGUMENT "ARG%u",
			field->number);
		return;
	}
	memcpy(name, ARGUMENT, used);
	for (i = 0; i <= bytes; i++)
		name[used + i] = word_lower(field->name[i]) == field->name[i] &&
						 word_is_letter(field->name[i])
					 ? (char)(field->name[i] - 'a' + 'A')
					 : field->name[i];
}

static void put_arguments(
	struct journal *journal, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	char name[NAME_BYTES_MAX + 1];
	size_t i;

	for (i = 0; i < fields->count; i++) {
		const struct field *field = &fields->all[i];
		struct field_value value =
			field_value(field, message, &journal->scratch);

		if (!value.known)
			continue;
		journal->value.length = 0;
		field_words_put(&journal->value, field, &value);
		make_name(name, field);
		put_field(&journal->settings.output->text, name,
			journal->value.data, journal->value.length);
	}
}

static void put_head(void *state, const struct message *message)
{
	struct journal *journal = state;
	struct render_buffer *out = &journal->settings.output->text;
	const struct definition_string *format = message_format(message);

	put_origin(journal, message);
	if (journal->settings.location)
		frames_author(
			journal->settings.location, message, put_place, out);
	if (format)
		put_field(out, "BINLOG_FORMAT", format->bytes, format->length);
	put_arguments(journal, message);
}

static void put_text(void *state)
{
	struct journal *journal = state;
	struct render_buffer *out = &journal->settings.output->text;
	const struct render_buffer *text = &journal->call.text;
	size_t bytes = text->length;

	bytes -= bytes > 0 && text->data[bytes - 1] == '\n';
	put_field(out, "MESSAGE", text->data, bytes);
	render_buffer_put_byte(out, '\n');
	output_settle(journal->settings.output);
}

static const struct whole_call_parts parts = {
	.begin = put_head,
	.end = put_text,
};

void style_journal_message(void *state, const struct message *message)
{
	struct journal *journal = state;

	whole_call_message(&journal->call, message, &parts, journal);
}

void style_journal_end(void *state)
{
	struct journal *journal = state;
	struct render_buffer *out = &journal->settings.output->text;

	if (journal->call.open)
		put_text(journal);
	render_buffer_retire(&journal->call.text, out);
	render_buffer_retire(&journal->scratch, out);
	render_buffer_retire(&journal->value, out);
	free(journal);
}
