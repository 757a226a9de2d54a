#include "decoder/query/span_rule.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LIKE "START => DONE by NAME, as in 'start %d => done %d by arg1'"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Without what is blank around it. */
static void trim(const char **text, const char **end)
{
	while (*text < *end && is_blank(**text))
		++*text;
	while (*text < *end && is_blank((*end)[-1]))
		--*end;
}

/* Null: nothing is left, or there is no memory. */
static char *copy_glob(const char *text, const char *end)
{
	trim(&text, &end);
	return text < end ? strndup(text, (size_t)(end - text)) : NULL;
}

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* Names, commas and `=`; anything else may be in a format. */
static bool are_names(const char *text)
{
	while (is_blank(*text))
		text++;
	while (is_of_name(*text) || *text == ',' || *text == '=')
		text++;
	while (is_blank(*text))
		text++;
	return *text == '\0';
}

/* Where ` by NAME` begins; the end if all is a glob. */
static const char *find_names(const char *text)
{
	const char *found = text + strlen(text);
	const char *by = text;

	while ((by = strstr(by, " by "))) {
		if (are_names(by + 4))
			found = by;
		by++;
	}
	return found;
}

static size_t number_of(const char *text, size_t bytes)
{
	size_t number = 0;
	size_t i;

	if (bytes < 4 || bytes > 8 || memcmp(text, "arg", 3) != 0)
		return 0;
	for (i = 3; i < bytes; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		number = number * 10 + (size_t)(text[i] - '0');
	}
	return number;
}

static struct span_name name_at(const char *text, size_t bytes)
{
	return (struct span_name){
		.text = text,
		.bytes = bytes,
		.number = number_of(text, bytes),
	};
}

static bool is_word(const struct span_name *name, const char *word)
{
	return name->bytes == strlen(word) &&
	       memcmp(name->text, word, name->bytes) == 0;
}

static enum span_part_of what_is(const struct span_name *name)
{
	if (is_word(name, "pid"))
		return SPAN_PART_PID;
	if (is_word(name, "tid"))
		return SPAN_PART_TID;
	return is_word(name, "thread") ? SPAN_PART_THREAD : SPAN_PART_ARGUMENT;
}

/* `NAME`, or `NAME=NAME` of the first message and of the second. */
static const char *add_part(
	struct span_rule *rule, const char *text, size_t bytes)
{
	struct span_part *part = &rule->parts[rule->part_count];
	const char *equal = memchr(text, '=', bytes);
	size_t first = equal ? (size_t)(equal - text) : bytes;

	if (rule->part_count == SPAN_PARTS_MAX)
		return "more names than can be compared: leave some out";
	part->start = name_at(text, first);
	part->done =
		equal ? name_at(equal + 1, bytes - first - 1) : part->start;
	if (part->start.bytes == 0 || part->done.bytes == 0)
		return "a name is missing after `by`: give " LIKE;
	part->of = equal ? SPAN_PART_ARGUMENT : what_is(&part->start);
	rule->part_count++;
	return NULL;
}

static const char *add_parts(struct span_rule *rule, const char *names)
{
	const char *end = names + strlen(names);
	const char *wrong = NULL;

	trim(&names, &end);
	while (!wrong) {
		const char *comma = memchr(names, ',', (size_t)(end - names));
		const char *stop = comma ? comma : end;

		wrong = add_part(rule, names, (size_t)(stop - names));
		if (!comma)
			break;
		names = comma + 1;
	}
	return wrong;
}

const char *span_rules_add(struct span_rules *rules, const char *text)
{
	const char *arrow = strstr(text, "=>");
	const char *wrong = NULL;
	struct span_rule rule = {.text = text};
	const char *names;

	if (strcmp(text, SPAN_RULE_TOOK) == 0) {
		rules->took = true;
		return NULL;
	}
	if (rules->count == SPAN_RULES_MAX)
		return "given more often than can be kept: leave some out";
	if (!arrow)
		return "no => in it: give " LIKE;
	names = find_names(arrow + 2);
	rule.start = copy_glob(text, arrow);
	rule.done = copy_glob(arrow + 2, names);
	if (!rule.start || !rule.done)
		wrong = "a format is missing beside =>: give " LIKE;
	else if (*names)
		wrong = add_parts(&rule, names + strlen(" by "));
	if (!wrong) {
		rules->all[rules->count++] = rule;
		return NULL;
	}
	free(rule.start);
	free(rule.done);
	return wrong;
}
