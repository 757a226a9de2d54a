#include "tools/query/conditions.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decoder/message/fields.h"
#include "decoder/query/expression.h"
#include "decoder/query/filter.h"
#include "decoder/query/grep.h"
#include "rules/levels.h"
#include "tools/query/sql.h"

#define DAY ((uint64_t)86400 * 1000000000u)
/* What is on a line with what was said at a time is looked for so long before,
 * and after. */
#define LINE_TAKES (DAY / 24)
/* A name of the table, where rows of one call are parts of a line. */
#define MESSAGES "messages"

static void put(struct render_buffer *out, const char *text)
{
	render_buffer_put_string(out, text);
}

/* Before another condition that has to hold as well. */
static void put_and(struct render_buffer *out)
{
	if (out->length > 0)
		put(out, " AND ");
}

/*
 * Lists of statements.
 */

void conditions_list_add(struct conditions_list *list, uint64_t id)
{
	if (list->count++ > 0)
		put(&list->text, ", ");
	sql_put_number(&list->text, id);
}

void conditions_list_put(
	const struct conditions_list *list, struct render_buffer *out)
{
	if (list->count == 0) {
		put(out, "0");
		return;
	}
	put(out, "statement IN (");
	render_buffer_put(out, list->text.data, list->text.length);
	put(out, ")");
}

/*
 * Who and when.
 */

static bool is_timed(const struct conditions *conditions)
{
	return conditions->since > 0 || conditions->until < UINT64_MAX;
}

/* With so much time before and after. */
static void put_time(const struct conditions *conditions, uint64_t around,
	struct render_buffer *out)
{
	const uint64_t since = conditions->since;
	const uint64_t until = conditions->until;

	if (since > 0) {
		const uint64_t first = since < around ? 0 : since - around;
		const uint64_t day = first < DAY ? 0 : first / DAY - 1;

		put(out, "time >= ");
		sql_put_number(out, first);
		/* what was said then has not arrived before, but by clocks
		 * that run ahead; partitions are passed over by it */
		put(out, " AND received >= toDate(");
		sql_put_number(out, day < conditions->first_day
					    ? day
					    : conditions->first_day);
		put(out, ")");
	}
	if (until < UINT64_MAX) {
		put(out, since > 0 ? " AND time <= " : "time <= ");
		sql_put_number(out,
			until > UINT64_MAX - around ? UINT64_MAX
						    : until + around);
	}
}

/* ` WHERE ` and what has to hold of all rows, before what else has to. */
static void put_where(const struct conditions *conditions, uint64_t around,
	struct render_buffer *out)
{
	put(out, " WHERE ");
	if (is_timed(conditions)) {
		put_time(conditions, around, out);
		put(out, " AND ");
	}
	if (conditions->who.length > 0) {
		render_buffer_put(
			out, conditions->who.data, conditions->who.length);
		put(out, " AND ");
	}
}

static void put_numbers(struct render_buffer *out, const char *column,
	const struct filter_numbers *numbers)
{
	size_t i;

	if (numbers->count == 0)
		return;
	put_and(out);
	put(out, column);
	put(out, " IN (");
	for (i = 0; i < numbers->count; i++) {
		put(out, i > 0 ? ", " : "");
		sql_put_number(out, numbers->numbers[i]);
	}
	put(out, ")");
}

/* False: it holds for more than it should. */
static bool put_globs(struct render_buffer *out, const char *column,
	const char *const *globs, size_t count)
{
	const size_t start = out->length;
	bool exact = true;
	size_t i;

	if (count == 0)
		return true;
	put_and(out);
	put(out, "(");
	for (i = 0; i < count; i++) {
		enum sql_pattern pattern = SQL_PATTERN_SAME;

		put(out, i > 0 ? " OR " : "");
		if (!strpbrk(globs[i], "*?[\\")) {
			put(out, column);
			put(out, " = ");
			sql_put_text(out, globs[i], strlen(globs[i]));
		} else {
			put(out, "match(");
			put(out, column);
			put(out, ", ");
			pattern = sql_put_glob(out, globs[i]);
			put(out, ")");
		}
		exact &= pattern == SQL_PATTERN_SAME;
		if (pattern == SQL_PATTERN_NONE) {
			out->length = start;
			return false;
		}
	}
	put(out, ")");
	return exact;
}

