/*
 * binlog-ship: logs in, rows on a server of ClickHouse out.  The logs are the
 * queue, and what was acknowledged is remembered beside them.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "decoder/fleet/tables.h"
#include "record/layout.h"
#include "tools/ship/logs.h"
#include "tools/ship/rows_reader.h"
#include "tools/fleet/server.h"
#include "tools/ship/shipped.h"

/*
 * The command line, as ship_options.def has it.
 */

struct ship_command {
	const char *to;
	const char *cluster;
	const char *password_file;
	const char *ca;
	bool follow;
	const char *state;
	bool deletes;
	uint64_t delete_seconds;
	uint64_t keep_bytes; /* 0: all */
	bool without_text;
	bool without_stacks;
	bool without_statements;
	uint64_t give_up; /* seconds; 0: never */
	bool status;
	bool quiet;
	bool help;
	bool version;
	char *const *paths;
	size_t path_count;
	char problem[COMMAND_LINE_PROBLEM_BYTES];
};

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/ship/ship_options.def"
#undef OPTION
};

static const struct command_option descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help, NULL},
#include "tools/ship/ship_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

static const char *parse_seconds(uint64_t *seconds, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || value > 1u << 30)
		return "no such time: give a number of seconds";
	*seconds = value;
	return NULL;
}

static const char *parse_size(uint64_t *bytes, const char *text)
{
	static const char units[] = "KMG";
	char *end;
	unsigned long long size = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (!isdigit((unsigned char)*text) || size == 0 || size > 1u << 30 ||
		(*end && (!unit || end[1])))
		return "no such size: give a number, and K, M or G behind it";
	*bytes = (uint64_t)size << (unit ? 10 * (unit - units + 1) : 0);
	return NULL;
}

static const char *apply(void *closure, int option, const char *value)
{
	struct ship_command *command = closure;

	switch (option) {
	case NUMBER_TO:
		command->to = value;
		break;
	case NUMBER_CLUSTER:
		command->cluster = value;
		break;
	case NUMBER_PASSWORD:
		command->password_file = value;
		break;
	case NUMBER_CA:
		command->ca = value;
		break;
	case NUMBER_FOLLOW:
		command->follow = true;
		break;
	case NUMBER_STATE:
		command->state = value;
		break;
	case NUMBER_DELETE:
		command->deletes = true;
		return parse_seconds(&command->delete_seconds, value);
	case NUMBER_KEEP:
		return parse_size(&command->keep_bytes, value);
	case NUMBER_TEXT:
		command->without_text = true;
		break;
	case NUMBER_STACKS:
		command->without_stacks = true;
		break;
	case NUMBER_STATEMENTS:
		if (strcmp(value, "auto") != 0 && strcmp(value, "never") != 0)
			return "not known when that is: give auto or never";
		command->without_statements = strcmp(value, "never") == 0;
		break;
	case NUMBER_GIVE_UP:
		return parse_seconds(&command->give_up, value);
	case NUMBER_STATUS:
		command->status = true;
		break;
	case NUMBER_LIMIT:
		return limits_set(value);
	case NUMBER_QUIET:
		command->quiet = true;
		break;
	case NUMBER_HELP:
		command->help = true;
		break;
	case NUMBER_VERSION:
		command->version = true;
		break;
	}
	return NULL;
}

/* Always false. */
static bool complain(
	struct ship_command *command, const char *what, const char *why)
{
	snprintf(command->problem, sizeof(command->problem), "%s: %s", what,
		why);
	return false;
}

static bool is_word(const char *text)
{
	return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
				strlen(text);
}

static bool parse(struct ship_command *command, int argc, char **argv)
{
	struct command_line line = {.command = "binlog-ship",
		.options = descriptions,
		.count = OPTIONS,
		.apply = apply,
		.closure = command};

	if (command_line_read(&line, argc, argv)) {
		memcpy(command->problem, line.problem, sizeof(line.problem));
		return false;
	}
	command->paths = line.rest;
	command->path_count = line.rest_count;
	if (command->help || command->version)
		return true;
	if (command->path_count == 0)
		return complain(command, "no log",
			"nothing to send: give packed logs, captures or "
			"directories of them");
	if (!command->to && !command->status)
		return complain(command, "no server",
			"nowhere to send to: give "
			"--to=clickhouse://HOST:PORT/DATABASE");
	if (command->cluster && !is_word(command->cluster))
		return complain(command, command->cluster,
			"not the name of a cluster: give one word");
	return true;
}

