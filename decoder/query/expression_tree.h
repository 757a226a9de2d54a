/*
 * An expression as the parser leaves it, for binding and evaluation.  Private
 * to the expression*.c files.
 */
#ifndef DECODER_EXPRESSION_TREE_H
#define DECODER_EXPRESSION_TREE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "decoder/query/expression.h"

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
	EXPRESSION_ARGUMENT
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
	struct expression_reference references[EXPRESSION_NAMES_MAX];
};

#endif
