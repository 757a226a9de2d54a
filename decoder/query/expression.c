#include "decoder/query/expression.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/message/fields.h"
#include "decoder/query/expression_columns.h"
#include "record/argument_name.h"
#include "record/format.h"
#include "record/layout.h"
#include "record/utf8.h"
#include "record/word.h"

static void expression_remark_note(const struct expression *expression,
	const struct definition_string *format,
	const struct expression_binding *binding);

/*
 * The argument that a person means by a name: the word before its directive,
 * or arg1, arg2...  Asked by the styles that show numbers; the names are those
 * of fields.h.
 */

#define NUMBER_DIGITS_MAX 4

/* Of `arg3`; 0: it is another name. */
static size_t field_number_of(const char *name)
{
	size_t digits;

	if (strncmp(name, "arg", 3) != 0)
		return 0;
	digits = strspn(name + 3, "0123456789");
	if (name[3 + digits] != '\0' || digits > NUMBER_DIGITS_MAX)
		return 0;
	return strtoul(name + 3, NULL, 10);
}

/* That of the message; null: it has none. */
static const struct field *named_field(
	const struct message *message, const char *name)
{
	const struct fields *fields = fields_of(message);
	size_t number = field_number_of(name);
	size_t i;

	for (i = 0; i < fields->count; i++)
		if (number > 0 ? fields->all[i].number == number
			       : strcmp(fields->all[i].name, name) == 0)
			return &fields->all[i];
	return NULL;
}

const struct field *named_field_number(
	const struct message *message, const char *name)
{
	const struct field *field = named_field(message, name);

	return field && field->type != FIELD_TEXT ? field : NULL;
}

const char *named_field_check(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			break;
	if (i == 0 || name[i] || isdigit((unsigned char)name[0]))
		return "not an argument: give the word before its directive, "
		       "as size in \"size=%d\", or arg1";
	return NULL;
}

struct named_field_value named_field_value(
	const struct field *field, const struct message *message)
{
	struct field_value value = field_value(field, message, NULL);
	struct named_field_value number = {.known = value.known};

	if (field->type == FIELD_FLOAT) {
		number.fractional = true;
		number.number = value.f64;
	} else if (column_values_are_signed(field->conversion)) {
		number.number = value.i64;
	} else {
		number.number = value.u64;
	}
	return number;
}

/* Two of them can be together where it is not known which one it is. */
enum truth { TRUE = 1, FALSE = 2, NEITHER = 4 };

struct value {
	bool is_text;
	long double number;
	const char *text;
	size_t bytes;
	char wide[LIMITS_WIDE_TEXT];
};

static long double integer_of(
	const struct expression_reference *reference, int64_t number)
{
	number = field_cut(number, reference->conversion, reference->size);
	if (reference->conversion == 'd')
		return number;
	return (uint64_t)number;
}

/* False: another machine's. */
static bool read_long_double(
	const struct render_argument *argument, struct value *value)
{
	bool binary128 = __LDBL_MANT_DIG__ == 113;

	if (argument->binary128 != binary128 || !argument->data)
		return false;
	memcpy(&value->number, argument->data, sizeof(value->number));
	/* Written numbers are doubles. */
	value->number = (double)value->number;
	return true;
}

static bool read_wide(
	const struct render_argument *argument, struct value *value)
{
	size_t i;

	value->text = value->wide;
	value->bytes = 0;
	for (i = 0; i + 4 <= argument->bytes; i += 4) {
		uint32_t c;

		if (limits_exceeded(LIMIT_WIDE_TEXT, value->bytes + UTF8_MAX))
			return false;
		memcpy(&c, (const char *)argument->data + i, sizeof(c));
		value->bytes += utf8_put(value->wide + value->bytes, c);
	}
	return true;
}

static bool read_text(
	const struct render_argument *argument, struct value *value)
{
	value->is_text = true;
	if (argument->null) {
		value->text = "(null)";
		value->bytes = 6;
		return true;
	}
	if (argument->kind == BINLOG_ARG_WIDE)
		return read_wide(argument, value);
	value->text = argument->bytes > 0 ? argument->data : "";
	value->bytes = argument->bytes;
	return true;
}

