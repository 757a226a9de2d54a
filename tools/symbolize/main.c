/*
 * binlog-symbolize: takes addresses, `MODULE+0xOFFSET`, `BUILDID+0xOFFSET` or
 * offsets in one file, as arguments or as lines, and writes the functions,
 * files and lines that are there; in what binlog-show has written it names
 * what has no name yet.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/sentence.h"
#include "record/layout.h"
#include "sandbox/sandbox.h"
#include "symbolizer/symbolizer.h"
#include "tools/frames/frame_line.h"
#include "tools/output/missing_path.h"
#include "tools/output/standard_output.h"
#include "tools/symbolize/lines.h"
#include "tools/symbolize/modules.h"
#include "tools/symbolize/stack_text.h"

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
	char **arguments; /* behind the options; ends with null */
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

	options->arguments = line.rest;
	memcpy(options->problem, line.problem, sizeof(line.problem));
	return good;
}

/*
 * An argument or a line of the input, `MODULE+0xOFFSET` or `BUILDID+0xOFFSET`.
 * Promises that a file is not taken for a build-id when there is
 * one of that name.
 */

#define ADDRESS_LINE_BUILD_ID_BYTES_MAX 64

/* What it asks for; `module` points into the rest and into the line. */
struct address_line {
	struct symbolizer_module module;
	uint8_t build_id[ADDRESS_LINE_BUILD_ID_BYTES_MAX];
	uint64_t address;
	char *found; /* the path of a name that is looked for, or null */
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

/*
 * Hexadecimal digits, with 0x or without, as addr2line(1) takes them.  False:
 * it is something else, or has more than 64 bits.
 */
static bool read_offset(uint64_t *offset, const char *text)
{
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (digit(*text) < 0)
		return false;
	errno = 0;
	*offset = strtoull(text, &end, 16);
	return *end == '\0' && errno == 0;
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
	struct question questions[AHEAD];
	size_t count;
};

/* What an input is; its first line says so. */
enum input_kind {
	INPUT_UNKNOWN,
	INPUT_ADDRESSES, /* each line is answered */
	INPUT_TEXT,	 /* of binlog-show: with names it is written again */
	INPUT_JSON,	 /* likewise */
	INPUT_WRONG,	 /* what it is has been said */
};

/* The place in the input, and what became of it so far. */
struct work {
	const struct symbolize_options *options;
	struct symbolizer *symbolizer;
	struct modules modules;
	struct stack_text stacks;
	const char *name; /* of the input; null: these are arguments */
	size_t line;
	struct render_buffer text; /* of a line that is printed */
	bool all_resolved;
	bool first; /* frame of an answer */
	bool has_name;
};

static void print_help(void)
{
	char text[2048];

	puts("Usage: binlog-symbolize [OPTION]... MODULE+0xOFFSET...\n"
	     "       binlog-symbolize [OPTION]... PROGRAM OFFSET...\n"
	     "       binlog-symbolize [OPTION]... [FILE]...\n"
	     "Write the functions and lines at addresses (BUILDID+0xOFFSET is "
	     "one, too), or\nthose of the stacks that binlog-show has written. "
	     "FILE (- or none: standard\ninput) has an address on each line, "
	     "or is the text of binlog-show --stacks or\n-o json, which comes "
	     "out again with names.\n");
	command_line_help(descriptions, OPTIONS, text, sizeof(text));
	fputs(text, stdout);
	puts("\nExit status: 0 all resolved, 1 some not, 2 usage or nothing "
	     "to read.");
}

static void complain(void *closure, const char *sentence)
{
	struct work *work = closure;

	(void)fflush(stdout);
	if (work->name)
		sentence_say("%s:%zu: %s", work->name, work->line, sentence);
	else
		sentence_say("binlog-symbolize: %s", sentence);
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

/* A module that is given by its name alone may be in one of many places. */
static void look_for_module(struct work *work, struct address_line *asked)
{
	const char *name = asked->module.path;
	const struct modules_place *place =
		name && !strchr(name, '/') ? modules_find(&work->modules, name)
					   : NULL;

	if (!place || !place->path || strcmp(place->path, name) == 0)
		return;
	asked->found = strdup(place->path);
	if (asked->found)
		asked->module.path = asked->found;
}

/* Null is what is no address. */
static void answer_all(
	struct work *work, struct question **questions, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (questions[i])
			look_for_module(work, &questions[i]->asked);
	for (i = 0; i < count; i++)
		if (questions[i] && !questions[i]->expected)
			expect(work, questions + i, count - i);
	for (i = 0; i < count; i++) {
		work->line++;
		answer(work, questions[i] ? &questions[i]->asked : NULL);
	}
	for (i = 0; i < count; i++)
		if (questions[i])
			free(questions[i]->asked.found);
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
	answer_all(work, questions, count);
	ahead->count = 0;
}

static void refuse(const struct work *work, const char *why)
{
	sentence_say("binlog-symbolize: %s: %s", work->name, why);
}

static bool begins(const struct line *line, const char *magic, size_t bytes)
{
	return line->bytes >= bytes && memcmp(line->text, magic, bytes) == 0;
}

static bool is_address(const char *text)
{
	uint64_t offset;

	return frame_line_offset(text, strlen(text), &offset) > 0;
}

/* Terminals are told colours by escape sequences. */
static bool is_of_no_text(char c)
{
	return iscntrl((unsigned char)c) && c != '\t' && c != '\r' &&
	       c != '\033';
}

/* Null, or why the input that begins so is none. */
static const char *wrong_input(const struct line *first)
{
	static const char packed[] = {'\xc1', '\xce'};
	size_t i;

	if (begins(first, "\177ELF", 4))
		return "not read: it is a program, not a list of addresses: "
		       "give offsets in it behind its name, as in "
		       "`binlog-symbolize ./a.out 0x1139'";
	if (begins(first, BINLOG_MAGIC, sizeof(BINLOG_MAGIC) - 2))
		return "not read: it is a capture, not a list of addresses: "
		       "show it with binlog-show --stacks";
	if (begins(first, packed, sizeof(packed)))
		return "not read: it is a packed log, not a list of "
		       "addresses: show it with binlog-show --stacks";
	if (is_address(first->text)) /* names of files may have anything */
		return NULL;
	for (i = 0; i < first->bytes; i++)
		if (is_of_no_text(first->text[i]))
			return "not read: it is no text: give a file with "
			       "addresses, or what binlog-show --stacks has "
			       "written";
	return NULL;
}

static bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

/* A message may end as an address does; in a path there are seldom blanks. */
static bool is_address_alone(char *text)
{
	uint64_t offset;
	size_t bytes = frame_line_offset(text, strlen(text), &offset);
	bool alone;

	if (bytes == 0)
		return false;
	text[bytes] = '\0';
	alone = !strpbrk(text, " \t") || *text == '/' || *text == '.' ||
		exists(text);
	text[bytes] = '+';
	return alone;
}

/* Whether what has come has a frame, and no address before it. */
static bool has_frame(const struct lines *lines)
{
	const char *at = lines->data + lines->begin;
	const char *end = lines->data + lines->end;
	struct frame_line frame;
	uint64_t offset;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t bytes = (size_t)((newline ? newline : end) - at);

		if (frame_line_read(&frame, at, bytes))
			return true;
		if (frame_line_offset(at, bytes, &offset) > 0)
			return false;
		at += bytes + 1;
	}
	return false;
}

static enum input_kind kind_of(const struct work *work,
	const struct lines *lines, const struct line *first)
{
	const char *wrong = wrong_input(first);
	struct frame_line frame;

	if (wrong) {
		refuse(work, wrong);
		return INPUT_WRONG;
	}
	if (frame_line_read(&frame, first->text, first->bytes))
		return INPUT_TEXT;
	if (is_address_alone(first->text))
		return INPUT_ADDRESSES;
	if (*first->text == '{')
		return INPUT_JSON;
	if (strpbrk(first->text, " \t") || has_frame(lines))
		return INPUT_TEXT;
	return INPUT_ADDRESSES;
}

static void take_line(struct work *work, struct ahead *ahead,
	const struct line *line, enum input_kind kind)
{
	if (kind == INPUT_ADDRESSES) {
		ahead->lines[ahead->count++] = line->text;
		if (ahead->count == AHEAD)
			answer_lines(work, ahead);
		return;
	}
	work->line++;
	if (kind == INPUT_TEXT)
		stack_text_line(&work->stacks, line);
	else if (!stack_text_json(&work->stacks, line))
		complain(work,
			"left as it is: it is not one JSON object: give each "
			"message on a line of its own, as binlog-show -o json "
			"does");
}

/* False when nothing could be read. */
static bool read_input(struct work *work, struct lines *lines)
{
	enum input_kind kind = INPUT_UNKNOWN;
	struct ahead ahead = {0};
	struct line line;

	work->line = 0;
	do {
		while (lines_next(lines, &line)) {
			if (kind == INPUT_UNKNOWN)
				kind = kind_of(work, lines, &line);
			if (kind == INPUT_WRONG)
				return false;
			take_line(work, &ahead, &line, kind);
		}
		answer_lines(work, &ahead);
		/* Whoever writes lines one by one waits for each answer. */
		(void)fflush(stdout);
	} while (lines_wait(lines));
	if (lines->too_long)
		refuse(work,
			"not read to its end: a line has more than 64 MiB: "
			"give a file with addresses, or what binlog-show "
			"--stacks has written");
	else if (lines->error)
		sentence_say("binlog-symbolize: %s: cannot be read: %s: give a "
			     "file with addresses",
			work->name, strerror(lines->error));
	if (lines->too_long)
		work->all_resolved = false;
	return !lines->error && (kind != INPUT_UNKNOWN || !lines->too_long);
}

static bool read_named(struct work *work, const char *name)
{
	struct lines lines = {.descriptor = STDIN_FILENO};
	bool fine;

	work->name = name;
	if (strcmp(name, "-") == 0)
		work->name = "standard input";
	else
		lines.descriptor = open(name, O_RDONLY | O_CLOEXEC);
	if (lines.descriptor < 0) {
		sentence_say("binlog-symbolize: %s: cannot be read: %s: give a "
			     "file with addresses, or an address, as "
			     "a.out+0x1139",
			work->name, strerror(errno));
		return false;
	}
	fine = read_input(work, &lines);
	if (lines.descriptor != STDIN_FILENO)
		close(lines.descriptor);
	lines_free(&lines);
	return fine;
}

/* Through path maps and the sysroot, or as it is. */
static bool is_program(const struct work *work, const char *path)
{
	const struct symbolizer_options as_it_is = {0};

	return symbolizer_has_file(&work->options->symbols, path) ||
	       symbolizer_has_file(&as_it_is, path);
}

/*
 * Whether the arguments are a module and offsets in it: the first one is a
 * program, or the second one is a number and no file.  A number without 0x may
 * be the name of a file that is missing, as the first one may be.
 */
static bool are_offsets(const struct work *work, char **arguments)
{
	const char *second = arguments[0] ? arguments[1] : NULL;
	uint64_t offset;

	if (!second || strcmp(arguments[0], "-") == 0 ||
		(is_address(arguments[0]) && !exists(arguments[0])))
		return false;
	if (is_program(work, arguments[0]))
		return true;
	return read_offset(&offset, second) && !exists(second) &&
	       (second[1] == 'x' || second[1] == 'X' || !exists(arguments[0]));
}

/* False: one of them is none, and that has been said. */
static bool check_offsets(char **offsets)
{
	uint64_t offset;

	for (; *offsets; offsets++) {
		if (read_offset(&offset, *offsets))
			continue;
		sentence_say("binlog-symbolize: %s: not an offset: it is no "
			     "hexadecimal number of 64 bits, as 0x1139: "
			     "correct it",
			*offsets);
		return false;
	}
	return true;
}

static void answer_offsets(struct work *work, char *module, char **offsets)
{
	struct question questions[AHEAD];
	struct question *asked[AHEAD];
	size_t count;

	while (*offsets) {
		for (count = 0; count < AHEAD && *offsets; count++) {
			struct address_line *now = &questions[count].asked;

			questions[count] = (struct question){0};
			asked[count] = &questions[count];
			read_offset(&now->address, *offsets++);
			if (!read_build_id(now, module))
				now->module.path = module;
		}
		answer_all(work, asked, count);
	}
}

static void answer_address(struct work *work, char *argument)
{
	struct question question = {0};
	struct question *asked = &question;

	if (!address_line_read(&question.asked, argument))
		asked = NULL;
	answer_all(work, &asked, 1);
}

/* False when there was nothing to read in any. */
static bool take_arguments(struct work *work, char **arguments)
{
	bool any = false;

	for (; *arguments; arguments++) {
		work->name = NULL;
		if (is_address(*arguments) && !exists(*arguments)) {
			answer_address(work, *arguments);
			any = true;
		} else if (read_named(work, *arguments)) {
			any = true;
		} else {
			work->all_resolved = false;
		}
	}
	return any;
}

static int resolve_all(struct work *work, char **arguments)
{
	static char standard_input[] = "-";
	char *alone[] = {standard_input, NULL};
	char sentence[4608];
	bool any = true;

	if (!*arguments)
		arguments = alone;
	if (!are_offsets(work, arguments))
		any = take_arguments(work, arguments);
	else if (check_offsets(arguments + 1))
		answer_offsets(work, arguments[0], arguments + 1);
	else
		any = false;
	if (!standard_output_finish("binlog-symbolize"))
		work->all_resolved = false;
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
	work->modules.options = &symbols;
	work->stacks = (struct stack_text){.symbolizer = work->symbolizer,
		.modules = &work->modules,
		.complain = complain,
		.closure = work};
	if (work->symbolizer)
		status = resolve_all(work, options->arguments);
	else
		sentence_say("binlog-symbolize: %s",
			wrong ? wrong : "out of memory");
	symbolizer_free(work->symbolizer);
	stack_text_free(&work->stacks);
	modules_free(&work->modules);
	render_buffer_free(&work->text);
	free(cache);
	return status;
}

static int printed(void)
{
	return standard_output_finish("binlog-symbolize") ? ALL_RESOLVED
							  : NOTHING_READ;
}

int main(int argc, char **argv)
{
	struct symbolize_options options = {0};
	struct work work = {.options = &options, .all_resolved = true};
	int status = NOTHING_READ;

	standard_output_guard();
	/* names are long */
	(void)setvbuf(stdout, NULL, _IOFBF, (size_t)1 << 18);
	if (!symbolize_options_read(&options, argc, argv)) {
		sentence_say("binlog-symbolize: %s", options.problem);
	} else if (options.help) {
		print_help();
		status = printed();
	} else if (options.version) {
		standard_output_version(
			"binlog-symbolize", "captures", BINLOG_VERSION);
		status = printed();
	} else {
		missing_path_tell_symbols("binlog-symbolize",
			options.symbols.sysroot, options.directories.items,
			options.directories.count);
		status = run(&work, &options);
	}
	free(options.directories.items);
	free(options.path_maps.items);
	return status;
}
