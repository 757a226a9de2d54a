#include "tools/query/ask.h"

#include <stdio.h>
#include <string.h>

/* Nothing is changed, whatever the user may do; long lists of statements can be
 * asked for, and more be sorted than there is memory for. */
#define PARAMETERS                                                             \
	"&readonly=1&max_query_size=268435456&max_ast_elements=10000000"       \
	"&max_expanded_ast_elements=10000000"                                  \
	"&max_bytes_before_external_sort=1000000000"
#define READONLY 164

void ask_put_table(
	const struct ask *ask, const char *table, struct render_buffer *out)
{
	render_buffer_put_string(out, " FROM ");
	render_buffer_put_string(out, ask->servers.database);
	render_buffer_put_byte(out, '.');
	render_buffer_put_string(out, ask->before);
	render_buffer_put_string(out, table);
}

/* What the codes of the server's exceptions mean for who asks. */
static const struct {
	int code;
	const char *why;
} reasons[] = {
	{60, "the tables are not there: give the database that binlog-ship "
	     "sends to, and --cluster only if it has made those"},
	{81, "there is no such database: give the one that binlog-ship sends "
	     "to"},
	{16, "the tables have other columns: they are of another version of "
	     "binlog-ship, or not of it"},
	{47, "the tables have other columns: they are of another version of "
	     "binlog-ship, or not of it"},
	{10, "the tables have other columns: they are of another version of "
	     "binlog-ship, or not of it"},
	{53, "the tables have other columns: they are of another version of "
	     "binlog-ship, or not of it"},
	{241, "the server has not memory enough: ask for less"},
	{243, "the server has no room for temporary files: ask for less"},
	{62, "the question is too long for what the user may ask, or the "
	     "server is of another version: ask for less"},
	{192, "there is no such user: give another one in --at"},
	{193, "the password is not the right one: give it with "
	      "--password-file"},
	{194, "a password is needed: give it with --password-file"},
	{516, "user or password are not the right ones: see --at and "
	      "--password-file"},
	{497, "the user may not read these tables: let the server allow it"},
	{291, "the user may not use the database: let the server allow it"},
	{159, "it has taken longer than the server allows: ask for less"},
	{160, "it would take longer than the server allows: ask for less"},
};

static const char *reason_of(int code)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].code == code)
			return reasons[i].why;
	return NULL;
}

/* What the server has said, once an answer had begun. */
static bool refuse(struct ask *ask, char *name)
{
	struct render_buffer *said = &ask->rows.rest;
	const char *words;
	const char *why;
	int code = 0;

	render_buffer_put_byte(said, '\0');
	words = said->failed ? "" : strstr(said->data, "Code: ");
	if (words)
		sscanf(words, "Code: %d", &code);
	why = reason_of(code);
	words = words ? strstr(words, "DB::Exception: ") : NULL;
	if (why)
		snprintf(ask->problem, sizeof(ask->problem), "%s: %s", name,
			why);
	else
		snprintf(ask->problem, sizeof(ask->problem),
			"%s: the answer ends too early: %.300s: ask again",
			name,
			words ? words + strlen("DB::Exception: ")
			      : "the server says nothing more");
	return false;
}

static bool explain(struct ask *ask, const char *name)
{
	const char *why = reason_of(ask->servers.code);

	if (ask->rows.rest.failed)
		why = "no memory for a row of the answer: ask for less";
	if (why)
		snprintf(ask->problem, sizeof(ask->problem), "%s: %s", name,
			why);
	else
		snprintf(ask->problem, sizeof(ask->problem), "%s",
			ask->servers.problem);
	return false;
}

static bool take(void *closure, const char *bytes, size_t count)
{
	struct ask *ask = closure;

	return row_binary_put(&ask->rows, bytes, count) && !ask->enough;
}

/* Of a user that may change no settings the server itself sees to it. */
static enum server_end ask_as_allowed(struct ask *ask, const char *statement)
{
	struct servers *servers = &ask->servers;
	enum server_end end;

	if (!ask->settled)
		servers->parameters = PARAMETERS;
	servers->code = 0;
	end = server_ask(servers, ask->server, statement, NULL, 0, NULL);
	if (end != SERVER_DONE && !ask->settled &&
		(servers->code == READONLY || servers->code == 115)) {
		servers->parameters = servers->code == 115 ? "&readonly=1" : "";
		servers->code = 0;
		end = server_ask(
			servers, ask->server, statement, NULL, 0, NULL);
		if (end != SERVER_DONE && servers->code == READONLY) {
			servers->parameters = "";
			servers->code = 0;
			end = server_ask(
				servers, ask->server, statement, NULL, 0, NULL);
		}
	}
	ask->settled |= end == SERVER_DONE;
	return end;
}

static void begin_rows(struct ask *ask, const struct ask_question *question)
{
	row_binary_free(&ask->rows);
	ask->rows = (struct row_binary){
		.types = question->types,
		.count = question->count,
		.take = question->take,
		.closure = question->closure,
	};
	ask->enough = false;
	ask->servers.take = take;
	ask->servers.closure = ask;
}

/* One that is not reached may be replaced by another, before there are rows. */
static enum server_end ask_any(struct ask *ask, const char *statement)
{
	enum server_end end = SERVER_UNSURE;
	const size_t first = ask->server;
	size_t i;

	for (i = 0; i < ask->servers.count; i++) {
		ask->server = (first + i) % ask->servers.count;
		end = ask_as_allowed(ask, statement);
		if (end != SERVER_UNSURE || ask->settled ||
			ask->servers.code != 0)
			break;
	}
	return end;
}

bool ask_server(struct ask *ask, const struct ask_question *question)
{
	struct render_buffer text = {0};
	enum server_end end;
	char name[512];

	if (ask->shows && !question->hidden) {
		printf("SELECT %s;\n", question->select);
		return true;
	}
	render_buffer_put_string(&text, "SELECT toUInt8(1), ");
	render_buffer_put_string(&text, question->select);
	render_buffer_put_string(&text, " FORMAT RowBinary");
	render_buffer_put_byte(&text, '\0');
	if (text.failed) {
		render_buffer_free(&text);
		snprintf(ask->problem, sizeof(ask->problem),
			"out of memory: ask for less");
		return false;
	}
	begin_rows(ask, question);
	end = ask_any(ask, text.data);
	render_buffer_free(&text);
	server_name(&ask->servers, ask->server, name, sizeof(name));
	if (ask->enough)
		return true;
	if (ask->rows.refused ||
		(end == SERVER_DONE && ask->rows.rest.length > 0))
		return refuse(ask, name);
	return end == SERVER_DONE || explain(ask, name);
}
