#include "decoder/query/grep_format.h"

#include <stdlib.h>
#include <string.h>

#include "record/format.h"
#include "record/layout.h"

/* More work than this is not worth an answer. */
#define STEPS_MAX ((size_t)1 << 22)
/* Padding below this is never cut: see LIMIT_PADDING. */
#define WIDTH_MAX 4096

/* Stands for one byte of a text, or for what a directive makes. */
struct node {
	char byte;
	char conversion; /* 0: it is the byte */
	uint8_t flags;	 /* enum format_flag */
	bool padded;
	bool wide;
};

/* A format as its texts: bytes, and between them anything of some kind. */
struct shape {
	struct node *nodes;
	size_t count;
	size_t room;
	bool known; /* otherwise its texts may be anything */
	bool exact; /* all of the bytes are in every text */
};

static void add_node(struct shape *shape, struct node node)
{
	if (shape->count < shape->room)
		shape->nodes[shape->count++] = node;
	else
		shape->known = false;
}

static void add_bytes(struct shape *shape, const char *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		add_node(shape, (struct node){.byte = bytes[i]});
}

static bool is_narrow(int columns)
{
	return columns == FORMAT_NONE || columns < WIDTH_MAX;
}

/* A text ends early at a wide character that is none, and after too much. */
static bool is_always_whole(const struct format_directive *directive)
{
	return !(directive->size == FORMAT_LONG &&
		       strchr("cs", directive->conversion)) &&
	       directive->width_argument == FORMAT_NONE &&
	       directive->precision_argument == FORMAT_NONE &&
	       is_narrow(directive->width) && is_narrow(directive->precision);
}

static void add_directive(
	struct shape *shape, const struct format_directive *directive)
{
	struct node node = {
		.conversion = directive->conversion,
		.flags = directive->flags,
		.padded = directive->width != FORMAT_NONE ||
			  directive->width_argument != FORMAT_NONE,
		.wide = directive->size == FORMAT_LONG,
	};

	if (directive->conversion == '%') {
		add_bytes(shape, "%", 1);
	} else if (directive->conversion) {
		add_node(shape, node);
		shape->exact = shape->exact && is_always_whole(directive);
	} else {
		add_bytes(shape, directive->text, directive->length);
	}
}

static void add_format(
	struct shape *shape, const struct definition_string *format)
{
	struct format_directive directive;
	struct format_cursor cursor;

	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive))
		add_directive(shape, &directive);
	if (cursor.at != cursor.end)
		shape->known = false;
}

/* Whether the format takes what was recorded: otherwise it is damaged. */
static bool fits(const struct definition_context *context,
	const struct definition_string *format)
{
	size_t before = definition_arguments_before(context);
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;
	int count = format_arguments(
		format->bytes, format->length, kinds, &has_errno);

	return count >= 0 && before <= context->arguments &&
	       (size_t)count == context->arguments - before &&
	       memcmp(kinds, context->kinds + before, (size_t)count) == 0 &&
	       !memchr(format->bytes, '\0', format->length);
}

static void add_literal(
	struct shape *shape, const struct definition_string *format)
{
	add_bytes(shape, format->bytes, format->length);
	if (format->length > 0 && format->bytes[0] == '\0')
		shape->known = false; /* it may be damaged */
}

/* False: out of memory, or nothing is known. */
static bool make_shape(struct shape *shape,
	const struct definition_context *context,
	const struct definition_string *format)
{
	*shape = (struct shape){.known = true, .exact = true};
	if (!format || !format->bytes)
		return false;
	shape->room = format->length + 1;
	shape->nodes = calloc(shape->room, sizeof(*shape->nodes));
	if (!shape->nodes)
		return false;
	switch (context->text) {
	case BINLOG_TEXT_FORMAT:
	case BINLOG_TEXT_SYSLOG:
		shape->known = fits(context, format);
		add_format(shape, format);
		break;
	case BINLOG_TEXT_LITERAL_LINE:
	case BINLOG_TEXT_LITERAL:
		add_literal(shape, format);
		if (context->text == BINLOG_TEXT_LITERAL_LINE)
			add_bytes(shape, "\n", 1);
		break;
	default:
		shape->known = false;
	}
	if (!shape->known)
		free(shape->nodes);
	return shape->known;
}

