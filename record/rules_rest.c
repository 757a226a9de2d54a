#include "record/rule_lex.h"
#include "record/rule_tree.h"
#include "record/rules.h"

/* Whether anything is left out by what it says last. */
static bool rule_redacts(struct rule *rule)
{
	bool does = false;

	for (uint32_t i = 0; i < rule->deeds; i++)
		switch ((enum rule_deed_kind)rule_deeds(rule)[i].kind) {
		case RULE_TO_REDACT_ARGUMENT:
		case RULE_TO_REDACT_NAME:
		case RULE_TO_REDACT_USUAL:
		case RULE_TO_REDACT_ALL:
			does = true;
			break;
		case RULE_TO_REDACT_NOTHING:
			does = false;
			break;
		default:
			break;
		}
	return does;
}

/* Of one rule, or none. */
static bool redacts(const struct rules *rules)
{
	return rules->count > 0 && rule_redacts(rules->first);
}

static void blank(char *from, const char *to)
{
	for (; from < to; from++)
		if (*from != '\n')
			*from = ' ';
}

/* Up to the end of a rule; what is no word is wrong up to the end of the line.
 * False: there is no more. */
static bool pass_rule(struct rule_lexer *lexer)
{
	struct rule_word word;

	do
		word = rule_lex_next(lexer, true);
	while (word.kind == RULE_WORD);
	while (word.kind == RULE_WRONG && lexer->at < lexer->end &&
		*lexer->at != '\n')
		lexer->at++;
	return word.kind != RULE_EOF;
}

bool rules_keep_redacting(char *text, size_t bytes, void *memory, size_t room)
{
	char *start = text;
	struct rules_error error;
	struct rule_lexer lexer;
	bool more = true;
	bool any = false;

	rule_lex_begin(&lexer, text, bytes);
	while (more) {
		const struct rules *rules;

		more = pass_rule(&lexer);
		rules = rules_parse(start, (size_t)(lexer.at - start), memory,
			room, &error);
		if (rules && redacts(rules))
			any = true;
		else
			blank(start, lexer.at);
		start = text + (lexer.at - text);
	}
	return any;
}
