#include <stdlib.h>

#include "base/json_text.h"
#include "decoder/message/facts.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"
#include "rules/levels.h"

/* A request has no more records, and is not much longer. */
#define RECORDS_MAX 512u
#define BYTES_MAX ((size_t)1 << 20)

/* Lines of OpenTelemetry's ExportLogsServiceRequest: a record for each call. */
struct otlp {
	struct style_settings settings;
	struct whole_call call;
	struct render_buffer request;  /* without its end */
	const struct program *program; /* of the last record; null: none yet */
	size_t records;
	struct render_buffer scratch;
};

void *style_otlp_begin(const struct style_settings *settings)
{
	struct otlp *otlp = calloc(1, sizeof(*otlp));

	if (!otlp)
		return NULL;
	otlp->settings = *settings;
	otlp->call.pointers = settings->pointers;
	return otlp;
}

/* Of an attribute, up to its value; the first has a comma before it, too. */
static void put_key(struct render_buffer *out, const char *key)
{
	json_text_put(out, ",{\"key\":");
	json_text_word(out, key);
	json_text_put(out, ",\"value\":{");
}

static void put_end(struct render_buffer *out)
{
	json_text_put(out, "}}");
}

/* int64 is a string in JSON: a double would round it. */
static void put_integer(struct render_buffer *out, int64_t number)
{
	json_text_put(out, "\"intValue\":\"");
	json_text_integer(out, number);
	render_buffer_put_byte(out, '"');
}

/* There is no uint64. */
static void put_unsigned(struct render_buffer *out, uint64_t number)
{
	if (number <= INT64_MAX) {
		put_integer(out, (int64_t)number);
		return;
	}
	json_text_put(out, "\"stringValue\":\"");
	json_text_unsigned(out, number);
	render_buffer_put_byte(out, '"');
}

/* What is not UTF-8 is no string. */
static void put_bytes(struct render_buffer *out, const char *bytes, size_t size)
{
	size_t before = out->length;

	json_text_put(out, "\"stringValue\":");
	if (json_text_string(out, bytes, size))
		return;
	out->length = before;
	json_text_put(out, "\"bytesValue\":");
	json_text_base64(out, bytes, size);
}

static void put_text_attribute(struct render_buffer *out, const char *key,
	const char *bytes, size_t size)
{
	put_key(out, key);
	put_bytes(out, bytes, size);
	put_end(out);
}

static void put_string_attribute(
	struct render_buffer *out, const char *key, const char *string)
{
	put_text_attribute(out, key, string, strlen(string));
}

static void put_number_attribute(
	struct render_buffer *out, const char *key, uint64_t number)
{
	put_key(out, key);
	put_unsigned(out, number);
	put_end(out);
}

static void put_value(struct render_buffer *out, const struct field *field,
	const struct field_value *value)
{
	struct field_text text;

	switch (field->type) {
	case FIELD_INTEGER:
		put_integer(out, value->i64);
		break;
	case FIELD_UNSIGNED:
	case FIELD_POINTER:
		put_unsigned(out, value->u64);
		break;
	case FIELD_FLOAT:
		json_text_put(out, "\"doubleValue\":");
		json_text_float(out, value->f64);
		break;
	case FIELD_CHARACTER:
	case FIELD_TEXT:
		field_text_of(&text, field, value);
		put_bytes(out, text.bytes, text.size);
		break;
	}
}

static void put_arguments(struct otlp *otlp, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	for (i = 0; i < fields->count; i++) {
		const struct field *field = &fields->all[i];
		struct field_value value =
			field_value(field, message, &otlp->scratch);

		put_key(&otlp->request, field->name);
		if (value.known)
			put_value(&otlp->request, field, &value);
		put_end(&otlp->request);
	}
}

static void put_fact(void *closure, const char *key, const struct fact *fact)
{
	if (fact->kind == FACT_NUMBER)
		put_number_attribute(closure, key, fact->number);
	else
		put_text_attribute(closure, key, fact->text, fact->bytes);
}

static void put_origin(struct otlp *otlp, const struct message *message)
{
	static const struct fact_wanted wanted[] = {
		{FACT_thread, "thread.name"},
		{FACT_coroutine, "binlog.coroutine"},
		{FACT_stream, "log.iostream"},
		{FACT_facility, "syslog.facility.code"},
		{FACT_ident, "syslog.appname"},
		{FACT_function, "binlog.function"},
		{FACT_format, "binlog.format"},
		{FACT_file, "code.filepath"},
		{FACT_line, "code.lineno"},
		{FACT_caller, "code.function"},
	};

	facts_each(wanted, FACTS_COUNT(wanted), otlp->settings.location,
		message, &otlp->scratch, put_fact, &otlp->request);
}