static bool is_among(char c, const char *bytes)
{
	return c != '\0' && strchr(bytes, c);
}

/* What stands for infinite and for no number; and the digits of %a. */
static bool float_can_make(char conversion, char c)
{
	switch (conversion) {
	case 'f':
		return is_among(c, ".0123456789infa");
	case 'F':
		return is_among(c, ".0123456789INFA");
	case 'a':
		return is_among(c, "+.0123456789abcdefinpx");
	case 'A':
		return is_among(c, "+.0123456789ABCDEFINPX");
	case 'e':
	case 'g':
		return is_among(c, "+.0123456789einfa");
	}
	return is_among(c, "+.0123456789EINFA");
}

/* Whether the directive can make this byte. */
static bool can_make(const struct node *node, bool named, char c)
{
	bool alternate = node->flags & FORMAT_ALTERNATE;

	if (c == ' ' && (node->padded || node->flags & FORMAT_SPACE))
		return true;
	if (c == '+' && node->flags & FORMAT_PLUS)
		return true;
	switch (node->conversion) {
	case 'd':
		return is_among(c, "-0123456789");
	case 'u':
		return is_among(c, "0123456789");
	case 'o':
		return is_among(c, "01234567");
	case 'x':
		return is_among(c, "0123456789abcdef") ||
		       (alternate && c == 'x');
	case 'X':
		return is_among(c, "0123456789ABCDEF") ||
		       (alternate && c == 'X');
	case 'b':
	case 'B':
		return is_among(c, "01") ||
		       (alternate && c == node->conversion);
	case 'p':
		return named || is_among(c, "0123456789abcdefx(nil)");
	case 'n':
		return false;
	}
	if (is_among(node->conversion, "eEfFgGaA"))
		return c == '-' || float_can_make(node->conversion, c);
	return true;
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool takes(const struct node *node, char c, bool folds, bool named)
{
	char capital = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;

	if (!node->conversion)
		return folds ? fold(node->byte) == c : node->byte == c;
	return can_make(node, named, c) ||
	       (folds && can_make(node, named, capital));
}

/* One that gives what it is given, or the beginning of it. */
static bool is_string(const struct node *node)
{
	return node->conversion == 's' && !node->wide && !node->padded;
}

/* A directive makes any number of bytes, or none: what is after it is next. */
static void spread(const struct shape *shape, bool *at)
{
	size_t i;

	for (i = 0; i < shape->count; i++)
		at[i + 1] |= at[i] && shape->nodes[i].conversion;
}

/* What can come after a string is next. */
static void add_after_strings(const struct shape *shape, bool *at)
{
	size_t i;

	for (i = 0; i < shape->count; i++)
		at[i + 1] |= is_string(&shape->nodes[i]);
	spread(shape, at);
}

/* The next byte of a needle; its first one is not made by a string. */
static void step(const struct shape *shape, bool *at, char c, bool first,
	bool folds, bool named)
{
	const struct node *nodes = shape->nodes;
	bool takes_before = false;
	size_t i;

	for (i = 0; i <= shape->count; i++) {
		bool taken = i < shape->count && at[i] &&
			     !(first && is_string(&nodes[i])) &&
			     takes(&nodes[i], c, folds, named);

		at[i] = takes_before || (taken && nodes[i].conversion);
		takes_before = taken && !nodes[i].conversion;
	}
	spread(shape, at);
}

/*
 * Where the needle may be in these texts: from `at[i]` on, what is left of it
 * may be what node i makes, and those after it.  What a single string has made
 * up to here is not counted, until something else goes on.
 */
static enum grep_answer find_needle(const struct shape *shape, bool *at,
	const char *needle, size_t bytes, bool folds, bool named)
{
	enum grep_answer answer = GREP_NEVER;
	size_t i;

	memset(at, 1, shape->count + 1);
	for (i = 0; i < bytes; i++) {
		if (i > 0)
			add_after_strings(shape, at);
		step(shape, at, needle[i], i == 0, folds, named);
	}
	if (memchr(at, 1, shape->count + 1))
		return GREP_DEPENDS;
	for (i = 0; i < shape->count; i++)
		if (is_string(&shape->nodes[i]))
			answer = GREP_IN_STRING;
	return answer;
}

/* Whether the needle is among the bytes that all of these texts have. */
static bool must_contain(
	const struct shape *shape, const char *needle, size_t bytes, bool folds)
{
	size_t i;
	size_t j;

	for (i = 0; i + bytes <= shape->count; i++) {
		for (j = 0; j < bytes; j++)
			if (shape->nodes[i + j].conversion ||
				!takes(&shape->nodes[i + j], needle[j], folds,
					false))
				break;
		if (j == bytes)
			return true;
	}
	return false;
}

static bool has_directives(const struct shape *shape)
{
	size_t i;

	for (i = 0; i < shape->count; i++)
		if (shape->nodes[i].conversion)
			return true;
	return false;
}

/* Of texts that are all the same. */
static enum grep_answer search_constant(
	const struct grep *grep, const struct shape *shape)
{
	size_t bytes = shape->count;
	char *text = malloc(bytes + 1);
	bool found;
	size_t i;

	if (!text)
		return GREP_DEPENDS;
	for (i = 0; i < bytes; i++)
		text[i] = shape->nodes[i].byte;
	bytes -= bytes > 0 && text[bytes - 1] == '\n';
	found = grep_finds(grep, text, bytes);
	free(text);
	return found ? GREP_ALWAYS : GREP_NEVER;
}

static enum grep_answer search_shape(
	const struct grep *grep, const struct shape *shape, bool named)
{
	enum grep_answer answer;
	size_t bytes;
	bool folds;
	bool whole;
	const char *needle = grep_needle(grep, &bytes, &folds, &whole);
	bool *at;

	if (!needle || bytes > STEPS_MAX / (shape->count + 1))
		return GREP_DEPENDS;
	at = malloc(shape->count + 1);
	if (!at)
		return GREP_DEPENDS;
	answer = find_needle(shape, at, needle, bytes, folds, named);
	if (answer == GREP_DEPENDS && whole && shape->exact &&
		needle[bytes - 1] != '\n' &&
		must_contain(shape, needle, bytes, folds))
		answer = GREP_ALWAYS;
	free(at);
	return answer;
}

enum grep_answer grep_format_answer(const struct grep *grep,
	const struct definition_context *context,
	const struct definition_string *format, bool named)
{
	enum grep_answer answer;
	struct shape shape;

	if (!make_shape(&shape, context, format))
		return GREP_DEPENDS;
	answer = has_directives(&shape) || context->text == BINLOG_TEXT_SYSLOG
			 ? search_shape(grep, &shape, named)
			 : search_constant(grep, &shape);
	free(shape.nodes);
	return answer;
}

bool grep_format_ends_line(const struct definition_context *context,
	const struct definition_string *format)
{
	struct shape shape;
	const struct node *last;
	bool ends;

	if (context->flags & BINLOG_CONTEXT_PARTIAL)
		return false;
	switch (context->text) {
	case BINLOG_TEXT_BYTES_LINE:
	case BINLOG_TEXT_PERROR:
	case BINLOG_TEXT_WARN:
	case BINLOG_TEXT_WARNX:
	case BINLOG_TEXT_ERROR:
	case BINLOG_TEXT_SYSLOG:
		return true;
	}
	if (!make_shape(&shape, context, format))
		return false;
	last = shape.count > 0 ? &shape.nodes[shape.count - 1] : NULL;
	ends = last && shape.exact && !last->conversion && last->byte == '\n';
	free(shape.nodes);
	return ends;
}

bool grep_format_is_sound(const struct definition_context *context,
	const struct definition_string *format)
{
	if (context->text == BINLOG_TEXT_LITERAL ||
		context->text == BINLOG_TEXT_LITERAL_LINE)
		return format && format->bytes &&
		       (format->length == 0 || format->bytes[0] != '\0');
	if (!definition_is_formatted(context) || !context->has_format)
		return true;
	return format && format->bytes && fits(context, format);
}