/* Of files only that they are some. */
static bool put_streams(
	struct render_buffer *out, const struct filter_rules *rules)
{
	static const struct {
		uint32_t flag;
		const char *condition;
	} streams[] = {
		{BINLOG_STREAM_STDOUT, "stream = 'stdout'"},
		{BINLOG_STREAM_STDERR, "stream = 'stderr'"},
		{BINLOG_STREAM_SYSLOG, "stream = 'syslog'"},
		{BINLOG_STREAM_FILE,
			"stream NOT IN ('stdout', 'stderr', 'syslog')"},
	};
	bool first = true;
	size_t i;

	if (rules->streams == 0)
		return true;
	put_and(out);
	put(out, "(");
	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		if (!(rules->streams & streams[i].flag))
			continue;
		put(out, first ? "" : " OR ");
		put(out, streams[i].condition);
		first = false;
	}
	put(out, ")");
	return rules->glob_count == 0;
}

/* Always false. */
static bool refuse(struct conditions *conditions, const char *option,
	const char *value, const char *why)
{
	snprintf(conditions->problem, sizeof(conditions->problem), "%s: %s: %s",
		option, value, why);
	return false;
}

/* What binlog-query alone can ask for has to be said as it is. */
static bool put_own_globs(struct conditions *conditions, const char *option,
	const char *column, const struct conditions_texts *globs)
{
	return put_globs(&conditions->who, column, globs->all, globs->count) ||
	       refuse(conditions, option, globs->all[0],
		       "the server cannot be asked for such a glob: use * and "
		       "? in it, and plain characters");
}

static bool make_who(
	struct conditions *conditions, const struct conditions_asked *asked)
{
	const struct filter_rules *rules = &asked->options->rules;

	if (rules->timed) {
		conditions->since = rules->since;
		conditions->until = rules->until;
	} else {
		conditions->until = UINT64_MAX;
	}
	conditions->first_day = asked->first_day;
	put_numbers(&conditions->who, "pid", &rules->pids);
	put_numbers(&conditions->who, "tid", &rules->tids);
	conditions->exact &= put_globs(&conditions->who, "thread",
		rules->threads.texts, rules->threads.count);
	conditions->exact &= put_streams(&conditions->who, rules);
	return put_own_globs(conditions, "--host", "host", &asked->hosts) &&
	       put_own_globs(
		       conditions, "--program", "program", &asked->programs);
}

/*
 * Expressions.  Of each statement it is known what its names mean.
 */

struct binding {
	const struct expression *expression;
	const struct expression_binding *names;
	const struct fields *fields;
	struct render_buffer *out;
	bool exact;
	bool failed; /* it cannot be said: then all of it may be true */
};

enum side_kind { SIDE_NONE, SIDE_SIGNED, SIDE_UNSIGNED, SIDE_FLOAT, SIDE_TEXT };

/* One side of a comparison. */
struct side {
	enum side_kind kind; /* of a number: SIDE_FLOAT */
	bool constant;
	const struct expression_operand *operand;
	size_t place; /* in the arrays, from 1 */
	bool character;
};

static enum side_kind kind_of(const struct expression_reference *reference)
{
	switch (reference->kind) {
	case 0:
		return SIDE_NONE;
	case BINLOG_ARG_I32:
	case BINLOG_ARG_I64:
		return reference->conversion == 'd' ? SIDE_SIGNED
						    : SIDE_UNSIGNED;
	case BINLOG_ARG_F64:
	case BINLOG_ARG_LONG_DOUBLE:
		return SIDE_FLOAT;
	}
	return SIDE_TEXT;
}

static struct side side_of(
	struct binding *binding, const struct expression_operand *operand)
{
	const struct expression_reference *reference;
	struct side side = {.operand = operand, .constant = true};
	size_t i;

