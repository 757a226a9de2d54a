#include "tools/ctl/switch_all.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "rules/config.h"
#include "tools/ctl/status.h"
#include "tools/live/changes.h"
#include "tools/live/switching.h"
#include "tools/program/resolve.h"

/*
 * The configuration that a program was started with, read again: what
 * BINLOG_CONFIG names in its environment, and the control.conf beside its
 * capture.
 */

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

/*
 * What would be in force if it were started now, as far as that can be
 * switched.  `capture` is the path of its capture.  False: the sentence in
 * *changes says why not.
 */
static bool reload_read(
	pid_t process, const char *capture, struct changes *changes)
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

/* How often it is looked, and how often whether anybody is there still. */
#define LOOK_US 100
#define LOOKS_BETWEEN 1000

static void complain_of(
	struct switch_all *all, const struct target *target, const char *why)
{
	all->left = true;
	ctl_say_complaint(target->label, why);
}

/* By its number; of a capture, that of who has made it. */
static pid_t process_of(const struct targets *targets, size_t i)
{
	return targets->directory ? (pid_t)targets->all[i].header.pid
				  : targets->process;
}

/* ---- waiting ---- */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Until `begun` plus what was asked for, or all of its programs have ended. */
static bool await(const struct switch_all *all, struct target *target,
	const struct switching *switching, uint64_t begun)
{
	unsigned looks = 0;

	while (!switching_is_applied(switching)) {
		if (target->executed || now() - begun >= all->wait_ns ||
			(++looks % LOOKS_BETWEEN == 0 &&
				!targets_ask_use(target)))
			return false;
		usleep(LOOK_US);
	}
	return true;
}

static void tell(struct switch_all *all, struct target *target,
	const struct switching *switching, uint64_t begun)
{
	bool applied = await(all, target, switching, begun);
	uint32_t line = applied ? switching_wrong_line(switching) : 0;

	/* Nobody may be left who could obey, and that is no failure. */
	if (target->executed && !applied)
		return;
	ctl_say_put(stdout, target->label);
	if (line > 0)
		printf(": rules refused at line %u: see binlog-rules(7)\n",
			(unsigned)line);
	else if (applied)
		puts(": in force");
	else
		puts(target->in_use ? ": in force at its next call"
				    : ": has ended");
	all->left |= line > 0 || (all->waits && !applied);
}

/* ---- switching ---- */

static void begin(struct switch_all *all, struct switching *switching,
	const struct target *target, const struct changes *changes)
{
	enum switching_outcome outcome =
		switching_begin(switching, target, changes);

	if (outcome == SWITCHING_DONE)
		return;
	complain_of(all, target,
		switching_why(outcome) ? switching_why(outcome)
				       : strerror(errno));
	switching_end(switching);
}

/* So many from that one on. */
static void switch_each(struct switch_all *all, size_t from, size_t count,
	const struct changes *changes)
{
	struct target *targets = all->targets->all + from;
	struct switching *switchings = calloc(count + 1, sizeof(*switchings));
	uint64_t begun = now();
	size_t i;

	if (!switchings) {
		all->left |= ctl_say_complaint("out of memory", NULL);
		return;
	}
	for (i = 0; i < count; i++)
		if (targets[i].in_use || !all->targets->directory)
			begin(all, &switchings[i], &targets[i], changes);
	for (i = 0; i < count; i++) {
		if (!switchings[i].page)
			continue;
		tell(all, &targets[i], &switchings[i], begun);
		switching_end(&switchings[i]);
	}
	free(switchings);
}

static void say_no_effect(void *closure, unsigned line, const char *sentence)
{
	struct switch_all *all = closure;
	char text[1024];

	snprintf(text, sizeof(text), "rules, line %u: %s", line, sentence);
	ctl_say_complaint(line ? text : sentence, NULL);
	all->left = true;
}

/* All programs get rules about places in any of them. */
static void resolve(struct switch_all *all, struct changes *changes)
{
	const struct resolve_report report = {say_no_effect, all};
	const struct symbolizer_options options = {0};
	struct resolve_modules modules = {0};
	struct rules_error error;
	size_t bytes, i;
	char *text;

	if (changes->rules_bytes == 0)
		return;
	for (i = 0; i < all->targets->count; i++)
		resolve_modules_add(&modules, process_of(all->targets, i));
	text = resolve_rules(changes->rules, changes->rules_bytes,
		modules.modules, modules.count, &options, &report, &bytes,
		&error);
	resolve_modules_free(&modules);
	if (!text)
		return;
	free(changes->rules);
	changes->rules = text;
	changes->rules_bytes = bytes;
}

/* What starts from here on obeys; what has started until now is found. */
static void switch_later(struct switch_all *all, const struct changes *changes)
{
	const char *directory = all->targets->directory;
	const char *why = control_file_merge(directory, changes);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/" CONTROL_FILE_NAME, directory);
	if (why) {
		all->left |= ctl_say_complaint(path, why);
	} else {
		ctl_say_put(stdout, path);
		puts(": for what starts later");
	}
	if (!targets_renew(all->targets))
		all->left |= ctl_say_complaint(all->targets->sentence, NULL);
}

void switch_all(struct switch_all *all, struct changes *changes)
{
	resolve(all, changes);
	if (all->targets->directory)
		switch_later(all, changes);
	switch_each(all, 0, all->targets->count, changes);
}

void switch_all_reload(struct switch_all *all)
{
	const struct targets *targets = all->targets;
	size_t i;

	for (i = 0; i < targets->count; i++) {
		const struct target *target = &targets->all[i];
		struct changes changes = {0};

		if (targets->directory && !target->in_use)
			continue;
		if (reload_read(
			    process_of(targets, i), target->path, &changes)) {
			resolve(all, &changes);
			switch_each(all, i, 1, &changes);
		} else {
			complain_of(all, target, changes.sentence);
		}
		changes_free(&changes);
	}
}
