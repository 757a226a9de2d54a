/*
 * binlog-symbolize: reads lines `MODULE+0xOFFSET` or `BUILDID+0xOFFSET` and
 * writes the functions, files and lines that are there.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/layout.h"
#include "symbolizer/symbolizer.h"

#define BUILD_ID_BYTES_MAX 64
/* Shorter words of hexadecimal digits may well be names of files. */
#define BUILD_ID_BYTES_MIN 8

/* More would not be faster. */
#define AHEAD 64

enum exit_status { ALL_RESOLVED = 0, SOME_NOT_RESOLVED = 1, NOTHING_READ = 2 };

#define LONG_ONLY 256 /* getopt's value of an option without a letter */

/* What an option does. */
enum effect {
	PATH_MAP,
	SYSROOT,
	DIRECTORY,
	FORCE,
	DEBUGINFOD,
	MANGLED,
	COLUMNS,
	HELP,
	VERSION
};

static const struct choice {
	const char *name;
	char letter; /* 0: none */
	enum effect effect;
	const char *argument; /* null: it takes none */
	const char *help;
} choices[] = {
	{"path-map", 0, PATH_MAP, "FROM=TO",
		"look for files below FROM below TO (repeatable; the longest "
		"FROM wins)"},
	{"sysroot", 0, SYSROOT, "DIR",
		"look for all others below DIR, as if that were /"},
	{"debug-dir", 'd', DIRECTORY, "DIR",
		"look for debug files below DIR (repeatable; default "
		"/usr/lib/debug)"},
	{"force", 0, FORCE, NULL,
		"use files also if they are not those that were recorded"},
	{"debuginfod", 0, DEBUGINFOD, NULL,
		"ask the servers in DEBUGINFOD_URLS for debug files"},
	{"no-demangle", 'n', MANGLED, NULL,
		"leave names as the linker has them"},
	{"columns", 'c', COLUMNS, NULL, "write file:line:column"},
	{"help", 'h', HELP, NULL, "write this and exit"},
	{"version", 'V', VERSION, NULL, "write the version and exit"},
};

#define CHOICES (sizeof(choices) / sizeof(choices[0]))

struct list {
	const char **items; /* null-terminated, or null */
	size_t count;
};

struct settings {
	struct symbolizer_options symbols;
	struct list directories;
	struct list path_maps;
	bool columns;
	bool help;
	bool version;
};

/* What one line asks for. */
struct question {
	struct symbolizer_module module;
	uint8_t build_id[BUILD_ID_BYTES_MAX];
	uint64_t address;
	bool expected; /* announced to the symbolizer */
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
	const struct settings *settings;
	struct symbolizer *symbolizer;
	const char *name; /* of the input */
	size_t line;
	bool all_resolved;
	bool first; /* frame of an answer */
	bool has_name;
};

static void print_help(void)
{
	size_t i;

	puts("Usage: binlog-symbolize [OPTION]... [FILE]...\n"
	     "Write the functions and lines at addresses, given as lines\n"
	     "MODULE+0xOFFSET or BUILDID+0xOFFSET (FILE - or none: standard "
	     "input).\n");
	for (i = 0; i < CHOICES; i++) {
		const struct choice *choice = &choices[i];
		const char letter[] = {'-', choice->letter, ',', '\0'};

		printf("  %3s --%s%s%s\n        %s\n",
			choice->letter ? letter : "", choice->name,
			choice->argument ? "=" : "",
			choice->argument ? choice->argument : "", choice->help);
	}
	puts("\nExit status: 0 all resolved, 1 some not, 2 usage or nothing "
	     "to read.");
}

/* Null, or what is wrong. */
static const char *append(
	struct list *list, const char *value, const char *const **shown)
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

/* Likewise. */
static const char *apply(
	struct settings *settings, enum effect effect, const char *value)
{
	struct symbolizer_options *symbols = &settings->symbols;

