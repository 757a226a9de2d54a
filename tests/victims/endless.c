/* endless WAY N: N texts by WAY, of formats of which each is another one, or from ever new stacks.  On descriptor 9: how many KiB it had in memory at most, and the nanoseconds
 * of processor time for each. */
#include <err.h>
#include <error.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define WAYS                                                                   \
	WAY(printf, printf(format, i, "word"))                                 \
	WAY(fprintf, fprintf(stdout, format, i, "word"))                       \
	WAY(dprintf, dprintf(1, format, i, "word"))                            \
	WAY(vprintf, by_list(vprintf_list, format, i, "word"))                 \
	WAY(vwarnx, by_list(vwarnx, format, i, "word"))                        \
	WAY(warnx, warnx(format, i, "word"))                                   \
	WAY(warn, (errno = i % 100, warn(format, i, "word")))                  \
	WAY(error, error(0, i % 100, format, i, "word"))                       \
	WAY(syslog, syslog(LOG_INFO, format, i, "word"))                       \
	WAY(wprintf, wprintf(widen(format), i, "word"))                        \
	WAY(perror, perror(format))                                            \
	WAY(stacks, climb(i, i))

static void vprintf_list(const char *format, va_list list)
{
	vprintf(format, list);
}

static void by_list(
	void (*print)(const char *, va_list), const char *format, ...)
{
	va_list list;

	va_start(list, format);
	print(format, list);
	va_end(list);
}

static const wchar_t *widen(const char *s)
{
	static wchar_t wide[300];
	size_t n = 0;

	do
		wide[n] = (unsigned char)s[n];
	while (s[n++]);
	return wide;
}

/* A stack for each number: by which of two ways it is called at each bit. */
static __attribute__((noinline)) void climb(unsigned bits, int i)
{
	if (bits == 0)
		printf("stack %d\n", i);
	else if (bits & 1)
		climb(bits >> 1, i);
	else {
		climb(bits >> 1, i);
		__asm__ volatile("# not the same call" ::: "memory");
	}
	__asm__ volatile("" ::: "memory");
}

static void make(char *format, const char *kind, int i, int line)
{
	int n = sprintf(format, "text %d, which is another one", i);

	if (strcmp(kind, "typed") == 0)
		n += sprintf(format + n, ": %%d %%s");
	else if (strcmp(kind, "once") == 0)
		n += sprintf(format + n, ": %%'d %%s");
	if (line)
		strcpy(format + n, "\n");
}

int main(int count, char **argument)
{
	int n = atoi(argument[3]);
	static char of_program[300];
	char of_stack[300];
	char *places[] = {of_stack, of_program, malloc(300)};
	struct rusage used;

	for (int i = 0; i < n; i++) {
		char *format = places[i / 8 % 3];

		make(format, argument[2], i,
			!strstr("vwarnx warnx warn error syslog perror",
				argument[1]));
#define WAY(name, call)                                                        \
	if (strcmp(argument[1], #name) == 0)                                   \
		call;
		WAYS
#undef WAY
	}
	fflush(stdout);
	getrusage(RUSAGE_SELF, &used);
	dprintf(9, "%ld %.0f\n", used.ru_maxrss,
		((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
			(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3) /
			n);
	return 0;
}
