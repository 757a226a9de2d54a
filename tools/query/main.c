/*
 * binlog-query: what binlog-show shows of logs, of the tables of a server.  The
 * options become SQL, rows become messages again, and the styles are the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/exit_status.h"
#include "base/sentence.h"
#include "decoder/fleet/answers.h"
#include "decoder/output/last_lines.h"
#include "decoder/output/options.h"
#include "decoder/output/options_apply.h"
#include "decoder/output/style.h"
#include "decoder/runs/run_diff.h"
#include "decoder/show/outputs.h"
#include "decoder/show/say.h"
#include "decoder/show/show_diff.h"
#include "record/layout.h"
#include "tools/output/standard_output.h"
#include "tools/query/ask.h"
#include "tools/query/conditions.h"
#include "tools/query/sql.h"
#include "tools/query/ask_sums.h"

/*
 * The command line, as query_options.def has it.
 */

enum query_number {
#define OPTION(name, text, letter, argument, help) QUERY_##name,
#include "tools/query/query_options.def"
#undef OPTION
	QUERY_OPTIONS
};

static const struct command_option descriptions[QUERY_OPTIONS] = {
#define OPTION(name, text, letter, argument, help)                             \
	[QUERY_##name] = {text, letter, argument, help, NULL},
#include "tools/query/query_options.def"
#undef OPTION
};

struct query_command {
	const char *at;
	bool cluster;
	const char *password_file;
	const char *ca;
	bool sql;
	const char *builds[2]; /* of --diff; null: not asked for */
	char *build_text;
	bool help;
	bool version;
	struct conditions_asked asked;
	char problem[COMMAND_LINE_PROBLEM_BYTES + 1024];
};

struct query {
	struct query_command command;
	struct options options;
	struct ask ask;
	struct answers *answers;
	struct conditions conditions;
	struct outputs outputs;
	struct locations *locations;
	struct error_list errors;
	struct render_buffer remarks;
	struct run_diff diff;
	struct output output; /* of that */
	int run;	      /* of the two that are compared */
	bool sums;   /* the server adds up: nothing is shown before the end */
	bool failed; /* out of memory */
};

/* What a style asks for that the tables do not have. */
static const struct {
	const char *style;
	const char *why;
} others[] = {
	{"explain", "there are no files to explain: give binlog-show the log"},
	{"processes", "is of whole logs: give it to binlog-show, or ask the "
		      "table runs"},
	{"captures", "is of logs: give it to binlog-show"},
	{"coverage", "is of whole logs: give it to binlog-show, or ask the "
		     "table statements"},
	{"lcov", "is of whole logs: give it to binlog-show"},
	{"ctf", "its output is a directory: give it to binlog-show"},
	{"folded", "stacks are not read back: give it to binlog-show, or ask "
		   "the table stacks"},
};

static const char *add_text(struct conditions_texts *texts, const char *value)
{
	if (texts->count == CONDITIONS_MAX)
		return "given more often than can be kept: leave some out";
	texts->all[texts->count++] = value;
	return NULL;
}

/* A build-id, or the beginning of one; null: it is none. */
static const char *take_build(char *text)
{
	const size_t digits = strspn(text, "0123456789abcdef");

	return digits >= 4 && text[digits] == '\0' ? text : NULL;
}

static const char *parse_builds(
	struct query_command *command, const char *value)
{
	static const char wrong[] =
		"not two builds: give the beginnings of two build-ids, at "
		"least four digits of each, with a comma between; the table "
		"runs has them";
	char *comma;

	free(command->build_text);
	command->build_text = strdup(value);
	comma = command->build_text ? strchr(command->build_text, ',') : NULL;
	if (!comma)
		return wrong;
	*comma = '\0';
	command->builds[0] = take_build(command->build_text);
	command->builds[1] = take_build(comma + 1);
	return command->builds[0] && command->builds[1] ? NULL : wrong;
}

/* One that binlog-show has by this name. */
static const char *apply_shared(
	struct query *query, const char *name, const char *value)
{
	int i;

	for (i = 0; i < (int)OPTIONS_ROWS; i++)
		if (strcmp(options_table[i].name, name) == 0)
			return options_apply(&query->options, i, value);
	return "not known";
}

static const char *apply(void *closure, int option, const char *value)
{
	struct query *query = closure;
	struct query_command *command = &query->command;
	const char *wrong;

	switch (option) {
	case QUERY_AT:
		command->at = value;
		return NULL;
	case QUERY_CLUSTER:
		command->cluster = true;
		return NULL;
	case QUERY_PASSWORD:
		command->password_file = value;
		return NULL;
	case QUERY_CA:
		command->ca = value;
		return NULL;
	case QUERY_SQL:
		command->sql = true;
		return NULL;
	case QUERY_HOST:
		return add_text(&command->asked.hosts, value);
	case QUERY_PROGRAM:
		return add_text(&command->asked.programs, value);
	case QUERY_GREP:
		wrong = apply_shared(query, "grep", value);
		return wrong ? wrong : add_text(&command->asked.greps, value);
	case QUERY_DIFF:
		return parse_builds(command, value);
	case QUERY_HELP:
		command->help = true;
		return NULL;
	case QUERY_VERSION:
		command->version = true;
		return NULL;
	}
	return apply_shared(query, descriptions[option].name, value);
}

/* Always false. */
static bool complain(struct query *query, const char *what, const char *why)
{
	snprintf(query->command.problem, sizeof(query->command.problem),
		"%s: %s", what, why);
	return false;
}

static bool check_style(struct query *query)
{
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(query->options.style, others[i].style) == 0)
			return complain(query, "--output", others[i].why);
	return true;
}

