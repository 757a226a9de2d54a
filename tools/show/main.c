/*
 * binlog-show: captures in, text out.  The only place in the decoder that
 * prints to people; all that went wrong elsewhere arrives here as a list.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/limits.h"
#include "base/link.h"
#include "base/sentence.h"
#include "decoder/capture/restore.h"
#include "decoder/output/count_words.h"
#include "decoder/output/last_lines.h"
#include "decoder/output/options.h"
#include "decoder/output/output.h"
#include "decoder/output/style.h"
#include "decoder/show/line_place.h"
#include "decoder/show/output_config.h"
#include "decoder/show/outputs.h"
#include "decoder/show/pager.h"
#include "decoder/show/recover.h"
#include "decoder/show/say.h"
#include "decoder/show/show_diff.h"
#include "decoder/show/show_index.h"
#include "decoder/show/show_sandbox.h"
#include "decoder/show/show_tail.h"
#include "decoder/show/watch.h"
#include "decoder/show/watch_ring.h"
#include "decoder/source/capture_list.h"
#include "decoder/source/progress.h"
#include "decoder/source/source.h"
#include "decoder/statements/statements.h"
#include "record/layout.h"
#include "tools/output/missing_path.h"
#include "tools/output/standard_output.h"
#include "tools/show/names.h"

/*
 * `binlog-show --recover`: a clean log, no text.  Called by main instead of
 * showing messages; says itself what is to be said.
 */

/* To standard output, of what was opened, with the errors so far. */
static enum exit_status show_recover(const struct options *options,
	const struct capture_list *list, struct error_list *errors)
{
	struct output output = {.fd = STDOUT_FILENO};
	struct recover_sum sum = {0};
	size_t i;

	for (i = 0; i < list->packed_count; i++)
		recover_packed(list->packed[i], &output, errors, &sum);
	if (list->count > 0)
		recover_captures(list, &output, errors, &sum);
	output_flush(&output);
	say_errors(errors);
	if (!options->quiet && (sum.frames > 0 || sum.any))
		sentence_say("%" PRIu64 " frames copied, %" PRIu64
			     " messages packed, %" PRIu64 " bytes left out",
			sum.frames, sum.messages, sum.lost);
	render_buffer_free(&output.text);
	if (say_output(&output) || (sum.frames == 0 && !sum.any))
		return EXIT_NOTHING;
	return error_count(errors, ERROR_SEVERITY_DAMAGE) > 0 ? EXIT_DAMAGE
							      : EXIT_ALL_READ;
}

#define DEFAULT_PATH "binlog.data"

/* How often the ends of logs may have been too short: each time there is eight
 * times as much, and at last all. */
#define SPENT_MAX 32u

struct show {
	struct options options;
	struct error_list errors;
	struct capture_list list;
	struct source *messages;
	struct source *spent[SPENT_MAX]; /* what was read before that */
	size_t spent_count;
	struct show_tail tail;
	struct outputs outputs;
	struct render_buffer remarks; /* of styles */
	struct restore *restore;
	struct locations *locations; /* null: no addresses are looked up */
	struct line_places places;   /* nobody has asked for; null: none */
	struct stack *stack;
	struct source_line *source;
	struct pointers *pointers;
	struct pager pager;
	struct progress progress;
	struct watch_ring *ring; /* null: all is shown */
	bool counts;		 /* calls, since their messages are read */
	uint64_t captured;	 /* calls, shown or not */
	uint64_t passed;
	uint64_t dropped;
};

static enum exit_status fail(const char *sentence)
{
	sentence_say("binlog-show: %s", sentence);
	return EXIT_NOTHING;
}

/* In 25 lines. */
static enum exit_status printed(enum exit_status status)
{
	return standard_output_finish("binlog-show") ? status : EXIT_NOTHING;
}

static enum exit_status print_help(void)
{
	char text[4096];

	options_help_most_used(text, sizeof(text));
	printf("usage: binlog-show [OPTIONS] [PATH...]\n"
	       "Shows what programs said while libbinlog.so recorded them, "
	       "of " DEFAULT_PATH
	       "\nor PATH: a directory of captures, a capture, "
	       "a packed log.\n\n%s\n"
	       "All options: binlog-show --help=all; explained: man "
	       "binlog-show\n",
		text);
	return EXIT_ALL_READ;
}

static enum exit_status print_all_help(void)
{
	char text[16384];

