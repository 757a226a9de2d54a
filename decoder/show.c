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
#include <unistd.h>

#include "decoder/capture_list.h"
#include "decoder/filter.h"
#include "decoder/fired.h"
#include "decoder/index.h"
#include "decoder/options.h"
#include "decoder/output_config.h"
#include "decoder/outputs.h"
#include "decoder/recover.h"
#include "decoder/restore.h"
#include "decoder/say.h"
#include "decoder/source.h"
#include "decoder/style.h"
#include "record/layout.h"
#include "record/packed.h"

#define DEFAULT_PATH "binlog.data"

enum exit_status {
	EXIT_ALL_READ = 0,
	EXIT_DAMAGE = 1,  /* or loss; what could be read was shown */
	EXIT_NOTHING = 2, /* to read, or wrong usage, or no way to write */
};

struct show {
	struct options options;
	struct error_list errors;
	struct capture_list list;
	struct source *messages;
	struct outputs outputs;
	struct output output; /* of what shows no messages */
	struct restore *restore;
	struct places *places; /* null: no addresses are looked up */
	struct stack *stack;
	struct source_line *source;
	struct pointers *pointers;
	bool counts;	   /* calls, since their messages are read */
	uint64_t captured; /* calls, shown or not */
	uint64_t passed;
	uint64_t dropped;
};

static enum exit_status fail(const char *sentence)
{
	fprintf(stderr, "binlog-show: %s\n", sentence);
	return EXIT_NOTHING;
}

static enum exit_status print_help(void)
{
	char text[4096];

	options_help(text, sizeof(text));
	printf("usage: binlog-show [OPTIONS] [PATH...]\n"
	       "Shows what programs said while libbinlog.so recorded them.\n"
	       "PATH is a directory of captures or a capture file; without "
	       "one: " DEFAULT_PATH "\n\n%s",
		text);
	return EXIT_ALL_READ;
}

static enum exit_status print_version(void)
{
	printf("binlog-show, reads captures of format version %u\n",
		BINLOG_VERSION);
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

static enum exit_status print_styles(void)
{
	const struct style *style;