/* A condition that stands alone is that of --where. */
static bool take_rest(struct query *query, struct command_line *line)
{
	const char *wrong;

	if (line->rest_count > 1)
		return complain(query, line->rest[1],
			"one condition is asked at a time: put it into "
			"quotes, or join it with &&");
	if (line->rest_count == 0)
		return true;
	wrong = apply_shared(query, "where", line->rest[0]);
	return !wrong || complain(query, line->rest[0], wrong);
}

static bool parse(struct query *query, int argc, char **argv)
{
	struct command_line line = {.command = "binlog-query",
		.options = descriptions,
		.count = QUERY_OPTIONS,
		.apply = apply,
		.closure = query};
	const struct query_command *command = &query->command;

	query->options.style = "line";
	query->options.depth = SIZE_MAX;
	query->options.lines = LAST_LINES_ALL;
	query->command.asked.options = &query->options;
	if (command_line_read(&line, argc, argv)) {
		memcpy(query->command.problem, line.problem,
			sizeof(line.problem));
		return false;
	}
	if (command->help || command->version || query->options.columns.help ||
		strcmp(query->options.style, "help") == 0)
		return true;
	if (!take_rest(query, &line))
		return false;
	if (!command->at)
		return complain(query, "no server",
			"nobody is asked: give "
			"--at=clickhouse://HOST:PORT/DATABASE");
	if (!options_fit(&query->options)) {
		memcpy(query->command.problem, query->options.problem,
			sizeof(query->options.problem));
		return false;
	}
	if (command->builds[0] &&
		(query->options.report || query->options.spans.count > 0 ||
			query->options.spans.took ||
			strcmp(query->options.style, "line") != 0))
		return complain(query, "--diff",
			"shows no messages and no numbers: leave out "
			"--output, --stats and the like");
	return check_style(query);
}

static enum exit_status fail(const char *sentence)
{
	sentence_say("binlog-query: %s", sentence);
	return EXIT_NOTHING;
}

static volatile int stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

/*
 * Asking.
 */

static void take_statement(void *closure, const struct row_value *values)
{
	struct query *query = closure;

	query->failed |= !answers_add_statement(query->answers, values);
}

static bool ask_statements(struct query *query)
{
	struct render_buffer text = {0};
	struct ask_question question = {
		.take = take_statement,
		.closure = query,
		.hidden = true,
	};
	bool good;

	question.types = answers_statement_types(&question.count);
	render_buffer_put_string(&text, answers_statement_columns());
	ask_put_table(&query->ask, "statements", &text);
	render_buffer_put_byte(&text, '\0');
	question.select = text.data;
	good = !text.failed && ask_server(&query->ask, &question);
	render_buffer_free(&text);
	return good;
}

