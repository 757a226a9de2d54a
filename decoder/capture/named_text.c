#include "decoder/capture/named_text.h"

#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "record/argument_name.h"
#include "record/format.h"
#include "record/word.h"

struct named_text {
	struct render_buffer *out;
	const struct render_argument *arguments;
	size_t count;
	bool alone; /* without the text between them */
	bool any;   /* there is one already */
	bool skips; /* what closes the value: it is not text */
};

/* What stands before a directive, and how it names the argument. */
struct before {
	const char *text;
	size_t bytes;
	size_t name; /* where it begins */
	size_t end;  /* of it; the same: there is none */
	size_t sign; /* of a number: where `0x` begins */
};

/* Where the word that ends there begins; there, if it is a number. */
static size_t name_begin(const char *text, size_t end)
{
	size_t begin = end;
	bool number = true;

	for (; begin > 0 && word_has(text[begin - 1]); begin--)
		number = number && word_is_digit(text[begin - 1]);
	return number ? end : begin;
}

static struct before look_before(const struct format_directive *plain)
{
	struct before before = {.text = plain->text, .bytes = plain->length};
	size_t bytes = plain->length;

	before.sign = bytes;
	before.end = argument_name_end(plain->text, bytes);
	before.name = name_begin(plain->text, before.end);
	if (bytes >= 2 && bytes - 2 >= before.end &&
		plain->text[bytes - 2] == '0' &&
		strchr("xX", plain->text[bytes - 1]))
		before.sign = bytes - 2;
	return before;
}

const char *named_text_name(const char *text, size_t length, size_t *bytes)
{
	size_t end = argument_name_end(text, length);
	size_t begin = name_begin(text, end);

	*bytes = end - begin;
	return text + begin;
}

/* What would be padded is not, but for zeros. */
static size_t put_flags(char *text, const struct format_directive *directive)
{
	static const struct {
		uint8_t flag;
		char c;
	} flags[] = {{FORMAT_PLUS, '+'}, {FORMAT_SPACE, ' '},
		{FORMAT_ALTERNATE, '#'}, {FORMAT_ZERO, '0'},
		{FORMAT_GROUP, '\''}};
	size_t used = 0;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (directive->flags & flags[i].flag)
			text[used++] = flags[i].c;
	return used;
}

/* The directive alone, with its arguments: as if it were a format. */
static void put_value(struct named_text *named,
	const struct format_directive *directive, int argument)
{
	static const char *const sizes[] = {
		[FORMAT_INT] = "",
		[FORMAT_CHAR] = "hh",
		[FORMAT_SHORT] = "h",
		[FORMAT_LONG] = "l",
		[FORMAT_LONG_DOUBLE] = "L",
	};
	struct render_argument arguments[3];
	bool padded = directive->flags & FORMAT_ZERO;
	char format[64] = "%";
	size_t count = 0;
	size_t used = 1 + put_flags(format + 1, directive);

	if (padded && directive->width_argument != FORMAT_NONE) {
		arguments[count++] =
			named->arguments[directive->width_argument];
		format[used++] = '*';
	} else if (padded && directive->width > 0) {
		used = (size_t)(digits_write(format + used,
					(uint64_t)directive->width) -
				format);
	}
	if (directive->precision_argument != FORMAT_NONE) {
		arguments[count++] =
			named->arguments[directive->precision_argument];
		format[used++] = '.';
		format[used++] = '*';
	} else if (directive->precision != FORMAT_NONE) {
		used += (size_t)snprintf(format + used, sizeof(format) - used,
			".%d", directive->precision);
	}
	used += (size_t)snprintf(format + used, sizeof(format) - used, "%s%c",
		sizes[directive->size], directive->conversion);
	arguments[count++] = named->arguments[argument];
	render_format(
		named->out, format, used, arguments, count, NULL, LIBC_ANY);
}

/* `name(`, or `arg2(`. */
static void put_name(struct named_text *named, const struct before *before,
	const struct format_directive *directive)
{
	char number[32];

	if (before->name < before->end) {
		render_buffer_put(named->out, before->text + before->name,
			before->end - before->name);
		render_buffer_put_byte(named->out, '(');
		return;
	}
	snprintf(number, sizeof(number), "arg%d(", directive->argument + 1);
	render_buffer_put(named->out, number, strlen(number));
}

