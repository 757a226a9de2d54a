#include "rules/rule_parser.h"

bool rule_parser_fail(struct rule_parser *parser, const struct rule_word *word,
	const char *what, const char *why)
{
	bool is_word = word->kind == RULE_WORD;
	bool is_wrong = word->kind == RULE_WRONG;

	*parser->error = (struct rules_error){
		.line = word->line,
		.column = word->column,
		.bytes = is_word ? (unsigned)word->bytes : 0,
		.what = is_wrong ? "not a word" : what,
		.why = is_wrong ? word->why : why,
	};
	return false;
}

bool rule_parser_value(struct rule_parser *parser, struct rule_word *word,
	const char *what, const char *why)
{
	*word = rule_lex_next(&parser->lexer, false);
	if (word->kind == RULE_WORD)
		return true;
	return rule_parser_fail(parser, word, what, why);
}

static bool has_room(struct rule_parser *parser, size_t bytes)
{
	static const struct rule_word here = {
		.kind = RULE_WORD, .line = 1, .column = 1};

	if ((size_t)(parser->high - parser->low) >= bytes)
		return true;
	return rule_parser_fail(parser, &here, "too many rules",
		"there is no room for them: leave some out");
}

void *rule_parser_append(struct rule_parser *parser, size_t bytes)
{
	char *node = parser->low;

	if (!has_room(parser, bytes))
		return NULL;
	for (size_t i = 0; i < bytes; i++)
		node[i] = 0;
	parser->low += bytes;
	return node;
}

uint64_t *rule_parser_places(struct rule_parser *parser, size_t count)
{
	if (!has_room(parser, count * sizeof(uint64_t)))
		return NULL;
	parser->high -= count * sizeof(uint64_t);
	return (uint64_t *)(void *)parser->high;
}