/*
 * Sending.
 */

/* Milliseconds between attempts: from and to. */
#define PAUSE_FIRST 100u
#define PAUSE_MOST 30000u
/* Between looks at what is followed: at least, and as many times of what a look
 * takes. */
#define LOOK_PAUSE 500u
#define LOOK_SHARE 5u
#define LOOK_PAUSE_MOST 5000u
/* A request that was given up may still be worked on. */
#define RUNNING_PAUSE 200u

struct ship {
	struct ship_command command;
	struct servers servers;
	char password[512];
	bool prepared[SERVERS_MAX]; /* its tables are there */
	unsigned pause;		    /* 0: the last request was answered */
	time_t failing;		    /* since when; 0: the same */
	char said[2048];	    /* the last problem that was told */
	uint64_t messages;	    /* sent */
	size_t logs;
	size_t waiting; /* that somebody writes to */
	size_t damaged;
	bool gave_up;
};

static volatile int stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static void doze(unsigned milliseconds)
{
	struct timespec time = {
		milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};

	if (!stopped)
		nanosleep(&time, NULL);
}

/* Each cause once, until something else happens. */
static void tell(struct ship *ship, const char *problem)
{
	if (strcmp(ship->said, problem) == 0)
		return;
	snprintf(ship->said, sizeof(ship->said), "%s", problem);
	sentence_say("binlog-ship: %s", problem);
}

/*
 * Whether to try again, after a pause that grows and is never the same for all
 * shippers.
 */
static bool wait_for_server(struct ship *ship, enum server_end end)
{
	const struct ship_command *command = &ship->command;
	unsigned pause;

	if (stopped)
		return false;
	tell(ship, ship->servers.problem);
	if (!ship->failing)
		ship->failing = time(NULL);
	if ((end == SERVER_REFUSED && !command->follow) ||
		(command->give_up > 0 && time(NULL) - ship->failing >=
						 (time_t)command->give_up)) {
		ship->gave_up = true;
		return false;
	}
	ship->pause = ship->pause ? ship->pause * 2 : PAUSE_FIRST;
	if (ship->pause > PAUSE_MOST)
		ship->pause = PAUSE_MOST;
	pause = ship->pause / 2 + (unsigned)random() % ship->pause;
	doze(pause);
	return !stopped;
}

static void was_answered(struct ship *ship)
{
	ship->pause = 0;
	ship->failing = 0;
}

/* A question that may be asked as often as one likes.  False: given up. */
static bool ask(struct ship *ship, size_t number, const char *statement)
{
	for (;;) {
		enum server_end end = server_ask(
			&ship->servers, number, statement, NULL, 0, NULL);

		if (end == SERVER_DONE) {
			was_answered(ship);
			return true;
		}
		if (!wait_for_server(ship, end))
			return false;
	}
}

/* The columns are there, with their types.  False: `problem` says which not. */
static bool check_table(
	struct ship *ship, size_t number, enum fleet_table table)
{
	struct servers *servers = &ship->servers;
	const char *database = servers->database;
	char statement[512], line[256];
	size_t count, i;
	const struct fleet_column *columns = fleet_columns(table, &count);

	snprintf(statement, sizeof(statement),
		"SELECT concat('\\n', name, ' ', type, '\\n') FROM "
		"system.columns WHERE database = '%s' AND table = '%s' FORMAT "
		"TSVRaw",
		database, fleet_tables[table].name);
	if (!ask(ship, number, statement))
		return false;
	for (i = 0; i < count; i++) {
		snprintf(line, sizeof(line), "\n%s %s\n", columns[i].name,
			fleet_type_name(columns[i].type));
		if (strstr(servers->answer.data, line))
			continue;
		snprintf(servers->problem, sizeof(servers->problem),
			"%s: %s.%s has no column %s of type %s: another "
			"program's table, or of another version: give another "
			"database",
			servers->address[number], database,
			fleet_tables[table].name, columns[i].name,
			fleet_type_name(columns[i].type));
		tell(ship, servers->problem);
		ship->gave_up = true;
		return false;
	}
	return true;
}

