/*
 * Says something in each of the ways in which programs log.  Every text begins
 * with the line of this file where its author wrote it: that is the call that
 * a reader wants to see, whatever it went through.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <wchar.h>

#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

static volatile int number = 7;

/* ---- functions through which others say something ---- */

NOINLINE static void variadic(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
}

/* Its last call is a jump. */
NOINLINE static void of_list(const char *format, va_list ap)
{
	vfprintf(stdout, format, ap);
}

NOINLINE static void by_list(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	of_list(format, ap);
	va_end(ap);
}

NOINLINE static void of_pointer(const char *format, va_list *ap)
{
	vprintf(format, *ap);
}

NOINLINE static void by_pointer(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	of_pointer(format, &ap);
	va_end(ap);
}

NOINLINE static void in_pieces(const char *level, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf(" [%s]", level);
	putchar('\n');
}

NOINLINE static void by_buffer(const char *format, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fputs(text, stdout);
}

NOINLINE static void by_allocation(const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) > 0)
		fwrite(text, 1, strlen(text), stdout);
	va_end(ap);
	free(text);
}

NOINLINE static void twice(int level, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (level > 0)
		of_list(format, ap);
	va_end(ap);
}
#define TWICE(...) twice(1, __VA_ARGS__)
#define CHECKED(...)                                                           \
	do {                                                                   \
		if (number)                                                    \
			variadic(__VA_ARGS__);                                 \
	} while (0)

/* Not a function that logs for others by its parameters; part of one. */
INLINE void inlined_helper(const char *format, va_list ap)
{
	vfprintf(stdout, format, ap);
}

NOINLINE static void by_inlined(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	inlined_helper(format, ap);
	va_end(ap);
}

NOINLINE static void to_log(int priority, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsyslog(priority, format, ap);
	va_end(ap);
}

NOINLINE static void wide(const wchar_t *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfwprintf(stderr, format, ap);
	va_end(ap);
}

struct logger {
	void (*log)(const char *format, ...);
};
static const struct logger logger = {variadic};

/* ---- those who say something ---- */

#define HERE __LINE__

INLINE void inlined_speaker(void)
{
	variadic("%d: of a function that is inlined\n", HERE);
}

/* Calls that are the last of a function, hence jumps. */
NOINLINE static void jumps_to_printf(void)
{
	printf("%d: jumps to printf, %d\n", HERE, number);
}
NOINLINE static void jumps_to_variadic(void)
{
	variadic("%d: jumps to a function that logs\n", HERE);
}
NOINLINE static void jumps_to_one_that_jumps(void)
{
	jumps_to_variadic();
}
NOINLINE static void one_of_two(int which)
{
	if (which)
		by_list("%d: one of two that jump\n", HERE);
	else
		by_list("%d: the other of two that jump\n", HERE);
}

int main(void)
{
	printf("%d: printf\n", HERE);
	fprintf(stdout, "%d: fprintf %d\n", HERE, number);
	variadic("%d: variadic\n", HERE);
	by_list("%d: by a list\n", HERE);
	by_pointer("%d: by a pointer to a list\n", HERE);
	in_pieces("level", "%d: in pieces", HERE);
	by_buffer("%d: by a buffer\n", HERE);
	by_allocation("%d: by an allocation\n", HERE);
	TWICE("%d: a macro\n", HERE);
	CHECKED("%d: a macro with a condition\n", HERE);
	by_inlined("%d: with a helper that is inlined\n", HERE);
	logger.log("%d: by a pointer to a function\n", HERE);
	to_log(LOG_INFO, "%d: to the system log\n", HERE);
	syslog(LOG_INFO, "%d: to the system log without help\n", HERE);
	wide(L"%d: wide\n", HERE);
	inlined_speaker();
	jumps_to_printf();
	number++;
	jumps_to_variadic();
	number++;
	jumps_to_one_that_jumps();
	number++;
	one_of_two(0);
	number++;
	one_of_two(1);
	number++;
	return 0;
}
