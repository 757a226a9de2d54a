/*
 * The words of a text of rules.  Called by its parser.  Freestanding; points
 * into the text.
 */
#ifndef RULES_RULE_LEX_H
#define RULES_RULE_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum rule_word_kind {
	RULE_WORD,
	RULE_END,   /* of a rule: a newline or `;` */
	RULE_EOF,   /* for ever */
	RULE_WRONG, /* `why` tells */
};

struct rule_word {
	enum rule_word_kind kind;
	bool quoted;
	unsigned line;
	unsigned column;
	const char *text; /* without quotes, but with the backslashes in it */
	size_t bytes;
	const char *why; /* and what to do */
};

/* Set up by rule_lex_begin(), may be copied to come back. */
struct rule_lexer {
	const char *at;
	const char *end;
	const char *line_start;
	unsigned line;
};

void rule_lex_begin(struct rule_lexer *lexer, const char *text, size_t bytes);

/* The next word; if it is a key, a '=' that follows it is passed over. */
struct rule_word rule_lex_next(struct rule_lexer *lexer, bool is_key);

#endif