static bool ask_text(
	struct ship *ship, size_t number, struct render_buffer *text)
{
	bool good;

	render_buffer_put_byte(text, '\0');
	good = !text->failed && ask(ship, number, text->data);
	text->length = 0;
	return good;
}

/* Once for each server, and anew after it was not to be reached. */
static bool prepare(struct ship *ship, size_t number)
{
	const char *database = ship->servers.database;
	struct render_buffer text = {0};
	enum fleet_table table;
	bool good;

	if (ship->prepared[number])
		return true;
	render_buffer_put_string(&text, "CREATE DATABASE IF NOT EXISTS ");
	render_buffer_put_string(&text, database);
	good = ask_text(ship, number, &text);
	for (table = 0; table < FLEET_TABLES && good; table++) {
		fleet_table_create(table, database, &text);
		good = ask_text(ship, number, &text) &&
		       check_table(ship, number, table);
		if (good && ship->command.cluster) {
			fleet_table_distribute(
				table, database, ship->command.cluster, &text);
			good = ask_text(ship, number, &text);
		}
	}
	render_buffer_free(&text);
	ship->prepared[number] = good;
	return good;
}

/*
 * Whether rows that may have been sent are there.  A request that was given up
 * may still be worked on: that is waited for.  False: given up; *there is not
 * known.
 */
static bool settle(struct ship *ship, size_t number, const char *request,
	uint64_t source, uint64_t from, uint64_t until, bool *there)
{
	char statement[512];

	snprintf(statement, sizeof(statement),
		"SELECT count() FROM system.processes WHERE query_id = '%s'",
		request);
	for (;;) {
		if (!ask(ship, number, statement))
			return false;
		if (server_number(&ship->servers) == 0)
			break;
		doze(RUNNING_PAUSE);
	}
	snprintf(statement, sizeof(statement),
		"SELECT count() FROM %s.messages WHERE source = %" PRIu64
		" AND number >= %" PRIu64 " AND number < %" PRIu64,
		ship->servers.database, source, from, until);
	if (!ask(ship, number, statement))
		return false;
	*there = server_number(&ship->servers) > 0;
	return true;
}

/* What of a log is in a block, which is there as a whole or not at all. */
struct part {
	uint64_t source;
	uint64_t from;
	uint64_t until;
};

/* `request` names one that must not be done twice, with a part of it; null: it
 * may.  False: given up. */
static bool send_block(struct ship *ship, size_t number, enum fleet_table table,
	const void *bytes, size_t size, const char *request,
	const struct part *part)
{
	struct render_buffer text = {0};
	bool there = false;

	render_buffer_put_string(&text, "INSERT INTO ");
	render_buffer_put_string(&text, ship->servers.database);
	render_buffer_put_byte(&text, '.');
	render_buffer_put_string(&text, fleet_tables[table].name);
	render_buffer_put_string(&text, " (");
	fleet_table_columns(table, &text);
	render_buffer_put_string(&text, ") FORMAT Native");
	render_buffer_put_byte(&text, '\0');
	while (!there) {
		enum server_end end = server_ask(&ship->servers, number,
			text.data, bytes, size, request);

		if (end == SERVER_DONE) {
			was_answered(ship);
			there = true;
			break;
		}
		if (!wait_for_server(ship, end))
			break;
		if (request && !settle(ship, number, request, part->source,
				       part->from, part->until, &there))
			break;
	}
	render_buffer_free(&text);
	return there;
}

/*
 * Logs that are read by one process, and whose messages may be in one block.
 */

#define PARCEL_LOGS 512u
#define PARCEL_BYTES ((uint64_t)1 << 30)

struct one_sent {
	const struct one_log *log;
	struct shipped shipped;
	uint64_t source; /* as the reader says; 0: not yet */
	int lock;	 /* a descriptor: no other shipper sends it meanwhile */
	bool growing;
	bool done;
};

struct parcel {
	struct one_sent all[PARCEL_LOGS];
	size_t count;
	uint64_t bytes;
	size_t server;	  /* that is sent to */
	char request[64]; /* that was settled last, */
	bool there;	  /* and its rows are there */
};

