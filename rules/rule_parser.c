#include "rules/rule_parser.h"

#include "record/word.h"
#include "rules/levels.h"

/*
 * Values in rules: numbers, times, levels, places.  Called by the parser.
 * Freestanding.  Each takes all of the text, or says false.
 */

static const struct {
	char name[4];
	uint64_t ns;
} units[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
	{"min", 60000000000},
	{"h", 3600000000000},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int digit_of(char c)
{
	if (word_is_digit(c))
		return c - '0';
	c = word_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static bool read_number(
	const char *text, size_t bytes, unsigned base, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < bytes; i++) {
		unsigned digit = (unsigned)digit_of(text[i]);

		if (digit >= base || *number > (UINT64_MAX - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	return bytes > 0;
}

bool rule_value_number(const char *text, size_t bytes, uint64_t *number)
{
	return read_number(text, bytes, 10, number);
}

bool rule_value_offset(const char *text, size_t bytes, uint64_t *offset)
{
	return bytes > 2 && text[0] == '0' && text[1] == 'x' &&
	       read_number(text + 2, bytes - 2, 16, offset);
}

bool rule_value_time(const char *text, size_t bytes, uint64_t *ns)
{
	size_t digits = 0;
	uint64_t number;

	while (digits < bytes && word_is_digit(text[digits]))
		digits++;
	if (!read_number(text, digits, 10, &number))
		return false;
	for (size_t i = 0; i < COUNT(units); i++)
		if (word_is(units[i].name, text + digits, bytes - digits)) {
			*ns = number * units[i].ns;
			return number <= INT64_MAX / units[i].ns;
		}
	return false;
}

size_t rule_value_find(const char *text, size_t bytes, char c)
{
	size_t i = 0;

	while (i < bytes && text[i] != c)
		i++;
	return i;
}

static bool read_line(
	const char *text, size_t bytes, uint32_t otherwise, uint32_t *line)
{
	uint64_t number = otherwise;

	if (bytes > 0 && (!rule_value_number(text, bytes, &number) ||
				 number > UINT32_MAX))
		return false;
	*line = (uint32_t)number;
	return true;
}

bool rule_value_lines(
	const char *text, size_t bytes, uint32_t *low, uint32_t *high)
{
	size_t dash = rule_value_find(text, bytes, '-');

	if (bytes == 0 || (bytes == 1 && dash == 0) ||
		!read_line(text, dash, 0, low))
		return false;
	if (dash == bytes) {
		*high = *low;
		return true;
	}
	text += dash + 1;
	bytes -= dash + 1;
	return read_line(text, bytes, UINT32_MAX, high) && *low <= *high;
}

static bool read_level(
	const char *text, size_t bytes, int otherwise, uint32_t *level)
{
	int number = otherwise;

	if (bytes > 0 && (!level_named(text, bytes, &number) || number < 0))
		return false;
	*level = (uint32_t)number;
	return true;
}

bool rule_value_levels(const char *text, size_t bytes, uint32_t *low,
	uint32_t *high, bool *is_range)
{
	size_t end = rule_value_find(text, bytes, '-');
	size_t next = end + 1;
	uint32_t swap;

	if (end == bytes) {
		end = rule_value_find(text, bytes, '.');
		next = end + 2;
	}
	*is_range = end < bytes;
	*low = 0;
	if (!*is_range)
		return bytes > 0 && read_level(text, bytes, 0, high);
	if (next > bytes || text[next - 1] != text[end] ||
		!read_level(text, end, 0, low) ||
		!read_level(text + next, bytes - next, LEVEL_LAST, high))
		return false;
	swap = *low;
	if (swap > *high) {
		*low = *high;
		*high = swap;
	}
	return true;
}

/*
 * The words of a text of rules.  Called by its parser.  Freestanding; points
 * into the text.
 */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t' && c != '\r') || c == 0x7f;
}

static bool ends_word(char c)
{
	return is_blank(c) || c == ';' || is_control(c);
}

void rule_lex_begin(struct rule_lexer *lexer, const char *text, size_t bytes)
{
	*lexer = (struct rule_lexer){
		.at = text, .end = text + bytes, .line_start = text, .line = 1};
}

/* Blanks and a comment. */
static void skip(struct rule_lexer *lexer)
{
	while (lexer->at < lexer->end && is_blank(*lexer->at))
		lexer->at++;
	if (lexer->at < lexer->end && *lexer->at == '#')
		while (lexer->at < lexer->end && *lexer->at != '\n')
			lexer->at++;
}

static void take_end(struct rule_lexer *lexer, struct rule_word *word)
{
	word->kind = RULE_END;
	word->bytes = 1;
	if (*lexer->at++ == '\n') {
		lexer->line++;
		lexer->line_start = lexer->at;
	}
}

static void refuse(struct rule_word *word, const char *why)
{
	word->kind = RULE_WRONG;
	word->why = why;
}

static void take_quoted(struct rule_lexer *lexer, struct rule_word *word)
{
	const char *at = lexer->at + 1;

	word->quoted = true;
	word->text = at;
	while (at < lexer->end && *at != '"' && !is_control(*at))
		at += *at == '\\' && lexer->end - at > 1 && !is_control(at[1])
			      ? 2
			      : 1;
	word->bytes = (size_t)(at - word->text);
	lexer->at = at;
	if (at == lexer->end || *at != '"') {
		refuse(word, "the quotes are not closed: put a \" at the end");
		return;
	}
	lexer->at = ++at;
	if (at < lexer->end && !ends_word(*at))
		refuse(word, "something follows the quotes: put a blank after "
			     "them");
}

static void take_plain(
	struct rule_lexer *lexer, struct rule_word *word, bool is_key)
{
	const char *at = lexer->at;

	while (at < lexer->end && !ends_word(*at) && !(is_key && *at == '='))
		at++;
	word->bytes = (size_t)(at - lexer->at);
	lexer->at = at + (is_key && at < lexer->end && *at == '=');
}

struct rule_word rule_lex_next(struct rule_lexer *lexer, bool is_key)
{
	struct rule_word word = {.kind = RULE_WORD};

	skip(lexer);
	word.line = lexer->line;
	word.column = (unsigned)(lexer->at - lexer->line_start) + 1;
	word.text = lexer->at;
	if (lexer->at == lexer->end)
		word.kind = RULE_EOF;
	else if (*lexer->at == '\n' || *lexer->at == ';')
		take_end(lexer, &word);
	else if (is_control(*lexer->at))
		refuse(&word, "no text has such a byte: take it out");
	else if (*lexer->at == '"')
		take_quoted(lexer, &word);
	else
		take_plain(lexer, &word, is_key);
	return word;
}

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
