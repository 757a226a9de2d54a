#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/utf8_read.h"
#include "decoder/message/category.h"
#include "decoder/message/facts.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "decoder/output/style.h"
#include "rules/levels.h"

/* RFC 5612: the number for examples, since we have none of our own. */
#define ENTERPRISE "@32473"
#define FACILITY_USER 1u
#define APP_NAME_MAX 48u
#define MSGID_MAX 32u
#define PARAM_NAME_MAX 32u
#define BOM "\xef\xbb\xbf"
#define BOM_BYTES 3u

/* A message of RFC 5424 for each call, behind its length (RFC 6587). */
struct syslog {
	struct style_settings settings;
	struct calendar calendar;
	struct whole_call call;
	struct render_buffer head; /* of the call: all but its text */
	struct render_buffer scratch;
	struct render_buffer value;
};

void *style_syslog_begin(const struct style_settings *settings)
{
	struct syslog *syslog = calloc(1, sizeof(*syslog));

	if (!syslog)
		return NULL;
	syslog->settings = *settings;
	syslog->calendar.utc = settings->utc;
	syslog->call.pointers = settings->pointers;
	return syslog;
}

/* PRINTUSASCII, of which there has to be something; and a space. */
static void put_token(
	struct render_buffer *out, const char *bytes, size_t size, size_t most)
{
	size_t i;

	for (i = 0; i < size && i < most; i++)
		render_buffer_put_byte(out,
			bytes[i] > ' ' && bytes[i] < 0x7f ? bytes[i] : '_');
	if (i == 0)
		render_buffer_put_byte(out, '-');
	render_buffer_put_byte(out, ' ');
}

/* Six digits of a second are allowed; all nine are in a parameter. */
static void put_time(struct syslog *syslog, uint64_t wall)
{
	static const size_t kept = sizeof("2026-11-21T02:27:03.123456") - 1;
	struct render_buffer *scratch = &syslog->scratch;

	scratch->length = 0;
	calendar_append_standard(&syslog->calendar, wall, scratch);
	if (scratch->length < kept + 3)
		return;
	render_buffer_put(&syslog->head, scratch->data, kept);
	render_buffer_put(&syslog->head, scratch->data + kept + 3,
		scratch->length - kept - 3);
}

static void put_priority(
	struct render_buffer *out, const struct message *message)
{
	struct message_syslog said;
	int level = message_level(message);
	uint32_t facility = FACILITY_USER;

	if (message_is_syslog(message, &said))
		facility = said.priority >> 3 & 127;
	if (facility > 23)
		facility = FACILITY_USER;
	render_buffer_put_byte(out, '<');
	render_buffer_put_number(out,
		facility * 8 +
			(uint32_t)(level > LEVEL_debug ? LEVEL_debug : level));
	render_buffer_put_string(out, ">1 ");
}

static void put_ident(struct render_buffer *out, const struct message *message)
{
	const char *name = message->program->name;
	struct message_syslog said;

	if (message_is_syslog(message, &said) && said.ident)
		put_token(out, said.ident, said.ident_bytes, APP_NAME_MAX);
	else
		put_token(out, name, strlen(name), APP_NAME_MAX);
}

/* What all messages of one call in the source have in common. */
static void put_msgid(struct syslog *syslog, const struct message *message)
{
	struct render_buffer *scratch = &syslog->scratch;
	const char *module = category_module(message);
	char offset[24];
	size_t room;

	scratch->length = 0;
	if (module) {
		snprintf(offset, sizeof(offset), "+0x%" PRIx64,
			category_offset(message));
		room = MSGID_MAX - strlen(offset);
		render_buffer_put(scratch, module, strnlen(module, room));
		render_buffer_put_string(scratch, offset);
	}
	put_token(&syslog->head, scratch->data, scratch->length, MSGID_MAX);
}

/* ` name="value"` */
static void put_param(
	struct render_buffer *out, const char *name, struct render_buffer *utf8)
{
	size_t i;

	render_buffer_put_byte(out, ' ');
	render_buffer_put_string(out, name);
	render_buffer_put_string(out, "=\"");
	for (i = 0; i < utf8->length; i++) {
		if (strchr("\"\\]", utf8->data[i]))
			render_buffer_put_byte(out, '\\');
		render_buffer_put_byte(out, utf8->data[i]);
	}
	render_buffer_put_byte(out, '"');
}

