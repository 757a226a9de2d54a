#include "rules/rule_redact.h"

#include <stdbool.h>

#include "record/argument_name.h"
#include "record/format.h"
#include "record/word.h"

/* A directive and the text before it. */
struct place {
	const char *text;
	size_t bytes;
	char conversion; /* '\0': not known */
	char next;	 /* what follows it; '\0': nothing */
};

struct name {
	const char *text;
	size_t bytes;
};

typedef bool test(const void *closure, const struct place *place);

/* glibc prints what is not defined as it stands; others give it a meaning. */
static bool find_undefined(
	const char *text, const char *end, test *is_meant, const void *closure)
{
	struct place place = {.text = text};

	for (; text < end; text++) {
		if (*text != '%')
			continue;
		place.bytes = (size_t)(text - place.text);
		if (is_meant(closure, &place))
			return true;
		text += end - text > 1;
		place.text = text + 1;
	}
	return false;
}

static uint64_t bit_of(int argument)
{
	return argument < 64 ? 1ull << argument : RULE_REDACT_ALL;
}

static uint64_t find(
	const char *format, size_t bytes, test *is_meant, const void *closure)
{
	const char *end = format + bytes;
	struct format_directive directive;
	struct format_cursor cursor;
	struct place place = {.text = format};
	uint64_t found = 0;

	format_begin(&cursor, format, bytes);
	while (format_next(&cursor, &directive)) {
		const char *after = directive.text + directive.length;

		if (directive.conversion == 0)
			continue;
		place.bytes = (size_t)(directive.text - place.text);
		place.conversion = directive.conversion;
		place.next = after < end ? *after : '\0';
		if (directive.argument != FORMAT_NONE &&
			directive.conversion != 'n' &&
			is_meant(closure, &place))
			found |= bit_of(directive.argument);
		place.text = after;
	}
	if (cursor.at < end &&
		find_undefined(place.text, end, is_meant, closure))
		return RULE_REDACT_ALL;
	return found;
}

static bool has_name(const void *closure, const struct place *place)
{
	const struct name *name = closure;

	return argument_name_is(place->text,
		argument_name_end(place->text, place->bytes), name->text,
		name->bytes, true);
}

uint64_t rule_redact_named(
	const char *format, size_t bytes, const char *name, size_t name_bytes)
{
	return find(format, bytes, has_name, &(struct name){name, name_bytes});
}

enum separator { SPACE, VALUE, EQUALS };
enum conversions { TEXT, ANY };
enum { COPIES = RULE_USUAL_COPIES, ASKED = RULE_USUAL_ALL };

static const struct secret {
	char name[16];
	uint8_t bytes;
	uint8_t separator; /* enum separator */
	uint8_t conversions;
	uint8_t where; /* enum rule_usual */
} secrets[] = {
#define SECRET(name, separator, conversions, where)                            \
	{name, sizeof(name) - 1, separator, conversions, where},
#include "rules/secret_words.def"
#undef SECRET
};

static bool is_joint(char c)
{
	return c == ' ' || c == '_' || c == '-' || c == '.';
}

/* Whether a word may begin at `at`: also the second one of `accessToken`. */
static bool begins_word(const char *text, size_t at)
{
	return at == 0 || !word_is_letter(text[at - 1]) ||
	       (text[at] < 'a' && text[at - 1] >= 'a');
}

static bool ends_with_secret(
	const char *text, size_t bytes, const struct secret *secret)
{
	const char *name = secret->name;
	size_t i = secret->bytes;

	while (i > 0 && bytes > 0) {
		if (name[--i] == ' ' && !is_joint(text[bytes - 1]))
			continue;
		bytes--;
		if (name[i] != ' ' && name[i] != word_lower(text[bytes]))
			return false;
	}
	return i == 0 && begins_word(text, bytes);
}

/* The strongest of what separates a name from its value. */
static enum separator separator_of(const char *text, size_t bytes)
{
	enum separator separator = SPACE;

	for (size_t i = 0; i < bytes; i++)
		if (text[i] == '=')
			separator = EQUALS;
		else if (text[i] == ':')
			separator = VALUE;
	return separator;
}

/* `://%s:%s@`, `://user:%s@`. */
static bool is_of_url(const struct place *place)
{
	const char *text = place->text;
	bool is_url = place->bytes == 1;

	if (place->next != '@' || place->bytes == 0 ||
		text[place->bytes - 1] != ':')
		return false;
	for (size_t i = 0; i + 2 < place->bytes; i++)
		is_url |= text[i] == ':' && text[i + 1] == '/' &&
			  text[i + 2] == '/';
	return is_url;
}

static bool is_secret(const void *closure, const struct place *place)
{
	const enum rule_usual *names = closure;
	size_t bytes = argument_name_end(place->text, place->bytes);
	enum separator separator =
		separator_of(place->text + bytes, place->bytes - bytes);
	bool is_text = place->conversion == 's' || place->conversion == 0;

	if (is_text && is_of_url(place))
		return true;
	if (bytes == 0 || bytes == place->bytes)
		return false;
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		if ((is_text || secrets[i].conversions == ANY) &&
			secrets[i].where <= (unsigned)*names &&
			separator >= (enum separator)secrets[i].separator &&
			ends_with_secret(place->text, bytes, &secrets[i]))
			return true;
	return false;
}

uint64_t rule_redact_usual(
	const char *format, size_t bytes, enum rule_usual names)
{
	return find(format, bytes, is_secret, &names);
}

/* The last letters of what nobody has to ask for: one bit each, and two. */
#define LAST(name, n) name[sizeof(name) - 1 - (n)]
#define SECRET(name, separator, conversions, where) SECRET_##where(name)
#define SECRET_ASKED(name)
static const uint32_t last_letters = 0
#define SECRET_COPIES(name) | 1u << (LAST(name, 1) - 'a')
#include "rules/secret_words.def"
#undef SECRET_COPIES
	;
static const char last_pairs[][2] = {
#define SECRET_COPIES(name) {LAST(name, 2), LAST(name, 1)},
#include "rules/secret_words.def"
#undef SECRET_COPIES
};
#undef SECRET

static bool has_ending(char last_but_one, char last)
{
	if (!(last_letters >> (last - 'a') & 1))
		return false;
	for (size_t i = 0; i < sizeof(last_pairs) / sizeof(last_pairs[0]); i++)
		if (last_pairs[i][0] == last_but_one &&
			last_pairs[i][1] == last)
			return true;
	return false;
}

/* Of nearly all formats that they have no secret, by the last two letters. */
static bool may_be_secret(const struct place *place)
{
	const char *text = place->text;
	size_t bytes = place->bytes;

	if (place->next == '@')
		return true;
	while (bytes > 0 && (!word_is_letter(text[bytes - 1]) ||
				    (bytes > 1 && text[bytes - 2] == '0')))
		bytes--;
	return bytes > 1 && has_ending(word_lower(text[bytes - 2]),
				    word_lower(text[bytes - 1]));
}

bool rule_redact_is_usual(const char *before, size_t bytes, char after)
{
	static const enum rule_usual names = RULE_USUAL_COPIES;
	const struct place place = {before, bytes, 's', after};

	return may_be_secret(&place) && is_secret(&names, &place);
}
