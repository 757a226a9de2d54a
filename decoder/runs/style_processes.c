#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/output/text_cut.h"
#include "base/text_width.h"
#include "decoder/output/count_words.h"
#include "decoder/output/short_time.h"
#include "decoder/output/style.h"
#include "decoder/output/table.h"
#include "decoder/query/filter.h"
#include "decoder/runs/process_tree.h"
#include "decoder/source/source.h"

#define DETAIL_INDENT 4 /* columns */

/* Beside all numbers: more of a long command line is seen without some. */
#define PROGRAM_LEAST 24

static const struct table_column columns[] = {
	{"PID", true},
	{"STARTED", false},
	{"MESSAGES", true},
	{"PASSED", true},
	{"DROPPED", true},
	{"END", false},
	{"PROGRAM", false},
	{NULL, false},
};

static const struct table_column columns_on_terminal[] = {
	{"PID", true},
	{"STARTED", false},
	{COUNT_HEAD_RECORDED, true},
	{COUNT_HEAD_PASSED, true},
	{COUNT_HEAD_LOST, true},
	{"END", false},
	{"PROGRAM", false},
	{NULL, false},
};

enum { PASSED = 3, LOST };

struct processes {
	struct style_settings settings;
	struct process_list *list;
	struct table table;
	struct short_time times;
	bool passed; /* some were, in one of them; and so below */
	bool lost;
	/* Of which all was said, latest; null: of none yet. */
	const struct program *told;
};

void *style_processes_begin(const struct style_settings *settings)
{
	struct processes *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->settings = *settings;
	state->table.columns =
		settings->output->width > 0 ? columns_on_terminal : columns;
	state->table.last_least = PROGRAM_LEAST;
	short_time_begin(
		&state->times, settings->utc, settings->output->width > 0);
	state->list =
		process_list_new(settings->captures, settings->capture_count);
	if (state->list)
		return state;
	free(state);
	return NULL;
}

void style_processes_message(void *state, const struct message *message)
{
	const struct processes *processes = state;
	const struct filter_rules *rules = &processes->settings.options->rules;

	process_list_message(processes->list, message,
		filter_wants(rules, message) && filter_selects(rules, message));
}

/* As ps(1) draws it with --forest. */
static void put_branches(
	struct render_buffer *out, const struct process_entry *entry)
{
	const struct process_entry *line[LIMITS_BRANCHES];
	size_t depth = 0;

	for (; entry->parent && !limits_reached(LIMIT_BRANCHES, depth);
		entry = entry->parent)
		line[depth++] = entry;
	while (depth > 1)
		render_buffer_put(
			out, line[--depth]->sibling ? " |  " : "    ", 4);
	if (depth > 0)
		render_buffer_put(out, " \\_ ", 4);
}

/* Null: there is no more.  They come from logs: the last NUL may be missing. */
static const char *next_word(const char **at, size_t *left, size_t *bytes)
{
	const char *word = *at;

	if (*left == 0)
		return NULL;
	*bytes = strnlen(word, *left);
	*at += *bytes < *left ? *bytes + 1 : *bytes;
	*left -= (size_t)(*at - word);
	return word;
}

/* As a shell takes it. */
static void put_word(struct render_buffer *out, const char *word, size_t bytes)
{
	const char *c;
	bool plain = bytes > 0;
	size_t i;

	for (i = 0; i < bytes && plain; i++)
		plain = (unsigned char)word[i] >= 0x80 ||
			isalnum((unsigned char)word[i]) ||
			strchr("%+,-./:=@_", word[i]);
	if (plain) {
		escape_put(out, word, bytes, ESCAPE_NEWLINE);
		return;
	}
	render_buffer_put_byte(out, '\'');
	while ((c = memchr(word, '\'', bytes))) {
		escape_put(out, word, (size_t)(c - word), ESCAPE_NEWLINE);
		render_buffer_put(out, "'\\''", 4);
		bytes -= (size_t)(c + 1 - word);
		word = c + 1;
	}
	escape_put(out, word, bytes, ESCAPE_NEWLINE);
	render_buffer_put_byte(out, '\'');
}

static void put_words(struct render_buffer *out, const char *words, size_t left)
{
	const char *word;
	size_t bytes;

	while ((word = next_word(&words, &left, &bytes))) {
		render_buffer_put_byte(out, ' ');
		put_word(out, word, bytes);
	}
}

/* And no forked child of one. */
static bool is_program(const struct process_entry *entry)
{
	return !entry->founded_by || process_shares_capture(entry);
}

/* The name stands for the first one.  A forked child has those of its parent.
 */
static void put_arguments(
	struct render_buffer *out, const struct process_entry *entry)
{
	const struct program *program = entry->program;
	const char *words = program->arguments;
	size_t left = program->argument_bytes;
	size_t bytes;

