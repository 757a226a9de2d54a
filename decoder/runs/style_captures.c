#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "decoder/output/count_words.h"
#include "decoder/output/short_time.h"
#include "decoder/output/style.h"
#include "decoder/output/table.h"
#include "decoder/runs/process_tree.h"
#include "decoder/source/source.h"

static const struct table_column columns[] = {
	{"PID", true},
	{"STARTED", false},
	{"SIZE", true},
	{"PASSED", true},
	{"DROPPED", true},
	{"END", false},
	{"PROGRAM", false},
	{"OWNER", true},
	{"FILE", false},
	{NULL, false},
};

static const struct table_column columns_on_terminal[] = {
	{"PID", true},
	{"STARTED", false},
	{"SIZE", true},
	{COUNT_HEAD_PASSED, true},
	{COUNT_HEAD_LOST, true},
	{"END", false},
	{"PROGRAM", false},
	{"OWNER", true},
	{"FILE", false},
	{NULL, false},
};

struct captures {
	struct style_settings settings;
	struct process_list *list;
	struct table table;
	struct short_time times;
};

void *style_captures_begin(const struct style_settings *settings)
{
	struct captures *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->settings = *settings;
	state->table.columns =
		settings->output->width > 0 ? columns_on_terminal : columns;
	short_time_begin(
		&state->times, settings->utc, settings->output->width > 0);
	state->list =
		process_list_new(settings->captures, settings->capture_count);
	if (state->list)
		return state;
	free(state);
	return NULL;
}

void style_captures_message(void *state, const struct message *message)
{
	(void)state;
	(void)message;
}

/* 36K, 1.5M: as du(1) does, at least as much as it is. */
static void add_size(struct table *table, uint64_t bytes)
{
	static const char units[] = "KMGT";
	uint64_t tenths = (bytes * 10 + 1023) / 1024;
	size_t unit = 0;
	char text[32];

	for (; tenths >= 10240 && unit < 3; unit++)
		tenths = (tenths + 1023) / 1024;
	if (tenths < 100 && unit > 0)
		snprintf(text, sizeof(text), "%u.%u%c", (unsigned)tenths / 10,
			(unsigned)tenths % 10, units[unit]);
	else
		snprintf(text, sizeof(text), "%llu%c",
			(unsigned long long)(tenths + 9) / 10, units[unit]);
	table_text_cell(table, text);
}

static void add_name(struct table *table, const char *name)
{
	escape_put(&table->text, name, strlen(name), ESCAPE_NEWLINE);
	table_end_cell(table);
}

/* A fact, unlike what the capture says of its user. */
static void add_owner(struct table *table, const struct recording *capture)
{
	if (capture->has_owner)
		table_number_cell(table, capture->owner);
	else
		table_text_cell(table, "-"); /* read from a pipe */
}

/* One row for a capture and all processes in it. */
static void add_row(struct captures *state, const struct process_entry *founder,
	const struct process_entry *speaks)
{
	const struct recording *capture = founder->capture;
	const char *slash = strrchr(capture->path, '/');
	struct table *table = &state->table;

	table_number_cell(table, founder->pid);
	short_time_put_second(&state->times, founder->started, &table->text);
	table_end_cell(table);
	add_size(table, capture->size);
	table_number_cell(table, capture->passed);
	table_number_cell(table, capture->dropped);
	process_list_put_end(speaks, &table->text);
	table_end_cell(table);
	add_name(table, founder->name);
	add_owner(table, capture);
	add_name(table, slash ? slash + 1 : capture->path);
}

/* Those that a process has left for others, the first one first. */
static void add_left(
	struct captures *state, struct process_entry *left, const char *name)
{
	struct process_entry *first = NULL, *next;

	for (; left; left = next) {
		next = left->left;
		left->left = first;
		first = left;
	}
	for (; first; first = first->left) {
		first->name = name;
		add_row(state, first, first);
	}
}

/* How the program has ended, unless a child of its goes on without it. */
static void add_rows(struct captures *state)
{
	struct process_entry **entries = state->list->entries;
	size_t count = state->list->count;
	size_t i, next;

	for (i = 0; i < count; i = next) {
		const struct process_entry *speaks = entries[i];

		for (next = i + 1; next < count && entries[next]->capture ==
							   entries[i]->capture;
			next++)
			if (entries[next]->liveness == LIVENESS_ALIVE)
				speaks = entries[next];
		if (entries[i]->founded_by)
			continue;
		add_left(state, entries[i]->left, entries[i]->name);
		add_row(state, entries[i], speaks);
	}
}

void style_captures_end(void *state)
{
	struct captures *captures = state;
	struct output *output = captures->settings.output;
	struct recording *const *packed;
	size_t count;

	packed = source_packed(captures->settings.messages, &count);
	if (!process_list_add_packed(captures->list, packed, count) &&
		!output->failed)
		output->failed = ENOMEM;
	process_list_finish(captures->list);
	add_rows(captures);
	if (!table_put(&captures->table, &output->text) && !output->failed)
		output->failed = ENOMEM;
	table_free(&captures->table);
	process_list_free(captures->list);
	free(captures);
}
