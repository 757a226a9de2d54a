/*
 * all_kinds [ROUNDS [LONG]]: says something by every kind of argument and of
 * text, with values at the ends of their ranges and a string of LONG bytes, on
 * stdout, stderr, to syslog and into the file "other".  What it says is the
 * same in every run.
 */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <wchar.h>

static size_t long_string = 200000;

static void say_integers(int round)
{
	printf("%d %d %d %u %x %o %c|%5c|\n", INT_MIN, INT_MAX, -1, UINT_MAX,
		255u, 8u, 'a' + round % 26, '\0');
	printf("%ld %lld %lu %zu %jd %td %hhd %hd\n", LONG_MIN, LLONG_MAX,
		ULONG_MAX, (size_t)round, INTMAX_MIN, (ptrdiff_t)-7,
		(signed char)-128, (short)-32768);
	printf("%*d|%-*d|%.*d|%2$d %1$d\n", 8, round, -8, round, 3, round);
	printf("%p %p\n", (void *)0, (void *)(uintptr_t)round);
}

static void say_numbers(int round)
{
	static const double values[] = {0.0, -0.0, 1.5, -2.25e-310, DBL_MAX,
		DBL_MIN, DBL_EPSILON, 1e22, 0.1, 123456789.125};

	printf("%f %e %g %a %.3f %G\n", values[round % 10], values[round % 10],
		values[round % 10], values[round % 10], round / 7.0,
		(double)round);
	printf("%f %F %e %g\n", __builtin_inf(), -__builtin_inf(),
		__builtin_nan(""), -__builtin_nan(""));
	printf("%Lf %Le %Lg %La\n", 1.25L * (long double)round, LDBL_MAX,
		LDBL_MIN, -0.1L);
}

static void say_strings(int round)
{
	const char *volatile nothing = NULL;
	static char text[1 << 20];

	printf("%s|%s|%.3s|%-12s|%12s|\n", "plain", "", "truncated", "left",
		"right");
	printf("%s %.10s\n", nothing, "h\xc3\xa4lf\xff\xfe\x01\x1b[31m");
	printf("%.*s\n", round % 6, "prefix");
	if (round == 0) {
		memset(text, 'x', long_string);
		printf("%s\n", text);
		printf("%ls|%.2ls|%lc|%C|%S\n", L"wide \x20ac \x65e5",
			L"cut off", (wint_t)0xe4, (wint_t)0x20ac, L"");
		printf("%ls\n", (const wchar_t *)NULL);
	}
}

static void say_otherwise(int round, FILE *other)
{
	int written = 0;
	long longer = 0;

	printf("%s%n and %ln%d\n", "counted", &written, &longer, round);
	printf("%d %ld\n", written, longer);
	errno = ENOENT;
	printf("%m %d%%\n", round);
	puts("a line");
	fputs("a text\n", stdout);
	putchar('c');
	putchar('\n');
	fwrite("one\0two\n", 1, 8, stdout);
	fprintf(stderr, "to stderr %d\n", round);
	errno = EACCES;
	perror("perror");
	warn("warn %d", round);
	warnx("warnx %s", "says");
	error(0, ENOSPC, "error %d", round);
	fprintf(other, "to a file: %d %s\n", round, "text");
	syslog(LOG_WARNING, "round %d of %s", round, "all");
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 30;
	FILE *other = fopen("other", "w");

	if (argc > 2)
		long_string = (size_t)atol(argv[2]);
	if (!other || long_string >= 1 << 20)
		return 1;
	setlocale(LC_ALL, "C.UTF-8");
	openlog("all_kinds", LOG_PID, LOG_USER);
	for (int round = 0; round < rounds; round++) {
		say_integers(round);
		say_numbers(round);
		say_strings(round);
		say_otherwise(round, other);
	}
	fclose(other);
	return 3;
}