static bool read_argument(const struct expression_reference *reference,
	const struct message *message, struct value *value)
{
	const struct render_argument *argument;

	if (reference->kind == 0 || reference->argument >= message->count)
		return false;
	argument = &message->arguments[reference->argument];
	if (argument->kind != reference->kind)
		return false;
	value->is_text = false;
	switch (argument->kind) {
	case BINLOG_ARG_I32:
		value->number = integer_of(reference, argument->i32);
		return true;
	case BINLOG_ARG_I64:
		value->number = integer_of(reference, argument->i64);
		return true;
	case BINLOG_ARG_F64:
		value->number = argument->f64;
		return true;
	case BINLOG_ARG_LONG_DOUBLE:
		return read_long_double(argument, value);
	}
	return read_text(argument, value);
}

static bool read_operand(const struct expression_operand *operand,
	const struct expression_binding *binding, const struct message *message,
	struct value *value)
{
	switch (operand->kind) {
	case EXPRESSION_NUMBER:
		value->is_text = false;
		value->number = operand->number;
		return true;
	case EXPRESSION_TEXT:
		value->is_text = true;
		value->text = operand->text;
		value->bytes = operand->bytes;
		return true;
	case EXPRESSION_STATEMENT:
		value->is_text = true;
		value->text = binding->statement;
		value->bytes = binding->statement_bytes;
		return true;
	case EXPRESSION_ARGUMENT:
		break;
	}
	return read_argument(
		&binding->references[operand->name], message, value);
}

static enum truth truth_of(bool condition)
{
	return condition ? TRUE : FALSE;
}

static enum truth match(
	const struct expression_node *node, const struct value *value)
{
	regoff_t length =
		value->bytes > INT_MAX ? INT_MAX : (regoff_t)value->bytes;
	bool found;

	if (!value->is_text)
		return NEITHER;
	found = re_search(node->regex, value->text, length, 0, length, NULL) >=
		0;
	return truth_of(found == (node->operation == EXPRESSION_MATCHES));
}

bool expression_statement_is(const struct expression_node *node,
	const struct expression_binding *binding)
{
	const struct value value = {
		.is_text = true,
		.text = binding->statement,
		.bytes = binding->statement_bytes,
	};

	return match(node, &value) == TRUE;
}

static int order_of_texts(const struct value *a, const struct value *b)
{
	size_t least = a->bytes < b->bytes ? a->bytes : b->bytes;
	int order = memcmp(a->text, b->text, least);

	if (order != 0 || a->bytes == b->bytes)
		return order;
	return a->bytes < b->bytes ? -1 : 1;
}

/* What is not a number is unequal to all, and neither less nor greater. */
static enum truth compare_numbers(
	enum expression_operator operation, long double a, long double b)
{
	switch (operation) {
	case EXPRESSION_EQUAL:
		return truth_of(a == b);
	case EXPRESSION_UNEQUAL:
		return truth_of(a != b);
	case EXPRESSION_LESS:
		return truth_of(a < b);
	case EXPRESSION_LESS_OR_EQUAL:
		return truth_of(a <= b);
	case EXPRESSION_GREATER:
		return truth_of(a > b);
	case EXPRESSION_GREATER_OR_EQUAL:
		return truth_of(a >= b);
	default:
		return NEITHER;
	}
}

static enum truth compare(const struct expression_node *node,
	const struct expression_binding *binding, const struct message *message)
{
	struct value first;
	struct value second;

	if (!read_operand(&node->first, binding, message, &first))
		return NEITHER;
	if (node->regex)
		return match(node, &first);
	if (!read_operand(&node->second, binding, message, &second) ||
		first.is_text != second.is_text)
		return NEITHER;
	if (!first.is_text)
		return compare_numbers(
			node->operation, first.number, second.number);
	return compare_numbers(
		node->operation, order_of_texts(&first, &second), 0);
}