	options_help(text, sizeof(text));
	printf("usage: binlog-show [OPTIONS] [PATH...]\n"
	       "Shows what programs said while libbinlog.so recorded them.\n"
	       "PATH is a directory of captures, a capture, a packed log or "
	       "a trace of Heph;\nwithout one: " DEFAULT_PATH "\n\n%s",
		text);
	return EXIT_ALL_READ;
}

static enum exit_status print_version(void)
{
	standard_output_version("binlog-show", "captures", BINLOG_VERSION);
	return EXIT_ALL_READ;
}

static enum exit_status print_columns(void)
{
	struct render_buffer text = {0};

	columns_help(&text);
	fwrite(text.data, 1, text.length, stdout);
	render_buffer_free(&text);
	return EXIT_ALL_READ;
}

static enum exit_status print_limits(void)
{
	struct render_buffer text = {0};

	limits_help(&text);
	fwrite(text.data, 1, text.length, stdout);
	render_buffer_free(&text);
	return EXIT_ALL_READ;
}

static enum exit_status print_styles(void)
{
	const struct style *style;

	for (style = style_all; style->name; style++)
		printf("%-10s %s\n", style->name, style->what);
	return EXIT_ALL_READ;
}

/* Null, or why nothing is to be read. */
static const char *confine(const struct show *show)
{
	return show_sandbox(&show->options, &show->outputs,
		show->locations || show->places.locations ||
			show->outputs.statements);
}

static void open_captures(struct show *show)
{
	size_t i;

	show->list.all = show->options.all;
	for (i = 0; i < show->options.path_count; i++)
		capture_list_add(
			&show->list, show->options.paths[i], &show->errors);
	show->list.texts = show->options.texts;
	show->list.text_count = show->options.text_count;
	show->list.text.executables = show->options.executables;
	show->list.text.utc = show->options.utc;
	if (show->options.path_count + show->options.text_count == 0)
		capture_list_add(&show->list, DEFAULT_PATH, &show->errors);
}

/* With no rights but to read. */
static void unpack_captures(struct show *show)
{
	size_t i;

	capture_list_unpack(&show->list, &show->errors);
	for (i = 0; i < show->list.count; i++) {
		show->passed += show->list.captures[i]->passed;
		show->dropped += show->list.captures[i]->dropped;
		show->list.captures[i]->restore = show->restore;
	}
}

static void report_memory(struct show *show)
{
	error_add(&show->errors, &(struct error){.code = ERROR_MEMORY});
}

/* What captures have lost that packed logs tell of: known at their end. */
static void count_packed(struct show *show)
{
	size_t count, i;
	struct recording *const *captures =
		source_packed(show->messages, &count);

	for (i = 0; i < count; i++) {
		show->passed += captures[i]->passed;
		show->dropped += captures[i]->dropped;
	}
}

/* What all outputs have in common. */
static struct style_settings settings_of(struct show *show)
{
	return (struct style_settings){
		.stack = show->stack,
		.source = show->source,
		.locations = show->locations,
		.places = show->places.locations ? &show->places : NULL,
		.pointers = show->pointers,
		.captures = show->list.captures,
		.capture_count = show->list.count,
		.messages = show->messages,
		.rules = show->outputs.rules,
		.remarks = &show->remarks,
	};
}

static bool begin_outputs(struct show *show)
{
	const struct style_settings common = settings_of(show);

	return (show->messages || show->options.follow) &&
	       outputs_begin(&show->outputs, &common, show->messages);
}

/* Where nothing else comes to the terminal meanwhile. */
static void begin_progress(struct show *show)
{
	const struct options *options = &show->options;
	struct stat out;
	bool alone = options->to || options->config ||
		     (fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode));

	progress_begin(&show->progress,
		alone && !options->quiet && !options->follow,
		show->list.captures, show->list.count);
	progress_add_logs(&show->progress, show->list.packed,
		show->list.packed_count, source_read(show->messages));
	progress_add_logs(&show->progress, show->list.texts,
		show->list.text_count, source_read(show->messages));
}

/* As many messages as may be shown were; this one would be another. */
static bool is_enough(const struct show *show, const struct message *message)
{
	if (show->captured < limits_of(LIMIT_MESSAGES) || message->partial ||
		message_is_event(message))
		return false;
	recording_report(message->capture, ERROR_MESSAGES, message->offset,
		show->captured);
	return true;
}

