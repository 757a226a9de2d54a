#include "tools/top/top_switch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/live/changes.h"
#include "tools/live/control_file.h"
#include "tools/live/switching.h"

/* A program that logs makes its next call soon; one that sleeps does not. */
#define WAIT_NS 100000000u
#define LOOK_US 1000

struct outcome {
	unsigned applied;
	unsigned later; /* at the next call */
	unsigned refused;
	const char *why;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void switch_one(const struct target *target,
	const struct changes *changes, uint64_t until, struct outcome *sum)
{
	struct switching switching;
	enum switching_outcome outcome =
		switching_begin(&switching, target, changes);

	if (outcome != SWITCHING_DONE) {
		sum->refused++;
		sum->why = switching_why(outcome) ? switching_why(outcome)
						  : strerror(errno);
		switching_end(&switching);
		return;
	}
	while (!switching_is_applied(&switching) && now() < until)
		usleep(LOOK_US);
	if (switching_is_applied(&switching))
		sum->applied++;
	else
		sum->later++;
	switching_end(&switching);
}

static void tell(const struct outcome *sum, const char *what, char *sentence,
	size_t size)
{
	int used = snprintf(
		sentence, size, "%s: in force in %u", what, sum->applied);

	if (sum->later > 0)
		used += snprintf(sentence + used, size - (size_t)used,
			", at the next call in %u", sum->later);
	if (sum->refused > 0)
		snprintf(sentence + used, size - (size_t)used,
			"; not in %u: %s", sum->refused, sum->why);
}

void top_switch(const struct top_captures *captures, enum word word,
	const char *value, char *sentence, size_t size)
{
	const struct word_said said = {
		.word = word, .text = value ? value : "", .value = value};
	const char *directory = captures->targets.directory;
	uint64_t until = now() + WAIT_NS;
	struct changes changes = {0};
	struct outcome sum = {0};
	const char *why = NULL;
	char what[160];
	size_t i;

	if (!changes_take(&changes, &said)) {
		snprintf(sentence, size, "%s", changes.sentence);
		changes_free(&changes);
		return;
	}
	if (directory)
		why = control_file_merge(directory, &changes);
	for (i = 0; i < captures->count; i++)
		if (captures->all[i]->target.in_use)
			switch_one(&captures->all[i]->target, &changes, until,
				&sum);
	snprintf(what, sizeof(what), "%s%s%s",
		word == WORD_LEVEL ? "level " : "",
		word == WORD_LEVEL ? value
		: word == WORD_OFF ? "off"
				   : "on",
		why ? " (not for what starts later)" : "");
	tell(&sum, what, sentence, size);
	changes_free(&changes);
}
