/*
 * binlog-run: runs a program with libbinlog.so preloaded, after making sure
 * that preloading it has an effect.  Executes the program in its own place, so
 * that exit status, signals, process id and job control are the program's;
 * only --show keeps a parent, which then ends as the program did.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/elsewhere_place.h"
#include "base/sentence.h"
#include "record/layout.h"
#include "record/word.h"
#include "rules/levels.h"
#include "tools/output/standard_output.h"
#include "tools/program/preload.h"
#include "tools/run/config_check.h"
#include "tools/run/capture_place.h"
#include "tools/run/program_check.h"
#include "tools/run/selftest.h"
#include "tools/run/end_watch.h"

/*
 * What binlog-run hands to the library in variables of one value: numbers,
 * sizes, a level.  Called by main.  Promises to say what the library, which
 * prints nothing, could only pass over in silence.
 */

static const char digits[] = "0123456789";

static bool is_number(const char *text)
{
	size_t count = strspn(text, digits);

	return count > 0 && text[count] == '\0';
}

/* 64K, 16M... */
static bool is_size(const char *text)
{
	size_t count = strspn(text, digits);

	return count > 0 &&
	       (text[count] == '\0' ||
		       (strchr("kmgtKMGT", text[count]) && !text[count + 1]));
}

static bool is_level(const char *text)
{
	int level;

	return level_named(text, strlen(text), &level);
}

static bool is_duration(const char *text, size_t bytes)
{
	static const char *const units[] = {
		"", "ns", "us", "ms", "s", "m", "min", "h"};
	size_t count = strspn(text, digits);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (count > 0 && count <= bytes &&
			word_is(units[i], text + count, bytes - count))
			return true;
	return word_is("all", text, bytes);
}

static bool is_cause(const char *text, size_t bytes)
{
	if (strncmp(text, "before=", 7) == 0)
		return is_duration(text + 7, bytes - 7);
	if (strncmp(text, "after=", 6) == 0)
		return is_duration(text + 6, bytes - 6);
	return word_is("signal", text, bytes) || word_is("exit", text, bytes) ||
	       word_is("kill", text, bytes);
}

static bool is_trigger(const char *text)
{
	for (;;) {
		size_t bytes = strcspn(text, ",");

		if (!is_cause(text, bytes))
			return false;
		if (!text[bytes])
			return true;
		text += bytes + 1;
	}
}

/* For how long it is waited has an end. */
static bool is_full(const char *text)
{
	return strcmp(text, "pass") == 0 || strcmp(text, "block") == 0 ||
	       strcmp(text, "spill") == 0 ||
	       (strncmp(text, "block=", 6) == 0 &&
		       strcmp(text + 6, "all") != 0 &&
		       is_duration(text + 6, strlen(text + 6)));
}

static bool is_captures(const char *text)
{
	return strcmp(text, "program") == 0 || strcmp(text, "run") == 0;
}

static const struct value {
	const char *variable;
	const char *option;
	bool (*is_right)(const char *text);
	const char *advice;
} values[] = {
	{"BINLOG_LEVEL", "level", is_level,
		"no such level: give emerg, alert, crit, err, warning, notice, "
		"info, debug or trace"},
	{"BINLOG_DEPTH", "depth", is_number,
		"not a number of frames: give digits"},
	{"BINLOG_RING", "ring", is_size, "no size: give one such as 16M"},
	{"BINLOG_MAX_SIZE", "max-size", is_size,
		"no size: give one such as 64M"},
	{"BINLOG_FULL", "full", is_full,
		"not known: give pass, block, block=TIME or spill"},
	{"BINLOG_CAPTURES", "captures", is_captures,
		"not known: give program or run"},
	{"BINLOG_QUOTA", "quota", is_size, "no size: give one such as 1G"},
	{"BINLOG_TRIGGER", "trigger", is_trigger,
		"not known: give signal, exit, kill, before=TIME or "
		"after=TIME, with commas between them"},
};

/* Whether each variable that is set means something. */
static bool values_check(struct refusal *refusal)
{
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const char *text = getenv(values[i].variable);

		if (text && *text && !values[i].is_right(text))
			return refusal_set(refusal, REFUSAL_POINTLESS,
				"%s: %s, as --%s or in %s", text,
				values[i].advice, values[i].option,
				values[i].variable);
	}
	return true;
}

/*
 * A program run as a child by a parent that is to end as the child ended.
 * Called by binlog-run when there is something to do afterwards.  Promises
 * that the child starts with the caller's signal dispositions and mask, and
 * that whoever watches the parent sees what the child's parent would see.
 */