	switch (effect) {
	case PATH_MAP:
		if (*value == '=' || !strchr(value, '='))
			return "not FROM=TO: give two paths with = between";
		return append(&settings->path_maps, value, &symbols->path_maps);
	case SYSROOT:
		symbols->sysroot = value;
		break;
	case DIRECTORY:
		return append(&settings->directories, value,
			&symbols->debug_directories);
	case FORCE:
		symbols->force = true;
		break;
	case DEBUGINFOD:
		if (!getenv("DEBUGINFOD_URLS"))
			return "DEBUGINFOD_URLS is not set: set it to the "
			       "addresses of servers";
		symbols->debuginfod = true;
		break;
	case MANGLED:
		symbols->mangled = true;
		break;
	case COLUMNS:
		settings->columns = true;
		break;
	case HELP:
		settings->help = true;
		break;
	case VERSION:
		settings->version = true;
		break;
	}
	return NULL;
}

static void describe(struct option *options, char *letters)
{
	size_t i;

	for (i = 0; i < CHOICES; i++) {
		options[i].name = choices[i].name;
		options[i].has_arg =
			choices[i].argument ? required_argument : no_argument;
		options[i].val = LONG_ONLY + (int)i;
		if (!choices[i].letter)
			continue;
		*letters++ = choices[i].letter;
		if (choices[i].argument)
			*letters++ = ':';
	}
	*letters = '\0';
}

/* CHOICES: it is none. */
static size_t choice_of(int value)
{
	size_t i;

	if (value >= LONG_ONLY)
		return (size_t)value - LONG_ONLY;
	for (i = 0; i < CHOICES; i++)
		if (choices[i].letter && choices[i].letter == value)
			break;
	return i;
}

static bool read_options(struct settings *settings, int argc, char **argv)
{
	struct option options[CHOICES + 1] = {0};
	char letters[2 * CHOICES + 1];
	const char *wrong;
	int value;

	describe(options, letters);
	while ((value = getopt_long(argc, argv, letters, options, NULL)) !=
		-1) {
		size_t i = choice_of(value);

		if (i == CHOICES)
			return false;
		wrong = apply(settings, choices[i].effect, optarg);
		if (wrong) {
			fprintf(stderr, "binlog-symbolize: --%s: %s\n",
				choices[i].name, wrong);
			return false;
		}
	}
	return true;
}

static void complain(struct work *work, const char *sentence)
{
	fflush(stdout);
	fprintf(stderr, "%s:%zu: %s\n", work->name, work->line, sentence);
	work->all_resolved = false;
}

static void print_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct work *work = closure;

	printf("%s%s at %s:", work->first ? "" : " (inlined by) ",
		frame->function ? frame->function : "??",
		frame->file ? frame->file : "??");
	if (frame->line == 0)
		putchar('?');
	else if (work->settings->columns && frame->column > 0)
		printf("%u:%u", frame->line, frame->column);
	else
		printf("%u", frame->line);
	putchar('\n');
	work->has_name = work->has_name || frame->function;
	work->first = false;
}

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
static bool read_build_id(struct question *question, const char *text)
{
	size_t digits = strlen(text);
	struct stat status;
	size_t i;

	if (digits % 2 || digits < 2 * BUILD_ID_BYTES_MIN ||
		digits > 2 * BUILD_ID_BYTES_MAX)
		return false;
	for (i = 0; i < digits; i += 2) {
		if (digit(text[i]) < 0 || digit(text[i + 1]) < 0)
			return false;
		question->build_id[i / 2] =
			(uint8_t)(digit(text[i]) << 4 | digit(text[i + 1]));
	}
	if (stat(text, &status) == 0)
		return false;
	question->module.build_id = question->build_id;
	question->module.build_id_bytes = digits / 2;
	return true;
}

/* The last "+0x": a file's name may have one too.  Writes into `line`. */
static bool read_question(struct question *question, char *line)
{
	char *plus = NULL;
	char *end;

	for (end = line; (end = strstr(end, "+0x")) != NULL; end++)
		plus = end;
	if (!plus || plus == line || digit(plus[3]) < 0)
		return false;
	errno = 0;
	question->address = strtoull(plus + 3, &end, 16);
	if (*end != '\0' || errno != 0)
		return false;
	*plus = '\0';
	if (!read_build_id(question, line))
		question->module.path = line;
	return true;
}

