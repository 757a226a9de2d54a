#include "decoder/show/show_diff.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/literal.h"
#include "decoder/output/text_cut.h"
#include "decoder/capture/restore.h"
#include "decoder/output/output.h"
#include "decoder/output/table.h"
#include "decoder/runs/run_diff.h"
#include "decoder/show/outputs.h"
#include "decoder/show/say.h"
#include "decoder/source/capture_list.h"
#include "decoder/source/source.h"
#include "decoder/statements/statements.h"

/*
 * What two runs differ in, for people: places that appeared, vanished, or say
 * clearly more or less; arguments with clearly other values; the first
 * difference of a thread.  Called by show_diff.c.
 */

#define NS 1000000000u
#define FORMAT_SHOWN 60u
#define MARK_COLUMNS 2 /* before lines of a difference */

static const struct table_column columns[] = {
	{"", false},
	{"CALLS", true},
	{"THEN", true},
	{"PER SECOND", true},
	{"THEN", true},
	{"AT", false},
	{"FORMAT", false},
	{NULL, false},
};

static const struct table_column argument_columns[] = {
	{"ARGUMENT", false},
	{"MIN", true},
	{"MEAN", true},
	{"MAX", true},
	{"THEN MIN", true},
	{"MEAN", true},
	{"MAX", true},
	{"FORMAT", false},
	{NULL, false},
};

/* What a narrow terminal does without first: rates, and least and most. */
static const unsigned char expendable[] = {3, 4, TABLE_COLUMNS_MAX};
static const unsigned char argument_expendable[] = {
	1, 4, 3, 6, TABLE_COLUMNS_MAX};

enum kind {
	APPEARED,
	VANISHED,
	MORE_OR_LESS,
};

/* A site, or one of the functions in which it is. */
struct row {
	enum kind kind;
	double much; /* what comes first */
	const struct run_site *site;
	const struct run_caller *caller; /* null: all, or not known */
	const uint64_t *calls;
};

struct report {
	const struct run_diff *diff;
	struct output *output;
	struct row *rows;
	size_t count;
	size_t room;
	size_t same; /* places that have not changed */
	bool failed;
};

static void put_escaped(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

static double seconds_of(const struct run_total *run)
{
	double seconds = (double)(run->last - run->first) / NS;

	return seconds > 1 ? seconds : 1;
}

/* False: it says as much as before. */
static bool report_judge(const struct run_diff *diff, struct row *row)
{
	const uint64_t *calls = row->calls;
	const struct run_change_calls change = {
		.calls = {calls[0], calls[1]},
		.all = {diff->runs[0].messages, diff->runs[1].messages},
		.seconds = {seconds_of(&diff->runs[0]),
			seconds_of(&diff->runs[1])},
	};

	if (calls[0] == 0 || calls[1] == 0) {
		row->kind = calls[0] == 0 ? APPEARED : VANISHED;
		row->much = (double)(calls[0] + calls[1]);
		return true;
	}
	row->kind = MORE_OR_LESS;
	row->much = fabs(run_change_of_calls(&change));
	return row->much > 0;
}

static void add(struct report *report, struct row row)
{
	if (!report_judge(report->diff, &row)) {
		report->same++;
		return;
	}
	if (!array_reserve(report->rows, report->room, report->count + 1)) {
		report->failed = true;
		return;
	}
	report->rows[report->count++] = row;
}

static void add_site(struct report *report, const struct run_site *site)
{
	const struct run_caller *caller;
	bool both = site->calls[0] > 0 && site->calls[1] > 0;

	if (both && !run_sites_knows_callers(site)) {
		add(report, (struct row){.site = site, .calls = site->calls});
		return;
	}
	for (caller = site->callers; caller; caller = caller->next)
		add(report, (struct row){.site = site,
				    .caller = caller,
				    .calls = caller->calls});
}

static int report_compare(const void *left, const void *right)
{
	const struct row *a = left;
	const struct row *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->much != b->much)
		return a->much > b->much ? -1 : 1;
	return a->site->number < b->site->number
		       ? -1
		       : a->site->number > b->site->number;
}

static const char *word_of(const struct row *row)
{
	if (row->kind == APPEARED)
		return "appeared";
	if (row->kind == VANISHED)
		return "vanished";
	return row->calls[1] > row->calls[0] ? "more" : "less";
}

