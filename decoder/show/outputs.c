#include "decoder/show/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/temporary.h"
#include "decoder/output/colors.h"
#include "decoder/output/output_directory.h"
#include "decoder/query/batch_fold.h"
#include "decoder/source/source.h"
#include "rules/rules.h"

/* Those that --follow begins with. */
#define FOLLOW_LINES 10u

/* Of a terminal that does not tell how wide it is. */
#define WIDTH_USUAL 80

/* Of whose names one may be meant. */
#define STYLES_MAX 64u

static const char *name_of(const struct outputs_one *one)
{
	return one->output.where ? one->output.where : "standard output";
}

/* They keep with each program what is known of it. */
static bool lists_programs(const struct outputs_one *one)
{
	return one->style->begin == style_processes_begin ||
	       one->style->begin == style_captures_begin;
}

/* Null, or why one cannot be beside the other. */
static const char *collide(
	const struct outputs_one *one, const struct outputs_one *other)
{
	if (strcmp(name_of(one), name_of(other)) == 0)
		return "two outputs go to one place: give each its own";
	if (lists_programs(one) && lists_programs(other))
		return "two outputs list processes or captures: only one can";
	return NULL;
}

/* Null, or why the style cannot be shown there. */
static const char *place(struct outputs_one *one, const char *path)
{
	enum style_place place = one->style->place;

	one->split = path && (place == STYLE_PLACE_DIRECTORY ||
				     place == STYLE_PLACE_SPLIT);
	if (!path && place == STYLE_PLACE_DIRECTORY)
		return "its output is a directory: say where with --to";
	if (!path && place == STYLE_PLACE_BINARY && isatty(STDOUT_FILENO))
		return "its output is binary, and standard output is a "
		       "terminal: redirect it, or say where with --to";
	return NULL;
}

static const char *complain_of_style(struct outputs *outputs, const char *name)
{
	const char *names[STYLES_MAX];
	const char *near;
	size_t count = 0;

	for (; count < STYLES_MAX && style_all[count].name; count++)
		names[count] = style_all[count].name;
	near = suggest_nearest(name, names, count);
	if (!near)
		return "no such style: --output=help lists them";
	snprintf(outputs->style_problem, sizeof(outputs->style_problem),
		"no such style: did you mean %s? --output=help lists them",
		near);
	return outputs->style_problem;
}

/* Null, or why it cannot be shown while programs go on. */
static const char *check_following(const struct style *style)
{
	return style->reads == STYLE_READS_LINES ||
			       style->reads == STYLE_READS_WANTED
		       ? NULL
		       : "it shows what is known at the end: leave out "
			 "--follow";
}

const char *outputs_add(
	struct outputs *outputs, struct options *options, const char *path)
{
	struct outputs_one *one = &outputs->all[outputs->count];
	const char *wrong = NULL;
	size_t i;

