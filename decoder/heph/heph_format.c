#include "decoder/heph/heph_format.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8_read.h"
#include "decoder/heph/heph_write.h"
#include "record/word.h"

#define SUBSTREAM "substream"
/* Two are for the span, and one for what are too many. */
#define VALUES_MAX (FORMAT_ARGUMENTS_MAX - 3)

static const char *const type_names[] = {
	[HEPH_UNSIGNED] = "u64",
	[HEPH_SIGNED] = "i64",
	[HEPH_FLOAT] = "f64",
	[HEPH_STRING] = "string",
};

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

	render_buffer_put_string(out, quoted ? " \"" : " ");
	put_plain(out, name, quoted);
	render_buffer_put_string(out, quoted ? "\"=" : "=");
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

	render_buffer_put_string(&format->text, directives[type]);
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
			render_buffer_put_string(&format->text, ", ");
		add_value(format, attribute->type, values);
	}
	if (attribute->count == 0) {
		render_buffer_put_string(&format->text, "%.0s");
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
	render_buffer_put_string(out, number);
}

/* As text, where arguments are too many. */
static void put_attribute(struct render_buffer *out,
	const struct heph_attribute *attribute, struct cursor *values)
{
	unsigned i;

	if (out->length > 0)
		render_buffer_put_byte(out, ' ');
	render_buffer_put(out, attribute->name.bytes, attribute->name.size);
	render_buffer_put_string(out, attribute->array ? "=[" : "=");
	for (i = 0; i < attribute->count && !values->failed; i++) {
		if (i > 0)
			render_buffer_put_string(out, ", ");
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
		render_buffer_put_string(&format->text, " %s");
		add_text(format, format->rest.data, format->rest.length);
	}
	if (same || event->end != event->start || event->substream != 0) {
		render_buffer_put_string(&format->text, TOOK_FORMAT);
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

struct attribute {
	size_t at; /* where it begins */
	struct render_buffer name;
	bool unsigned_one; /* its type, and no array */
	uint64_t number;   /* likewise its value */
};

struct undo {
	const struct message *message;
	struct render_buffer *out;
	struct render_buffer *description;
	struct render_buffer plain; /* text since the last argument */
	struct attribute before;    /* the last one */
	struct attribute last;
	size_t count;	 /* of attributes */
	bool in_array;	 /* of the last one */
	size_t count_at; /* where the number of its values is */
	uint16_t values;
};

/* Where the name that ends at `end` begins, its quote included. */
static size_t name_begin(const char *text, size_t end)
{
	size_t begin = end;
	size_t slashes;

	if (end == 0 || text[end - 1] != '"') {
		while (begin > 0 && word_has(text[begin - 1]))
			begin--;
		return begin;
	}
	for (begin = end - 1; begin > 0; begin--) {
		if (text[begin - 1] != '"')
			continue;
		for (slashes = 0; slashes < begin - 1 &&
				  text[begin - 2 - slashes] == '\\';
			slashes++)
			;
		if (slashes % 2 == 0)
			return begin - 1;
	}
	return end;
}

static void undo_put_name(
	struct render_buffer *out, const char *text, size_t size)
{
	size_t i;

	out->length = 0;
	if (text[0] != '"') {
		render_buffer_put(out, text, size);
		return;
	}
	for (i = 1; i + 1 < size; i++) {
		i += text[i] == '\\';
		render_buffer_put_byte(out, text[i]);
	}
}

/* The array is whole: how many values it has is known. */
static void end_array(struct undo *undo)
{
	uint8_t count[] = {(uint8_t)(undo->values >> 8), (uint8_t)undo->values};

	if (!undo->out->failed)
		memcpy(undo->out->data + undo->count_at, count, sizeof(count));
	undo->in_array = false;
}

/* What stands before the first value of an attribute. */
static bool begin_attribute(
	struct undo *undo, const char *text, size_t size, uint8_t type)
{
	struct attribute before = undo->before;
	bool array = size > 0 && text[size - 1] == '[';
	size_t begin, end;

	size -= array;
	if (size == 0 || text[size - 1] != '=')
		return false;
	end = size - 1;
	begin = name_begin(text, end);
	if (begin == end || begin == 0 || text[begin - 1] != ' ' ||
		(undo->count > 0 && begin != 1))
		return false;
	if (undo->count++ == 0)
		render_buffer_put(undo->description, text, begin - 1);
	undo->before = undo->last;
	undo->last = before; /* its buffer is used again */
	undo->last.at = undo->out->length;
	undo_put_name(&undo->last.name, text + begin, end - begin);
	undo->last.unsigned_one = !array && type == HEPH_UNSIGNED;
	heph_write_attribute(undo->out,
		&(struct heph_attribute){
			.name = {undo->last.name.data, undo->last.name.length},
			.type = type,
			.array = array});
	undo->in_array = array;
	undo->count_at = undo->out->length - sizeof(uint16_t);
	undo->values = 0;
	return true;
}

static uint8_t type_of(const struct format_directive *directive)
{
	switch (directive->conversion) {
	case 'u':
		return HEPH_UNSIGNED;
	case 'd':
		return HEPH_SIGNED;
	case 'g':
		return HEPH_FLOAT;
	}
	return HEPH_STRING;
}

/* That an empty array's argument names. */
static uint8_t type_named(const struct render_argument *name)
{
	switch (name->bytes > 0 ? *(const char *)name->data : '\0') {
	case 'u':
		return HEPH_UNSIGNED;
	case 'i':
		return HEPH_SIGNED;
	case 'f':
		return HEPH_FLOAT;
	}
	return HEPH_STRING;
}

static void undo_put_value(
	struct undo *undo, const struct render_argument *argument)
{
	uint64_t bits = (uint64_t)argument->i64;

	if (argument->kind == BINLOG_ARG_STRING) {
		heph_write_text(undo->out, argument->data, argument->bytes);
	} else {
		if (argument->kind == BINLOG_ARG_F64)
			memcpy(&bits, &argument->f64, sizeof(bits));
		heph_write_number(undo->out, bits);
	}
	undo->last.number = bits;
	undo->values++;
}

static bool take_value(
	struct undo *undo, const struct format_directive *directive)
{
	size_t at = (size_t)directive->argument;
	const struct render_argument *argument = &undo->message->arguments[at];
	const char *text = undo->plain.data;
	size_t size = undo->plain.length;
	bool none = directive->conversion == 's' && directive->precision == 0;
	uint8_t type = none ? type_named(argument) : type_of(directive);

	if (at >= undo->message->count || size == 0)
		return false;
	if (undo->in_array && size == 2 && memcmp(text, ", ", 2) == 0) {
		undo_put_value(undo, argument);
		return true;
	}
	if (undo->in_array) {
		if (text[0] != ']')
			return false;
		end_array(undo);
		text++;
		size--;
	}
	if (!begin_attribute(undo, text, size, type))
		return false;
	if (!none)
		undo_put_value(undo, argument);
	return true;
}

/* Behind the last value. */
static bool take_end(struct undo *undo)
{
	const char *text = undo->plain.data;
	size_t size = undo->plain.length;

	if (undo->in_array) {
		if (size == 0 || text[0] != ']')
			return false;
		end_array(undo);
		text++;
		size--;
	}
	if (size == 0 || text[size - 1] != '\n')
		return false;
	if (undo->count == 0)
		render_buffer_put(undo->description, text, size - 1);
	return undo->count == 0 || size == 1;
}

static bool take_all(struct undo *undo, const struct definition_string *format)
{
	struct format_directive directive;
	struct format_cursor cursor;

	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion == 0) {
			render_buffer_put(
				&undo->plain, directive.text, directive.length);
		} else if (directive.argument == FORMAT_NONE) {
			render_buffer_put_byte(&undo->plain, '%');
		} else {
			if (!take_value(undo, &directive))
				return false;
			undo->plain.length = 0;
		}
	}
	return cursor.at == cursor.end && take_end(undo);
}

