#include "tools/ctl/reload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/config.h"
#include "tools/live/control_file.h"

/* Settings that can be switched, and the words for that. */
static const struct {
	enum config_key key;
	const char *variable;
	enum word word;
} settings[] = {
	{CONFIG_level, "BINLOG_LEVEL", WORD_LEVEL},
	{CONFIG_depth, "BINLOG_DEPTH", WORD_DEPTH},
	{CONFIG_streams, "BINLOG_STREAMS", WORD_STREAMS},
};

enum { SETTINGS = sizeof(settings) / sizeof(*settings) };

struct reload {
	char *environment; /* NAME=VALUE, a NUL behind each */
	size_t bytes;
	struct changes *changes;
	const char *path; /* of the file that is being read */
};

static bool fail(struct changes *changes, const char *what, const char *why)
{
	snprintf(changes->sentence, sizeof(changes->sentence), "%s: %s", what,
		why);
	return false;
}

/* Null: it is not there. */
static const char *variable(const struct reload *reload, const char *name)
{
	size_t length = strlen(name);
	const char *at = reload->environment;
	const char *end = at + reload->bytes;

	for (; at < end; at += strlen(at) + 1)
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return at + length + 1;
	return NULL;
}

static bool fail_at(
	struct reload *reload, const struct config_text *place, const char *why)
{
	struct changes *changes = reload->changes;

	snprintf(changes->sentence, sizeof(changes->sentence),
		"%s:%u:%u: %.*s: %s", reload->path, place->line, place->column,
		(int)(place->bytes < 64 ? place->bytes : 64), place->text, why);
	return false;
}

static bool take_text(
	struct reload *reload, enum word word, const struct config_text *value)
{
	char *text = strndup(value->text, value->bytes);
	const struct word_said said = {
		.word = word, .text = reload->path, .value = text};
	char why[sizeof(reload->changes->sentence)];
	bool good = text && changes_take(reload->changes, &said);

	if (!text)
		fail(reload->changes, reload->path, "out of memory");
	free(text);
	if (good || !text)
		return good;
	snprintf(why, sizeof(why), "%s", reload->changes->sentence);
	snprintf(reload->changes->sentence, sizeof(why), "%s:%u: %.400s",
		reload->path, value->line, why);
	return false;
}

/* What the environment says goes before what the file of the user says. */
static bool take_setting(
	struct reload *reload, const struct config_entry *entry, bool is_users)
{
	int i;

	for (i = 0; i < SETTINGS; i++)
		if (settings[i].key == entry->setting &&
			(!is_users || !variable(reload, settings[i].variable)))
			return take_text(
				reload, settings[i].word, &entry->value);
	return true;
}

static bool take_entries(
	struct reload *reload, const char *text, size_t bytes, bool is_users)
{
	struct config_entry entry;
	struct config config;
	bool good = true;

	config_begin(&config, text, bytes);
	while (good && config_next(&config, &entry)) {
		if (entry.kind == CONFIG_WRONG)
			good = fail_at(reload, &entry.key, entry.wrong);
		else if (entry.kind == CONFIG_SETTING)
			good = take_setting(reload, &entry, is_users);
		else if (entry.kind == CONFIG_RULES)
			good = take_text(reload, WORD_RULE, &entry.value);
	}
	return good;
}

/* `shown` is what it is called. */
static bool take_config(struct reload *reload, const char *path,
	const char *shown, bool is_users)
{
	size_t bytes;
	char *text = control_file_read(path, &bytes);
	bool good;

	if (!text && errno == ENOENT && !is_users)
		return true;
	if (!text)
		return fail(reload->changes, shown, strerror(errno));
	reload->path = shown;
	good = take_entries(reload, text, bytes, is_users);
	reload->path = NULL;
	free(text);
	return good;
}

/* As the process would find it. */
static bool take_users(struct reload *reload, pid_t process)
{
	const char *name = variable(reload, "BINLOG_CONFIG");
	char path[PATH_MAX];

	if (!name || !*name)
		return true;
	if (snprintf(path, sizeof(path), "/proc/%d/%s/%s", (int)process,
		    *name == '/' ? "root" : "cwd", name) >= (int)sizeof(path))
		return fail(reload->changes, name, strerror(ENAMETOOLONG));
	return take_config(reload, path, name, true);
}

static bool take_directorys(struct reload *reload, const char *capture)
{
	const char *slash = strrchr(capture, '/');
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s%s",
		slash ? (int)(slash + 1 - capture) : 0, capture,
		CONTROL_FILE_NAME);
	return take_config(reload, path, path, false);
}

bool reload_read(pid_t process, const char *capture, struct changes *changes)
{
	struct reload reload = {.changes = changes};
	char path[40];
	bool good;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)process);
	reload.environment = control_file_read(path, &reload.bytes);
	if (!reload.environment)
		return fail(changes, path, strerror(errno));
	changes->any = true;
	changes->rules_replaced = true;
	good = take_users(&reload, process) &&
	       take_directorys(&reload, capture);
	free(reload.environment);
	return good;
}
