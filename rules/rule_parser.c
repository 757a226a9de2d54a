#include "rules/rule_parser.h"

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
