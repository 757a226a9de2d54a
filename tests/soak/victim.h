/*
 * Common to the parts of victim.c, see there.
 */
#ifndef SOAK_VICTIM_H
#define SOAK_VICTIM_H

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

enum {
	ACTIONS = 4096,
	ARGUMENTS = 10,
	FILES = 128,
	NUMBERS = 128,
	REPORT = 1000
};

struct argument {
	char type;
	long number;
	double real;
	char *text;
	wchar_t *wide;
	size_t length;
};
struct action {
	const struct verb *verb;
	int count, end;
	struct argument argument[ARGUMENTS];
};
struct verb {
	const char *name;
	long (*act)(struct action *);
	int block;
};

extern struct action actions[ACTIONS];
extern char *script_path, *report_path;
extern FILE *files[FILES];
extern long numbers[NUMBERS], counted[8];
extern __thread const char *tag;
extern __thread long turn;

/* Lines FROM to TO - 1 of the script. */
void run(int from, int to);
static inline void run_block(struct action *a)
{
	run(a - actions + 1, a->end);
}
/* A line of the report: of which action, what, and how it ended. */
void report(int line, const char *what, long value, int error);
char *decimal(char *to, long value);

static inline long kernel(long number, long a, long b, long c, long d)
{
#ifdef __x86_64__
	long result;
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
			 : "memory");
	return x0;
#endif
}

/* ---- arguments ---- */
static inline long value(const struct action *a, int i)
{
	const struct argument *from = &a->argument[i];
	if (i >= a->count)
		return 0;
	switch (from->type) {
	case 'v':
		return numbers[from->number % NUMBERS];
	case '#':
		return turn;
	case 's':
		return (long)from->text;
	case 'S':
		return (long)from->wide;
	case 'n':
		return (long)&counted[from->number & 7];
	}
	return from->number;
}
static inline char *text(const struct action *a, int i)
{
	return i < a->count && a->argument[i].text ? a->argument[i].text
						   : (char *)"";
}
static inline size_t length(const struct action *a, int i)
{
	return i < a->count ? a->argument[i].length : 0;
}
static inline double real(const struct action *a, int i)
{
	return i < a->count ? a->argument[i].real : 0;
}
enum { NOTHING = -777 };
static inline FILE *file(const struct action *a, int i)
{
	return files[value(a, i) % FILES];
}
#define FILE_OR_NOTHING(f)                                                     \
	FILE *f = file(a, 0);                                                  \
	if (!f)                                                                \
	return NOTHING
#define USES_STDOUT                                                            \
	if (!files[1])                                                         \
	return NOTHING
#define USES_STDERR                                                            \
	if (!files[2])                                                         \
	return NOTHING

/* Every verb of a script, and whether a block follows. */
#define VERBS(VERB)                                                            \
	VERB(print, 0)                                                         \
	VERB(wprint, 0) VERB(constant, 0) VERB(puts, 0) VERB(putchar, 0) VERB( \
		fputs, 0) VERB(fputs_unlocked, 0) VERB(fputc, 0) VERB(fwrite,  \
		0) VERB(fwrite_unlocked, 0) VERB(macro, 0) VERB(macro_text,    \
		0) VERB(long, 0) VERB(putw, 0) VERB(perror, 0) VERB(psignal,   \
		0) VERB(fputws, 0) VERB(fputwc, 0) VERB(flush,                 \
		0) VERB(setvbuf, 0) VERB(fseek, 0) VERB(ftell, 0) VERB(rewind, \
		0) VERB(fclose, 0) VERB(fopen, 0) VERB(fdopen, 0) VERB(mine,   \
		0) VERB(freopen, 0) VERB(fpurge, 0) VERB(fpending,             \
		0) VERB(fwide, 0) VERB(ferror, 0) VERB(clearerr,               \
		0) VERB(pipeline, 0) VERB(cookie, 0) VERB(assign,              \
		0) VERB(open, 0) VERB(dup, 0) VERB(dup2, 0) VERB(dup3,         \
		0) VERB(dupfd, 0) VERB(close, 0) VERB(close_range,             \
		0) VERB(lseek, 0) VERB(ftruncate, 0) VERB(truncate,            \
		0) VERB(cloexec, 0) VERB(set_append, 0) VERB(memfd,            \
		0) VERB(write, 0) VERB(writev, 0) VERB(long_writev,            \
		0) VERB(pwrite, 0) VERB(raw_write, 0) VERB(sendfile,           \
		0) VERB(copy_range, 0) VERB(pipe, 0) VERB(pump, 0) VERB(size,  \
		0) VERB(churn, 0) VERB(brief, 0) VERB(system, 0) VERB(fault,   \
		0) VERB(leave_thread, 0) VERB(in_order, 0) VERB(storm, 0)      \
		VERB(calm, 0) VERB(end_by, 0) VERB(pause, 0) VERB(locale, 0)   \
			VERB(repeat, 1) VERB(fork, 1) VERB(vfork, 1) VERB(     \
				exec, 1) VERB(spawn, 1) VERB(handler, 1)       \
				VERB(jump, 1) VERB(thread, 1) VERB(cancel, 1)  \
					VERB(parallel, 1) VERB(atexit, 1)
#define DECLARE(name, block) long do_##name(struct action *a);
VERBS(DECLARE)

#endif