	if (outputs->count == OUTPUTS_MAX)
		return "more outputs than can be kept: leave some out";
	*one = (struct outputs_one){
		.options = options,
		.style = style_chosen(options),
		.output = {.fd = path ? -1 : STDOUT_FILENO, .where = path},
		.held = -1,
	};
	if (!one->style)
		return complain_of_style(outputs, options->style);
	wrong = place(one, path);
	if (!wrong && options->follow)
		wrong = check_following(one->style);
	for (i = 0; i < outputs->count && !wrong; i++)
		wrong = collide(&outputs->all[i], one);
	if (wrong)
		return wrong;
	options->rules.number = (unsigned)outputs->count++;
	return NULL;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_output(const struct outputs *outputs, const struct stat *file)
{
	struct stat status;
	size_t i;

	for (i = 0; i < outputs->count; i++)
		if (outputs->all[i].output.fd >= 0 &&
			fstat(outputs->all[i].output.fd, &status) == 0 &&
			is_same(&status, file))
			return true;
	return false;
}

/* Where it says itself where outputs go. */
static bool is_config(const struct outputs *outputs, const struct stat *file)
{
	const char *config = outputs->all[0].options->config;
	struct stat status;

	return config && stat(config, &status) == 0 && is_same(&status, file);
}

/* Null, or why an existing file is not to be emptied, which is done. */
static const char *refuse(
	const struct outputs *outputs, const struct capture_list *list, int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return strerror(errno);
	if (!S_ISREG(status.st_mode))
		return "not an ordinary file";
	if (status.st_uid != geteuid())
		return "it is another user's";
	if (status.st_nlink > 1)
		return "it has other names, too";
	if (capture_list_reads(list, &status) || is_config(outputs, &status))
		return "it is one of those that are read";
	if (is_output(outputs, &status))
		return "two outputs go there";
	/* if they are strict, it may have to stay as it is */
	return outputs->strict || ftruncate(fd, 0) == 0 ? NULL
							: strerror(errno);
}

/* Null, or why not. */
static const char *open_file(struct outputs *outputs,
	const struct capture_list *list, struct outputs_one *one)
{
	struct output *output = &one->output;
	const int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
	const char *wrong;
	int fd = open(output->where, flags | O_CREAT | O_EXCL, 0600);

	one->made = fd >= 0;
	if (one->made) {
		output->fd = fd;
		return NULL;
	}
	if (errno == EEXIST)
		fd = open(output->where, flags | O_NONBLOCK);
	if (fd < 0)
		return errno == ELOOP ? "it is a symbolic link"
				      : strerror(errno);
	wrong = refuse(outputs, list, fd);
	if (wrong)
		close(fd);
	else
		output->fd = fd;
	return wrong;
}

bool outputs_open(struct outputs *outputs, const struct capture_list *list)
{
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->all[i].output;
		const char *wrong = NULL;

		if (outputs->all[i].split)
			wrong = output_directory_open(output);
		else if (output->where)
			wrong = open_file(outputs, list, &outputs->all[i]);
		if (!wrong)
			continue;
		snprintf(outputs->problem, sizeof(outputs->problem),
			"%s: not opened: %s: choose another place",
			output->where, wrong);
		return false;
	}
	return true;
}

bool outputs_hold(struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->count && outputs->strict; i++) {
		struct outputs_one *one = &outputs->all[i];
		int fd = one->split ? -1 : temporary_file();

		if (fd < 0 && !one->split) {
			snprintf(outputs->problem, sizeof(outputs->problem),
				"--strict: no temporary file in %s: %s: set "
				"TMPDIR to where there is room",
				temporary_directory(), strerror(errno));
			return false;
		}
		one->held = one->output.fd;
		if (!one->split)
			one->output.fd = fd;
	}
	return true;
}

/* What a program has formatted itself matters to places, formats, arguments. */
static bool needs_statements(const struct outputs_one *one)
{
	const struct options *options = one->options;
	const struct filter_rules *rules = &options->rules;

	if (options->statements != OPTIONS_WHEN_AUTO)
		return options->statements == OPTIONS_WHEN_ALWAYS;
	return one->style->of == STYLE_OF_STATEMENTS || options->location ||
	       options->source || options->stacks || options->bare ||
	       columns_ask_for_statements(&options->columns) ||
	       filter_rules_ask_for_locations(rules) ||
	       rules->expression_count > 0 || rules->formats.count > 0 ||
	       rules->levels != 0;
}

struct outputs_needs outputs_need(const struct outputs *outputs)
{
	struct outputs_needs needs = {0};
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		const struct options *options = outputs->all[i].options;

		needs.stacks |= options->stacks;
		needs.source |= options->source;
		needs.pointers |= options->pointers;
		needs.statements |= needs_statements(&outputs->all[i]);
		needs.locations |=
			options->location ||
			columns_ask_for_locations(&options->columns) ||
			filter_rules_ask_for_locations(&options->rules);
	}
	if (outputs->rules && rules_ask(outputs->rules) & RULES_ASK_SOURCE)
		needs.locations = true;
	needs.locations |= needs.stacks || needs.source || needs.pointers;
	return needs;
}

bool outputs_may_have_places(const struct outputs *outputs)
{
	const struct outputs_one *one = &outputs->all[0];
	const struct options *options = one->options;
	bool lines = one->style->begin == style_line_begin ||
		     one->style->begin == style_largest_begin ||
		     one->style->begin == style_smallest_begin;

	return outputs->count == 1 && lines && !options->location &&
	       !options->stacks && !options->source &&
	       outputs_width(options, one->output.where ? -1 : STDOUT_FILENO) >
		       0;
}

