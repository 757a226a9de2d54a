/*
 * binlog-top: what is logged right now, in the terminal or as plain text.
 * Looks at the captures (top_captures.c), makes a page of what was counted
 * (top_page.c), shows it, and obeys keys (top_keys.c) until the next look.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "base/text_width.h"
#include "decoder/show/descriptors.h"
#include "decoder/show/say.h"
#include "record/layout.h"
#include "sandbox/sandbox.h"
#include "tools/output/standard_output.h"
#include "tools/top/top_captures.h"
#include "tools/top/top_keys.h"
#include "tools/top/top_names.h"
#include "tools/top/top_page.h"
#include "tools/top/top_screen.h"

/*
 * The command line of binlog-top, as top_options.def has it.  Called by main
 * once; prints nothing.
 */

struct top_options {
	struct top_settings settings;
	bool help;
	bool version;
	char problem[COMMAND_LINE_PROBLEM_BYTES];
};

#define DEFAULT_DIRECTORY "binlog.data"
#define NS 1000000000.0
/* Of a refresh, in seconds. */
#define DELAY_LEAST 0.1
#define DELAY_MOST 86400.0

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/top/top_options.def"
#undef OPTION
};

static const struct command_option descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help, NULL},
#include "tools/top/top_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

/* Null, or what is wrong. */
static const char *parse_delay(uint64_t *delay, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!isdigit((unsigned char)*text) || *end ||
		!(seconds >= DELAY_LEAST && seconds <= DELAY_MOST))
		return "no such time: give seconds, 0.1 or more";
	*delay = (uint64_t)(seconds * NS);
	return NULL;
}

static const char *parse_count(uint64_t *count, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || value == 0 ||
		value > UINT32_MAX)
		return "no such number: give one from 1 on";
	*count = value;
	return NULL;
}

static const char *parse_view(struct top_settings *settings, const char *text)
{
	int i;

	settings->view_given = true;
	for (i = 0; i < TOP_VIEWS; i++)
		if (strcmp(text, top_settings_view((enum top_view)i)) == 0) {
			settings->view = (enum top_view)i;
			return NULL;
		}
	return "no such view: give sites, processes, threads or captures";
}

static const char *parse_sort(struct top_settings *settings, const char *text)
{
	int i;

	for (i = 0; i < TOP_SORTS; i++)
		if (strcmp(text, top_settings_sort((enum top_sort)i)) == 0) {
			settings->sort = (enum top_sort)i;
			return NULL;
		}
	return "no such key: give rate, total, bytes or name";
}

static const char *parse_filter(struct top_settings *settings, const char *text)
{
	if (strlen(text) >= sizeof(settings->filter))
		return "too long a text: give less than 128 bytes";
	snprintf(settings->filter, sizeof(settings->filter), "%s", text);
	return NULL;
}

static const char *apply(void *closure, int option, const char *value)
{
	struct top_options *options = closure;
	struct top_settings *settings = &options->settings;

	switch (option) {
	case NUMBER_DELAY:
		return parse_delay(&settings->delay_ns, value);
	case NUMBER_BATCH:
		settings->batch = true;
		break;
	case NUMBER_COUNT:
		return parse_count(&settings->count, value);
	case NUMBER_VIEW:
		return parse_view(settings, value);
	case NUMBER_SORT:
		return parse_sort(settings, value);
	case NUMBER_FILTER:
		return parse_filter(settings, value);
	case NUMBER_ROWS:
		return parse_count(&settings->rows, value);
	case NUMBER_LIMIT:
		return limits_set(value);
	case NUMBER_NO_LIMITS:
		limits_lift();
		break;
	case NUMBER_HELP:
		options->help = true;
		break;
	case NUMBER_VERSION:
		options->version = true;
		break;
	}
	return NULL;
}

/* False: `problem` says what is wrong.  The strings of argv stay the caller's;
 * their order may change. */
static bool top_options_parse(
	struct top_options *options, int argc, char **argv)
{
	struct command_line line = {
		.command = "binlog-top",
		.options = descriptions,
		.count = OPTIONS,
		.apply = apply,
		.closure = options,
	};
	const char *wrong;