static enum truth evaluate(const struct expression *expression, size_t at,
	const struct expression_binding *binding, const struct message *message)
{
	const struct expression_node *node = &expression->nodes[at];
	enum truth left;
	enum truth right;

	if (node->operation > EXPRESSION_NOT)
		return compare(node, binding, message);
	left = evaluate(expression, node->left, binding, message);
	switch (node->operation) {
	case EXPRESSION_NOT:
		return left == NEITHER ? NEITHER : truth_of(left == FALSE);
	case EXPRESSION_AND:
		if (left == FALSE)
			return FALSE;
		right = evaluate(expression, node->right, binding, message);
		return right == FALSE || left == TRUE ? right : NEITHER;
	default:
		if (left == TRUE)
			return TRUE;
		right = evaluate(expression, node->right, binding, message);
		return right == TRUE || left == FALSE ? right : NEITHER;
	}
}

bool expression_is_true(const struct expression *expression,
	const struct expression_binding *binding, const struct message *message)
{
	return evaluate(expression, expression->root, binding, message) == TRUE;
}

/* What a part of an expression can be, as bits. */
enum { CAN_BE_TRUE = 1, CAN_BE_FALSE = 2, CAN_BE_NEITHER = 4 };

/* Whether the last word of the text is this one. */
static bool ends_with_word(
	const struct format_directive *text, const struct expression_name *word)
{
	return argument_name_is(text->text,
		argument_name_end(text->text, text->length), word->text,
		word->bytes, false);
}

static struct expression_reference refer(
	const struct format_directive *directive,
	const struct definition_context *context, size_t argument)
{
	size_t at = definition_arguments_before(context) + argument;

	if (at >= context->arguments)
		return (struct expression_reference){0};
	return (struct expression_reference){
		.argument = (uint16_t)at,
		.kind = context->kinds[at],
		.size = directive->size,
		.conversion = directive->conversion,
	};
}

/* The first directive that has the name keeps it. */
static void bind_directive(const struct expression *expression,
	const struct definition_context *context,
	const struct format_directive *directive,
	const struct format_directive *before,
	struct expression_binding *binding)
{
	const struct expression_name *name = expression->names;
	struct expression_reference *to = binding->references;
	size_t number;
	size_t i;

	if (directive->argument == FORMAT_NONE ||
		directive->conversion == 'n' ||
		!definition_is_own_argument(
			context, (size_t)directive->argument, &number))
		return;
	for (i = 0; i < expression->name_count; i++, name++, to++)
		if (to->kind == 0 &&
			(name->number == number ||
				(name->number == 0 &&
					ends_with_word(before, name))))
			*to = refer(directive, context,
				(size_t)directive->argument);
}

/* A width or a precision: an int that no word stands before. */
static void bind_star(const struct expression *expression,
	const struct definition_context *context, int argument,
	struct expression_binding *binding)
{
	static const struct format_directive number = {
		.conversion = 'd', .size = FORMAT_INT};
	size_t i;

	for (i = 0; argument != FORMAT_NONE && i < expression->name_count; i++)
		if (expression->names[i].number == (size_t)argument + 1)
			binding->references[i] =
				refer(&number, context, (size_t)argument);
}

static void bind_format(const struct expression *expression,
	const struct definition_context *context,
	const struct definition_string *format,
	struct expression_binding *binding)
{
	struct format_directive directive;
	struct format_directive before = {.text = ""};
	struct format_cursor cursor;

	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion) {
			bind_star(expression, context, directive.width_argument,
				binding);
			bind_star(expression, context,
				directive.precision_argument, binding);
			bind_directive(expression, context, &directive, &before,
				binding);
			directive.length = 0;
		}
		before = directive;
	}
}

