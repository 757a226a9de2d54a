#include "tools/frames/json_stack.h"

#include <string.h>

static char next(const struct json_reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static void skip_blanks(struct json_reader *reader)
{
	while (reader->at < reader->end &&
		(*reader->at == ' ' || *reader->at == '\t' ||
			*reader->at == '\r' || *reader->at == '\n'))
		reader->at++;
}

/* True when it was there. */
static bool skip(struct json_reader *reader, char c)
{
	skip_blanks(reader);
	if (reader->bad || next(reader) != c || reader->at == reader->end)
		return false;
	reader->at++;
	return true;
}

static void need(struct json_reader *reader, char c)
{
	if (!skip(reader, c))
		reader->bad = true;
}

static struct json_span take_string(struct json_reader *reader)
{
	struct json_span string = {0};

	need(reader, '"');
	if (reader->bad)
		return string;
	string.text = reader->at - 1;
	while (!reader->bad && next(reader) != '"') {
		if (next(reader) == '\\')
			reader->at++;
		if (reader->at >= reader->end) {
			reader->bad = true;
			break;
		}
		reader->at++;
	}
	need(reader, '"');
	string.bytes = (size_t)(reader->at - string.text);
	return string;
}

/* A number, or true, false, null: what it is made of, no more. */
static void skip_word(struct json_reader *reader)
{
	const char *begin = reader->at;

	while (reader->at < reader->end &&
		((*reader->at >= '0' && *reader->at <= '9') ||
			(*reader->at >= 'a' && *reader->at <= 'z') ||
			*reader->at == 'E' || *reader->at == '+' ||
			*reader->at == '-' || *reader->at == '.'))
		reader->at++;
	if (reader->at == begin)
		reader->bad = true;
}

static struct json_span take_value(struct json_reader *reader, int depth);

/* The next member of an object that has begun; false at its end. */
static bool take_member(struct json_reader *reader, bool first,
	struct json_span *key, struct json_span *value, int depth)
{
	if (reader->bad || skip(reader, '}'))
		return false;
	if (!first)
		need(reader, ',');
	skip_blanks(reader);
	*key = take_string(reader);
	need(reader, ':');
	*value = take_value(reader, depth + 1);
	return !reader->bad;
}

static bool take_element(struct json_reader *reader, bool first,
	struct json_span *value, int depth)
{
	if (reader->bad || skip(reader, ']'))
		return false;
	if (!first)
		need(reader, ',');
	*value = take_value(reader, depth + 1);
	return !reader->bad;
}

static struct json_span take_value(struct json_reader *reader, int depth)
{
	struct json_span value = {0};
	struct json_span key;
	struct json_span inner;
	bool first = true;

	skip_blanks(reader);
	value.text = reader->at;
	if (depth > JSON_STACK_DEPTH)
		reader->bad = true;
	else if (next(reader) == '"')
		take_string(reader);
	else if (skip(reader, '{'))
		while (take_member(reader, first, &key, &inner, depth))
			first = false;
	else if (skip(reader, '['))
		while (take_element(reader, first, &inner, depth))
			first = false;
	else
		skip_word(reader);
	value.bytes = (size_t)(reader->at - value.text);
	return value;
}

static bool is(const struct json_span *string, const char *name)
{
	size_t length = strlen(name);

	return string->bytes == length + 2 &&
	       memcmp(string->text + 1, name, length) == 0;
}

bool json_stack_find(const char *line, size_t bytes, struct json_span *stack)
{
	struct json_reader reader = {.at = line, .end = line + bytes};
	struct json_span key;
	struct json_span value;
	bool first = true;

	*stack = (struct json_span){0};
	need(&reader, '{');
	while (take_member(&reader, first, &key, &value, 1)) {
		first = false;
		if (!is(&key, "stack") || *value.text != '[')
			continue;
		stack->text = value.text + 1;
		stack->bytes = value.bytes - 2;
	}
	skip_blanks(&reader);
	return !reader.bad && reader.at == reader.end;
}

static void take_fact(struct json_frame *frame, const struct json_span *key,
	const struct json_span *value)
{
	uint64_t number = 0;

	if (is(key, "module"))
		frame->module = *value;
	else if (is(key, "address"))
		frame->address = *value;
	else if (is(key, "line"))
		frame->has_line =
			json_stack_number(value, &number) && number > 0;
	else if (is(key, "inlined"))
		frame->inlined = *value->text == 't';
	else if (is(key, "tail_call"))
		frame->jumped = *value->text == 't';
}

static void read_frame(struct json_frame *frame)
{
	struct json_reader reader = {.at = frame->whole.text,
		.end = frame->whole.text + frame->whole.bytes};
	struct json_span key;
	struct json_span value;
	bool first = true;

	need(&reader, '{');
	while (take_member(&reader, first, &key, &value, 1)) {
		first = false;
		take_fact(frame, &key, &value);
	}
}

bool json_stack_next(struct json_reader *stack, struct json_frame *frame)
{
	*frame = (struct json_frame){0};
	for (;;) {
		skip_blanks(stack);
		if (stack->bad || stack->at == stack->end)
			return false;
		if (skip(stack, ','))
			continue;
		frame->whole = take_value(stack, 1);
		if (!stack->bad && *frame->whole.text == '{')
			break;
	}
	read_frame(frame);
	return true;
}

void json_stack_put_rest(
	const struct json_frame *frame, struct render_buffer *out)
{
	struct json_reader reader = {.at = frame->whole.text,
		.end = frame->whole.text + frame->whole.bytes};
	struct json_span key;
	struct json_span value;
	bool first = true;
	bool any = false;

	need(&reader, '{');
	while (take_member(&reader, first, &key, &value, 1)) {
		first = false;
		if (is(&key, "function") || is(&key, "file") ||
			is(&key, "line"))
			continue;
		if (any)
			render_buffer_put_byte(out, ',');
		any = true;
		render_buffer_put(out, key.text, key.bytes);
		render_buffer_put_byte(out, ':');
		render_buffer_put(out, value.text, value.bytes);
	}
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | ' ') >= 'a' && (c | ' ') <= 'f')
		return (c | ' ') - 'a' + 10;
	return -1;
}