static void read_messages(struct show *show)
{
	const struct message *message;
	bool going;

	going = show->counts = outputs_want_messages(&show->outputs);
	if (!show->counts)
		source_skim(show->messages);
	begin_progress(show);
	while (going && (message = source_next(show->messages)) &&
		!is_enough(show, message)) {
		if (show->ring && !watch_ring_shows(show->ring, message))
			continue;
		show->captured +=
			!message->partial && !message_is_event(message);
		show_tail_message(&show->tail, &show->outputs, message);
		going = outputs_message(&show->outputs, message);
		progress_step(&show->progress);
	}
	progress_end(&show->progress);
}

/* With more of what there is.  False: out of memory. */
static bool begin_again(struct show *show)
{
	const struct style_settings common = settings_of(show);

	/* what was looked up may point there */
	show->spent[show->spent_count++] = show->messages;
	show->captured = 0;
	show->messages = NULL;
	if (capture_list_read_again(&show->list))
		show->messages =
			source_new(&show->list, show->restore, &show->errors);
	if (show->messages)
		show_tail_source(&show->tail, show->messages);
	return show->messages &&
	       outputs_begin_again(&show->outputs, &common, show->messages);
}

static void show_messages(struct show *show)
{
	const struct error_list before = show->errors;
	size_t i;

	read_messages(show);
	while (!show_tail_is_enough(
		&show->tail, &show->outputs, show->messages)) {
		show->errors = before;
		if (!begin_again(show)) {
			report_memory(show);
			break;
		}
		read_messages(show);
	}
	outputs_end(&show->outputs);
	show->captured += outputs_passed(&show->outputs);
	for (i = 0; i < show->list.count; i++)
		show->captured += show->list.captures[i]->hidden;
	count_packed(show);
	if (show->captured > 0)
		outputs_remarks(&show->outputs, &show->remarks);
}

/* Of programs that formats were looked for in. */
static void print_refusals(const struct restore *restore)
{
	const char *sentence;
	size_t i;

	for (i = 0; restore && (sentence = restore_complaint(restore, i)); i++)
		sentence_say("%s", sentence);
}

/* Of a text alone, which has no stack, nothing tells its programs. */
static void remark_on_texts(const struct show *show)
{
	const struct options *options = &show->options;

	if (show->outputs.statements && options->text_count > 0 &&
		options->executable_count == 0 && !options->quiet)
		sentence_say("--text: statements are not known: no program is "
			     "named: give it with --exe");
}

/* To be read. */
static bool is_anything(const struct show *show)
{
	return show->list.count > 0 || show->list.packed_count > 0 ||
	       show->list.waiting_count > 0 || show->list.text_count > 0;
}

/* Nothing is damaged, and nothing may be missing. */
static bool is_whole(const struct show *show)
{
	return error_count(&show->errors, ERROR_SEVERITY_DOUBT) == 0 &&
	       show->dropped == 0 && !limits_were_met();
}

static enum exit_status judge(const struct show *show)
{
	if (error_count(&show->errors, ERROR_SEVERITY_DAMAGE) > 0)
		return show->captured > 0 ||
				       (!show->counts && is_anything(show))
			       ? EXIT_DAMAGE
			       : EXIT_NOTHING;
	if (!is_anything(show))
		return EXIT_NOTHING;
	return show->dropped > 0 || limits_were_met() ? EXIT_DAMAGE
						      : EXIT_ALL_READ;
}

static void print_sum(const struct show *show)
{
	bool raw = strcmp(show->options.style, "raw") == 0;
	bool clean = show->passed == 0 && show->dropped == 0 &&
		     show->errors.count == 0;
	const struct count_words words = count_words_of(isatty(STDERR_FILENO));
	char skipped[48] = "";

	if (show->options.quiet || (raw && clean) || !show->counts ||
		!is_anything(show))
		return;
	if (show->errors.incomplete > 0)
		sentence_say("%zu texts are incomplete: formats or strings "
			     "are lost",
			show->errors.incomplete);
	if (show->errors.skipped > 0)
		snprintf(skipped, sizeof(skipped),
			", %" PRIu64 " bytes skipped", show->errors.skipped);
	sentence_say("%" PRIu64 " %s, %" PRIu64 " %s, %" PRIu64 " %s%s%s",
		show->captured, words.recorded, show->passed, words.passed,
		show->dropped, words.lost, skipped,
		show_tail_left_out(&show->tail)
			? " at the end; what is before was not read"
			: "");
}

