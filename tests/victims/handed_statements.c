/*
 * Messages that are formatted into a buffer and printed from one place, in the
 * ways in which daemons do that.  t_statements.sh reads the statements out of
 * the lines marked with an exclamation mark, in the order in which they are
 * said; what stands behind it are the arguments.
 */
#include <errno.h>
#include <libintl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone, used))
#define BARRIER() __asm__ volatile("" ::: "memory")

static int zero;

/* ---- as redis: a buffer, then a line with a time ---- */
APART static void print_raw(int level, const char *text)
{
	fprintf(stderr, "%d:%c %s %c %s\n", 1234, 'M',
		"24 Nov 2026 10:00:00.000", ".-*#"[level], text);
	BARRIER();
}

APART static void print_list(int level, const char *format, va_list list)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, list);
	print_raw(level, text);
	BARRIER();
}

APART static void print(int level, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	print_list(level, format, list);
	va_end(list);
}

/* ---- as sshd: the format is the seventh argument; a name before it ---- */
APART static void seventh(const char *file, const char *function, int line,
	int show, int level, const char *suffix, const char *format, ...)
{
	char with_name[256], text[1024];
	va_list list;

	(void)file;
	(void)line;
	(void)level;
	snprintf(with_name, sizeof(with_name), "%s%s%s%s", show ? function : "",
		show ? ": " : "", format, suffix ? suffix : "");
	va_start(list, format);
	vsnprintf(text, sizeof(text), with_name, list);
	va_end(list);
	fprintf(stderr, "%.500s\r\n", text);
	BARRIER();
}

/* ---- as nginx: a formatter of its own, and an error behind the text ---- */
struct counted {
	size_t length;
	const char *data;
};

APART static void own(int error, const char *format, ...)
{
	char text[1024], *end = text;
	va_list list;

	end += sprintf(end, "2026/11/24 10:00:00 [notice] %d#%d: *7 ", 12, 12);
	va_start(list, format);
	for (; *format; format++) {
		if (*format != '%') {
			*end++ = *format;
		} else if (format[1] == 'V') {
			struct counted *it = va_arg(list, struct counted *);

			memcpy(end, it->data, it->length);
			end += it->length;
			format++;
		} else if (format[1] == 'M') {
			end += sprintf(end, "%lu", va_arg(list, unsigned long));
			format++;
		} else {
			end += sprintf(
				end, "%016lX", (unsigned long)va_arg(list, void *));
			format++;
		}
	}
	va_end(list);
	if (error)
		end += sprintf(end, " (%d: %s)", error, strerror(error));
	*end++ = '\n';
	write(2, text, (size_t)(end - text));
	BARRIER();
}

/* ---- as postgres: the text is made by a call before the one that prints ---- */
static char pending[1024];

APART static int make(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(pending, sizeof(pending), format, list);
	va_end(list);
	BARRIER();
	return 0;
}

APART static void finish(const char *file, int line, const char *function, ...)
{
	char text[2048];
	int length;

	(void)file;
	(void)line;
	(void)function;
	length = snprintf(text, sizeof(text),
		"2026-11-24 10:00:00.000 UTC [%d] LOG:  %s\n", 12, pending);
	write(2, text, (size_t)length);
	BARRIER();
}

