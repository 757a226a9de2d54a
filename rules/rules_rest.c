#include "rules/rule_parser.h"

/* Whether anything is left out by what it says last. */
static bool rule_redacts(struct rule *rule)
{
	bool does = false;

	for (uint32_t i = 0; i < rule->actions; i++)
		switch ((enum rule_action_kind)rule_actions(rule)[i].kind) {
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

/* To the end of a rule that is wrong up to here; what is no word is wrong up to
 * the end of the line. */
static void pass_rest(struct rule_lexer *lexer, const char *start)
{
	struct rule_word word;

	/* A word does not end with these: its end was what was wrong. */
	if (lexer->at > start &&
		(lexer->at[-1] == '\n' || lexer->at[-1] == ';'))
		return;
	do
		word = rule_lex_next(lexer, true);
	while (word.kind == RULE_WORD);
	while (word.kind == RULE_WRONG && lexer->at < lexer->end &&
		*lexer->at != '\n')
		lexer->at++;
}

bool rules_keep_redacting(char *text, size_t bytes, void *memory, size_t room)
{
	char *end = text + bytes;
	bool any = false;

	for (char *start = text; start < end;) {
		struct rule_lexer lexer;
		const struct rules *rules = rule_parser_first(
			start, (size_t)(end - start), memory, room, &lexer);

		if (!rules)
			pass_rest(&lexer, start);
		if (rules && redacts(rules))
			any = true;
		else
			blank(start, lexer.at);
		start = text + (lexer.at - text);
	}
	return any;
}