static volatile pid_t attended;

static void pass_on(int signal)
{
	int error = errno;

	kill(attended, signal);
	errno = error;
}

static struct {
	int signal;
	void (*meanwhile)(int signal);
	struct sigaction before;
} dispositions[] = {
	{.signal = SIGINT, .meanwhile = SIG_IGN},
	{.signal = SIGQUIT, .meanwhile = SIG_IGN},
	{.signal = SIGTERM, .meanwhile = pass_on},
	{.signal = SIGHUP, .meanwhile = pass_on},
	/* Were it ignored, as it may be inherited, there were no status. */
	{.signal = SIGCHLD, .meanwhile = SIG_DFL},
};

enum { DISPOSITIONS = sizeof(dispositions) / sizeof(*dispositions) };

static void change_dispositions(void)
{
	struct sigaction action = {.sa_flags = SA_RESTART};
	size_t i;

	for (i = 0; i < DISPOSITIONS; i++) {
		action.sa_handler = dispositions[i].meanwhile;
		sigaction(dispositions[i].signal, &action,
			&dispositions[i].before);
	}
}

static void restore_dispositions(void)
{
	size_t i;

	for (i = 0; i < DISPOSITIONS; i++)
		sigaction(
			dispositions[i].signal, &dispositions[i].before, NULL);
}

/*
 * Forks and returns twice, as fork(2) does: 0 in the child, which goes on to
 * execute.  In the parent, until attend_finish(), keys that interrupt are left
 * to the child, and a SIGTERM or SIGHUP is passed on to it.  -1 on failure,
 * with nothing changed.  One child at a time.  All signals wait until it is
 * known whom they are for.
 */