static void take_first_day(void *closure, const struct row_value *values)
{
	struct query *query = closure;

	query->command.asked.first_day = values[0].number;
}

/* Since when messages have arrived whose time lay ahead, and is asked for. */
static bool ask_first_day(struct query *query)
{
	static const enum fleet_type type = FLEET_U64;
	const struct filter_rules *rules = &query->options.rules;
	struct render_buffer text = {0};
	struct ask_question question = {
		.types = &type,
		.count = 1,
		.take = take_first_day,
		.closure = query,
		.hidden = true,
	};
	char since[32];
	bool good;

	query->command.asked.first_day = UINT64_MAX;
	if (!rules->timed || rules->since == 0)
		return true;
	render_buffer_put_string(&text,
		"toUInt64(if(count() = 0, 65535, toUInt16(min(received))))");
	ask_put_table(&query->ask, "losses", &text);
	snprintf(since, sizeof(since), "%" PRIu64, rules->since);
	render_buffer_put_string(
		&text, " WHERE kind = 'ahead' AND toUInt64OrZero(words) >= ");
	render_buffer_put_string(&text, since);
	render_buffer_put_byte(&text, '\0');
	question.select = text.data;
	good = !text.failed && ask_server(&query->ask, &question);
	render_buffer_free(&text);
	return good;
}

static void take_message(void *closure, const struct row_value *values)
{
	struct query *query = closure;
	const struct message *message = answers_message(query->answers, values);

	if (!message) {
		query->failed = true;
		query->ask.enough = true;
	} else if (!query->ask.enough &&
		   !outputs_message(&query->outputs, message)) {
		query->ask.enough = true;
	}
}

/* Lines need no arguments, but what they are chosen by may: whether a pattern
 * is in a text is asked of that first. */
static struct answers_wanted wanted_by(const struct query *query)
{
	const struct options *options = &query->options;
	const struct style *style = style_chosen(options);
	const bool lines = style && style->reads == STYLE_READS_LINES &&
			   strcmp(style->name, "html") != 0 &&
			   strcmp(style->name, "timeline") != 0;

	return (struct answers_wanted){
		.arguments =
			!lines || options->rules.expression_count > 0 ||
			options->rules.grep_count > 0 ||
			columns_have(&options->columns, COLUMN_ARGUMENTS) ||
			options->argument,
		.text = true,
	};
}

/* `SELECT` is before it. */
static void put_rows(const struct query *query,
	const struct answers_wanted *wanted, enum conditions_of of,
	const char *more, struct render_buffer *text)
{
	answers_message_columns(wanted, text);
	ask_put_table(&query->ask, "messages", text);
	conditions_put(
		&query->conditions, of, query->ask.servers.database, text);
	render_buffer_put_string(text, more);
}

/* Calls are found by their statements, events otherwise. */
static bool are_apart(const struct query *query, enum conditions_of of)
{
	return query->conditions.what.length > 0 &&
	       (of == CONDITIONS_ENTRIES ||
		       (of == CONDITIONS_LINES && !query->conditions.parts));
}

/* By statements the index finds them; by texts alone all are looked through. */
static enum conditions_of rows_of(const struct query *query)
{
	return query->options.rules.grep_count > 0 &&
			       !query->conditions.of_statements
		       ? CONDITIONS_ROWS
		       : CONDITIONS_CALLS;
}

/* Asks for messages, in the order in which they were said. */
static bool ask_messages(struct query *query, enum conditions_of of,
	const char *more, row_binary_take *take)
{
	const struct answers_wanted wanted =
		query->command.builds[0]
			? (struct answers_wanted){.arguments = true,
				  .text = true}
			: wanted_by(query);
	struct render_buffer text = {0};
	struct ask_question question = {.take = take, .closure = query};
	bool good;

	question.types =
		answers_message_types(query->answers, &wanted, &question.count);
	if (are_apart(query, of)) {
		render_buffer_put_string(&text, "* FROM (SELECT ");
		put_rows(query, &wanted, CONDITIONS_EVENTS, more, &text);
		render_buffer_put_string(&text, " UNION ALL SELECT ");
		put_rows(query, &wanted, rows_of(query), more, &text);
		render_buffer_put_string(&text, ")");
	} else {
		put_rows(query, &wanted, of, more, &text);
	}
	render_buffer_put_string(&text, " ORDER BY time, source, number");
	render_buffer_put_byte(&text, '\0');
	question.select = text.data;
	good = !text.failed && ask_server(&query->ask, &question);
	if (text.failed)
		query->failed = true;
	render_buffer_free(&text);
	return good;
}

