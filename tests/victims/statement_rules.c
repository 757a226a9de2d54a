/*
 * A program that formats its messages itself and prints them from one place,
 * as daemons do; and one step of it for each line that it reads, then `done`
 * on standard output.  For t_statement_rules.sh.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static FILE *answers;

/* As redis does. */
APART static void say(const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "%d:%c %s\n", 7, 'M', text);
}

/* As nginx does. */
APART static void tell(const char *format, ...)
{
	char text[256];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (write(STDERR_FILENO, text, (size_t)length) != length)
		perror("write");
}

APART static void accept_client(int step)
{
	say("Accepted %s:%d", "10.0.0.1", step);
	say("%d clients connected", step);
	tell("%d: opened socket %d\n", step, step + 3);
	tell("%d: closed socket %d\n", step, step + 3);
	fflush(stderr);
}

/* Both from one call. */
APART static void choose(int step)
{
	say(step % 2 ? "the odd step %d" : "the even step %d", step);
	fflush(stderr);
}

/* Formatted here and printed from a call of all messages. */
APART static void earlier(int step)
{
	char text[64];

	snprintf(text, sizeof(text), "made before %d\n", step);
	fputs(text, stderr);
	fflush(stderr);
}

/* It returns to where this function was called. */
APART static void last(int step)
{
	say("as the last thing %d", step);
}

/* Recorded as it is. */
APART static void plain(int step)
{
	fprintf(stderr, "plain %d\n", step);
	fflush(stderr);
}

int main(void)
{
	char line[64];
	int step = 0;

	answers = fdopen(3, "w");
	while (fgets(line, sizeof(line), stdin)) {
		step++;
		accept_client(step);
		choose(step);
		earlier(step);
		last(step);
		plain(step);
		fprintf(answers, "done %d\n", step);
		fflush(answers);
	}
	return 0;
}
