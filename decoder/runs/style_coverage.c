#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "decoder/output/style.h"
#include "decoder/output/table.h"
#include "decoder/runs/coverage.h"

static const struct table_column columns[] = {
	{"STATEMENTS", true},
	{"FIRED", true},
	{"NOT KNOWN", true},
	{"%", true},
	{"FILE", false},
	{NULL, false},
};

/* Of some statements. */
struct sum {
	size_t statements;
	size_t hits;
	size_t unknown;
};

struct coverage_style {
	struct style_settings settings;
	struct coverage *coverage;
};

void *style_coverage_begin(const struct style_settings *settings)
{
	struct coverage_style *style = calloc(1, sizeof(*style));

	if (!style)
		return NULL;
	style->settings = *settings;
	style->coverage = coverage_new(settings);
	if (style->coverage)
		return style;
	free(style);
	return NULL;
}

void style_coverage_message(void *state, const struct message *message)
{
	struct coverage_style *style = state;

	coverage_message(style->coverage, message);
}

static bool is_hit(const struct coverage_statement *statement)
{
	return statement->of.count > 0;
}

static bool may_have_hits(const struct coverage_statement *statement)
{
	return statement->of.count == 0 && !statement->of.known;
}

/* Where there is no source the module stands for it. */
static const char *file_of(const struct coverage_statement *statement)
{
	return statement->of.file ? statement->of.file : statement->module;
}

static void add(struct sum *sum, const struct coverage_statement *statement)
{
	sum->statements++;
	sum->hits += is_hit(statement);
	sum->unknown += may_have_hits(statement);
}

static void put_sum(
	struct table *table, const struct sum *sum, const char *name)
{
	size_t sure = sum->statements - sum->unknown;
	char text[32] = "-";

	table_number_cell(table, sum->statements);
	table_number_cell(table, sum->hits);
	table_number_cell(table, sum->unknown);
	if (sure > 0)
		snprintf(text, sizeof(text), "%.1f",
			100 * (double)sum->hits / (double)sure);
	table_text_cell(table, text);
	escape_put(&table->text, name, strlen(name), ESCAPE_NEWLINE);
	table_end_cell(table);
}

static bool put_files(const struct coverage_statement *statements, size_t count,
	struct render_buffer *out)
{
	struct table table = {.columns = columns};
	struct sum all = {0};
	struct sum file = {0};
	bool good;
	size_t i;

	for (i = 0; i < count; i++) {
		const char *name = file_of(&statements[i]);

		add(&file, &statements[i]);
		add(&all, &statements[i]);
		if (i + 1 < count &&
			strcmp(name, file_of(&statements[i + 1])) == 0)
			continue;
		put_sum(&table, &file, name);
		file = (struct sum){0};
	}
	put_sum(&table, &all, "all");
	good = table_put(&table, out);
	table_free(&table);
	return good;
}

static void put_escaped(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

/* As --index does. */
static void put_statement(
	const struct coverage_statement *statement, struct render_buffer *out)
{
	const struct index_statement *of = &statement->of;
	char place[32];

	put_escaped(out, file_of(statement));
	if (of->file)
		snprintf(place, sizeof(place), ":%u: ", of->line);
	else
		snprintf(place, sizeof(place), "+0x%" PRIx64 ": ", of->address);
	render_buffer_put_string(out, place);
	put_escaped(out, of->function ? of->function : "?");
	render_buffer_put_string(out, ": ");
	put_escaped(out, of->call ? of->call : "?");
	render_buffer_put_string(out, " ");
	render_buffer_put_string(out, of->texts);
	render_buffer_put_string(out, "\n");
}

static void put_those(const struct coverage_statement *statements, size_t count,
	const char *title, bool (*are)(const struct coverage_statement *),
	struct output *output)
{
	bool any = false;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!are(&statements[i]))
			continue;
		if (!any)
			render_buffer_put_string(&output->text, title);
		any = true;
		put_statement(&statements[i], &output->text);
		output_settle(output);
	}
}

static bool never_hit(const struct coverage_statement *statement)
{
	return !is_hit(statement) && !may_have_hits(statement);
}

void style_coverage_end(void *state)
{
	struct coverage_style *style = state;
	struct output *output = style->settings.output;
	const struct coverage_statement *statements;
	size_t count;
	bool good = true;

	statements = coverage_list(style->coverage, &count);
	if (count > 0)
		good = put_files(statements, count, &output->text);
	put_those(statements, count, "\nnever:\n", never_hit, output);
	put_those(statements, count, "\nnot known:\n", may_have_hits, output);
	if ((!good || !coverage_is_whole(style->coverage)) &&
		output->failed == 0)
		output->failed = ENOMEM;
	coverage_free(style->coverage);
	free(style);
}
