/*
 * The table of snippets as functions.  Built without builtins and without
 * optimization, so that each calls the name that it says; the old names of
 * libc have prototypes of their own here.
 */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <printf.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <utmp.h>
#include <wchar.h>

#include "snippets.h"

int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __dprintf_chk(int, int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vdprintf_chk(int, int, const char *, va_list);
int __wprintf_chk(int, const wchar_t *, ...);
int __fwprintf_chk(FILE *, int, const wchar_t *, ...);
int __vwprintf_chk(int, const wchar_t *, va_list);
int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
int __posix_getopt(int, char *const *, const char *);
int _IO_printf(const char *, ...);
int _IO_fprintf(FILE *, const char *, ...);
int _IO_vfprintf(FILE *, const char *, va_list);
int _IO_puts(const char *);
int _IO_fputs(const char *, FILE *);
size_t _IO_fwrite(const void *, size_t, size_t, FILE *);
int _IO_putc(int, FILE *);
int __overflow(FILE *, int);
ssize_t __write(int, const void *, size_t);
void __syslog_chk(int, int, const char *, ...);
void __vsyslog_chk(int, int, const char *, va_list);
int __close(int);
int __dup2(int, int);
pid_t __fork(void);

/* By the kernel, not by any function that is being tested. */
static void tell(int fd, const char *format, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	syscall(SYS_write, fd, text, n);
}

/* What the call returned and what it did to errno. */
#define RESULT(...)                                                            \
	do {                                                                   \
		errno = EDOM;                                                  \
		long result_ = (long)(__VA_ARGS__);                            \
		int errno_ = errno;                                            \
		tell(9, "line %d: %ld, errno %d\n", __LINE__, result_,         \
			errno_);                                               \
	} while (0)
/* The same for functions that return nothing. */
#define EFFECT(...)                                                            \
	do {                                                                   \
		errno = ENOTDIR;                                               \
		__VA_ARGS__;                                                   \
		tell(9, "line %d: errno %d\n", __LINE__, errno);               \
	} while (0)
/* What /dev/log would have been sent, less the date. */
#define SENT(priority, ...)                                                    \
	do {                                                                   \
		tell(8, "<%d>", (int)(priority));                              \
		tell(8, __VA_ARGS__);                                          \
		tell(8, "\n");                                                 \
	} while (0)
/* What LOG_PERROR has to print on stderr. */
#define ECHOED(...) tell(7, __VA_ARGS__)
/* Calls `function` with its leading arguments and a va_list of the others. */
#define WITH_VA_LIST(type, name, last, parameters, call)                       \
	static type name parameters                                            \
	{                                                                      \
		va_list ap;                                                    \
		va_start(ap, last);                                            \
		type result = call;                                            \
		va_end(ap);                                                    \
		return result;                                                 \
	}
#define WITH_VA_LIST_VOID(name, last, parameters, call)                        \
	static void name parameters                                            \
	{                                                                      \
		va_list ap;                                                    \
		va_start(ap, last);                                            \
		call;                                                          \
		va_end(ap);                                                    \
	}
WITH_VA_LIST(int, via_vprintf, f, (const char *f, ...), vprintf(f, ap))
WITH_VA_LIST(int, via_vfprintf, f, (FILE * s, const char *f, ...),
	vfprintf(s, f, ap))
WITH_VA_LIST(
	int, via_vdprintf, f, (int d, const char *f, ...), vdprintf(d, f, ap))
WITH_VA_LIST(int, via___vprintf_chk, f, (int c, const char *f, ...),
	__vprintf_chk(c, f, ap))
WITH_VA_LIST(int, via___vfprintf_chk, f, (FILE * s, int c, const char *f, ...),
	__vfprintf_chk(s, c, f, ap))
WITH_VA_LIST(int, via___vdprintf_chk, f, (int d, int c, const char *f, ...),
	__vdprintf_chk(d, c, f, ap))
WITH_VA_LIST(int, via__IO_vfprintf, f, (FILE * s, const char *f, ...),
	_IO_vfprintf(s, f, ap))
WITH_VA_LIST(int, via_vwprintf, f, (const wchar_t *f, ...), vwprintf(f, ap))
WITH_VA_LIST(int, via_vfwprintf, f, (FILE * s, const wchar_t *f, ...),
	vfwprintf(s, f, ap))
WITH_VA_LIST(int, via___vwprintf_chk, f, (int c, const wchar_t *f, ...),
	__vwprintf_chk(c, f, ap))
WITH_VA_LIST(int, via___vfwprintf_chk, f, (FILE * s, int c, const wchar_t *f, ...),
	__vfwprintf_chk(s, c, f, ap))
WITH_VA_LIST_VOID(via_vwarn, f, (const char *f, ...), vwarn(f, ap))
WITH_VA_LIST_VOID(via_vwarnx, f, (const char *f, ...), vwarnx(f, ap))
WITH_VA_LIST_VOID(via_verr, f, (int s, const char *f, ...), verr(s, f, ap))
WITH_VA_LIST_VOID(via_verrx, f, (int s, const char *f, ...), verrx(s, f, ap))
WITH_VA_LIST_VOID(
	via_vsyslog, f, (int p, const char *f, ...), vsyslog(p, f, ap))
WITH_VA_LIST_VOID(via___vsyslog_chk, f, (int p, int c, const char *f, ...),
	__vsyslog_chk(p, c, f, ap))

static void await(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	tell(9, "child ended with %x\n", status);
}

/* A descriptor to a new file in the working directory. */
static int new_file(const char *name)
{
	return open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
}

static int flags_of(int fd)
{
	return fcntl(fd, F_GETFD);
}

#define SNIPPET(function, variant, ...)                                        \
	static void snippet_##function##_##variant(void)                       \
	{                                                                      \
		__VA_ARGS__                                                    \
	}
#include "snippets.def"
#undef SNIPPET

static const struct {
	const char *function;
	void (*run)(void);
} table[] = {
#define SNIPPET(function, variant, ...)                                        \
	{#function, snippet_##function##_##variant},
#include "snippets.def"
};

void snippets_run(const char *function)
{
	int found = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strcmp(table[i].function, function) == 0) {
			found = 1;
			table[i].run();
		}
	if (!found)
		snippets_exit_bad(function);
}

void snippets_exit_bad(const char *why)
{
	tell(9, "%s: no such snippet or context\n", why);
	_exit(99);
}
