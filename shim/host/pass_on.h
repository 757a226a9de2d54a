/*
 * The one place where a format of the program's reaches libc: the program's
 * own call, made on its behalf, natively or into memory.  Called by whoever
 * passes a call on or has to make its text at once; in no other file may these
 * functions be named, which tests/lint sees to.
 * Each function returns what the one in its name does, errno included; `chk`
 * is the flag of a _chk function, or 0; the arguments are left as they are.
 */
#ifndef SHIM_PASS_ON_H
#define SHIM_PASS_ON_H

#include <wchar.h>

/* Defined by wrappers/functions.c, filled in by host_resolve(). */
extern int (*next_vfprintf)(FILE *, const char *, va_list);
extern int (*next___vfprintf_chk)(FILE *, int, const char *, va_list);
extern int (*next_vdprintf)(int, const char *, va_list);
extern int (*next___vdprintf_chk)(int, int, const char *, va_list);
extern void (*next_vsyslog)(int, const char *, va_list);
extern void (*next___vsyslog_chk)(int, int, const char *, va_list);
extern void (*next_vwarn)(const char *, va_list);
extern void (*next_vwarnx)(const char *, va_list);
extern int (*next_vfwprintf)(FILE *, const wchar_t *, va_list);
extern int (*next___vfwprintf_chk)(FILE *, int, const wchar_t *, va_list);

int pass_on_vfprintf(FILE *file, int chk, const char *format, va_list ap);
int pass_on_vdprintf(int fd, int chk, const char *format, va_list ap);
int pass_on_vfwprintf(FILE *file, int chk, const wchar_t *format, va_list ap);
void pass_on_vsyslog(int priority, int chk, const char *format, va_list ap);
void pass_on_vwarn(const char *format, va_list ap);
void pass_on_vwarnx(const char *format, va_list ap);

/* Into memory, `size` characters of it. */
int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list ap);
int pass_on_vswprintf(
	wchar_t *to, size_t size, int chk, const wchar_t *format, va_list ap);

#endif
