#include "tools/ship/ship.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/sentence.h"
#include "decoder/fleet/tables.h"
#include "record/hash.h"
#include "tools/ship/rows_reader.h"

/*
 * Talking to a server, until it answers.
 */

/* Milliseconds between attempts: from and to. */
#define PAUSE_FIRST 100u
#define PAUSE_MOST 30000u
/* A request that was given up may still be worked on. */
#define RUNNING_PAUSE 200u

void ship_doze(unsigned milliseconds)
{
	struct timespec time = {
		milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};

	if (!ship_stopped)
		nanosleep(&time, NULL);
}

void ship_tell(struct ship *ship, const char *problem)
{
	if (strcmp(ship->said, problem) == 0)
		return;
	snprintf(ship->said, sizeof(ship->said), "%s", problem);
	sentence_say("binlog-ship: %s", problem);
}

/* Of all but the numbers: a problem says how many milliseconds it took. */
static uint64_t hash_of_words(const char *problem)
{
	uint64_t hash = 1;

	for (; *problem; problem++)
		if (*problem < '0' || *problem > '9')
			hash = binlog_hash_word(hash, (uint8_t)*problem);
	return hash;
}

/*
 * Whether to try again, after a pause that grows and is never the same for all
 * shippers.
 */
static bool wait_for_server(
	struct ship *ship, size_t number, enum server_end end)
{
	const struct ship_command *command = &ship->command;
	const struct servers *servers = &ship->servers;
	const uint64_t told = servers->code > 0
				      ? (uint64_t)servers->code
				      : hash_of_words(servers->problem);
	const uint64_t now = ship_milliseconds();
	unsigned pause = ship->pause[number];

	if (ship_stopped)
		return false;
	/* the same code has other names in it each time */
	if (told != ship->told[number])
		ship_tell(ship, servers->problem);
	ship->told[number] = told;
	if (!ship->failing[number])
		ship->failing[number] = now;
	ship->over |= command->give_up > 0 &&
		      (now - ship->failing[number]) / 1000 >= command->give_up;
	if (ship->over || (end == SERVER_REFUSED && !command->follow)) {
		ship->gave_up = true;
		return false;
	}
	pause = pause ? pause * 2 : PAUSE_FIRST;
	if (pause > PAUSE_MOST)
		pause = PAUSE_MOST;
	ship->pause[number] = pause;
	pause = pause / 2 + (unsigned)random() % pause;
	if (ship->servers.count > 1) {
		ship->again[number] = now + pause;
		return false;
	}
	ship_doze(pause);
	return !ship_stopped;
}

static void was_answered(struct ship *ship, size_t number)
{
	ship->pause[number] = 0;
	ship->failing[number] = ship->again[number] = 0;
}

/* The others get what is theirs meanwhile. */
static bool is_away(const struct ship *ship, size_t number)
{
	return !ship->gave_up && ship->again[number] > 0;
}

/* A question that may be asked as often as one likes.  False: given up. */
static bool ask(struct ship *ship, size_t number, const char *statement)
{
	for (;;) {
		enum server_end end = server_ask(
			&ship->servers, number, statement, NULL, 0, NULL);

		if (end == SERVER_DONE) {
			was_answered(ship, number);
			return true;
		}
		if (!wait_for_server(ship, number, end))
			return false;
	}
}