/* Of several servers each has the sources that fall to it. */
static size_t server_of(const struct ship *ship, uint64_t source)
{
	return (size_t)(source % ship->servers.count);
}

static bool write_down(struct ship *ship, const struct shipped *shipped)
{
	const char *problem = shipped_write(shipped);

	if (!problem)
		return true;
	tell(ship, problem);
	ship->gave_up = true;
	return false;
}

/* How much the server has of a source of which nothing sure is remembered: who
 * has rows of it has told of its runs before. */
static bool ask_server(
	struct ship *ship, size_t number, struct shipped *shipped)
{
	char statement[512];

	snprintf(statement, sizeof(statement),
		"SELECT count() FROM %s.runs WHERE source = %" PRIu64,
		ship->servers.database, shipped->source);
	shipped->acknowledged = 0;
	if (!ask(ship, number, statement))
		return false;
	if (server_number(&ship->servers) > 0) {
		snprintf(statement, sizeof(statement),
			"SELECT if(count() = 0, 0, max(number) + 1) FROM "
			"%s.messages WHERE source = %" PRIu64,
			ship->servers.database, shipped->source);
		if (!ask(ship, number, statement))
			return false;
		shipped->acknowledged = server_number(&ship->servers);
	}
	shipped->sending = shipped->acknowledged;
	return true;
}

/* Which block was being sent when a shipper ended: many logs have the same. */
static bool settle_last(
	struct ship *ship, struct parcel *parcel, struct shipped *shipped)
{
	if (strcmp(parcel->request, shipped->request) != 0) {
		if (!settle(ship, parcel->server, shipped->request,
			    shipped->source, shipped->acknowledged,
			    shipped->sending, &parcel->there))
			return false;
		memcpy(parcel->request, shipped->request,
			sizeof(parcel->request));
	}
	if (parcel->there)
		shipped->acknowledged = shipped->sending;
	shipped->sending = shipped->acknowledged;
	return true;
}

/* Where a log was begun it goes on, whatever servers are given now. */
static size_t server_for(
	const struct ship *ship, const struct shipped *shipped, uint64_t source)
{
	char name[SHIPPED_SERVER_MAX];
	size_t i;

	for (i = 0; shipped->known && shipped->source == source &&
		    i < ship->servers.count;
		i++) {
		server_name(&ship->servers, i, name, sizeof(name));
		if (strcmp(name, shipped->server) == 0)
			return i;
	}
	return server_of(ship, source);
}

/* A copy of a log that is before it: it is looked at the next time. */
static bool is_twice(struct parcel *parcel, size_t number, uint64_t source)
{
	size_t i;

	parcel->all[number].source = source;
	for (i = 0; i < number; i++)
		if (parcel->all[i].source == source)
			return true;
	return false;
}

/* The reader has found out which source a log is.  False: given up. */
static bool answer(struct ship *ship, struct parcel *parcel,
	struct rows_reader *reader, const struct rows_reader_frame *frame)
{
	struct one_sent *sent = &parcel->all[frame->log];
	struct shipped *shipped = &sent->shipped;

	if (sent->done || is_twice(parcel, (size_t)frame->log, frame->source) ||
		server_for(ship, shipped, frame->source) != parcel->server)
		return rows_reader_answer(reader, ROWS_SKIP);
	if (!prepare(ship, parcel->server))
		return false;
	if (!shipped->known || shipped->source != frame->source ||
		shipped->rebooted) {
		const uint64_t least =
			shipped->known && shipped->source == frame->source
				? shipped->acknowledged
				: 0;

		/* Another log may have the name now. */
		shipped->source = frame->source;
		shipped->whole = false;
		shipped->rebooted = false;
		server_name(&ship->servers, parcel->server, shipped->server,
			sizeof(shipped->server));
		if (!ask_server(ship, parcel->server, shipped))
			return false;
		/* what was dropped there does not come back */
		if (shipped->acknowledged < least)
			shipped->acknowledged = shipped->sending = least;
		shipped->known = true;
	} else if (shipped->sending > shipped->acknowledged &&
		   !settle_last(ship, parcel, shipped)) {
		return false;
	}
	return rows_reader_answer(reader, shipped->acknowledged);
}

