/*
 * Each call many times in a row, with other arguments each time, so that all
 * but the first take the short way; every kind of argument in every place.
 * Usage: hot_calls SEED [LOCALE]; exits with 1 if a call returned what
 * snprintf, which is never recorded, does not.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tests/support/random_value.h"

#define ROUNDS 12
#define TEXT_MAX 700

int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);

static char *page_end;
static int wrong;

static int number(void)
{
	return (int)(random_integer() >> below(33));
}

static long large(void)
{
	return (long)(random_integer() >> below(65) % 64);
}

static double real(void)
{
	static const double few[] = {0.0, -0.0, 0.4, 9.9999999, 99.5, -999.95,
		9.5, 2147483646.5, 2147483647.0, 4e9, 1e15, 1e300, INFINITY,
		-NAN, 0.05, 999999.9999996};

	if (one_in(3))
		return few[below(sizeof(few) / sizeof(*few))];
	return (double)number() / (1 + below(1000));
}

/* Constant, on the stack's side, or up to the last byte of its page. */
static const char *text(void)
{
	static const char *const constants[] = {
		"", "a", "constant", "a constant of more than sixteen bytes"};
	static char room[8][TEXT_MAX + 1];
	static unsigned next;
	unsigned size = one_in(4) ? below(TEXT_MAX) : below(20);
	char *s = room[next++ % 8];

	if (one_in(5))
		return constants[below(4)];
	if (one_in(3))
		s = page_end - size - 1;
	for (unsigned i = 0; i < size; i++)
		s[i] = (char)('!' + below(90));
	s[size] = '\0';
	return s;
}

#define CHECK(call)                                                            \
	if ((call) != length)                                                  \
	wrong = 1
/* `arguments` are made once for all four; the names below. */
#define HOT(format, ...)                                                       \
	for (int round = 0; round < ROUNDS; round++) {                         \
		int a = number(), b = number(), c = number(), d = number();    \
		int e = number();                                              \
		long l = large(), m = large(), n = large();                    \
		double x = real(), y = real(), z = real();                     \
		const char *s = text(), *t = text();                           \
		int length = snprintf(NULL, 0, format, ##__VA_ARGS__);         \
                                                                               \
		(void)a, (void)b, (void)c, (void)d, (void)e, (void)l, (void)m; \
		(void)n, (void)x, (void)y, (void)z, (void)s, (void)t;          \
		CHECK(printf(format, ##__VA_ARGS__));                          \
		CHECK(fprintf(stdout, format, ##__VA_ARGS__));                 \
		CHECK(__printf_chk(1, format, ##__VA_ARGS__));                 \
		CHECK(__fprintf_chk(stdout, 1, format, ##__VA_ARGS__));        \
		if (one_in(9))                                                 \
			puts("");                                              \
	}
/* As a line, and as a piece of one. */
#define BOTH(format, ...)                                                      \
	HOT(format "\n", ##__VA_ARGS__)                                        \
	HOT(format, ##__VA_ARGS__)

static void numbers(void)
{
	BOTH("nothing");
	BOTH("%d", a);
	BOTH("%u", a);
	BOTH("<%x>", a);
	BOTH("%d %d", a, b);
	BOTH("%d %u", a, b);
	BOTH("%d %x", a, b);
	BOTH("%u %d", a, b);
	BOTH("%u %u", a, b);
	BOTH("%u %x", a, b);
	BOTH("%x %d", a, b);
	BOTH("%x %u", a, b);
	BOTH("%x %x", a, b);
	BOTH("%d %u %x %d %u|", a, b, c, d, e);
	BOTH("%5d%-9u%08x%12d%3u|", a, b, c, d, e);
	BOTH("%ld %lu %zd|", l, m, n);
	BOTH("%22ld %-3lu %020zu|", l, m, n);
	BOTH("%d %ld %u %lu %x %d %ld %u|", a, l, b, m, c, d, n, e);
	BOTH("%x %x %x %x %x %d %u %x %d %lu %ld|", a, b, c, d, e, a, b, c, d,
		l, m);
}

static void characters(void)
{
	BOTH("%c%c%c", '!' + (a & 63), '!' + (b & 63), '!' + (c & 63));
	BOTH("%4c%-4c%d|", '!' + (a & 63), '!' + (b & 63), c);
	BOTH("%d%d%d%d%d%c%c|", a, b, c, d, e, '!' + (a & 63), '!' + (b & 63));
}

static void strings(void)
{
	BOTH("%s|", s);
	BOTH("%s%s", s, t);
	BOTH("%30s%-7s|", s, t);
	BOTH("%d %s %ld %s %u|", a, s, l, t, b);
	BOTH("%s %s %s %s %s %s|", s, t, s, t, s, t);
	BOTH("%s", s);
	BOTH("%s %s|", a % 9 ? s : NULL, t);
}

/* One place, from which it is another call each time. */
static void change(FILE *file, const char *format, unsigned depth, int a)
{
	if (depth > 0)
		change(file, format, depth - 1, a);
	else
		fprintf(file, format, a);
	__asm__("");
}

/* So many that what is remembered of one makes room for another. */
static void crowd(unsigned depth)
{
	static int (*const functions[])(const char *, FILE *) = {
		fputs, fputs_unlocked};

	if (depth > 0) {
		crowd(depth - 1);
	} else {
		if (one_in(3))
			putchar_unlocked('.');
		functions[below(2)](text(), stdout);
	}
	__asm__("");
}

static void change_all(void)
{
	static const char *const formats[] = {"%d\n", "<%u>\n", "%x, "};
	static int (*const functions[])(const char *, ...) = {
		printf, (int (*)(const char *, ...))puts};
	FILE *const files[] = {stdout, stderr};

	for (int round = 0; round < 40 * ROUNDS; round++) {
		int which = round / 7 % 3;

		change(files[which == 1], formats[which], 0, number());
		change(files[one_in(20)], formats[one_in(20)], one_in(20), 1);
		printf(formats[one_in(20)], number());
		functions[one_in(9)]("through a pointer\n");
		if (one_in(20))
			putchar_unlocked('.');
		fputs(which ? "one" : "other\n", files[one_in(20)]);
		crowd(below(200));
	}
}

static void reals(void)
{
	BOTH("%f", x);
	BOTH("%.0f %.1lf %.12f|", x, y, z);
	BOTH("%d %f %s %f %u|", a, x, s, y, b);
	BOTH("%f %f %f %f %f %f %f %f|", x, y, z, x, y, z, x, y);
	BOTH("%f %d %f %d %f %d %f %d %f %d %f %s|", x, a, y, b, z, c, x, d, y,
		e, z, s);
}

/* What was found out in the first two rounds is not so any more. */
static __attribute__((noinline)) void change_world(int round, const char *name)
{
	if (round == 2)
		setlocale(LC_ALL, name);
	if (round == 3)
		setlocale(LC_ALL, "C");
	if (round == 3)
		uselocale(newlocale(LC_ALL_MASK, name, NULL));
	if (round == 4) /* the counter may not be read any more */
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

static void all(int round, const char *locale)
{
	for (int i = 0; i < 2; i++) {
		if (i == 1)
			change_world(round, locale);
		numbers();
		reals();
	}
	characters();
	strings();
	change_all();
}

int main(int count, char **arguments)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	random_state = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
	page_end = pages + 4096;
	munmap(page_end, 4096);
	for (int i = 0; i < 5; i++)
		all(i, count > 2 ? arguments[2] : "C");
	return wrong;
}