/* As the data model of OpenTelemetry maps those of syslog. */
static unsigned severity_of(int level)
{
	static const uint8_t severities[] = {
		21, 19, 18, 17, 13, 10, 9, 5, 4, 3, 2, 1};

	return level >= 0 && (size_t)level < sizeof(severities)
		       ? severities[level]
		       : 0;
}

static void begin_request(struct otlp *otlp)
{
	otlp->records = 0;
	otlp->program = NULL;
	json_text_put(&otlp->request, "{\"resourceLogs\":[");
}

/* A process is a resource. */
static void begin_resource(struct otlp *otlp, const struct message *message)
{
	struct render_buffer *out = &otlp->request;

	if (otlp->program)
		json_text_put(out, "]}]},");
	json_text_put(out,
		"{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
		"\"value\":{\"stringValue\":");
	json_text_word(out, message->program->name);
	put_end(out);
	put_number_attribute(out, "process.pid", message->pid);
	if (message->program->executable)
		put_string_attribute(out, "process.executable.path",
			message->program->executable);
	json_text_put(out, "]},\"scopeLogs\":[{\"scope\":{\"name\":\"binlog\"},"
			   "\"logRecords\":[");
	otlp->program = message->program;
}

static void begin_record(void *state, const struct message *message)
{
	struct otlp *otlp = state;
	struct render_buffer *out = &otlp->request;
	int level = message_level(message);

	if (out->length == 0)
		begin_request(otlp);
	if (otlp->program != message->program)
		begin_resource(otlp, message);
	else
		render_buffer_put_byte(out, ',');
	json_text_put(out, "{\"timeUnixNano\":\"");
	json_text_unsigned(out, message->wall);
	json_text_put(out, "\",\"severityNumber\":");
	json_text_unsigned(out, severity_of(level));
	json_text_put(out, ",\"severityText\":");
	json_text_word(out, level_name(level));
	json_text_put(
		out, ",\"attributes\":[{\"key\":\"thread.id\",\"value\":{");
	put_unsigned(out, message->tid);
	put_end(out);
	put_origin(otlp, message);
	put_arguments(otlp, message);
}

static void end_request(struct otlp *otlp)
{
	struct output *output = otlp->settings.output;

	if (otlp->request.length == 0)
		return;
	json_text_put(&otlp->request, "]}]}]}\n");
	render_buffer_put(
		&output->text, otlp->request.data, otlp->request.length);
	otlp->request.length = 0;
	output_settle(output);
}

/* All bytes of a text that is not UTF-8 are in an attribute as well. */
static void end_record(void *state)
{
	struct otlp *otlp = state;
	struct render_buffer *out = &otlp->request;
	const struct render_buffer *text = &otlp->call.text;
	size_t bytes = text->length;
	size_t before = out->length;

	bytes -= bytes > 0 && text->data[bytes - 1] == '\n';
	json_text_put(out, "],\"body\":{\"stringValue\":");
	if (!json_text_string(out, text->data, bytes)) {
		out->length = before;
		put_text_attribute(out, "binlog.text", text->data, bytes);
		json_text_put(out, "],\"body\":{\"stringValue\":");
		json_text_string(out, text->data, bytes);
	}
	json_text_put(out, "}}");
	otlp->records++;
	if (otlp->records == RECORDS_MAX || out->length > BYTES_MAX ||
		output_takes_lines(otlp->settings.output))
		end_request(otlp);
}

static const struct whole_call_parts parts = {
	.begin = begin_record,
	.end = end_record,
};

void style_otlp_message(void *state, const struct message *message)
{
	struct otlp *otlp = state;

	whole_call_message(&otlp->call, message, &parts, otlp);
}

void style_otlp_end(void *state)
{
	struct otlp *otlp = state;
	struct render_buffer *out = &otlp->settings.output->text;

	if (otlp->call.open)
		end_record(otlp);
	end_request(otlp);
	render_buffer_retire(&otlp->call.text, out);
	render_buffer_retire(&otlp->request, out);
	render_buffer_retire(&otlp->scratch, out);
	free(otlp);
}