/* The kind of a value, EXPRESSION_ARGUMENT for one that there is not. */
static enum expression_kind kind_of(const struct expression_operand *operand,
	const struct expression_binding *binding)
{
	if (operand->kind == EXPRESSION_STATEMENT)
		return EXPRESSION_TEXT;
	if (operand->kind != EXPRESSION_ARGUMENT)
		return operand->kind;
	switch (binding->references[operand->name].kind) {
	case 0:
		return EXPRESSION_ARGUMENT;
	case BINLOG_ARG_STRING:
	case BINLOG_ARG_WIDE:
		return EXPRESSION_TEXT;
	}
	return EXPRESSION_NUMBER;
}

static int comparison_can_be(const struct expression_node *node,
	const struct expression_binding *binding)
{
	enum expression_kind first = kind_of(&node->first, binding);
	enum expression_kind second = kind_of(&node->second, binding);

	if (first == EXPRESSION_ARGUMENT || first != second)
		return CAN_BE_NEITHER;
	return CAN_BE_TRUE | CAN_BE_FALSE | CAN_BE_NEITHER;
}

/* What it can be of any message with this binding. */
static int can_be(const struct expression *expression, size_t at,
	const struct expression_binding *binding)
{
	const struct expression_node *node = &expression->nodes[at];
	int left;
	int right;

	if (node->operation > EXPRESSION_NOT)
		return comparison_can_be(node, binding);
	left = can_be(expression, node->left, binding);
	if (node->operation == EXPRESSION_NOT)
		return (left & CAN_BE_NEITHER) |
		       (left & CAN_BE_TRUE ? CAN_BE_FALSE : 0) |
		       (left & CAN_BE_FALSE ? CAN_BE_TRUE : 0);
	right = can_be(expression, node->right, binding);
	if (node->operation == EXPRESSION_OR)
		return left | right;
	return (left & right & CAN_BE_TRUE) |
	       ((left | right) & (CAN_BE_FALSE | CAN_BE_NEITHER));
}

/* It lives as long as the context. */
static void bind_statement(const struct definition_string *format,
	struct expression_binding *binding)
{
	binding->statement = format->bytes;
	binding->statement_bytes = format->length;
	if (format->length > 0 && format->bytes[format->length - 1] == '\n')
		binding->statement_bytes--;
}

const struct expression_binding *expression_bind(
	const struct expression *expression,
	const struct definition_context *context,
	const struct definition_string *format, struct pool *pool)
{
	struct expression_binding *binding;

	if (!format || !format->bytes ||
		(!definition_is_formatted(context) &&
			!expression->of_statements))
		return NULL;
	binding = pool_take(pool, sizeof(*binding));
	if (!binding)
		return NULL;
	memset(binding, 0, sizeof(*binding));
	if (definition_is_formatted(context)) {
		bind_format(expression, context, format, binding);
		expression_remark_note(expression, format, binding);
	}
	bind_statement(context->statement ? context->statement->format : format,
		binding);
	return can_be(expression, expression->root, binding) & CAN_BE_TRUE
		       ? binding
		       : NULL;
}

struct parser {
	struct expression *expression;
	const char *text;
	const char *at;
	size_t nesting;
	char *problem;
	size_t size;
};

/* Always false. */
static bool fail(struct parser *parser, const char *at, const char *why)
{
	snprintf(parser->problem, parser->size, "column %zu: %s",
		(size_t)(at - parser->text) + 1, why);
	return false;
}

