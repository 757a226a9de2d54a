#include "record/rule_redact.h"

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

static const struct {
	char name[16];
	uint8_t separator; /* enum separator */
	uint8_t conversions;
} secrets[] = {
#define SECRET(name, separator, conversions) {name, separator, conversions},
#include "record/secret_words.def"
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

static bool ends_with_secret(const char *text, size_t bytes, const char *name)
{
	size_t i = 0;

	while (name[i] != '\0')
		i++;
	while (i > 0 && bytes > 0) {
		if (name[--i] != ' ')
			bytes--;
		else if (is_joint(text[bytes - 1]))
			bytes--;
		else
			continue;
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
	size_t bytes = argument_name_end(place->text, place->bytes);
	enum separator separator =
		separator_of(place->text + bytes, place->bytes - bytes);
	bool is_text = place->conversion == 's' || place->conversion == 0;

	(void)closure;
	if (is_text && is_of_url(place))
		return true;
	if (bytes == 0 || bytes == place->bytes)
		return false;
	for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++)
		if ((is_text || secrets[i].conversions == ANY) &&
			separator >= (enum separator)secrets[i].separator &&
			ends_with_secret(place->text, bytes, secrets[i].name))
			return true;
	return false;
}

uint64_t rule_redact_usual(const char *format, size_t bytes)
{
	return find(format, bytes, is_secret, NULL);
}