static bool undo_is_named(const struct attribute *attribute, const char *name)
{
	return attribute->unsigned_one &&
	       attribute->name.length == strlen(name) &&
	       memcmp(attribute->name.data, name, strlen(name)) == 0;
}

/* The last two are of the event itself. */
static void take_span(struct undo *undo, struct heph_event *event)
{
	event->end = event->start;
	event->substream = 0;
	if (undo->count < 2 || !undo_is_named(&undo->before, "took") ||
		!undo_is_named(&undo->last, "substream"))
		return;
	event->end += undo->before.number;
	event->substream = undo->last.number;
	undo->out->length = undo->before.at;
}

bool heph_format_undo(const struct message *message,
	struct render_buffer *attributes, struct render_buffer *description,
	struct heph_event *event)
{
	const struct definition_string *format = message->context->format;
	struct undo undo = {
		.message = message,
		.out = attributes,
		.description = description,
	};
	size_t before = attributes->length;
	bool done;

	description->length = 0;
	done = format && format->bytes && take_all(&undo, format) &&
	       !undo.plain.failed;
	if (done)
		take_span(&undo, event);
	else
		attributes->length = before;
	render_buffer_free(&undo.plain);
	render_buffer_free(&undo.before.name);
	render_buffer_free(&undo.last.name);
	event->description =
		(struct heph_string){description->data, description->length};
	return done;
}