	if (operand->kind == EXPRESSION_NUMBER)
		side.kind = SIDE_FLOAT;
	if (operand->kind == EXPRESSION_TEXT)
		side.kind = SIDE_TEXT;
	if (operand->kind != EXPRESSION_ARGUMENT)
		return side;
	reference = &binding->names->references[operand->name];
	side.constant = false;
	side.kind = kind_of(reference);
	for (i = 0; side.kind != SIDE_NONE && i < binding->fields->count; i++) {
		const struct field *field = &binding->fields->all[i];

		if (field->argument != reference->argument)
			continue;
		side.place = i + 1;
		side.character = field->type == FIELD_CHARACTER;
		/* a wide character, or one argument that is said twice */
		if ((side.character && field->size == FORMAT_LONG) ||
			field->conversion != reference->conversion ||
			field->size != reference->size)
			binding->failed = true;
	}
	if (side.kind != SIDE_NONE && side.place == 0)
		binding->failed = true;
	return side;
}

static void put_item(
	struct render_buffer *out, const char *column, size_t place)
{
	put(out, "argument.");
	put(out, column);
	put(out, "[");
	sql_put_number(out, place);
	put(out, "]");
}

/* A number that is not needed as the least or the most integer of a range. */
static void put_constant(struct render_buffer *out, long double number)
{
	if (floorl(number) != number || fabsl(number) >= 0x1p64L)
		sql_put_float(out, (double)number);
	else if (number < 0)
		sql_put_integer(
			out, number <= -0x1p63L ? INT64_MIN : (int64_t)number);
	else
		sql_put_number(out, (uint64_t)number);
}

static void put_side(struct binding *binding, const struct side *side)
{
	struct render_buffer *out = binding->out;

	if (side->constant && side->kind == SIDE_TEXT)
		sql_put_text(out, side->operand->text, side->operand->bytes);
	else if (side->constant)
		put_constant(out, side->operand->number);
	else if (side->kind == SIDE_TEXT)
		put_item(out, "text", side->place);
	else if (side->kind == SIDE_FLOAT)
		put_item(out, "number", side->place);
	else if (side->character) {
		put(out, "reinterpretAsUInt8(");
		put_item(out, "text", side->place);
		put(out, ")");
	} else if (side->kind == SIDE_SIGNED) {
		put_item(out, "integer", side->place);
	} else {
		put(out, "toUInt64(");
		put_item(out, "integer", side->place);
		put(out, ")");
	}
}

static const char *operator_of(enum expression_operator operation)
{
	switch (operation) {
	case EXPRESSION_EQUAL:
		return " = ";
	case EXPRESSION_UNEQUAL:
		return " != ";
	case EXPRESSION_LESS:
		return " < ";
	case EXPRESSION_LESS_OR_EQUAL:
		return " <= ";
	case EXPRESSION_GREATER:
		return " > ";
	default:
		return " >= ";
	}
}

/*
 * An integer with a number, which may be no integer, or none that the column
 * can have: in integers, so that nothing is rounded.
 */
static void put_integer_comparison(struct binding *binding,
	enum expression_operator operation, const struct side *side,
	long double number)
{
	const bool is_signed = side->kind == SIDE_SIGNED;
	const long double lowest = is_signed ? -0x1p63L : 0;
	const long double highest = is_signed ? 0x1p63L - 1 : 0x1p64L - 1;
	struct render_buffer *out = binding->out;
	const bool whole = floorl(number) == number;

	if ((operation == EXPRESSION_EQUAL ||
		    operation == EXPRESSION_UNEQUAL) &&
		(!whole || number < lowest || number > highest)) {
		put(out, operation == EXPRESSION_EQUAL ? "0" : "1");
		return;
	}
	/* less than 2.5 is at most 2, more than 2.5 is at least 3 */
	if (!whole && (operation == EXPRESSION_LESS ||
			      operation == EXPRESSION_LESS_OR_EQUAL)) {
		operation = EXPRESSION_LESS_OR_EQUAL;
		number = floorl(number);
	} else if (!whole) {
		operation = EXPRESSION_GREATER_OR_EQUAL;
		number = ceill(number);
	}
	if (number < lowest || number > highest) {
		const bool less = operation == EXPRESSION_LESS ||
				  operation == EXPRESSION_LESS_OR_EQUAL;

		put(out, less == (number > highest) ? "1" : "0");
		return;
	}
	put_side(binding, side);
	put(out, operator_of(operation));
	put_constant(out, number);
}

