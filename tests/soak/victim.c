/*
 * A program that does what a script says: one action a line (tests/soak/run makes them from a seed), with blocks that other
 * processes, threads, handlers and jumps run.  What every call returned goes to a report by system calls of its own, which
 * no library sees: natively and recorded it has to be the same.
 *
 * victim SCRIPT REPORT [FROM]: FROM is the line of a block, for what is executed anew.
 *
 * An argument is a letter and a value: i123 number, sTEXT string (=XX is a byte), STEXT wide string, v7 the descriptor that
 * was put into variable 7, f1.5 double, n0 address of a counter for %n, # how often the innermost loop has gone round.
 */
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

enum { ACTIONS = 4096, ARGUMENTS = 10, FILES = 128, NUMBERS = 128, REPORT = 1000 };

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

extern char **environ;
static struct action actions[ACTIONS];
static int action_count;
static char *script_path, *report_path;
static FILE *files[FILES];
static long numbers[NUMBERS], counted[8];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int next_in_order;
static __thread const char *tag = "M";
static __thread long turn;
static __thread sigjmp_buf *leave;

static long kernel(long number, long a, long b, long c, long d)
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
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#endif
}

static char *decimal(char *to, long value)
{
	char digits[24];
	int n = 0;
	unsigned long rest = value < 0 ? -(unsigned long)value : (unsigned long)value;
	if (value < 0)
		*to++ = '-';
	do
		digits[n++] = '0' + rest % 10;
	while (rest /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}
static void report(int line, const char *what, long value, int error)
{
	char text[200], *end = text;
	for (const char *from = tag; *from;)
		*end++ = *from++;
	*end++ = ' ';
	end = decimal(end, line);
	*end++ = ' ';
	while (*what)
		*end++ = *what++;
	*end++ = ' ';
	end = decimal(end, value);
	if (error) {
		*end++ = ' ';
		end = decimal(end, error);
	}
	*end++ = '\n';
	kernel(SYS_write, REPORT, (long)text, end - text, 0);
}

/* ---- arguments ---- */
static long value(const struct action *a, int i)
{
	const struct argument *from = &a->argument[i];
	if (i >= a->count)
		return 0;
	switch (from->type) {
	case 'v': return numbers[from->number % NUMBERS];
	case '#': return turn;
	case 's': return (long)from->text;
	case 'S': return (long)from->wide;
	case 'n': return (long)&counted[from->number & 7];
	}
	return from->number;
}
static char *text(const struct action *a, int i)
{
	return i < a->count && a->argument[i].text ? a->argument[i].text : (char *)"";
}
static size_t length(const struct action *a, int i)
{
	return i < a->count ? a->argument[i].length : 0;
}
static double real(const struct action *a, int i)
{
	return i < a->count ? a->argument[i].real : 0;
}
enum { NOTHING = -777 };
static FILE *file(const struct action *a, int i) { return files[value(a, i) % FILES]; }
#define FILE_OR_NOTHING(f) \
	FILE *f = file(a, 0); \
	if (!f) \
		return NOTHING
#define USES_STDOUT \
	if (!files[1]) \
		return NOTHING
#define USES_STDERR \
	if (!files[2]) \
		return NOTHING

/* ---- text ---- */
/* Numbers and addresses are passed in registers of one kind, doubles in those of the other: the order between them is free. */
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
/* FILE FORMAT HOW numbers... doubles...: a format that is made by the program, in one of three places */
static long do_print(struct action *a)
{
	long how = value(a, 2), result = NOTHING;
	char *format = text(a, 1), *made = NULL;
	FILE *f = file(a, 0);
	switch (how >> 4 & 3) {
	case 1: format = made = strdup(format); break;
	case 2: format = strcpy(again, format); break;
	}
	memset(counted, 0, sizeof counted);
	errno = 4;
	switch (how & 15) {
	case 0: if (f) result = fprintf(f, format, G, D); break;
	case 1: if (f) result = by_list(f, format, G, D); break;
	case 2: result = dprintf(value(a, 0), format, G, D); break;
	case 3: result = by_list_number(value(a, 0), format, G, D); break;
	case 4: if (files[1]) result = printf(format, G, D); break;
	case 5: if (files[2]) warnx(format, G, D), result = 0; break;
	case 6: if (files[2]) warn(format, G, D), result = 0; break;
	case 7: if (files[2] && files[1]) error(0, 0, format, G, D), result = 0; break;
	case 8: if (files[2] && files[1]) error(0, 5, format, G, D), result = 0; break;
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
static long do_wprint(struct action *a)
{
	FILE_OR_NOTHING(f);
	errno = 4;
	if (!a->argument[1].wide)
		return NOTHING;
	return value(a, 2) & 1 ? by_list_wide(f, a->argument[1].wide, G, D) : fwprintf(f, a->argument[1].wide, G, D);
}
/* FILE WHICH NUMBER TEXT: formats that are constants, each a site of its own */
static long do_constant(struct action *a)
{
	FILE_OR_NOTHING(f);
	long n = value(a, 2);
	const char *s = text(a, 3);
	long out = files[1] != NULL;
	switch (value(a, 1)) {
	case 0: return fprintf(f, "plain\n");
	case 1: return fprintf(f, "number %ld\n", n);
	case 2: return fprintf(f, "text %s and %ld\n", s, n);
	case 3: return fprintf(f, "%s", s);
	case 4: return fprintf(f, "%5ld|%-7ld|%lx", n, n, n);
	case 5: return fprintf(f, "%c%c\n", (int)(n & 127) | 32, 'x');
	case 6: return fprintf(f, "%.3f %g %e\n", n / 7.0, n / 3.0, n * 1e10);
	case 7: return fprintf(f, "%-20s|%.3s|\n", s, s);
	case 8: return out ? printf("said %ld\n", n) : NOTHING;
	case 9: return out ? printf("%s: %s\n", s, s) : NOTHING;
	case 10: return out ? printf("no end") : NOTHING;
	case 11: return out ? printf("%d %d %d %d %d %d %d %d\n", (int)n, 1, 2, 3, 4, 5, 6, (int)n) : NOTHING;
	case 12: return out ? printf("%*ld%%\n", (int)(n & 15), n) : NOTHING;
	case 13: return fprintf(f, "%ls\n", L"wide");
	case 14: errno = n & 31; return fprintf(f, "%m\n");
	case 15: return fprintf(f, "%2$s %1$ld\n", n, s);
	case 16: return fprintf(f, "%s%s%s%s%s\n", s, s, s, s, s);
	case 17: return fprintf(f, "one\ntwo\nthree");
	case 18: return fprintf(f, "\n");
	case 19: return fprintf(f, "%s\n%s", s, s);
	case 20: return fprintf(f, "%Lg\n", (long double)n / 3);
	case 21: return fprintf(f, "%hhd %hd %zd %jd\n", (int)n, (int)n, (ssize_t)n, (intmax_t)n);
	case 22: return fputs("constant\n", f);
	case 23: return fwrite("bytes\n", 1, 6, f);
	case 24: return putc('p', f);
	case 25: return putc('\n', f);
	case 26: return out ? puts("put") : NOTHING;
	case 27: return out ? putchar('c') : NOTHING;
	case 28: return fprintf(f, "%s", (char *)NULL);
	case 29: return fprintf(f, "%*s", (int)(n & 1023), s);
	case 30: return fprintf(f, "%.*s\n", (int)(n & 7), s);
	case 31: return fprintf(f, "%5000ld\n", n);
	}
	return NOTHING;
}
static long do_puts(struct action *a) { USES_STDOUT; return puts(text(a, 0)); }
static long do_putchar(struct action *a) { USES_STDOUT; return putchar(value(a, 0)); }
static long do_fputs(struct action *a) { FILE_OR_NOTHING(f); return fputs(text(a, 1), f); }
static long do_fputs_unlocked(struct action *a) { FILE_OR_NOTHING(f); return fputs_unlocked(text(a, 1), f); }
static long do_fputc(struct action *a) { FILE_OR_NOTHING(f); return fputc(value(a, 1), f); }
static long do_fwrite(struct action *a)
{
	FILE_OR_NOTHING(f);
	long size = value(a, 2) > 0 ? value(a, 2) : 1;
	return fwrite(text(a, 1), size, length(a, 1) / size, f);
}
static long do_fwrite_unlocked(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fwrite_unlocked(text(a, 1), 1, length(a, 1), f);
}
/* FILE BYTE TIMES: the macro, which writes to the buffer by itself */
static long do_macro(struct action *a)
{
	FILE_OR_NOTHING(f);
	long result = 0, times = value(a, 2);
	for (long i = 0; i < times; i++)
		result = putc_unlocked(value(a, 1) ? value(a, 1) : 'a' + i % 26, f);
	return result;
}
static long do_macro_text(struct action *a)
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
static long do_long(struct action *a)
{
	FILE_OR_NOTHING(f);
	size_t size = value(a, 2);
	char *s = malloc(size + 1);
	memset(s, value(a, 1), size);
	s[size] = 0;
	long result = value(a, 3) ? fprintf(f, "%s\n", s) : (long)fwrite(s, 1, size, f);
	free(s);
	return result;
}
static long do_putw(struct action *a) { FILE_OR_NOTHING(f); return putw(value(a, 1), f); }
static long do_perror(struct action *a) { USES_STDERR; errno = value(a, 1); perror(text(a, 0)); return 0; }
static long do_psignal(struct action *a) { USES_STDERR; psignal(value(a, 1), text(a, 0)); return 0; }
static long do_fputws(struct action *a)
{
	FILE_OR_NOTHING(f);
	return a->argument[1].wide ? fputws(a->argument[1].wide, f) : NOTHING;
}
static long do_fputwc(struct action *a) { FILE_OR_NOTHING(f); return fputwc(value(a, 1), f); }

/* ---- streams ---- */
static long do_flush(struct action *a)
{
	if (value(a, 0) < 0)
		return fflush(NULL);
	FILE_OR_NOTHING(f);
	return fflush(f);
}
static long do_setvbuf(struct action *a)
{
	FILE_OR_NOTHING(f);
	static const int modes[] = {_IOFBF, _IOLBF, _IONBF};
	return setvbuf(f, value(a, 3) ? malloc(65536) : NULL, modes[value(a, 1) % 3], value(a, 2));
}
static long do_fseek(struct action *a) { FILE_OR_NOTHING(f); return fseek(f, value(a, 1), value(a, 2)); }
static long do_ftell(struct action *a) { FILE_OR_NOTHING(f); return ftell(f); }
static long do_rewind(struct action *a) { FILE_OR_NOTHING(f); rewind(f); return 0; }
static long do_fclose(struct action *a)
{
	FILE_OR_NOTHING(f);
	files[value(a, 0) % FILES] = NULL;
	return fclose(f);
}
static long do_fopen(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	*f = fopen(text(a, 1), text(a, 2));
	return !*f ? -1 : tag[0] == 'M' ? fileno(*f) : 0;
}
static long do_fdopen(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	*f = fdopen(value(a, 1), text(a, 2));
	return *f ? 0 : -1;
}
/* FILE DESCRIPTOR HOW SIZE: a stream of one's own for a copy of a descriptor; its number is not told */
static long do_mine(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	int d = dup(value(a, 1));
	*f = d < 0 ? NULL : fdopen(d, "w");
	if (*f && value(a, 2))
		setvbuf(*f, NULL, value(a, 2) == 1 ? _IOLBF : _IONBF, value(a, 3));
	return *f ? 0 : -1;
}
static long do_freopen(struct action *a)
{
	FILE_OR_NOTHING(f);
	const char *path = length(a, 1) ? text(a, 1) : NULL;
	FILE *now = freopen(path, text(a, 2), f);
	if (!now)
		files[value(a, 0) % FILES] = NULL;
	return now ? fileno(now) : -1;
}
static long do_fpurge(struct action *a) { FILE_OR_NOTHING(f); __fpurge(f); return 0; }
static long do_fpending(struct action *a) { FILE_OR_NOTHING(f); return __fpending(f); }
static long do_fwide(struct action *a) { FILE_OR_NOTHING(f); return fwide(f, value(a, 1)); }
static long do_ferror(struct action *a) { FILE_OR_NOTHING(f); return ferror(f) * 10 + feof(f); }
static long do_clearerr(struct action *a) { FILE_OR_NOTHING(f); clearerr(f); return 0; }
static long do_pipeline(struct action *a)
{
	FILE *f = popen(text(a, 0), "w");
	if (!f)
		return -1;
	fputs(text(a, 1), f);
	return pclose(f);
}
static ssize_t cookie_write(void *cookie, const char *bytes, size_t size)
{
	return write((int)(long)cookie, bytes, size);
}
static long do_cookie(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	*f = fopencookie((void *)value(a, 1), "w", (cookie_io_functions_t){.write = cookie_write});
	return *f ? 0 : -1;
}
/* The pointer itself: stdout becomes another stream, and files[1] what it was. */
static long do_assign(struct action *a)
{
	FILE_OR_NOTHING(f);
	FILE *was = stdout;
	if (!files[1])
		return NOTHING;
	stdout = f;
	files[value(a, 0) % FILES] = was;
	files[1] = f;
	return 0;
}

/* ---- descriptors ---- */
static long keep(struct action *a, int i, long d)
{
	if (i >= a->count || a->argument[i].type != 'v')
		return d;
	numbers[a->argument[i].number % NUMBERS] = d;
	return d < 0 ? -1 : 0;
}
static long do_open(struct action *a)
{
	static const int flags[] = {O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND, O_RDWR | O_CREAT, O_WRONLY};
	return keep(a, 2, open(text(a, 0), flags[value(a, 1) & 3], 0600));
}
static long do_dup(struct action *a) { return keep(a, 1, dup(value(a, 0))); }
static long do_dup2(struct action *a) { return dup2(value(a, 0), value(a, 1)); }
static long do_dup3(struct action *a) { return dup3(value(a, 0), value(a, 1), O_CLOEXEC); }
static long do_dupfd(struct action *a) { return fcntl(value(a, 0), F_DUPFD, value(a, 1)); }
static long do_close(struct action *a) { return close(value(a, 0)); }
static long do_close_range(struct action *a) { return close_range(value(a, 0), value(a, 1), 0); }
static long do_lseek(struct action *a) { return lseek(value(a, 0), value(a, 1), value(a, 2)); }
static long do_ftruncate(struct action *a) { return ftruncate(value(a, 0), value(a, 1)); }
static long do_truncate(struct action *a) { return truncate(text(a, 0), value(a, 1)); }
static long do_cloexec(struct action *a) { return fcntl(value(a, 0), F_SETFD, FD_CLOEXEC); }
static long do_set_append(struct action *a)
{
	int flags = fcntl(value(a, 0), F_GETFL);
	return flags < 0 ? -1 :
	       fcntl(value(a, 0), F_SETFL, value(a, 1) ? flags | O_APPEND : flags & ~O_APPEND);
}
static long do_memfd(struct action *a) { return keep(a, 0, memfd_create("soak", 0)); }
static long do_write(struct action *a) { return write(value(a, 0), text(a, 1), length(a, 1)); }
static long do_writev(struct action *a)
{
	struct iovec pieces[8];
	int n = 0;
	for (int i = 1; i < a->count && n < 8; i++)
		pieces[n++] = (struct iovec){text(a, i), length(a, i)};
	return writev(value(a, 0), pieces, n);
}
/* DESCRIPTOR PIECES SIZE: one line of many pieces */
static long do_long_writev(struct action *a)
{
	struct iovec pieces[64];
	char line[4096];
	size_t count = value(a, 1) & 63, size = value(a, 2) & 63, at = 0;
	const char *head = text(a, 3);
	pieces[0] = (struct iovec){(char *)head, strlen(head)};
	for (size_t i = 1; i <= count && i < 63; i++) {
		memset(line + at, 'a' + i % 26, size);
		pieces[i] = (struct iovec){line + at, size};
		at += size;
	}
	pieces[count < 62 ? count + 1 : 63] = (struct iovec){"\n", 1};
	return writev(value(a, 0), pieces, (count < 62 ? count + 1 : 63) + 1);
}
static long do_pwrite(struct action *a) { return pwrite(value(a, 0), text(a, 1), length(a, 1), value(a, 2)); }
/* libc's own ways past write() */
static long do_raw_write(struct action *a) { return syscall(SYS_write, (int)value(a, 0), text(a, 1), length(a, 1)); }
/* A file's bytes to a descriptor, by the kernel */
static long do_sendfile(struct action *a)
{
	int d = memfd_create("sent", 0);
	if (d < 0 || kernel(SYS_write, d, (long)text(a, 1), length(a, 1), 0) < 0)
		return NOTHING;
	off_t offset = 0;
	long result = sendfile(value(a, 0), d, &offset, length(a, 1));
	int error = errno;
	kernel(SYS_close, d, 0, 0, 0);
	errno = error;
	return result;
}
static long do_copy_range(struct action *a)
{
	int d = kernel(SYS_openat, AT_FDCWD, (long)".", O_TMPFILE | O_RDWR, 0600);
	if (d < 0 || kernel(SYS_write, d, (long)text(a, 1), length(a, 1), 0) < 0)
		return NOTHING;
	off_t offset = 0;
	long result = copy_file_range(d, &offset, value(a, 0), NULL, length(a, 1), 0);
	int error = errno;
	kernel(SYS_close, d, 0, 0, 0);
	errno = error;
	return result;
}
static long do_pipe(struct action *a)
{
	int ends[2];
	if (pipe(ends))
		return -1;
	if (a->count < 2)
		return ends[0] * 100 + ends[1];
	keep(a, 0, ends[0]);
	keep(a, 1, ends[1]);
	return 0;
}
/* FROM TO: what is there to be read */
static long do_pump(struct action *a)
{
	char bytes[4096];
	int there = 0;
	struct stat about;
	if (fstat(value(a, 0), &about) || !S_ISFIFO(about.st_mode) || ioctl(value(a, 0), FIONREAD, &there) || there <= 0)
		return NOTHING;
	long n = read(value(a, 0), bytes, sizeof bytes);
	return n > 0 ? write(value(a, 1), bytes, n) : n;
}
static long do_size(struct action *a)
{
	struct stat about;
	return fstat(value(a, 0), &about) ? -1 : about.st_size;
}
/* TIMES: data files that live shortly; natively nothing is lost in them */
static long do_churn(struct action *a)
{
	static const char data[] = "precious data\n";
	long lost = 0;
	for (long i = value(a, 0); i > 0; i--) {
		int d = memfd_create("churn", 0);
		if (d < 0)
			continue;
		if (write(d, data, sizeof data - 1) != sizeof data - 1)
			lost += 1000;
		char back[32];
		if (kernel(SYS_pread64, d, (long)back, sizeof back, 0) != sizeof data - 1)
			lost++;
		close(d);
	}
	return lost;
}
/* DESCRIPTOR TIMES TEXT: streams of one's own that live shortly, a line each */
static long do_brief(struct action *a)
{
	long done = 0;
	for (long i = 0; i < value(a, 1); i++) {
		int d = dup(value(a, 0));
		FILE *f = d < 0 ? NULL : fdopen(d, "w");
		if (!f)
			continue;
		fprintf(f, "%s %ld\n", text(a, 2), i);
		done += !fclose(f);
	}
	return done;
}

/* ---- blocks ---- */
static void run(int from, int to);
static void run_block(struct action *a) { run(a - actions + 1, a->end); }

static long do_repeat(struct action *a)
{
	long outer = turn;
	for (long i = 0, n = value(a, 0); i < n; i++) {
		turn = i;
		run_block(a);
	}
	turn = outer;
	return 0;
}
static void end_process(long how)
{
	switch (how) {
	case 0: exit(3);
	case 1: _exit(4);
	case 2: quick_exit(5);
	case 3: abort();
	case 4: kernel(SYS_kill, getpid(), SIGKILL, 0, 0); break;
	case 5: raise(SIGTERM); break;
	case 6: fflush(NULL); _exit(6);
	}
	_exit(7);
}
static long wait_for(pid_t pid)
{
	int status = 0;
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}
static long do_fork(struct action *a)
{
	pid_t pid = value(a, 1) ? _Fork() : fork();
	if (pid == 0) {
		run_block(a);
		end_process(value(a, 0));
	}
	return wait_for(pid);
}
static long do_vfork(struct action *a)
{
	pid_t pid = vfork();
	if (pid == 0) {
		run_block(a);
		_exit(8);
	}
	return wait_for(pid);
}
static char **words_for(struct action *a, char **words, char number[24])
{
	*decimal(number, a - actions) = 0;
	words[0] = (char *)"/proc/self/exe";
	words[1] = script_path;
	words[2] = report_path;
	words[3] = number;
	words[4] = NULL;
	return words;
}
static long do_exec(struct action *a)
{
	char *words[5], number[24];
	words_for(a, words, number);
	if (value(a, 0))
		execve(words[0], words, environ);
	else
		execv(words[0], words);
	return -1;
}
static long do_spawn(struct action *a)
{
	char *words[5], number[24];
	pid_t pid = -1;
	posix_spawn_file_actions_t redirections;
	words_for(a, words, number);
	posix_spawn_file_actions_init(&redirections);
	if (a->count >= 2)
		posix_spawn_file_actions_adddup2(&redirections, value(a, 0), value(a, 1));
	int error = posix_spawn(&pid, words[0], &redirections, NULL, words, environ);
	posix_spawn_file_actions_destroy(&redirections);
	if (error) {
		errno = error;
		return -1;
	}
	return wait_for(pid);
}
static long do_system(struct action *a) { return system(text(a, 0)); }

static struct action *in_handler[65];
static void handle(int number)
{
	sigjmp_buf *to = leave;
	struct action *a = in_handler[number];
	if (a)
		run_block(a);
	if (to)
		siglongjmp(*to, 1);
}
static long handled(struct action *a, int number, sigjmp_buf *to)
{
	struct sigaction now = {.sa_handler = handle, .sa_flags = SA_NODEFER}, was;
	struct action *outer = in_handler[number];
	in_handler[number] = a;
	leave = to;
	sigaction(number, &now, &was);
	long result = raise(number);
	sigaction(number, &was, NULL);
	in_handler[number] = outer;
	return result;
}
static long do_handler(struct action *a)
{
	sigjmp_buf *outer = leave;
	long result = handled(a, SIGUSR1, NULL);
	leave = outer;
	return result;
}
static long do_jump(struct action *a)
{
	sigjmp_buf here, *outer = leave;
	struct action *was = in_handler[SIGUSR2];
	long result = 1;
	if (!sigsetjmp(here, 1))
		result = handled(a, SIGUSR2, &here);
	leave = outer;
	in_handler[SIGUSR2] = was;
	return result;
}
/* FILE FORMAT: a text that ends in no memory, and a handler that leaves the call */
static long do_fault(struct action *a)
{
	FILE_OR_NOTHING(f);
	static char *edge;
	sigjmp_buf here, *outer = leave;
	struct action *was = in_handler[SIGSEGV];
	struct sigaction now = {.sa_handler = handle, .sa_flags = SA_NODEFER}, before;
	volatile long result = -2;
	if (!edge) {
		edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(edge + 4096, 4096, PROT_NONE);
		memset(edge, 'e', 4096);
	}
	in_handler[SIGSEGV] = NULL;
	sigaction(SIGSEGV, &now, &before);
	if (!sigsetjmp(here, 1)) {
		leave = &here;
		result = value(a, 2) == 1 ? (long)fwrite(edge + 4090, 1, 100, f) :
			 value(a, 2) == 2 ? fputs(edge + 4090, f) : fprintf(f, text(a, 1), edge + 4090);
	}
	sigaction(SIGSEGV, &before, NULL);
	leave = outer;
	in_handler[SIGSEGV] = was;
	return result;
}

static void *in_thread(void *given)
{
	struct action *a = given;
	if (a->count)
		tag = text(a, 0);
	run_block(a);
	return NULL;
}
static void *in_cancelled(void *given)
{
	pthread_cancel(pthread_self());
	return in_thread(given);
}
static long with_thread(void *(*body)(void *), struct action *a)
{
	pthread_t thread;
	void *result;
	if (pthread_create(&thread, NULL, body, a))
		return -1;
	pthread_join(thread, &result);
	return result == PTHREAD_CANCELED;
}
static long do_thread(struct action *a) { return with_thread(in_thread, a); }
static long do_cancel(struct action *a) { return with_thread(in_cancelled, a); }
static long do_leave_thread(struct action *a)
{
	if (getpid() != (pid_t)kernel(SYS_gettid, 0, 0, 0, 0))
		pthread_exit(NULL);
	return NOTHING;
}
/* All threads of the block at once; other actions between them are the first thread's own. */
static long do_parallel(struct action *a)
{
	pthread_t threads[32];
	int n = 0;
	for (int i = a - actions + 1; i < a->end;) {
		struct action *inner = &actions[i];
		if (inner->verb->act == do_thread && n < 32)
			n += !pthread_create(&threads[n], NULL, in_thread, inner);
		else
			run(i, inner->end + 1);
		i = inner->end + 1;
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return n;
}
/* HOW FILE: a line with the next number, under a lock of one kind or another */
static long do_in_order(struct action *a)
{
	static _Atomic int drawn;
	FILE *f = files[value(a, 1) % FILES];
	if (!f)
		return NOTHING;
	if (value(a, 0)) {
		int mine = drawn++;
		/* Whose turn it is may not be running. */
		for (int spins = 0; __atomic_load_n(&next_in_order, __ATOMIC_ACQUIRE) != mine;)
			if (++spins > 2000)
				kernel(SYS_sched_yield, 0, 0, 0, 0);
		fprintf(f, "L %d\n", mine);
		__atomic_store_n(&next_in_order, mine + 1, __ATOMIC_RELEASE);
		return 0;
	}
	pthread_mutex_lock(&mutex);
	fprintf(f, "L %d\n", next_in_order++);
	pthread_mutex_unlock(&mutex);
	return 0;
}

/* A handler that is run again and again: COUNT MICROSECONDS DESCRIPTOR */
static _Atomic int storm_left, storm_said, storm_busy;
static int storm_to;
static void storm(int number)
{
	int error = errno, zero = 0;
	if (storm_left > 0 && __atomic_compare_exchange_n(&storm_busy, &zero, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		if (storm_left > 0) {
			char line[32] = "S ", *end = decimal(line + 2, storm_said++);
			*end++ = '\n';
			storm_left--;
			if (write(storm_to, line, end - line) < 0)
				storm_left = 0;
		}
		storm_busy = 0;
	}
	errno = error;
}
static long do_storm(struct action *a)
{
	struct sigaction now = {.sa_handler = storm, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, value(a, 1)}, {0, value(a, 1)}};
	storm_to = value(a, 2);
	storm_left = value(a, 0);
	sigaction(SIGALRM, &now, NULL);
	return setitimer(ITIMER_REAL, &every, NULL);
}
static long do_calm(struct action *a)
{
	struct itimerval never = {{0, 0}, {0, 0}};
	while (storm_left > 0)
		kernel(SYS_poll, 0, 0, 1, 0);
	return setitimer(ITIMER_REAL, &never, NULL);
}

static int at_exit[32], at_exit_count;
static void ends(void)
{
	if (at_exit_count > 0)
		run_block(&actions[at_exit[--at_exit_count]]);
}
static long do_atexit(struct action *a)
{
	if (at_exit_count == 32)
		return NOTHING;
	at_exit[at_exit_count++] = a - actions;
	return atexit(ends);
}
static long do_end(struct action *a) { end_process(value(a, 0)); return 0; }
static long do_pause(struct action *a) { return kernel(SYS_poll, 0, 0, value(a, 0), 0); }
static long do_locale(struct action *a) { return setlocale(LC_ALL, text(a, 0)) != NULL; }

static const struct verb verbs[] = {
	{"print", do_print, 0}, {"wprint", do_wprint, 0}, {"constant", do_constant, 0}, {"puts", do_puts, 0},
	{"putchar", do_putchar, 0}, {"fputs", do_fputs, 0}, {"fputs_unlocked", do_fputs_unlocked, 0},
	{"fputc", do_fputc, 0}, {"fwrite", do_fwrite, 0}, {"fwrite_unlocked", do_fwrite_unlocked, 0},
	{"macro", do_macro, 0}, {"macro_text", do_macro_text, 0}, {"long", do_long, 0}, {"putw", do_putw, 0},
	{"perror", do_perror, 0}, {"psignal", do_psignal, 0}, {"fputws", do_fputws, 0}, {"fputwc", do_fputwc, 0},
	{"flush", do_flush, 0}, {"setvbuf", do_setvbuf, 0}, {"fseek", do_fseek, 0}, {"ftell", do_ftell, 0},
	{"rewind", do_rewind, 0}, {"fclose", do_fclose, 0}, {"fopen", do_fopen, 0}, {"fdopen", do_fdopen, 0},
	{"mine", do_mine, 0}, {"freopen", do_freopen, 0}, {"fpurge", do_fpurge, 0}, {"fpending", do_fpending, 0},
	{"fwide", do_fwide, 0}, {"ferror", do_ferror, 0}, {"clearerr", do_clearerr, 0}, {"pipeline", do_pipeline, 0},
	 {"cookie", do_cookie, 0}, {"assign", do_assign, 0}, {"open", do_open, 0},
	{"dup", do_dup, 0}, {"dup2", do_dup2, 0}, {"dup3", do_dup3, 0}, {"dupfd", do_dupfd, 0}, {"close", do_close, 0},
	{"close_range", do_close_range, 0}, {"lseek", do_lseek, 0}, {"ftruncate", do_ftruncate, 0},
	{"truncate", do_truncate, 0}, {"cloexec", do_cloexec, 0}, {"set_append", do_set_append, 0},
	{"memfd", do_memfd, 0}, {"write", do_write, 0}, {"writev", do_writev, 0}, {"long_writev", do_long_writev, 0},
	{"pwrite", do_pwrite, 0}, {"raw_write", do_raw_write, 0}, {"sendfile", do_sendfile, 0},
	{"copy_range", do_copy_range, 0}, {"pipe", do_pipe, 0}, {"pump", do_pump, 0}, {"size", do_size, 0},
	{"churn", do_churn, 0}, {"brief", do_brief, 0}, {"system", do_system, 0}, {"fault", do_fault, 0},
	{"leave_thread", do_leave_thread, 0}, {"in_order", do_in_order, 0}, {"storm", do_storm, 0}, {"calm", do_calm, 0},
	{"end_by", do_end, 0}, {"pause", do_pause, 0}, {"locale", do_locale, 0},
	{"repeat", do_repeat, 1}, {"fork", do_fork, 1}, {"vfork", do_vfork, 1}, {"exec", do_exec, 1},
	{"spawn", do_spawn, 1}, {"handler", do_handler, 1}, {"jump", do_jump, 1}, {"thread", do_thread, 1},
	{"cancel", do_cancel, 1}, {"parallel", do_parallel, 1}, {"atexit", do_atexit, 1}, {"end", NULL, 0},
};

static void run(int from, int to)
{
	for (int i = from; i < to; i = actions[i].end + 1) {
		struct action *a = &actions[i];
		if (!a->verb->act)
			continue;
		errno = 0;
		long result = a->verb->act(a);
		int error = result < 0 && result != NOTHING ? errno : 0;
		report(i, a->verb->name, result, error);
	}
}

/* ---- the script ---- */
static void complain(const char *why)
{
	kernel(SYS_write, REPORT, (long)why, strlen(why), 0);
	kernel(SYS_exit_group, 99, 0, 0, 0);
}
static void parse_argument(struct argument *to, char *word)
{
	char *out = word + 1, *from = word + 1;
	to->type = word[0];
	switch (word[0]) {
	case 's':
	case 'S':
		for (; *from; from++) {
			unsigned int byte;
			if (*from != '=')
				*out++ = *from;
			else if (from[1] && sscanf(from + 1, "%2x", &byte) == 1) {
				*out++ = byte;
				from += 2;
			}
		}
		*out = 0;
		to->text = word + 1;
		to->length = out - (word + 1);
		if (word[0] == 'S') {
			to->wide = calloc(to->length + 1, sizeof *to->wide);
			for (size_t i = 0; i < to->length; i++)
				to->wide[i] = (unsigned char)to->text[i];
		}
		break;
	case 'f': to->real = strtod(word + 1, NULL); break;
	default: to->number = strtol(word + 1, NULL, 0);
	}
}
static void parse(char *text)
{
	int open[64], depth = 0;
	char *next;
	for (char *line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		struct action *a = &actions[action_count];
		char *rest = NULL, *word = strtok_r(line, " ", &rest);
		a->verb = &verbs[sizeof verbs / sizeof *verbs - 1];
		a->end = action_count;
		if (word && word[0] != '#') {
			for (a->verb = verbs; strcmp(a->verb->name, word);)
				if (++a->verb == verbs + sizeof verbs / sizeof *verbs)
					complain("no such verb\n");
			while (a->count < ARGUMENTS && (word = strtok_r(NULL, " ", &rest)))
				parse_argument(&a->argument[a->count++], word);
			if (a->verb->block)
				open[depth++ & 63] = action_count;
			else if (!a->verb->act && depth)
				actions[open[--depth & 63]].end = action_count;
		}
		if (++action_count == ACTIONS)
			complain("too long\n");
	}
	while (depth)
		actions[open[--depth & 63]].end = action_count;
}

int main(int argc, char **argv)
{
	script_path = argv[1];
	report_path = argv[2];
	long script = kernel(SYS_openat, AT_FDCWD, (long)argv[1], O_RDONLY, 0);
	static char text[1 << 20];
	long size = 0, got;
	while ((got = kernel(SYS_read, script, (long)text + size, sizeof text - 1 - size, 0)) > 0)
		size += got;
	kernel(SYS_close, script, 0, 0, 0);
	long d = kernel(SYS_openat, AT_FDCWD, (long)argv[2], O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (d != REPORT) {
		kernel(SYS_dup3, d, REPORT, O_CLOEXEC, 0);
		kernel(SYS_close, d, 0, 0, 0);
	}
	setlocale(LC_ALL, "C.UTF-8");
	parse(text);
	files[1] = stdout;
	files[2] = stderr;
	if (argc > 3) {
		struct action *a = &actions[atoi(argv[3])];
		run_block(a);
		report(a - actions, "executed", 0, 0);
		return 9;
	}
	run(0, action_count);
	report(action_count, "all", 0, 0);
	return 0;
}
