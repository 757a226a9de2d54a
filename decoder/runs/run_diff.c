#include "decoder/runs/run_diff.h"

#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/digits.h"
#include "base/escape.h"
#include "decoder/query/filter.h"
#include "decoder/source/source.h"

/* One that was asked for; null: that was all. */
static const struct message *next(
	const struct run_diff *diff, struct source *source)
{
	const struct message *message;

	while ((message = source_next(source)))
		if (!message_is_event(message) && !message->continues &&
			filter_wants(&diff->options->rules, message) &&
			filter_selects(&diff->options->rules, message))
			break;
	return message;
}

/* Clocks may be set back. */
static void add(struct run_total *run, const struct message *message)
{
	run->messages++;
	if (run->first == 0 || message->wall < run->first)
		run->first = message->wall;
	if (message->wall > run->last)
		run->last = message->wall;
}

void run_diff_read(struct run_diff *diff, struct source *source, int run)
{
	const struct message *message;

	run_roles_begin(&diff->roles, run);
	while ((message = next(diff, source))) {
		const struct run_site *site =
			run_sites_add(&diff->sites, message, run);

		add(&diff->runs[run], message);
		if (site)
			run_roles_add(&diff->roles,
				run_roles_find(&diff->roles, message),
				site->number);
	}
}

void run_diff_compare(struct run_diff *diff)
{
	run_roles_finish(&diff->roles);
	diff->difference = run_roles_first_difference(&diff->roles);
}

static void put_number(struct render_buffer *out, char before, uint32_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put_byte(out, before);
	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}

static void put_line(struct run_diff *diff, struct calendar *calendar,
	const struct message *message, struct render_buffer *out)
{
	struct render_buffer text = {0};
	const char *name = message->program->name;

	message_text(message, &text);
	if (text.length > 0 && text.data[text.length - 1] == '\n')
		text.length--;
	calendar_append(calendar, message->wall, out);
	render_buffer_put_byte(out, ' ');
	escape_put(out, name, strlen(name), ESCAPE_NEWLINE);
	put_number(out, '[', message->pid);
	put_number(out, ':', message->tid);
	render_buffer_put(out, "]: ", 3);
	escape_put(out, text.data, text.length, ESCAPE_NEWLINE);
	render_buffer_put_byte(out, '\n');
	diff->sites.failed |= text.failed || out->failed;
	render_buffer_free(&text);
}

void run_diff_read_lines(struct run_diff *diff, struct source *source, int run)
{
	const struct run_role *role = diff->difference;
	struct run_lines *lines = &diff->lines[run];
	struct calendar calendar = {.utc = diff->options->utc};
	const struct message *message;
	uint64_t at = 0;

	run_roles_begin(&diff->roles, run);
	while (role && at < role->at + RUN_DIFF_AFTER &&
		(message = next(diff, source))) {
		if (run_roles_find(&diff->roles, message) != role)
			continue;
		if (at + RUN_DIFF_BEFORE >= role->at) {
			put_line(diff, &calendar, message, &lines->text);
			lines->same += at < role->at;
			lines->count++;
		}
		at++;
	}
}

bool run_diff_is_whole(const struct run_diff *diff)
{
	return !diff->sites.failed && !diff->roles.failed;
}

void run_diff_free(struct run_diff *diff)
{
	run_sites_free(&diff->sites);
	run_roles_free(&diff->roles);
	render_buffer_free(&diff->lines[0].text);
	render_buffer_free(&diff->lines[1].text);
}

/*
 * When two numbers of two runs differ so much that it should be said.  Asked
 * by run_report.c.
 */

/* By so much it is more, or less. */
#define FACTOR 1.5

/* Fewer values say nothing of how far they reach. */
#define VALUES_MIN 10

/* So many times wider than before is far beyond it. */
#define FAR 10

/* Of two, the one that says less; 0 if they do not agree. */
static double lesser(double a, double b)
{
	if ((a > 0) != (b > 0))
		return 0;
	return fabs(a) < fabs(b) ? a : b;
}

static double greater(double a, double b)
{
	return fabs(a) > fabs(b) ? a : b;
}

/* What comes and goes by chance differs by about its root. */
static bool is_chance(double calls, double expected)
{
	return fabs(calls - expected) <= 2 * sqrt(fmax(calls, expected));
}

double run_change_of_calls(const struct run_change_calls *of)
{
	double a = (double)of->calls[0];
	double b = (double)of->calls[1];
	double others_a = (double)(of->all[0] - of->calls[0]);
	double others_b = (double)(of->all[1] - of->calls[1]);
	double number = log(b / a);
	double rate = log(b / of->seconds[1] / (a / of->seconds[0]));
	double change = lesser(number, rate);
	double expected = a;

	if (others_a > 0 && others_b > 0) {
		double share = log(b / others_b / (a / others_a));

		change = greater(lesser(share, number), lesser(share, rate));
		expected = a * others_b / others_a;
	}
	return fabs(change) < log(FACTOR) || is_chance(b, expected) ? 0
								    : change;
}

static double deviation(const struct run_range *range)
{
	return sqrt(range->squares / (double)range->count);
}

static bool is_wider(const struct run_range *a, const struct run_range *b)
{
	double before = a->most - a->least;

	return before > 0 && b->most - b->least > FAR * before;
}

bool run_change_of_values(const struct run_range *a, const struct run_range *b)
{
	double spread;

	if (a->count == 0 || b->count == 0)
		return false;
	if (a->most < b->least || b->most < a->least)
		return true;
	spread = fmax(deviation(a), deviation(b));
	if (fabs(a->mean - b->mean) > 2 * spread)
		return true;
	return a->count >= VALUES_MIN && b->count >= VALUES_MIN &&
	       (is_wider(a, b) || is_wider(b, a));
}
