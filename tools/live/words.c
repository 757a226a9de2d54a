#include "tools/live/words.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

static const struct {
	const char *text;
	enum word_form form;
	const char *argument;
	const char *help;
} words[] = {
#define WORD(name, text, form, argument, help)                                 \
	[WORD_##name] = {text, form, argument, help},
#include "tools/live/words.def"
#undef WORD
};

enum { WORDS = sizeof(words) / sizeof(*words) };

/* WORDS: there is no such word. */
static size_t find(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (strlen(words[i].text) == length &&
			strncmp(words[i].text, text, length) == 0)
			break;
	return i;
}

/* Good until the next call. */
static const char *complain(const char *text, size_t length)
{
	static char sentence[96];
	const char *names[WORDS];
	char given[SUGGEST_LENGTH_MAX + 1];
	const char *near;
	size_t i;

	for (i = 0; i < WORDS; i++)
		names[i] = words[i].text;
	snprintf(given, sizeof(given), "%.*s",
		length > SUGGEST_LENGTH_MAX ? 0 : (int)length, text);
	near = suggest_nearest(given, names, WORDS);
	snprintf(sentence, sizeof(sentence),
		"no such word: %s%s%ssee binlog-ctl --help",
		near ? "did you mean " : "", near ? near : "",
		near ? "? or " : "");
	return sentence;
}

static bool takes_next(
	enum word_form form, char *const *arguments, size_t count)
{
	if (form == WORD_NEXT)
		return count > 0;
	return form == WORD_MAYBE && count > 0 && strcmp(*arguments, "-") == 0;
}

const char *words_next(
	char *const **arguments, size_t *count, struct word_said *said)
{
	const char *text = **arguments;
	size_t length = strcspn(text, "=");
	size_t word = find(text, length);

	(*arguments)++;
	(*count)--;
	*said = (struct word_said){.text = text};
	if (word == WORDS && strpbrk(text, " \t\n")) {
		said->word = WORD_RULE;
		said->value = text;
		return NULL;
	}
	if (word == WORDS)
		return complain(text, length);
	said->word = (enum word)word;
	if (text[length] == '=') {
		said->value = text + length + 1;
	} else if (takes_next(words[word].form, *arguments, *count)) {
		said->value = *(*arguments)++;
		(*count)--;
	}
	if (words[word].form == WORD_ALONE && said->value)
		return "it takes no value: leave that out";
	if (words[word].form == WORD_VALUE && !said->value)
		return "its value is missing: see binlog-ctl --help";
	if (words[word].form == WORD_NEXT && !said->value)
		return "what it is about is missing: see binlog-ctl --help";
	return NULL;
}

void words_help(char *buffer, size_t size)
{
	size_t used = 0;
	size_t i;

	*buffer = '\0';
	for (i = 0; i < WORDS && used < size; i++) {
		char left[32];

		snprintf(left, sizeof(left), "%s%s", words[i].text,
			words[i].argument);
		used += (size_t)snprintf(buffer + used, size - used,
			"  %-15s %s\n", left, words[i].help);
	}
}