/* Where an empty output might be a mistyped name. */
static void print_no_match(const struct show *show)
{
	const struct filter_rules *rules = &show->options.rules;
	const struct outputs_one *one = &show->outputs.all[0];
	const struct {
		const char *name;
		bool given;
	} filters[] = {
		{"--pid", rules->pids.count > 0},
		{"--tid", rules->tids.count > 0},
		{"--coroutine", rules->coroutines.count > 0},
		{"--thread", rules->threads.count > 0},
		{"--stream", rules->streams != 0},
		{"--since", rules->since_text},
		{"--until", rules->until_text},
		{"--priority", rules->levels != 0},
		{"--format", rules->formats.count > 0},
		{"--function", rules->functions.count > 0},
		{"--caller", rules->callers.count > 0},
		{"--file", rules->files.count > 0},
		{"--module", rules->modules.count > 0},
		{"--category", rules->categories.count > 0},
		{"--where", rules->expression_count > 0},
		{"--grep", rules->grep_count > 0},
	};
	char given[256] = "";
	size_t length = 0, count = 0, i;

	/* Of bytes, none is an answer like any other; what matches may be of no
	 * known line. */
	if (show->options.quiet || show->captured == 0 ||
		show->options.lines == 0 ||
		strcmp(show->options.style, "raw") == 0 ||
		strcmp(show->options.style, "quickfix") == 0 ||
		show->outputs.count != 1 || one->output.wrote ||
		one->output.failed != 0 || one->split)
		return;
	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (filters[i].given)
			length += (size_t)snprintf(given + length,
				sizeof(given) - length, "%s%s",
				count++ > 0 ? ", " : "", filters[i].name);
	if (count > 0)
		sentence_say("binlog-show: nothing matches %s: %s", given,
			count > 1 ? "leave some out to see which of them it is"
				  : "without it there are messages");
}

/* How many could not be written; *lost: that matters. */
static size_t report_outputs(const struct show *show, bool *lost)
{
	const struct output *output;
	size_t number = 0;
	size_t failed = 0;

	*lost = false;
	while ((output = outputs_failed(&show->outputs, &number))) {
		*lost = say_output(output) || *lost;
		failed++;
	}
	return failed;
}

/* Text on a terminal, all of which is there at the end. */
static bool is_paged(const struct show *show)
{
	const struct options *options = &show->options;
	const struct style *style = show->outputs.all[0].style;

	return !options->no_pager && !options->follow && !options->to &&
	       !options->config && !options->strict &&
	       style->place == STYLE_PLACE_TEXT && isatty(STDOUT_FILENO);
}

/* What was wrong, when nobody looks at the pager any more. */
static void say_all(const struct show *show)
{
	say_errors(&show->errors);
	say_complaints(show->locations);
	print_refusals(show->restore);
	if (show->remarks.length > 0)
		fwrite(show->remarks.data, 1, show->remarks.length, stderr);
	remark_on_texts(show);
	if (!show->options.quiet) {
		say_rings(&show->list);
		say_refusals(&show->list);
	}
	print_sum(show);
	if (!show->options.follow)
		print_no_match(show);
}

/* For whom it is shown.  Where outputs differ stacks are as in files. */
static void choose_looks(struct show *show)
{
	outputs_choose_looks(&show->outputs);
	if (show->stack && show->outputs.count == 1 &&
		show->outputs.all[0].output.width > 0)
		stack_fold_start(show->stack);
}

/* Of one output, since what has links is kept for all of them. */
static void choose_links(const struct show *show, bool paged)
{
	const struct outputs *outputs = &show->outputs;

	link_choose(outputs->count == 1 && outputs->all[0].color, paged);
}

/* Where it goes, and without rights from here on.  Null, or why not. */
static const char *open_followed(struct show *show)
{
	if (!outputs_open(&show->outputs, &show->list))
		return show->outputs.problem;
	choose_looks(show);
	choose_links(show, false);
	return confine(show);
}

/* `binlog-show --follow LOG` */
static enum exit_status follow_log(struct show *show, const char *path)
{
	struct watch_log log = {
		.path = path,
		.outputs = &show->outputs,
		.errors = &show->errors,
	};
	enum exit_status status = EXIT_ALL_READ;
	const char *wrong;
	bool lost = false;