static bool is_integer(const struct side *side)
{
	return !side->constant &&
	       (side->kind == SIDE_SIGNED || side->kind == SIDE_UNSIGNED);
}

static void put_comparison(struct binding *binding,
	const struct expression_node *node, const struct side *first,
	const struct side *second)
{
	if (is_integer(first) && second->constant) {
		put_integer_comparison(binding, node->operation, first,
			second->operand->number);
		return;
	}
	if (is_integer(second) && first->constant) {
		put_integer_comparison(binding,
			expression_turned(node->operation), second,
			first->operand->number);
		return;
	}
	put_side(binding, first);
	put(binding->out, operator_of(node->operation));
	put_side(binding, second);
}

/* Of one that asks for more, the contrary asks for too little. */
static void put_match(struct binding *binding,
	const struct expression_node *node, const struct side *first,
	bool contrary)
{
	struct render_buffer *out = binding->out;
	const size_t start = out->length;
	enum sql_pattern pattern;

	put(out, contrary ? "NOT match(" : "match(");
	put_side(binding, first);
	put(out, ", ");
	pattern = sql_put_regex(out, node->second.text, false, false);
	put(out, ")");
	if (pattern == SQL_PATTERN_SAME)
		return;
	binding->exact = false;
	if (contrary || pattern == SQL_PATTERN_NONE) {
		out->length = start;
		put(out, "1");
	}
}

/* Whether it is true, or else whether it is false; of what a message does not
 * have it is neither. */
static void put_node(struct binding *binding, size_t at, bool truth)
{
	const struct expression_node *node = &binding->expression->nodes[at];
	const bool both = (node->operation == EXPRESSION_AND) == truth;
	struct side first, second;

	switch (node->operation) {
	case EXPRESSION_NOT:
		put_node(binding, node->left, !truth);
		return;
	case EXPRESSION_AND:
	case EXPRESSION_OR:
		put(binding->out, "(");
		put_node(binding, node->left, truth);
		put(binding->out, both ? " AND " : " OR ");
		put_node(binding, node->right, truth);
		put(binding->out, ")");
		return;
	default:
		break;
	}
	if (node->first.kind == EXPRESSION_STATEMENT) {
		put(binding->out,
			expression_statement_is(node, binding->names) == truth
				? "1"
				: "0");
		return;
	}
	first = side_of(binding, &node->first);
	second = side_of(binding, &node->second);
	if (first.kind == SIDE_NONE || second.kind == SIDE_NONE ||
		(first.kind == SIDE_TEXT) != (second.kind == SIDE_TEXT)) {
		put(binding->out, "0");
		return;
	}
	if (node->regex) {
		put_match(binding, node, &first,
			truth != (node->operation == EXPRESSION_MATCHES));
		return;
	}
	put(binding->out, truth ? "(" : "NOT (");
	put_comparison(binding, node, &first, &second);
	put(binding->out, ")");
}

/* Statements of which the same is asked. */
struct group {
	char *condition;
	struct conditions_list list;
};

struct groups {
	struct group *all;
	size_t count, room;
	bool failed;
};

static struct group *group_of(
	struct groups *groups, const struct render_buffer *condition)
{
	struct group *group;
	size_t i;

	for (i = 0; i < groups->count; i++)
		if (strlen(groups->all[i].condition) == condition->length &&
			memcmp(groups->all[i].condition, condition->data,
				condition->length) == 0)
			return &groups->all[i];
	if (!array_reserve(groups->all, groups->room, groups->count + 1)) {
		groups->failed = true;
		return NULL;
	}
	group = &groups->all[groups->count];
	*group = (struct group){
		.condition = strndup(
			render_buffer_from(condition, 0), condition->length)};
	if (!group->condition) {
		groups->failed = true;
		return NULL;
	}
	groups->count++;
	return group;
}

