#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/escape.h"
#include "base/limits.h"
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

struct processes {
	struct style_settings settings;
	struct process_list *list;
	struct table table;
};

void *style_processes_begin(const struct style_settings *settings)
{
	struct processes *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->settings = *settings;
	state->table.columns = columns;
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

static void add_row(struct processes *state, const struct process_entry *entry)
{
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
