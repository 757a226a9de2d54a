#include "record/word.h"
#include "rules/levels.h"
#include "rules/rule_parser.h"

#define DEPTH_MAX 64u
#define ARGUMENTS_MAX 64u

static const struct {
	char name[12];
	uint8_t kind; /* enum rule_action_kind */
} names[] = {
#define CONDITION(word, form, value, what)
#define ACTION(word, value, what) {#word, RULE_TO_##word},
#define ALIAS(action, word) {word, RULE_TO_##action},
#include "rules/rule_words.def"
#undef CONDITION
#undef ACTION
#undef ALIAS
};

bool rule_action_named(
	const struct rule_word *word, enum rule_action_kind *kind)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!word->quoted && word->kind == RULE_WORD &&
			word_is(names[i].name, word->text, word->bytes)) {
			*kind = names[i].kind;
			return true;
		}
	return false;
}

bool rule_action_is(const struct rule_word *word, const char *name)
{
	return word->kind == RULE_WORD && !word->quoted &&
	       word_is(name, word->text, word->bytes);
}

bool rule_parser_take(struct rule_parser *parser, const char *name)
{
	struct rule_lexer before = parser->lexer;
	struct rule_word word = rule_lex_next(&parser->lexer, true);

	if (rule_action_is(&word, name))
		return true;
	parser->lexer = before;
	return false;
}

struct rule_action *rule_action_append(
	struct rule_parser *parser, enum rule_action_kind kind)
{
	struct rule_action *action =
		rule_parser_append(parser, sizeof(*action));

	if (action) {
		action->kind = (uint8_t)kind;
		parser->rule->actions++;
	}
	return action;
}

bool rule_action_set_level(struct rule_parser *parser, uint32_t level)
{
	struct rule_action *action = rule_action_append(parser, RULE_TO_level);

	if (action)
		action->number = level;
	return action;
}

static bool read_level(struct rule_parser *parser, const struct rule_word *word)
{
	int level;

	if (!level_named(word->text, word->bytes, &level) || level < 0)
		return rule_parser_fail(parser, word, "no such level",
			"give emerg, alert, crit, err, warning, notice, info, "
			"debug, trace, app, packet or library");
	return rule_action_set_level(parser, (uint32_t)level);
}

static bool read_depth(struct rule_parser *parser, const struct rule_word *word)
{
	bool is_off = rule_action_is(word, "off");
	uint64_t number = 0;
	struct rule_action *action;

	if (!is_off && (!rule_value_number(word->text, word->bytes, &number) ||
			       number > DEPTH_MAX))
		return rule_parser_fail(parser, word, "not a number of frames",
			"give 0 to 64, or off");
	action = rule_action_append(parser, RULE_TO_depth);
	if (action)
		action->number = is_off	       ? 0
				 : number == 0 ? 1
					       : (uint32_t)number;
	return action;
}

/* A name is pointed to as it stands in the text. */
struct rule_action *rule_action_append_name(struct rule_parser *parser,
	const struct rule_word *word, enum rule_action_kind kind)
{
	struct rule_action *action;

	if (word->bytes == 0 || word->bytes > RULES_GLOB_MAX ||
		rule_value_find(word->text, word->bytes, '\\') < word->bytes) {
		rule_parser_fail(parser, word, "not a name",
			"give one, of 1 to 4096 bytes, without backslashes");
		return NULL;
	}
	action = rule_action_append(parser, kind);
	if (action)
		rule_glob_set_word(&action->name, word->text, word->bytes);
	return action;
}

static bool read_rate(struct rule_parser *parser, const struct rule_word *word)
{
	size_t slash = rule_value_find(word->text, word->bytes, '/');
	uint64_t number = 0, ns = 0;
	struct rule_action *action;

	if (!rule_action_is(word, "off") &&
		(slash == word->bytes ||
			!rule_value_number(word->text, slash, &number) ||
			!rule_value_time(word->text + slash + 1,
				word->bytes - slash - 1, &ns) ||
			number == 0 || number > UINT32_MAX || ns == 0))
		return rule_parser_fail(parser, word, "no rate",
			"give how many in which time, as 10/1s, or off; times "
			"are in ns, us, ms, s, min or h");
	action = rule_action_append(parser, RULE_TO_rate);
	if (action) {
		action->number = (uint32_t)number;
		action->times[0] = ns;
	}
	return action;
}

/* `1/N`, or the times. */
static bool split_sample(
	const struct rule_word *word, uint64_t *number, uint64_t times[2])
{
	size_t slash = rule_value_find(word->text, word->bytes, '/');
	const char *after = word->text + slash + 1;
	size_t left = word->bytes - slash - 1;

	if (slash == word->bytes)
		return false;
	if (slash == 1 && word->text[0] == '1')
		return rule_value_number(after, left, number) && *number > 0 &&
		       *number <= UINT32_MAX;
	return rule_value_time(word->text, slash, &times[0]) &&
	       rule_value_time(after, left, &times[1]) && times[0] > 0 &&
	       times[0] < times[1];
}

static struct rule_action *sample_by(struct rule_parser *parser, uint32_t what)
{
	struct rule_action *action =
		what ? rule_action_append(parser, RULE_TO_SAMPLE_BY) : NULL;

	if (action)
		action->number = what;
	return action;
}

