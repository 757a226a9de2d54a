/*
 * cancel_points point NAME BUFFER: a thread with a pending cancellation makes
 * one call, to a FILE without a buffer (0), with one of lines (1) or a full one
 * (2); then main prints.
 * cancel_points random N SEED: N threads, one after the other, print in one of
 * the ways by turns until they are cancelled, at a random moment; between them
 * main prints by the same way.  A line is "NUMBER LINE<".
 * Descriptor 9 is told how it went.
 */
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

static const char *name;
static FILE *file;

static void formatted(long a, long b)
{
	fprintf(file, "%ld %ld<\n", a, b);
}

static void in_pieces(long a, long b)
{
	fprintf(file, "%ld %s%s", a, "", "");
	fprintf(file, "%ld<\n", b);
}

static char *line_of(long a, long b)
{
	static __thread char line[64];

	snprintf(line, sizeof(line), "%ld %ld<\n", a, b);
	return line;
}

static void string(long a, long b)
{
	fputs(line_of(a, b), file);
}

static void block(long a, long b)
{
	const char *line = line_of(a, b);

	fwrite(line, 1, strlen(line), file);
}

static void line(long a, long b)
{
	char *text = line_of(a, b);

	text[strlen(text) - 1] = '\0';
	puts(text);
}

static void characters(long a, long b)
{
	for (const char *s = line_of(a, b); *s; s++)
		putc(*s, file);
}

static void flushed(long a, long b)
{
	fprintf(file, "%ld %ld<\n", a, b);
	fflush(file);
}

static void descriptor(long a, long b)
{
	const char *line = line_of(a, b);

	write(fileno(file), line, strlen(line));
}

static void vector(long a, long b)
{
	char *line = line_of(a, b);
	struct iovec v = {line, strlen(line)};

	writev(fileno(file), &v, 1);
}

static void by_descriptor(long a, long b)
{
	dprintf(fileno(file), "%ld %ld<\n", a, b);
}

static const struct {
	const char *name;
	void (*print)(long, long);
} ways[] = {{"printf", formatted}, {"pieces", in_pieces}, {"fputs", string},
	{"fwrite", block}, {"puts", line}, {"putc", characters},
	{"fflush", flushed}, {"write", descriptor}, {"writev", vector},
	{"dprintf", by_descriptor}};

#define WAYS (sizeof(ways) / sizeof(*ways))
/* Natively who is cancelled in dprintf() leaves a FILE on its stack, with which
 * the process may hang at its end. */
#define SOUND_WAYS (WAYS - 1)

static int is(const char *s)
{
	return strcmp(name, s) == 0;
}

static void *one_call(void *unused)
{
	(void)unused;
	pthread_cancel(pthread_self());
	for (size_t i = 0; i < WAYS; i++)
		if (is(ways[i].name))
			ways[i].print(1, 2);
	if (is("wide"))
		fwprintf(file, L"wide %d\n", 1);
	if (is("error"))
		error(0, 0, "error");
	if (is("error_at_line"))
		error_at_line(0, 0, "file", 1, "error");
	if (is("perror"))
		perror("perror");
	if (is("psiginfo"))
		psiginfo(&(siginfo_t){.si_signo = SIGINT}, "psiginfo");
	if (is("syslog"))
		syslog(LOG_INFO, "syslog");
	if (is("fclose"))
		fclose(file);
	if (is("getopt"))
		getopt(2, (char *[]){"program", "-q", NULL}, "a");
	dprintf(9, "went on\n");
	return NULL;
}

static int at_one_point(int buffer)
{
	pthread_t id;
	void *result;

	if (is("error") || is("error_at_line") || is("perror") ||
		is("psiginfo") || is("getopt"))
		file = stderr;
	setvbuf(file, NULL,
		buffer == 0   ? _IONBF
		: buffer == 1 ? _IOLBF
			      : _IOFBF,
		4096);
	if (is("fclose") || is("fflush"))
		fputs("before ", file);
	pthread_create(&id, NULL, one_call, NULL);
	pthread_join(id, &result);
	dprintf(9, "%s\n",
		result == PTHREAD_CANCELED ? "cancelled" : "returned");
	if (!is("fclose"))
		is("wide") ? fputws(L"after\n", file) : fputs("after\n", file);
	return 0;
}

static volatile long returned;
static void (*print)(long, long);

static void *print_for_ever(void *number)
{
	for (long i = 0;; i++) {
		print((long)number, i);
		returned = i + 1;
	}
	return NULL;
}

static int at_random(long count)
{
	for (long i = 0; i < count; i++) {
		const long enough = rand() % 20;
		pthread_t id;
		void *result;

		print = ways[i % SOUND_WAYS].print;
		returned = 0;
		pthread_create(&id, NULL, print_for_ever, (void *)i);
		while (returned < enough)
			sched_yield();
		for (volatile int n = rand() % 2000; n > 0; n--)
			;
		pthread_cancel(id);
		pthread_join(id, &result);
		if (result != PTHREAD_CANCELED)
			return 3;
		dprintf(9, "%ld %ld %s\n", i, returned,
			ways[i % SOUND_WAYS].name);
		print(i, -1);
	}
	return 0;
}

int main(int argc, char **argv)
{
	name = argv[2];
	file = stdout;
	if (strcmp(argv[1], "point") == 0)
		return at_one_point(atoi(argv[3]));
	srand(atoi(argv[3]));
	setvbuf(stdout, NULL,
		argc > 4 && *argv[4] == 'n'   ? _IONBF
		: argc > 4 && *argv[4] == 'l' ? _IOLBF
					      : _IOFBF,
		4096);
	return at_random(atol(argv[2]));
}
