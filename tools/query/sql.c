#include "tools/query/sql.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pattern of the server repeats nothing more often. */
#define REPEAT_MAX 1000ul

void sql_put_text(struct render_buffer *out, const char *bytes, size_t count)
{
	char escaped[8];
	size_t i;

	render_buffer_put_byte(out, '\'');
	for (i = 0; i < count; i++) {
		const unsigned char c = (unsigned char)bytes[i];

		if (c == '\'' || c == '\\') {
			render_buffer_put_byte(out, '\\');
			render_buffer_put_byte(out, (char)c);
		} else if (c < ' ' || c >= 0x7f) {
			snprintf(escaped, sizeof(escaped), "\\x%02X", c);
			render_buffer_put_string(out, escaped);
		} else {
			render_buffer_put_byte(out, (char)c);
		}
	}
	render_buffer_put_byte(out, '\'');
}

void sql_put_number(struct render_buffer *out, uint64_t number)
{
	render_buffer_put_number(out, number);
}

void sql_put_integer(struct render_buffer *out, int64_t number)
{
	if (number < 0)
		render_buffer_put_byte(out, '-');
	render_buffer_put_number(
		out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

/* The server reads decimal fractions not quite exactly: its bits are given. */
void sql_put_float(struct render_buffer *out, double number)
{
	char digits[64];
	uint8_t bytes[8];
	size_t i;

	if (floor(number) == number && fabs(number) < 1e15) {
		snprintf(digits, sizeof(digits), "%.0f", number);
		render_buffer_put_string(out, digits);
		return;
	}
	memcpy(bytes, &number, sizeof(bytes));
	render_buffer_put_string(out, "reinterpretAsFloat64(unhex('");
	for (i = 0; i < sizeof(bytes); i++) {
		snprintf(digits, sizeof(digits), "%02X", bytes[i]);
		render_buffer_put_string(out, digits);
	}
	render_buffer_put_string(out, "'))");
}

/*
 * Patterns.  Those of the server see characters where those of POSIX see
 * bytes: what stands for any of many is any byte there.
 */

struct translation {
	const char *at;
	struct render_buffer *out;
	bool lines;
	bool folds;
	bool repeatable; /* what is before can be repeated */
	unsigned depth;	 /* of parentheses */
	enum sql_pattern as;
};

static void is_more(struct translation *to)
{
	if (to->as == SQL_PATTERN_SAME)
		to->as = SQL_PATTERN_MORE;
}

static void put(struct translation *to, const char *pattern)
{
	render_buffer_put_string(to->out, pattern);
}

/*
 * A byte that stands for itself.  A number in place of it (\x2e) would do, but
 * not for ClickHouse 18, which looks for the digits in the text first.
 */
static void put_byte(struct render_buffer *out, char c)
{
	if (ispunct((unsigned char)c) && c != '_' && (unsigned char)c < 0x80)
		render_buffer_put_byte(out, '\\');
	render_buffer_put_byte(out, c);
}

static void put_literal(struct translation *to, char c)
{
	put_byte(to->out, c);
	/* of a character of several bytes it would be the last one */
	to->repeatable = true;
	if ((unsigned char)c >= 0x80 && *to->at && strchr("*+?{", *to->at))
		to->as = SQL_PATTERN_NONE;
}

static void put_any(struct translation *to)
{
	put(to, "\\C");
	to->repeatable = true;
	is_more(to);
}

/* A range of bytes which is the same whatever the case of letters. */
static bool is_plain_range(const struct translation *to, char from, char last)
{
	if ((unsigned char)from >= 0x80 || (unsigned char)last >= 0x80 ||
		from > last)
		return false;
	return !to->folds || from == last || last < 'A' || from > 'z' ||
	       (from >= 'a' && last <= 'z');
}

/* Of a set from behind its bracket: the next item, into *item.  False: it is
 * not understood. */
static bool take_item(struct translation *to, struct render_buffer *item)
{
	const char *at = to->at;
	char text[32], from = *at, last = *at;
	size_t bytes;

	if (at[0] == '[' && at[1] == ':') {
		bytes = strcspn(at + 2, ":");
		if (bytes == 0 || bytes > 8 || at[2 + bytes] != ':' ||
			at[3 + bytes] != ']')
			return false;
		snprintf(text, sizeof(text), "[:%.*s:]", (int)bytes, at + 2);
		if (to->folds && (strcmp(text, "[:upper:]") == 0 ||
					 strcmp(text, "[:lower:]") == 0))
			snprintf(text, sizeof(text), "[:alpha:]");
		render_buffer_put_string(item, text);
		to->at += bytes + 4;
		return true;
	}
	if (at[0] == '[' && (at[1] == '.' || at[1] == '='))
		return false;
	at++;
	if (at[0] == '-' && at[1] && at[1] != ']') {
		last = at[1];
		if (last == '[')
			return false;
		at += 2;
	}
	if (!is_plain_range(to, from, last))
		return false;
	put_byte(item, from);
	if (from != last) {
		render_buffer_put_byte(item, '-');
		put_byte(item, last);
	}
	to->at = at;
	return true;
}

/* Behind the bracket that ends the set which begins at `at`; null: none does.
 */
static const char *end_of_set(const char *at)
{
	at++;
	at += *at == '^' || *at == '!';
	at += *at == ']';
	while (*at && *at != ']') {
		if (*at == '[' && at[1] && strchr(":.=", at[1])) {
			const char end[] = {at[1], ']', '\0'};

			at = strstr(at + 2, end);
			if (!at)
				return NULL;
			at++;
		}
		at++;
	}
	return *at ? at + 1 : NULL;
}

static void put_set(struct translation *to)
{
	const char *end = end_of_set(to->at);
	struct render_buffer items = {0};
	bool good = end, first = true;

	if (!end) {
		to->as = SQL_PATTERN_NONE;
		return;
	}
	to->at++;
	good = *to->at != '^' && *to->at != '!';
	for (; good && to->at + 1 < end && (first || *to->at != ']');
		first = false)
		good = take_item(to, &items);
	if (good && !items.failed && items.length > 0) {
		put(to, "[");
		render_buffer_put(to->out, items.data, items.length);
		put(to, "]");
		to->repeatable = true;
	} else {
		put_any(to);
	}
	to->at = end;
	render_buffer_free(&items);
}

static void put_escape(struct translation *to)
{
	const char c = *++to->at;

	if (!c || isdigit((unsigned char)c)) {
		to->as = SQL_PATTERN_NONE;
		return;
	}
	to->at++;
	switch (c) {
	case 'w':
		put(to, "[0-9A-Za-z_]");
		to->repeatable = true;
		return;
	case 's':
		put(to, "[[:space:]]");
		to->repeatable = true;
		return;
	case 'W':
	case 'S':
		put_any(to);
		return;
	case 'b':
	case 'B':
	case '<':
	case '>':
	case '`':
	case '\'':
		/* it is not looked at where they are */
		is_more(to);
		to->repeatable = false;
		return;
	}
	put_literal(to, c);
}

static void put_repetition(struct translation *to)
{
	const char *end = to->at + 1;
	char *number = NULL;
	unsigned long least, most;

	if (!to->repeatable) {
		to->as = SQL_PATTERN_NONE;
		return;
	}
	if (*to->at == '{') {
		least = most = strtoul(end, &number, 10);
		if (number > end && *number == ',' && number[1] != '}')
			most = strtoul(number + 1, &number, 10);
		else if (number > end && *number == ',')
			number++;
		if (number == end || *number != '}' || least > REPEAT_MAX ||
			most > REPEAT_MAX || most < least) {
			to->as = SQL_PATTERN_NONE;
			return;
		}
		end = number + 1;
	}
	render_buffer_put(to->out, to->at, (size_t)(end - to->at));
	to->at = end;
	to->repeatable = false;
}

static void put_piece(struct translation *to)
{
	const char c = *to->at;

	switch (c) {
	case '[':
		put_set(to);
		return;
	case '\\':
		put_escape(to);
		return;
	case '*':
	case '+':
	case '?':
	case '{':
		put_repetition(to);
		return;
	}
	to->at++;
	switch (c) {
	case '.':
		/* neither a newline, if lines are searched, nor a NUL */
		put(to, "\\C");
		to->repeatable = true;
		if (to->lines)
			is_more(to);
		return;
	case '^':
		put(to, to->lines ? "(^|\\n)" : "^");
		to->repeatable = false;
		return;
	case '$':
		put(to, to->lines ? "($|\\n)" : "$");
		to->repeatable = false;
		return;
	case '(':
		to->depth++;
		/* fall through */
	case '|':
		render_buffer_put_byte(to->out, c);
		to->repeatable = false;
		return;
	case ')':
		if (to->depth == 0)
			to->as = SQL_PATTERN_NONE;
		to->depth--;
		put(to, ")");
		to->repeatable = true;
		return;
	}
	put_literal(to, c);
}

static bool is_utf8(const char *text)
{
	size_t more;

	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		more = c < 0x80	   ? 0
		       : c >= 0xf0 ? 3
		       : c >= 0xe0 ? 2
		       : c >= 0xc2 ? 1
				   : 4;
		if (more == 4)
			return false;
		for (; more > 0; more--)
			if (((unsigned char)*++text & 0xc0) != 0x80)
				return false;
	}
	return true;
}

/* What was appended since `start` becomes a text in quotes; nothing if it
 * cannot be said. */
static enum sql_pattern finish(struct translation *to, size_t start)
{
	struct render_buffer *out = to->out;
	struct render_buffer pattern = {0};

	render_buffer_put(
		&pattern, render_buffer_from(out, start), out->length - start);
	out->length = start;
	if (pattern.failed)
		to->as = SQL_PATTERN_NONE;
	if (to->as != SQL_PATTERN_NONE)
		sql_put_text(
			out, render_buffer_from(&pattern, 0), pattern.length);
	render_buffer_free(&pattern);
	return to->as;
}

enum sql_pattern sql_put_regex(
	struct render_buffer *out, const char *regex, bool lines, bool folds)
{
	struct translation to = {
		.at = regex, .out = out, .lines = lines, .folds = folds};
	const size_t start = out->length;

	if (!is_utf8(regex))
		return SQL_PATTERN_NONE;
	while (*to.at && to.as != SQL_PATTERN_NONE)
		put_piece(&to);
	return finish(&to, start);
}

enum sql_pattern sql_put_glob(struct render_buffer *out, const char *glob)
{
	struct translation to = {.at = glob, .out = out};
	const size_t start = out->length;

	if (!is_utf8(glob))
		return SQL_PATTERN_NONE;
	put(&to, "^");
	while (*to.at && to.as != SQL_PATTERN_NONE) {
		const char c = *to.at;

		if (c == '[' && end_of_set(to.at)) {
			put_set(&to);
			continue;
		}
		to.at++;
		if (c == '*')
			put(&to, "\\C*");
		else if (c == '?')
			put(&to, "\\C");
		else if (c == '\\' && *to.at)
			put_literal(&to, *to.at++);
		else
			put_literal(&to, c);
		/* what follows repeats nothing here */
		if (to.as == SQL_PATTERN_NONE && is_utf8(glob))
			to.as = SQL_PATTERN_SAME;
	}
	put(&to, "$");
	return finish(&to, start);
}