	*options = (struct top_options){.settings = {
						.place = DEFAULT_DIRECTORY,
						.delay_ns = (uint64_t)NS,
					}};
	wrong = command_line_read(&line, argc, argv);
	if (!wrong && line.rest_count > 0)
		options->settings.place = line.rest[0];
	if (!wrong && line.rest_count > 1) {
		snprintf(options->problem, sizeof(options->problem),
			"%.100s: one place at a time: give a directory or the "
			"number of a process",
			line.rest[1]);
		return false;
	}
	if (wrong)
		snprintf(options->problem, sizeof(options->problem), "%s",
			wrong);
	return !wrong;
}

enum exit_status {
	EXIT_SHOWN = 0,
	EXIT_LOST = 1, /* what was shown could not be written */
	EXIT_NOTHING = 2,
};

/* The first page comes soon, so that there is something to look at. */
#define FIRST_NS 200000000u
/* Of each refresh so much is for names, at most. */
#define NAMES_NS 100000000u
#define KEYS_ROOM 256

struct top {
	struct top_options options;
	struct top_captures captures;
	struct top_page page;
	struct render_buffer text;
	uint64_t shown;
};

static enum exit_status fail(const char *sentence)
{
	sentence_say("binlog-top: %s", sentence);
	return EXIT_NOTHING;
}

static enum exit_status finish(enum exit_status status)
{
	return standard_output_finish("binlog-top") ? status : EXIT_LOST;
}

static enum exit_status print_help(void)
{
	char text[4096];
	size_t i;

	puts("Usage: binlog-top [OPTION...] [DIR|PID]\n"
	     "Shows what programs log right now: the busiest calls, processes, "
	     "threads and\nlosses, of all that write to captures in DIR "
	     "(default: binlog.data) or of one\nprocess.\n");
	command_line_help(descriptions, OPTIONS, text, sizeof(text));
	puts(text);
	puts("Keys:");
	for (i = 0; i < top_keys_count; i++)
		printf("  %-8s %s\n", top_keys[i].shown, top_keys[i].help);
	puts("\nMouse: " TOP_MOUSE_HELP ";\nwheel: scroll.");
	puts("\nExit status: 0: shown; 1: it could not be written; 2: usage, "
	     "or there is no\nsuch process or directory.");
	return finish(EXIT_SHOWN);
}

/* ---- both ways ---- */

/* Half of the time is for reading; what is more comes later. */
static bool look(struct top *top)
{
	return top_captures_look(
		&top->captures, top->options.settings.delay_ns / 2);
}

static bool is_last(const struct top *top)
{
	uint64_t count = top->options.settings.count;

	return (count > 0 && top->shown == count) ||
	       (top->options.settings.batch && top->captures.ended);
}

/* At the end: until then pages say only that there is something. */
static void say_missing(const struct top_captures *captures)
{
	size_t i, e;

	for (i = 0; i < captures->count; i++) {
		const struct top_capture *capture = captures->all[i];
		struct error_list errors = capture->count.errors;

		/* what was opened may be closed, and its name with it */
		for (e = 0; e < errors.count && e < ERROR_KEPT_MAX; e++)
			errors.kept[e].file = capture->target.path;
		if (error_count(&errors, ERROR_SEVERITY_DAMAGE) > 0)
			say_errors(&errors);
	}
	say_limits();
}

/* ---- for scripts ---- */

static void sleep_until(uint64_t moment)
{
	const struct timespec time = {
		.tv_sec = (time_t)(moment / 1000000000u),
		.tv_nsec = (long)(moment % 1000000000u),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) ==
		EINTR)
		;
}

static enum exit_status show_batch(struct top *top)
{
	uint64_t next = top_now();

