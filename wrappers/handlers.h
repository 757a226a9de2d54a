/*
 * What the rows of functions.def do.  Each handler asks the policy where the
 * text would go, and either records it and computes what the function would
 * have returned, or makes the call natively; with `tee`, both.  They hold to
 * the contract of the function that they stand for, errno included.
 */
#ifndef WRAPPERS_HANDLERS_H
#define WRAPPERS_HANDLERS_H

#include <getopt.h>
#include <locale.h>
#include <printf.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <wchar.h>

#include "shim/capture.h"

/* print.c: `chk` is the flag of a _chk function, 0 for the others. */
int print_file(const struct call *call, FILE *file, int chk, const char *format,
	va_list arguments);
int print_descriptor(const struct call *call, int fd, int chk,
	const char *format, va_list arguments);

/* put.c: the last parameter is what a call is passed on to. */
int put_line(const struct call *call, const char *s);
int put_string(const struct call *call, const char *s, FILE *file,
	int (*next)(const char *, FILE *));
size_t put_block(const struct call *call, const void *p, size_t size,
	size_t count, FILE *file,
	size_t (*next)(const void *, size_t, size_t, FILE *));
int put_character(
	const struct call *call, int c, FILE *file, int (*next)(int, FILE *));
int put_word(const struct call *call, int word, FILE *file);
int put_overflow(const struct call *call, FILE *file, int c);

/* wide.c: wide text is recorded as the bytes that it makes. */
int wide_print(const struct call *call, FILE *file, int chk,
	const wchar_t *format, va_list arguments);
wint_t wide_character(const struct call *call, wchar_t c, FILE *file,
	wint_t (*next)(wchar_t, FILE *));
int wide_string(const struct call *call, const wchar_t *s, FILE *file,
	int (*next)(const wchar_t *, FILE *));

/* write.c */
ssize_t write_bytes(
	const struct call *call, int fd, const void *p, size_t size);
ssize_t write_vector(
	const struct call *call, int fd, const struct iovec *v, int count);

/* transfer.c: what the kernel would copy to an output by itself */
ssize_t transfer_sendfile(
	const struct call *call, int out, int in, off64_t *offset, size_t size);
ssize_t transfer_copy_file_range(const struct call *call, int in,
	off64_t *in_offset, int out, off64_t *out_offset, size_t size,
	unsigned flags);
ssize_t transfer_splice(const struct call *call, int in, off64_t *in_offset,
	int out, off64_t *out_offset, size_t size, unsigned flags);

/* report.c: those with a status do not return when it is not 0. */
void report_errno(const struct call *call, const char *s);
void report_warn(const struct call *call, const char *format, va_list ap);
void report_warnx(const struct call *call, const char *format, va_list ap);
_Noreturn void report_err(
	const struct call *call, int status, const char *format, va_list ap);
_Noreturn void report_errx(
	const struct call *call, int status, const char *format, va_list ap);
void report_error(const struct call *call, int status, int number,
	const char *name, unsigned line, const char *format, va_list ap);
void report_error_at_line(const struct call *call, int status, int number,
	const char *name, unsigned line, const char *format, va_list ap);

/* internal.c */
int internal_getopt(const struct call *call, int argc, char *const *argv,
	const char *options, int (*next)(int, char *const *, const char *));
int internal_getopt_long(const struct call *call, int argc, char *const *argv,
	const char *options, const struct option *longs, int *index,
	int (*next)(int, char *const *, const char *, const struct option *,
		int *));
void internal_psignal(const struct call *call, int number, const char *s);

/* syslog.c */
void syslog_message(const struct call *call, int priority, int chk,
	const char *format, va_list arguments);
void syslog_open(const char *ident, int option, int facility);
void syslog_close(void);
int syslog_mask(int mask);

/* state.c */
int state_fflush(const struct call *call, FILE *file, int (*next)(FILE *));
int state_fclose(const struct call *call, FILE *file, int (*next)(FILE *));
int state_fcloseall(const struct call *call);
FILE *state_freopen(const struct call *call, const char *path, const char *mode,
	FILE *file, FILE *(*next)(const char *, const char *, FILE *));
int state_close(int fd);
void state_closefrom(int first);
int state_close_range(unsigned first, unsigned last, int flags);
int state_dup2(int from, int to);
int state_dup3(int from, int to, int flags);
int state_daemon(const struct call *call, int stay, int keep);
pid_t state_forkpty(const struct call *call, int *master, char *name,
	const struct termios *settings, const struct winsize *size);
int state_login_tty(int fd);
int state_register(int result);
pid_t state_fork(const struct call *call, pid_t (*next)(void));
void state_flockfile(FILE *file);
int state_ftrylockfile(FILE *file);
int state_dlclose(void *handle);
char *state_setlocale(int category, const char *name);
locale_t state_uselocale(locale_t locale);

/* seal.c */
int seal_prctl(int option, va_list arguments);
long seal_syscall(long number, va_list arguments);

#endif
