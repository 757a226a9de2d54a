#include <stdint.h>

#include "record/word.h"
#include "rules/levels.h"

enum where { MARKED, BEGINS, ALWAYS };

static const struct {
	char name[12];
	int8_t level;
	uint8_t where; /* enum where */
} words[] = {
#define LEVEL_WORD(name, level, where) {name, LEVEL_##level, where},
#include "rules/level_words.def"
#undef LEVEL_WORD
#define LEVEL(name, number, what) {#name, number, MARKED},
#define LEVEL_ALIAS(name, number) {#name, number, MARKED},
#include "rules/levels.def"
#undef LEVEL
#undef LEVEL_ALIAS
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* `[E]`, `(EE)`. */
static const struct {
	char letter;
	int8_t level;
} letters[] = {{'E', LEVEL_err}, {'W', LEVEL_warning}, {'N', LEVEL_notice},
	{'I', LEVEL_info}, {'D', LEVEL_debug}};

/* What is left of a text; where nothing is, there is a NUL. */
struct text {
	const char *at;
	const char *end;
};

static char peek(const struct text *text, size_t ahead)
{
	return ahead < (size_t)(text->end - text->at) ? text->at[ahead] : '\0';
}

static bool skip_any(struct text *text, const char *any)
{
	const char *from = text->at;
	const char *c = any;

	for (; text->at < text->end && *c != '\0'; text->at += *c != '\0')
		for (c = any; *c != '\0' && *c != *text->at; c++)
			;
	return text->at > from;
}

static size_t letters_of(const struct text *text)
{
	size_t bytes = 0;

	while (word_is_letter(peek(text, bytes)))
		bytes++;
	return bytes;
}

/* Names that are for rules alone do not count: "packet", "all". */
static size_t find_word(const char *text, size_t bytes)
{
	size_t i = 0;

	while (i < COUNT(words) &&
		(words[i].level < 0 || words[i].level > LEVEL_trace ||
			!word_is_any_case(words[i].name, text, bytes)))
		i++;
	return i;
}

static bool read_letter(const char *text, size_t bytes, int *level)
{
	if (bytes == 0 || bytes > 2 || text[bytes - 1] != text[0])
		return false;
	for (size_t i = 0; i < COUNT(letters); i++)
		if (letters[i].letter == *text) {
			*level = letters[i].level;
			return true;
		}
	return false;
}

/* `<3>`, with or without a facility. */
static bool read_priority(const struct text *text, int *level)
{
	int priority = 0;
	size_t i = 1;

	if (peek(text, 0) != '<')
		return false;
	for (; i < 4 && word_is_digit(peek(text, i)); i++)
		priority = priority * 10 + (peek(text, i) - '0');
	*level = priority & 7;
	return i > 1 && peek(text, i) == '>' && priority < 24 * 8;
}

/* A word that is nothing but a level. */
static bool read_marked(const char *text, size_t bytes, int *level)
{
	size_t i = find_word(text, bytes);

	if (i == COUNT(words))
		return read_letter(text, bytes, level);
	*level = words[i].level;
	return true;
}

/* One of the words in brackets: `[warn]`, `[core:error]`. */
static bool read_brackets(struct text *text, int *level)
{
	char close = *text->at == '[' ? ']' : *text->at == '(' ? ')' : '>';

	text->at++;
	while (text->at < text->end && *text->at != close) {
		size_t bytes = letters_of(text);

		if (!word_has(peek(text, bytes)) &&
			read_marked(text->at, bytes, level))
			return true;
		text->at += bytes;
		while (text->at < text->end && *text->at != close &&
			*text->at != ' ' && *text->at != ':')
			text->at++;
		skip_any(text, " :");
	}
	text->at += text->at < text->end;
	return false;
}

/* `%-20s`: a time, or a name. */
static void skip_directive(struct text *text)
{
	text->at++;
	skip_any(text, "0123456789$*.-+# 'hljztLqI");
	text->at += text->at < text->end;
}

/* Of a word: it has letters only. */
static bool is_capital(const char *text, size_t bytes)
{
	size_t i = 0;

	while (i < bytes && text[i] <= 'Z')
		i++;
	return i == bytes;
}

/* Of a level: whether what follows says that it is one. */
static bool is_marked(const struct text *text, size_t bytes, enum where where)
{
	char next = peek(text, bytes);

	if (word_has(next) || next == '=')
		return false;
	return next == ':' || next == '[' || next == '(' || next == '|' ||
	       is_capital(text->at, bytes) ||
	       (next == ' ' && (where == ALWAYS ||
				       (where == BEGINS && *text->at <= 'Z')));
}

/* `level=error`, `"severity": "warning"`. */
static bool read_field(struct text *text, size_t bytes, int *level)
{
	struct text value = {text->at + bytes, text->end};

	if (!word_is_any_case("level", text->at, bytes) &&
		!word_is_any_case("lvl", text->at, bytes) &&
		!word_is_any_case("severity", text->at, bytes))
		return false;
	return skip_any(&value, "\"=: ") &&
	       read_marked(value.at, letters_of(&value), level);
}

/* `Nov`, `Sat`: of a time. */
static bool is_of_time(const char *text, size_t bytes)
{
	static const char names[][4] = {"jan", "feb", "mar", "apr", "may",
		"jun", "jul", "aug", "sep", "oct", "nov", "dec", "mon", "tue",
		"wed", "thu", "fri", "sat", "sun", "utc", "am", "pm"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (word_is_any_case(names[i], text, bytes))
			return true;
	return false;
}

static bool ends_token(char c)
{
	return c == '\0' || c == ' ' || c == '\t' || c == '[' || c == '(' ||
	       c == '|' || c == '%';
}

/* `prog:`, `file.c:12:`, `time=12`: something that precedes a message. */
static bool skip_tag(struct text *text)
{
	size_t bytes = 0;
	bool is_tag = false;

	for (; !ends_token(peek(text, bytes)); bytes++)
		is_tag |= peek(text, bytes) == '=' || peek(text, bytes) == ':';
	is_tag |= peek(text, bytes) == '[' || is_of_time(text->at, bytes);
	text->at += bytes;
	return is_tag;
}

enum answer { GO_ON, FOUND, NOTHING };

static enum answer read_word(struct text *text, int *level)
{
	size_t bytes = letters_of(text);
	size_t i = find_word(text->at, bytes);

	if (i < COUNT(words) &&
		is_marked(text, bytes, (enum where)words[i].where)) {
		*level = words[i].level;
		return FOUND;
	}
	if (bytes == 1 && peek(text, 1) == ':' && peek(text, 2) == ' ' &&
		read_letter(text->at, bytes, level))
		return FOUND;
	if (read_field(text, bytes, level))
		return FOUND;
	return skip_tag(text) ? GO_ON : NOTHING;
}

static enum answer read_next(struct text *text, int *level)
{
	char c = *text->at;

	if (c == '\033') {
		text->at++;
		skip_any(text, "[0123456789;");
		text->at += peek(text, 0) == 'm';
		return GO_ON;
	}
	if (read_priority(text, level))
		return FOUND;
	if (c == '[' || c == '(' || c == '<')
		return read_brackets(text, level) ? FOUND : GO_ON;
	if (word_is_letter(c))
		return read_word(text, level);
	if (c == '%')
		skip_directive(text);
	else if (word_is_digit(c))
		skip_any(text, "0123456789.,:;/+-TZ");
	else
		text->at++;
	return GO_ON;
}

int level_of_text(const char *format, size_t bytes, int otherwise)
{
	struct text text = {format, format + bytes};
	enum answer answer = GO_ON;
	int level;

	while (answer == GO_ON && text.at < text.end)
		answer = read_next(&text, &level);
	return answer == FOUND ? level : otherwise;
}