static void skip_spaces(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static bool skip(struct parser *parser, const char *token)
{
	size_t length = strlen(token);

	skip_spaces(parser);
	if (strncmp(parser->at, token, length) != 0)
		return false;
	parser->at += length;
	return true;
}

/* A word that joins or compares, and is not the beginning of a longer one. */
static bool skip_word(struct parser *parser, const char *word)
{
	const char *begin = parser->at;

	if (skip(parser, word) && !isalnum((unsigned char)*parser->at) &&
		*parser->at != '_')
		return true;
	parser->at = begin;
	return false;
}

/* The node's number into *at. */
static struct expression_node *add_node(
	struct parser *parser, enum expression_operator operation, size_t *at)
{
	struct expression *expression = parser->expression;
	struct expression_node *node;

	if (expression->count == LIMITS_OPERANDS) {
		fail(parser, parser->at, "too long: give --where twice");
		return NULL;
	}
	*at = expression->count++;
	node = &expression->nodes[*at];
	node->operation = operation;
	return node;
}

static bool parse_integer(
	struct parser *parser, struct expression_operand *operand, int base)
{
	const char *begin = parser->at;
	char *end;

	errno = 0;
	operand->number = strtoull(begin, &end, base);
	parser->at = end;
	if (errno != 0)
		return fail(parser, begin,
			"more than 64 bits: no argument is as large");
	return true;
}

static bool parse_number(
	struct parser *parser, struct expression_operand *operand)
{
	const char *begin = parser->at;
	bool negative = *begin == '-';
	bool hex;
	char *end;

	operand->kind = EXPRESSION_NUMBER;
	parser->at += *begin == '-' || *begin == '+';
	hex = parser->at[0] == '0' && (parser->at[1] | 32) == 'x';
	if (hex || !parser->at[strspn(parser->at, "0123456789")] ||
		!strchr(".eE", parser->at[strspn(parser->at, "0123456789")])) {
		if (!parse_integer(parser, operand, hex ? 16 : 10))
			return false;
	} else {
		operand->number = strtod(parser->at, &end);
		parser->at = end;
	}
	if (negative)
		operand->number = -operand->number;
	if (isalnum((unsigned char)*parser->at) || *parser->at == '.')
		return fail(
			parser, begin, "not a number: give it without a unit");
	return true;
}

/* What a backslash and this stand for, or 0. */
static char unescape(char c, char quote)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	}
	return c == quote || c == '\\' ? c : 0;
}

/* "text" or 'c'; a backslash before anything else stays. */
static bool parse_quoted(
	struct parser *parser, struct expression_operand *operand)
{
	const char *begin = parser->at;
	char quote = *parser->at++;

	operand->kind = EXPRESSION_TEXT;
	operand->text = calloc(1, strlen(begin));
	if (!operand->text)
		return fail(parser, begin, "out of memory: try without");
	while (*parser->at && *parser->at != quote) {
		char escaped = *parser->at == '\\'
				       ? unescape(parser->at[1], quote)
				       : 0;

		operand->text[operand->bytes++] =
			escaped ? escaped : *parser->at;
		parser->at += escaped ? 2 : 1;
	}
	if (*parser->at++ != quote)
		return fail(parser, begin, "the text has no end: add a quote");
	if (quote == '"')
		return true;
	if (operand->bytes != 1)
		return fail(parser, begin,
			"not one character: give a text in \"quotes\"");
	operand->kind = EXPRESSION_NUMBER;
	operand->number = (unsigned char)*operand->text;
	return true;
}

/* 0: it is not argN. */
static size_t number_of(const char *word, size_t bytes)
{
	size_t number = 0;
	size_t i;

	if (bytes < 4 || bytes > 6 || memcmp(word, "arg", 3) != 0)
		return 0;
	for (i = 3; i < bytes; i++) {
		if (!isdigit((unsigned char)word[i]))
			return 0;
		number = number * 10 + (size_t)(word[i] - '0');
	}
	return number;
}

static bool is_before_like(struct parser parser)
{
	return skip_word(&parser, "like");
}

static bool parse_name(
	struct parser *parser, struct expression_operand *operand)
{
	struct expression *expression = parser->expression;
	struct expression_name name = {.text = parser->at};
	size_t i;

