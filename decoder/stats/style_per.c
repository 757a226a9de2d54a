#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "decoder/output/last_lines.h"
#include "decoder/output/style.h"
#include "decoder/query/batch_fold.h"
#include "decoder/stats/number_rows.h"
#include "decoder/stats/time_bars.h"

#define ROWS_DEFAULT 50u

static const struct number_rows_column columns[] = {
	{"FROM", "from", false},
	{"MESSAGES", "messages", true},
	{"", NULL, false},
	{NULL, NULL, false},
};
static const struct number_rows_column json_columns[] = {
	{"", "from", true},
	{"", "messages", true},
	{NULL, NULL, false},
};

struct per {
	struct style_settings settings;
	struct batch_fold fold;
	struct time_bars bars;
	struct calendar calendar;
};

static void take(void *closure, const struct batch_rows *rows)
{
	struct per *per = closure;
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (batch_fold_has(rows, i))
			time_bars_add(&per->bars, rows->times[i]);
}

void *style_per_begin(const struct style_settings *settings)
{
	struct per *per = calloc(1, sizeof(*per));

	if (!per)
		return NULL;
	per->settings = *settings;
	per->calendar.utc = settings->utc;
	time_bars_begin(&per->bars, settings->options->interval);
	per->fold = (struct batch_fold){
		.take = take, .closure = per, .timed = true};
	if (settings->batches)
		settings->batches->fold = &per->fold;
	return per;
}

void style_per_message(void *state, const struct message *message)
{
	struct per *per = state;

	if (!message_is_event(message) && !message->continues)
		time_bars_add(&per->bars, message->wall);
}

static void put_time(struct per *per, struct number_rows *rows, uint64_t time)
{
	struct render_buffer text = {0};

	if (rows->json) {
		number_rows_count(rows, time);
		return;
	}
	calendar_append(&per->calendar, time, &text);
	render_buffer_put_byte(&text, '\0');
	number_rows_word(rows, text.failed ? "" : text.data);
	render_buffer_free(&text);
}

static uint64_t highest(const struct time_bars *bars)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < TIME_BARS_MAX; i++)
		if (bars->counts[i] > most)
			most = bars->counts[i];
	return most;
}

static void put_all(struct per *per)
{
	const struct time_bars *bars = &per->bars;
	bool json = per->settings.options->json;
	uint64_t most = highest(bars);
	struct number_rows rows;
	uint64_t place;

	number_rows_begin(&rows, json ? json_columns : columns,
		per->settings.output, json);
	for (place = bars->first; bars->any; place++) {
		uint64_t count = bars->counts[place % TIME_BARS_MAX];

		put_time(per, &rows, place * bars->length);
		number_rows_count(&rows, count);
		number_rows_bar(&rows, count, most);
		if (place == bars->last)
			break;
	}
	number_rows_end(&rows);
}

void style_per_end(void *state)
{
	struct per *per = state;
	uint32_t rows = per->settings.options->rows;
	struct output *output = per->settings.output;

	time_bars_settle(&per->bars,
		rows == LAST_LINES_ALL || rows == 0 ? ROWS_DEFAULT : rows);
	if (per->bars.failed) {
		output->failed = EINVAL;
		snprintf(output->problem, sizeof(output->problem),
			"--per: too many stretches: there are more than %u of "
			"this length: give a longer one, or auto",
			(unsigned)TIME_BARS_MAX);
	} else {
		put_all(per);
	}
	free(per);
}