/* Four hexadecimal digits; 0: there are none. */
static uint32_t unit_at(const char *at, const char *end)
{
	uint32_t unit = 0;
	int i;

	if (end - at < 4)
		return 0;
	for (i = 0; i < 4; i++) {
		if (digit(at[i]) < 0)
			return 0;
		unit = unit << 4 | (uint32_t)digit(at[i]);
	}
	return unit;
}

static void put_character(struct render_buffer *out, uint32_t character)
{
	if (character < 0x80) {
		render_buffer_put_byte(out, (char)character);
		return;
	}
	if (character < 0x800) {
		render_buffer_put_byte(out, (char)(0xc0 | character >> 6));
	} else {
		if (character < 0x10000) {
			render_buffer_put_byte(
				out, (char)(0xe0 | character >> 12));
		} else {
			render_buffer_put_byte(
				out, (char)(0xf0 | character >> 18));
			render_buffer_put_byte(
				out, (char)(0x80 | (character >> 12 & 63)));
		}
		render_buffer_put_byte(
			out, (char)(0x80 | (character >> 6 & 63)));
	}
	render_buffer_put_byte(out, (char)(0x80 | (character & 63)));
}

/* What is behind "\u"; null: no character. */
static const char *put_unicode(
	struct render_buffer *out, const char *at, const char *end)
{
	uint32_t character = unit_at(at, end);
	uint32_t low;

	if (character == 0 || (character & 0xfc00) == 0xdc00)
		return NULL;
	at += 4;
	if ((character & 0xfc00) == 0xd800) {
		if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
			return NULL;
		low = unit_at(at + 2, end);
		if ((low & 0xfc00) != 0xdc00)
			return NULL;
		character =
			0x10000 + ((character & 0x3ff) << 10) + (low & 0x3ff);
		at += 6;
	}
	put_character(out, character);
	return at;
}

bool json_stack_string(
	const struct json_span *string, struct render_buffer *out)
{
	static const char letters[] = "\"\\/ntrbf";
	static const char meant[] = "\"\\/\n\t\r\b\f";
	const char *letter;
	const char *end;
	const char *at;

	if (!string->text || *string->text != '"')
		return false;
	at = string->text + 1;
	end = string->text + string->bytes - 1;
	while (at && at < end) {
		if (*at == '\0')
			return false;
		if (*at != '\\') {
			render_buffer_put_byte(out, *at++);
			continue;
		}
		at++; /* a quote ends it, so there is one more */
		letter = *at ? strchr(letters, *at) : NULL;
		if (letter)
			render_buffer_put_byte(out, meant[letter - letters]);
		if (letter)
			at++;
		else
			at = *at == 'u' ? put_unicode(out, at + 1, end) : NULL;
	}
	return at != NULL;
}

bool json_stack_number(const struct json_span *value, uint64_t *number)
{
	const char *at = value->text;
	const char *end = value->text + value->bytes;
	unsigned base = 10;

	if (!at || at == end)
		return false;
	if (*at == '"') {
		if (end - at < 5 || at[1] != '0' || at[2] != 'x')
			return false;
		at += 3;
		end--;
		base = 16;
	}
	*number = 0;
	for (; at < end; at++) {
		int value_of = digit(*at);

		if (value_of < 0 || (unsigned)value_of >= base ||
			__builtin_mul_overflow(
				*number, (uint64_t)base, number) ||
			__builtin_add_overflow(
				*number, (uint64_t)value_of, number))
			return false;
	}
	return true;
}