/* Before it is sent.  A part of it in *part, if there are any rows. */
static bool write_parts(struct ship *ship, struct parcel *parcel,
	const struct rows_reader *reader, size_t count, const char *request,
	struct part *part)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct rows_reader_item *item = &reader->items[i];
		struct shipped *shipped = &parcel->all[item->log].shipped;

		if (item->until <= item->from)
			continue;
		*part = (struct part){shipped->source, item->from, item->until};
		shipped->sending = item->until;
		memcpy(shipped->request, request, sizeof(shipped->request));
		if (!write_down(ship, shipped))
			return false;
	}
	return true;
}

/* It was acknowledged. */
static bool write_ends(struct ship *ship, struct parcel *parcel,
	const struct rows_reader *reader, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct rows_reader_item *item = &reader->items[i];
		struct one_sent *sent = &parcel->all[item->log];

		if (sent->shipped.acknowledged < item->until)
			sent->shipped.acknowledged = item->until;
		sent->shipped.sending = sent->shipped.acknowledged;
		if (item->ended) {
			sent->shipped.bytes = sent->log->bytes;
			sent->shipped.device = sent->log->device;
			sent->shipped.inode = sent->log->inode;
			sent->shipped.changed = sent->log->changed_ns;
			sent->shipped.whole = !sent->growing;
			sent->done = true;
			ship->logs++;
			ship->damaged += item->damaged;
		}
		if (!write_down(ship, &sent->shipped))
			return false;
	}
	return true;
}

static bool has_sane_items(const struct parcel *parcel,
	const struct rows_reader *reader, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (reader->items[i].log >= parcel->count ||
			!parcel->all[reader->items[i].log].shipped.known)
			return false;
	return true;
}

/* False: given up. */
static bool take_block(struct ship *ship, struct parcel *parcel,
	const struct rows_reader *reader, const struct rows_reader_frame *frame)
{
	const bool messages = frame->table == FLEET_messages;
	struct part part = {0};
	char request[64] = "";

	if (messages) {
		snprintf(request, sizeof(request), "binlog-%08lx%08lx-%lu",
			(unsigned long)random(), (unsigned long)random(),
			(unsigned long)getpid());
		if (!has_sane_items(parcel, reader, frame->items) ||
			!write_parts(ship, parcel, reader, frame->items,
				request, &part))
			return false;
	}
	if (frame->rows > 0 &&
		!send_block(ship, parcel->server, frame->table, reader->bytes,
			frame->bytes, part.until > 0 ? request : NULL, &part))
		return false;
	if (!messages)
		return true;
	ship->messages += frame->rows;
	return write_ends(ship, parcel, reader, frame->items);
}

/* How far a reader has come. */
struct come {
	size_t log; /* that it was reading */
	bool ended;
};

/* What falls to one server, of the logs that are not done.  False: given up, or
 * the reader has ended before its time. */
static bool send_to(struct ship *ship, struct parcel *parcel, struct come *come)
{
	struct rows_reader_log logs[PARCEL_LOGS];
	struct rows_reader_settings settings = {
		.logs = logs,
		.count = parcel->count,
		.text = !ship->command.without_text,
		.places = !ship->command.without_stacks,
		.statements = !ship->command.without_statements,
		.secret = ship->password,
		.secret_bytes = sizeof(ship->password),
	};
	struct rows_reader_frame frame;
	struct rows_reader reader;
	bool good = true;
	size_t i;

	*come = (struct come){0};
	*parcel->request = '\0';
	for (i = 0; i < parcel->count; i++)
		logs[i] = (struct rows_reader_log){
			parcel->all[i].log->path, parcel->all[i].growing};
	if (!rows_reader_begin(&reader, &settings)) {
		tell(ship, "no process can be made to read logs: end some "
			   "others");
		ship->gave_up = true;
		return false;
	}
	while (good && !come->ended && rows_reader_next(&reader, &frame)) {
		if (frame.kind == ROWS_SOURCE) {
			come->log = (size_t)frame.log;
			good = frame.log < parcel->count &&
			       answer(ship, parcel, &reader, &frame);
		} else if (frame.kind == ROWS_BLOCK) {
			good = take_block(ship, parcel, &reader, &frame);
		} else {
			come->ended = true;
		}
		good = good && !stopped;
	}
	rows_reader_end(&reader);
	return good && come->ended;
}

