/*
 * binlog-symbolize: reads lines `MODULE+0xOFFSET` or `BUILDID+0xOFFSET` and
 * writes the functions, files and lines that are there.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/command_line.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "record/layout.h"
#include "sandbox/sandbox.h"
#include "symbolizer/symbolizer.h"

/*
 * The command line of binlog-symbolize, as symbolize_options.def has it.
 * Called by main once; prints nothing.
 */

struct symbolize_list {
	const char **items; /* null-terminated, or null */
	size_t count;
};

struct symbolize_options {
	struct symbolizer_options symbols;
	struct symbolize_list directories;
	struct symbolize_list path_maps;
	bool columns;
	bool help;
	bool version;
	char **files; /* the arguments behind the options; ends with null */
	char problem[COMMAND_LINE_PROBLEM_BYTES]; /* what: why: what to do */
};

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/symbolize/symbolize_options.def"
#undef OPTION
};

static const struct command_option descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help, NULL},
#include "tools/symbolize/symbolize_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

/* Null, or what is wrong. */
static const char *append(struct symbolize_list *list, const char *value,
	const char *const **shown)
{
	const char **items = reallocarray(
		list->items, list->count + 2, sizeof(*list->items));

	if (!items)
		return "out of memory";
	items[list->count++] = value;
	items[list->count] = NULL;
	list->items = items;
	*shown = items;
	return NULL;
}

static const char *add_path_map(
	struct symbolize_options *options, const char *map)
{
	if (*map == '=' || !strchr(map, '='))
		return "not FROM=TO: give two paths with = between";
	return append(&options->path_maps, map, &options->symbols.path_maps);
}

static const char *allow_downloads(struct symbolizer_options *symbols)
{
	if (!getenv("DEBUGINFOD_URLS"))
		return "DEBUGINFOD_URLS is not set: set it to the addresses of "
		       "servers";
	symbols->debuginfod = true;
	return NULL;
}

static const char *apply(void *closure, int option, const char *value)
{
	struct symbolize_options *options = closure;
	struct symbolizer_options *symbols = &options->symbols;

	switch (option) {
	case NUMBER_PATH_MAP:
		return add_path_map(options, value);
	case NUMBER_SYSROOT:
		symbols->sysroot = value;
		break;
	case NUMBER_DIRECTORY:
		return append(&options->directories, value,
			&symbols->debug_directories);
	case NUMBER_FORCE:
		symbols->force = true;
		break;
	case NUMBER_DEBUGINFOD:
		return allow_downloads(symbols);
	case NUMBER_MANGLED:
		symbols->mangled = true;
		break;
	case NUMBER_COLUMNS:
		options->columns = true;
		break;
	case NUMBER_LIMIT:
		return limits_set(value);
	case NUMBER_NO_LIMITS:
		limits_lift();
		break;
	case NUMBER_HELP:
		options->help = true;
		break;
	case NUMBER_VERSION:
		options->version = true;
		break;
	}
	return NULL;
}

/*
 * Fills options that are all zeros; the strings stay those of argv, whose
 * order may change.  False when something is wrong, and `problem` says
 * what; either way the lists are the caller's to free.
 */
static bool symbolize_options_read(
	struct symbolize_options *options, int argc, char **argv)
{
	struct command_line line = {.command = "binlog-symbolize",
		.options = descriptions,
		.count = OPTIONS,
		.apply = apply,
		.closure = options};
	bool good = !command_line_read(&line, argc, argv);

	options->files = line.rest;
	memcpy(options->problem, line.problem, sizeof(line.problem));
	return good;
}

/*
 * A line of the input, `MODULE+0xOFFSET` or `BUILDID+0xOFFSET`.  Called for
 * each line.  Promises that a file is not taken for a build-id when there is
 * one of that name.
 */

#define ADDRESS_LINE_BUILD_ID_BYTES_MAX 64

/* What it asks for; `module` points into the rest and into the line. */
struct address_line {
	struct symbolizer_module module;
	uint8_t build_id[ADDRESS_LINE_BUILD_ID_BYTES_MAX];
	uint64_t address;
};

/* Shorter words of hexadecimal digits may well be names of files. */
#define BUILD_ID_BYTES_MIN 8

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* True when `text` is a build-id and no file. */
static bool read_build_id(struct address_line *asked, const char *text)
{
	size_t digits = strlen(text);
	struct stat status;
	size_t i;

	if (digits % 2 || digits < (size_t)2 * BUILD_ID_BYTES_MIN ||
		digits > (size_t)2 * ADDRESS_LINE_BUILD_ID_BYTES_MAX)
		return false;
	for (i = 0; i < digits; i += 2) {
		if (digit(text[i]) < 0 || digit(text[i + 1]) < 0)
			return false;
		asked->build_id[i / 2] =
			(uint8_t)(digit(text[i]) << 4 | digit(text[i + 1]));
	}
	if (stat(text, &status) == 0)
		return false;
	asked->module.build_id = asked->build_id;
	asked->module.build_id_bytes = digits / 2;
	return true;
}