static void answer(struct work *work, const struct question *question)
{
	const char *sentence;

	if (!question) {
		puts("?? at ??:?");
		complain(work,
			"not an address: MODULE+0xOFFSET or BUILDID+0xOFFSET "
			"is wanted: correct the line");
		return;
	}
	work->first = true;
	work->has_name = false;
	sentence = symbolizer_resolve(work->symbolizer, &question->module,
		question->address, print_frame, work);
	if (sentence)
		complain(work, sentence);
	else if (!work->has_name)
		work->all_resolved = false;
}

/* Of build-ids alone there are few. */
static bool is_same_module(
	const struct symbolizer_module *a, const struct symbolizer_module *b)
{
	return a == b || (a->path && b->path && strcmp(a->path, b->path) == 0);
}

/* Announces all addresses of the module of the first of the questions. */
static void expect(struct work *work, struct question **questions, size_t count)
{
	const struct symbolizer_module *module = &questions[0]->module;
	uint64_t addresses[AHEAD];
	size_t known = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!questions[i] || questions[i]->expected ||
			!is_same_module(&questions[i]->module, module))
			continue;
		addresses[known++] = questions[i]->address;
		questions[i]->expected = true;
	}
	symbolizer_expect(work->symbolizer, module, addresses, known);
}

static void answer_lines(struct work *work, struct ahead *ahead)
{
	struct question *questions[AHEAD];
	size_t i;

	for (i = 0; i < ahead->count; i++) {
		ahead->questions[i] = (struct question){0};
		questions[i] =
			read_question(&ahead->questions[i], ahead->lines[i])
				? &ahead->questions[i]
				: NULL;
	}
	for (i = 0; i < ahead->count; i++)
		if (questions[i] && !questions[i]->expected)
			expect(work, questions + i, ahead->count - i);
	for (i = 0; i < ahead->count; i++) {
		work->line++;
		answer(work, questions[i]);
	}
	ahead->count = 0;
}

/* Whoever writes lines one by one waits for each answer. */
static bool is_there_already(FILE *input)
{
	struct stat status;

	return fstat(fileno(input), &status) == 0 && S_ISREG(status.st_mode);
}

/* False when nothing could be read. */
static bool read_input(struct work *work, FILE *input)
{
	const size_t lines = is_there_already(input) ? AHEAD : 1;
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
		fprintf(stderr,
			"binlog-symbolize: %s: cannot be read: %s: give a file "
			"with addresses\n",
			work->name, strerror(errno));
	if (input && input != stdin)
		fclose(input);
	return fine;
}

static int resolve_all(struct work *work, char **names)
{
	char standard_input[] = "-";
	char *alone[] = {standard_input, NULL};
	bool any = false;

	if (!*names)
		names = alone;
	for (; *names; names++)
		if (read_named(work, *names))
			any = true;
		else
			work->all_resolved = false;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr,
			"binlog-symbolize: standard output: cannot be written: "
			"%s: free its disk or give another one\n",
			strerror(errno));
		work->all_resolved = false;
	}
	if (!any)
		return NOTHING_READ;
	return work->all_resolved ? ALL_RESOLVED : SOME_NOT_RESOLVED;
}

int main(int argc, char **argv)
{
	struct settings settings = {0};
	struct work work = {.settings = &settings, .all_resolved = true};
	int status = NOTHING_READ;
	char *cache;

	setvbuf(stdout, NULL, _IOFBF, (size_t)1 << 18); /* names are long */
	if (!read_options(&settings, argc, argv)) {
		fputs("Try 'binlog-symbolize --help'.\n", stderr);
	} else if (settings.help) {
		print_help();
		status = ALL_RESOLVED;
	} else if (settings.version) {
		printf("binlog-symbolize: capture format %u\n", BINLOG_VERSION);
		status = ALL_RESOLVED;
	} else {
		cache = symbolizer_usual_cache();
		settings.symbols.cache = cache;
		work.symbolizer = symbolizer_new(&settings.symbols);
		if (work.symbolizer)
			status = resolve_all(&work, argv + optind);
		else
			fputs("binlog-symbolize: out of memory\n", stderr);
		symbolizer_free(work.symbolizer);
		free(cache);
	}
	free(settings.directories.items);
	free(settings.path_maps.items);
	return status;
}
