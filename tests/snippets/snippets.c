/*
 * The table of snippets as functions.  Built without builtins and without
 * optimization, so that each calls the name that it says; the old names of
 * libc have prototypes of their own here.
 */
#include <aio.h>
#include <argp.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fmtmsg.h>
#include <getopt.h>
#include <grp.h>
#include <gshadow.h>
#include <locale.h>
#include <malloc.h>
#include <mntent.h>
#include <netdb.h>
#include <printf.h>
#include <pthread.h>
#include <threads.h>
#include <pty.h>
#include <pwd.h>
#include <setjmp.h>
#include <shadow.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <ucontext.h>
#include <unistd.h>
#include <utmp.h>
#include <wchar.h>
#include <wordexp.h>

#include "snippets.h"

struct open_how;
int capset(void *header, const void *data);

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
void __assert_fail(const char *, const char *, unsigned, const char *);
void __assert_perror_fail(int, const char *, unsigned, const char *);
void __assert(const char *, const char *, int);
void __stack_chk_fail(void);
void __chk_fail(void);
int __sigaction(int, const struct sigaction *, struct sigaction *);
sighandler_t bsd_signal(int, sighandler_t);
sighandler_t sysv_signal(int, sighandler_t);
sighandler_t __sysv_signal(int, sighandler_t);
void __backtrace_symbols_fd(void *const *, int, int);
int ruserpass(const char *, const char **, const char **);
off64_t __lseek(int, off64_t, int);
long _IO_ftell(FILE *);
int _IO_fgetpos(FILE *, fpos_t *);
int _IO_fgetpos64(FILE *, fpos64_t *);
int _IO_fsetpos(FILE *, const fpos_t *);
int _IO_fsetpos64(FILE *, const fpos64_t *);
ssize_t __pwrite64(int, const void *, size_t, off64_t);
int __open(const char *, int, ...);
int __open64(const char *, int, ...);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
FILE *_IO_fopen(const char *, const char *);
int _IO_fflush(FILE *);
int _IO_flush_all(void);
void _IO_flush_all_linebuffered(void);
void _IO_flockfile(FILE *);
int _IO_ftrylockfile(FILE *);
int __printf_fp(FILE *, const struct printf_info *, const void *const *);
FILE *__setmntent(const char *, const char *);
int __endmntent(FILE *);
int _IO_fclose(FILE *);
int _IO_setvbuf(FILE *, char *, int, size_t);
void _IO_setbuffer(FILE *, char *, size_t);

