#include "base/sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"

void sentence_say(const char *format, ...)
{
	struct render_buffer line = {0};
	char *text;
	va_list arguments;
	int bytes;

	va_start(arguments, format);
	bytes = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (bytes < 0)
		return;
	escape_put(&line, text, (size_t)bytes, ESCAPE_NEWLINE);
	render_buffer_put_byte(&line, '\n');
	fwrite(line.data, 1, line.length, stderr);
	render_buffer_free(&line);
	free(text);
}