/* Any of the expressions, of a statement; nothing: none can be true. */
static void put_expressions(struct conditions *conditions,
	const struct filter_rules *rules, const struct message *message,
	struct render_buffer *out)
{
	size_t i;

	for (i = 0; i < rules->expression_count; i++) {
		const size_t start = out->length;
		struct binding binding = {
			.expression = rules->expressions[i],
			.names = expression_bind(rules->expressions[i],
				message->context, message->context->format,
				message->pool),
			.fields = fields_of(message),
			.out = out,
			.exact = true,
		};

		if (!binding.names)
			continue;
		put(out, out->length > 0 ? " OR " : "");
		put_node(&binding, binding.expression->root, true);
		if (binding.failed) {
			out->length = start;
			put(out, start > 0 ? " OR 1" : "1");
		}
		conditions->exact &= binding.exact && !binding.failed;
	}
}

static void put_groups(const struct groups *groups, struct render_buffer *out)
{
	size_t i;

	put_and(out);
	put(out, groups->count > 0 ? "(" : "0");
	for (i = 0; i < groups->count; i++) {
		put(out, i > 0 ? " OR " : "");
		if (groups->count > 1)
			put(out, "(");
		conditions_list_put(&groups->all[i].list, out);
		if (*groups->all[i].condition) {
			put(out, " AND (");
			put(out, groups->all[i].condition);
			put(out, ")");
		}
		if (groups->count > 1)
			put(out, ")");
	}
	put(out, groups->count > 0 ? ")" : "");
}

/*
 * What is said: statements, and conditions on the messages of each.
 */

/* By all that does not differ from message to message. */
static bool is_chosen(const struct filter_rules *rules,
	struct filter_rules *alike, const struct message *message)
{
	*alike = (struct filter_rules){
		.formats = rules->formats,
		.functions = rules->functions,
		.callers = rules->callers,
		.modules = rules->modules,
		.files = rules->files,
		.locations = rules->locations,
		.until = UINT64_MAX,
	};
	message->context->filter = NULL;
	return filter_chooses(alike, message);
}

/* With or without the newline at its end, as of --spans. */
static bool is_format(const struct message *message, const char *glob)
{
	const struct definition_string *format = message_statement(message);
	char *line = format ? strdup(format->bytes) : NULL;
	bool found = line && fnmatch(glob, line, 0) == 0;

	if (line && !found && format->length > 0 &&
		line[format->length - 1] == '\n') {
		line[format->length - 1] = '\0';
		found = fnmatch(glob, line, 0) == 0;
	}
	free(line);
	return found;
}

/* Whether it begins or ends a span that is asked for. */
static bool is_of_span(
	const struct options *options, const struct message *message)
{
	size_t i;

	for (i = 0; i < options->spans.count; i++)
		if (is_format(message, options->spans.all[i].start) ||
			is_format(message, options->spans.all[i].done))
			return true;
	return false;
}

/* Spans alone are shown, and messages of these statements are enough. */
static bool asks_for_spans(const struct options *options)
{
	return strcmp(options->style, "spans") == 0 && !options->spans.took;
}

static bool asks_for_statements(const struct filter_rules *rules)
{
	return rules->expression_count > 0 || rules->formats.count > 0 ||
	       rules->functions.count > 0 || rules->callers.count > 0 ||
	       rules->modules.count > 0 || rules->files.count > 0;
}

/* Those without a statement have no arguments, and no place. */
static void make_statements(struct conditions *conditions,
	const struct options *options, struct answers *answers)
{
	const struct filter_rules *rules = &options->rules;
	const bool spans = asks_for_spans(options);
	struct groups groups = {0};
	struct render_buffer condition = {0};
	struct filter_rules alike;
	size_t i;

	for (i = 0; i < answers_statement_count(answers); i++) {
		const struct message *message = answers_example(answers, i);
		struct group *group;

		groups.failed |= !message;
		if (!message || !is_chosen(rules, &alike, message) ||
			(spans && !is_of_span(options, message)))
			continue;
		message->context->filter = NULL;
		condition.length = 0;
		put_expressions(conditions, rules, message, &condition);
		if (rules->expression_count > 0 && condition.length == 0)
			continue;
		group = group_of(&groups, &condition);
		if (group)
			conditions_list_add(
				&group->list, answers_statement_id(answers, i));
	}
	put_groups(&groups, &conditions->what);
	for (i = 0; i < groups.count; i++) {
		free(groups.all[i].condition);
		render_buffer_free(&groups.all[i].list.text);
	}
	free(groups.all);
	render_buffer_free(&condition);
	conditions->what.failed |= groups.failed;
}