	for (style = style_all; style->name; style++)
		printf("%-10s %s\n", style->name, style->what);
	return EXIT_ALL_READ;
}

static void open_captures(struct show *show)
{
	size_t i;

	show->list.all = show->options.all;
	for (i = 0; i < show->options.path_count; i++)
		capture_list_add(
			&show->list, show->options.paths[i], &show->errors);
	if (show->options.path_count == 0)
		capture_list_add(&show->list, DEFAULT_PATH, &show->errors);
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
static bool begin_outputs(struct show *show)
{
	const struct style_settings common = {
		.stack = show->stack,
		.source = show->source,
		.places = show->places,
		.pointers = show->pointers,
		.captures = show->list.captures,
		.capture_count = show->list.count,
		.messages = show->messages,
		.rules = show->outputs.rules,
	};

	return show->messages &&
	       outputs_begin(&show->outputs, &common, show->messages);
}

static void show_messages(struct show *show)
{
	const struct message *message;
	bool going;

	if (!begin_outputs(show)) {
		report_memory(show);
		return;
	}
	going = show->counts = outputs_want_messages(&show->outputs);
	if (!show->counts)
		source_skim(show->messages);
	while (going && (message = source_next(show->messages))) {
		show->captured +=
			!message->partial && !message_is_event(message);
		going = outputs_message(&show->outputs, message);
	}
	outputs_end(&show->outputs);
	show->captured += outputs_passed(&show->outputs);
	count_packed(show);
}

/* Of programs that formats were looked for in. */
static void print_refusals(const struct restore *restore)
{
	const char *sentence;
	size_t i;

	for (i = 0; restore && (sentence = restore_complaint(restore, i)); i++)
		fprintf(stderr, "%s\n", sentence);
}

/* To be read. */
static bool is_anything(const struct show *show)
{
	return show->list.count > 0 || show->list.packed_count > 0;
}

static void print_sum(const struct show *show)
{
	bool raw = strcmp(show->options.style, "raw") == 0;
	bool clean = show->passed == 0 && show->dropped == 0 &&
		     show->errors.count == 0;

	if (show->options.quiet || (raw && clean) || !is_anything(show) ||
		!show->counts)
		return;
	fprintf(stderr,
		"%" PRIu64 " captured, %" PRIu64 " passed, %" PRIu64
		" dropped\n",
		show->captured, show->passed, show->dropped);
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
	return show->dropped > 0 ? EXIT_DAMAGE : EXIT_ALL_READ;
}

/* True: it could not be written, and that matters. */
static bool report_output(const struct output *output)
{
	if (output->failed == 0 || output->failed == EPIPE)
		return false;
	fprintf(stderr,
		"%s: not written: %s: make room or choose another place\n",
		output->where ? output->where : "standard output",
		strerror(output->failed));
	return true;
}

/* How many could not be written; *lost: that matters. */
static size_t report_outputs(const struct show *show, bool *lost)
{
	const struct output *output;
	size_t number = 0;
	size_t failed = 0;

	*lost = false;
	while ((output = outputs_failed(&show->outputs, &number))) {
		*lost = report_output(output) || *lost;
		failed++;
	}
	return failed;
}

static enum exit_status run(struct show *show)
{
	enum exit_status status;
	size_t failed;
	bool lost;

	open_captures(show);
	if (!outputs_open(&show->outputs, &show->list))
		return fail(show->outputs.problem);
	show->messages = source_new(&show->list, show->restore, &show->errors);
	show_messages(show);
	failed = report_outputs(show, &lost);
	if (failed < show->outputs.count) {
		say_errors(&show->errors);
		say_complaints(show->places);
		print_refusals(show->restore);
		if (!show->options.quiet)
			say_rings(&show->list);
		print_sum(show);
	}
	status = lost ? EXIT_NOTHING : judge(show);
	source_free(show->messages);
	capture_list_free(&show->list);
	return status;
}

/* What looks addresses up, as far as it is wanted.  False: out of memory. */
static bool begin_lookups(struct show *show)
{
	const struct options *options = &show->options;
	struct outputs_needs needs = outputs_need(&show->outputs);

	if (!needs.places)
		return true;
	show->places = places_new(&options->symbols);
	if (show->places && needs.stacks)
		show->stack = stack_new(show->places, options->depth);
	if (show->places && needs.source)
		show->source = source_line_new(show->places, &options->symbols);
	if (show->places && needs.pointers)
		show->pointers = pointers_new(show->places);
	return show->places && !show->stack == !needs.stacks &&
	       !show->source == !needs.source &&
	       !show->pointers == !needs.pointers;
}

static void end_lookups(struct show *show)
{
	pointers_free(show->pointers);
	source_line_free(show->source);
	stack_free(show->stack);
	places_free(show->places);
}

/* That of the command line, or those of the config file. */
static bool choose_outputs(struct show *show)
{
	struct outputs *outputs = &show->outputs;
	const char *wrong;

	if (show->options.config) {
		signal(SIGPIPE, SIG_IGN); /* the others go on */
		return output_config_read(outputs, &show->options);
	}
	wrong = outputs_add(outputs, &show->options, NULL);
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
	status = begin_lookups(show)
			 ? run(show)
			 : fail("--stacks: out of memory: try without");
	end_lookups(show);
	restore_free(show->restore);
	return status;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t length = strlen(path);
	size_t end = strlen(suffix);

	return length > end && strcmp(path + length - end, suffix) == 0;
}

/* Or packed logs. */
static bool is_capture(const char *path)
{
	struct stat status;

	if (ends_in(path, BINLOG_SUFFIX) || ends_in(path, PACKED_SUFFIX))
		return true;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* False: no captures were named. */
static bool count_messages(struct show *show, struct fired *fired)
{
	const struct options *options = &show->options;
	const struct message *message;
	bool any = false;
	size_t i;

	for (i = 0; i < options->path_count; i++) {
		if (!is_capture(options->paths[i]))
			continue;
		any = true;
		capture_list_add(&show->list, options->paths[i], &show->errors);
	}
	show->messages = source_new(&show->list, NULL, &show->errors);
	while (show->messages && (message = source_next(show->messages)))
		if (!message_is_event(message) && !message->continues &&
			filter_wants(options, message) &&
			filter_selects(options, message))
			fired_take(fired, message);
	if (!show->messages || fired->failed)
		report_memory(show);
	return any;
}

/* The statements of programs, no messages. */
static enum exit_status list_statements(struct show *show)
{
	const struct options *options = &show->options;
	struct render_buffer complaint = {0};
	struct index_sum sum = {0};
	struct fired fired = {0};
	bool counts = count_messages(show, &fired);
	size_t missing = 0;
	size_t listed = 0;
	size_t i;

	for (i = 0; i < options->path_count; i++) {
		if (is_capture(options->paths[i]))
			continue;
		if (index_put(options->paths[i], &options->symbols,
			    counts ? &fired : NULL, &sum, &show->output,
			    &complaint))
			listed++;
		else
			missing++;
	}
	output_flush(&show->output);
	if (complaint.length > 0)
		fwrite(complaint.data, 1, complaint.length, stderr);
	say_errors(&show->errors);
	if (counts && !options->quiet)
		fprintf(stderr,
			"%zu of %zu statements have made messages, of %zu it "
			"is not known\n",
			sum.fired, sum.statements, sum.unknown);
	render_buffer_free(&complaint);
	render_buffer_free(&show->output.text);
	fired_free(&fired);
	source_free(show->messages);
	capture_list_free(&show->list);
	if (report_output(&show->output) || listed == 0)
		return EXIT_NOTHING;
	return missing > 0 || error_count(
				      &show->errors, ERROR_SEVERITY_DAMAGE) > 0
		       ? EXIT_DAMAGE
		       : EXIT_ALL_READ;
}

/* A clean log, no text. */
static enum exit_status recover(struct show *show)
{
	const struct capture_list *list = &show->list;
	struct recover_sum sum = {0};
	size_t i;

	if (isatty(STDOUT_FILENO))
		return fail("--recover: standard output is a terminal: "
			    "redirect it to a file");
	open_captures(show);
	for (i = 0; i < list->packed_count; i++)
		recover_packed(
			list->packed[i], &show->output, &show->errors, &sum);
	if (list->count > 0)
		recover_captures(list, &show->output, &show->errors, &sum);
	output_flush(&show->output);
	say_errors(&show->errors);
	if (!show->options.quiet)
		fprintf(stderr,
			"%" PRIu64 " frames copied, %" PRIu64
			" messages packed, %" PRIu64 " bytes left out\n",
			sum.frames, sum.messages, sum.lost);
	render_buffer_free(&show->output.text);
	capture_list_free(&show->list);
	if (report_output(&show->output) || sum.frames + sum.messages == 0)
		return EXIT_NOTHING;
	return error_count(&show->errors, ERROR_SEVERITY_DAMAGE) > 0
		       ? EXIT_DAMAGE
		       : EXIT_ALL_READ;
}

int main(int argc, char **argv)
{
	static struct show show = {.output = {.fd = STDOUT_FILENO}};

	signal(SIGXFSZ, SIG_IGN); /* a write that fails says so itself */
	switch (options_parse(&show.options, argc, argv)) {
	case OPTIONS_HELP:
		return print_help();
	case OPTIONS_VERSION:
		return print_version();
	case OPTIONS_STYLES:
		return print_styles();
	case OPTIONS_COLUMNS:
		return print_columns();
	case OPTIONS_WRONG:
		return fail(show.options.problem);
	case OPTIONS_SHOW:
		break;
	}
	if (show.options.index)
		return list_statements(&show);
	return show.options.recover ? recover(&show) : start(&show);
}
