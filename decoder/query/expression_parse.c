#include "decoder/query/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "decoder/query/expression_remark.h"

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

static bool parse_comparator(
	struct parser *parser, enum expression_operator *operation)
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
	return fail(parser, parser->at,
		"no comparison: give ==, !=, <, <=, >, >=, ~ or !~");
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

	if (!node || !parse_operand(parser, &node->first) ||
		!parse_comparator(parser, &node->operation))
		return false;
	skip_spaces(parser);
	begin = parser->at;
	if (!parse_operand(parser, &node->second))
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

/* What `token` joins, from left to right. */
static bool parse_joined(struct parser *parser, const char *token,
	enum expression_operator operation,
	bool (*parse)(struct parser *parser, size_t *at), size_t *at)
{
	struct expression_node *node;
	size_t left;

	if (!parse(parser, at))
		return false;
	while (skip(parser, token)) {
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
	return parse_joined(parser, "&&", EXPRESSION_AND, parse_unary, at);
}

static bool parse_or(struct parser *parser, size_t *at)
{
	return parse_joined(parser, "||", EXPRESSION_OR, parse_and, at);
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
