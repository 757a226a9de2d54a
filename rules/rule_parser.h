/*
 * The parser of rules: what its parts share.  Private to rules.c and rule_*.c.
 */
#ifndef RULES_RULE_PARSER_H
#define RULES_RULE_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/rule_tree.h"
#include "rules/rules.h"

bool rule_value_number(const char *text, size_t bytes, uint64_t *number);

/* `0x1f`. */
bool rule_value_offset(const char *text, size_t bytes, uint64_t *offset);

/* `10ms`, in nanoseconds: at most 292 years. */
bool rule_value_time(const char *text, size_t bytes, uint64_t *ns);

/* `N`, `N-M`, `N-`, `-M`: up to UINT32_MAX. */
bool rule_value_lines(
	const char *text, size_t bytes, uint32_t *low, uint32_t *high);

/*
 * `err`: that and all that is more important; `err-debug`, also with two dots.
 * *is_range tells which.
 */
bool rule_value_levels(const char *text, size_t bytes, uint32_t *low,
	uint32_t *high, bool *is_range);

/* The first such character, or `bytes`. */
size_t rule_value_find(const char *text, size_t bytes, char c);

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

/* Memory that is left is between `low` and `high`. */
struct rule_parser {
	struct rule_lexer lexer;
	struct rules *rules;
	struct rule *rule; /* that is being read */
	char *low;
	char *high;
	bool single_level; /* of the condition that was read last */
	struct rules_error *error;
};

/* False, always: what is wrong with a word, and what to do. */
bool rule_parser_fail(struct rule_parser *parser, const struct rule_word *word,
	const char *what, const char *why);

/* The next word, which has to be there: `what` says what it is. */
bool rule_parser_value(struct rule_parser *parser, struct rule_word *word,
	const char *what, const char *why);

/* Zeros behind what the rule has, or among what it only points to; null: no
 * room, as rule_parser_fail(). */
void *rule_parser_append(struct rule_parser *parser, size_t bytes);
uint64_t *rule_parser_places(struct rule_parser *parser, size_t count);

/* What this word means, if anything. */
bool rule_condition_named(
	const struct rule_word *word, enum rule_condition_kind *kind);
bool rule_action_named(
	const struct rule_word *word, enum rule_action_kind *kind);

/* What follows the word, which was read last and begins at `start`. */
bool rule_condition_read(struct rule_parser *parser,
	enum rule_condition_kind kind, const char *start, bool negated);
bool rule_action_read(struct rule_parser *parser, enum rule_action_kind kind);

bool rule_action_set_level(struct rule_parser *parser, uint32_t level);

/* For rule_*.c: another thing to do, and words of its value.  The number of an
 * argument is what follows `arg`; 0: it is none, and said. */
struct rule_action *rule_action_append(
	struct rule_parser *parser, enum rule_action_kind kind);
struct rule_action *rule_action_append_name(struct rule_parser *parser,
	const struct rule_word *word, enum rule_action_kind kind);
bool rule_action_is(const struct rule_word *word, const char *name);
/* Takes the next word if it is this one. */
bool rule_parser_take(struct rule_parser *parser, const char *name);
uint32_t rule_action_argument(struct rule_parser *parser);

/*
 * The first rule of a text, or none if it is empty; null: it is wrong.  *lexer
 * is behind the end of the rule, or behind what is wrong.  `memory` is enough.
 */
struct rules *rule_parser_first(const char *text, size_t bytes, void *memory,
	size_t room, struct rule_lexer *lexer);

/* What follows `mark` and `trigger`. */
bool rule_trigger_read_mark(struct rule_parser *parser);
bool rule_trigger_read(struct rule_parser *parser);

#endif
