#include "rules/rule_parser.h"

static bool read_time(struct rule_parser *parser, uint64_t *ns)
{
	struct rule_word word;

	if (!rule_parser_value(parser, &word, "no time", "give one, as 10s"))
		return false;
	if (rule_value_time(word.text, word.bytes, ns))
		return true;
	return rule_parser_fail(parser, &word, "not a time",
		"give one in ns, us, ms, s, min or h, as 10s");
}

/* NAME [arg N] */
static bool read_name(struct rule_parser *parser, enum rule_action_kind kind)
{
	struct rule_word word;
	struct rule_action *action;

	if (!rule_parser_value(parser, &word, "no name",
		    "give one for the mark, such as request"))
		return false;
	action = rule_action_append_name(parser, &word, kind);
	if (!action || !rule_parser_take(parser, "arg"))
		return action;
	action->number = rule_action_argument(parser);
	return action->number > 0;
}

bool rule_trigger_read_mark(struct rule_parser *parser)
{
	if (rule_parser_take(parser, "off"))
		return rule_action_append(parser, RULE_TO_mark);
	return read_name(parser, RULE_TO_mark);
}

/* NAME [arg N] over TIME */
static bool read_since(struct rule_parser *parser)
{
	struct rule_action *action;
	struct rule_word word;

	if (!read_name(parser, RULE_TO_TRIGGER_SINCE))
		return false;
	if (!rule_parser_take(parser, "over")) {
		word = rule_lex_next(&parser->lexer, true);
		return rule_parser_fail(parser, &word, "no limit",
			"say after the mark how long is too long, as over "
			"50ms");
	}
	action = rule_action_append(parser, RULE_TO_TRIGGER_OVER);
	return action && read_time(parser, &action->times[0]);
}

bool rule_trigger_read(struct rule_parser *parser)
{
	struct rule_action *action =
		rule_action_append(parser, RULE_TO_trigger);

	if (!action || rule_parser_take(parser, "off"))
		return action;
	action->number = 1;
	for (;;) {
		if (rule_parser_take(parser, "since")) {
			if (!read_since(parser))
				return false;
		} else if (rule_parser_take(parser, "before")) {
			if (!read_time(parser, &action->times[0]))
				return false;
		} else if (rule_parser_take(parser, "after")) {
			if (!read_time(parser, &action->times[1]))
				return false;
		} else {
			return true;
		}
	}
}
