/*
 * Conditions on the arguments of calls: `size > 4096 && arg2 == "eth0"`.
 * Parsed once, bound to the format of each context once, then asked for each
 * message, whose text need not be made.  Of what a message does not have
 * nothing is true, nor is its contrary.  One thread.
 */
#ifndef DECODER_EXPRESSION_H
#define DECODER_EXPRESSION_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/pool.h"
#include "base/render_buffer.h"
#include "base/suggest.h"
#include "decoder/capture/definition.h"
#include "decoder/capture/message.h"
#include "decoder/message/fields.h"

/* Likewise, if its values are numbers. */
const struct field *named_field_number(
	const struct message *message, const char *name);

/*
 * Whether nobody could mean an argument by it: null, or what is wrong with it.
 */
const char *named_field_check(const char *name);

/* A value of such a field. */
struct named_field_value {
	bool known;
	bool fractional;
	long double number;
};

struct named_field_value named_field_value(
	const struct field *field, const struct message *message);

/* An expression names no more arguments than this. */
#define EXPRESSION_NAMES_MAX 32

struct expression;
struct expression_binding;
struct expression_node;

/*
 * An expression is made of comparisons (== != < <= > >=, ~ !~ with a regular
 * expression, and `like` with a text in which % stands for anything), && or
 * `and`, || or `or`, ! and parentheses.  Each side of a comparison is a number,
 * a 'c'haracter, a "text", or an argument of the format: arg1, arg2... or the
 * word that stands before its directive, as in "size=%d".  `statement` before
 * `like` is the format itself, without the newline at its end.
 * `text` stays the caller's.  Null: it is none; where and why is in `problem`.
 */
struct expression *expression_new(const char *text, char *problem, size_t size);

/* Null is fine. */
void expression_free(struct expression *expression);

/*
 * Which arguments are meant in messages with this context, whose format is
 * `format`, which may be null.  From the pool.  Null: it is true of none of
 * them.
 */
const struct expression_binding *expression_bind(
	const struct expression *expression,
	const struct definition_context *context,
	const struct definition_string *format, struct pool *pool);

/* A comparison of `statement`, which is true of all messages of the context, or
 * false of all. */
bool expression_statement_is(const struct expression_node *node,
	const struct expression_binding *binding);

/* Whether it is true of the message, with what was bound to its context. */
bool expression_is_true(const struct expression *expression,
	const struct expression_binding *binding,
	const struct message *message);

/*
 * Appends a sentence for each name in it that none of the formats has which it
 * was bound to.
 */
void expression_remarks(
	const struct expression *expression, struct render_buffer *out);

/* Nodes of an expression, and how deep it is nested, at most. */

enum expression_operator {
	EXPRESSION_OR,
	EXPRESSION_AND,
	EXPRESSION_NOT, /* of `left` */
	/* What is below compares two operands. */
	EXPRESSION_EQUAL,
	EXPRESSION_UNEQUAL,
	EXPRESSION_LESS,
	EXPRESSION_LESS_OR_EQUAL,
	EXPRESSION_GREATER,
	EXPRESSION_GREATER_OR_EQUAL,
	EXPRESSION_MATCHES,
	EXPRESSION_MATCHES_NOT,
};

enum expression_kind {
	EXPRESSION_NUMBER,
	EXPRESSION_TEXT,
	EXPRESSION_ARGUMENT,
	EXPRESSION_STATEMENT
};

struct expression_operand {
	enum expression_kind kind;
	/* All that integers and doubles can be; on x86-64, and where it is
	 * wider, without loss. */
	long double number;
	char *text; /* owned, ends in NUL */
	size_t bytes;
	size_t name; /* of an argument: its place in `names` */
};

struct expression_node {
	enum expression_operator operation;
	size_t left; /* nodes */
	size_t right;
	struct expression_operand first;
	struct expression_operand second;
	regex_t *regex; /* of MATCHES, MATCHES_NOT; owned */
};

/* `arg3` has the number 3; others 0 and the word that is before a directive. */
struct expression_name {
	const char *text;
	size_t bytes;
	size_t number;
};

struct expression {
	struct expression_node nodes[LIMITS_OPERANDS];
	size_t count;
	size_t root;
	struct expression_name names[EXPRESSION_NAMES_MAX];
	size_t name_count;
	bool of_statements;		   /* one is asked for by its words */
	struct expression_remark *remarks; /* one for each; owned */
};

/* An argument of a context; as what it is to be read. */
struct expression_reference {
	uint16_t argument; /* of the message */
	uint8_t kind;	   /* enum binlog_argument; 0: there is none */
	uint8_t size;	   /* enum format_size */
	char conversion;
};

struct expression_binding {
	const char *statement; /* without the newline at its end */
	size_t statement_bytes;
	struct expression_reference references[EXPRESSION_NAMES_MAX];
};

struct expression_remark {
	bool met;	 /* a format has it */
	size_t distance; /* of the nearest name that one has; 0: none is near */
	char nearest[SUGGEST_LENGTH_MAX + 1];
};

/* What a comparison is with its sides exchanged; of others the same. */
enum expression_operator expression_turned(enum expression_operator operation);

#endif
