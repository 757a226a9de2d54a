#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/escape.h"
#include "base/limits.h"
#include "decoder/output/count_words.h"
#include "decoder/output/style.h"
#include "decoder/output/table.h"
#include "decoder/query/filter.h"
#include "decoder/runs/process_tree.h"
#include "decoder/source/source.h"

#define NS 1000000000u

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

struct processes {
	struct style_settings settings;
	struct process_list *list;
	struct table table;
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

static void put_detail(struct render_buffer *out, size_t begin,
	const char *what, const char *text, size_t bytes)
{
	render_buffer_put(out, out->length > begin ? " " : "\n    ",
		out->length > begin ? 1 : 5);
	render_buffer_put(out, what, strlen(what));
	put_word(out, text, bytes);
}

/*
 * On a line of its own: what was started, where, on which machine and with
 * which variables, as far as it is not as in `known`.  A forked child has what
 * its parent has.
 */
static void put_details(struct render_buffer *out,
	const struct process_entry *entry, const struct program *known)
{
	const struct program *program = entry->program;
	const char *words = program->environment, *word;
	size_t left = program->environment_bytes, bytes;
	const char *what = "with ";
	const size_t begin = out->length;
	const struct {
		const char *what, *text, *known;
	} details[] = {
		{"", program->executable, known->executable},
		{"in ", program->directory, known->directory},
		{"on ", program->host, known->host},
	};
	size_t i;

	for (i = 0; i < sizeof(details) / sizeof(*details); i++)
		if (details[i].text && *details[i].text &&
			!same_text(details[i].text, details[i].known))
			put_detail(out, begin, details[i].what, details[i].text,
				strlen(details[i].text));
	while ((word = next_word(&words, &left, &bytes))) {
		if (has_variable(known, word, bytes))
			continue;
		put_detail(out, begin, what, word, bytes);
		what = "";
	}
}

static void add_row(struct processes *state, const struct process_entry *entry)
{
	static const struct program none;
	struct table *table = &state->table;
	char date[CALENDAR_BYTES];

	calendar_put(date, entry->started / NS, state->settings.utc);
	table_number_cell(table, entry->pid);
	table_text_cell(table, date);
	table_number_cell(table, entry->messages);
	table_number_cell(table, entry->passed);
	table_number_cell(table, entry->dropped);
	process_list_put_end(entry, &table->text);
	table_end_cell(table);
	put_branches(&table->text, entry);
	escape_put(
		&table->text, entry->name, strlen(entry->name), ESCAPE_NEWLINE);
	put_arguments(&table->text, entry);
	if (is_program(entry) && entry->program->arguments) {
		put_details(
			&table->text, entry, state->told ? state->told : &none);
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
	if (!table_put(&processes->table, &output->text) && !output->failed)
		output->failed = ENOMEM;
	table_free(&processes->table);
	process_list_free(processes->list);
	free(processes);
}
