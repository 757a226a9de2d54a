/* Statements that print, one in a line, with all its texts in that line. */
#include <err.h>
#include <error.h>
#include <libintl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

#define NOINLINE __attribute__((noinline))

volatile int number;
static const char banner[] = "a banner, %d\n"; /* in text_of_a_variable */
static const char *const fixed = "a fixed pointer, %d\n"; /* in text_of_a_pointer */

static void inlined(int n)
{
	printf("inlined %d\n", n);
}

static NOINLINE void jumps(int n)
{
	number++;
	printf("last in its function: %d\n", n);
}

static NOINLINE void wrapper(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
}

static NOINLINE void text_of_a_variable(int n)
{
	printf(banner, n);
	number++;
}

static NOINLINE void text_of_a_pointer(int n)
{
	printf(fixed, n);
	number++;
}

static NOINLINE void all_functions(int n)
{
	printf("printf %d \t\"quoted\" \\ é\n", n);
	fprintf(stderr, "fprintf %d\n", n);
	dprintf(2, "dprintf %d\n", n);
	puts("puts");
	fputs("fputs", stderr);
	fwrite("fwrite", 1, 6, stderr);
	write(2, "write", 5);
	putchar('%');
	putc('c', stderr);
	perror("perror");
	warn("warn %d", n);
	warnx("warnx %d", n);
	error(0, 0, "error %d", n);
	error_at_line(0, 0, __FILE__, 1, "error_at_line %d", n);
	syslog(LOG_ERR, "syslog %d", n);
	wprintf(L"wprintf %d é\n", n);
	number++;
}

static NOINLINE int many_arguments(int n, double d)
{
	fprintf(stderr, "many %d %d %d %d %d %d %d %f\n", n, n, n, n, n, n, n, d);
	return n;
}

static NOINLINE void one_of_two(int n)
{
	printf(n > 1 ? "several %d\n" : "single %d\n", n);
	number++;
}

static NOINLINE void of_many(int n, double d)
{
	switch (n) {
	case 0: printf("case zero %d\n", number); break;
	case 1: warnx("case one %d", n); break;
	case 2: dprintf(2, "case two\n"); break;
	case 3: syslog(LOG_INFO, "case three %f", d); break;
	case 4: perror("case four"); break;
	case 5: error(0, 1, "case five %d %d", n, n); break;
	default: puts("no case");
	}
	number++;
}

static NOINLINE void in_a_loop(int n)
{
	while (n-- > 0)
		printf("in a loop %d\n", n);
	number++;
}

static NOINLINE void translated(int n)
{
	printf(gettext("translated %d\n"), n);
	number++;
}

static NOINLINE void rarely(int n)
{
	if (__builtin_expect(n > 1000, 0))
		errx(1, "rarely %d", n);
	if (n > 900)
		err(1, "seldom %d", n);
	number++;
}

__attribute__((constructor)) static void before_main(void)
{
	fprintf(stderr, "before main %d\n", number);
	number++;
}

int main(int argc, char **argv)
{
	inlined(argc);
	jumps(argc);
	wrapper("passed on %d\n", argc);
	wrapper("passed on as well: %d %d\n", argc, argc);
	text_of_a_variable(argc);
	text_of_a_pointer(argc);
	all_functions(argc);
	many_arguments(argc, number);
	one_of_two(argc);
	of_many(argc, number);
	in_a_loop(argc);
	translated(argc);
	rarely(argc);
	return 0;
}