static void put_fact(void *closure, const char *key, const struct fact *fact)
{
	struct syslog *syslog = closure;

	syslog->value.length = 0;
	if (fact->kind == FACT_NUMBER)
		render_buffer_put_number(&syslog->value, fact->number);
	else
		utf8_text_put(&syslog->value, fact->text, fact->bytes);
	put_param(&syslog->head, key, &syslog->value);
}

static void put_origin(struct syslog *syslog, const struct message *message)
{
	static const struct fact_wanted wanted[] = {FACT_WANTED(time_ns),
		FACT_WANTED(tid), FACT_WANTED(thread), FACT_WANTED(coroutine),
		FACT_WANTED(stream),
		FACT_WANTED(function), FACT_WANTED(format), FACT_WANTED(file),
		FACT_WANTED(line), FACT_WANTED(caller)};

	render_buffer_put_string(&syslog->head, "[binlog" ENTERPRISE);
	facts_each(wanted, FACTS_COUNT(wanted), syslog->settings.location,
		message, &syslog->scratch, put_fact, syslog);
	render_buffer_put_byte(&syslog->head, ']');
}

static void put_argument(struct syslog *syslog, const struct field *field,
	const struct field_value *value)
{
	char number[PARAM_NAME_MAX + 1];

	syslog->value.length = 0;
	field_words_put(&syslog->value, field, value);
	/* What is no UTF-8 is made so on its way to another buffer. */
	syslog->scratch.length = 0;
	utf8_text_put(
		&syslog->scratch, syslog->value.data, syslog->value.length);
	snprintf(number, sizeof(number), "arg%u", field->number);
	put_param(&syslog->head,
		strlen(field->name) > PARAM_NAME_MAX ? number : field->name,
		&syslog->scratch);
}

static void put_arguments(struct syslog *syslog, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	if (fields->count == 0)
		return;
	render_buffer_put_string(&syslog->head, "[args" ENTERPRISE);
	for (i = 0; i < fields->count; i++) {
		struct field_value value =
			field_value(&fields->all[i], message, &syslog->scratch);

		if (value.known)
			put_argument(syslog, &fields->all[i], &value);
	}
	render_buffer_put_byte(&syslog->head, ']');
}

static void put_head(void *state, const struct message *message)
{
	struct syslog *syslog = state;
	struct render_buffer *head = &syslog->head;

	head->length = 0;
	put_priority(head, message);
	put_time(syslog, message->wall);
	render_buffer_put_string(head, " - "); /* the host is not known */
	put_ident(head, message);
	render_buffer_put_number(head, message->pid);
	render_buffer_put_byte(head, ' ');
	put_msgid(syslog, message);
	put_origin(syslog, message);
	put_arguments(syslog, message);
	render_buffer_put_byte(head, ' ');
}

static bool is_ascii(const char *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if ((uint8_t)bytes[i] >= 0x80)
			return false;
	return true;
}

/* Text that is known to be UTF-8 says so, and no other may. */
static void put_text(void *state)
{
	struct syslog *syslog = state;
	struct render_buffer *out = &syslog->settings.output->text;
	const char *text = syslog->call.text.data;
	size_t bytes = syslog->call.text.length;
	size_t bom = 0;

	bytes -= bytes > 0 && text[bytes - 1] == '\n';
	for (; bytes >= BOM_BYTES && memcmp(text, BOM, BOM_BYTES) == 0;
		bytes -= BOM_BYTES)
		text += BOM_BYTES;
	if (!is_ascii(text, bytes) && utf8_read_is_good(text, bytes))
		bom = BOM_BYTES;
	render_buffer_put_number(out, syslog->head.length + bom + bytes);
	render_buffer_put_byte(out, ' ');
	render_buffer_put(out, syslog->head.data, syslog->head.length);
	render_buffer_put(out, BOM, bom);
	render_buffer_put(out, text, bytes);
	output_settle(syslog->settings.output);
}

static const struct whole_call_parts parts = {
	.begin = put_head,
	.end = put_text,
};

void style_syslog_message(void *state, const struct message *message)
{
	struct syslog *syslog = state;

	whole_call_message(&syslog->call, message, &parts, syslog);
}

void style_syslog_end(void *state)
{
	struct syslog *syslog = state;
	struct render_buffer *out = &syslog->settings.output->text;

	if (syslog->call.open)
		put_text(syslog);
	render_buffer_retire(&syslog->call.text, out);
	render_buffer_retire(&syslog->head, out);
	render_buffer_retire(&syslog->scratch, out);
	render_buffer_retire(&syslog->value, out);
	free(syslog);
}
