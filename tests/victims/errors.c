/*
 * errors WHAT: messages with the names of errors, in the language of the
 * environment.
 */
#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static void via_vwarn(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vwarn(format, ap);
	va_end(ap);
}

static void say_all(int number)
{
	errno = number;
	perror("perror");
	errno = number;
	perror(NULL);
	errno = number;
	warn("warn %d%% %s", number, "text");
	errno = number;
	warn(NULL);
	errno = number;
	via_vwarn("vwarn %m");
	error(0, number, "error %d", number);
	errno = number;
	error_at_line(0, number, "file.c", 7, "at line %s %m", "text");
	printf("%d\n", errno);
	error_at_line(0, number, NULL, 7, "no file");
	warnx("warnx");
	errno = number;
	fprintf(stderr, "%m\n");
}

static void texts(void)
{
	for (int number = 0; number < 140; number++)
		say_all(number);
	say_all(-1);
	say_all(4711);
	say_all(-2147483647 - 1);
}

static void wide(void)
{
	fwide(stderr, 1);
	texts();
	fputws(L"end\n", stderr);
}

static char *repeat(size_t size)
{
	char *text = malloc(size + 1);

	memset(text, 'x', size);
	text[size] = '\0';
	return text;
}

/* Names and texts around and beyond the size of a record. */
static void lengths(void)
{
	static const size_t sizes[] = {
		0, 511, 512, 1000, 1023, 1024, 5000, 24000, 25000, 300000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *text = repeat(sizes[i]);

		error_at_line(0, ENOENT, text, 1, "short");
		error(0, ENOENT, "%s", text);
		errno = ENOENT;
		warn("%s", text);
		errno = ENOENT;
		perror(text);
		warnx("%s", text);
		program_invocation_name = text;
		error(0, ENOENT, "short");
		error_at_line(0, 0, text, 1, "%s", text);
		program_invocation_name = "program";
		program_invocation_short_name = text;
		errno = ENOENT;
		warn("short");
		program_invocation_short_name = "program";
	}
}

static void progname(void)
{
	printf("hook %u\n", error_message_count);
	fprintf(stderr, "hook: ");
}

static void hooks(void)
{
	printf("held back ");
	error(0, 0, "counted");
	printf("%u\n", error_message_count);
	error_print_progname = progname;
	error(0, ENOENT, "with a hook");
	error_at_line(0, 0, "file", 1, "with a hook");
	error_at_line(0, EPERM, NULL, 1, "with a hook");
	error_print_progname = NULL;
	error_one_per_line = 1;
	error_at_line(0, 0, "file", 1, "once");
	error_at_line(0, 0, "file", 1, "not twice");
	error_at_line(0, 0, "other", 1, "other file");
	error_at_line(0, 0, "other", 2, "other line");
	error_at_line(0, 0, NULL, 2, "no file");
	error_at_line(0, 0, NULL, 2, "not twice");
	error_at_line(0, 0, strdup("file"), 2, "file");
	error_at_line(0, 0, strdup("file"), 2, "not twice");
	printf("%u\n", error_message_count);
}

static void in_handler(void)
{
	printf("%u messages\n", error_message_count);
	fprintf(stderr, "handler\n");
}

static void ends(const char *how)
{
	atexit(in_handler);
	printf("held back ");
	errno = EACCES;
	if (strcmp(how, "error") == 0)
		error(3, ENOENT, "the end");
	if (strcmp(how, "error_at_line") == 0)
		error_at_line(256 + 4, 0, "file", 1, "the end");
	if (strcmp(how, "err") == 0)
		err(5, "the end");
	if (strcmp(how, "errx") == 0)
		errx(6, NULL);
	if (strcmp(how, "err_null") == 0)
		err(0, NULL);
}

static void formats(void)
{
	int n = 0;

	error(0, ENOENT, "zero %c byte%n", 0, &n);
	printf("%d\n", n);
	errno = ENOENT;
	warn("zero %c byte%n", 0, &n);
	printf("%d\n", n);
	warnx("zero %c byte", 0);
	error(0, ENOENT, "%.3000d", 7);
	errno = EPERM;
	warn("%5$s %1$d %m", 1, 2, 3, 4, "five");
}

static void *in_thread(void *locale)
{
	uselocale(locale);
	error(0, ENOENT, "in a thread");
	errno = ENOENT;
	perror("in a thread");
	return NULL;
}

static void thread(void)
{
	pthread_t id;

	setlocale(LC_ALL, "C");
	error(0, ENOENT, "before");
	pthread_create(&id, NULL, in_thread,
		newlocale(LC_ALL_MASK, getenv("LC_ALL"), NULL));
	pthread_join(id, NULL);
	error(0, ENOENT, "after");
}

static void argp(void)
{
	static const struct argp_option options[] = {
		{"number", 'n', "N", 0, "A number"}, {0}};
	static const struct argp one = {options};
	struct argp_state state = {.root_argp = &one,
		.name = "name",
		.err_stream = stderr,
		.flags = ARGP_NO_EXIT};

	argp_failure(&state, 1, ENOENT, "text %s", "more");
	argp_error(&state, "text %s", "more");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setlocale(LC_ALL, "");
	if (strcmp(what, "texts") == 0)
		texts();
	else if (strcmp(what, "wide") == 0)
		wide();
	else if (strcmp(what, "lengths") == 0)
		lengths();
	else if (strcmp(what, "hooks") == 0)
		hooks();
	else if (strcmp(what, "formats") == 0)
		formats();
	else if (strcmp(what, "thread") == 0)
		thread();
	else if (strcmp(what, "argp") == 0)
		argp();
	else
		ends(what);
	return 0;
}