static void put_location(struct render_buffer *out, const struct row *row)
{
	const struct run_caller *caller = row->caller;
	const char *slash;
	char line[16];

	if (caller && caller->file) {
		slash = strrchr(caller->file, '/');
		put_escaped(out, slash ? slash + 1 : caller->file);
		snprintf(line, sizeof(line), ":%u", caller->line);
		render_buffer_put_string(out, line);
	} else {
		put_escaped(out, row->site->module);
	}
	if (caller && caller->function) {
		render_buffer_put_string(out, ": ");
		put_escaped(out, caller->function);
	}
}

/* On a terminal it is cut where that ends. */
static void put_format(const struct report *report, struct render_buffer *out,
	const struct run_site *site)
{
	if (site->format)
		literal_put_start(out, site->format, site->format_bytes,
			report->output->width > 0 ? SIZE_MAX : FORMAT_SHOWN);
	else
		put_escaped(out, site->function);
}

static void put_rate(
	struct table *table, uint64_t calls, const struct run_total *run)
{
	char text[64];

	snprintf(text, sizeof(text), "%.1f", (double)calls / seconds_of(run));
	table_text_cell(table, text);
}

static void put_rows(struct report *report)
{
	const struct run_diff *diff = report->diff;
	struct table table = {.columns = columns};
	size_t i;

	if (report->count == 0)
		return;
	qsort(report->rows, report->count, sizeof(*report->rows),
		report_compare);
	for (i = 0; i < report->count; i++) {
		const struct row *row = &report->rows[i];

		table_text_cell(&table, word_of(row));
		table_number_cell(&table, row->calls[0]);
		table_number_cell(&table, row->calls[1]);
		put_rate(&table, row->calls[0], &diff->runs[0]);
		put_rate(&table, row->calls[1], &diff->runs[1]);
		put_location(&table.text, row);
		table_end_cell(&table);
		put_format(report, &table.text, row->site);
		table_end_cell(&table);
	}
	report->failed |= !table_put_fitting(&table, &report->output->text,
		report->output->width, expendable);
	table_free(&table);
}

static void put_range(struct table *table, const struct run_range *range)
{
	const double values[] = {range->least, range->mean, range->most};
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(text, sizeof(text), "%.6g", values[i]);
		table_text_cell(table, text);
	}
}

static void put_argument(const struct report *report, struct table *table,
	const struct run_site *site, const struct run_argument *argument)
{
	put_escaped(&table->text, argument->name);
	table_end_cell(table);
	put_range(table, &argument->runs[0]);
	put_range(table, &argument->runs[1]);
	put_format(report, &table->text, site);
	table_end_cell(table);
}

/* Returns how many there are. */
static size_t put_arguments(struct report *report)
{
	const struct run_sites *sites = &report->diff->sites;
	struct table table = {.columns = argument_columns};
	size_t count = 0;
	size_t i;
	size_t j;

	for (i = 0; i < sites->count; i++)
		for (j = 0; j < sites->all[i]->argument_count; j++) {
			const struct run_argument *argument =
				&sites->all[i]->arguments[j];

			if (!run_change_of_values(
				    &argument->runs[0], &argument->runs[1]))
				continue;
			put_argument(report, &table, sites->all[i], argument);
			count++;
		}
	if (count > 0 && report->count > 0)
		render_buffer_put_string(&report->output->text, "\n");
	if (count > 0)
		report->failed |=
			!table_put_fitting(&table, &report->output->text,
				report->output->width, argument_expendable);
	table_free(&table);
	return count;
}

static void put_count(
	struct render_buffer *out, const char *what, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	render_buffer_put_string(out, what);
	render_buffer_put_string(out, text);
}

/* `program, thread NAME`, with numbers where they are not the first. */
static void put_role(struct render_buffer *out, const struct run_role *role)
{
	char number[32];

	put_escaped(out, role->program);
	if (role->process > 1) {
		snprintf(number, sizeof(number), " (%" PRIu32 ")",
			role->process);
		render_buffer_put_string(out, number);
	}
	render_buffer_put_string(out, ", thread ");
	put_escaped(out, role->thread);
	if (role->number > 1) {
		snprintf(
			number, sizeof(number), " (%" PRIu32 ")", role->number);
		render_buffer_put_string(out, number);
	}
}

