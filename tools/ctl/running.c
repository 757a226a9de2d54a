#include "tools/ctl/running.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/show/descriptors.h"
#include "sandbox/sandbox.h"
#include "tools/ctl/snapshot.h"
#include "tools/ctl/status.h"
#include "tools/ctl/switch_all.h"
#include "tools/live/follower.h"
#include "tools/live/words.h"

/* A program that logs makes its next call soon; one that sleeps does not. */
#define WAIT_NS 100000000u

/* Something to do: changes that come together, or another word. */
struct stage {
	struct changes changes;
	struct word_said said;
};

struct running {
	const char *place;
	struct targets targets;
	struct stage *stages;
	size_t stage_count;
	struct switch_all switches;
	bool json;
	bool left; /* something could not be done */
};

/* ---- the words ---- */

static bool is_change(const struct word_said *said)
{
	return said->word <= WORD_TRIGGER &&
	       (said->word != WORD_RULES || said->value);
}

static bool read_seconds(const char *text, uint64_t *ns)
{
	double seconds;
	char *end;

	seconds = strtod(text, &end);
	*ns = UINT64_MAX;
	if (*text < '0' || *text > '9' || *end != '\0' || !isfinite(seconds))
		return false;
	if (seconds < 1e9)
		*ns = (uint64_t)(seconds * 1e9);
	return true;
}

static bool take_wait(struct running *running, const struct word_said *said)
{
	running->switches.waits = true;
	running->switches.wait_ns = UINT64_MAX;
	if (!said->value ||
		read_seconds(said->value, &running->switches.wait_ns))
		return true;
	ctl_say_complaint(said->text, "no time: give a number of seconds");
	return false;
}

static bool take_word(struct running *running, const struct word_said *said)
{
	struct stage *last =
		running->stage_count > 0
			? &running->stages[running->stage_count - 1]
			: NULL;

	if (said->word == WORD_WAIT)
		return take_wait(running, said);
	if (!is_change(said) || !last || !last->changes.any)
		last = &running->stages[running->stage_count++];
	last->said = *said;
	if (!is_change(said) || changes_take(&last->changes, said))
		return true;
	ctl_say_complaint(last->changes.sentence, NULL);
	return false;
}

static bool take_words(
	struct running *running, char *const *arguments, size_t count)
{
	struct word_said said = {.word = WORD_STATUS, .text = "status"};
	const char *wrong;

	running->stages = calloc(count + 1, sizeof(*running->stages));
	if (!running->stages) {
		ctl_say_complaint("out of memory", NULL);
		return false;
	}
	if (count == 0)
		return take_word(running, &said);
	while (count > 0) {
		wrong = words_next(&arguments, &count, &said);
		if (wrong)
			ctl_say_complaint(said.text, wrong);
		if (wrong || !take_word(running, &said))
			return false;
	}
	return true;
}

/* ---- logs ---- */

/* Of a process: what follows the directory of its capture. */
static void rotate(struct running *running)
{
	const struct targets *targets = &running->targets;
	const char *directory = targets->directory;
	char path[PATH_MAX];
	const char *why;
	char *slash;

	if (!directory) {
		snprintf(path, sizeof(path), "%s", targets->all[0].path);
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
		directory = slash ? path : ".";
	}
	why = follower_rotate(directory);
	if (why)
		running->left |= ctl_say_complaint(directory, why);
}

/* ---- showing ---- */

static void show_rules(struct running *running, const struct target *target)
{
	struct binlog_switches switches;
	size_t bytes = 0;
	char *text = NULL;

	if (pread(target->fd, &switches, sizeof(switches),
		    BINLOG_SWITCHES_OFFSET) == (ssize_t)sizeof(switches))
		text = rules_text_read(target->fd, &switches, &bytes);
	if (!text && errno != 0) {
		running->left |=
			ctl_say_complaint(target->label, strerror(errno));
		return;
	}
	if (running->targets.count > 1) {
		fputs("# ", stdout);
		ctl_say_put(stdout, target->label);
		putchar('\n');
	}
	ctl_say_lines(text, bytes);
	free(text);
}

/* That nobody runs is no failure of a directory. */
static void show_status(struct running *running)
{
	if (running->targets.count > 0)
		status_show(&running->targets, running->json);
	else if (!running->json)
		puts("nobody writes to a capture there: binlog-ctl list shows "
		     "what there is");
}

static void tell_copy(void *closure, const struct target *target,
	const char *path, uint64_t bytes, const char *why)
{
	struct running *running = closure;

	if (why) {
		running->left = true;
		ctl_say_complaint(path, why);
		return;
	}
	if (target) {
		ctl_say_put(stdout, target->label);
		fputs(": ", stdout);
	}
	printf("%" PRIu64 " bytes in ", bytes);
	ctl_say_put(stdout, path);
	putchar('\n');
}

static void obey(struct running *running, struct stage *stage)
{
	const struct targets *targets = &running->targets;
	size_t i;

	if (stage->changes.any) {
		switch_all(&running->switches, &stage->changes);
		return;
	}
	switch (stage->said.word) {
	case WORD_RELOAD:
		switch_all_reload(&running->switches);
		break;
	case WORD_ROTATE:
		rotate(running);
		break;
	case WORD_STATUS:
		show_status(running);
		break;
	case WORD_SNAPSHOT:
		snapshot_take(&(struct snapshot){
			.targets = targets,
			.out = stage->said.value,
			.tell = tell_copy,
			.closure = running,
		});
		break;
	case WORD_RULES:
		for (i = 0; i < targets->count; i++)
			show_rules(running, &targets->all[i]);
		break;
	default:
		break;
	}
}

/* ---- all together ---- */

/* Those that have ended can be copied. */
static bool wants_ended(const struct running *running)
{
	size_t i;

	for (i = 0; i < running->stage_count; i++)
		if (running->stages[i].said.word == WORD_SNAPSHOT)
			return true;
	return false;
}

/* Who only looks gives up the rest.  Null, or why he must not look. */
static const char *confine(const struct running *running)
{
	const struct sandbox_needs needs = {
		.needs = SANDBOX_PROCESSES | SANDBOX_SHARES};
	size_t i;

	for (i = 0; i < running->stage_count; i++) {
		const struct stage *stage = &running->stages[i];

		if (stage->changes.any ||
			(stage->said.word != WORD_STATUS &&
				stage->said.word != WORD_RULES))
			return NULL;
	}
	return sandbox_enter(&needs);
}

static enum exit_status obey_all(struct running *running)
{
	struct targets *targets = &running->targets;
	const char *wrong = confine(running);
	size_t i;

	if (wrong)
		return ctl_say_complaint(wrong, NULL);
	descriptors_raise_limit();
	running->switches.targets = targets;
	if (!targets_open(targets, running->place, wants_ended(running)))
		return ctl_say_complaint(targets->sentence, NULL);
	for (i = 0; i < running->stage_count; i++)
		obey(running, &running->stages[i]);
	running->left |= running->switches.left;
	return ctl_say_finish(running->left ? EXIT_LEFT : EXIT_DONE);
}

enum exit_status running_obey(
	const char *place, char *const *arguments, size_t count, bool json)
{
	struct running running = {
		.place = place,
		.switches = {.wait_ns = WAIT_NS},
		.json = json,
	};
	enum exit_status status = EXIT_NOTHING;
	size_t i;

	if (take_words(&running, arguments, count))
		status = obey_all(&running);
	targets_close(&running.targets);
	for (i = 0; i < running.stage_count; i++)
		changes_free(&running.stages[i].changes);
	free(running.stages);
	return status;
}