static struct style_settings settings_of(struct outputs *outputs,
	struct outputs_one *one, const struct style_settings *common)
{
	const struct options *options = one->options;
	struct style_settings settings = *common;
	bool filters = one->style->reads == STYLE_READS_LINES ||
		       one->style->reads == STYLE_READS_WANTED;

	settings.options = options;
	settings.output = &one->output;
	settings.stack = options->stacks ? common->stack : NULL;
	settings.source = options->source ? common->source : NULL;
	settings.location = options->location ? common->locations : NULL;
	settings.places = one->output.width > 0 ? common->places : NULL;
	settings.pointers = options->pointers ? common->pointers : NULL;
	settings.color = one->color;
	settings.utc = options->utc;
	settings.bare = options->bare;
	settings.directory = one->split;
	/* What one leaves out another may ask for. */
	settings.batches =
		filters && outputs->count == 1 ? &outputs->filter : NULL;
	return settings;
}

/* Who follows wants to see where it goes on. */
static uint32_t wanted_lines(const struct outputs_one *one)
{
	const struct options *options = one->options;

	if (options->lines == LAST_LINES_ALL && options->follow &&
		!options->all_lines && !options->rules.since_text &&
		!options->rules.around &&
		one->style->reads == STYLE_READS_LINES)
		return FOLLOW_LINES;
	return options->lines;
}

static bool begin_one(struct outputs *outputs, struct outputs_one *one,
	const struct style_settings *common)
{
	struct style_settings settings = settings_of(outputs, one, common);
	struct options *options = one->options;

	options->rules.locations = common->locations;
	if (options->rules.categories.count > 0 &&
		!filter_rules_use_categories(&options->rules, common->rules))
		return false;
	if (options->reverse || wanted_lines(one) != LAST_LINES_ALL) {
		one->output.lines =
			last_lines_new(wanted_lines(one), options->reverse);
		if (!one->output.lines)
			return false;
	}
	one->output.around = options->rules.around;
	one->given = one->style->reads != STYLE_READS_NOTHING;
	one->asks = filter_asks_for_calls(&options->rules);
	outputs->filter.rules = &options->rules;
	one->state = one->style->begin(&settings);
	return one->state;
}

unsigned outputs_width(const struct options *options, int fd)
{
	const char *columns = getenv("COLUMNS");
	unsigned long told = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	if (options->width != OPTIONS_WIDTH_AUTO)
		return options->width;
	if (!isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return told > 0 && told <= UINT16_MAX ? (unsigned)told : WIDTH_USUAL;
}

void outputs_choose_looks(struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		struct outputs_one *one = &outputs->all[i];

		one->color =
			colors_are_wanted(one->options->color, one->output.fd);
		one->output.width = outputs_width(one->options, one->output.fd);
	}
}

static void begin_filter(struct outputs *outputs, struct source *source)
{
	const struct batch_fold *fold = outputs->filter.fold;

	source_filter(source, filter_batch_wants, &outputs->filter);
	if (fold)
		source_fold(source, batch_fold_take, fold->ordered);
}

bool outputs_begin(struct outputs *outputs, const struct style_settings *common,
	struct source *source)
{
	enum style_reads reads = outputs->all[0].style->reads;
	size_t i;

	outputs->filter.statements = outputs->statements;
	for (i = 0; i < outputs->count; i++)
		if (!begin_one(outputs, &outputs->all[i], common))
			return false;
	if (source && outputs->count == 1 &&
		(reads == STYLE_READS_LINES || reads == STYLE_READS_WANTED))
		begin_filter(outputs, source);
	if (outputs->count == 1 && reads == STYLE_READS_LINES)
		outputs->only = outputs->all;
	return true;
}

bool outputs_begin_again(struct outputs *outputs,
	const struct style_settings *common, struct source *source)
{
	struct outputs_one *one = &outputs->all[0];

	one->style->end(one->state);
	one->state = NULL;
	last_lines_free(one->output.lines);
	one->output.lines = NULL;
	one->output.text.length = 0;
	outputs->filter = (struct filter_batch){0};
	return outputs_begin(outputs, common, source);
}

