/*
 * Of all lines those that a pattern is found in, with some before and after
 * each, as `grep -C` has them; between stretches that do not touch there is a
 * line `--`.  The filters tell it of the text of each line that is about to be
 * shown, the output gives it the line itself.  Holds the lines before in
 * memory, boundedly much.
 */
#ifndef DECODER_LINES_AROUND_H
#define DECODER_LINES_AROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines_around;
struct output;

/*
 * A pattern as in grep.h, and how many lines of context.  Null: the reason is
 * in `problem`.
 */
struct lines_around *lines_around_new(
	const char *pattern, uint32_t context, char *problem, size_t size);

/* Of the line that comes next, the text without what is shown around it. */
void lines_around_look(
	struct lines_around *around, const char *text, size_t bytes);

/* A line, and what it is to be given to if it, or one before, is shown. */
typedef void lines_around_put(
	struct output *output, const char *line, size_t bytes);

/* One line, with all that stands below it. */
void lines_around_add(struct lines_around *around, const char *line,
	size_t bytes, lines_around_put *put, struct output *output);

/* False: out of memory, lines are missing. */
bool lines_around_is_good(const struct lines_around *around);

/* Null is fine. */
void lines_around_free(struct lines_around *around);

#endif