/* One that ends its reader is left out, and told of; the others are sent. */
static bool send_to_all(struct ship *ship, struct parcel *parcel)
{
	char problem[1024];
	struct come come;

	while (!send_to(ship, parcel, &come)) {
		struct one_sent *sent;

		if (ship->gave_up || stopped || come.log >= parcel->count ||
			parcel->all[come.log].done)
			return false;
		sent = &parcel->all[come.log];
		sent->done = true;
		ship->damaged++;
		snprintf(problem, sizeof(problem),
			"%s: not sent: reading it has ended the process that "
			"does: look at it with binlog-show, and tell us",
			sent->log->path);
		tell(ship, problem);
	}
	return true;
}

static bool send_parcel(struct ship *ship, struct parcel *parcel)
{
	bool good = true;
	size_t i;

	/* Who asks all servers finds the tables on each, also where no log
	 * fell to. */
	for (i = 0; parcel->count > 0 && i < ship->servers.count && good; i++)
		good = prepare(ship, i);
	for (parcel->server = 0; parcel->count > 0 && good && !stopped &&
				 parcel->server < ship->servers.count;
		parcel->server++)
		good = send_to_all(ship, parcel);
	while (parcel->count > 0) {
		struct one_sent *sent = &parcel->all[--parcel->count];

		shipped_free(&sent->shipped);
		close(sent->lock);
	}
	parcel->bytes = 0;
	return good;
}

static bool is_elsewhere(struct ship *ship, const struct shipped *shipped)
{
	char name[SHIPPED_SERVER_MAX], problem[1024 + SHIPPED_SERVER_MAX];
	size_t i;

	for (i = 0; i < ship->servers.count; i++) {
		server_name(&ship->servers, i, name, sizeof(name));
		if (strcmp(name, shipped->server) == 0)
			return false;
	}
	snprintf(problem, sizeof(problem),
		"%s: the log was sent to %s: to send it to another server as "
		"well, give --state=DIR",
		shipped->path, shipped->server);
	tell(ship, problem);
	ship->gave_up = true;
	return true;
}

/* -1: another shipper has it, or it is gone. */
static int lock_log(struct ship *ship, const struct one_log *log)
{
	int fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char problem[1024];

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd < 0)
		snprintf(problem, sizeof(problem),
			"%s: not read: %s: let it "
			"be read by who runs this",
			log->path, strerror(errno));
	else
		snprintf(problem, sizeof(problem),
			"%s: left out: another "
			"binlog-ship is sending it: one is enough",
			log->path);
	tell(ship, problem);
	ship->damaged++;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The file is the one whose end was reached, and has not changed since. */
static bool is_unchanged(
	const struct shipped *shipped, const struct one_log *log)
{
	return shipped->bytes == log->bytes && shipped->device == log->device &&
	       shipped->inode == log->inode &&
	       shipped->changed == log->changed_ns;
}

/* Whether something of a log is to be sent. */
static bool is_wanted(struct ship *ship, struct one_sent *sent)
{
	const struct shipped *shipped = &sent->shipped;
	const struct one_log *log = sent->log;

	if (shipped->whole && is_unchanged(shipped, log))
		return false;
	sent->growing = log_use_of(log) == LOG_GROWS;
	if (!sent->growing)
		return true;
	/* The order of what a running program says is not known to its end. */
	if (!log_is_packed(log)) {
		ship->waiting++;
		return false;
	}
	return !shipped->known || !is_unchanged(shipped, log);
}

/* If there is anything to be sent it is the parcel's next one.  False: given
 * up. */
static bool add_log(
	struct ship *ship, struct parcel *parcel, const struct one_log *log)
{
	struct one_sent *sent = &parcel->all[parcel->count];
	struct shipped *shipped = &sent->shipped;
	const char *problem;
	bool good;

