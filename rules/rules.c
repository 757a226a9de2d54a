#include "rules/rules.h"

#include "record/word.h"
#include "rules/rule_parser.h"

static const char words[] = "give a condition:"
#define CONDITION(word, form, value, what) " " #word
#define ACTION(word, value, what)
#define ALIAS(action, word)
#include "rules/rule_words.def"
#undef CONDITION
#undef ACTION
			    "; or what to do:"
#define CONDITION(word, form, value, what)
#define ACTION(word, value, what) " " #word
#include "rules/rule_words.def"
#undef CONDITION
#undef ACTION
#undef ALIAS
	;

/* The most are names to redact, of a byte, with a blank before each. */
#define PER_BYTE ((size_t)16)
#define AROUND 4096u

/* A condition has two words at least, what is to be done one. */
#define PER_WORD sizeof(struct rule_action)

_Static_assert(sizeof(struct rule_action) <= 2 * PER_BYTE, "");
_Static_assert(
	sizeof(struct rule) + sizeof(struct rule_action) <= 4 * PER_BYTE, "");
_Static_assert(sizeof(struct rule_condition) <= 5 * PER_BYTE, "");
_Static_assert(sizeof(struct rule_condition) <= 2 * PER_WORD, "");

size_t rules_bytes(size_t text_bytes)
{
	return PER_BYTE * text_bytes + AROUND;
}

size_t rules_room(const char *text, size_t bytes)
{
	size_t room = sizeof(struct rules) + sizeof(struct rule) +
		      sizeof(struct rule_condition);

	for (size_t i = 0; i < bytes; i++)
		switch (text[i]) {
		case ' ':
		case '\t':
		case '\r':
		case '=':
			room += PER_WORD;
			break;
		case '\n':
		case ';':
			room += PER_WORD + sizeof(struct rule);
			break;
		case ',':
		case '+':
			room += sizeof(uint64_t);
			break;
		}
	room += sizeof(uint64_t);
	return room < rules_bytes(bytes) ? room : rules_bytes(bytes);
}

static bool begin_rule(struct rule_parser *parser, const struct rule_word *word)
{
	if (parser->rules->count == RULES_MAX)
		return rule_parser_fail(parser, word, "too many rules",
			"there may be 65536: leave some out");
	parser->rule = rule_parser_append(parser, sizeof(*parser->rule));
	if (!parser->rule)
		return false;
	parser->rule->start =
		(uint32_t)(word->text - word->quoted - parser->rules->text);
	parser->rules->count++;
	return true;
}

/* `not` may stand before a condition. */
static bool read_condition(struct rule_parser *parser, struct rule_word *word)
{
	const char *start = word->text;
	bool negated = !word->quoted && word_is("not", start, word->bytes);
	enum rule_condition_kind kind;

	if (negated && !rule_parser_value(parser, word, "no condition",
			       "give one after `not`"))
		return false;
	if (!rule_condition_named(word, &kind))
		return rule_parser_fail(parser, word, "no such word", words);
	if (parser->rule->actions > 0)
		return rule_parser_fail(parser, word,
			"a condition after an action",
			"put it before, or begin a new rule with ;");
	return rule_condition_read(parser, kind, start, negated);
}

/* `level` is both: an action after another one. */
static bool read_word(struct rule_parser *parser, struct rule_word *word)
{
	struct rule *rule = parser->rule;
	enum rule_action_kind action;
	bool is_action = rule_action_named(word, &action);

	if (is_action && (action != RULE_TO_level || rule->actions > 0)) {
		if (rule->actions == 0)
			rule->actions_start =
				(uint32_t)(word->text - parser->rules->text);
		return rule_action_read(parser, action);
	}
	return read_condition(parser, word);
}

/* Of a rule with conditions only: a level that nothing follows is what to do.
 * It has room where the condition was. */
static void take_level(struct rule_parser *parser)
{
	struct rule *rule = parser->rule;
	struct rule_condition *last;
	uint32_t level;

	last = &rule_conditions(rule)[rule->conditions - 1];
	if (last->kind != RULE_OF_level || last->negated ||
		!parser->single_level)
		return;
	level = last->high;
	rule->actions_start = last->start;
	rule->conditions--;
	parser->low = (char *)last;
	_Static_assert(sizeof(struct rule_action) <= sizeof(*last), "");
	rule_action_set_level(parser, level);
}

