#include "decoder/output/colors.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "rules/levels.h"

bool colors_are_wanted(enum options_when wanted, int fd)
{
	const char *refused = getenv("NO_COLOR"); /* no-color.org */
	const char *terminal = getenv("TERM");

	if (wanted != OPTIONS_WHEN_AUTO)
		return wanted == OPTIONS_WHEN_ALWAYS;
	return isatty(fd) && !(refused && *refused) &&
	       !(terminal && strcmp(terminal, "dumb") == 0);
}

const char *colors_of(int level)
{
	if (level < 0 || level == LEVEL_info)
		return NULL;
	if (level <= LEVEL_err)
		return "\033[1;31m";
	if (level == LEVEL_warning)
		return "\033[1;33m";
	return level == LEVEL_notice ? "\033[1m" : COLORS_DIM;
}

/* Pagers take a sequence to be over at the end of a line. */
void colors_put(struct render_buffer *out, int level, const char *text,
	size_t bytes, size_t indent)
{
	const char *color = colors_of(level);

	while (color && bytes > 0) {
		const char *end = indent == ESCAPE_NEWLINE
					  ? NULL
					  : memchr(text, '\n', bytes);
		size_t line = end ? (size_t)(end - text) : bytes;

		if (line > 0) {
			render_buffer_put_string(out, color);
			escape_put(out, text, line, indent);
			render_buffer_put_string(out, COLORS_END);
		}
		if (!end)
			return;
		escape_put(out, end, 1, indent);
		text = end + 1;
		bytes -= line + 1;
	}
	if (!color)
		escape_put(out, text, bytes, indent);
}