/*
 * Fills one that is all zeros, and writes into `line`, which has no newline
 * any more and must stay.  False when it is no such line.
 */
static bool address_line_read(struct address_line *asked, char *line)
{
	char *plus = NULL;
	char *end;

	/* the last one: a file's name may have one too */
	for (end = line; (end = strstr(end, "+0x")) != NULL; end++)
		plus = end;
	if (!plus || plus == line || digit(plus[3]) < 0)
		return false;
	errno = 0;
	asked->address = strtoull(plus + 3, &end, 16);
	if (*end != '\0' || errno != 0)
		return false;
	*plus = '\0';
	if (!read_build_id(asked, line))
		asked->module.path = line;
	return true;
}

/* More would not be faster. */
#define AHEAD 64

enum exit_status { ALL_RESOLVED = 0, SOME_NOT_RESOLVED = 1, NOTHING_READ = 2 };

/* A line, and whether its address was announced to the symbolizer. */
struct question {
	struct address_line asked;
	bool expected;
};

/* Lines that have been read and are not answered yet. */
struct ahead {
	char *lines[AHEAD];
	size_t rooms[AHEAD];
	struct question questions[AHEAD];
	size_t count;
};

/* The place in the input, and what became of it so far. */
struct work {
	const struct symbolize_options *options;
	struct symbolizer *symbolizer;
	const char *name; /* of the input */
	size_t line;
	struct render_buffer text; /* of a line that is printed */
	bool all_resolved;
	bool first; /* frame of an answer */
	bool has_name;
};

static void print_help(void)
{
	char text[2048];

	puts("Usage: binlog-symbolize [OPTION]... [FILE]...\n"
	     "Write the functions and lines at addresses, given as lines\n"
	     "MODULE+0xOFFSET or BUILDID+0xOFFSET (FILE - or none: standard "
	     "input).\n");
	command_line_help(descriptions, OPTIONS, text, sizeof(text));
	fputs(text, stdout);
	puts("\nExit status: 0 all resolved, 1 some not, 2 usage or nothing "
	     "to read.");
}

static void complain(struct work *work, const char *sentence)
{
	(void)fflush(stdout);
	sentence_say("%s:%zu: %s", work->name, work->line, sentence);
	work->all_resolved = false;
}

/* Out of a file that may be anybody's. */
static void put_name(struct render_buffer *line, const char *name)
{
	if (name)
		escape_put(line, name, strlen(name), ESCAPE_NEWLINE);
	else
		render_buffer_put_string(line, "??");
}

/* Not by printf(), which takes longer than finding what is known already. */
static void print_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct work *work = closure;
	struct render_buffer *line = &work->text;

	line->length = 0;
	if (!work->first)
		render_buffer_put_string(line, " (inlined by) ");
	put_name(line, frame->function);
	render_buffer_put_string(line, " at ");
	put_name(line, frame->file);
	render_buffer_put_string(line, ":");
	if (frame->line == 0)
		render_buffer_put_string(line, "?");
	else
		render_buffer_put_number(line, frame->line);
	if (frame->line > 0 && work->options->columns && frame->column > 0) {
		render_buffer_put_string(line, ":");
		render_buffer_put_number(line, frame->column);
	}
	render_buffer_put_string(line, "\n");
	fwrite_unlocked(line->data, 1, line->length, stdout);
	work->has_name = work->has_name || frame->function;
	work->first = false;
}

static void answer(struct work *work, const struct address_line *asked)
{
	const char *sentence;

	if (!asked) {
		puts("?? at ??:?");
		complain(work,
			"not an address: MODULE+0xOFFSET or BUILDID+0xOFFSET "
			"is wanted: correct the line");
		return;
	}
	work->first = true;
	work->has_name = false;
	sentence = symbolizer_resolve(work->symbolizer, &asked->module,
		asked->address, print_frame, work);
	if (sentence)
		complain(work, sentence);
	else if (!work->has_name)
		work->all_resolved = false;
}

/* Announces all addresses of the module of the first of the questions. */
static void expect(struct work *work, struct question **questions, size_t count)
{
	const struct symbolizer_module *module = &questions[0]->asked.module;
	uint64_t addresses[AHEAD];
	size_t known = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		const char *path =
			questions[i] ? questions[i]->asked.module.path : NULL;

		/* Of build-ids alone there are few. */
		if (i > 0 &&
			(!path || !module->path || questions[i]->expected ||
				strcmp(path, module->path) != 0))
			continue;
		addresses[known++] = questions[i]->asked.address;
		questions[i]->expected = true;
	}
	symbolizer_expect(work->symbolizer, module, addresses, known);
}

