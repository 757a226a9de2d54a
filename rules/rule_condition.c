#include "record/word.h"
#include "rules/policy.h"
#include "rules/rule_parser.h"

static bool read_glob(struct rule_parser *parser, const struct rule_word *word,
	const char *text, size_t bytes, struct rule_glob *glob)
{
	if (bytes > RULES_GLOB_MAX)
		return rule_parser_fail(parser, word, "a glob that is too long",
			"it may have 4096 bytes: shorten it");
	if (rule_glob_set(glob, text, bytes))
		return true;
	return rule_parser_fail(parser, word, "a set without an end",
		"close it with ], or write \\[ for a bracket");
}

static bool read_text(struct rule_parser *parser, const struct rule_word *word,
	struct rule_condition *condition)
{
	return read_glob(
		parser, word, word->text, word->bytes, &condition->glob);
}

static bool read_path(struct rule_parser *parser, const struct rule_word *word,
	struct rule_condition *condition)
{
	if (word->bytes == 0)
		return rule_parser_fail(
			parser, word, "no glob", "give one, such as *");
	return read_text(parser, word, condition);
}

static bool read_lines(struct rule_parser *parser, const struct rule_word *word,
	struct rule_condition *condition)
{
	if (rule_value_lines(
		    word->text, word->bytes, &condition->low, &condition->high))
		return true;
	return rule_parser_fail(parser, word, "not a line",
		"give a number, or from one to another: 100-200");
}

static bool read_levels(struct rule_parser *parser,
	const struct rule_word *word, struct rule_condition *condition)
{
	bool is_range;

	if (!rule_value_levels(word->text, word->bytes, &condition->low,
		    &condition->high, &is_range))
		return rule_parser_fail(parser, word, "no such level",
			"give emerg, alert, crit, err, warning, notice, info, "
			"debug, trace, app, packet or library, or from one to "
			"another: debug-packet");
	parser->single_level = !is_range;
	return true;
}

static bool add_stream(const char *text, size_t bytes, uint8_t *streams)
{
	static const struct {
		char name[8];
		uint8_t streams;
	} names[] = {
		{"stdout", POLICY_STDOUT},
		{"stderr", POLICY_STDERR},
		{"syslog", POLICY_SYSLOG},
		{"all", POLICY_STDOUT | POLICY_STDERR | POLICY_SYSLOG},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (word_is(names[i].name, text, bytes)) {
			*streams |= names[i].streams;
			return true;
		}
	return false;
}

/* Several with commas between them, or file:GLOB. */
static bool read_stream(struct rule_parser *parser,
	const struct rule_word *word, struct rule_condition *condition)
{
	const char *text = word->text;
	size_t left = word->bytes;
	size_t bytes;

	if (left > 5 && word_is("file:", text, 5))
		return read_glob(
			parser, word, text + 5, left - 5, &condition->glob);
	for (;;) {
		bytes = rule_value_find(text, left, ',');
		if (!add_stream(text, bytes, &condition->streams))
			return rule_parser_fail(parser, word, "no such stream",
				"give stdout, stderr, syslog, all or "
				"file:GLOB");
		if (bytes == left)
			return true;
		text += bytes + 1;
		left -= bytes + 1;
	}
}

/* Shell's. */
static void sort(uint64_t *places, size_t count)
{
	for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (size_t i = gap; i < count; i++) {
			uint64_t place = places[i];
			size_t j = i;

			for (; j >= gap && places[j - gap] > place; j -= gap)
				places[j] = places[j - gap];
			places[j] = place;
		}
}

static bool read_offsets(struct rule_parser *parser,
	const struct rule_word *word, size_t at,
	struct rule_condition *condition)
{
	const char *text = word->text + at;
	size_t left = word->bytes - at;
	uint64_t *places;

	condition->low = 1;
	for (size_t i = 0; i < left; i++)
		condition->low += text[i] == ',';
	places = rule_parser_places(parser, condition->low);
	if (!places)
		return false;
	condition->places = places;
	for (uint32_t i = 0;; i++) { /* up to the last comma */
		size_t bytes = rule_value_find(text, left, ',');

		if (!rule_value_offset(text, bytes, &places[i]))
			return rule_parser_fail(parser, word, "no such offset",
				"give MODULE+0xOFFSET, or several offsets with "
				"commas between them");
		if (bytes == left)
			break;
		text += bytes + 1;
		left -= bytes + 1;
	}
	sort(places, condition->low);
	return true;
}

static bool read_places(struct rule_parser *parser,
	const struct rule_word *word, struct rule_condition *condition)
{
	size_t plus = word->bytes;

	while (plus > 0 && word->text[plus - 1] != '+')
		plus--;
	if (plus < 2)
		return rule_parser_fail(parser, word, "no place",
			"give MODULE+0xOFFSET or BUILD-ID+0xOFFSET");
	return read_glob(
		       parser, word, word->text, plus - 1, &condition->glob) &&
	       read_offsets(parser, word, plus, condition);
}

#define read_TEXT read_text
#define read_PATH read_path
#define read_LINES read_lines
#define read_LEVELS read_levels
#define read_STREAM read_stream
#define read_PLACES read_places

static const struct {
	char name[8];
	bool (*read)(struct rule_parser *parser, const struct rule_word *word,
		struct rule_condition *condition);
} kinds[] = {
#define CONDITION(word, form, value, what) {#word, read_##form},
#define ACTION(word, value, what)
#define ALIAS(action, word)
#include "rules/rule_words.def"
#undef CONDITION
#undef ACTION
#undef ALIAS
};

bool rule_condition_named(
	const struct rule_word *word, enum rule_condition_kind *kind)
{
	for (size_t i = 0; i < RULE_CONDITIONS; i++)
		if (!word->quoted &&
			word_is(kinds[i].name, word->text, word->bytes)) {
			*kind = (enum rule_condition_kind)i;
			return true;
		}
	return false;
}

bool rule_condition_read(struct rule_parser *parser,
	enum rule_condition_kind kind, const char *start, bool negated)
{
	struct rule_condition *condition =
		rule_parser_append(parser, sizeof(*condition));
	const char *text = parser->rules->text;
	struct rule_word value;

	if (!condition || !rule_parser_value(parser, &value, "no value",
				  "a condition has one: put it after the word"))
		return false;
	condition->kind = (uint8_t)kind;
	condition->negated = negated;
	condition->start = (uint32_t)(start - text);
	condition->bytes =
		(uint32_t)(parser->lexer.at - text) - condition->start;
	parser->rule->conditions++;
	parser->single_level = false;
	return kinds[kind].read(parser, &value, condition);
}
