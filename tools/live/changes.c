#include "tools/live/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules/levels.h"
#include "rules/policy.h"
#include "rules/rules.h"

/* Of a backtrace; more is not walked by the library. */
#define DEPTH_MOST 64u

static bool fail(struct changes *changes, const char *what, const char *why)
{
	snprintf(changes->sentence, sizeof(changes->sentence), "%s: %s", what,
		why);
	return false;
}

static bool fail_memory(struct changes *changes, const char *what)
{
	return fail(changes, what, "out of memory");
}

/* ---- level, depth ---- */

static bool take_level(struct changes *changes, const char *name)
{
	char why[256] = "no such level: give";
	size_t used = strlen(why);
	int level;

	changes->level_known = true;
	if (level_named(name, strlen(name), &changes->level))
		return true;
	for (level = 0; level <= LEVEL_LAST; level++)
		used += (size_t)snprintf(why + used, sizeof(why) - used, " %s,",
			level_name(level));
	snprintf(why + used, sizeof(why) - used, " all or none");
	return fail(changes, *name ? name : "level=", why);
}

static bool take_depth(struct changes *changes, const char *text)
{
	unsigned long depth;
	char *end;

	changes->depth_known = true;
	changes->depth = 0;
	if (*text == '\0')
		return true;
	depth = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || depth > DEPTH_MOST)
		return fail(changes, text,
			"no depth: give a number of frames, 0 to 64");
	changes->depth = depth == 0 ? 1 : (uint8_t)depth;
	return true;
}

/* ---- streams ---- */

static void set_mode(
	struct changes *changes, enum switch_stream stream, uint8_t mode)
{
	changes->mode_known[stream] = true;
	changes->modes[stream] = mode;
}

static const char *set_modes(
	struct changes *changes, const struct policy_item *item)
{
	static const unsigned streams[] = {
		[SWITCH_STDOUT] = POLICY_STDOUT,
		[SWITCH_STDERR] = POLICY_STDERR,
		[SWITCH_SYSLOG] = POLICY_SYSLOG,
		[SWITCH_FILES] = 0,
	};
	uint8_t mode = (uint8_t)(1 + item->mode);
	int i;

	if (item->wrong)
		return item->wrong;
	if (item->streams == 0 && (item->glob_bytes != 1 || *item->glob != '*'))
		return "which files are meant is settled at the start: say "
		       "files=MODE for all of them, or give a rule";
	if (item->streams == 0)
		set_mode(changes, SWITCH_FILES, mode);
	for (i = 0; i < SWITCH_STREAMS; i++)
		if (item->streams & streams[i])
			set_mode(changes, (enum switch_stream)i, mode);
	return NULL;
}

static bool take_streams(struct changes *changes, const char *list)
{
	struct policy_item item;
	const char *wrong;
	char text[128];

	while (policy_next(&list, &item)) {
		wrong = set_modes(changes, &item);
		if (!wrong)
			continue;
		snprintf(text, sizeof(text), "%.*s",
			(int)(item.bytes < 100 ? item.bytes : 100), item.text);
		return fail(changes, text, wrong);
	}
	return true;
}

static bool take_stream(struct changes *changes, const struct word_said *said)
{
	char list[64];

	if (*said->value == '\0') {
		set_mode(changes,
			(enum switch_stream)(said->word - WORD_STDOUT),
			SWITCH_AS_STARTED);
		return true;
	}
	if (said->word != WORD_FILES)
		return take_streams(changes, said->text);
	snprintf(list, sizeof(list), "file:*=%s", said->value);
	return take_streams(changes, list);
}

/* ---- rules ---- */

/* Of a text that is called `name`. */
static bool check_rules(struct changes *changes, const char *name,
	const char *text, size_t bytes)
{
	size_t room = rules_room(text, bytes);
	void *memory = malloc(room);
	struct rules_error error = {0};
	bool good;

	if (!memory)
		return fail_memory(changes, name);
	good = rules_parse(text, bytes, memory, room, &error);
	free(memory);
	if (good)
		return true;
	snprintf(changes->sentence, sizeof(changes->sentence),
		"%s:%u:%u: %s: %s", name, error.line, error.column,
		error.what ? error.what : "", error.why ? error.why : "");
	return false;
}

static bool add_rules(struct changes *changes, const char *text, size_t bytes)
{
	bool ends = bytes > 0 && text[bytes - 1] == '\n';
	size_t used = changes->rules_bytes;
	char *rules;

	if (RULES_TEXT_MAX - used <= bytes)
		return fail(changes, "rules", "too many: leave some out");
	rules = realloc(changes->rules, used + bytes + 1);
	if (!rules)
		return fail_memory(changes, "rules");
	memcpy(rules + used, text, bytes);
	rules[used + bytes] = '\n';
	changes->rules = rules;
	changes->rules_bytes = used + bytes + !ends;
	return true;
}

/* Null: errno says why not.  The caller's to free. */
static char *read_file(const char *path, size_t *bytes)
{
	bool input = strcmp(path, "-") == 0;
	int fd = input ? dup(STDIN_FILENO)
		       : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char *text = fd < 0 ? NULL : malloc(RULES_TEXT_MAX + 1);
	ssize_t n = 1;

	*bytes = 0;
	while (text && n > 0 && *bytes <= RULES_TEXT_MAX) {
		n = read(fd, text + *bytes, RULES_TEXT_MAX + 1 - *bytes);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			*bytes += (size_t)n;
	}
	if (text && n < 0) {
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static bool take_file(struct changes *changes, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
	size_t bytes;
	char *text = read_file(path, &bytes);
	bool good;

	if (!text)
		return fail(changes, name, strerror(errno));
	good = bytes <= RULES_TEXT_MAX
		       ? check_rules(changes, name, text, bytes) &&
				 add_rules(changes, text, bytes)
		       : fail(changes, name,
				 "too long: rules have 960 KiB at most");
	free(text);
	return good;
}

static bool take_rules(struct changes *changes, const char *path)
{
	free(changes->rules);
	changes->rules = NULL;
	changes->rules_bytes = 0;
	changes->rules_replaced = true;
	return *path == '\0' || take_file(changes, path);
}

static bool take_rule(struct changes *changes, const char *text)
{
	return check_rules(changes, "rule", text, strlen(text)) &&
	       add_rules(changes, text, strlen(text));
}

/* ---- words ---- */

bool changes_take(struct changes *changes, const struct word_said *said)
{
	changes->any = true;
	switch (said->word) {
	case WORD_ON:
	case WORD_OFF:
		changes->on_known = true;
		changes->on = said->word == WORD_ON;
		return true;
	case WORD_LEVEL:
		return take_level(changes, said->value);
	case WORD_DEPTH:
		return take_depth(changes, said->value);
	case WORD_STDOUT:
	case WORD_STDERR:
	case WORD_SYSLOG:
	case WORD_FILES:
		return take_stream(changes, said);
	case WORD_STREAMS:
		return take_streams(changes, said->value);
	case WORD_RULES:
		return take_rules(changes, said->value);
	case WORD_RULE:
		return take_rule(changes, said->value);
	case WORD_TRIGGER:
		changes->trigger = true;
		return true;
	default:
		return fail(changes, said->text, "it changes nothing");
	}
}

void changes_free(struct changes *changes)
{
	free(changes->rules);
	*changes = (struct changes){0};
}