/* Lines `from` to `to`, each with a mark before it. */
static void put_lines(struct render_buffer *out, const struct run_lines *lines,
	size_t from, size_t to, const char *mark)
{
	const char *at = lines->text.data;
	size_t i;

	for (i = 0; i < lines->count && i < to; i++) {
		const char *end = memchr(at, '\n',
			lines->text.length - (size_t)(at - lines->text.data));

		if (!end)
			return;
		if (i >= from) {
			render_buffer_put_string(out, mark);
			render_buffer_put(out, at, (size_t)(end + 1 - at));
		}
		at = end + 1;
	}
}

static void put_difference(struct report *report)
{
	const struct run_role *role = report->diff->difference;
	const struct run_lines *lines = report->diff->lines;
	struct render_buffer *out = &report->output->text;
	const unsigned width = report->output->width;
	size_t from;

	from = out->length;
	render_buffer_put_string(out, "first difference: ");
	put_role(out, role);
	put_count(out,
		", after so many messages from the same places: ", role->at);
	render_buffer_put_string(out, "\n");
	text_cut_wrap(out, from, width, MARK_COLUMNS);
	from = out->length;
	put_lines(out, &lines[0], 0, lines[0].same, "  ");
	text_cut_lines(out, from, width);
	from = out->length;
	put_lines(out, &lines[0], lines[0].same, SIZE_MAX, "- ");
	put_lines(out, &lines[1], lines[1].same, SIZE_MAX, "+ ");
	text_cut_wrap(out, from, width, MARK_COLUMNS);
}

/* True: there is something to say of them. */
static bool put_threads(struct report *report, bool after)
{
	const struct run_role *role = report->diff->roles.first;
	struct render_buffer *out = &report->output->text;
	uint64_t differ = 0;
	uint64_t both = 0;
	uint64_t only[2] = {0};
	size_t from;

	for (; role; role = role->next) {
		differ += role->differs;
		both += role->counts[0] > 0 && role->counts[1] > 0;
		only[0] += role->counts[1] == 0;
		only[1] += role->counts[0] == 0;
	}
	if (differ + only[0] + only[1] == 0)
		return false;
	if (after)
		render_buffer_put_string(out, "\n");
	from = out->length;
	put_count(out, "threads in both runs: ", both);
	put_count(out, ", that differ: ", differ);
	put_count(out, "; in the first alone: ", only[0]);
	put_count(out, ", in the second alone: ", only[1]);
	render_buffer_put_string(out, "\n");
	text_cut_wrap(out, from, report->output->width, MARK_COLUMNS);
	if (report->diff->difference)
		put_difference(report);
	return true;
}

static void put_sum(struct report *report)
{
	const struct run_diff *diff = report->diff;
	struct render_buffer *out = &report->output->text;
	const size_t from = out->length;

	put_count(out, "messages: ", diff->runs[0].messages);
	put_count(out, ", then ", diff->runs[1].messages);
	put_count(out, "; places that say as much as before: ", report->same);
	render_buffer_put_string(out, "\n");
	if (diff->roles.missed > 0) {
		put_count(out, "messages beyond what is compared in order: ",
			diff->roles.missed);
		render_buffer_put_string(out, "\n");
	}
	text_cut_wrap(out, from, report->output->width, MARK_COLUMNS);
}

bool show_diff_put(const struct run_diff *diff, struct output *output)
{
	struct report report = {.diff = diff, .output = output};
	bool any;
	size_t i;

	for (i = 0; i < diff->sites.count; i++)
		add_site(&report, diff->sites.all[i]);
	put_rows(&report);
	any = report.count > 0;
	any = put_arguments(&report) > 0 || any;
	any = put_threads(&report, any) || any;
	if (any && !diff->options->quiet)
		render_buffer_put_string(&output->text, "\n");
	if (!diff->options->quiet)
		put_sum(&report);
	free(report.rows);
	return !report.failed && !output->text.failed;
}

/* Both runs, open; what restores formats knows only one of them. */
struct opened {
	struct capture_list lists[2];
	struct restore *restores[2];
	struct statements *statements[2]; /* null: they are not asked for */
	struct source *sources[2];	  /* null: not read yet */
	struct error_list errors;
};