	while (isalnum((unsigned char)*parser->at) || *parser->at == '_')
		parser->at++;
	name.bytes = (size_t)(parser->at - name.text);
	name.number = number_of(name.text, name.bytes);
	operand->kind = EXPRESSION_ARGUMENT;
	if (name.bytes == 9 && memcmp(name.text, "statement", 9) == 0 &&
		is_before_like(*parser)) {
		operand->kind = EXPRESSION_STATEMENT;
		expression->of_statements = true;
		return true;
	}
	if (name.bytes == 4 && memcmp(name.text, "arg0", 4) == 0)
		return fail(parser, name.text,
			"arguments are counted from arg1, the first one after "
			"the format");
	for (i = 0; i < expression->name_count; i++)
		if (expression->names[i].bytes == name.bytes &&
			memcmp(expression->names[i].text, name.text,
				name.bytes) == 0)
			break;
	operand->name = i;
	if (i == EXPRESSION_NAMES_MAX)
		return fail(parser, name.text,
			"more arguments than can be kept: use fewer");
	if (i == expression->name_count)
		expression->names[expression->name_count++] = name;
	return true;
}

static bool parse_operand(
	struct parser *parser, struct expression_operand *operand)
{
	char c;

	skip_spaces(parser);
	c = *parser->at;
	if (c == '"' || c == '\'')
		return parse_quoted(parser, operand);
	if (isalpha((unsigned char)c) || c == '_')
		return parse_name(parser, operand);
	if (c == '-' || c == '+')
		c = parser->at[1];
	if (c == '.')
		c = parser->at[1 + (*parser->at != '.')];
	if (isdigit((unsigned char)c))
		return parse_number(parser, operand);
	return fail(parser, parser->at,
		"a value must be here: give a number, a \"text\" or an "
		"argument such as arg1");
}

/* *like: what follows is a pattern with %, and becomes a regular expression. */
static bool parse_comparator(
	struct parser *parser, enum expression_operator *operation, bool *like)
{
	/* Those that begin like others come before them. */
	static const struct {
		const char *text;
		enum expression_operator operation;
	} comparators[] = {
		{"==", EXPRESSION_EQUAL},
		{"!=", EXPRESSION_UNEQUAL},
		{"<=", EXPRESSION_LESS_OR_EQUAL},
		{">=", EXPRESSION_GREATER_OR_EQUAL},
		{"<", EXPRESSION_LESS},
		{">", EXPRESSION_GREATER},
		{"!~", EXPRESSION_MATCHES_NOT},
		{"~", EXPRESSION_MATCHES},
	};
	size_t i;

	for (i = 0; i < sizeof(comparators) / sizeof(comparators[0]); i++) {
		if (!skip(parser, comparators[i].text))
			continue;
		*operation = comparators[i].operation;
		return true;
	}
	*operation = EXPRESSION_MATCHES;
	*like = skip_word(parser, "like");
	return *like || fail(parser, parser->at,
				"no comparison: give ==, !=, <, <=, >, >=, ~, "
				"!~ or like");
}

/* % is anything, _ one byte; a backslash before one of them makes it stand for
 * itself. */
static bool turn_into_regex(struct parser *parser,
	struct expression_operand *operand, const char *begin)
{
	struct render_buffer regex = {0};
	size_t i;

	if (operand->kind != EXPRESSION_TEXT)
		return fail(
			parser, begin, "not a pattern: give it in \"quotes\"");
	render_buffer_put_byte(&regex, '^');
	for (i = 0; i < operand->bytes; i++) {
		char c = operand->text[i];

		if (c == '%') {
			render_buffer_put_string(&regex, ".*");
			continue;
		}
		if (c == '_') {
			render_buffer_put_byte(&regex, '.');
			continue;
		}
		if (c == '\\' && i + 1 < operand->bytes &&
			strchr("%_\\", operand->text[i + 1]))
			c = operand->text[++i];
		if (c != '\0' && strchr(".[]{}()*+?^$|\\", c))
			render_buffer_put_byte(&regex, '\\');
		render_buffer_put_byte(&regex, c);
	}
	render_buffer_put_string(&regex, "$");
	render_buffer_put_byte(&regex, '\0');
	if (regex.failed) {
		render_buffer_free(&regex);
		return fail(parser, parser->at, "out of memory: try without");
	}
	free(operand->text);
	operand->text = regex.data;
	operand->bytes = regex.length - 1;
	return true;
}

