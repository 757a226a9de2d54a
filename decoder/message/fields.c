#include "decoder/message/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "decoder/capture/named_text.h"
#include "record/format.h"
#include "record/utf8.h"

static const struct fields no_fields;

static enum field_type type_of(char conversion)
{
	switch (conversion) {
	case 'd':
	case 'm':
		return FIELD_INTEGER;
	case 'c':
		return FIELD_CHARACTER;
	case 'p':
		return FIELD_POINTER;
	case 's':
		return FIELD_TEXT;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		return FIELD_FLOAT;
	}
	return FIELD_UNSIGNED;
}

/* `%1$d %1$x` says one argument twice: it is one field, as first said. */
static struct field *find(struct fields *fields, size_t argument)
{
	size_t i;

	for (i = 0; i < fields->count; i++)
		if (fields->all[i].argument == argument)
			return &fields->all[i];
	return NULL;
}

static bool has_name(
	const struct fields *fields, const char *name, size_t bytes)
{
	size_t i;

	for (i = 0; i < fields->count; i++)
		if (fields->all[i].name &&
			strncmp(fields->all[i].name, name, bytes) == 0 &&
			fields->all[i].name[bytes] == '\0')
			return true;
	return false;
}

/* `arg2` means the second argument, whatever stands before another one. */
static bool is_number(const char *name, size_t bytes)
{
	size_t i;

	if (bytes < 4 || memcmp(name, "arg", 3) != 0)
		return false;
	for (i = 3; i < bytes; i++)
		if ((unsigned char)(name[i] - '0') > 9)
			return false;
	return true;
}

static const char *name_of(const struct fields *fields, size_t argument,
	const char *word, size_t bytes, struct pool *pool)
{
	char number[32];

	if (bytes > 0 && !is_number(word, bytes) &&
		!has_name(fields, word, bytes))
		return pool_copy(pool, word, bytes);
	bytes = (size_t)snprintf(
		number, sizeof(number), "arg%zu", argument + 1);
	return pool_copy(pool, number, bytes);
}

struct walk {
	const struct message *message;
	struct fields *fields;
	size_t before; /* arguments that are not the format's */
	bool failed;
};

static void add(struct walk *walk, const struct format_directive *directive,
	size_t argument, const char *word, size_t bytes)
{
	const struct definition_context *context = walk->message->context;
	struct fields *fields = walk->fields;
	size_t at = walk->before + argument;
	size_t number;
	struct field *field;

	if (!definition_is_own_argument(context, argument, &number) ||
		find(fields, at))
		return;
	field = &fields->all[fields->count];
	*field = (struct field){
		.type = type_of(directive->conversion),
		.argument = (uint16_t)at,
		.number = (uint16_t)number,
		.kind = context->kinds[at],
		.size = directive->size,
		.conversion = directive->conversion,
		.name = name_of(
			fields, number - 1, word, bytes, walk->message->pool),
	};
	walk->failed = walk->failed || !field->name;
	fields->count++;
}

static void add_star(struct walk *walk, int argument)
{
	static const struct format_directive number = {
		.conversion = 'd', .size = FORMAT_INT};

	if (argument != FORMAT_NONE)
		add(walk, &number, (size_t)argument, "", 0);
}

static void add_directive(struct walk *walk,
	const struct format_directive *directive,
	const struct format_directive *plain)
{
	const char *name;
	size_t bytes;

	add_star(walk, directive->width_argument);
	add_star(walk, directive->precision_argument);
	if (directive->argument == FORMAT_NONE || directive->conversion == 'n')
		return;
	name = named_text_name(plain->text, plain->length, &bytes);
	add(walk, directive, (size_t)directive->argument, name, bytes);
}

static void sort(struct fields *fields)
{
	size_t i;
	size_t to;

	for (i = 1; i < fields->count; i++) {
		struct field field = fields->all[i];

		for (to = i;
			to > 0 && fields->all[to - 1].argument > field.argument;
			to--)
			fields->all[to] = fields->all[to - 1];
		fields->all[to] = field;
	}
}

static void add_all(struct walk *walk, const struct definition_string *format)
{
	static const struct format_directive none = {.text = ""};
	static const struct format_directive error = {
		.conversion = 'm', .size = FORMAT_INT};
	struct format_directive plain = none;
	struct format_directive directive;
	struct format_cursor cursor;
	bool has_errno = false;

	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion == 0) {
			plain = directive;
			continue;
		}
		has_errno = has_errno || directive.conversion == 'm';
		add_directive(walk, &directive, &plain);
		plain = none;
	}
	if (has_errno)
		add(walk, &error,
			walk->message->context->arguments - walk->before - 1,
			"errno", 5);
}

/* The context has the arguments that the format takes. */
static bool takes(const struct definition_string *format,
	const struct definition_context *context)
{
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	size_t before = definition_arguments_before(context);
	bool has_errno;
	int count = format_arguments(
		format->bytes, format->length, kinds, &has_errno);

	return count != FORMAT_NONE && context->arguments >= before &&
	       context->arguments - before == (size_t)count &&
	       memcmp(kinds, context->kinds + before, (size_t)count) == 0;
}

