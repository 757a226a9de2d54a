#include "tools/symbolize/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM_FIRST ((size_t)64 << 10)

bool lines_next(struct lines *lines, struct line *line)
{
	char *newline = NULL;

	if (lines->seen < lines->end)
		newline = memchr(lines->data + lines->seen, '\n',
			lines->end - lines->seen);
	if (!newline) {
		lines->seen = lines->end;
		if (!lines->over || lines->too_long ||
			lines->begin == lines->end)
			return false;
	}
	line->text = lines->data + lines->begin;
	line->ended = newline != NULL;
	line->bytes = newline ? (size_t)(newline - line->text)
			      : lines->end - lines->begin;
	line->text[line->bytes] = '\0';
	lines->begin += line->bytes + line->ended;
	lines->seen = lines->begin;
	return true;
}

/* For one more byte, and a NUL.  False: the line is too long. */
static bool make_room(struct lines *lines)
{
	size_t room = lines->room ? lines->room * 2 : ROOM_FIRST;
	char *data;

	if (lines->begin > 0) {
		memmove(lines->data, lines->data + lines->begin,
			lines->end - lines->begin);
		lines->end -= lines->begin;
		lines->seen -= lines->begin;
		lines->begin = 0;
	}
	if (lines->end + 1 < lines->room)
		return true;
	data = room > LINES_BYTES_MAX ? NULL : realloc(lines->data, room);
	if (!data)
		return false;
	lines->data = data;
	lines->room = room;
	return true;
}

bool lines_wait(struct lines *lines)
{
	ssize_t got;

	if (lines->over)
		return false;
	lines->too_long = !make_room(lines);
	if (lines->too_long) {
		lines->over = true;
		return false;
	}
	do
		got = read(lines->descriptor, lines->data + lines->end,
			lines->room - lines->end - 1);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		lines->error = errno;
	if (got > 0)
		lines->end += (size_t)got;
	lines->over = got <= 0;
	return true; /* the last line may have no newline */
}

void lines_free(struct lines *lines)
{
	free(lines->data);
	*lines = (struct lines){0};
}
