#include "decoder/query/expression.h"

#include <string.h>

#include "decoder/query/expression_remark.h"
#include "record/argument_name.h"
#include "record/format.h"
#include "record/layout.h"

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
	size_t i;

	if (directive->argument == FORMAT_NONE || directive->conversion == 'n')
		return;
	for (i = 0; i < expression->name_count; i++, name++, to++)
		if (to->kind == 0 &&
			(name->number == (size_t)directive->argument + 1 ||
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

const struct expression_binding *expression_bind(
	const struct expression *expression,
	const struct definition_context *context,
	const struct definition_string *format, struct pool *pool)
{
	struct expression_binding *binding;

	if (!format || !format->bytes || !definition_is_formatted(context))
		return NULL;
	binding = pool_take(pool, sizeof(*binding));
	if (!binding)
		return NULL;
	memset(binding, 0, sizeof(*binding));
	bind_format(expression, context, format, binding);
	expression_remark_note(expression, format, binding);
	return can_be(expression, expression->root, binding) & CAN_BE_TRUE
		       ? binding
		       : NULL;
}