/* The tables have 7 for all that is less important as well. */
static void make_levels(
	struct conditions *conditions, const struct filter_rules *rules)
{
	struct render_buffer *out = &conditions->what;
	bool first = true;
	unsigned level;

	if (rules->levels == 0)
		return;
	put_and(out);
	put(out, "severity IN (");
	for (level = 0; level < 8; level++) {
		if (!(rules->levels >> level & 1) &&
			!(level == 7 && rules->levels >> 8))
			continue;
		put(out, first ? "" : ", ");
		sql_put_number(out, level);
		first = false;
	}
	put(out, ")");
}

/* Without the newline at its end. */
#define LINE                                                                   \
	"if(substring(text, length(text), 1) = '\\n', substring(text, 1, "     \
	"length(text) - 1), text)"

/* False: it finds more. */
static bool put_grep(
	struct render_buffer *out, const struct grep *grep, const char *pattern)
{
	const size_t start = out->length;
	bool folds, whole;
	size_t bytes;
	const char *needle = grep_needle(grep, &bytes, &folds, &whole);
	enum sql_pattern how = SQL_PATTERN_NONE;

	if (needle) {
		put(out, folds ? "positionCaseInsensitive(text, "
			       : "position(text, ");
		sql_put_text(out, needle, bytes);
		put(out, ") > 0");
	}
	if (whole)
		return needle;
	put(out, needle ? " AND match(" : "match(");
	put(out, folds ? "lower(" LINE ")" : LINE);
	put(out, ", ");
	how = sql_put_regex(out, pattern, true, folds);
	put(out, ")");
	if (how == SQL_PATTERN_NONE) {
		out->length = start;
		put(out, "1");
	}
	return how == SQL_PATTERN_SAME;
}

static void make_greps(
	struct conditions *conditions, const struct conditions_asked *asked)
{
	const struct filter_rules *rules = &asked->options->rules;
	struct render_buffer *out = &conditions->what;
	size_t i;

	if (rules->grep_count == 0)
		return;
	put_and(out);
	put(out, "(");
	for (i = 0; i < rules->grep_count; i++) {
		put(out, i > 0 ? " OR (" : "(");
		conditions->exact &=
			put_grep(out, rules->greps[i], asked->greps.all[i]);
		put(out, ")");
	}
	put(out, ")");
}

/* Which texts are whole lines, as far as their formats say it. */
static void find_open(struct conditions *conditions, struct answers *answers)
{
	size_t i;

	conditions->parts = true;
	for (i = 0; i < answers_statement_count(answers); i++) {
		const struct message *message = answers_example(answers, i);

		if (message && (message->context->statement ||
				       !grep_format_ends_line(message->context,
					       message->context->format)))
			conditions_list_add(&conditions->open,
				answers_statement_id(answers, i));
		conditions->what.failed |= !message;
	}
}

bool conditions_make(struct conditions *conditions,
	const struct conditions_asked *asked, struct answers *answers)
{
	const struct filter_rules *rules = &asked->options->rules;

	conditions->exact = rules->categories.count == 0 && !rules->around;
	if (!make_who(conditions, asked))
		return false;
	conditions->of_statements =
		asks_for_statements(rules) || asks_for_spans(asked->options);
	if (conditions->of_statements)
		make_statements(conditions, asked->options, answers);
	make_levels(conditions, rules);
	make_greps(conditions, asked);
	find_open(conditions, answers);
	/* what is around lines is not what is asked for */
	if (rules->around)
		conditions->what.length = 0;
	if (!conditions->what.failed && !conditions->who.failed)
		return true;
	snprintf(conditions->problem, sizeof(conditions->problem),
		"out of memory: ask for less");
	return false;
}