static char closing(char opening)
{
	static const char pairs[][3] = {"()", "[]", "{}", "<>", "\"\"", "''"};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i][0] == opening)
			return pairs[i][1];
	return '\0';
}

/* The name itself is. */
static bool is_quoted(const struct before *before)
{
	char quote =
		before->end < before->bytes ? before->text[before->end] : '\0';

	return (quote == '"' || quote == '\'') && before->name > 0 &&
	       before->text[before->name - 1] == quote;
}

/* How much of the text stays: what is between name and value does not. */
static size_t text_before(
	struct named_text *named, const struct before *before, char next)
{
	size_t end = before->sign;

	if (before->name == before->end)
		return end;
	if (end > before->end && next &&
		next == closing(before->text[end - 1])) {
		named->skips = true;
		end--;
	}
	while (end > before->end && strchr(" \t=:\"'", before->text[end - 1]))
		end--;
	if (end == before->end)
		return before->name - is_quoted(before);
	named->skips = false;
	return before->sign;
}

/* `next` is what comes behind it. */
static void put_argument(struct named_text *named, const struct before *before,
	const struct format_directive *directive, char next)
{
	if (named->alone && named->any)
		render_buffer_put_byte(named->out, ' ');
	named->any = true;
	if (!named->alone)
		render_buffer_put(named->out, before->text,
			text_before(named, before, next));
	put_name(named, before, directive);
	render_buffer_put(named->out, before->text + before->sign,
		before->bytes - before->sign);
	put_value(named, directive, directive->argument);
	render_buffer_put_byte(named->out, ')');
}

/* `plain` is the text before it, if there is any. */
static void put_directive(struct named_text *named,
	const struct format_directive *plain,
	const struct format_directive *directive, char next)
{
	struct before before = look_before(plain);

	if (directive->argument != FORMAT_NONE &&
		directive->conversion != 'n') {
		put_argument(named, &before, directive, next);
		return;
	}
	if (named->alone)
		return;
	render_buffer_put(named->out, plain->text, plain->length);
	if (directive->conversion == '%')
		render_buffer_put_byte(named->out, '%');
	else if (directive->conversion == 'm')
		put_value(named, directive, (int)named->count - 1);
}

static void put_all(
	struct named_text *named, const struct definition_string *format)
{
	static const struct format_directive none = {.text = ""};
	const char *end = format->bytes + format->length;
	struct format_directive plain = none;
	struct format_directive directive;
	struct format_cursor cursor;

	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion == 0) {
			plain = directive;
			plain.text += named->skips;
			plain.length -= named->skips;
			named->skips = false;
			continue;
		}
		put_directive(named, &plain, &directive,
			cursor.at < end ? *cursor.at : '\0');
		plain = none;
	}
	if (!named->alone)
		render_buffer_put(named->out, plain.text, plain.length);
}

static bool takes(const struct definition_string *format,
	const struct render_argument *arguments, size_t count)
{
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;
	int wanted = format_arguments(
		format->bytes, format->length, kinds, &has_errno);
	size_t i;

	if (wanted == FORMAT_NONE || (size_t)wanted != count)
		return false;
	for (i = 0; i < count; i++)
		if (arguments[i].kind != kinds[i])
			return false;
	return true;
}

bool named_text_put(struct render_buffer *out,
	const struct definition_string *format,
	const struct render_argument *arguments, size_t count)
{
	struct named_text named = {
		.out = out, .arguments = arguments, .count = count};

	if (!takes(format, arguments, count))
		return false;
	put_all(&named, format);
	return true;
}

bool named_text_put_arguments(struct render_buffer *out,
	const struct definition_string *format,
	const struct render_argument *arguments, size_t count)
{
	struct named_text named = {.out = out,
		.arguments = arguments,
		.count = count,
		.alone = true};

	if (!takes(format, arguments, count))
		return false;
	put_all(&named, format);
	return true;
}
