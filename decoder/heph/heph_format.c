#include "decoder/heph/heph_format.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8_read.h"
#include "record/word.h"

#define SPAN "took"
#define SUBSTREAM "substream"
/* Two are for the span, and one for what are too many. */
#define VALUES_MAX (FORMAT_ARGUMENTS_MAX - 3)

static const char *const type_names[] = {
	[HEPH_UNSIGNED] = "u64",
	[HEPH_SIGNED] = "i64",
	[HEPH_FLOAT] = "f64",
	[HEPH_STRING] = "string",
};

static void put_string(struct render_buffer *out, const char *string)
{
	render_buffer_put(out, string, strlen(string));
}

/* Text that is the same when it is printed; what is between quotes is so. */
static void put_plain(struct render_buffer *out,
	const struct heph_string *string, bool quoted)
{
	struct render_buffer utf8 = {0};
	size_t i;

	utf8_text_put(&utf8, string->bytes, string->size);
	for (i = 0; i < utf8.length; i++) {
		if (quoted && strchr("\"\\", utf8.data[i]))
			render_buffer_put_byte(out, '\\');
		if (utf8.data[i] == '%')
			render_buffer_put_byte(out, '%');
		render_buffer_put_byte(out, utf8.data[i]);
	}
	out->failed = out->failed || utf8.failed;
	render_buffer_free(&utf8);
}

static bool is_word(const struct heph_string *name)
{
	size_t i;

	for (i = 0; i < name->size; i++)
		if (!word_has(name->bytes[i]))
			return false;
	return name->size > 0;
}

static bool is_named(const struct heph_string *name, const char *string)
{
	return name->size == strlen(string) &&
	       memcmp(name->bytes, string, name->size) == 0;
}

/* ` name=` or ` "a name"=` */
static void put_name(struct render_buffer *out, const struct heph_string *name)
{
	bool quoted = !is_word(name);

	put_string(out, quoted ? " \"" : " ");
	put_plain(out, name, quoted);
	put_string(out, quoted ? "\"=" : "=");
}

static void add_text(struct heph_format *format, const char *bytes, size_t size)
{
	format->arguments[format->count++] = (struct render_argument){
		.kind = BINLOG_ARG_STRING,
		.bytes = (uint32_t)size,
		.data = bytes,
	};
}

static void add_number(struct heph_format *format, uint64_t number)
{
	format->arguments[format->count++] = (struct render_argument){
		.kind = BINLOG_ARG_I64, .i64 = (int64_t)number};
}

/* Its directive, too. */
static void add_value(
	struct heph_format *format, uint8_t type, struct cursor *values)
{
	static const char *const directives[] = {
		[HEPH_UNSIGNED] = "%lu",
		[HEPH_SIGNED] = "%ld",
		[HEPH_FLOAT] = "%.15g",
		[HEPH_STRING] = "%s",
	};
	struct heph_string text;

	put_string(&format->text, directives[type]);
	switch (type) {
	case HEPH_STRING:
		text = heph_read_string(values);
		add_text(format, text.bytes, text.size);
		break;
	case HEPH_FLOAT:
		format->arguments[format->count++] = (struct render_argument){
			.kind = BINLOG_ARG_F64, .f64 = heph_read_float(values)};
		break;
	default:
		add_number(format, heph_read_number(values));
	}
}

/* An empty array prints nothing, and its argument says what it is of. */
static void add_array(struct heph_format *format,
	const struct heph_attribute *attribute, struct cursor *values)
{
	const char *type = type_names[attribute->type];
	unsigned i;

	render_buffer_put_byte(&format->text, '[');
	for (i = 0; i < attribute->count; i++) {
		if (i > 0)
			put_string(&format->text, ", ");
		add_value(format, attribute->type, values);
	}
	if (attribute->count == 0) {
		put_string(&format->text, "%.0s");
		add_text(format, type, strlen(type));
	}
	render_buffer_put_byte(&format->text, ']');
}

static void put_value(
	struct render_buffer *out, uint8_t type, struct cursor *values)
{
	char number[40] = "";
	struct heph_string text;

	switch (type) {
	case HEPH_STRING:
		text = heph_read_string(values);
		render_buffer_put(out, text.bytes, text.size);
		return;
	case HEPH_FLOAT:
		snprintf(number, sizeof(number), "%.15g",
			heph_read_float(values));
		break;
	case HEPH_SIGNED:
		snprintf(number, sizeof(number), "%" PRId64,
			(int64_t)heph_read_number(values));
		break;
	default:
		snprintf(number, sizeof(number), "%" PRIu64,
			heph_read_number(values));
	}
	put_string(out, number);
}

/* As text, where arguments are too many. */
static void put_attribute(struct render_buffer *out,
	const struct heph_attribute *attribute, struct cursor *values)
{
	unsigned i;

	if (out->length > 0)
		render_buffer_put_byte(out, ' ');
	render_buffer_put(out, attribute->name.bytes, attribute->name.size);
	put_string(out, attribute->array ? "=[" : "=");
	for (i = 0; i < attribute->count && !values->failed; i++) {
		if (i > 0)
			put_string(out, ", ");
		put_value(out, attribute->type, values);
	}
	if (attribute->array)
		render_buffer_put_byte(out, ']');
}

static bool fits(
	const struct heph_attribute *attribute, struct cursor attributes)
{
	heph_read_over(&attributes, attribute);
	return !attributes.failed;
}

/* True: the last one has the name of what is told of an event itself. */
static bool put_attributes(
	struct heph_format *format, struct cursor *attributes)
{
	struct heph_attribute attribute;
	struct cursor before = *attributes;
	bool same = false;

	while (heph_read_attribute(attributes, &attribute) &&
		fits(&attribute, *attributes)) {
		same = is_named(&attribute.name, SUBSTREAM);
		if (format->rest.length > 0 ||
			attribute.count > VALUES_MAX - format->count ||
			format->count == VALUES_MAX) {
			put_attribute(&format->rest, &attribute, attributes);
		} else {
			put_name(&format->text, &attribute.name);
			if (attribute.array)
				add_array(format, &attribute, attributes);
			else
				add_value(format, attribute.type, attributes);
		}
		before = *attributes;
	}
	*attributes = before;
	return same;
}

void heph_format_make(struct heph_format *format,
	const struct heph_event *event, struct cursor *attributes)
{
	bool same;

	format->text.length = format->rest.length = format->count = 0;
	put_plain(&format->text, &event->description, false);
	same = put_attributes(format, attributes);
	if (format->rest.length > 0) {
		put_string(&format->text, " %s");
		add_text(format, format->rest.data, format->rest.length);
	}
	if (same || event->end != event->start || event->substream != 0) {
		put_string(&format->text, " " SPAN "=%lu " SUBSTREAM "=%lu");
		add_number(format, event->end - event->start);
		add_number(format, event->substream);
	}
	render_buffer_put_byte(&format->text, '\n');
}

void heph_format_free(struct heph_format *format)
{
	render_buffer_free(&format->text);
	render_buffer_free(&format->rest);
}
