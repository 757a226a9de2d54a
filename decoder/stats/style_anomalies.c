#include <errno.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/json_text.h"
#include "decoder/output/text_cut.h"
#include "decoder/output/last_lines.h"
#include "decoder/output/short_time.h"
#include "decoder/output/style.h"
#include "decoder/stats/anomalies.h"
#include "decoder/stats/number_rows.h"
#include "rules/levels.h"

#define SHOWN_DEFAULT 20u
#define INDENT 4 /* columns */

static const struct number_rows_column columns[] = {
	{"KIND", "kind", false},
	{"LEVEL", "level", false},
	{"FROM", "from", false},
	{"TO", "to", false},
	{"TIMES", "times", true},
	{"OTHERS", "others", true},
	{"WHY", "why", false},
	{"AT", "at", false},
	{"FORMAT", "format", false},
	{NULL, NULL, false},
};

struct unusual {
	struct style_settings settings;
	struct anomalies anomalies;
	struct short_time times;
};

void *style_anomalies_begin(const struct style_settings *settings)
{
	struct unusual *unusual = calloc(1, sizeof(*unusual));

	if (!unusual)
		return NULL;
	unusual->settings = *settings;
	short_time_begin(
		&unusual->times, settings->utc, settings->output->width > 0);
	anomalies_begin(&unusual->anomalies, settings->location);
	return unusual;
}

void style_anomalies_message(void *state, const struct message *message)
{
	struct unusual *unusual = state;

	anomalies_message(&unusual->anomalies, message);
}

/* As it stands behind --since and --until. */
static void put_time(struct unusual *unusual, uint64_t wall)
{
	short_time_put(&unusual->times, wall, &unusual->settings.output->text);
}

static void put_others(struct render_buffer *out, size_t others)
{
	if (others == 0)
		return;
	render_buffer_put_string(out, "; so it is with ");
	render_buffer_put_number(out, others);
	render_buffer_put_string(
		out, others == 1 ? " other statement" : " other statements");
}

/*
 * The statement as a line has it, and below it what is unusual.  On a terminal
 * the one is cut where that ends, the other goes on below.
 */
static void put_text(struct unusual *unusual, const struct anomaly *found)
{
	struct render_buffer *out = &unusual->settings.output->text;
	const unsigned width = unusual->settings.output->width;
	size_t from = out->length;

	put_time(unusual, found->from);
	render_buffer_put_byte(out, ' ');
	render_buffer_put_string(out, level_name(found->site->level));
	render_buffer_put_byte(out, ' ');
	message_sites_put_location(&found->site->site, out);
	render_buffer_put_byte(out, ' ');
	message_sites_put_format_to_cut(&found->site->site, width, out);
	text_cut_lines(out, from, width);
	render_buffer_put_byte(out, '\n');
	from = out->length;
	render_buffer_fill(out, ' ', INDENT);
	render_buffer_put_string(out, found->kind);
	if (found->to > found->from) {
		render_buffer_put_string(out, " until ");
		put_time(unusual, found->to);
	}
	render_buffer_put_string(out, ": ");
	escape_put(out, found->why, strlen(found->why), ESCAPE_NEWLINE);
	put_others(out, found->others);
	text_cut_wrap(out, from, width, INDENT);
	render_buffer_put_byte(out, '\n');
	output_settle(unusual->settings.output);
}

static void put_json(struct number_rows *rows, const struct anomaly *found)
{
	number_rows_word(rows, found->kind);
	number_rows_word(rows, level_name(found->site->level));
	number_rows_count(rows, found->from);
	number_rows_count(rows, found->to);
	number_rows_number(rows, number_text_rounded(found->times));
	number_rows_count(rows, found->others);
	number_rows_word(rows, found->why);
	number_rows_site(rows, &found->site->site);
}

/* In words how much of it is shown. */
static void put_end(struct unusual *unusual, size_t shown)
{
	struct render_buffer *out = &unusual->settings.output->text;
	const struct anomalies *anomalies = &unusual->anomalies;

	if (anomalies->count > shown) {
		render_buffer_put_string(out, "and ");
		render_buffer_put_number(out, anomalies->count - shown);
		render_buffer_put_string(
			out, " more: --lines=all shows them\n");
	}
	if (anomalies->count > 0)
		return;
	render_buffer_put_string(out, "nothing unusual in ");
	render_buffer_put_number(out, anomalies->messages);
	render_buffer_put_string(out,
		anomalies->messages == 1 ? " message of " : " messages of ");
	render_buffer_put_number(out, anomalies->statement_count);
	render_buffer_put_string(out, anomalies->statement_count == 1
					      ? " statement\n"
					      : " statements\n");
}

static size_t shown_of(const struct unusual *unusual)
{
	const struct options *options = unusual->settings.options;
	size_t most = options->rows;

	if (options->rows == LAST_LINES_ALL)
		most = options->all_lines || options->json ? SIZE_MAX
							   : SHOWN_DEFAULT;
	return unusual->anomalies.count < most ? unusual->anomalies.count
					       : most;
}

void style_anomalies_end(void *state)
{
	struct unusual *unusual = state;
	struct anomalies *anomalies = &unusual->anomalies;
	struct output *output = unusual->settings.output;
	bool json = unusual->settings.options->json;
	struct number_rows rows;
	size_t shown;
	size_t i;

	anomalies_find(anomalies);
	shown = shown_of(unusual);
	number_rows_begin(&rows, columns, output, true);
	for (i = 0; i < shown; i++)
		if (json)
			put_json(&rows, &anomalies->found[i]);
		else
			put_text(unusual, &anomalies->found[i]);
	number_rows_end(&rows);
	if (!json)
		put_end(unusual, shown);
	if ((anomalies->failed || anomalies->pool.failed ||
		    anomalies->tracks.failed ||
		    anomalies->sites.table.failed) &&
		output->failed == 0)
		output->failed = ENOMEM;
	anomalies_end(anomalies);
	free(unusual);
}
