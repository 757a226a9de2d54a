/* The actions that say something through a FILE; see victim.c. */
#include "victim.h"

/* Numbers and addresses are passed in registers of one kind, doubles in those
 * of the other: the order between them is free. */
#define G value(a, 3), value(a, 4), value(a, 5), value(a, 6)
#define D real(a, 7), real(a, 8), real(a, 9)
static long by_list(FILE *f, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	long result = vfprintf(f, format, list);
	va_end(list);
	return result;
}
static long by_list_wide(FILE *f, const wchar_t *format, ...)
{
	va_list list;
	va_start(list, format);
	long result = vfwprintf(f, format, list);
	va_end(list);
	return result;
}
static long by_list_number(int d, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	long result = vdprintf(d, format, list);
	va_end(list);
	return result;
}
static char again[4096];
/* FILE FORMAT HOW numbers... doubles...: a format that is made by the program,
 * in one of three places */
long do_print(struct action *a)
{
	long how = value(a, 2), result = NOTHING;
	char *format = text(a, 1), *made = NULL;
	FILE *f = file(a, 0);
	switch (how >> 4 & 3) {
	case 1:
		format = made = strdup(format);
		break;
	case 2:
		format = strcpy(again, format);
		break;
	}
	memset(counted, 0, sizeof counted);
	errno = 4;
	switch (how & 15) {
	case 0:
		if (f)
			result = fprintf(f, format, G, D);
		break;
	case 1:
		if (f)
			result = by_list(f, format, G, D);
		break;
	case 2:
		result = dprintf(value(a, 0), format, G, D);
		break;
	case 3:
		result = by_list_number(value(a, 0), format, G, D);
		break;
	case 4:
		if (files[1])
			result = printf(format, G, D);
		break;
	case 5:
		if (files[2])
			warnx(format, G, D), result = 0;
		break;
	case 6:
		if (files[2])
			warn(format, G, D), result = 0;
		break;
	case 7:
		if (files[2] && files[1])
			error(0, 0, format, G, D), result = 0;
		break;
	case 8:
		if (files[2] && files[1])
			error(0, 5, format, G, D), result = 0;
		break;
	case 9: {
		char *copy = NULL;
		result = asprintf(&copy, format, G, D);
		if (f && result >= 0)
			result = fputs(copy, f);
		free(copy);
		break;
	}
	}
	free(made);
	for (int i = 0; i < 8; i++)
		if (counted[i])
			report(a - actions, "counted", counted[i], 0);
	return result;
}
long do_wprint(struct action *a)
{
	FILE_OR_NOTHING(f);
	errno = 4;
	if (!a->argument[1].wide)
		return NOTHING;
	return value(a, 2) & 1 ? by_list_wide(f, a->argument[1].wide, G, D)
			       : fwprintf(f, a->argument[1].wide, G, D);
}
/* FILE WHICH NUMBER TEXT: formats that are constants, each a site of its own */
long do_constant(struct action *a)
{
	FILE_OR_NOTHING(f);
	long n = value(a, 2);
	const char *s = text(a, 3);
	long out = files[1] != NULL;
	switch (value(a, 1)) {
	case 0:
		return fprintf(f, "plain\n");
	case 1:
		return fprintf(f, "number %ld\n", n);
	case 2:
		return fprintf(f, "text %s and %ld\n", s, n);
	case 3:
		return fprintf(f, "%s", s);
	case 4:
		return fprintf(f, "%5ld|%-7ld|%lx", n, n, n);
	case 5:
		return fprintf(f, "%c%c\n", (int)(n & 127) | 32, 'x');
	case 6:
		return fprintf(f, "%.3f %g %e\n", n / 7.0, n / 3.0, n * 1e10);
	case 7:
		return fprintf(f, "%-20s|%.3s|\n", s, s);
	case 8:
		return out ? printf("said %ld\n", n) : NOTHING;
	case 9:
		return out ? printf("%s: %s\n", s, s) : NOTHING;
	case 10:
		return out ? printf("no end") : NOTHING;
	case 11:
		return out ? printf("%d %d %d %d %d %d %d %d\n", (int)n, 1, 2,
				     3, 4, 5, 6, (int)n)
			   : NOTHING;
	case 12:
		return out ? printf("%*ld%%\n", (int)(n & 15), n) : NOTHING;
	case 13:
		return fprintf(f, "%ls\n", L"wide");
	case 14:
		errno = n & 31;
		return fprintf(f, "%m\n");
	case 15:
		return fprintf(f, "%2$s %1$ld\n", n, s);
	case 16:
		return fprintf(f, "%s%s%s%s%s\n", s, s, s, s, s);
	case 17:
		return fprintf(f, "one\ntwo\nthree");
	case 18:
		return fprintf(f, "\n");
	case 19:
		return fprintf(f, "%s\n%s", s, s);
	case 20:
		return fprintf(f, "%Lg\n", (long double)n / 3);
	case 21:
		return fprintf(f, "%hhd %hd %zd %jd\n", (int)n, (int)n,
			(ssize_t)n, (intmax_t)n);
	case 22:
		return fputs("constant\n", f);
	case 23:
		return fwrite("bytes\n", 1, 6, f);
	case 24:
		return putc('p', f);
	case 25:
		return putc('\n', f);
	case 26:
		return out ? puts("put") : NOTHING;
	case 27:
		return out ? putchar('c') : NOTHING;
	case 28:
		return fprintf(f, "%s", (char *)NULL);
	case 29:
		return fprintf(f, "%*s", (int)(n & 1023), s);
	case 30:
		return fprintf(f, "%.*s\n", (int)(n & 7), s);
	case 31:
		return fprintf(f, "%5000ld\n", n);
	}
	return NOTHING;
}
long do_puts(struct action *a)
{
	USES_STDOUT;
	return puts(text(a, 0));
}
long do_putchar(struct action *a)
{
	USES_STDOUT;
	return putchar(value(a, 0));
}
long do_fputs(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fputs(text(a, 1), f);
}
long do_fputs_unlocked(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fputs_unlocked(text(a, 1), f);
}
long do_fputc(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fputc(value(a, 1), f);
}
long do_fwrite(struct action *a)
{
	FILE_OR_NOTHING(f);
	long size = value(a, 2) > 0 ? value(a, 2) : 1;
	return fwrite(text(a, 1), size, length(a, 1) / size, f);
}
long do_fwrite_unlocked(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fwrite_unlocked(text(a, 1), 1, length(a, 1), f);
}
/* FILE BYTE TIMES: the macro, which writes to the buffer by itself */
long do_macro(struct action *a)
{
	FILE_OR_NOTHING(f);
	long result = 0, times = value(a, 2);
	for (long i = 0; i < times; i++)
		result = putc_unlocked(
			value(a, 1) ? value(a, 1) : 'a' + i % 26, f);
	return result;
}
long do_macro_text(struct action *a)
{
	FILE_OR_NOTHING(f);
	const char *s = text(a, 1);
	long result = 0;
	flockfile(f);
	while (*s)
		result = putc_unlocked(*s++, f);
	funlockfile(f);
	return result;
}
/* FILE BYTE TIMES: a long text by one call */
long do_long(struct action *a)
{
	FILE_OR_NOTHING(f);
	size_t size = value(a, 2);
	char *s = malloc(size + 1);
	memset(s, value(a, 1), size);
	s[size] = 0;
	long result = value(a, 3) ? fprintf(f, "%s\n", s)
				  : (long)fwrite(s, 1, size, f);
	free(s);
	return result;
}
long do_putw(struct action *a)
{
	FILE_OR_NOTHING(f);
	return putw(value(a, 1), f);
}
long do_perror(struct action *a)
{
	USES_STDERR;
	errno = value(a, 1);
	perror(text(a, 0));
	return 0;
}
long do_psignal(struct action *a)
{
	USES_STDERR;
	psignal(value(a, 1), text(a, 0));
	return 0;
}
long do_fputws(struct action *a)
{
	FILE_OR_NOTHING(f);
	return a->argument[1].wide ? fputws(a->argument[1].wide, f) : NOTHING;
}
long do_fputwc(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fputwc(value(a, 1), f);
}