	watch_signals();
	if (!watch_log_begins(&log))
		return EXIT_ALL_READ;
	open_captures(show);
	wrong = open_followed(show);
	if (wrong)
		return fail(wrong);
	show->messages = source_new(&show->list, show->restore, &show->errors);
	if (show->messages)
		source_follow(show->messages, watch_log_more, &log);
	if (begin_outputs(show))
		show_messages(show);
	else
		report_memory(show);
	report_outputs(show, &lost);
	say_all(show);
	if (!log.left && !show->options.quiet && show->captured > 0)
		sentence_say("%s: the log has ended", path);
	if (lost)
		status = EXIT_NOTHING;
	else if (log.sum.damaged || judge(show) != EXIT_ALL_READ)
		status = EXIT_DAMAGE;
	source_free(show->messages);
	capture_list_free(&show->list);
	return status;
}

/* By a process of its own, which has read what may be damaged when it ends. */
static enum exit_status ring_pass(struct show *show, bool first)
{
	const char *wrong;
	bool lost;

	if (!first) {
		show->options.lines = LAST_LINES_ALL;
		show->options.all_lines = true;
	}
	open_captures(show);
	watch_ring_begin(show->ring, &show->list);
	wrong = open_followed(show);
	if (wrong)
		return fail(wrong);
	show->messages = source_new(&show->list, show->restore, &show->errors);
	if (begin_outputs(show))
		show_messages(show);
	else
		report_memory(show);
	report_outputs(show, &lost);
	if (first)
		say_all(show);
	return lost ? EXIT_NOTHING : judge(show);
}

/* How a pass has ended, and how long it has taken. */
static int wait_for_pass(pid_t pid, int *milliseconds)
{
	struct timespec begin, end;
	int status = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	clock_gettime(CLOCK_MONOTONIC, &end);
	*milliseconds = (int)((end.tv_sec - begin.tv_sec) * 1000 +
			      (end.tv_nsec - begin.tv_nsec) / 1000000);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_NOTHING;
}

/* Between passes: so many times what one takes, and at least so many. */
#define RING_SHARE 5
#define RING_PAUSE 100

/* `binlog-show --follow RING`, or of a directory with one */
static enum exit_status follow_ring(struct show *show, const char *path)
{
	const struct options *options = &show->options;
	const char *style = show->outputs.all[0].style->name;
	int status = EXIT_ALL_READ, took = 0;
	bool first = true, last = false;
	bool is_file = false;
	struct stat file;
	pid_t pid;

	if (options->to || options->config || options->reverse ||
		(strcmp(style, "line") != 0 && strcmp(style, "raw") != 0 &&
			strcmp(style, "json") != 0 &&
			strcmp(style, "timeline") != 0))
		return fail("--follow: a ring is shown as lines, --raw or "
			    "json, on standard output: leave out what asks "
			    "for another output");
	if (stat(path, &file) == 0)
		is_file = S_ISREG(file.st_mode);
	/* they would be looked up in each pass */
	locations_free(show->places.locations);
	show->places.locations = NULL;
	show->ring = watch_ring_new();
	if (!show->ring)
		return fail("--follow: out of memory: start it again");
	watch_signals();
	for (;;) {
		fflush(NULL);
		pid = fork();
		if (pid < 0)
			return fail("--follow: no process can be made: end "
				    "some others");
		if (pid == 0)
			_exit((int)ring_pass(show, first));
		status = wait_for_pass(pid, &took);
		if (status == EXIT_NOTHING && first)
			return EXIT_NOTHING;
		first = false;
		if (last && is_file)
			break;
		/* What it has said at its end came behind that look. */
		last = !watch_ring_grows(show->ring);
		if (!watch_goes_on(&show->outputs,
			    took * RING_SHARE > RING_PAUSE ? took * RING_SHARE
							   : RING_PAUSE))
			return EXIT_ALL_READ;
	}
	if (!options->quiet)
		sentence_say("%s: its program has ended", path);
	return status == EXIT_DAMAGE ? EXIT_DAMAGE : EXIT_ALL_READ;
}

/* `binlog-show --follow` */
static enum exit_status follow(struct show *show)
{
	const struct options *options = &show->options;
	const char *path =
		options->path_count > 0 ? options->paths[0] : DEFAULT_PATH;
	const char *wrong;
	struct watch_sum sum;
	bool lost;