	*sent = (struct one_sent){.log = log, .lock = -1};
	problem = shipped_read(shipped, log->path, ship->command.state);
	if (problem)
		tell(ship, problem);
	good = !problem && !(shipped->known && is_elsewhere(ship, shipped));
	if (good && is_wanted(ship, sent))
		sent->lock = lock_log(ship, log);
	if (sent->lock >= 0) {
		parcel->count++;
		parcel->bytes += log->bytes;
	} else {
		shipped_free(shipped);
	}
	if (!good && !ship->command.follow)
		ship->gave_up = true;
	return good || ship->command.follow;
}

/* One that has to be unpacked needs a process of its own. */
static bool is_compressed(const struct one_log *log)
{
	const char *dot = strrchr(log->path, '.');

	return dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0);
}

static bool send_all(struct ship *ship, const struct logs *logs)
{
	static struct parcel parcel;
	bool good = true;
	size_t i;

	for (i = 0; i < logs->count && good && !stopped; i++) {
		const struct one_log *log = &logs->all[i];

		if (parcel.count > 0 &&
			(parcel.count == PARCEL_LOGS ||
				parcel.bytes + log->bytes > PARCEL_BYTES ||
				is_compressed(log)))
			good = send_parcel(ship, &parcel);
		good = good && add_log(ship, &parcel, log);
		if (good && parcel.count > 0 && is_compressed(log))
			good = send_parcel(ship, &parcel);
	}
	return send_parcel(ship, &parcel) && good;
}

/*
 * What is on the server can be removed here.
 */

static void remove_log(
	const struct one_log *log, const char *state, uint64_t *bytes)
{
	struct one_log now = *log;
	struct shipped shipped;
	struct stat st;

	if (!shipped_read(&shipped, log->path, state) && shipped.whole &&
		lstat(log->path, &st) == 0 && S_ISREG(st.st_mode)) {
		now.bytes = (uint64_t)st.st_size;
		now.device = st.st_dev;
		now.inode = st.st_ino;
		now.changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 +
				 (uint64_t)st.st_mtim.tv_nsec;
		if (is_unchanged(&shipped, &now) &&
			log_use_of(&now) == LOG_ENDED &&
			unlink(log->path) == 0) {
			unlink(shipped.path);
			*bytes -= log->bytes;
		}
	}
	shipped_free(&shipped);
}

static void clean(struct ship *ship, const struct logs *logs)
{
	const struct ship_command *command = &ship->command;
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < logs->count; i++)
		bytes += logs->all[i].bytes;
	for (i = 0; i < logs->count; i++) {
		const struct one_log *log = &logs->all[i];

		if ((command->deletes &&
			    time(NULL) - log->changed >=
				    (time_t)command->delete_seconds) ||
			(command->keep_bytes > 0 &&
				bytes > command->keep_bytes))
			remove_log(log, command->state, &bytes);
	}
}

/* All that is there.  False: given up. */
static bool look(struct ship *ship)
{
	struct logs logs;
	bool good =
		logs_find(&logs, ship->command.paths, ship->command.path_count);

	ship->waiting = 0;
	if (!good)
		tell(ship, "out of memory: give fewer logs");
	if (logs.missing && !ship->command.follow) {
		sentence_say("binlog-ship: %s: %s: give a log, a capture or a "
			     "directory",
			logs.missing, strerror(logs.why));
		good = false;
	}
	good = good && send_all(ship, &logs);
	if (good && !stopped)
		clean(ship, &logs);
	logs_free(&logs);
	return good || (ship->command.follow && !ship->gave_up);
}

static uint64_t milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static enum exit_status run(struct ship *ship)
{
	bool good;

	do {
		const uint64_t begin = milliseconds();
		uint64_t pause;

		good = look(ship);
		pause = (milliseconds() - begin) * LOOK_SHARE;
		if (pause > LOOK_PAUSE_MOST)
			pause = LOOK_PAUSE_MOST;
		if (good && ship->command.follow)
			doze((unsigned)(pause < LOOK_PAUSE ? LOOK_PAUSE
							   : pause));
	} while (good && ship->command.follow && !stopped);
	if (!ship->command.quiet)
		sentence_say("%" PRIu64 " messages of %zu logs sent",
			ship->messages, ship->logs);
	if (ship->waiting > 0 && !ship->command.quiet)
		sentence_say("%zu captures are being written to, and are sent "
			     "when their programs have ended: to send them "
			     "while they run, pack them with binlog-pack "
			     "--follow",
			ship->waiting);
	if (!good && !stopped)
		return EXIT_NOTHING;
	return ship->damaged > 0 ? EXIT_DAMAGE : EXIT_ALL_READ;
}