struct comparison {
	const struct options *options;
	struct opened opened;
	struct locations *locations;
	struct run_diff diff;
	struct output output;
};

static void open_run(
	const struct comparison *comparison, struct opened *opened, int run)
{
	struct capture_list *list = &opened->lists[run];
	struct restore *restore = restore_new(&comparison->options->symbols,
		comparison->options->executables);
	size_t i;

	opened->restores[run] = restore;
	if (restore && comparison->options->statements != OPTIONS_WHEN_NEVER)
		opened->statements[run] = statements_new(restore,
			comparison->options->statements == OPTIONS_WHEN_ALWAYS);
	list->all = comparison->options->all;
	capture_list_add(
		list, comparison->options->paths[run], &opened->errors);
	capture_list_unpack(list, &opened->errors);
	for (i = 0; i < list->count; i++)
		list->captures[i]->restore = restore;
}

static void close_runs(struct opened *opened)
{
	int run;

	for (run = 0; run < 2; run++) {
		source_free(opened->sources[run]);
		capture_list_free(&opened->lists[run]);
		statements_free(opened->statements[run]);
		restore_free(opened->restores[run]);
	}
}

static bool is_anything(const struct capture_list *list)
{
	return list->count > 0 || list->packed_count > 0;
}

static const struct message *as_statement(
	void *closure, const struct message *message)
{
	return closure ? statements_apply(closure, message) : message;
}

typedef void read_run(struct run_diff *diff, struct source *source, int run);

static void read_both(
	struct comparison *comparison, struct opened *opened, read_run *read)
{
	int run;

	for (run = 0; run < 2; run++) {
		struct source *source = source_new(&opened->lists[run],
			opened->restores[run], &opened->errors);

		opened->sources[run] = source;
		comparison->diff.as = as_statement;
		comparison->diff.closure = opened->statements[run];
		if (source)
			read(&comparison->diff, source, run);
		else
			comparison->diff.sites.failed = true;
	}
}

/* What is wrong with the files was noted when they were read before. */
static void read_lines(struct comparison *comparison)
{
	struct opened again = {0};

	open_run(comparison, &again, 0);
	open_run(comparison, &again, 1);
	read_both(comparison, &again, run_diff_read_lines);
	close_runs(&again);
}

static void compare(struct comparison *comparison)
{
	struct opened *opened = &comparison->opened;

	read_both(comparison, opened, run_diff_read);
	run_diff_compare(&comparison->diff);
	if (comparison->diff.difference)
		read_lines(comparison);
	if (!show_diff_put(&comparison->diff, &comparison->output) ||
		!run_diff_is_whole(&comparison->diff))
		error_add(
			&opened->errors, &(struct error){.code = ERROR_MEMORY});
	output_flush(&comparison->output);
}

static enum exit_status judge(const struct comparison *comparison)
{
	if (say_output(&comparison->output) ||
		!is_anything(&comparison->opened.lists[0]) ||
		!is_anything(&comparison->opened.lists[1]))
		return EXIT_NOTHING;
	return limits_were_met() || error_count(&comparison->opened.errors,
					    ERROR_SEVERITY_DAMAGE) > 0
		       ? EXIT_DAMAGE
		       : EXIT_ALL_READ;
}

enum exit_status show_diff(const struct options *options)
{
	struct comparison comparison = {
		.options = options,
		.locations = locations_new(&options->symbols),
		.diff = {.options = options},
		.output = {.fd = STDOUT_FILENO,
			.width = outputs_width(options, STDOUT_FILENO)},
	};
	enum exit_status status;

	if (comparison.locations)
		locations_use(comparison.locations, options->executables);
	comparison.diff.sites.locations = comparison.locations;
	open_run(&comparison, &comparison.opened, 0);
	open_run(&comparison, &comparison.opened, 1);
	if (is_anything(&comparison.opened.lists[0]) &&
		is_anything(&comparison.opened.lists[1]))
		compare(&comparison);
	say_errors(&comparison.opened.errors);
	status = judge(&comparison);
	run_diff_free(&comparison.diff);
	render_buffer_free(&comparison.output.text);
	close_runs(&comparison.opened);
	locations_free(comparison.locations);
	return status;
}
