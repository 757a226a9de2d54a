#include "tools/ctl/switch_all.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/ctl/ctl_say.h"
#include "tools/ctl/reload.h"
#include "tools/live/control_file.h"
#include "tools/live/switching.h"
#include "tools/program/resolve_modules.h"

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