static void answer_lines(struct work *work, struct ahead *ahead)
{
	struct question *questions[AHEAD];
	const size_t count = ahead->count;
	size_t i;

	for (i = 0; i < count; i++) {
		ahead->questions[i] = (struct question){0};
		questions[i] = address_line_read(&ahead->questions[i].asked,
				       ahead->lines[i])
				       ? &ahead->questions[i]
				       : NULL;
	}
	for (i = 0; i < count; i++)
		if (questions[i] && !questions[i]->expected)
			expect(work, questions + i, count - i);
	for (i = 0; i < count; i++) {
		work->line++;
		answer(work, questions[i] ? &questions[i]->asked : NULL);
	}
	ahead->count = 0;
}

/* False when nothing could be read. */
static bool read_input(struct work *work, FILE *input)
{
	struct stat status;
	/* Whoever writes lines one by one waits for each answer. */
	const bool waiting =
		fstat(fileno(input), &status) != 0 || !S_ISREG(status.st_mode);
	const size_t lines = waiting ? 1 : AHEAD;
	struct ahead ahead = {0};
	ssize_t bytes;
	size_t i;

	work->line = 0;
	while ((bytes = getline(&ahead.lines[ahead.count],
			&ahead.rooms[ahead.count], input)) >= 0) {
		char *line = ahead.lines[ahead.count];

		if (bytes > 0 && line[bytes - 1] == '\n')
			line[bytes - 1] = '\0';
		if (++ahead.count == lines)
			answer_lines(work, &ahead);
		if (waiting)
			(void)fflush(stdout);
	}
	answer_lines(work, &ahead);
	for (i = 0; i < AHEAD; i++)
		free(ahead.lines[i]);
	return !ferror(input);
}

static bool read_named(struct work *work, const char *name)
{
	FILE *input = stdin;
	bool fine;

	work->name = name;
	if (strcmp(name, "-") == 0)
		work->name = "standard input";
	else
		input = fopen(name, "re");
	fine = input && read_input(work, input);
	if (!fine)
		sentence_say("binlog-symbolize: %s: cannot be read: %s: give a "
			     "file with addresses",
			work->name, strerror(errno));
	if (input && input != stdin)
		(void)fclose(input);
	return fine;
}

static int resolve_all(struct work *work, char **names)
{
	static char standard_input[] = "-";
	char *alone[] = {standard_input, NULL};
	char sentence[4608];
	bool any = false;

	if (!*names)
		names = alone;
	for (; *names; names++)
		if (read_named(work, *names))
			any = true;
		else
			work->all_resolved = false;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		sentence_say("binlog-symbolize: standard output: cannot be "
			     "written: %s: free its disk or give another one",
			strerror(errno));
		work->all_resolved = false;
	}
	/* That were met in the files, once each. */
	while (limits_tell(sentence, sizeof(sentence))) {
		sentence_say("%s", sentence);
		work->all_resolved = false;
	}
	if (!any)
		return NOTHING_READ;
	return work->all_resolved ? ALL_RESOLVED : SOME_NOT_RESOLVED;
}

static int run(struct work *work, const struct symbolize_options *options)
{
	struct symbolizer_options symbols = options->symbols;
	char *cache = symbolizer_usual_cache();
	struct sandbox_needs needs = {0};
	const char *wrong;
	int status = NOTHING_READ;

	symbols.cache = cache;
	limits_for_symbols(&symbols.memory_bytes, &symbols.seconds);
	symbolizer_add_needs(&symbols, &needs);
	wrong = sandbox_enter(&needs);
	work->symbolizer = wrong ? NULL : symbolizer_new(&symbols);
	if (work->symbolizer)
		status = resolve_all(work, options->files);
	else
		sentence_say("binlog-symbolize: %s",
			wrong ? wrong : "out of memory");
	symbolizer_free(work->symbolizer);
	render_buffer_free(&work->text);
	free(cache);
	return status;
}

int main(int argc, char **argv)
{
	struct symbolize_options options = {0};
	struct work work = {.options = &options, .all_resolved = true};
	int status = NOTHING_READ;

	/* names are long */
	(void)setvbuf(stdout, NULL, _IOFBF, (size_t)1 << 18);
	if (!symbolize_options_read(&options, argc, argv)) {
		sentence_say("binlog-symbolize: %s", options.problem);
	} else if (options.help) {
		print_help();
		status = ALL_RESOLVED;
	} else if (options.version) {
		printf("binlog-symbolize: capture format %u\n", BINLOG_VERSION);
		status = ALL_RESOLVED;
	} else {
		status = run(&work, &options);
	}
	free(options.directories.items);
	free(options.path_maps.items);
	return status;
}
