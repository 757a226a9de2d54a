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

enum exit_status { ALL_RESOLVED = 0, SOME_NOT_RESOLVED = 1, NOTHING_READ = 2 };

/* What an option does. */
enum effect { DIRECTORY, MANGLED, COLUMNS, HELP, VERSION };

static const struct choice {
	const char *name;
	char letter;
	enum effect effect;
	const char *argument; /* null: it takes none */
	const char *help;
} choices[] = {
	{"debug-dir", 'd', DIRECTORY, "DIR",
		"look for debug files below DIR (repeatable; default "
		"/usr/lib/debug)"},
	{"no-demangle", 'n', MANGLED, NULL,
		"leave names as the linker has them"},
	{"columns", 'c', COLUMNS, NULL, "write file:line:column"},
	{"help", 'h', HELP, NULL, "write this and exit"},
	{"version", 'V', VERSION, NULL, "write the version and exit"},
};

#define CHOICES (sizeof(choices) / sizeof(choices[0]))

struct settings {
	const char **directories; /* null-terminated */
	size_t directory_count;
	bool mangled;
	bool columns;
	bool help;
	bool version;
};

/* What one line asks for. */
struct question {
	struct symbolizer_module module;
	uint8_t build_id[BUILD_ID_BYTES_MAX];
	uint64_t address;
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
	for (i = 0; i < CHOICES; i++)
		printf("  -%c, --%s%s%s\n        %s\n", choices[i].letter,
			choices[i].name, choices[i].argument ? "=" : "",
			choices[i].argument ? choices[i].argument : "",
			choices[i].help);
	puts("\nExit status: 0 all resolved, 1 some not, 2 usage or nothing "
	     "to read.");
}

static bool apply(struct settings *settings, const struct choice *choice,
	const char *value)
{
	const char **directories;

	switch (choice->effect) {
	case DIRECTORY:
		directories = reallocarray(settings->directories,
			settings->directory_count + 2, sizeof(char *));
		if (!directories) {
			fputs("binlog-symbolize: out of memory\n", stderr);
			return false;
		}
		directories[settings->directory_count++] = value;
		directories[settings->directory_count] = NULL;
		settings->directories = directories;
		break;
	case MANGLED:
		settings->mangled = true;
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
	return true;
}

static bool read_options(struct settings *settings, int argc, char **argv)
{
	struct option options[CHOICES + 1] = {0};
	char letters[2 * CHOICES + 1];
	char *end = letters;
	size_t i;
	int letter;

	for (i = 0; i < CHOICES; i++) {
		options[i].name = choices[i].name;
		options[i].has_arg =
			choices[i].argument ? required_argument : no_argument;
		options[i].val = choices[i].letter;
		*end++ = choices[i].letter;
		if (choices[i].argument)
			*end++ = ':';
	}
	*end = '\0';
	while ((letter = getopt_long(argc, argv, letters, options, NULL)) !=
		-1) {
		for (i = 0; i < CHOICES; i++)
			if (choices[i].letter == letter)
				break;
		if (i == CHOICES || !apply(settings, &choices[i], optarg))
			return false;
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

static void answer(struct work *work, char *line)
{
	struct question question = {0};
	const char *sentence;

	if (!read_question(&question, line)) {
		puts("?? at ??:?");
		complain(work,
			"not an address: MODULE+0xOFFSET or BUILDID+0xOFFSET "
			"is wanted: correct the line");
		return;
	}
	work->first = true;
	work->has_name = false;
	sentence = symbolizer_resolve(work->symbolizer, &question.module,
		question.address, print_frame, work);
	if (sentence)
		complain(work, sentence);
	else if (!work->has_name)
		work->all_resolved = false;
}

/* False when nothing could be read. */
static bool read_input(struct work *work, FILE *input)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t bytes;

	work->line = 0;
	while ((bytes = getline(&line, &room, input)) >= 0) {
		work->line++;
		if (bytes > 0 && line[bytes - 1] == '\n')
			line[--bytes] = '\0';
		answer(work, line);
	}
	free(line);
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
	struct symbolizer_options options = {0};
	struct work work = {.settings = &settings, .all_resolved = true};
	int status = NOTHING_READ;

	if (!read_options(&settings, argc, argv)) {
		fputs("Try 'binlog-symbolize --help'.\n", stderr);
	} else if (settings.help) {
		print_help();
		status = ALL_RESOLVED;
	} else if (settings.version) {
		printf("binlog-symbolize: capture format %u\n", BINLOG_VERSION);
		status = ALL_RESOLVED;
	} else {
		options.debug_directories = settings.directories;
		options.mangled = settings.mangled;
		work.symbolizer = symbolizer_new(&options);
		if (work.symbolizer)
			status = resolve_all(&work, argv + optind);
		else
			fputs("binlog-symbolize: out of memory\n", stderr);
		symbolizer_free(work.symbolizer);
	}
	free(settings.directories);
	return status;
}
