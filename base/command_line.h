/*
 * The options of a command, as a table describes them.  Every tool lists its
 * own in a file of X-macros, has
 * them read by command_line_read(), and the list for --help from here.  One
 * thread, and one command line in a process: getopt_long(3) is behind it.
 */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMMAND_LINE_OPTIONS_MAX 128
#define COMMAND_LINE_PROBLEM_BYTES 512

struct command_option {
	const char *name;     /* --name */
	char letter;	      /* -x; 0: none */
	const char *argument; /* null: it takes none; `[WORD]`: it may take */
			      /* one behind `=`, else the argument is null */
	const char *help;
	const char *variable; /* of the environment, counts without the */
			      /* option; null: none */
};

struct command_line {
	/* To be set before; the options outlive it. */
	const char *command; /* that has a --help */
	const struct command_option *options;
	size_t count; /* at most COMMAND_LINE_OPTIONS_MAX */
	bool stops;   /* at the first argument that is no option, as a */
		      /* command that runs another one has to */
	/*
	 * Called for each option with its place in the table and its argument,
	 * null if it takes none.  Null, or what is wrong, and what you can do.
	 */
	const char *(*apply)(void *closure, int option, const char *value);
	void *closure;
	/* Filled: */
	char **rest; /* the arguments behind all options */
	size_t rest_count;
	char problem[COMMAND_LINE_PROBLEM_BYTES];
};

/*
 * Null, or what is wrong with which option: a sentence in `problem`.  The order
 * of argv may change.
 */
const char *command_line_read(struct command_line *line, int argc, char **argv);

/*
 * A line for each option, `-x, --name=ARGUMENT  help`, cut off where `size`
 * ends.  Returns the bytes without the NUL.
 */
size_t command_line_help(const struct command_option *options, size_t count,
	char *buffer, size_t size);

/*
 * The values of options.  Null, or what is wrong with the text, and what you
 * can do; then nothing is set.  A size is a number of bytes from 1 to 2^30,
 * times the K, M or G behind it; seconds are from `least` to 2^30.
 */
const char *command_line_size(uint64_t *bytes, const char *text);
const char *command_line_seconds(
	uint64_t *seconds, const char *text, unsigned least);

#endif
