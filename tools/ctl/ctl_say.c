#include "tools/ctl/ctl_say.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/sentence.h"

static void put(FILE *file, const char *bytes, size_t size, size_t indent)
{
	struct render_buffer out = {0};

	escape_put(&out, bytes, size, indent);
	if (out.length > 0)
		fwrite(out.data, 1, out.length, file);
	render_buffer_free(&out);
}

void ctl_say_put(FILE *file, const char *text)
{
	put(file, text, strlen(text), ESCAPE_NEWLINE);
}

void ctl_say_lines(const char *text, size_t size)
{
	if (isatty(STDOUT_FILENO))
		put(stdout, text, size, 0);
	else if (size > 0)
		fwrite(text, 1, size, stdout);
}

enum exit_status ctl_say_complaint(const char *what, const char *why)
{
	sentence_say(
		"binlog-ctl: %s%s%s", what, why ? ": " : "", why ? why : "");
	return EXIT_NOTHING;
}

enum exit_status ctl_say_finish(enum exit_status status)
{
	return fflush(stdout) == 0
		       ? status
		       : ctl_say_complaint("standard output", strerror(errno));
}
