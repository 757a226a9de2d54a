#include "decoder/show/show_diff.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "decoder/capture/restore.h"
#include "decoder/runs/run_diff.h"
#include "decoder/runs/run_report.h"
#include "decoder/show/say.h"
#include "decoder/source/capture_list.h"
#include "decoder/source/source.h"

/* Both runs, open; what restores formats knows only one of them. */
struct opened {
	struct capture_list lists[2];
	struct restore *restores[2];
	struct source *sources[2]; /* null: not read yet */
	struct error_list errors;
};

struct comparison {
	const struct options *options;
	struct opened opened;
	struct places *places;
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
	list->all = comparison->options->all;
	capture_list_add(
		list, comparison->options->paths[run], &opened->errors);
	for (i = 0; i < list->count; i++)
		list->captures[i]->restore = restore;
}

static void close_runs(struct opened *opened)
{
	int run;

	for (run = 0; run < 2; run++) {
		source_free(opened->sources[run]);
		capture_list_free(&opened->lists[run]);
		restore_free(opened->restores[run]);
	}
}

static bool is_anything(const struct capture_list *list)
{
	return list->count > 0 || list->packed_count > 0;
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
	if (!run_report_put(&comparison->diff, &comparison->output) ||
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
		.places = places_new(&options->symbols),
		.diff = {.options = options},
		.output = {.fd = STDOUT_FILENO},
	};
	enum exit_status status;

	comparison.diff.sites.places = comparison.places;
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
	places_free(comparison.places);
	return status;
}