/* `binlog-ship --status` */
static enum exit_status show_status(const struct ship *ship)
{
	struct logs logs;
	bool good =
		logs_find(&logs, ship->command.paths, ship->command.path_count);
	size_t i;

	if (logs.count > 0)
		printf("%-10s %12s %12s  %s\n", "STATE", "MESSAGES", "BYTES",
			"LOG");
	for (i = 0; i < logs.count; i++) {
		const struct one_log *log = &logs.all[i];
		struct shipped shipped;
		const char *problem =
			shipped_read(&shipped, log->path, ship->command.state);
		const char *state = problem	     ? "unknown"
				    : !shipped.known ? "new"
				    : shipped.bytes == log->bytes
					    ? shipped.whole ? "sent" : "growing"
					    : "waiting";

		struct render_buffer path = {0};

		escape_put(&path, log->path, strlen(log->path), ESCAPE_NEWLINE);
		printf("%-10s %12" PRIu64 " %12" PRIu64 "  %.*s\n", state,
			shipped.acknowledged, log->bytes, (int)path.length,
			path.data);
		render_buffer_free(&path);
		shipped_free(&shipped);
	}
	logs_free(&logs);
	return good ? EXIT_ALL_READ : EXIT_NOTHING;
}

static enum exit_status fail(const char *sentence)
{
	sentence_say("binlog-ship: %s", sentence);
	return EXIT_NOTHING;
}

static enum exit_status print_help(void)
{
	char text[8192];

	command_line_help(descriptions, OPTIONS, text, sizeof(text));
	printf("usage: binlog-ship [OPTIONS] --to=URL PATH...\n"
	       "Sends what programs said to a server of ClickHouse, each "
	       "message once.\n"
	       "PATH is a packed log, a capture, or a directory of them.\n\n%s",
		text);
	return EXIT_ALL_READ;
}

/* Null, or why not.  It is in one place only, which the process that reads logs
 * forgets. */
static const char *read_password(struct ship *ship)
{
	static char problem[1024];
	const char *path = ship->command.password_file;
	char *variable = getenv("BINLOG_SHIP_PASSWORD");
	char *password = ship->password;
	FILE *file;

	if (variable && !path)
		snprintf(password, sizeof(ship->password), "%s", variable);
	if (variable)
		explicit_bzero(variable, strlen(variable));
	if (path) {
		file = fopen(path, "re");
		if (!file || !fgets(password, sizeof(ship->password), file)) {
			snprintf(problem, sizeof(problem),
				"%s: no password: %s: put it on the first line",
				path, file ? "it is empty" : strerror(errno));
			if (file)
				fclose(file);
			return problem;
		}
		fclose(file);
	}
	password[strcspn(password, "\r\n")] = '\0';
	ship->servers.password = *password ? password : NULL;
	return NULL;
}

static enum exit_status start(struct ship *ship)
{
	struct sigaction action = {.sa_handler = stop};
	const char *wrong = servers_begin(&ship->servers, ship->command.to);
	enum exit_status status;
	char problem[1024];

	if (wrong) {
		snprintf(problem, sizeof(problem), "--to: %s", wrong);
		return fail(problem);
	}
	wrong = read_password(ship);
	if (wrong)
		return fail(wrong);
	ship->servers.ca = ship->command.ca;
	ship->servers.stopped = &stopped;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	srandom((unsigned)getpid() ^ (unsigned)time(NULL));
	status = run(ship);
	servers_end(&ship->servers);
	return status;
}

int main(int argc, char **argv)
{
	static struct ship ship;

	if (!parse(&ship.command, argc, argv))
		return fail(ship.command.problem);
	if (ship.command.help)
		return print_help();
	if (ship.command.version) {
		printf("binlog-ship, reads captures of format version %u\n",
			BINLOG_VERSION);
		return EXIT_ALL_READ;
	}
	return ship.command.status ? show_status(&ship) : start(&ship);
}