	if (words && is_program(entry) && next_word(&words, &left, &bytes))
		put_words(out, words, left);
}

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static bool has_variable(
	const struct program *program, const char *word, size_t bytes)
{
	const char *words = program->environment, *other;
	size_t left = program->environment_bytes, length;

	while ((other = next_word(&words, &left, &length)))
		if (length == bytes && memcmp(other, word, bytes) == 0)
			return true;
	return false;
}

/* The lines below a row, which end where the terminal does. */
struct details {
	struct render_buffer *out;
	unsigned width; /* 0: it is for none, and all is on one line */
	size_t used;	/* columns of the line; 0: there is none yet */
	size_t words;	/* on it */
};

static void put_detail(struct details *details, const char *what,
	const char *text, size_t bytes)
{
	struct render_buffer *out = details->out;
	struct render_buffer word = {0};
	size_t wide;
	size_t room;

	render_buffer_put_string(&word, what);
	put_word(&word, text, bytes);
	out->failed |= word.failed;
	wide = text_width(render_buffer_from(&word, 0), word.length);
	if (details->used == 0 ||
		(details->width > 0 && details->words > 0 &&
			details->used + 1 + wide > details->width)) {
		render_buffer_put_byte(out, '\n');
		render_buffer_fill(out, ' ', DETAIL_INDENT);
		details->used = DETAIL_INDENT;
	} else {
		render_buffer_put_byte(out, ' ');
		details->used++;
	}
	room = details->width > details->used ? details->width - details->used
					      : 1;
	text_cut_put(out, render_buffer_from(&word, 0), word.length,
		details->width > 0 ? room : SIZE_MAX);
	details->used += wide;
	details->words++;
	render_buffer_free(&word);
}

/*
 * Below the row: what was started, where, on which machine and with which
 * variables, as far as it is not as in `known`.  A forked child has what its
 * parent has.
 */
static void put_details(struct details *details,
	const struct process_entry *entry, const struct program *known)
{
	const struct program *program = entry->program;
	const char *words = program->environment, *word;
	size_t left = program->environment_bytes, bytes;
	const char *what = "with ";
	const struct {
		const char *what, *text, *known;
	} all[] = {
		{"", program->executable, known->executable},
		{"in ", program->directory, known->directory},
		{"on ", program->host, known->host},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].text && *all[i].text &&
			!same_text(all[i].text, all[i].known))
			put_detail(details, all[i].what, all[i].text,
				strlen(all[i].text));
	while ((word = next_word(&words, &left, &bytes))) {
		if (has_variable(known, word, bytes))
			continue;
		put_detail(details, what, word, bytes);
		what = "";
	}
}

static void add_row(struct processes *state, const struct process_entry *entry)
{
	static const struct program none;
	struct table *table = &state->table;
	struct details details = {
		.out = &table->text, .width = state->settings.output->width};

	table_number_cell(table, entry->pid);
	short_time_put_second(&state->times, entry->started, &table->text);
	table_end_cell(table);
	table_number_cell(table, entry->messages);
	table_number_cell(table, entry->passed);
	table_number_cell(table, entry->dropped);
	state->passed |= entry->passed > 0;
	state->lost |= entry->dropped > 0;
	process_list_put_end(entry, &table->text);
	table_end_cell(table);
	put_branches(&table->text, entry);
	escape_put(
		&table->text, entry->name, strlen(entry->name), ESCAPE_NEWLINE);
	put_arguments(&table->text, entry);
	if (is_program(entry) && entry->program->arguments) {
		put_details(&details, entry, state->told ? state->told : &none);
		state->told = entry->program;
	}
	table_end_cell(table);
}

static void add_family(
	struct processes *state, const struct process_entry *root)
{
	const struct filter_rules *rules = &state->settings.options->rules;

	for (; root; root = process_tree_next(root))
		if (filter_wants_pid(rules, root->pid))
			add_row(state, root);
}

/* A narrow terminal does without what is 0 everywhere. */
static bool put_table(const struct processes *state, struct output *output)
{
	unsigned char expendable[] = {
		TABLE_COLUMNS_MAX, TABLE_COLUMNS_MAX, TABLE_COLUMNS_MAX};
	size_t count = 0;

	if (!state->passed)
		expendable[count++] = PASSED;
	if (!state->lost)
		expendable[count++] = LOST;
	return table_put_fitting(
		&state->table, &output->text, output->width, expendable);
}

void style_processes_end(void *state)
{
	struct processes *processes = state;
	struct output *output = processes->settings.output;
	struct recording *const *packed;
	size_t count, i;

	packed = source_packed(processes->settings.messages, &count);
	if (!process_list_add_packed(processes->list, packed, count) &&
		!output->failed)
		output->failed = ENOMEM;
	process_list_finish(processes->list);
	for (i = 0; i < processes->list->count; i++)
		if (!processes->list->entries[i]->parent)
			add_family(processes, processes->list->entries[i]);
	if (!put_table(processes, output) && !output->failed)
		output->failed = ENOMEM;
	table_free(&processes->table);
	process_list_free(processes->list);
	free(processes);
}
