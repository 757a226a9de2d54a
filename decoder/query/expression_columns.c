#include "decoder/query/expression_columns.h"

#include <math.h>
#include <string.h>

#include "decoder/query/expression.h"
#include "record/layout.h"

/*
 * The values of a column of arguments, as their directive prints them.  Used
 * where columns are summed up without making messages.
 */

void column_values_bits(struct column *column, int64_t *values, size_t count)
{
	uint64_t add = column->add;
	size_t i;

	if (column->stride == 0) {
		for (i = 0; i < count; i++, add += column->step)
			values[i] = (int64_t)(*column->at + add);
		column->add = add;
		return;
	}
	/* One that has values in memory does not step. */
	for (i = 0; i < count; i++)
		values[i] = (int64_t)(column->at[i] + add);
	column->at += count;
}

static void cut_to_32(int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = (int32_t)values[i];
}

static void cut_to_unsigned_32(int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = (uint32_t)values[i];
}

static void cut_to_size(
	const struct field *field, int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] =
			field_cut(values[i], field->conversion, field->size);
}

void column_values_integers(struct column *column, const struct field *field,
	int64_t *values, size_t count)
{
	column_values_bits(column, values, count);
	if (field->kind == BINLOG_ARG_I32)
		cut_to_32(values, count);
	if (field->size == FORMAT_INT && field->conversion != 'c' &&
		field->conversion != 'p') {
		if (!column_values_are_signed(field->conversion))
			cut_to_unsigned_32(values, count);
		return;
	}
	if (field->size != FORMAT_LONG || field->conversion == 'c')
		cut_to_size(field, values, count);
}

void column_values_floats(struct column *column, double *values, size_t count)
{
	int64_t bits[256];

	while (count > 0) {
		size_t piece = count < 256 ? count : 256;

		column_values_bits(column, bits, piece);
		memcpy(values, bits, piece * sizeof(*values));
		values += piece;
		count -= piece;
	}
}

/* Neither of them: it is not known. */
enum { IS_TRUE = 1, IS_FALSE = 2 };

#define PIECE ((size_t)512)
#define SIGN ((uint64_t)1 << 63)

struct asked {
	const struct expression *expression;
	const struct expression_binding *binding;
	struct packed_body *body;
	size_t site;
	size_t count; /* of messages */
};

/* One side of a comparison: a number, or a column of them. */
struct side {
	bool is_column;
	bool is_float;
	bool is_signed;
	long double number;
	struct column column;
	struct field field;
};

/* All values from `least` to `most` in the order of integers of this sign; or
 * all others. */
struct range {
	uint64_t least;
	uint64_t most;
	bool empty;
	bool others;
};

static uint8_t truth_of(bool condition)
{
	return condition ? IS_TRUE : IS_FALSE;
}

/* False: it is a text.  *known: there is such a thing in these messages. */
static bool open_side(const struct asked *asked,
	const struct expression_operand *operand, struct side *side,
	bool *known)
{
	const struct expression_reference *reference;

	*known = true;
	*side = (struct side){.number = operand->number};
	if (operand->kind != EXPRESSION_ARGUMENT)
		return operand->kind == EXPRESSION_NUMBER;
	reference = &asked->binding->references[operand->name];
	*known = reference->kind != 0;
	if (!*known)
		return true;
	if (reference->kind != BINLOG_ARG_I32 &&
		reference->kind != BINLOG_ARG_I64 &&
		reference->kind != BINLOG_ARG_F64)
		return false;
	side->is_column = true;
	side->is_float = reference->kind == BINLOG_ARG_F64;
	side->is_signed = reference->conversion == 'd';
	side->field = (struct field){.kind = reference->kind,
		.size = reference->size,
		.conversion = reference->conversion};
	side->column = packed_columns_numbers(
		asked->body, asked->site, reference->argument);
	return true;
}

static uint64_t ordered(int64_t value, bool is_signed)
{
	return is_signed ? (uint64_t)value ^ SIGN : (uint64_t)value;
}

/* That of all integers which are at least, and at most, this. */
static struct range range_between(
	long double least, long double most, bool is_signed)
{
	const long double lowest = is_signed ? -0x1p63L : 0;
	const long double highest = is_signed ? 0x1p63L - 1 : 0x1p64L - 1;
	struct range range = {0};

	range.empty = !(least <= most) || least > highest || most < lowest;
	if (range.empty)
		return range;
	least = least < lowest ? lowest : least;
	most = most > highest ? highest : most;
	range.least =
		is_signed ? ordered((int64_t)least, true) : (uint64_t)least;
	range.most = is_signed ? ordered((int64_t)most, true) : (uint64_t)most;
	return range;
}

/* The integers of which the comparison with the number is true. */
static struct range range_of(
	enum expression_operator operation, long double number, bool is_signed)
{
	bool others = operation == EXPRESSION_UNEQUAL;
	long double least = -INFINITY;
	long double most = INFINITY;
	struct range range;