/* ---- as rsyslogd: a call with words of its own passes a text on ---- */
APART static void fatal(const char *format, ...)
{
	char text[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fprintf(stderr, "fatal: %s\n", text);
	BARRIER();
}

/* ---- the same: behind the name of a thread ---- */
APART static void threaded(const char *format, ...)
{
	char text[1024];
	int length = sprintf(text, "%s:%s: ", "1909.75", "main thread");
	va_list list;

	va_start(list, format);
	vsnprintf(text + length, sizeof(text) - (size_t)length, format, list);
	va_end(list);
	write(2, text, strlen(text));
	BARRIER();
}

/* ---- as cron: the text is in brackets ---- */
APART static void in_brackets(const char *text)
{
	fprintf(stderr, "(%s) %s (%s)\n", "CRON", "INFO", text);
	BARRIER();
}

/* ---- the same, and it ends by a jump ---- */
APART static int by_jump(const char *text)
{
	return fprintf(stderr, "(%s) %s (%s)\n", "CRON", "info", text);
}

/* ---- who says it ---- */
APART static void plain(const char *text)
{
	print(1, "%s", text);
	BARRIER();
}

APART static void jumps(void)
{
	plain("said by a jump"); /*! */
}

APART static void jumps_again(void)
{
	jumps();
}

/* What one has said fits the other's text, too. */
APART static void received(int number, int sender, const char *action)
{
	if (sender)
		print(1, "signal %d received from %d%s", number, sender, action); /*! 29 5 , reloading */
	else
		print(1, "signal %d received%s", number, action); /*! 29 , reloading */
	BARRIER();
}

APART static void read_file(const char *name)
{
	print(3, "cannot read %s: %d", name, 2); /*! /etc/statements.conf 2 */
	print(1, "%s: not found", name); /*! /etc/statements.conf */
	BARRIER();
}

APART static void by_pointer(void (*call)(int, const char *, ...))
{
	call(1, "by a pointer %u", 7u); /*! 7 */
	BARRIER();
}

int main(int argc, char **argv)
{
	struct counted name = {4, "Host"}, value = {9, "localhost"};
	char line[256], made[32] = "made %d";

	(void)argv;
	print(1, "Accepted %s:%d", "127.0.0.1", 80); /*! 127.0.0.1 80 */
	print(2, "ready to accept connections"); /*! */
	print(1, "%d clients connected (%lu replicas), %zu bytes in use", 3, 0ul, (size_t)99); /*! 3 0 99 */
	print(0, "%-8s|%5.2f|%c|%05d|%#x|%%", "left", 1.5, 'z', 42, 255); /*! left 1.5 z 42 255 */
	print(1, "width %*d and precision %.*s", 6, 17, 3, "abcdef"); /*! 17 abc */
	errno = ENOENT;
	print(1, "failed: %m"); /*! No such file or directory */
	print(1, argc > 3 ? "many arguments: %d" : "only few arguments: %d", argc); /*2 1 */
	print(1, gettext("translated for %s"), "you"); /*! you */
	jumps_again();
	for (zero = 0; zero < 2; zero++)
		received(29, 5 * zero, ", reloading");
	zero = 0;
	fatal("cannot open %s: error %d", "/etc/statements.conf", 2); /*! /etc/statements.conf 2 */
	threaded("worker %d starts its work\n", 7); /*! 7 */
	in_brackets("running the jobs of a start"); /*! */
	by_jump("nobody gets mail of this job"); /*! */
	read_file("/etc/statements.conf");
	by_pointer(print);
	seventh(__FILE__, __func__, __LINE__, 1, 3, NULL, "connection from %s port %d", "::1", 22); /*! ::1 22 */
	seventh(__FILE__, __func__, __LINE__, 0, 3, " [preauth]", "user %s is not allowed", "guest"); /*! guest */
	own(0, "http header: \"%V: %V\"", &name, &value); /*! Host localhost */
	own(0, "epoll timer: %M", 60000ul); /*! 60000 */
	own(2, "open() \"%V\" failed", &name); /*! Host */
	make("checkpoint complete: wrote %d buffers (%.1f%%)", 5, 0.25); /*! 5 0.2 */
	finish("bufmgr.c", __LINE__, "finish");
	snprintf(line, sizeof(line), "session %d of %s\n", 5, "root"); /*! 5 root */
	fputs(line, stderr);
	snprintf(line, sizeof(line), "%s mode %d ", "create", 644); /*b create 644 */
	strcat(line, getenv("NUMBERS") ? "" : "numbers\n"); /* a name, as it comes */
	fputs(line, stderr);
	print(1, "exiting"); /*f */
	if (zero == 0)
		made[0] = 'M';
	print(1, made, 3); /*- */
	BARRIER();
	return 0;
}
