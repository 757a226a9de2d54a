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
#include <unistd.h>

#include "decoder/capture_list.h"
#include "decoder/filter.h"
#include "decoder/merge.h"
#include "decoder/options.h"
#include "decoder/style.h"
#include "record/layout.h"

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
	struct output output;
	struct stack *stack;
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
	char text[2048];

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

	for (i = 0; i < show->options.path_count; i++)
		capture_list_add(
			&show->list, show->options.paths[i], &show->errors);
	if (show->options.path_count == 0)
		capture_list_add(&show->list, DEFAULT_PATH, &show->errors);
	for (i = 0; i < show->list.count; i++) {
		show->passed += show->list.captures[i]->passed;
		show->dropped += show->list.captures[i]->dropped;
	}
}

static void report_memory(struct show *show)
{
	error_add(&show->errors, &(struct error){.code = ERROR_MEMORY});
}

static void show_messages(struct show *show, const struct style *style)
{
	const struct style_settings settings = {
		.options = &show->options,
		.output = &show->output,
		.stack = show->stack,
		.utc = show->options.utc,
		.captures = show->list.captures,
		.capture_count = show->list.count,
	};
	struct merge *merge = merge_new(show->list.captures, show->list.count);
	void *state = merge ? style->begin(&settings) : NULL;
	const struct message *message;

	if (!state) {
		report_memory(show);
		merge_free(merge);
		return;
	}
	show->counts = style->reads != STYLE_READS_NOTHING;
	while (show->counts && show->output.failed == 0 &&
		(message = merge_next(merge))) {
		show->captured +=
			!message->partial && !message_is_event(message);
		if (style->reads == STYLE_READS_ALL ||
			filter_wants(&show->options, message))
			style->message(state, message);
	}
	style->end(state);
	output_flush(&show->output);
	merge_free(merge);
}

static void print_errors(const struct error_list *errors)
{
	char sentence[4608];
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		error_sentence(&errors->kept[i], sentence, sizeof(sentence));
		fprintf(stderr, "%s\n", sentence);
	}
	if (errors->count > ERROR_KEPT_MAX)
		fprintf(stderr, "and %zu more of this kind\n",
			errors->count - ERROR_KEPT_MAX);
}

static void print_sum(const struct show *show)
{
	bool raw = strcmp(show->options.style, "raw") == 0;
	bool clean = show->passed == 0 && show->dropped == 0 &&
		     show->errors.count == 0;

	if (show->options.quiet || (raw && clean) || show->list.count == 0 ||
		!show->counts)
		return;
	fprintf(stderr,
		"%" PRIu64 " captured, %" PRIu64 " passed, %" PRIu64
		" dropped\n",
		show->captured, show->passed, show->dropped);
}

static enum exit_status judge(const struct show *show)
{
	if (show->output.failed != 0 && show->output.failed != EPIPE)
		return EXIT_NOTHING;
	if (error_count(&show->errors, ERROR_SEVERITY_DAMAGE) > 0)
		return show->captured > 0 || (!show->counts && show->list.count)
			       ? EXIT_DAMAGE
			       : EXIT_NOTHING;
	if (show->list.count == 0)
		return EXIT_NOTHING;
	return show->dropped > 0 ? EXIT_DAMAGE : EXIT_ALL_READ;
}

static enum exit_status run(struct show *show, const struct style *style)
{
	enum exit_status status;

	open_captures(show);
	show_messages(show, style);
	if (show->output.failed != 0 && show->output.failed != EPIPE)
		fprintf(stderr,
			"%s: not written: %s: make room or choose another "
			"place\n",
			show->output.where ? show->output.where
					   : "standard output",
			strerror(show->output.failed));
	if (show->output.failed == 0) {
		print_errors(&show->errors);
		print_sum(show);
	}
	status = judge(show);
	render_buffer_free(&show->output.text);
	capture_list_free(&show->list);
	return status;
}

static enum exit_status start(struct show *show)
{
	const struct style *style = show->options.as_written
					    ? &style_written
					    : style_find(show->options.style);
	enum exit_status status;

	if (!style)
		return fail("--output: no such style: "
			    "--output=help lists them");
	if (show->options.stacks)
		show->stack = stack_new(show->options.depth);
	if (show->options.stacks && !show->stack)
		return fail("--stacks: out of memory: try without");
	status = run(show, style);
	stack_free(show->stack);
	return status;
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
	case OPTIONS_WRONG:
		return fail(show.options.problem);
	case OPTIONS_SHOW:
		break;
	}
	return start(&show);
}