/*
 * The last lines.  Where all lines are calls that end them, the time of the
 * N-th last one tells where they begin.
 */

struct last {
	uint64_t number;
};

static void take_number(void *closure, const struct row_value *values)
{
	((struct last *)closure)->number = values[0].number;
}

static bool ask_number(
	struct query *query, struct render_buffer *text, uint64_t *number)
{
	static const enum fleet_type types[] = {FLEET_U64};
	struct last last = {0};
	struct ask_question question = {
		.types = types,
		.count = 1,
		.take = take_number,
		.closure = &last,
		.hidden = true,
	};
	bool good;

	render_buffer_put_byte(text, '\0');
	question.select = text->data;
	good = !text->failed && ask_server(&query->ask, &question);
	*number = last.number;
	text->length = 0;
	return good;
}

/* Whether lines may be put together of several calls. */
static bool find_parts(struct query *query)
{
	const bool all = query->conditions.what.length == 0 &&
			 query->options.lines == LAST_LINES_ALL &&
			 !query->options.rules.timed;
	struct render_buffer text = {0};
	uint64_t number;
	bool good;

	query->conditions.parts = false;
	if (all || style_chosen(&query->options)->reads != STYLE_READS_LINES)
		return true;
	render_buffer_put_string(&text, "count()");
	ask_put_table(&query->ask, "messages", &text);
	conditions_put_parts(&query->conditions, &text);
	good = ask_number(query, &text, &number);
	query->conditions.parts = number > 0;
	render_buffer_free(&text);
	return good;
}

/* Nothing if all have to be asked for. */
static bool put_last(struct query *query, struct render_buffer *more)
{
	const struct options *options = &query->options;
	const struct conditions *conditions = &query->conditions;
	struct render_buffer text = {0};
	uint64_t number;
	bool good;

	if (options->lines == LAST_LINES_ALL || options->lines == 0 ||
		!conditions->exact || conditions->parts ||
		options->rules.grep_count > 0 || options->report ||
		options->longest > 0)
		return true;
	render_buffer_put_string(&text, "min(time) FROM (SELECT time");
	ask_put_table(&query->ask, "messages", &text);
	conditions_put(conditions, CONDITIONS_CALLS,
		query->ask.servers.database, &text);
	render_buffer_put_string(&text, " ORDER BY time DESC LIMIT ");
	sql_put_number(&text, options->lines);
	render_buffer_put_string(&text, ")");
	good = ask_number(query, &text, &number);
	render_buffer_put_string(more, " AND time >= ");
	sql_put_number(more, number);
	render_buffer_free(&text);
	return good;
}

/* What is shown is made here, of messages. */
static bool show_messages(struct query *query)
{
	const struct style *style = style_chosen(&query->options);
	const bool lines = style->reads == STYLE_READS_LINES;
	struct render_buffer more = {0};
	bool good = find_parts(query) && put_last(query, &more);

	render_buffer_put_byte(&more, '\0');
	if (good && !more.failed)
		good = ask_messages(query,
			lines ? CONDITIONS_LINES : CONDITIONS_ENTRIES,
			more.data, take_message);
	query->failed |= more.failed;
	render_buffer_free(&more);
	return good;
}

/* What a rule has left out is counted in events, of which there are few. */
static bool show_left_out(struct query *query)
{
	struct conditions all = query->conditions;
	bool good;

	query->conditions.what = (struct render_buffer){0};
	good = ask_messages(query, CONDITIONS_EVENTS,
		" AND event IN ('suppressed', 'window')", take_message);
	query->conditions = all;
	return good;
}

