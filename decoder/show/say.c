#include "decoder/show/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/names/locations.h"
#include "decoder/output/output.h"

/* More windows of a ring are counted. */
#define WINDOWS_SAID 8u
/* Longer rules are cut. */
#define RULE_SAID 240u
#define NS 1e9
#define MS 1e6

/* Whether it was said with one before it. */
static bool was_said(const struct error_list *errors, size_t number)
{
	size_t i;

	for (i = 0; i < number; i++)
		if (error_is_same_cause(
			    &errors->kept[i], &errors->kept[number]))
			return true;
	return false;
}

/* Files that gave nothing for one reason are one sentence. */
static void say_error(
	const struct error_list *errors, size_t kept, size_t number)
{
	const struct error *error = &errors->kept[number];
	size_t others = error->others;
	char sentence[4608];
	size_t i;

	for (i = number + 1; i < kept; i++)
		others += error_is_same_cause(error, &errors->kept[i]);
	error_sentence_of_several(error, others, sentence, sizeof(sentence));
	sentence_say("%s", sentence);
}

void say_errors(const struct error_list *errors)
{
	size_t more = errors->more + errors->count;
	size_t kept = errors->count < ERROR_KEPT_MAX ? errors->count
						     : ERROR_KEPT_MAX;
	size_t i;

	for (i = 0; i < kept; i++) {
		more -= 1 + errors->kept[i].others;
		if (!was_said(errors, i))
			say_error(errors, kept, i);
	}
	if (more > 0)
		sentence_say("and %zu more of this kind", more);
	say_limits();
}

void say_limits(void)
{
	char sentence[4608];

	while (limits_tell(sentence, sizeof(sentence)))
		sentence_say("%s", sentence);
}

void say_complaints(const struct locations *locations)
{
	const char *sentence;
	size_t i;

	for (i = 0; locations && (sentence = locations_complaint(locations, i));
		i++)
		sentence_say("%s", sentence);
}

/* The text of the rule, as it stands in the capture; empty: there is none. */
static void read_rule(struct recording *capture,
	const struct binlog_ring_window *window, char text[RULE_SAID + 1])
{
	size_t size =
		window->rule_bytes < RULE_SAID ? window->rule_bytes : RULE_SAID;

	*text = '\0';
	if (window->rule_at < capture->size &&
		capture->size - window->rule_at >= size &&
		recording_read(capture, window->rule_at, text, size) == size)
		text[size] = '\0';
}

static void say_window(
	struct recording *capture, const struct binlog_ring_window *window)
{
	static const char *const causes[] = {
		[BINLOG_CAUSE_RULE] = "a rule",
		[BINLOG_CAUSE_CONTROL] = "binlog-ctl",
		[BINLOG_CAUSE_SIGNAL] = "a signal",
		[BINLOG_CAUSE_EXIT] = "an exit status",
	};
	const char *cause = "something";
	char rule[RULE_SAID + 1];
	char latency[48] = "";
	char date[CALENDAR_BYTES];

	read_rule(capture, window, rule);
	if (window->cause < sizeof(causes) / sizeof(*causes) &&
		causes[window->cause])
		cause = causes[window->cause];
	calendar_put(date, ring_time_wall(capture, window->at) / (uint64_t)NS,
		false);
	if (window->latency)
		snprintf(latency, sizeof(latency), ", %.6g ms after the mark",
			(double)window->latency / MS);
	sentence_say("%s: %s kept what was said around %s%s%s%s%s",
		capture->path, cause, date, latency, *rule ? ": " : "", rule,
		*rule && window->rule_bytes > RULE_SAID ? "..." : "");
}

/* A window that reaches further back than the ring did when it was opened. */
static void say_lack(const struct recording *capture,
	const struct binlog_ring_window *window)
{
	const struct binlog_ring *ring = &capture->ring->head;
	char date[CALENDAR_BYTES];

	if (ring->overwritten == 0 || ring->lost_until < window->from ||
		ring->lost_until > window->at)
		return;
	calendar_put(date,
		ring_time_wall(capture, ring->lost_until) / (uint64_t)NS,
		false);
	sentence_say("%s: what was said before %s had been overwritten by then",
		capture->path, date);
}

static void say_ring(struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;
	uint64_t span = ring_time_span(capture);
	size_t i;

	if (span != UINT64_MAX && (!ring->head.waits || ring->all))
		sentence_say("%s: the ring holds the last %.3g s: %.4g MB of "
			     "what was said before were overwritten",
			capture->path, (double)span / NS,
			(double)ring->head.overwritten / 1e6);
	for (i = 0; i < ring->window_count && i < WINDOWS_SAID; i++) {
		say_window(capture, &ring->windows[i]);
		say_lack(capture, &ring->windows[i]);
	}
	if (ring->window_count > WINDOWS_SAID)
		sentence_say("%s: and %zu times more", capture->path,
			ring->window_count - WINDOWS_SAID);
}

void say_rings(const struct capture_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->captures[i]->ring)
			say_ring(list->captures[i]);
}

void say_refusals(const struct capture_list *list)
{
	static const char *const reasons[] = {
		[BINLOG_SPILL_QUOTA] = "BINLOG_QUOTA leaves no room for one: "
				       "raise it, or pack and remove some",
		[BINLOG_SPILL_DISK] = "the disk has no room for one",
		[BINLOG_SPILL_OTHER] = "it could not be made beside this one",
	};
	size_t i;

	for (i = 0; i < list->count; i++) {
		uint32_t why = list->captures[i]->spill.refused;

		if (list->captures[i]->passed > 0 && why > 0 &&
			why < sizeof(reasons) / sizeof(*reasons))
			sentence_say("%s: it was full, and no other one was "
				     "begun%s: %s",
				list->captures[i]->path,
				list->captures[i]->spill.left > 0
					? " for a while"
					: "",
				reasons[why]);
	}
}

bool say_output(const struct output *output)
{
	if (output->failed == 0 || output->failed == EPIPE)
		return false;
	if (*output->problem) {
		sentence_say("%s", output->problem);
		return true;
	}
	sentence_say("%s: not written: %s: make room or choose another place",
		output->where ? output->where : "standard output",
		strerror(output->failed));
	return true;
}