static bool compile(
	struct parser *parser, struct expression_node *node, const char *begin)
{
	regex_t *regex;

	if (node->second.kind != EXPRESSION_TEXT)
		return fail(parser, begin,
			"not a regular expression: give it in \"quotes\"");
	regex = calloc(1, sizeof(*regex));
	if (!regex)
		return fail(parser, begin, "out of memory: try without");
	if (regcomp(regex, node->second.text, REG_EXTENDED | REG_NOSUB) != 0) {
		free(regex);
		return fail(parser, begin,
			"not a regular expression: put \\ before what stands "
			"for itself");
	}
	node->regex = regex;
	return true;
}

static bool parse_comparison(struct parser *parser, size_t *at)
{
	struct expression_node *node = add_node(parser, EXPRESSION_EQUAL, at);
	const char *begin;
	bool like = false;

	if (!node || !parse_operand(parser, &node->first) ||
		!parse_comparator(parser, &node->operation, &like))
		return false;
	skip_spaces(parser);
	begin = parser->at;
	if (!parse_operand(parser, &node->second) ||
		(like && !turn_into_regex(parser, &node->second, begin)))
		return false;
	return node->operation < EXPRESSION_MATCHES ||
	       compile(parser, node, begin);
}

static bool parse_or(struct parser *parser, size_t *at);

static bool parse_unary(struct parser *parser, size_t *at)
{
	const char *begin = parser->at;
	struct expression_node *node;
	bool parsed;

	if (++parser->nesting > LIMITS_PARENTHESES)
		return fail(parser, begin, "too deep: use fewer parentheses");
	if (skip(parser, "!")) {
		node = add_node(parser, EXPRESSION_NOT, at);
		parsed = node && parse_unary(parser, &node->left);
	} else if (skip(parser, "(")) {
		begin = parser->at - 1;
		parsed = parse_or(parser, at);
		if (parsed && !skip(parser, ")"))
			parsed = fail(parser, begin,
				"this parenthesis is not closed: add a )");
	} else {
		parsed = parse_comparison(parser, at);
	}
	parser->nesting--;
	return parsed;
}

/* What `token`, or the word, joins, from left to right. */
static bool parse_joined(struct parser *parser, const char *token,
	const char *word, enum expression_operator operation,
	bool (*parse)(struct parser *parser, size_t *at), size_t *at)
{
	struct expression_node *node;
	size_t left;

	if (!parse(parser, at))
		return false;
	while (skip(parser, token) || skip_word(parser, word)) {
		left = *at;
		node = add_node(parser, operation, at);
		if (!node || !parse(parser, &node->right))
			return false;
		node->left = left;
	}
	return true;
}

static bool parse_and(struct parser *parser, size_t *at)
{
	return parse_joined(
		parser, "&&", "and", EXPRESSION_AND, parse_unary, at);
}

static bool parse_or(struct parser *parser, size_t *at)
{
	return parse_joined(parser, "||", "or", EXPRESSION_OR, parse_and, at);
}

struct expression *expression_new(const char *text, char *problem, size_t size)
{
	struct parser parser = {
		.text = text,
		.at = text,
		.problem = problem,
		.size = size,
		.expression = calloc(1, sizeof(struct expression)),
	};
	bool parsed;

	if (parser.expression)
		parser.expression->remarks = calloc(EXPRESSION_NAMES_MAX,
			sizeof(*parser.expression->remarks));
	if (!parser.expression || !parser.expression->remarks) {
		free(parser.expression);
		snprintf(problem, size, "out of memory: try without");
		return NULL;
	}
	parsed = parse_or(&parser, &parser.expression->root);
	if (parsed)
		skip_spaces(&parser);
	if (parsed && *parser.at)
		parsed = fail(&parser, parser.at,
			"does not belong here: join comparisons with && or ||");
	if (parsed)
		return parser.expression;
	expression_free(parser.expression);
	return NULL;
}