static void note_through(
	struct rules *rules, const struct rule_condition *condition)
{
	for (uint32_t i = 0; i < condition->low; i++) {
		uint64_t at = condition->places[i] % RULE_PAGE;

		rules->through[at / 64] |= (uint64_t)1 << at % 64;
	}
}

static bool end_rule(struct rule_parser *parser, const struct rule_word *word)
{
	struct rule *rule = parser->rule;

	if (rule->actions == 0)
		take_level(parser);
	if (rule->actions == 0)
		return rule_parser_fail(parser, word, "nothing to do",
			"say at the end what becomes of these calls, such as "
			"drop");
	for (uint32_t i = 0; i < rule->conditions; i++) {
		const struct rule_condition *condition =
			&rule_conditions(rule)[i];

		parser->rules->kinds |= 1u << condition->kind;
		if (condition->kind == RULE_OF_through)
			note_through(parser->rules, condition);
	}
	return true;
}

static bool read_rule(struct rule_parser *parser, struct rule_word *word)
{
	const char *text = parser->rules->text;

	if (!begin_rule(parser, word))
		return false;
	while (word->kind != RULE_END && word->kind != RULE_EOF) {
		if (!read_word(parser, word))
			return false;
		parser->rule->bytes = (uint32_t)(parser->lexer.at - text) -
				      parser->rule->start;
		*word = rule_lex_next(&parser->lexer, true);
	}
	return end_rule(parser, word);
}

/* A rule, or nothing, and its end, which is left in *word. */
static bool read_next(struct rule_parser *parser, struct rule_word *word)
{
	*word = rule_lex_next(&parser->lexer, true);
	return word->kind == RULE_END || word->kind == RULE_EOF ||
	       read_rule(parser, word);
}

static void begin(struct rule_parser *parser, const char *text, size_t bytes,
	void *memory, size_t room)
{
	parser->rules = memory;
	parser->low = (char *)(parser->rules + 1);
	parser->high = (char *)memory + room / 8 * 8;
	*parser->rules = (struct rules){
		.text = text, .first = (struct rule *)(parser->rules + 1)};
	rule_lex_begin(&parser->lexer, text, bytes);
}

struct rules *rules_parse(const char *text, size_t bytes, void *memory,
	size_t room, struct rules_error *error)
{
	static const struct rule_word all = {
		.kind = RULE_WORD, .line = 1, .column = 1};
	struct rule_parser parser = {.error = error};
	struct rule_word word;

	if (bytes > RULES_TEXT_MAX || room < sizeof(struct rules)) {
		rule_parser_fail(&parser, &all, "too many rules",
			"their text may have 960 KiB: leave some out");
		return NULL;
	}
	begin(&parser, text, bytes, memory, room);
	do
		if (!read_next(&parser, &word))
			return NULL;
	while (word.kind != RULE_EOF);
	return parser.rules;
}

struct rules *rule_parser_first(const char *text, size_t bytes, void *memory,
	size_t room, struct rule_lexer *lexer)
{
	struct rules_error error;
	struct rule_parser parser = {.error = &error};
	struct rule_word word;
	bool right;

	begin(&parser, text, bytes, memory, room);
	right = read_next(&parser, &word);
	*lexer = parser.lexer;
	return right ? parser.rules : NULL;
}

unsigned rules_count(const struct rules *rules)
{
	return rules->count;
}

static bool has_trigger(const struct rules *rules)
{
	struct rule *rule = rules->first;

	for (uint32_t i = 0; i < rules->count; i++) {
		for (uint32_t action = 0; action < rule->actions; action++)
			if (rule_actions(rule)[action].kind == RULE_TO_trigger)
				return true;
		rule = rule_after(rule);
	}
	return false;
}

unsigned rules_ask(const struct rules *rules)
{
	static const struct {
		uint8_t kind;
		uint8_t what;
	} asked[] = {
		{RULE_OF_thread, RULES_ASK_THREAD},
		{RULE_OF_stream, RULES_ASK_STREAM},
		{RULE_OF_level, RULES_ASK_LEVEL},
		{RULE_OF_func, RULES_ASK_SOURCE},
		{RULE_OF_file, RULES_ASK_SOURCE},
		{RULE_OF_line, RULES_ASK_SOURCE},
	};
	unsigned what = has_trigger(rules) ? RULES_ASK_TRIGGER : 0;

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		if (rules->kinds >> asked[i].kind & 1)
			what |= asked[i].what;
	return what;
}
