/*
 * Lines of an input that somebody may be writing just now.  Called by main.c;
 * promises that what has come is given out before it is waited for more, and
 * that a line takes no more memory than LINES_BYTES_MAX, whatever the file is.
 */
#ifndef TOOLS_LINES_H
#define TOOLS_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Longer ones are no text; messages in JSON are the longest. */
#define LINES_BYTES_MAX ((size_t)64 << 20)

/* All zeros but the descriptor. */
struct lines {
	int descriptor;
	char *data;
	size_t room;
	size_t begin; /* of what has not been given out */
	size_t end;
	size_t seen;   /* no line ends before that */
	bool over;     /* there is nothing more to read */
	bool too_long; /* a line: reading has stopped */
	int error;     /* of read(2), or 0 */
};

struct line {
	char *text; /* with a NUL behind it, which may be written over */
	size_t bytes;
	bool ended; /* by a newline */
};

/* The next one that has come, valid until lines_wait().  False: none has. */
bool lines_next(struct lines *lines, struct line *line);

/* Waits for more; false when there is none. */
bool lines_wait(struct lines *lines);

void lines_free(struct lines *lines);

#endif
