#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8_read.h"
#include "decoder/message/facts.h"
#include "decoder/message/fields.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"
#include "record/word.h"

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

static void put_fact(void *closure, const char *key, const struct fact *fact)
{
	if (fact->kind == FACT_NUMBER)
		put_number(closure, key, fact->number);
	else
		put_field(closure, key, fact->text, fact->bytes);
}

static void put_facts(struct journal *journal, const struct message *message,
	const struct fact_wanted *wanted, size_t count)
{
	facts_each(wanted, count, journal->settings.location, message,
		&journal->scratch, put_fact, &journal->settings.output->text);
}

static void put_origin(struct journal *journal, const struct message *message)
{
	static const struct fact_wanted severity[] = {
		{FACT_severity, "PRIORITY"},
		{FACT_facility, "SYSLOG_FACILITY"},
	};
	static const struct fact_wanted wanted[] = {
		{FACT_pid, "SYSLOG_PID"},
		{FACT_tid, "TID"},
		{FACT_thread, "BINLOG_THREAD"},
		{FACT_coroutine, "BINLOG_COROUTINE"},
		{FACT_time_ns, "BINLOG_TIME_NS"},
		{FACT_stream, "BINLOG_STREAM"},
		{FACT_function, "BINLOG_FUNCTION"},
		{FACT_file, "CODE_FILE"},
		{FACT_line, "CODE_LINE"},
		{FACT_caller, "CODE_FUNC"},
		{FACT_format, "BINLOG_FORMAT"},
	};
	struct render_buffer *out = &journal->settings.output->text;
	struct fact ident;

	/* systemd refuses 0. */
	put_number(out, "__REALTIME_TIMESTAMP",
		message->wall < 1000 ? 1 : message->wall / 1000);
	put_boot(out, message);
	put_facts(journal, message, severity, FACTS_COUNT(severity));
	if (facts_find(FACT_ident, NULL, message, &journal->scratch, &ident))
		put_fact(out, "SYSLOG_IDENTIFIER", &ident);
	else
		put_string(out, "SYSLOG_IDENTIFIER", message->program->name);
	put_facts(journal, message, wanted, FACTS_COUNT(wanted));
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
	put_origin(state, message);
	put_arguments(state, message);
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