	if (options->path_count > 1)
		return fail("--follow: follows one directory or capture: give "
			    "the directory that has them all");
	if (strcmp(path, "-") == 0)
		return fail("--follow: what comes through a pipe cannot be "
			    "followed: give the directory or the capture");
	if (capture_list_is_log(path))
		return follow_log(show, path);
	if (watch_ring_is(path))
		return follow_ring(show, path);
	wrong = open_followed(show);
	if (wrong)
		return fail(wrong);
	watch_signals();
	if (!begin_outputs(show))
		return fail("--follow: out of memory: try without --stacks");
	sum = watch_run(path, options->quiet, &show->outputs, &show->errors);
	report_outputs(show, &lost);
	say_errors(&show->errors);
	say_complaints(show->locations);
	if (lost || sum.end == WATCH_NOTHING)
		return EXIT_NOTHING;
	if (sum.end == WATCH_MEMORY)
		return fail("--follow: out of memory: start it again");
	if (sum.end == WATCH_ENDED && !options->quiet)
		sentence_say("%s: its program has ended", path);
	return sum.end == WATCH_ENDED && sum.damaged ? EXIT_DAMAGE
						     : EXIT_ALL_READ;
}

/* Where it goes is decided, and rights are given up.  Null, or why not. */
static const char *settle(struct show *show, bool paged)
{
	choose_looks(show);
	choose_links(show, paged);
	if (!outputs_hold(&show->outputs))
		return show->outputs.problem;
	if (paged && is_anything(show))
		pager_begin(&show->pager);
	return confine(show);
}

/* Null, or why nothing can be shown. */
static const char *open_all(struct show *show)
{
	const bool paged = is_paged(show);
	const bool opens = paged || show->options.to || show->options.config;
	const char *wrong;

	capture_list_prepare();
	wrong = opens ? NULL : settle(show, false);
	if (wrong)
		return wrong;
	open_captures(show);
	if (!outputs_open(&show->outputs, &show->list))
		return show->outputs.problem;
	return opens ? settle(show, paged) : NULL;
}

static void free_sources(struct show *show)
{
	size_t i;

	for (i = 0; i < show->spent_count; i++)
		source_free(show->spent[i]);
	source_free(show->messages);
}

static enum exit_status run(struct show *show)
{
	const char *wrong = open_all(show);
	enum exit_status status;
	size_t failed;
	bool lost, shown, withheld;

	if (wrong) {
		outputs_release(&show->outputs, false);
		pager_end(&show->pager);
		return fail(wrong);
	}
	unpack_captures(show);
	show_tail_begin(
		&show->tail, &show->options, &show->outputs, &show->list);
	show->messages = source_new(&show->list, show->restore, &show->errors);
	if (show->messages)
		show_tail_source(&show->tail, show->messages);
	if (begin_outputs(show))
		show_messages(show);
	else
		report_memory(show);
	withheld = show->options.strict && !is_whole(show);
	outputs_release(&show->outputs, !withheld);
	shown = pager_end(&show->pager);
	failed = report_outputs(show, &lost);
	if (failed < show->outputs.count)
		say_all(show);
	if (withheld)
		sentence_say("--strict: nothing is shown: something is "
			     "damaged or may be missing: leave it out to see "
			     "what there is");
	status = lost || !shown ? EXIT_NOTHING
		 : withheld	? EXIT_DAMAGE
				: judge(show);
	free_sources(show);
	show_tail_end(&show->tail);
	capture_list_free(&show->list);
	return status;
}

/* Of lines at a terminal.  Of what is missing nothing is said: it was not asked
 * for. */
static void begin_places(struct show *show)
{
	const struct options *options = &show->options;

	if (!outputs_may_have_places(&show->outputs))
		return;
	show->places.locations = locations_new(&options->symbols);
	if (show->places.locations)
		locations_use(show->places.locations, options->executables);
	if (show->restore && !show->outputs.statements &&
		options->statements == OPTIONS_WHEN_AUTO)
		show->places.statements = statements_new(show->restore, false);
}

