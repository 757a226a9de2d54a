/*
 * binlog-pack: captures in, a packed log out.  The only place in it that
 * prints to people; all that went wrong elsewhere arrives here as a list.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/exit_status.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "decoder/capture/merge.h"
#include "decoder/capture/restore.h"
#include "decoder/names/locations.h"
#include "decoder/pack/pack.h"
#include "decoder/show/say.h"
#include "decoder/source/capture_list.h"
#include "decoder/source/progress.h"
#include "decoder/source/source.h"
#include "record/layout.h"
#include "record/packed.h"
#include "sandbox/sandbox.h"
#include "symbolizer/symbolizer.h"
#include "tools/output/missing_path.h"
#include "tools/output/standard_output.h"
#include "tools/pack/follow.h"
#include "tools/pack/log_file.h"

/*
 * The command line of binlog-pack, as pack_options.def has it.  Called by main
 * once; prints nothing.
 */

#define PACK_DEBUG_DIRECTORIES_MAX 32u

enum pack_when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct pack_command {
	const char *output;
	bool force;
	bool plain;
	bool symbols;		   /* names, too, of files that are found by: */
	enum pack_when statements; /* likewise what calls hand on */
	struct symbolizer_options files;
	const char *debug_directories[PACK_DEBUG_DIRECTORIES_MAX + 1];
	size_t debug_directory_count;
	bool quiet;
	bool help;
	bool version;
	int level;	    /* 0: the packer's choice */
	const char *follow; /* null: captures that have ended are packed */
	uint64_t rotate_bytes;
	uint64_t rotate_seconds;
	char *const *paths;
	size_t path_count;
	char problem[COMMAND_LINE_PROBLEM_BYTES]; /* what: why: what you can do
						   */
};

#define LEVEL_MAX 19

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/pack/pack_options.def"
#undef OPTION
};

static const struct command_option descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help, NULL},
#include "tools/pack/pack_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

/* Null, or what is wrong. */
static const char *parse_level(struct pack_command *command, const char *text)
{
	char *end;
	long level = strtol(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || level < 1 ||
		level > LEVEL_MAX)
		return "no such level: give a number from 1 to 19";
	command->level = (int)level;
	return NULL;
}

static const char *add_debug_directory(
	struct pack_command *command, const char *path)
{
	if (command->debug_directory_count == PACK_DEBUG_DIRECTORIES_MAX)
		return "too many directories: give fewer";
	command->debug_directories[command->debug_directory_count++] = path;
	command->files.debug_directories = command->debug_directories;
	return NULL;
}

static const char *parse_when(enum pack_when *when, const char *text)
{
	if (strcmp(text, "auto") == 0)
		*when = WHEN_AUTO;
	else if (strcmp(text, "always") == 0)
		*when = WHEN_ALWAYS;
	else if (strcmp(text, "never") == 0)
		*when = WHEN_NEVER;
	else
		return "not known when that is: give auto, always or never";
	return NULL;
}

static const char *apply(void *closure, int option, const char *value)
{
	struct pack_command *command = closure;

	switch (option) {
	case NUMBER_HELP:
		command->help = true;
		break;
	case NUMBER_VERSION:
		command->version = true;
		break;
	case NUMBER_OUTPUT:
		command->output = value;
		break;
	case NUMBER_FORCE:
		command->force = true;
		break;
	case NUMBER_PLAIN:
		command->plain = true;
		break;
	case NUMBER_SYMBOLS:
		command->symbols = true;
		break;
	case NUMBER_STATEMENTS:
		return parse_when(&command->statements, value);
	case NUMBER_DEBUG_DIR:
		return add_debug_directory(command, value);
	case NUMBER_SYSROOT:
		command->files.sysroot = value;
		break;
	case NUMBER_DEBUGINFOD:
		command->files.debuginfod = true;
		break;
	case NUMBER_LIMIT:
		return limits_set(value);
	case NUMBER_NO_LIMITS:
		limits_lift();
		break;
	case NUMBER_LEVEL:
		return parse_level(command, value);
	case NUMBER_FOLLOW:
		command->follow = value;
		break;
	case NUMBER_ROTATE_SIZE:
		return command_line_size(&command->rotate_bytes, value);
	case NUMBER_ROTATE_AGE:
		return command_line_seconds(&command->rotate_seconds, value, 1);
	case NUMBER_QUIET:
		command->quiet = true;
		break;
	}
	return NULL;
}