static pid_t attend_start(void)
{
	sigset_t all, before;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	change_dispositions();
	child = fork();
	if (child <= 0)
		restore_dispositions();
	else
		attended = child;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

/* Waits for the child; returns its wait status. */
static int attend_finish(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	restore_dispositions();
	return status;
}

/* Ends this process with the same exit status or by the same signal. */
static _Noreturn void attend_end_alike(int status)
{
	sigset_t only;

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	/* The program's core is of interest, ours would overwrite it. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}

enum kind {
	TEXT,
	DIRECTORY,
	FILE_READ,
	SHOW,
	FORCE,
	QUIET,
	SELFTEST,
	HELP,
	VERSION
};

static const struct command_option options[] = {
#define OPTION(name, letter, kind, variable, argument, help)                   \
	{name, letter, argument, help, variable},
#include "tools/run/run_options.def"
#undef OPTION
};

static const enum kind kinds[] = {
#define OPTION(name, letter, kind, ...) kind,
#include "tools/run/run_options.def"
#undef OPTION
};

enum { OPTIONS = sizeof(options) / sizeof(*options) };

struct request {
	bool show;
	bool force;
	bool quiet;
	char **arguments; /* of the program, its name first */
	struct program program;
	char *preload; /* null: leave LD_PRELOAD alone */
};

static void complain(const char *what, const char *why)
{
	sentence_say(
		"binlog-run: %s%s%s", what, why ? ": " : "", why ? why : "");
}

static _Noreturn void fail(const char *what)
{
	complain(what, strerror(errno));
	exit(REFUSAL_POINTLESS);
}

static _Noreturn void print_help(void)
{
	char text[4096];

	command_line_help(options, OPTIONS, text, sizeof(text));
	puts("Usage: binlog-run [OPTION...] [--] APP [ARG...]\n"
	     "Runs APP and records what it prints and logs; "
	     "binlog-show reads it.\n");
	fputs(text, stdout);
	puts("\nWithout an option the variable in brackets counts.  Exit "
	     "status: that of APP;\n2: usage, or APP could not be recorded; "
	     "126: it cannot be run; 127: not found.");
	exit(standard_output_finish("binlog-run") ? 0 : REFUSAL_POINTLESS);
}

static _Noreturn void test_itself(void)
{
	static struct refusal refusal;

	if (selftest_run(&refusal))
		exit(0);
	complain("--selftest", refusal.sentence);
	exit(1);
}

static const char *obey(void *closure, int option, const char *value)
{
	struct request *request = closure;

	switch (kinds[option]) {
	case TEXT:
	case DIRECTORY:
	case FILE_READ:
		if (setenv(options[option].variable, value, 1) != 0)
			fail(options[option].variable);
		break;
	case SHOW:
		request->show = true;
		break;
	case FORCE:
		request->force = true;
		break;
	case QUIET:
		request->quiet = true;
		break;
	case SELFTEST:
		test_itself();
	case HELP:
		print_help();
	case VERSION:
		standard_output_version(
			"binlog-run", "captures", BINLOG_VERSION);
		exit(standard_output_finish("binlog-run") ? 0
							  : REFUSAL_POINTLESS);
	}
	return NULL;
}

static void parse(struct request *request, int argc, char **argv)
{
	struct command_line line = {.command = "binlog-run",
		.options = options,
		.count = OPTIONS,
		.stops = true,
		.apply = obey,
		.closure = request};

	if (command_line_read(&line, argc, argv)) {
		complain(line.problem, NULL);
		exit(REFUSAL_POINTLESS);
	}
	request->arguments = line.rest;
	if (line.rest_count > 0)
		return;
	complain("no program named", "see binlog-run --help");
	exit(REFUSAL_POINTLESS);
}

/* The same path from the root, whatever directory a program changes to.  Null,
 * with errno, on failure. */
static char *absolute(const char *path)
{
	char *here, *whole;

	if (path[0] == '/')
		return strdup(path);
	here = getcwd(NULL, 0);
	if (!here)
		return NULL;
	if (asprintf(&whole, "%s/%s", strcmp(here, "/") == 0 ? "" : here,
		    path) < 0)
		whole = NULL;
	free(here);
	return whole;
}

static bool check_directory(const char *path, struct refusal *refusal)
{
	int error = capture_place_obstacle(path);

	return error == 0 || error == ENOSPC ||
	       refusal_set(refusal, REFUSAL_POINTLESS,
		       "%s: no captures can go there: %s: choose a directory "
		       "with --dir",
		       path, strerror(error));
}

/* Where the library would go then; told, since nobody has asked for it. */
static bool go_elsewhere(const struct refusal *refusal, const char *path)
{
	char place[PATH_MAX];
	char sentence[3 * PATH_MAX];

	if (!elsewhere_place_make(path, place))
		return false;
	if (setenv("BINLOG_DIR", place, 1) != 0)
		fail("BINLOG_DIR");
	snprintf(sentence, sizeof(sentence), "meanwhile they go to %s", place);
	complain(refusal->sentence, sentence);
	return true;
}

/* Makes the paths in the environment absolute and checks them.  A directory
 * that somebody has named is that one, or nothing, unless `force`. */
static bool prepare_paths(struct refusal *refusal, bool force)
{
	const char *value = getenv("BINLOG_DIR");
	const bool named = value && value[0] != '\0';
	bool good = true;
	char *path;
	size_t i;

	if (!named)
		setenv("BINLOG_DIR", "binlog.data", 1);
	for (i = 0; i < OPTIONS && good; i++) {
		if (kinds[i] != DIRECTORY && kinds[i] != FILE_READ)
			continue;
		value = getenv(options[i].variable);
		if (!value || value[0] == '\0')
			continue;
		if (kinds[i] == DIRECTORY && strcmp(value, "-") == 0)
			return refusal_set(refusal, REFUSAL_POINTLESS,
				"-: captures are files in a directory, and "
				"cannot go to standard output: name a "
				"directory (./- if that is its name)");
		path = absolute(value);
		if (!path || setenv(options[i].variable, path, 1) != 0)
			fail(value);
		if (kinds[i] == DIRECTORY)
			good = check_directory(path, refusal) ||
			       ((!named || force) &&
				       go_elsewhere(refusal, path));
		else if (access(path, R_OK) != 0)
			good = refusal_set(refusal, REFUSAL_POINTLESS,
				"%s: %s: name a readable file with --config",
				path, strerror(errno));
		free(path);
	}
	return good;
}

static bool prepare_config(
	const struct request *request, struct refusal *refusal)
{
	const char *path = getenv("BINLOG_CONFIG");
	char *resolved;

	if (!path || path[0] == '\0')
		return true;
	if (!config_check(path, getenv("BINLOG_DIR"), request->program.path,
		    &resolved, refusal))
		return false;
	if (resolved && setenv("BINLOG_CONFIG", resolved, 1) != 0)
		fail(resolved);
	free(resolved);
	return true;
}

static bool prepare_preload(struct request *request, struct refusal *refusal)
{
	char path[PATH_MAX];
	struct elf_image library;
	bool good;

	if (!preload_find_library(path, &library, refusal))
		return false;
	good = program_check_preload(&request->program, &library, refusal);
	elf_image_close(&library);
	/* Of use even where the program itself is not recorded: to children. */
	request->preload = preload_compose(
		request->program.sanitizer, path, getenv("LD_PRELOAD"));
	if (!request->preload)
		fail(path);
	return good;
}

static bool prepare(struct request *request, struct refusal *refusal)
{
	if (!program_check_find(
		    request->arguments[0], &request->program, refusal))
		return false;
	if (!config_check_streams(getenv("BINLOG_STREAMS"), refusal) ||
		!values_check(refusal))
		return false;
	if (!prepare_paths(refusal, request->force) &&
		!(request->force && refusal->status == REFUSAL_POINTLESS))
		return false;
	if (!prepare_config(request, refusal))
		return false;
	return prepare_preload(request, refusal) ||
	       (request->force && refusal->status == REFUSAL_POINTLESS);
}

static _Noreturn void execute(const struct request *request)
{
	if (request->preload && setenv("LD_PRELOAD", request->preload, 1) != 0)
		fail("LD_PRELOAD");
	execvp(request->program.path, request->arguments);
	complain(request->program.path, strerror(errno));
	exit(REFUSAL_CANNOT_RUN);
}

/* As execute(); who is at the terminal is told what comes of it. */
static _Noreturn void execute_watched(
	const struct request *request, struct summary *summary)
{
	char number[16];
	char *whole;
	int watcher;

	summary->program = request->arguments[0];
	summary->directory = getenv("BINLOG_DIR");
	whole = absolute(summary->shown ? summary->shown : "binlog.data");
	if (!whole || strcmp(whole, summary->directory) != 0)
		summary->shown = summary->directory; /* they go elsewhere */
	free(whole);
	if (capture_place_obstacle(summary->directory) == 0)
		end_watch_say_hidden();
	watcher = end_watch_begin(summary);
	snprintf(number, sizeof(number), "%d", (int)getpid());
	if (watcher >= 0 && setenv("BINLOG_WATCHED", number, 1) != 0)
		fail("BINLOG_WATCHED");
	if (request->preload && setenv("LD_PRELOAD", request->preload, 1) != 0)
		fail("LD_PRELOAD");
	execvp(request->program.path, request->arguments);
	end_watch_cancel(watcher);
	complain(request->program.path, strerror(errno));
	exit(REFUSAL_CANNOT_RUN);
}

static void show(const char *directory)
{
	static const char *const places[] = {"binlog-show", NULL};
	char path[PATH_MAX];
	pid_t child;

	if (!preload_find_beside(places, path)) {
		complain("binlog-show", "not beside binlog-run: build or "
					"install both together");
		return;
	}
	child = attend_start();
	if (child < 0)
		fail(path);
	if (child == 0) {
		/* We may be in a recorded run ourselves. */
		setenv("BINLOG_DISABLE", "1", 1);
		execl(path, path, "--stacks", directory, (char *)NULL);
		fail(path);
	}
	attend_finish(child);
}

/* How many entries the directory has; 0 when it cannot be read. */
static size_t count_in(const char *directory)
{
	DIR *entries = opendir(directory);
	size_t count = 0;

	if (!entries)
		return 0;
	while (readdir(entries))
		count++;
	closedir(entries);
	return count;
}

/* And where the library goes when it finds that it cannot write to it. */
static size_t count_entries(const char *directory)
{
	size_t count = count_in(directory);
	char path[PATH_MAX];
	unsigned place;

	for (place = 0; place < ELSEWHERE_PLACES; place++)
		if (elsewhere_place_find(place, directory, path))
			count += count_in(path);
	return count;
}

static _Noreturn void execute_and_show(const struct request *request)
{
	const char *directory = getenv("BINLOG_DIR");
	size_t before = count_entries(directory);
	pid_t child = attend_start();
	int status;

	if (child < 0)
		fail(request->program.path);
	if (child == 0)
		execute(request);
	status = attend_finish(child);
	if (count_entries(directory) != before)
		show(directory);
	else
		complain(request->program.path,
			"nothing was recorded: it said nothing, or nothing "
			"that --streams has recorded");
	attend_end_alike(status);
}

int main(int argc, char **argv)
{
	static struct request request;
	static struct refusal refusal;
	struct summary summary = {0};
	const char *directory;
	char *shown = NULL;
	int status;

	if (selftest_is_program(argv[0], &status))
		return status;
	parse(&request, argc, argv);
	directory = getenv("BINLOG_DIR");
	if (directory && *directory)
		summary.shown = shown = strdup(directory);
	if (!prepare(&request, &refusal)) {
		free(shown);
		complain(refusal.sentence, NULL);
		return (int)refusal.status;
	}
	if (request.show)
		execute_and_show(&request);
	if (!request.quiet && end_watch_is_of_use())
		execute_watched(&request, &summary);
	execute(&request);
}
