#include "rules/config.h"

#include "record/word.h"

enum section { TOP, RULES, OUTPUT, UNKNOWN };

static const char key_names[][12] = {
#define CONFIG_KEY(key, value, what) #key,
#include "rules/config_keys.def"
#undef CONFIG_KEY
};

static const char no_such_key[] = "no such setting: give one of"
#define CONFIG_KEY(key, value, what) " " #key
#include "rules/config_keys.def"
#undef CONFIG_KEY
	;

void config_begin(struct config *config, const char *text, size_t bytes)
{
	*config = (struct config){
		.at = text, .end = text + bytes, .line = 1, .section = TOP};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Without the blanks around it. */
static struct config_text trim(struct config_text text)
{
	while (text.bytes > 0 && is_blank(*text.text)) {
		text.text++;
		text.bytes--;
		text.column++;
	}
	while (text.bytes > 0 && is_blank(text.text[text.bytes - 1]))
		text.bytes--;
	return text;
}

static struct config_text part(struct config_text text, size_t from, size_t to)
{
	text.text += from;
	text.column += (unsigned)from;
	text.bytes = to - from;
	return trim(text);
}

static size_t find(struct config_text text, char c)
{
	size_t i = 0;

	while (i < text.bytes && text.text[i] != c)
		i++;
	return i;
}

static struct config_text take_line(struct config *config)
{
	struct config_text line = {
		.text = config->at, .line = config->line, .column = 1};

	while (config->at < config->end && *config->at != '\n')
		config->at++;
	line.bytes = (size_t)(config->at - line.text);
	if (config->at < config->end) {
		config->at++;
		config->line++;
	}
	return trim(line);
}

static bool is_section(struct config_text line)
{
	return line.bytes > 0 && *line.text == '[';
}

static bool is_empty(struct config_text line)
{
	return line.bytes == 0 || *line.text == '#' || *line.text == ';';
}

/* A comment is what follows a blank and a '#', but for within quotes. */
static struct config_text cut_comment(struct config_text text)
{
	bool quoted = false;

	for (size_t i = 0; i < text.bytes; i++) {
		quoted ^= text.text[i] == '"';
		if (!quoted && text.text[i] == '#' &&
			(i == 0 || is_blank(text.text[i - 1])))
			text.bytes = i;
	}
	return trim(text);
}

/* Quotes are taken off if they are around all of it. */
static struct config_text unquote(struct config_text text)
{
	struct config_text inside = text;

	if (text.bytes < 2 || *text.text != '"')
		return text;
	inside.text++;
	inside.column++;
	inside.bytes -= 2;
	return find(inside, '"') == inside.bytes &&
			       text.text[text.bytes - 1] == '"'
		       ? inside
		       : text;
}

static bool refuse(
	struct config_entry *entry, struct config_text what, const char *why)
{
	entry->kind = CONFIG_WRONG;
	entry->key = what;
	entry->wrong = why;
	return true;
}

/* All lines up to the next section. */
static bool take_rules(struct config *config, struct config_entry *entry)
{
	entry->kind = CONFIG_RULES;
	entry->value = (struct config_text){
		.text = config->at, .line = config->line, .column = 1};
	while (config->at < config->end) {
		struct config before = *config;

		if (is_section(take_line(config))) {
			*config = before;
			break;
		}
	}
	entry->value.bytes = (size_t)(config->at - entry->value.text);
	config->has_rules = true;
	return true;
}

static bool begin_section(struct config *config, struct config_text line,
	struct config_entry *entry)
{
	struct config_text inside = part(line, 1, find(line, ']'));
	struct config_text word = part(inside, 0, find(inside, ' '));

	config->section = UNKNOWN;
	if (find(line, ']') == line.bytes ||
		!is_empty(part(line, find(line, ']') + 1, line.bytes)))
		return refuse(entry, line,
			"not a section: give [NAME] on a line of its own");
	if (word_is("rules", inside.text, inside.bytes)) {
		if (config->has_rules)
			return refuse(entry, inside,
				"a second section of rules: put all rules into "
				"one");
		config->section = RULES;
		return take_rules(config, entry);
	}
	if (!word_is("output", word.text, word.bytes))
		return refuse(entry, inside,
			"no such section: give [rules] or [output NAME]");
	if (word.bytes == inside.bytes)
		return refuse(entry, inside,
			"an output without a name: give [output NAME]");
	config->section = OUTPUT;
	config->name = unquote(part(inside, word.bytes, inside.bytes));
	entry->kind = CONFIG_OUTPUT;
	entry->name = config->name;
	return true;
}

static bool read_setting(struct config_entry *entry)
{
	entry->kind = CONFIG_SETTING;
	for (size_t i = 0; i < CONFIG_KEYS; i++)
		if (word_is(key_names[i], entry->key.text, entry->key.bytes)) {
			entry->setting = (enum config_key)i;
			return true;
		}
	return refuse(entry, entry->key, no_such_key);
}

static bool read_field(struct config *config, struct config_text line,
	struct config_entry *entry)
{
	size_t equals = find(line, '=');

	if (equals == line.bytes || equals == 0)
		return refuse(entry, line, "not a setting: give KEY = VALUE");
	entry->name = config->name;
	entry->key = part(line, 0, equals);
	entry->value = unquote(cut_comment(part(line, equals + 1, line.bytes)));
	if (config->section == TOP)
		return read_setting(entry);
	entry->kind = CONFIG_FIELD;
	return true;
}

bool config_next(struct config *config, struct config_entry *entry)
{
	while (config->at < config->end) {
		struct config_text line = take_line(config);

		*entry = (struct config_entry){.setting = CONFIG_KEYS};
		if (is_section(line))
			return begin_section(config, line, entry);
		if (!is_empty(line) && config->section != UNKNOWN)
			return read_field(config, line, entry);
	}
	return false;
}