#define IS_OPEN "substring(text, length(text), 1) != '\\n'"

void conditions_put_parts(
	const struct conditions *conditions, struct render_buffer *out)
{
	put_where(conditions, LINE_TAKES, out);
	put(out, "event = '' AND stream != 'syslog' AND (statement = 0 OR ");
	conditions_list_put(&conditions->open, out);
	put(out, ") AND " IS_OPEN);
}

/* Of a thread and a stream ... */
static void put_stream_of(const char *database, struct render_buffer *out)
{
	put(out, "(source, pid, tid, stream) IN (SELECT source, pid, tid, "
		 "stream FROM ");
	put(out, database);
	put(out, "." MESSAGES);
}

/* ... which has said something without a newline at its end: its rows may be
 * parts of lines. */
static void put_parts(const struct conditions *conditions, const char *database,
	struct render_buffer *out)
{
	put_stream_of(database, out);
	conditions_put_parts(conditions, out);
	put(out, ")");
}

/* ... which was in the middle of a line at a time: `side` is what was before
 * it. */
static void put_begun(const struct conditions *conditions, const char *database,
	const char *side, uint64_t time, struct render_buffer *out)
{
	put_stream_of(database, out);
	put_where(conditions, LINE_TAKES, out);
	put(out, side);
	sql_put_number(out, time);
	put(out, " AND event = '' AND stream != 'syslog' GROUP BY source, pid, "
		 "tid, stream HAVING argMax(" IS_OPEN ", number) = 1)");
}

/* Lines have the time of their first part: what is on lines with what was said
 * first, and last, is asked for as well, and found out here. */
static void put_edges(const struct conditions *conditions, const char *database,
	struct render_buffer *out)
{
	if (conditions->since > 0) {
		put(out, " OR (time < ");
		sql_put_number(out, conditions->since);
		put(out, " AND event = '' AND ");
		put_begun(conditions, database, "time < ", conditions->since,
			out);
		put(out, ")");
	}
	if (conditions->until < UINT64_MAX) {
		put(out, " OR (time > ");
		sql_put_number(out, conditions->until);
		put(out, " AND event = '' AND ");
		put_begun(conditions, database, "time <= ", conditions->until,
			out);
		put(out, ")");
	}
}

/* What is asked for, or an event; or what may be on a line with it. */
static void put_entries(const struct conditions *conditions, bool lines,
	const char *database, struct render_buffer *out)
{
	if (conditions->what.length == 0) {
		put(out, "1");
		return;
	}
	put(out, "(event != '' OR (");
	render_buffer_put(out, conditions->what.data, conditions->what.length);
	put(out, ")");
	if (lines) {
		put(out, " OR ");
		put_parts(conditions, database, out);
	}
	put(out, ")");
}

void conditions_put(const struct conditions *conditions, enum conditions_of of,
	const char *database, struct render_buffer *out)
{
	const bool lines = of == CONDITIONS_LINES && conditions->parts;
	const bool edges = lines && is_timed(conditions);

	put_where(conditions, edges ? LINE_TAKES : 0, out);
	if (of == CONDITIONS_CALLS) {
		put(out, "event = ''");
		if (conditions->what.length > 0) {
			put(out, " AND ");
			render_buffer_put(out, conditions->what.data,
				conditions->what.length);
		}
	} else if (of == CONDITIONS_EVENTS) {
		put(out, "event != ''");
	} else if (edges) {
		put(out, "((");
		put_time(conditions, 0, out);
		put(out, " AND ");
		put_entries(conditions, lines, database, out);
		put(out, ")");
		put_edges(conditions, database, out);
		put(out, ")");
	} else {
		put_entries(conditions, lines, database, out);
	}
}

void conditions_free(struct conditions *conditions)
{
	render_buffer_free(&conditions->who);
	render_buffer_free(&conditions->what);
	render_buffer_free(&conditions->open.text);
}