	do {
		next += top->options.settings.delay_ns;
		sleep_until(next);
		look(top);
		top_names_allow(top->page.names, NAMES_NS);
		top->text.length = 0;
		top_page_batch(&top->page, &top->text);
		if (top->text.failed)
			return fail("out of memory");
		if (fwrite(top->text.data, 1, top->text.length, stdout) <
				top->text.length ||
			fflush(stdout) != 0) {
			standard_output_lost("binlog-top", strerror(errno));
			return EXIT_LOST;
		}
		top->shown++;
	} while (!is_last(top));
	return EXIT_SHOWN;
}

/* ---- on a terminal ---- */

static void draw(struct top *top, const struct top_screen *screen)
{
	top->page.width = screen->width;
	top->page.height = screen->height;
	top->text.length = 0;
	top_names_allow(top->page.names, NAMES_NS);
	top_page_screen(&top->page, &top->text);
	if (!top->text.failed)
		top_screen_show(top->text.data, top->text.length);
	top->text.failed = false;
}

/* Keys, and new pages without a new look, until then. */
static void attend(struct top *top, struct top_screen *screen,
	struct top_typing *typing, uint64_t until)
{
	uint64_t time;

	typing->looks = false;
	while (!typing->quits && !typing->looks && screen->signal == 0 &&
		(time = top_now()) < until) {
		char keys[KEYS_ROOM];
		size_t count = top_screen_wait(
			screen, until - time, keys, sizeof(keys));

		top_keys_take(typing, keys, count);
		draw(top, screen);
	}
}

static enum exit_status show_screen(struct top *top)
{
	struct top_typing typing = {
		.settings = &top->options.settings,
		.captures = &top->captures,
		.page = &top->page,
	};
	uint64_t delay = FIRST_NS;
	struct top_screen screen;
	const char *wrong = top_screen_begin(&screen);

	if (wrong)
		return fail(wrong);
	top->page.news = typing.news;
	top->page.mouse = screen.mouse;
	while (!typing.quits && screen.signal == 0 && !is_last(top)) {
		draw(top, &screen);
		attend(top, &screen, &typing, top_now() + delay);
		delay = top->options.settings.delay_ns;
		if (!top->page.paused)
			look(top);
		top->shown++;
	}
	top->page.news = "";
	top_screen_end();
	say_missing(&top->captures);
	if (screen.signal != 0)
		top_screen_die(screen.signal);
	return EXIT_SHOWN;
}

static enum exit_status show(struct top *top)
{
	const struct top_settings *settings = &top->options.settings;
	const char *no_colour = getenv("NO_COLOR");
	struct sandbox_needs needs = {
		.needs = SANDBOX_WORKER | SANDBOX_PROCESSES};
	enum exit_status status;
	const char *wrong;

	/* Keys switch programs: whose captures are written to, and beside
	 * them. */
	if (!settings->batch)
		needs.needs |=
			SANDBOX_WRITES | SANDBOX_SHARES | SANDBOX_TERMINAL;
	text_width_prepare();
	wrong = sandbox_enter(&needs);
	if (wrong)
		return fail(wrong);
	top->captures.place = settings->place;
	top->page = (struct top_page){
		.settings = settings,
		.captures = &top->captures,
		.names = top_names_new(),
		.colour = !no_colour || !*no_colour,
		.news = "",
	};
	if (!top->page.names)
		return fail("out of memory");
	if (look(top))
		status = settings->batch ? show_batch(top) : show_screen(top);
	else
		status = fail(top->captures.sentence);
	if (settings->batch)
		say_missing(&top->captures);
	top_names_free(top->page.names);
	top_captures_free(&top->captures);
	render_buffer_free(&top->text);
	return status;
}

int main(int argc, char **argv)
{
	static struct top top;

	standard_output_guard();
	descriptors_raise_limit();
	/* We may be in a recorded run ourselves. */
	setenv("BINLOG_DISABLE", "1", 1);
	if (!top_options_parse(&top.options, argc, argv))
		return fail(top.options.problem);
	if (top.options.help)
		return print_help();
	if (top.options.version) {
		standard_output_version(
			"binlog-top", "captures", BINLOG_VERSION);
		return finish(EXIT_SHOWN);
	}
	return show(&top);
}