/* What may follow `1/N`. */
static bool read_sample_how(struct rule_parser *parser)
{
	struct rule_word word;

	if (rule_parser_take(parser, "per")) {
		if (rule_parser_take(parser, "level"))
			return rule_action_append(
				parser, RULE_TO_SAMPLE_PER_LEVEL);
		word = rule_lex_next(&parser->lexer, true);
		return rule_parser_fail(parser, &word, "per what is not known",
			"say per level");
	}
	if (!rule_parser_take(parser, "by"))
		return true;
	if (rule_parser_take(parser, "thread"))
		return sample_by(parser, SAMPLE_BY_THREAD);
	if (rule_parser_take(parser, "arg"))
		return sample_by(parser, rule_action_argument(parser));
	word = rule_lex_next(&parser->lexer, true);
	return rule_parser_fail(parser, &word, "by what is not known",
		"say by thread, or by arg and its number");
}

static bool read_sample(
	struct rule_parser *parser, const struct rule_word *word)
{
	uint64_t number = 0, times[2] = {0, 0};
	struct rule_action *action;

	if (!rule_action_is(word, "off") && !split_sample(word, &number, times))
		return rule_parser_fail(parser, word, "no sample",
			"give one in so many, as 1/100, or a part of each "
			"period, as 100us/1s, or off");
	action = rule_action_append(parser, RULE_TO_sample);
	if (action) {
		action->number = (uint32_t)number;
		action->times[0] = times[0];
		action->times[1] = times[1];
	}
	return action && (number == 0 || read_sample_how(parser));
}

uint32_t rule_action_argument(struct rule_parser *parser)
{
	struct rule_word word;
	uint64_t number;

	if (!rule_parser_value(parser, &word, "no number of an argument",
		    "give one after `arg`, from 1 on"))
		return 0;
	if (rule_value_number(word.text, word.bytes, &number) && number > 0 &&
		number <= ARGUMENTS_MAX)
		return (uint32_t)number;
	rule_parser_fail(parser, &word, "no such argument",
		"give 1 to 64; those after the format are counted");
	return 0;
}

static bool redact_argument(struct rule_parser *parser)
{
	uint32_t number = rule_action_argument(parser);
	struct rule_action *action =
		number ? rule_action_append(parser, RULE_TO_REDACT_ARGUMENT)
		       : NULL;

	if (action)
		action->number = number;
	return action;
}

static bool read_redacted(
	struct rule_parser *parser, const struct rule_word *word)
{
	if (rule_action_is(word, "arg"))
		return redact_argument(parser);
	if (rule_action_is(word, "usual"))
		return rule_action_append(parser, RULE_TO_REDACT_USUAL);
	if (rule_action_is(word, "*"))
		return rule_action_append(parser, RULE_TO_REDACT_ALL);
	if (rule_action_is(word, "off"))
		return rule_action_append(parser, RULE_TO_REDACT_NOTHING);
	return rule_action_append_name(parser, word, RULE_TO_REDACT_NAME);
}

static bool set_redaction(
	struct rule_parser *parser, const struct rule_word *word)
{
	struct rule_action *action =
		rule_action_append(parser, RULE_TO_REDACT_AS);

	if (action)
		action->number = rule_action_is(word, "hash") ? REDACT_HASH
							      : REDACT_LENGTH;
	return action;
}

/* What to leave out, up to the next action, and what remains of it. */
static bool read_redact(struct rule_parser *parser)
{
	struct rule_lexer before = parser->lexer;
	struct rule_word word = rule_lex_next(&parser->lexer, true);
	enum rule_action_kind kind;
	bool any = false;

	for (; word.kind == RULE_WORD && !rule_action_is(&word, "length") &&
		!rule_action_is(&word, "hash") &&
		!rule_action_named(&word, &kind);
		any = true) {
		if (!read_redacted(parser, &word))
			return false;
		before = parser->lexer;
		word = rule_lex_next(&parser->lexer, true);
	}
	if (!any)
		return rule_parser_fail(parser, &word, "nothing to redact",
			"give arg N, a name, usual, * or off");
	if (rule_action_is(&word, "length") || rule_action_is(&word, "hash"))
		return set_redaction(parser, &word);
	parser->lexer = before;
	return true;
}

static bool read_value(struct rule_parser *parser, enum rule_action_kind kind)
{
	struct rule_word value;

	if (!rule_parser_value(parser, &value, "no value",
		    "this action has one: put it after the word"))
		return false;
	switch (kind) {
	case RULE_TO_level:
		return read_level(parser, &value);
	case RULE_TO_depth:
		return read_depth(parser, &value);
	case RULE_TO_category:
		return rule_action_append_name(parser, &value, kind);
	case RULE_TO_rate:
		return read_rate(parser, &value);
	default:
		return read_sample(parser, &value);
	}
}

bool rule_action_read(struct rule_parser *parser, enum rule_action_kind kind)
{
	switch (kind) {
	case RULE_TO_capture:
	case RULE_TO_pass:
	case RULE_TO_drop:
	case RULE_TO_tee:
	case RULE_TO_untee:
		return rule_action_append(parser, kind);
	case RULE_TO_redact:
		return read_redact(parser);
	case RULE_TO_mark:
		return rule_trigger_read_mark(parser);
	case RULE_TO_trigger:
		return rule_trigger_read(parser);
	default:
		return read_value(parser, kind);
	}
}