/* Likewise, of a number. */
static bool ask_number(struct ship *ship, size_t number, const char *statement,
	uint64_t *answer)
{
	for (;;) {
		enum server_end end = server_ask_number(
			&ship->servers, number, statement, answer);

		if (end == SERVER_DONE) {
			was_answered(ship, number);
			return true;
		}
		if (!wait_for_server(ship, number, end))
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
		ship_tell(ship, servers->problem);
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

/*
 * Servers that have a keeper, and say which replica of which shard they are,
 * hold replicas of the tables.  False: given up.
 */
static bool ask_replicated(struct ship *ship, size_t number, bool *replicated)
{
	uint64_t tables, macros = 0;

	if (!ask_number(ship, number,
		    "SELECT count() FROM system.tables WHERE database = "
		    "'system' AND name IN ('zookeeper', 'macros')",
		    &tables))
		return false;
	/* to ask for a table that is not there would be an error */
	if (tables == 2 &&
		!ask_number(ship, number,
			"SELECT count() FROM system.macros WHERE macro IN "
			"('shard', 'replica')",
			&macros))
		return false;
	*replicated = macros == 2;
	return true;
}

/* Once for each server. */
static bool prepare(struct ship *ship, size_t number)
{
	const char *database = ship->servers.database;
	struct render_buffer text = {0};
	enum fleet_table table;
	bool replicated;
	bool good;

	if (ship->prepared[number])
		return true;
	if (!ask_replicated(ship, number, &replicated))
		return false;
	render_buffer_put_string(&text, "CREATE DATABASE IF NOT EXISTS ");
	render_buffer_put_string(&text, database);
	good = ask_text(ship, number, &text);
	for (table = 0; table < FLEET_TABLES && good; table++) {
		fleet_table_create(table, database, replicated, &text);
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
	unsigned calm = 0;
	uint64_t count;

	snprintf(statement, sizeof(statement),
		"SELECT count() FROM system.processes WHERE query_id = '%s'",
		request);
	/* One that had not begun when the server was asked first has the
	 * second time. */
	while (calm < 2) {
		if (!ask_number(ship, number, statement, &count))
			return false;
		calm = count == 0 ? calm + 1 : 0;
		if (calm < 2)
			ship_doze(RUNNING_PAUSE);
		if (ship_stopped)
			return false;
	}
	snprintf(statement, sizeof(statement),
		"SELECT count() FROM %s.messages WHERE source = %" PRIu64
		" AND number >= %" PRIu64 " AND number < %" PRIu64,
		ship->servers.database, source, from, until);
	if (!ask_number(ship, number, statement, &count))
		return false;
	*there = count > 0;
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
	struct compressed *compressed = &ship->compressed;
	bool there = false;

	if (ship->command.level > 0) {
		if (!compress_body(
			    compressed, bytes, size, ship->command.level)) {
			ship_tell(ship, "out of memory: give fewer logs");
			ship->gave_up = true;
			return false;
		}
		bytes = compressed->bytes;
		size = compressed->size;
	}

	render_buffer_put_string(&text, "INSERT INTO ");
	render_buffer_put_string(&text, ship->servers.database);
	render_buffer_put_byte(&text, '.');
	render_buffer_put_string(&text, fleet_tables[table].name);
	render_buffer_put_string(&text, " (");
	fleet_table_columns(table, &text);
	render_buffer_put_string(&text, ") FORMAT Native");
	render_buffer_put_byte(&text, '\0');
	while (!there) {
		enum server_end end;

		if (ship->command.level > 0)
			ship->servers.parameters = COMPRESS_PARAMETERS;
		end = server_ask(&ship->servers, number, text.data, bytes, size,
			request);
		ship->servers.parameters = NULL;
		if (end == SERVER_DONE) {
			was_answered(ship, number);
			there = true;
			break;
		}
		if (!wait_for_server(ship, number, end))
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
#define AHEAD_SECONDS 21600u
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
	uint64_t ahead;	  /* nanoseconds since 1970, by the server's clock */
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
	ship_tell(ship, problem);
	ship->gave_up = true;
	return false;
}

/* How much the server has of a source of which nothing sure is remembered: who
 * has rows of it has told of its runs before. */
static bool ask_server(
	struct ship *ship, size_t number, struct shipped *shipped)
{
	char statement[512];
	uint64_t runs;

	snprintf(statement, sizeof(statement),
		"SELECT count() FROM %s.runs WHERE source = %" PRIu64,
		ship->servers.database, shipped->source);
	shipped->acknowledged = 0;
	if (!ask_number(ship, number, statement, &runs))
		return false;
	snprintf(statement, sizeof(statement),
		"SELECT if(count() = 0, 0, max(number) + 1) FROM %s.messages "
		"WHERE source = %" PRIu64,
		ship->servers.database, shipped->source);
	if (runs > 0 &&
		!ask_number(ship, number, statement, &shipped->acknowledged))
		return false;
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
	size_t named = server_named(&ship->servers, shipped->server);

	return shipped->known && shipped->source == source &&
			       named < ship->servers.count
		       ? named
		       : server_of(ship, source);
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

/* Where a reader is. */
struct reached {
	size_t log; /* that it was reading */
	bool ended;
};

/* What falls to one server, of the logs that are not done.  False: given up, or
 * the reader has ended before its time. */
static bool send_to(
	struct ship *ship, struct parcel *parcel, struct reached *reached)
{
	struct rows_reader_log logs[PARCEL_LOGS];
	struct rows_reader_settings settings = {
		.logs = logs,
		.count = parcel->count,
		.text = !ship->command.without_text,
		.places = !ship->command.without_stacks,
		.statements = !ship->command.without_statements,
		.ahead = parcel->ahead,
		.stopped = &ship_stopped,
		.secret = ship->servers.secret,
		.secret_bytes = sizeof(ship->servers.secret),
	};
	struct rows_reader_frame frame;
	struct rows_reader reader;
	bool good = true;
	size_t i;

	*reached = (struct reached){0};
	*parcel->request = '\0';
	for (i = 0; i < parcel->count; i++)
		logs[i] = (struct rows_reader_log){
			.path = parcel->all[i].log->path,
			.skipped = parcel->all[i].done,
			.growing = parcel->all[i].growing,
			.lock = parcel->all[i].lock,
		};
	if (!rows_reader_begin(&reader, &settings)) {
		ship_tell(ship, "no process can be made to read logs: end some "
				"others");
		ship->gave_up = true;
		return false;
	}
	while (good && !reached->ended && rows_reader_next(&reader, &frame)) {
		if (frame.kind == ROWS_LOG) {
			reached->log = (size_t)frame.log;
		} else if (frame.kind == ROWS_SOURCE) {
			good = frame.log < parcel->count &&
			       answer(ship, parcel, &reader, &frame);
		} else if (frame.kind == ROWS_BLOCK) {
			good = take_block(ship, parcel, &reader, &frame);
		} else {
			reached->ended = true;
		}
		good = good && !ship_stopped;
	}
	rows_reader_end(&reader);
	return good && reached->ended;
}

/* What is later than this is by a clock that runs ahead.  Days of the server
 * may begin half a day before those of UTC, or after. */
static bool ask_ahead(struct ship *ship, struct parcel *parcel)
{
	uint64_t seconds;

	if (!ask_number(ship, parcel->server, "SELECT toUnixTimestamp(now())",
		    &seconds))
		return false;
	parcel->ahead = (seconds + AHEAD_SECONDS) * 1000000000;
	return true;
}

/* One that ends its reader is left out, and told of; the others are sent. */
static bool send_to_all(struct ship *ship, struct parcel *parcel)
{
	char problem[1024];
	struct reached reached;

	if (!ask_ahead(ship, parcel))
		return false;
	while (!send_to(ship, parcel, &reached)) {
		struct one_sent *sent;

		if (ship->gave_up || ship_stopped ||
			is_away(ship, parcel->server) ||
			reached.log >= parcel->count ||
			parcel->all[reached.log].done)
			return false;
		sent = &parcel->all[reached.log];
		sent->done = true;
		ship->unsent++;
		snprintf(problem, sizeof(problem),
			"%s: not sent: reading it has ended the process that "
			"does: look at it with binlog-show, and tell us",
			sent->log->path);
		ship_tell(ship, problem);
	}
	return true;
}

static bool is_left_alone(const struct ship *ship, size_t number)
{
	return ship->again[number] > ship_milliseconds();
}

static bool send_parcel(struct ship *ship, struct parcel *parcel)
{
	bool good = true;
	size_t i;

	/* Who asks all servers finds the tables on each, also where no log
	 * fell to. */
	for (i = 0; parcel->count > 0 && i < ship->servers.count && good; i++)
		good = is_left_alone(ship, i) || prepare(ship, i) ||
		       is_away(ship, i);
	for (parcel->server = 0; parcel->count > 0 && good && !ship_stopped &&
				 parcel->server < ship->servers.count;
		parcel->server++)
		good = is_left_alone(ship, parcel->server) ||
		       send_to_all(ship, parcel) ||
		       is_away(ship, parcel->server);
	for (i = 0; parcel->count > 0 && i < ship->servers.count; i++)
		ship->away |= is_away(ship, i);
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
	char problem[1024 + SHIPPED_SERVER_MAX];

	if (server_named(&ship->servers, shipped->server) < ship->servers.count)
		return false;
	snprintf(problem, sizeof(problem),
		"%s: the log was sent to %s: to send it to another server as "
		"well, give --state=DIR",
		shipped->path, shipped->server);
	ship_tell(ship, problem);
	return true;
}

/* -1: another shipper has it, or it is gone. */
static int lock_log(struct ship *ship, const struct one_log *log)
{
	int fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char problem[1024];

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	snprintf(problem, sizeof(problem),
		fd < 0 ? "%s: not read: %s: let it be read by who runs this"
		       : "%s: left out: another binlog-ship is sending it: one "
			 "is enough",
		log->path, strerror(errno));
	ship_tell(ship, problem);
	ship->unsent++;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool ship_is_unchanged(const struct shipped *shipped, const struct one_log *log)
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

	if (shipped->whole && ship_is_unchanged(shipped, log))
		return false;
	sent->growing = log_use_of(log) == LOG_GROWS;
	if (!sent->growing)
		return true;
	/* The order of what a running program says is not known to its end. */
	if (!log_is_packed(log)) {
		ship->waiting++;
		return false;
	}
	return !shipped->known || !ship_is_unchanged(shipped, log);
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
		ship_tell(ship, problem);
	good = !problem && !(shipped->known && is_elsewhere(ship, shipped));
	if (good && is_wanted(ship, sent))
		sent->lock = lock_log(ship, log);
	if (sent->lock >= 0) {
		parcel->count++;
		parcel->bytes += log->bytes;
	} else {
		shipped_free(shipped);
	}
	ship->unsent += !good;
	ship->gave_up |= !good && !ship->command.follow;
	return !ship->gave_up;
}

/* One that has to be unpacked needs a process of its own. */
static bool is_compressed(const struct one_log *log)
{
	const char *dot = strrchr(log->path, '.');

	return dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0);
}

bool ship_send(struct ship *ship, const struct logs *logs)
{
	static struct parcel parcel;
	bool good = true;
	size_t i;

	for (i = 0; i < logs->count && good && !ship_stopped; i++) {
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