bool outputs_want_messages(const struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->count; i++)
		if (outputs->all[i].given && outputs->all[i].output.failed == 0)
			return true;
	return false;
}

static bool is_for(const struct outputs_one *one, const struct message *message)
{
	enum style_reads reads = one->style->reads;

	if (reads == STYLE_READS_ALL)
		return true;
	return filter_wants(&one->options->rules, message) &&
	       (reads == STYLE_READS_LINES ||
		       filter_selects(&one->options->rules, message));
}

bool outputs_message_each(
	struct outputs *outputs, const struct message *message)
{
	bool going = false;
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		struct outputs_one *one = &outputs->all[i];

		if (!one->given || one->output.failed != 0)
			continue;
		going = true;
		if (is_for(one, message))
			one->style->message(one->state, message);
	}
	return going;
}

uint64_t outputs_passed(const struct outputs *outputs)
{
	return outputs->filter.passed;
}

static void note(struct output *output, bool good)
{
	if (!good && output->failed == 0)
		output->failed = errno;
}

void outputs_flush(struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->count; i++)
		output_flush(&outputs->all[i].output);
}

void outputs_end_waiting(struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->count; i++)
		output_end_waiting(&outputs->all[i].output);
}

void outputs_remarks(const struct outputs *outputs, struct render_buffer *out)
{
	size_t i, k;

	for (i = 0; i < outputs->count; i++) {
		const struct filter_rules *rules =
			&outputs->all[i].options->rules;

		for (k = 0; k < rules->expression_count; k++)
			expression_remarks(rules->expressions[k], out);
	}
}

/* Closes a file when it is on the disk; or a directory, with the files that
 * were made there. */
static void close_one(struct outputs_one *one)
{
	struct output *output = &one->output;

	if (output->fd == STDOUT_FILENO || output->fd < 0)
		return;
	note(output,
		(one->split ? syncfs(output->fd) : fsync(output->fd)) == 0);
	note(output, close(output->fd) == 0);
	output->fd = -1;
}

void outputs_end(struct outputs *outputs)
{
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		struct outputs_one *one = &outputs->all[i];

		if (one->state)
			one->style->end(one->state);
		one->state = NULL;
		output_end(&one->output);
		if (one->held < 0)
			close_one(one);
	}
}

/* From the temporary file to where it is for. */
static void copy_held(struct output *output, int from)
{
	off_t at = 0;
	ssize_t n = 1;

	if (output->fd != STDOUT_FILENO)
		note(output, ftruncate(output->fd, 0) == 0);
	while (n != 0 && output->failed == 0) {
		if (!render_buffer_reserve(
			    &output->text, OUTPUT_BUFFER_BYTES)) {
			output->failed = ENOMEM;
			break;
		}
		n = pread(from, output->text.data, OUTPUT_BUFFER_BYTES, at);
		if (n < 0 && errno == EINTR)
			continue;
		note(output, n >= 0);
		output->text.length = n > 0 ? (size_t)n : 0;
		at += n;
		output_flush(output);
	}
	render_buffer_free(&output->text);
}

static void release_one(struct outputs_one *one, bool shown)
{
	struct output *output = &one->output;
	int from = output->fd;

	output->fd = one->held;
	one->held = -1;
	if (one->split && !shown)
		output_directory_empty(output);
	if (one->split)
		return;
	if (output->failed != 0)
		output->where = "a temporary file in TMPDIR";
	else if (shown)
		copy_held(output, from);
	else if (one->made)
		unlink(output->where);
	close(from);
}

void outputs_release(struct outputs *outputs, bool shown)
{
	size_t i;

	for (i = 0; i < outputs->count; i++) {
		if (outputs->all[i].held < 0)
			continue;
		release_one(&outputs->all[i], shown);
		close_one(&outputs->all[i]);
	}
}

const struct output *outputs_failed(
	const struct outputs *outputs, size_t *number)
{
	while (*number < outputs->count) {
		const struct output *output = &outputs->all[*number].output;

		++*number;
		if (output->failed != 0)
			return output;
	}
	return NULL;
}