static struct fields *make(const struct message *message)
{
	struct definition_context *context = message->context;
	const struct definition_string *format = message_format(message);
	const bool any = format && definition_is_formatted(context) &&
			 takes(format, context);
	struct walk walk = {.message = message};
	struct fields *fields;

	fields = pool_take(message->pool,
		sizeof(*fields) +
			(any ? context->arguments : 0) * sizeof(fields->all[0]));
	if (!fields)
		return NULL;
	fields->count = 0;
	fields->json = NULL;
	if (!any)
		return fields;
	walk.fields = fields;
	walk.before = definition_arguments_before(context);
	add_all(&walk, format);
	sort(fields);
	return walk.failed ? NULL : fields;
}

const struct fields *fields_of(const struct message *message)
{
	struct definition_context *context = message->context;

	if (!context->fields)
		context->fields = make(message);
	if (context->fields)
		return context->fields;
	recording_report(message->capture, ERROR_MEMORY, message->offset, 0);
	return &no_fields;
}

static uint64_t cut_unsigned(uint64_t bits, uint8_t size)
{
	switch (size) {
	case FORMAT_CHAR:
		return (uint8_t)bits;
	case FORMAT_SHORT:
		return (uint16_t)bits;
	case FORMAT_INT:
		return (uint32_t)bits;
	}
	return bits;
}

static int64_t cut_signed(int64_t number, uint8_t size)
{
	switch (size) {
	case FORMAT_CHAR:
		return (int8_t)number;
	case FORMAT_SHORT:
		return (int16_t)number;
	}
	return number;
}

int64_t field_cut(int64_t number, char conversion, uint8_t size)
{
	switch (conversion) {
	case 'd':
	case 'm':
		return cut_signed(number, size);
	case 'c':
		return size == FORMAT_LONG ? (uint32_t)number : (uint8_t)number;
	case 'p':
		return number;
	}
	return (int64_t)cut_unsigned((uint64_t)number, size);
}

/* False: another machine's. */
static bool read_long_double(
	const struct render_argument *argument, struct field_value *value)
{
	bool binary128 = __LDBL_MANT_DIG__ == 113;
	long double number;

	if (argument->binary128 != binary128 || !argument->data)
		return false;
	memcpy(&number, argument->data, sizeof(number));
	value->f64 = (double)number;
	return true;
}

static bool read_wide(const struct render_argument *argument,
	struct render_buffer *scratch, struct field_value *value)
{
	char utf8[UTF8_MAX];
	size_t i;

	scratch->length = 0;
	for (i = 0; i + 4 <= argument->bytes; i += 4) {
		uint32_t c;

		memcpy(&c, (const char *)argument->data + i, sizeof(c));
		render_buffer_put(scratch, utf8, utf8_put(utf8, c));
	}
	value->text = scratch->length > 0 ? scratch->data : "";
	value->bytes = scratch->length;
	return !scratch->failed;
}

struct field_value field_value(const struct field *field,
	const struct message *message, struct render_buffer *scratch)
{
	struct field_value value = {.text = ""};
	const struct render_argument *argument;

	if (field->argument >= message->count)
		return value;
	argument = &message->arguments[field->argument];
	if (argument->kind != field->kind)
		return value;
	value.known = true;
	switch (argument->kind) {
	case BINLOG_ARG_I32:
		value.i64 = field_cut(
			argument->i32, field->conversion, field->size);
		break;
	case BINLOG_ARG_I64:
		value.i64 = field_cut(
			argument->i64, field->conversion, field->size);
		break;
	case BINLOG_ARG_F64:
		value.f64 = argument->f64;
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		value.known = read_long_double(argument, &value);
		break;
	case BINLOG_ARG_WIDE:
		value.known =
			!argument->null && read_wide(argument, scratch, &value);
		break;
	default:
		value.known = !argument->null;
		value.text = argument->bytes > 0 ? argument->data : "";
		value.bytes = argument->null ? 0 : argument->bytes;
	}
	return value;
}

/*
 * The value of a field as text for formats that know no types: exports to
 * logs of the system.
 */

void field_words_put(struct render_buffer *out, const struct field *field,
	const struct field_value *value)
{
	struct field_text string;
	char text[32] = "";

	switch (field->type) {
	case FIELD_INTEGER:
		json_text_integer(out, value->i64);
		break;
	case FIELD_UNSIGNED:
		json_text_unsigned(out, value->u64);
		break;
	case FIELD_POINTER:
		snprintf(text, sizeof(text), "0x%" PRIx64, value->u64);
		break;
	case FIELD_FLOAT:
		if (isfinite(value->f64))
			json_text_float(out, value->f64);
		else
			snprintf(text, sizeof(text), "%f", value->f64);
		break;
	case FIELD_CHARACTER:
	case FIELD_TEXT:
		field_text_of(&string, field, value);
		render_buffer_put(out, string.bytes, string.size);
		break;
	}
	render_buffer_put(out, text, strlen(text));
}
