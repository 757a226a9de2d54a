#include "tools/ctl/ctl_say.h"

#include <errno.h>
#include <string.h>

void ctl_say_put(FILE *file, const char *text)
{
	for (; *text != '\0'; text++)
		fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text,
			file);
}

enum exit_status ctl_say_complaint(const char *what, const char *why)
{
	fputs("binlog-ctl: ", stderr);
	ctl_say_put(stderr, what);
	if (why)
		fprintf(stderr, ": %s", why);
	fputc('\n', stderr);
	return EXIT_NOTHING;
}

enum exit_status ctl_say_finish(enum exit_status status)
{
	return fflush(stdout) == 0
		       ? status
		       : ctl_say_complaint("standard output", strerror(errno));
}
