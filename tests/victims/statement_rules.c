/*
 * A program that formats its messages itself and prints them from one place,
 * as daemons do; and one step of it for each line that it reads, in a child if
 * that begins with an f; then `done` on descriptor 3.  For
 * t_statement_rules.sh.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
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

/* Handed on as it is, which is known without debug information, too. */
APART static void show(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fflush(stderr);
}

APART static void display(int step)
{
	show("displayed %d\n", step);
	fflush(stderr);
}

APART static void present(int step)
{
	show("presented %d\n", step);
	fflush(stderr);
}

/* Not one that says what it is given: it says things of its own. */
APART static void work(const char *what, int step)
{
	say("working: %s", what);
	say("worked %d times", step);
	fflush(stderr);
}

/* Recorded as it is. */
APART static void plain(int step)
{
	fprintf(stderr, "plain %d\n", step);
	fflush(stderr);
}

APART static void run(int step)
{
	accept_client(step);
	choose(step);
	earlier(step);
	last(step);
	display(step);
	present(step);
	work("on the work of others", step);
	plain(step);
}

int main(void)
{
	char line[64];
	int step = 0;
	pid_t child;

	answers = fdopen(3, "w");
	while (fgets(line, sizeof(line), stdin)) {
		step++;
		child = line[0] == 'f' ? fork() : -1;
		if (child <= 0)
			run(step);
		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
		fprintf(answers, "done %d\n", step);
		fflush(answers);
	}
	return 0;
}
