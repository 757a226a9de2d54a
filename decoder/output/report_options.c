#include "decoder/output/report_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/output/last_lines.h"
#include "decoder/output/options_apply.h"
#include "decoder/query/expression.h"

#define DAY 86400u
#define NS 1000000000u

/* The style that an option chooses. */
static const struct report {
	const char *style;
	int option;
	bool of_argument;
	bool shows_lines;
} reports[] = {
	{"count", NUMBER_COUNT, false, false},
	{"stats", NUMBER_STATS, false, false},
	{"values", NUMBER_VALUES, true, false},
	{"histogram", NUMBER_HISTOGRAM, true, false},
	{"rcdf", NUMBER_RCDF, true, false},
	{"per", NUMBER_PER, false, false},
	{"intervals", NUMBER_INTERVALS, false, false},
	{"largest", NUMBER_LARGEST, true, true},
	{"smallest", NUMBER_SMALLEST, true, true},
};

#define REPORTS (sizeof(reports) / sizeof(reports[0]))

static const struct report *report_of(const struct options *options)
{
	size_t i;

	for (i = 0; i < REPORTS; i++)
		if (strcmp(options->style, reports[i].style) == 0)
			return &reports[i];
	return NULL;
}

/* Null, or what is wrong: as `10ms`. */
static const char *parse_interval(struct options *options, const char *value)
{
	static const struct {
		const char *text;
		uint64_t nanoseconds;
	} units[] = {
		{"ns", 1},
		{"us", 1000},
		{"ms", 1000000},
		{"s", NS},
		{"min", (uint64_t)60 * NS},
		{"h", (uint64_t)3600 * NS},
		{"d", (uint64_t)DAY * NS},
	};
	char *unit;
	unsigned long number = strtoul(value, &unit, 10);
	size_t i;

	options->interval = 0;
	if (strcmp(value, "auto") == 0)
		return NULL;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].text) == 0 &&
			number <= UINT64_MAX / units[i].nanoseconds &&
			isdigit((unsigned char)*value))
			options->interval = number * units[i].nanoseconds;
	return options->interval > 0
		       ? NULL
		       : "not an interval: give a number and ns, us, ms, s, "
			 "min, h or d, as 10ms; or auto";
}

static const char *choose(
	struct options *options, const struct report *report, const char *value)
{
	if (options->report && strcmp(options->report, report->style) != 0)
		return "one of --count, --stats, --values and the like is "
		       "shown at a time: leave one out";
	options->report = options->style = report->style;
	if (report->option == NUMBER_PER)
		return parse_interval(options, value);
	if (report->of_argument)
		options->argument = value;
	return report->of_argument ? named_field_check(value) : NULL;
}

bool report_options_apply(struct options *options, int option,
	const char *value, const char **wrong)
{
	size_t i;

	for (i = 0; i < REPORTS; i++) {
		if (reports[i].option != option)
			continue;
		*wrong = choose(options, &reports[i], value);
		return true;
	}
	if (option != NUMBER_JSON)
		return false;
	options->json = true;
	*wrong = NULL;
	return true;
}

bool report_options_show_lines(const struct options *options)
{
	const struct report *report = report_of(options);

	return report && report->shows_lines;
}

/* What --lines says is meant of rows. */
const char *report_options_fit(struct options *options, const char **option)
{
	const struct report *report = report_of(options);

	*option = "--json";
	if (options->json && (!report || report->shows_lines))
		return "is for numbers, as of --stats: for messages give "
		       "--output=json";
	if (!report)
		return NULL;
	*option = "--output";
	if (report->of_argument && !options->argument)
		return "it shows an argument: give the option of the same "
		       "name, as --values=NAME";
	*option = "--follow";
	if (options->follow)
		return "numbers are shown at the end: leave it out";
	*option = "--reverse";
	if (options->reverse)
		return "numbers have an order of their own: leave it out";
	options->rows = options->lines;
	options->lines = LAST_LINES_ALL;
	return NULL;
}
