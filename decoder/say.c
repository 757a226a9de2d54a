#include "decoder/say.h"

#include <stdio.h>

#include "decoder/calendar.h"
#include "decoder/places.h"
#include "decoder/recording_ring.h"
#include "decoder/ring_time.h"

/* More windows of a ring are counted. */
#define WINDOWS_SAID 8u
#define NS 1e9

void say_errors(const struct error_list *errors)
{
	char sentence[4608];
	size_t more = errors->more;
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		error_sentence(&errors->kept[i], sentence, sizeof(sentence));
		fprintf(stderr, "%s\n", sentence);
	}
	more += errors->count - i;
	if (more > 0)
		fprintf(stderr, "and %zu more of this kind\n", more);
}

void say_complaints(const struct places *places)
{
	const char *sentence;
	size_t i;

	for (i = 0; places && (sentence = places_complaint(places, i)); i++)
		fprintf(stderr, "%s\n", sentence);
}

static void say_window(
	const struct recording *capture, const struct binlog_ring_window *window)
{
	static const char *const causes[] = {
		[BINLOG_CAUSE_RULE] = "a rule",
		[BINLOG_CAUSE_CONTROL] = "binlog-ctl",
		[BINLOG_CAUSE_SIGNAL] = "a signal",
		[BINLOG_CAUSE_EXIT] = "an exit status",
	};
	const char *cause = "something";
	char date[CALENDAR_BYTES];

	if (window->cause < sizeof(causes) / sizeof(*causes) &&
		causes[window->cause])
		cause = causes[window->cause];
	calendar_put(date,
		ring_time_wall(capture, window->at) / (uint64_t)NS, false);
	fprintf(stderr, "%s: %s kept what was said around %s\n",
		capture->path, cause, date);
}

static void say_ring(const struct recording *capture)
{
	const struct recording_ring *ring = capture->ring;
	uint64_t span = ring_time_span(capture);
	size_t i;

	if (span != UINT64_MAX && (!ring->head.waits || ring->all))
		fprintf(stderr,
			"%s: the ring holds the last %.3g s: %.4g MB of what "
			"was said before were overwritten\n",
			capture->path, (double)span / NS,
			(double)ring->head.overwritten / 1e6);
	for (i = 0; i < ring->window_count && i < WINDOWS_SAID; i++)
		say_window(capture, &ring->windows[i]);
	if (ring->window_count > WINDOWS_SAID)
		fprintf(stderr, "%s: and %zu times more\n", capture->path,
			ring->window_count - WINDOWS_SAID);
}

void say_rings(const struct capture_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->captures[i]->ring)
			say_ring(list->captures[i]);
}
