/*
 * binlog-ship: logs in, rows on a server of ClickHouse out.  The logs are the
 * queue, and what was acknowledged is remembered beside them.  Here is its
 * command line, and what is done with logs but sending them, which is send.c.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "record/layout.h"
#include "tools/output/standard_output.h"
#include "tools/ship/ship.h"

/*
 * The command line, as ship_options.def has it.
 */

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

static const char *read_level(int *level, const char *value)
{
	char *rest;
	const long number = strtol(value, &rest, 10);

	if (rest == value || *rest != '\0' || number < 0 ||
		number > COMPRESS_LEVEL_MOST)
		return "not a level: give a number from 0 to 19";
	*level = (int)number;
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
	case NUMBER_COMPRESS:
		return read_level(&command->level, value);
	case NUMBER_EVERY:
		return command_line_seconds(&command->every, value, 0);
	case NUMBER_STATE:
		command->state = value;
		break;
	case NUMBER_DELETE:
		command->deletes = true;
		return command_line_seconds(&command->delete_seconds, value, 0);
	case NUMBER_KEEP:
		return command_line_size(&command->keep_bytes, value);
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
		return command_line_seconds(&command->give_up, value, 1);
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
	if (command->cluster && !server_is_word(command->cluster))
		return complain(command, command->cluster,
			"not the name of a cluster: give one word");
	return true;
}

/* Milliseconds between looks at what is followed: at least and at most, and as
 * many times what a look takes. */
#define LOOK_PAUSE 500u
#define LOOK_SHARE 5u
#define LOOK_PAUSE_MOST 5000u
#define EVERY_MOST 86400000u

volatile int ship_stopped;

uint64_t ship_milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void stop(int number)
{
	(void)number;
	ship_stopped = 1;
}

/*
 * What is on the server can be removed here.
 */

static void remove_log(
	const struct one_log *log, const char *state, uint64_t *bytes)
{
	struct one_log now = *log;
	struct shipped shipped;

	if (!shipped_read(&shipped, log->path, state) && shipped.whole &&
		log_look(&now, log->path) &&
		ship_is_unchanged(&shipped, &now) &&
		log_use_of(&now) == LOG_ENDED && unlink(log->path) == 0) {
		unlink(shipped.path);
		*bytes -= log->bytes;
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

/* What was named and cannot be looked at, in a sentence each. */
static void say_missing(const struct logs *logs)
{
	if (logs->missing)
		sentence_say("binlog-ship: %s: %s: give a log, a capture or a "
			     "directory",
			logs->missing, strerror(logs->why));
	if (logs->closed)
		sentence_say("binlog-ship: %s: not read: %s: run it as a user "
			     "who may read it",
			logs->closed, strerror(logs->closed_why));
}

/* All that is there.  False: given up. */
static bool look(struct ship *ship)
{
	struct logs logs;
	bool good =
		logs_find(&logs, ship->command.paths, ship->command.path_count);

	ship->waiting = ship->unsent = 0;
	ship->gave_up = ship->away = false;
	if (!good)
		ship_tell(ship, "out of memory: give fewer logs");
	if (!ship->command.follow) {
		say_missing(&logs);
		good = good && !logs.missing;
	} else if (logs.closed && !ship->closed) {
		ship->closed = true;
		say_missing(&(struct logs){
			.closed = logs.closed, .closed_why = logs.closed_why});
	}
	good = good && ship_send(ship, &logs);
	ship->unsent += logs.closed != NULL;
	if (good && !ship_stopped)
		clean(ship, &logs);
	logs_free(&logs);
	return good || (ship->command.follow && !ship->over);
}

/* A look that took so many milliseconds. */
static unsigned pause_after(const struct ship *ship, uint64_t took)
{
	const uint64_t every =
		ship->command.follow ? ship->command.every * 1000 : 0;
	uint64_t pause = took * LOOK_SHARE;

	if (pause > LOOK_PAUSE_MOST)
		pause = LOOK_PAUSE_MOST;
	if (pause < LOOK_PAUSE)
		pause = LOOK_PAUSE;
	if (took < every && pause < every - took)
		pause = every - took;
	return (unsigned)(pause < EVERY_MOST ? pause : EVERY_MOST);
}

static enum exit_status run(struct ship *ship)
{
	bool good;

	do {
		const uint64_t begin = ship_milliseconds();

		good = look(ship);
		if (good && (ship->command.follow || ship->away))
			ship_doze(
				pause_after(ship, ship_milliseconds() - begin));
	} while (good && (ship->command.follow || ship->away) && !ship_stopped);
	if (!ship->command.quiet)
		sentence_say("%" PRIu64 " messages of %zu logs sent",
			ship->messages, ship->logs);
	if (ship->waiting > 0 && !ship->command.quiet)
		sentence_say("%zu captures are being written to, and are sent "
			     "when their programs have ended: to send them "
			     "while they run, pack them with binlog-pack "
			     "--follow",
			ship->waiting);
	if ((!good && !ship_stopped) || ship->unsent > 0)
		return EXIT_NOTHING;
	return ship->damaged > 0 ? EXIT_DAMAGE : EXIT_ALL_READ;
}

static enum exit_status printed(void)
{
	return standard_output_finish("binlog-ship") ? EXIT_ALL_READ
						     : EXIT_NOTHING;
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
				    : ship_is_unchanged(&shipped, log)
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
	if (!good)
		sentence_say("binlog-ship: out of memory: give fewer logs");
	say_missing(&logs);
	good = good && !logs.missing && !logs.closed;
	logs_free(&logs);
	return good ? printed() : EXIT_NOTHING;
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
	return printed();
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
	wrong = servers_password(&ship->servers, ship->command.password_file);
	if (wrong)
		return fail(wrong);
	ship->servers.ca = ship->command.ca;
	ship->servers.stopped = &ship_stopped;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	srandom((unsigned)getpid() ^ (unsigned)time(NULL));
	status = run(ship);
	servers_end(&ship->servers);
	compress_free(&ship->compressed);
	return status;
}

int main(int argc, char **argv)
{
	static struct ship ship = {.command.level = 1};

	standard_output_guard();
	if (!parse(&ship.command, argc, argv))
		return fail(ship.command.problem);
	if (ship.command.help)
		return print_help();
	if (ship.command.version) {
		standard_output_version(
			"binlog-ship", "captures", BINLOG_VERSION);
		return printed();
	}
	return ship.command.status ? show_status(&ship) : start(&ship);
}