static bool show_asked(struct query *query)
{
	struct ask_sums sums = {
		.ask = &query->ask,
		.answers = query->answers,
		.conditions = &query->conditions,
		.options = &query->options,
		.state = query->outputs.all[0].state,
	};
	bool good;

	if (!ask_sums_can(&sums))
		return show_messages(query);
	query->sums = true;
	good = ask_sums(&sums);
	query->failed |= sums.failed;
	if (good && strcmp(query->options.style, "stats") == 0)
		good = show_left_out(query);
	return good;
}

/*
 * Two builds.
 */

static void take_compared(void *closure, const struct row_value *values)
{
	struct query *query = closure;
	const struct message *message = answers_message(query->answers, values);

	if (message)
		run_diff_message(&query->diff, message, query->run);
	query->failed |= !message;
}

static void take_line(void *closure, const struct row_value *values)
{
	struct query *query = closure;
	const struct message *message = answers_message(query->answers, values);

	query->failed |= !message;
	if (!message || !run_diff_line(&query->diff, message, query->run))
		query->ask.enough = true;
}

/* Of the processes of a build. */
static bool ask_build(struct query *query, row_binary_take *take)
{
	const char *build = query->command.builds[query->run];
	struct render_buffer more = {0};
	bool good;

	render_buffer_put_string(&more, " AND (source, pid) IN (SELECT "
					"source, pid FROM ");
	render_buffer_put_string(&more, query->ask.servers.database);
	render_buffer_put_string(&more, ".runs WHERE substring(build, 1, ");
	sql_put_number(&more, strlen(build));
	render_buffer_put_string(&more, ") = ");
	sql_put_text(&more, build, strlen(build));
	render_buffer_put_string(&more, ")");
	render_buffer_put_byte(&more, '\0');
	run_diff_begin(&query->diff, query->run);
	good = !more.failed &&
	       ask_messages(query, CONDITIONS_CALLS, more.data, take);
	query->failed |= more.failed;
	render_buffer_free(&more);
	return good;
}

static bool ask_both(struct query *query, row_binary_take *take)
{
	bool good = true;

	for (query->run = 0; query->run < 2 && good; query->run++)
		good = ask_build(query, take);
	return good;
}

static bool compare_builds(struct query *query)
{
	struct run_diff *diff = &query->diff;
	int run;

	diff->options = &query->options;
	diff->sites.locations = query->locations;
	if (!ask_both(query, take_compared))
		return false;
	if (query->command.sql)
		return true;
	for (run = 0; run < 2; run++)
		if (diff->runs[run].messages == 0) {
			snprintf(query->ask.problem, sizeof(query->ask.problem),
				"--diff: %s: no process of this build has said "
				"anything: see `build` in the table runs",
				query->command.builds[run]);
			return false;
		}
	run_diff_compare(diff);
	if (diff->difference && !ask_both(query, take_line))
		return false;
	query->output.fd = STDOUT_FILENO;
	query->failed |= !show_diff_put(diff, &query->output) ||
			 !run_diff_is_whole(diff);
	output_flush(&query->output);
	query->failed |= say_output(&query->output);
	return true;
}

/*
 * All of it.
 */

static bool begin_outputs(struct query *query)
{
	const struct style_settings common = {
		.locations = query->locations,
		.remarks = &query->remarks,
	};

	outputs_choose_looks(&query->outputs);
	return outputs_begin(&query->outputs, &common, NULL);
}

static const char *open_outputs(struct query *query)
{
	const char *wrong = outputs_add(&query->outputs, &query->options, NULL);
	struct outputs_needs needs;

	if (wrong)
		return wrong;
	needs = outputs_need(&query->outputs);
	if (needs.locations || query->command.builds[0]) {
		query->locations = locations_new(&query->options.symbols);
		if (!query->locations)
			return "out of memory: ask for less";
	}
	query->options.rules.locations = query->locations;
	return NULL;
}

/* False: see `ask.problem`. */
static bool answer(struct query *query)
{
	if (!ask_statements(query) || !ask_first_day(query))
		return false;
	if (!conditions_make(&query->conditions, &query->command.asked,
		    query->answers)) {
		snprintf(query->ask.problem, sizeof(query->ask.problem), "%s",
			query->conditions.problem);
		return false;
	}
	query->ask.shows = query->command.sql;
	if (query->command.builds[0])
		return compare_builds(query);
	if (!begin_outputs(query)) {
		query->failed = true;
		return true;
	}
	return show_asked(query);
}