/* Always false. */
static bool complain(
	struct pack_command *command, const char *what, const char *why)
{
	snprintf(command->problem, sizeof(command->problem), "%s: %s", what,
		why);
	return false;
}

/* False: `problem` says what is wrong.  The strings of argv stay the caller's;
 * their order may change. */
static bool parse(struct pack_command *command, int argc, char **argv)
{
	struct command_line line = {.command = "binlog-pack",
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
	if (command->follow && command->path_count > 0)
		return complain(command, command->paths[0],
			"with --follow there is one directory only: leave it "
			"away");
	if (command->follow && command->output &&
		(strcmp(command->output, "-") == 0 || command->force))
		return complain(command, command->output,
			"--follow goes on with a log that is there: give a "
			"name, without --force");
	if (command->rotate_bytes + command->rotate_seconds > 0 &&
		!command->follow)
		return complain(command, "--rotate-size, --rotate-age",
			"only what is followed is rotated: give --follow=DIR");
	if (command->path_count == 0 && !command->follow)
		return complain(command, "no capture",
			"nothing to pack: give captures or directories of "
			"them");
	if (!command->output || !*command->output)
		return complain(command, "no log",
			"nowhere to write to: give -o LOG, or -o - for "
			"standard output");
	return true;
}

/*
 * What binlog-pack --follow gives up before it reads.  Called once, before
 * there is a second thread.  Promises that the captures, the log and those that
 * follow it can still be written.
 */

/* One that is waited for will be in the nearest that is there. */
static const char *nearest(char *path)
{
	while (access(path, F_OK) != 0 && strcmp(path, ".") != 0 &&
		strcmp(path, "/") != 0)
		path = dirname(path);
	return path;
}

/* Null, or a sentence why it must not go on, see sandbox.h.  `programs`: how
 * they are read; null: none are. */
static const char *follow_sandbox(const char *captures, const char *log,
	const struct symbolizer_options *programs)
{
	struct sandbox_needs needs = {
		.needs = SANDBOX_WRITES | SANDBOX_SHARES | SANDBOX_THREADS};
	char directory[PATH_MAX], beside[PATH_MAX];

	if (programs)
		symbolizer_add_needs(programs, &needs);
	snprintf(directory, sizeof(directory), "%s", captures);
	snprintf(beside, sizeof(beside), "%s", log);
	sandbox_allow_below(&needs, nearest(directory));
	sandbox_allow_below(&needs, dirname(beside));
	return sandbox_enter(&needs);
}

struct work {
	struct pack_command command;
	struct error_list errors;
	size_t errors_packed;	  /* so many of them are in the log */
	struct capture_list list; /* of packed logs only traces of others */
	struct source *messages;
	struct log_file log;
	struct pack *pack;
	struct locations *locations; /* null: no names are packed */
	struct restore *programs;    /* null: nor what calls hand on */
	struct progress progress;
	uint64_t calls;
};

static enum exit_status fail(const char *sentence)
{
	sentence_say("binlog-pack: %s", sentence);
	return EXIT_NOTHING;
}

static enum exit_status printed(void)
{
	return standard_output_finish("binlog-pack") ? EXIT_ALL_READ
						     : EXIT_NOTHING;
}

static enum exit_status print_help(void)
{
	char text[4096];

	command_line_help(descriptions, OPTIONS, text, sizeof(text));
	printf("usage: binlog-pack [OPTIONS] CAPTURE... -o LOG\n"
	       "Packs captures of libbinlog.so into one small log, which "
	       "binlog-show reads.\n"
	       "CAPTURE is a directory of captures, a capture file or a trace "
	       "of Heph.\n\n%s",
		text);
	return printed();
}

static void report_memory(struct work *work)
{
	error_add(&work->errors, &(struct error){.code = ERROR_MEMORY});
}

/* Null: that was the last one. */
static struct recording *capture_at(const struct work *work, size_t i)
{
	size_t count;
	struct recording *const *traces = source_packed(work->messages, &count);

	if (i < work->list.count)
		return work->list.captures[i];
	i -= work->list.count;
	return i < count ? traces[i] : NULL;
}

/* What is missing in the captures is told where it was found. */
static bool pack_errors(struct work *work)
{
	size_t kept = work->errors.count < ERROR_KEPT_MAX ? work->errors.count
							  : ERROR_KEPT_MAX;

	for (; work->errors_packed < kept; work->errors_packed++) {
		const struct error *error =
			&work->errors.kept[work->errors_packed];
		struct recording *capture;
		size_t i = 0;

		while ((capture = capture_at(work, i++)) &&
			capture->path != error->file)
			;
		if (!pack_loss(work->pack, capture, error))
			return false;
	}
	return true;
}

/* The captures alone have their merge, which is the shorter way. */
static bool pack_messages_of(struct work *work, struct merge *merge)
{
	const struct message *message;

	while ((message = merge ? merge_next(merge)
				: source_next(work->messages))) {
		if (work->errors.count != work->errors_packed &&
			!pack_errors(work))
			return false;
		if (!pack_message(work->pack, message))
			return false;
		work->calls += !message->partial && !message_is_event(message);
		progress_step(&work->progress);
	}
	return pack_errors(work);
}

static bool end_captures(struct work *work)
{
	struct recording *capture;
	size_t i = 0;

	while ((capture = capture_at(work, i++)))
		if (!pack_capture_end(work->pack, capture))
			return false;
	return pack_errors(work) &&
	       pack_loss_of_more(work->pack, &work->errors) &&
	       pack_end(work->pack);
}

static void pack_all(struct work *work)
{
	const struct capture_list *list = &work->list;
	struct merge *merge = NULL;

	if (list->packed_count == 0)
		merge = merge_new(list->captures, list->count);
	progress_begin(&work->progress, !work->command.quiet,
		work->list.captures, work->list.count);
	if ((!merge && list->packed_count == 0) ||
		!pack_messages_of(work, merge) || !end_captures(work)) {
		if (work->log.failed == 0)
			report_memory(work);
	}
	progress_end(&work->progress);
	merge_free(merge);
}

static void print_missing(const struct restore *programs)
{
	const char *sentence;
	size_t i;

	for (i = 0; programs && (sentence = restore_complaint(programs, i));
		i++)
		sentence_say("%s", sentence);
}

static void print_sum(const struct work *work)
{
	uint64_t messages = pack_messages(work->pack);
	char ratio[96] = "";
	const struct recording *capture;
	uint64_t read = 0;
	size_t i = 0;

	while ((capture = capture_at(work, i++)))
		read += capture->read;
	if (messages > 0 && work->log.bytes > 0)
		snprintf(ratio, sizeof(ratio),
			", %.3f per message, 1/%.1f of the captures",
			(double)work->log.bytes / (double)messages,
			(double)read / (double)work->log.bytes);
	sentence_say("%" PRIu64 " messages, %" PRIu64 " bytes%s", messages,
		work->log.bytes, ratio);
}

static bool is_anything(const struct work *work)
{
	return work->list.count + work->list.packed_count +
		       work->list.waiting_count >
	       0;
}

static enum exit_status judge(const struct work *work)
{
	bool complete = !limits_were_met() && pack_left_out(work->pack) == 0;
	const struct recording *capture;
	size_t i = 0;

	if (work->log.failed != 0 || !is_anything(work))
		return EXIT_NOTHING;
	if (error_count(&work->errors, ERROR_SEVERITY_DAMAGE) > 0)
		return work->calls > 0 ? EXIT_DAMAGE : EXIT_NOTHING;
	while ((capture = capture_at(work, i++)))
		complete &= capture->dropped == 0;
	return complete ? EXIT_ALL_READ : EXIT_DAMAGE;
}

static void report_log(const struct work *work)
{
	const char *path = work->command.output;
	const char *advice = work->log.failed == EEXIST
				     ? "choose another name, or give --force"
				     : "make room or choose another place";

	sentence_say("%s: not written%s: %s: %s",
		strcmp(path, "-") == 0 ? "standard output" : path,
		work->log.bytes > 0 ? " to its end" : "",
		strerror(work->log.failed), advice);
}

/* Emptied, nothing would be left to be packed. */
static bool is_capture(const struct work *work, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && capture_list_reads(&work->list, &st);
}

/* Null, or why the log cannot be there. */
static const char *refuse(const struct work *work)
{
	const char *path = work->command.output;

	if (strcmp(path, "-") == 0)
		return isatty(STDOUT_FILENO)
			       ? "-o -: standard output is a terminal: send it "
				 "to a file or another program"
			       : NULL;
	return is_capture(work, path) ? "the log would take the place of a "
					"capture: choose another name"
				      : NULL;
}

/* Null, or why nothing is to be packed. */
static const char *confine(const struct work *work)
{
	struct symbolizer_options symbols = work->command.files;
	char *cache = work->locations ? symbolizer_usual_cache() : NULL;
	struct sandbox_needs needs = {0};
	const char *wrong;

	symbols.cache = cache;
	if (work->locations || work->programs)
		symbolizer_add_needs(&symbols, &needs);
	wrong = sandbox_enter(&needs);
	free(cache);
	return wrong;
}

#define IS_LOG                                                                 \
	"a packed log was given: it is packed already: give captures or "      \
	"directories of them"

/* One that was named itself; those in directories are passed over. */
static bool is_named(const struct work *work, const char *path)
{
	const struct pack_command *command = &work->command;
	size_t i;

	for (i = 0; i < command->path_count; i++)
		if (strcmp(path, command->paths[i]) == 0)
			return true;
	return false;
}

/*
 * Packed logs are left out of the list, traces stay.  False: one was named
 * itself; those in directories are passed over.
 */
static bool leave_out_logs(struct work *work)
{
	struct capture_list *list = &work->list;
	size_t count = list->packed_count;
	size_t i;

	list->packed_count = 0;
	for (i = 0; i < count; i++)
		if (capture_list_is_trace(list->packed[i]))
			list->packed[list->packed_count++] = list->packed[i];
		else if (is_named(work, list->packed[i]))
			return false;
	return true;
}

/* Of what waits to be unpacked only the name tells. */
static bool is_log_waiting(const struct work *work)
{
	const struct capture_list *list = &work->list;
	size_t i;

	for (i = 0; i < list->waiting_count; i++) {
		const char *name = strrchr(list->waiting[i], '.');
		const size_t suffix = strlen(PACKED_SUFFIX);

		if (name && is_named(work, list->waiting[i]) &&
			(size_t)(name - list->waiting[i]) > suffix &&
			strncmp(name - suffix, PACKED_SUFFIX, suffix) == 0)
			return true;
	}
	return false;
}

static enum exit_status pack_captures(struct work *work)
{
	struct log_file *log = &work->log;
	const char *refusal = refuse(work);

	if (!refusal && !log_file_open(log, work->command.output,
				work->command.force)) {
		report_log(work);
		return EXIT_NOTHING;
	}
	if (!refusal)
		refusal = confine(work);
	if (refusal)
		return fail(refusal);
	if (log_file_gives_back(log))
		pack_use_back(work->pack, log_file_give_back);
	capture_list_unpack(&work->list, &work->errors);
	if (!leave_out_logs(work))
		return fail(IS_LOG);
	work->messages = source_new(&work->list, NULL, &work->errors);
	if (!work->messages) {
		report_memory(work);
		say_errors(&work->errors);
		return EXIT_NOTHING;
	}
	pack_all(work);
	if (!log_file_close(log))
		report_log(work);
	say_errors(&work->errors);
	say_complaints(work->locations);
	print_missing(work->programs);
	if (pack_left_out(work->pack) > 0)
		sentence_say("%" PRIu64 " texts were left out: their events "
			     "have more than a packed log can hold of one, 1 "
			     "MiB: keep the trace, too",
			pack_left_out(work->pack));
	if (!work->command.quiet && log->failed == 0)
		print_sum(work);
	return judge(work);
}

static enum exit_status pack_list(struct work *work)
{
	struct pack_options options = {
		.level = work->command.level,
		.plain = work->command.plain,
		.programs_matter = work->command.statements == WHEN_ALWAYS,
	};
	enum exit_status status = EXIT_NOTHING;

	limits_for_symbols(&work->command.files.memory_bytes,
		&work->command.files.seconds);
	if (work->command.symbols)
		work->locations = locations_new(&work->command.files);
	if (work->command.statements != WHEN_NEVER)
		work->programs = restore_new(&work->command.files, NULL);
	if (!work->locations == !work->command.symbols &&
		!work->programs == (work->command.statements == WHEN_NEVER)) {
		options.locations = work->locations;
		options.programs = work->programs;
		work->pack = pack_new(&options, log_file_take, &work->log);
	}
	if (!work->pack)
		report_memory(work);
	if (work->pack && is_anything(work))
		status = pack_captures(work);
	else
		say_errors(&work->errors);
	pack_free(work->pack);
	source_free(work->messages);
	locations_free(work->locations);
	restore_free(work->programs);
	return status;
}

static enum exit_status run(struct work *work)
{
	enum exit_status status;
	size_t i;

	capture_list_prepare();
	for (i = 0; i < work->command.path_count; i++)
		capture_list_add(
			&work->list, work->command.paths[i], &work->errors);
	capture_list_look(&work->list);
	status = leave_out_logs(work) && !is_log_waiting(work) ? pack_list(work)
							       : fail(IS_LOG);
	capture_list_free(&work->list);
	return status;
}

static enum exit_status follow(const struct pack_command *command)
{
	struct follow_options options = {
		.directory = command->follow,
		.log = command->output,
		.pack = {.level = command->level,
			.plain = command->plain,
			.programs_matter = command->statements == WHEN_ALWAYS},
		.rotate_bytes = command->rotate_bytes,
		.rotate_seconds = command->rotate_seconds,
		.quiet = command->quiet,
	};
	struct restore *programs = NULL;
	enum exit_status status;
	const char *wrong;

	if (command->statements != WHEN_NEVER)
		programs = restore_new(&command->files, NULL);
	if (!programs && command->statements != WHEN_NEVER)
		return fail("out of memory");
	options.pack.programs = programs;
	wrong = follow_sandbox(options.directory, options.log,
		programs ? &command->files : NULL);
	status = wrong ? fail(wrong) : follow_run(&options);
	print_missing(programs);
	restore_free(programs);
	return status;
}

int main(int argc, char **argv)
{
	static struct work work;

	standard_output_guard();
	signal(SIGXFSZ, SIG_IGN); /* a write that fails says so itself */
	signal(SIGPIPE, SIG_IGN);
	if (!parse(&work.command, argc, argv))
		return fail(work.command.problem);
	if (work.command.help)
		return print_help();
	if (work.command.version) {
		standard_output_version(
			"binlog-pack", "packed logs", PACKED_VERSION);
		return printed();
	}
	missing_path_tell_symbols("binlog-pack", work.command.files.sysroot,
		work.command.debug_directories,
		work.command.debug_directory_count);
	return work.command.follow ? follow(&work.command) : run(&work);
}
