#include "decoder/output/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "decoder/output/last_lines.h"
#include "decoder/output/options_apply.h"
#include "decoder/query/expression.h"
#include "decoder/query/lines_around.h"

static const char *report_options_fit(
	struct options *options, const char **option);
static bool report_options_show_lines(const struct options *options);

#define AROUND_DEFAULT 50u

const struct command_option options_table[OPTIONS_ROWS] = {
#define OPTION(number, text, sign, value, field, what)                         \
	[NUMBER_##number] = {.name = text,                                     \
		.letter = sign,                                                \
		.argument = value,                                             \
		.help = what},
#include "decoder/output/options.def"
#undef OPTION
};

/* In a section of --config; null: of the command line alone. */
static const char *const keys[OPTIONS_ROWS] = {
#define OPTION(number, text, sign, value, field, what)                         \
	[NUMBER_##number] = field,
#include "decoder/output/options.def"
#undef OPTION
};

static const char *set_flag(bool *flag, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return "neither yes nor no: give one of them";
	*flag = *value == 'y';
	return NULL;
}

const char *options_set(
	struct options *options, const char *key, const char *value)
{
	bool *flag;
	int i;

	for (i = 0; i < (int)OPTIONS_ROWS; i++)
		if (keys[i] && strcmp(keys[i], key) == 0)
			break;
	if (i == (int)OPTIONS_ROWS)
		return "no such key in a section [output]: see "
		       "binlog-show(1)";
	flag = options_apply_flag(options, i);
	return flag ? set_flag(flag, value) : options_apply(options, i, value);
}

static enum options_action complain(
	struct options *options, const char *what, const char *why)
{
	snprintf(options->problem, sizeof(options->problem), "%s: %s", what,
		why);
	return OPTIONS_WRONG;
}

/* Which stand for themselves, as lines do. */
static bool shows_entries(const struct options *options)
{
	return strcmp(options->style, "explain") == 0 ||
	       strcmp(options->style, "json") == 0 ||
	       strcmp(options->style, "msgpack") == 0;
}

/* Null, or what is wrong with *option: of those for lines. */
static const char *check_lines(
	const struct options *options, const char **option)
{
	bool line = strcmp(options->style, "line") == 0 ||
		    strcmp(options->style, "quickfix") == 0 ||
		    report_options_show_lines(options);
	bool timeline = strcmp(options->style, "timeline") == 0;

	*option = "--columns";
	if (options->columns.count > 0 && !timeline &&
		(!line || strcmp(options->style, "quickfix") == 0))
		return "lines have them: give --output=timeline, or leave "
		       "--output out";
	*option = "--location";
	if (options->location && (timeline || options->columns.count > 0))
		return "it is a column of its own: name it in --columns";
	*option = options->reverse  ? "--reverse"
		  : options->around ? "--around"
				    : "--lines";
	if ((options->reverse || options->around ||
		    options->lines != LAST_LINES_ALL) &&
		(options->as_written ||
			!(line || timeline ||
				strcmp(options->style, "raw") == 0 ||
				(shows_entries(options) && !options->around))))
		return "what is shown is not lines: leave it out";
	return NULL;
}

/* Likewise. */
static const char *check_bytes(
	const struct options *options, const char **option)
{
	*option = "--as-written";
	if (options->as_written && strcmp(options->style, "raw") != 0)
		return "orders the bytes of --raw: give both";
	if (options->as_written && filter_rules_ask_for_text(&options->rules))
		return "restores files, --grep and the like choose lines: "
		       "leave one out";
	return NULL;
}

/* Likewise: what is shown while programs go on. */
static const char *check_following(
	const struct options *options, const char **option)
{
	*option = "--follow";
	if (options->follow && options->reverse)
		return "shows the newest line last: leave out --reverse";
	if (options->follow && options->as_written)
		return "files are put together at the end: leave out "
		       "--as-written";
	*option = "--context";
	if (options->has_context && !options->around)
		return "there is nothing to show lines around: give --around";
	return NULL;
}

/* Likewise: of the pattern, whose lines have others around them. */
static const char *begin_around(struct options *options, const char **option)
{
	struct filter_rules *rules = &options->rules;
	uint32_t context =
		options->has_context ? options->context : AROUND_DEFAULT;

	*option = "--around";
	if (!options->around)
		return NULL;
	rules->around = lines_around_new(options->around, context,
		rules->problem, sizeof(rules->problem));
	return rules->around ? NULL : rules->problem;
}

static bool shows_spans(const char *style)
{
	static const char *const styles[] = {
		"spans", "chrome", "perfetto", "heph", "html"};
	size_t i;

	for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (strcmp(style, styles[i]) == 0)
			return true;
	return false;
}

/* Likewise. */
static const char *check_spans(
	const struct options *options, const char **option)
{
	bool lines = strcmp(options->style, "spans") == 0;
	bool named = options->spans.count > 0 || options->spans.took;

	*option = "--longest";
	if (options->longest > 0 && !named)
		return "chooses spans: say of what with --spans";
	if (options->longest > 0 && !lines)
		return "is for lines: leave out --output";
	*option = "--output=spans";
	if (lines && !named)
		return "no spans are named: say of what with --spans";
	*option = "--spans";
	if (named && !shows_spans(options->style))
		return "what is shown has no spans: leave out --output, or "
		       "give chrome, perfetto, heph or html";
	if (options->spans.took && strcmp(options->style, "html") == 0)
		return "took: the report has no such spans: leave out "
		       "--output, or give chrome or perfetto";
	return NULL;
}

bool options_fit(struct options *options)
{
	const char *option;
	const char *wrong =
		filter_rules_finish(&options->rules, options->utc, &option);

	if (!wrong)
		wrong = check_bytes(options, &option);
	if (!wrong)
		wrong = check_spans(options, &option);
	if (!wrong)
		wrong = report_options_fit(options, &option);
	if (!wrong)
		wrong = check_lines(options, &option);
	if (!wrong)
		wrong = check_following(options, &option);
	if (!wrong)
		wrong = begin_around(options, &option);
	if (wrong)
		complain(options, option, wrong);
	if (strcmp(options->style, "folded") == 0)
		options->stacks = true;
	if (strcmp(options->style, "quickfix") == 0)
		options->location = true;
	options->rules.named = options->pointers;
	options->rules.reworded = strcmp(options->style, "timeline") == 0;
	return !wrong;
}

static enum options_action check(struct options *options)
{
	const char *other = options->index     ? "--index"
			    : options->recover ? "--recover"
			    : options->diff    ? "--diff"
					       : NULL;

	if (strcmp(options->style, "help") == 0)
		return OPTIONS_STYLES;
	if (options->columns.help)
		return OPTIONS_COLUMNS;
	if (options->list_limits)
		return OPTIONS_LIMITS;
	limits_for_symbols(
		&options->symbols.memory_bytes, &options->symbols.seconds);
	if (!options_fit(options))
		return OPTIONS_WRONG;
	if (other &&
		(options->config || options->reverse ||
			options->lines != LAST_LINES_ALL || options->around ||
			options->follow || options->columns.count > 0))
		return complain(options, other,
			"shows no messages: leave out --config, --columns, "
			"--lines, --reverse, --around and --follow");
	if (other && (options->report || options->spans.count > 0 ||
			     options->spans.took))
		return complain(options, other,
			"shows neither numbers nor spans: leave out --stats, "
			"--spans and the like");
	if (options->to && (other || options->config))
		return complain(options, "--to",
			options->config ? "each section of --config says "
					  "where to: leave it out"
					: "is for messages: redirect standard "
					  "output instead");
	if (options->text_count > 0 && (other || options->follow))
		return complain(options, "--text",
			other ? "what was not recorded is read as messages "
				"alone: leave out --index, --diff and "
				"--recover"
			      : "what was not recorded cannot be followed: "
				"leave out --follow");
	if (options->strict && (other || options->follow))
		return complain(options, "--strict",
			"is for messages that are all there: leave out "
			"--follow, --index, --diff and --recover");
	if (options->index && options->path_count == 0)
		return complain(options, "--index",
			"no program is named: give its path");
	if (options->diff && options->path_count != 2)
		return complain(options, "--diff",
			"compares two runs: give the paths of both");
	return OPTIONS_SHOW;
}

struct parse {
	struct options *options;
	enum options_action action;
};

/* For command_line_read(). */
static const char *apply(void *closure, int option, const char *value)
{
	struct parse *parse = closure;

	if (option == NUMBER_HELP && value && strcmp(value, "all") != 0)
		return "it takes only \"all\": give --help=all";
	if (option == NUMBER_HELP)
		parse->action = value ? OPTIONS_HELP_ALL : OPTIONS_HELP;
	else if (option == NUMBER_VERSION)
		parse->action = OPTIONS_VERSION;
	else
		return options_apply(parse->options, option, value);
	return NULL;
}

enum options_action options_parse(
	struct options *options, int argc, char **argv)
{
	struct parse parse = {.options = options, .action = OPTIONS_SHOW};
	struct command_line line = {
		.command = "binlog-show",
		.options = options_table,
		.count = OPTIONS_ROWS,
		.apply = apply,
		.closure = &parse,
	};
	const char *wrong;

	*options = (struct options){
		.style = "line",
		.depth = SIZE_MAX,
		.lines = LAST_LINES_ALL,
		.width = OPTIONS_WIDTH_AUTO,
	};
	wrong = command_line_read(&line, argc, argv);
	options->paths = line.rest;
	options->path_count = line.rest_count;
	if (wrong) {
		snprintf(options->problem, sizeof(options->problem), "%s",
			wrong);
		return OPTIONS_WRONG;
	}
	return parse.action == OPTIONS_SHOW ? check(options) : parse.action;
}

void options_help(char *buffer, size_t size)
{
	command_line_help(options_table, OPTIONS_ROWS, buffer, size);
}

/* In other words than those of the whole list, which are too long. */
static const struct {
	int option;
	const char *help;
} most_used[] = {
	{NUMBER_FOLLOW, "the last lines, and what is said from now on"},
	{NUMBER_LINES, "only the last N lines"},
	{NUMBER_REVERSE, "the newest line first"},
	{NUMBER_GREP, "only lines that match this regular expression"},
	{NUMBER_WHERE, "only where true of the arguments: 'size > 4096'"},
	{NUMBER_SINCE, "only from then on: 17:00, yesterday, -5min..."},
	{NUMBER_UNTIL, "only up to then"},
	{NUMBER_PRIORITY, "only what is so important: err, warning..."},
	{NUMBER_STREAM, "only this: stdout, stderr, syslog, file:GLOB"},
	{NUMBER_LOCATION, "before each message its source file and line"},
	{NUMBER_STACKS, "below each message the functions that led to it"},
	{NUMBER_COLUMNS, "these columns; --columns=help lists them"},
	{NUMBER_RAW, "the bytes that the programs said, nothing else"},
	{NUMBER_STATS, "the places that print, the busiest first"},
	{NUMBER_VALUES, "an argument in numbers: least, mean, most..."},
	{NUMBER_SPANS, "time from one message to another: 'A* => B*'"},
	{NUMBER_PROCESSES, "the processes as a tree, and how each ended"},
	{NUMBER_OUTPUT, "another style; --output=help lists them"},
	{NUMBER_TO, "write to this file, not to standard output"},
};

#define MOST_USED (sizeof(most_used) / sizeof(most_used[0]))

void options_help_most_used(char *buffer, size_t size)
{
	struct command_option options[MOST_USED];
	size_t i;

	for (i = 0; i < MOST_USED; i++) {
		options[i] = options_table[most_used[i].option];
		options[i].help = most_used[i].help;
	}
	command_line_help(options, MOST_USED, buffer, size);
}

/*
 * The options of the styles that show numbers: which style it is, of which
 * argument, how much of it.  Called by the command line.
 */

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
	{"anomalies", NUMBER_ANOMALIES, false, false},
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

/* Whether the style shows messages as lines. */
static bool report_options_show_lines(const struct options *options)
{
	const struct report *report = report_of(options);

	return report && report->shows_lines;
}

/* What --lines says is meant of rows. */
/* When all are set: null, or what is wrong with *option. */
static const char *report_options_fit(
	struct options *options, const char **option)
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