static enum exit_status judge(struct query *query, bool good)
{
	const struct output *output;
	size_t number = 0;
	bool lost = false;

	while (good && (output = outputs_failed(&query->outputs, &number)))
		lost = say_output(output) || lost;
	if (!good)
		return fail(stopped ? "stopped: not all is shown"
				    : query->ask.problem);
	if (query->failed)
		return fail("out of memory: ask for less");
	if (lost)
		return EXIT_NOTHING;
	return EXIT_ALL_READ;
}

static void end(struct query *query)
{
	run_diff_free(&query->diff);
	render_buffer_free(&query->output.text);
	conditions_free(&query->conditions);
	answers_free(query->answers);
	locations_free(query->locations);
	render_buffer_free(&query->remarks);
	row_binary_free(&query->ask.rows);
	servers_end(&query->ask.servers);
}

static enum exit_status run(struct query *query)
{
	const char *wrong = open_outputs(query);
	enum exit_status status;
	bool good;

	if (wrong) {
		complain(query, "--output", wrong);
		return fail(query->command.problem);
	}
	query->answers = answers_new(&query->errors);
	good = query->answers && answer(query);
	query->failed |= !query->answers;
	/* a sum of what came is no answer */
	if (!good && query->sums)
		query->outputs.all[0].output.failed = ECANCELED;
	if (!query->command.sql && !query->command.builds[0])
		outputs_end(&query->outputs);
	if (good && !query->command.sql)
		outputs_remarks(&query->outputs, &query->remarks);
	if (good && query->remarks.length > 0)
		fwrite(query->remarks.data, 1, query->remarks.length, stderr);
	say_errors(&query->errors);
	status = judge(query, good || !query->answers);
	end(query);
	return status;
}

static enum exit_status start(struct query *query)
{
	struct sigaction action = {.sa_handler = stop};
	struct servers *servers = &query->ask.servers;
	const char *wrong = servers_begin(servers, query->command.at);

	if (wrong) {
		complain(query, "--at", wrong);
		return fail(query->command.problem);
	}
	wrong = servers_password(servers, query->command.password_file);
	if (wrong)
		return fail(wrong);
	servers->ca = query->command.ca;
	servers->stopped = &stopped;
	servers->again = "try again later";
	query->ask.before =
		query->command.cluster || servers->count > 1 ? "all_" : "";
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return run(query);
}

static enum exit_status printed(void)
{
	return standard_output_finish("binlog-query") ? EXIT_ALL_READ
						      : EXIT_NOTHING;
}

static enum exit_status print_help(void)
{
	char text[16384];

	command_line_help(descriptions, QUERY_OPTIONS, text, sizeof(text));
	printf("usage: binlog-query [OPTIONS] --at=URL [EXPR]\n"
	       "Asks a server of ClickHouse what programs said, which "
	       "binlog-ship has sent there.\n"
	       "EXPR is a condition, as of --where.\n\n%s",
		text);
	return printed();
}

static enum exit_status print_columns(void)
{
	struct render_buffer text = {0};

	columns_help(&text);
	fwrite(text.data, 1, text.length, stdout);
	render_buffer_free(&text);
	return printed();
}

static bool is_other(const char *style)
{
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(style, others[i].style) == 0)
			return true;
	return false;
}

static enum exit_status print_styles(void)
{
	const struct style *style;

	for (style = style_all; style->name; style++)
		if (!is_other(style->name))
			printf("%-10s %s\n", style->name, style->what);
	return printed();
}

int main(int argc, char **argv)
{
	static struct query query;

	standard_output_guard();
	if (!parse(&query, argc, argv))
		return fail(query.command.problem);
	if (query.command.help)
		return print_help();
	if (query.command.version) {
		standard_output_version(
			"binlog-query", "captures", BINLOG_VERSION);
		return printed();
	}
	if (query.options.columns.help)
		return print_columns();
	if (strcmp(query.options.style, "help") == 0)
		return print_styles();
	return start(&query);
}