/* What looks addresses up, as far as it is wanted.  False: out of memory. */
static bool begin_lookups(struct show *show)
{
	const struct options *options = &show->options;
	struct outputs_needs needs = outputs_need(&show->outputs);

	if (needs.statements && show->restore)
		show->outputs.statements = statements_new(show->restore,
			options->statements == OPTIONS_WHEN_ALWAYS);
	if (!show->outputs.statements == needs.statements)
		return false;
	begin_places(show);
	if (!needs.locations)
		return true;
	show->locations = locations_new(&options->symbols);
	if (show->locations)
		locations_use(show->locations, options->executables);
	if (show->locations && needs.stacks)
		show->stack = stack_new(show->locations, options->depth);
	if (show->locations && needs.source)
		show->source =
			source_line_new(show->locations, &options->symbols);
	if (show->locations && needs.pointers)
		show->pointers = pointers_new(show->locations);
	return show->locations && !show->stack == !needs.stacks &&
	       !show->source == !needs.source &&
	       !show->pointers == !needs.pointers;
}

static void end_lookups(struct show *show)
{
	pointers_free(show->pointers);
	source_line_free(show->source);
	stack_free(show->stack);
	locations_free(show->locations);
	locations_free(show->places.locations);
	statements_free(show->places.statements);
	statements_free(show->outputs.statements);
}

/* That of the command line, or those of the config file. */
static bool choose_outputs(struct show *show)
{
	struct outputs *outputs = &show->outputs;
	const char *wrong;

	outputs->strict = show->options.strict;
	if (show->options.config) {
		signal(SIGPIPE, SIG_IGN); /* the others go on */
		return output_config_read(outputs, &show->options);
	}
	wrong = outputs_add(outputs, &show->options, show->options.to);
	if (wrong)
		snprintf(outputs->problem, sizeof(outputs->problem),
			"--output: %s", wrong);
	return !wrong;
}

static enum exit_status start(struct show *show)
{
	enum exit_status status;

	if (!choose_outputs(show))
		return fail(show->outputs.problem);
	show->restore =
		restore_new(&show->options.symbols, show->options.executables);
	if (!begin_lookups(show))
		status = fail("--stacks: out of memory: try without");
	else
		status = show->options.follow ? follow(show) : run(show);
	end_lookups(show);
	restore_free(show->restore);
	render_buffer_free(&show->remarks);
	return status;
}

static enum exit_status recover(struct show *show)
{
	enum exit_status status;

	open_captures(show);
	unpack_captures(show);
	status = show_recover(&show->options, &show->list, &show->errors);
	capture_list_free(&show->list);
	return status;
}

/* What writes to standard output alone. */
static enum exit_status start_plain(struct show *show)
{
	const struct options *options = &show->options;
	const char *wrong;

	if (options->recover && isatty(STDOUT_FILENO))
		return fail("--recover: standard output is a terminal: "
			    "redirect it to a file");
	capture_list_prepare();
	wrong = show_sandbox(options, NULL, !options->recover);
	if (wrong)
		return fail(wrong);
	if (options->index)
		return show_index(options);
	return options->diff ? show_diff(options) : recover(show);
}

/* Programs of a text are told of where it is read. */
static void tell_missing(const struct options *options)
{
	size_t i;

	missing_path_tell_symbols("binlog-show", options->symbols.sysroot,
		options->debug_directories, options->debug_directory_count);
	for (i = 0; i < options->executable_count && options->text_count == 0;
		i++)
		missing_path_tell_file(
			"binlog-show", "--exe", options->executables[i]);
}

int main(int argc, char **argv)
{
	static struct show show;

	standard_output_guard();
	signal(SIGXFSZ, SIG_IGN); /* a write that fails says so itself */
	switch (options_parse(&show.options, argc, argv)) {
	case OPTIONS_HELP:
		return printed(print_help());
	case OPTIONS_HELP_ALL:
		return printed(print_all_help());
	case OPTIONS_VERSION:
		return printed(print_version());
	case OPTIONS_STYLES:
		return printed(print_styles());
	case OPTIONS_COLUMNS:
		return printed(print_columns());
	case OPTIONS_LIMITS:
		return printed(print_limits());
	case OPTIONS_WRONG:
		return fail(show.options.problem);
	case OPTIONS_SHOW:
		break;
	}
	tell_missing(&show.options);
	if (show.options.index || show.options.diff || show.options.recover)
		return start_plain(&show);
	if (!names_resolve(&show.options, DEFAULT_PATH))
		return EXIT_NOTHING;
	return start(&show);
}
