#include "tools/run/values_check.h"

#include <stdlib.h>
#include <string.h>

#include "record/word.h"
#include "rules/levels.h"

static size_t digits(const char *text)
{
	size_t count = 0;

	while (word_is_digit(text[count]))
		count++;
	return count;
}

static bool is_number(const char *text)
{
	return digits(text) > 0 && text[digits(text)] == '\0';
}

/* 64K, 16M... */
static bool is_size(const char *text)
{
	size_t count = digits(text);

	return count > 0 &&
	       (text[count] == '\0' ||
		       (strchr("kmgtKMGT", text[count]) && !text[count + 1]));
}

static bool is_level(const char *text)
{
	int level;

	return level_named(text, strlen(text), &level);
}

static bool is_duration(const char *text, size_t bytes)
{
	static const char *const units[] = {
		"", "ns", "us", "ms", "s", "m", "min", "h"};
	size_t count = digits(text);
	size_t i;

	if (bytes == 3 && memcmp(text, "all", bytes) == 0)
		return true;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (count > 0 && count <= bytes &&
			strlen(units[i]) == bytes - count &&
			memcmp(text + count, units[i], bytes - count) == 0)
			return true;
	return false;
}

static bool is_cause(const char *text, size_t bytes)
{
	static const char *const words[] = {"signal", "exit", "kill"};
	static const char *const spans[] = {"before=", "after="};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == bytes &&
			memcmp(text, words[i], bytes) == 0)
			return true;
	for (i = 0; i < sizeof(spans) / sizeof(*spans); i++)
		if (strncmp(text, spans[i], strlen(spans[i])) == 0)
			return is_duration(text + strlen(spans[i]),
				bytes - strlen(spans[i]));
	return false;
}

static bool is_trigger(const char *text)
{
	for (;;) {
		size_t bytes = strcspn(text, ",");

		if (!is_cause(text, bytes))
			return false;
		if (!text[bytes])
			return true;
		text += bytes + 1;
	}
}

static const struct value {
	const char *variable;
	const char *option;
	bool (*is_right)(const char *text);
	const char *advice;
} values[] = {
	{"BINLOG_LEVEL", "level", is_level,
		"no such level: give emerg, alert, crit, err, warning, notice, "
		"info, debug or trace"},
	{"BINLOG_DEPTH", "depth", is_number,
		"not a number of frames: give digits"},
	{"BINLOG_RING", "ring", is_size, "no size: give one such as 16M"},
	{"BINLOG_MAX_SIZE", "max-size", is_size,
		"no size: give one such as 64M"},
	{"BINLOG_TRIGGER", "trigger", is_trigger,
		"not known: give signal, exit, kill, before=TIME or "
		"after=TIME, with commas between them"},
};

bool values_check(struct refusal *refusal)
{
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const char *text = getenv(values[i].variable);

		if (text && *text && !values[i].is_right(text))
			return refusal_set(refusal, REFUSAL_POINTLESS,
				"%s: %s, as --%s or in %s", text,
				values[i].advice, values[i].option,
				values[i].variable);
	}
	return true;
}