int _IO_getc(FILE *);
char *_IO_fgets(char *, int, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);
char *__fgets_unlocked_chk(char *, size_t, int, FILE *);
char *gets(char *);
char *_IO_gets(char *);
char *__gets_chk(char *, size_t);
ssize_t __getdelim(char **, size_t *, int, FILE *);
size_t _IO_fread(void *, size_t, size_t, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
/* In the headers these names stand for others. */
int plain_scanf(const char *, ...) __asm__("scanf");
int plain_fscanf(FILE *, const char *, ...) __asm__("fscanf");
int plain_vscanf(const char *, va_list) __asm__("vscanf");
int plain_vfscanf(FILE *, const char *, va_list) __asm__("vfscanf");
int plain_wscanf(const wchar_t *, ...) __asm__("wscanf");
int plain_fwscanf(FILE *, const wchar_t *, ...) __asm__("fwscanf");
int plain_vwscanf(const wchar_t *, va_list) __asm__("vwscanf");
int plain_vfwscanf(FILE *, const wchar_t *, va_list) __asm__("vfwscanf");
int __vfscanf(FILE *, const char *, va_list);
int __isoc99_scanf(const char *, ...);
int __isoc99_fscanf(FILE *, const char *, ...);
int __isoc99_vscanf(const char *, va_list);
int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc99_wscanf(const wchar_t *, ...);
int __isoc99_fwscanf(FILE *, const wchar_t *, ...);
int __isoc99_vwscanf(const wchar_t *, va_list);
int __isoc99_vfwscanf(FILE *, const wchar_t *, va_list);
/* Since glibc 2.38; what is preloaded may have them on any. */
int __isoc23_scanf(const char *, ...) __attribute__((weak));
int __isoc23_fscanf(FILE *, const char *, ...) __attribute__((weak));
int __isoc23_vscanf(const char *, va_list) __attribute__((weak));
int __isoc23_vfscanf(FILE *, const char *, va_list) __attribute__((weak));
int __isoc23_wscanf(const wchar_t *, ...) __attribute__((weak));
int __isoc23_fwscanf(FILE *, const wchar_t *, ...) __attribute__((weak));
int __isoc23_vwscanf(const wchar_t *, va_list) __attribute__((weak));
int __isoc23_vfwscanf(FILE *, const wchar_t *, va_list) __attribute__((weak));
static int is_c23(void)
{
	return strverscmp(gnu_get_libc_version(), "2.38") >= 0;
}
#define C23(name) (is_c23() ? __isoc23_##name : __isoc99_##name)
wint_t __wuflow(FILE *);
wint_t __wunderflow(FILE *);
wchar_t *__fgetws_chk(wchar_t *, size_t, int, FILE *);
wchar_t *__fgetws_unlocked_chk(wchar_t *, size_t, int, FILE *);
ssize_t __read(int, void *, size_t);
ssize_t __read_chk(int, void *, size_t, size_t);

int __fcntl(int, int, ...);
ssize_t __send(int, const void *, size_t, int);
int __sendmmsg(int, struct mmsghdr *, unsigned, int);
FILE *_IO_fdopen(int, const char *);
/* Since glibc 2.43 and 2.34; what is preloaded has them on any. */
int openat2(int, const char *, const struct open_how *, size_t)
	__attribute__((weak));
int execveat(int, const char *, char *const *, char *const *, int)
	__attribute__((weak));
/* Since glibc 2.39; likewise. */
int pidfd_spawn(int *, const char *, const posix_spawn_file_actions_t *,
	const posix_spawnattr_t *, char *const *, char *const *)
	__attribute__((weak));
int pidfd_spawnp(int *, const char *, const posix_spawn_file_actions_t *,
	const posix_spawnattr_t *, char *const *, char *const *)
	__attribute__((weak));
static int spawn_of_libc(int by_name, const char *path, char *const *words)
{
	int child, error;

	if (strverscmp(gnu_get_libc_version(), "2.39") < 0)
		return 38; /* ENOSYS, as we say it as well */
	error = by_name ? pidfd_spawnp(&child, path, NULL, NULL, words, environ)
			: pidfd_spawn(&child, path, NULL, NULL, words, environ);
	if (error == 0) {
		siginfo_t info;

		waitid(3 /* P_PIDFD */, child, &info, WEXITED);
		close(child);
	}
	return error;
}
static int openat2_of_libc(int fd, const char *path, const void *how, size_t n)
{
	return openat2 ? openat2(fd, path, how, n)
		       : (int)syscall(437, fd, path, how, n);
}
static int execveat_of_libc(int fd, const char *path, char *const *argv,
	char *const *environment, int flags)
{
	return execveat ? execveat(fd, path, argv, environment, flags)
			: (int)syscall(SYS_execveat, fd, path, argv, environment,
				  flags);
}

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
WITH_VA_LIST(int, via_vscanf, f, (const char *f, ...), plain_vscanf(f, ap))
WITH_VA_LIST(int, via_vfscanf, f, (FILE * s, const char *f, ...),
	plain_vfscanf(s, f, ap))
WITH_VA_LIST(int, via___vfscanf, f, (FILE * s, const char *f, ...),
	__vfscanf(s, f, ap))
WITH_VA_LIST(int, via___isoc99_vscanf, f, (const char *f, ...),
	__isoc99_vscanf(f, ap))
WITH_VA_LIST(int, via___isoc99_vfscanf, f, (FILE * s, const char *f, ...),
	__isoc99_vfscanf(s, f, ap))
WITH_VA_LIST(int, via_vwscanf, f, (const wchar_t *f, ...), plain_vwscanf(f, ap))
WITH_VA_LIST(int, via_vfwscanf, f, (FILE * s, const wchar_t *f, ...),
	plain_vfwscanf(s, f, ap))
WITH_VA_LIST(int, via___isoc99_vwscanf, f, (const wchar_t *f, ...),
	__isoc99_vwscanf(f, ap))
WITH_VA_LIST(int, via___isoc99_vfwscanf, f, (FILE * s, const wchar_t *f, ...),
	__isoc99_vfwscanf(s, f, ap))
WITH_VA_LIST(int, via___isoc23_vscanf, f, (const char *f, ...),
	C23(vscanf)(f, ap))
WITH_VA_LIST(int, via___isoc23_vfscanf, f, (FILE * s, const char *f, ...),
	C23(vfscanf)(s, f, ap))
WITH_VA_LIST(int, via___isoc23_vwscanf, f, (const wchar_t *f, ...),
	C23(vwscanf)(f, ap))
WITH_VA_LIST(int, via___isoc23_vfwscanf, f, (FILE * s, const wchar_t *f, ...),
	C23(vfwscanf)(s, f, ap))
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

/* What the program is told of what is done on a signal. */
static void tell_action(int number)
{
	struct sigaction action;

	sigaction(number, NULL, &action);
	tell(9, "%d: %ld, flags %x, restorer %d, mask %lx\n", number,
		(long)action.sa_handler, action.sa_flags,
		action.sa_restorer != NULL, *(long *)&action.sa_mask);
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

/* What a call has read. */
#define SEEN(string)                                                           \
	do {                                                                   \
		const char *string_ = (string);                                \
		tell(9, "line %d: <%s>\n", __LINE__,                           \
			string_ ? string_ : "null");                           \
	} while (0)
#define WIDE_SEEN(string)                                                      \
	do {                                                                   \
		const wchar_t *string_ = (string);                             \
		tell(9, "line %d: <%ls>\n", __LINE__,                          \
			string_ ? string_ : L"null");                          \
	} while (0)

static FILE *typed(void)
{
	int fd = new_file("typed");

	pwrite(fd, "12 ab\n34 cd\n56 ef\n", 18, 0);
	return fdopen(fd, "r+");
}

static void typed_stdin(void)
{
	FILE *file = typed();

	dup2(fileno(file), 0);
	fclose(file);
	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Calls that end in exit() are made in a child. */
#define CHILD(...)                                                             \
	do {                                                                   \
		fflush(stdout);                                                \
		pid_t child_ = fork();                                         \
		if (child_ == 0) {                                             \
			__VA_ARGS__;                                           \
			exit(77);                                              \
		}                                                              \
		await(child_);                                                 \
	} while (0)

/* A library more makes what libc allocates for a thread larger. */
static int is_first_thread(void)
{
	return syscall(SYS_gettid) == getpid();
}

static jmp_buf out_of_parser;

static error_t parse_word(int key, char *word, struct argp_state *state)
{
	if (key == 'l')
		printf("level %s\n", word);
	else if (key == 'e')
		argp_error(state, "%s: not like this", word);
	else if (key == 'j')
		longjmp(out_of_parser, 1);
	else if (key == 'x')
		exit(9);
	else if (key == ARGP_KEY_ARG)
		fprintf(stderr, "word %s\n", word);
	else if (key == ARGP_KEY_ERROR)
		fprintf(stderr, "that was an error\n");
	else if (key == ARGP_KEY_END)
		printf("%u words\n", state->arg_num);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static error_t parse_nothing(int key, char *word, struct argp_state *state)
{
	(void)word;
	(void)state;
	if (key != 'n')
		return ARGP_ERR_UNKNOWN;
	fprintf(stderr, "noted\n");
	return 0;
}

static const struct argp_option level_options[] = {
	{"level", 'l', "NUMBER", 0, "How much of it"},
	{"error", 'e', "WORD", 0, "An error"},
	{"jump", 'j', NULL, 0, "Out of the parser"},
	{"exit", 'x', NULL, 0, "In the parser"},
	{NULL},
};
static const struct argp_option note_options[] = {
	{"note", 'n', NULL, 0, "Take note"},
	{NULL},
};
static const struct argp note_argp = {note_options, parse_nothing};
static const struct argp_child argp_children[] = {
	{&note_argp, 0, "Of the child:", 1},
	{NULL},
};
static const struct argp whole_argp = {level_options, parse_word, "WORD...",
	"What it is for.\vAnd more of it.", argp_children};
static const struct argp wordless_argp = {note_options, parse_nothing};

static int parse(const struct argp *argp, int flags, char *word)
{
	char *words[] = {"program", "-l7", word, "some", NULL};

	return argp_parse(argp, 4, words, flags, NULL, NULL);
}

#define SNIPPET(function, variant, ...)                                        \
	static void snippet_##function##_##variant(void)                       \
	{                                                                      \
		__VA_ARGS__                                                    \
	}
#include "input.def"
#include "last_words.def"
#include "odd.def"
#include "positions.def"
#include "snippets.def"
#include "ways.def"
#undef SNIPPET

static const struct {
	const char *function;
	void (*run)(void);
} table[] = {
#define SNIPPET(function, variant, ...)                                        \
	{#function, snippet_##function##_##variant},
#include "input.def"
#include "last_words.def"
#include "odd.def"
#include "positions.def"
#include "snippets.def"
#include "ways.def"
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