	switch (operation) {
	case EXPRESSION_LESS:
		most = ceill(number) - 1;
		break;
	case EXPRESSION_LESS_OR_EQUAL:
		most = floorl(number);
		break;
	case EXPRESSION_GREATER:
		least = floorl(number) + 1;
		break;
	case EXPRESSION_GREATER_OR_EQUAL:
		least = ceill(number);
		break;
	default:
		least = ceill(number);
		most = floorl(number);
	}
	range = range_between(least, most, is_signed);
	range.others = others;
	return range;
}

static void compare_piece(const struct range *range, bool is_signed,
	const int64_t *values, size_t count, uint8_t *truths)
{
	const uint64_t turn = is_signed ? SIGN : 0;
	const uint64_t span = range->most - range->least;
	size_t i;

	for (i = 0; i < count; i++) {
		bool in = ((uint64_t)values[i] ^ turn) - range->least <= span;

		truths[i] = (uint8_t)(IS_FALSE - (in != range->others));
	}
}

/* A column of integers with a number. */
static void compare_integers(enum expression_operator operation,
	struct side *side, long double number, size_t count, uint8_t *truths)
{
	struct range range = range_of(operation, number, side->is_signed);
	int64_t values[PIECE];
	size_t piece;

	if (range.empty) {
		memset(truths, truth_of(range.others), count);
		return;
	}
	for (; count > 0; count -= piece, truths += piece) {
		piece = count < PIECE ? count : PIECE;
		column_values_integers(
			&side->column, &side->field, values, piece);
		compare_piece(&range, side->is_signed, values, piece, truths);
	}
}

static long double next_number(struct side *side)
{
	int64_t integer;
	double value;

	if (!side->is_column)
		return side->number;
	if (side->is_float) {
		column_values_floats(&side->column, &value, 1);
		return value;
	}
	column_values_integers(&side->column, &side->field, &integer, 1);
	if (side->is_signed)
		return integer;
	return (uint64_t)integer;
}

static uint8_t compare_numbers(
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
	default:
		return truth_of(a >= b);
	}
}

static void compare_sides(enum expression_operator operation,
	struct side *first, struct side *second, size_t count, uint8_t *truths)
{
	size_t i;

	if (first->is_column && !first->is_float && !second->is_column) {
		compare_integers(
			operation, first, second->number, count, truths);
		return;
	}
	if (second->is_column && !second->is_float && !first->is_column) {
		compare_integers(expression_turned(operation), second,
			first->number, count, truths);
		return;
	}
	for (i = 0; i < count; i++)
		truths[i] = compare_numbers(
			operation, next_number(first), next_number(second));
}

static bool compare(const struct asked *asked,
	const struct expression_node *node, uint8_t *truths)
{
	struct side first;
	struct side second;
	bool first_known;
	bool second_known;

	if (node->regex ||
		!open_side(asked, &node->first, &first, &first_known) ||
		!open_side(asked, &node->second, &second, &second_known))
		return false;
	if (first_known && second_known)
		compare_sides(
			node->operation, &first, &second, asked->count, truths);
	else
		memset(truths, 0, asked->count);
	return true;
}

/* Both are true, or both are false. */
static void join(enum expression_operator operation, uint8_t *truths,
	const uint8_t *others, size_t count)
{
	const uint8_t both = operation == EXPRESSION_AND ? IS_TRUE : IS_FALSE;
	const uint8_t either = operation == EXPRESSION_AND ? IS_FALSE : IS_TRUE;
	size_t i;

	for (i = 0; i < count; i++)
		truths[i] = (uint8_t)((truths[i] & others[i] & both) |
				      ((truths[i] | others[i]) & either));
}

static bool evaluate(const struct asked *asked, size_t at, uint8_t *truths)
{
	const struct expression_node *node = &asked->expression->nodes[at];
	uint8_t *others;
	size_t i;

	if (node->operation > EXPRESSION_NOT)
		return compare(asked, node, truths);
	if (!evaluate(asked, node->left, truths))
		return false;
	if (node->operation == EXPRESSION_NOT) {
		for (i = 0; i < asked->count; i++)
			truths[i] = (uint8_t)(truths[i] >> 1 |
					      (truths[i] & IS_TRUE) << 1);
		return true;
	}
	others = packed_columns_take(asked->body, asked->count);
	if (!others || !evaluate(asked, node->right, others))
		return false;
	join(node->operation, truths, others, asked->count);
	return true;
}

bool expression_columns_choose(const struct expression *expression,
	const struct expression_binding *binding, struct packed_body *body,
	size_t site, uint8_t *chosen)
{
	const struct asked asked = {expression, binding, body, site,
		body->batch.sites[site].messages};
	uint8_t *truths = packed_columns_take(body, asked.count);
	size_t i;

	if (!truths || !evaluate(&asked, expression->root, truths))
		return false;
	for (i = 0; i < asked.count; i++)
		chosen[i] |= truths[i] & IS_TRUE;
	return true;
}