void expression_free(struct expression *expression)
{
	size_t i;

	for (i = 0; expression && i < expression->count; i++) {
		if (expression->nodes[i].regex)
			regfree(expression->nodes[i].regex);
		free(expression->nodes[i].regex);
		free(expression->nodes[i].first.text);
		free(expression->nodes[i].second.text);
	}
	if (expression)
		free(expression->remarks);
	free(expression);
}

/*
 * What is to be said of names in a condition that no format has: mostly they
 * are mistyped.  Filled while the condition is bound to formats, asked at the
 * end.  Private to the expression*.c files, but for expression_remarks() in
 * expression.h.
 */

/* It is nearer than what was the nearest so far. */
static void remark_compare(struct expression_remark *remark,
	const struct expression_name *name, const char *word)
{
	char meant[SUGGEST_LENGTH_MAX + 1];
	size_t distance;

	snprintf(meant, sizeof(meant), "%.*s",
		name->bytes > SUGGEST_LENGTH_MAX ? 0 : (int)name->bytes,
		name->text);
	distance = suggest_distance(meant, word);
	if (!suggest_nearest(meant, &word, 1) ||
		(remark->distance > 0 && remark->distance <= distance))
		return;
	remark->distance = distance;
	snprintf(remark->nearest, sizeof(remark->nearest), "%s", word);
}

/* The name that the text before a directive gives it: the word at its end. */
static void offer(const struct expression *expression,
	const struct format_directive *before)
{
	size_t end = argument_name_end(before->text, before->length);
	size_t start = end;
	char word[SUGGEST_LENGTH_MAX + 1];
	size_t i;

	while (start > 0 && word_has(before->text[start - 1]))
		start--;
	if (start == end || end - start > SUGGEST_LENGTH_MAX)
		return;
	memcpy(word, before->text + start, end - start);
	word[end - start] = '\0';
	for (i = 0; i < expression->name_count; i++)
		if (!expression->remarks[i].met &&
			expression->names[i].number == 0)
			remark_compare(&expression->remarks[i],
				&expression->names[i], word);
}

/* The expression was bound to this format. */
static void expression_remark_note(const struct expression *expression,
	const struct definition_string *format,
	const struct expression_binding *binding)
{
	struct format_directive directive;
	struct format_directive before = {.text = ""};
	struct format_cursor cursor;
	bool all = true;
	size_t i;

	for (i = 0; i < expression->name_count; i++) {
		expression->remarks[i].met |= binding->references[i].kind != 0;
		all = all && expression->remarks[i].met;
	}
	if (all)
		return;
	format_begin(&cursor, format->bytes, format->length);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion)
			offer(expression, &before);
		before = directive;
		if (directive.conversion)
			before.length = 0;
	}
}

void expression_remarks(
	const struct expression *expression, struct render_buffer *out)
{
	size_t i;

	for (i = 0; i < expression->name_count; i++) {
		const struct expression_name *name = &expression->names[i];
		const struct expression_remark *remark =
			&expression->remarks[i];
		char text[256];

		if (remark->met)
			continue;
		snprintf(text, sizeof(text),
			"--where: no message has an argument \"%.*s\": "
			"%s%s%s",
			name->bytes > 64 ? 64 : (int)name->bytes, name->text,
			remark->distance > 0 ? "did you mean " : "",
			remark->distance > 0
				? remark->nearest
				: "--columns=args,message shows their names",
			remark->distance > 0 ? "?" : "");
		escape_put(out, text, strlen(text), ESCAPE_NEWLINE);
		render_buffer_put_byte(out, '\n');
	}
}

enum expression_operator expression_turned(enum expression_operator operation)
{
	switch (operation) {
	case EXPRESSION_LESS:
		return EXPRESSION_GREATER;
	case EXPRESSION_LESS_OR_EQUAL:
		return EXPRESSION_GREATER_OR_EQUAL;
	case EXPRESSION_GREATER:
		return EXPRESSION_LESS;
	case EXPRESSION_GREATER_OR_EQUAL:
		return EXPRESSION_LESS_OR_EQUAL;
	default:
		return operation;
	}
}
