/*
 * Does one thing to the state of stdio, named by its argument, and notes in
 * the file "results" what every call has returned, what it has done to errno
 * and to the error and end-of-file marks of stdout and stderr, and where both
 * stand.  So a recorded run can be compared with a native one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static int results;
static int silent; /* the state of stdout is nothing to look at */

static void say(const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	syscall(SYS_write, results, text, strlen(text));
}

static void note(int line, const char *what, long result, int number)
{
	say("%d: %s: %ld", line, what, result);
	if (result <= 0) /* else it says nothing */
		say(", errno %d", number);
	if (!silent)
		say(", stdout %d %d, stderr %d %d, at %ld %ld", ferror(stdout),
			feof(stdout), ferror(stderr), feof(stderr),
			ftell(stdout), ftell(stderr));
	say("\n");
}

#define R(...)                                                                 \
	do {                                                                   \
		errno = 0;                                                     \
		long result_ = (long)(__VA_ARGS__);                            \
		note(__LINE__, #__VA_ARGS__, result_, errno);                  \
	} while (0)
#define V(...) R(((__VA_ARGS__), 0))

static int new_file(const char *name)
{
	return open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

/* Everything that prints to a FILE, also what it returns when it cannot. */
static void print_all(FILE *file)
{
	static const char text[] = "some text";

	R(fprintf(file, "formatted %d %s\n", 42, "text"));
	R(fputs("a string\n", file));
	R(fwrite(text, 1, sizeof(text) - 1, file));
	R(fwrite(text, 3, 3, file));
	R(fwrite(text, 0, 3, file));
	R(putc('x', file));
	R(fputc('y', file));
	R(putc_unlocked('z', file));
	R(fputs_unlocked("unlocked", file));
	R(fwrite_unlocked(text, 2, 2, file));
	R(putw(0x0a6b6f0a, file));
	R(fflush(file));
	R(ferror(file));
}

static void print_stdout(void)
{
	R(printf("%s\n", "to stdout"));
	R(puts("a line"));
	R(putchar('c'));
	R(putchar('\n'));
}

static void plain(void)
{
	print_stdout();
	print_all(stdout);
	print_all(stderr);
}

static void close_descriptor(void)
{
	R(printf("lost"));
	R(close(1));
	print_stdout();
	R(fflush(stdout));
	R(ferror(stdout));
	V(clearerr(stdout));
	print_all(stdout);
	R(close(2));
	print_all(stderr);
	R(dup(1));
	R(write(1, "x", 1));
	R(lseek(1, 0, SEEK_CUR));
}

static void close_file(void)
{
	R(printf("kept\n"));
	R(fclose(stdout));
	silent = 1;
	R(printf("lost"));
	R(puts("lost"));
	R(putchar('l'));
	R(fflush(stdout));
	R(ferror(stdout));
	R(fprintf(stderr, "still there\n"));
}

static void read_only(void)
{
	FILE *file = fopen("/dev/null", "r");

	print_all(file);
	R(fwide(file, 0));
	fclose(file);
	R(freopen("/dev/null", "r", stdout) == stdout);
	print_stdout();
	print_all(stdout);
}

static void wide_first(void)
{
	R(fwide(stdout, 0));
	R(fwide(stdout, 1));
	R(fwide(stdout, -1));
	R(printf("no byte"));
	R(puts("no line"));
	R(putchar('n'));
	R(fputs("no string", stdout));
	R(fwrite("no block", 1, 8, stdout));
	R(wprintf(L"wide %d %ls\n", 1, L"text"));
	R(fputws(L"a wide string\n", stdout));
	R(putwchar(L'w'));
	R(fputwc(L'\n', stdout));
	R(fwide(stdout, 0));
	R(ferror(stdout));
	R(fflush(stdout));
}

static void bytes_first(void)
{
	R(fwide(stdout, 0));
	R(printf("bytes\n"));
	R(fwide(stdout, 0));
	R(fwide(stdout, 1));
	R(wprintf(L"no wide"));
	R(fputws(L"no wide", stdout));
	R(putwchar(L'n'));
	R(ferror(stdout));
	R(fflush(stdout));
	R(fwide(stderr, -1));
	R(fputwc(L'n', stderr));
	R(fprintf(stderr, "bytes\n"));
}

static void buffers(void)
{
	static char own[300], other[100];

	silent = 1; /* ftell is in `tell` */
	R(__fbufsize(stdout));
	R(setvbuf(stdout, own, _IOFBF, sizeof(own)));
	R(printf("in our own\n"));
	R(__fpending(stdout));
	R(setvbuf(stdout, other, _IOLBF, sizeof(other)));
	R(__flbf(stdout));
	R(printf("lines\nhalf a "));
	R(printf("line"));
	R(setvbuf(stdout, NULL, _IONBF, 0));
	R(printf("at once"));
	R(__fbufsize(stdout));
	R(setvbuf(stdout, NULL, _IOFBF, 4096));
	R(printf("of one byte still"));
	R(setvbuf(stdout, NULL, 99, 0));
	R(setvbuf(stdout, own, _IOFBF, 0));
	R(printf("no room"));
	V(setlinebuf(stdout));
	R(printf("again\nby lines"));
	V(setbuf(stdout, NULL));
	R(printf("unbuffered"));
	V(setbuffer(stdout, own, 17));
	for (int i = 0; i < 20; i++)
		printf("number %d\n", i);
	R(write(1, "[overtakes]", 11));
	R(setvbuf(stderr, other, _IOFBF, sizeof(other)));
	R(fprintf(stderr, "held back\n"));
	R(write(2, "[overtakes]", 11));
	R(setvbuf(stderr, NULL, _IONBF, 0));
	R(fprintf(stderr, "at once\n"));
}

static void pending(void)
{
	static char own[100];
	static char big[5000];

	silent = 1;
	memset(big, 'b', sizeof(big));
	R(__fpending(stdout));
	R(__fpending(stderr));
	for (int i = 0; i < 30; i++) {
		printf("line %d of some\nand more", i);
		R(__fpending(stdout));
		R(lseek(1, 0, SEEK_CUR));
	}
	R(fwrite(big, 1, sizeof(big), stdout));
	R(__fpending(stdout));
	R(fwrite(big, 1, 4096, stdout));
	R(__fpending(stdout));
	R(fflush(stdout));
	R(__fpending(stdout));
	R(setvbuf(stdout, own, _IOFBF, sizeof(own)));
	for (int i = 0; i < 30; i++) {
		printf("line %d of %-20s some\nand more", i, "padded");
		R(__fpending(stdout));
		R(lseek(1, 0, SEEK_CUR));
		fputs("a string", stdout);
		R(__fpending(stdout));
		putchar('c');
		R(__fpending(stdout));
		puts("a line");
		R(__fpending(stdout));
		putchar_unlocked('u');
		R(__fpending(stdout));
	}
	V(setlinebuf(stdout));
	for (int i = 0; i < 30; i++) {
		printf("line %d of %-20s some\nand %d more", i, "padded", i);
		R(__fpending(stdout));
		R(lseek(1, 0, SEEK_CUR));
		puts("a line");
		R(__fpending(stdout));
		fputs("a string", stdout);
		R(__fpending(stdout));
	}
	V(__fpurge(stdout));
	R(__fpending(stdout));
	R(printf("not lost\n"));
	R(printf("lost"));
	V(__fpurge(stdout));
	R(lseek(1, 0, SEEK_CUR));
	R(ftell(stdout));
}

static void seeks(void)
{
	fpos_t here;
	fpos64_t here64;

	R(fputs("0123456789abcdefghij\n", stdout));
	R(lseek(1, 0, SEEK_CUR));
	R(fseek(stdout, 5, SEEK_SET));
	R(lseek(1, 0, SEEK_CUR));
	R(printf("five"));
	R(fseek(stdout, 2, SEEK_CUR));
	R(printf("two"));
	R(fseek(stdout, 0, SEEK_END));
	R(printf("at the end\n"));
	R(fgetpos(stdout, &here));
	R(fgetpos64(stdout, &here64));
	R(puts("taken back"));
	R(fsetpos(stdout, &here));
	R(puts("put there"));
	R(fsetpos64(stdout, &here64));
	R(puts("PUT"));
	R(fseeko(stdout, 100, SEEK_SET));
	R(printf("after a hole\n"));
	R(fseek(stdout, -4, SEEK_END));
	R(putchar('X'));
	R(fseek(stdout, -1, SEEK_SET));
	R(fseek(stdout, 0, 77));
	R(fseek(stdout, -1000, SEEK_CUR));
	R(lseek(1, -1, SEEK_SET));
	R(lseek(1, 0, 77));
	R(lseek(1, 0, SEEK_END));
	R(lseek(1, 5, SEEK_CUR));
	R(write(1, "written", 7));
	R(lseek(1, 0, SEEK_HOLE));
	R(lseek(1, 0, SEEK_DATA));
	R(lseek(1, 1 << 20, SEEK_DATA));
	R(lseek(1, 0, SEEK_END));
	V(rewind(stdout));
	R(putchar('!'));
	R(ftello(stdout));
	R(ftello64(stdout));
	R(fseeko64(stdout, 0, SEEK_END));
	R(printf("end\n"));
	R(fprintf(stderr, "0123456789"));
	R(fseek(stderr, 3, SEEK_SET));
	R(fprintf(stderr, "three"));
	R(lseek(2, 0, SEEK_CUR));
}

static void positions(void)
{
	struct iovec v[2] = {{"vec", 3}, {"tor", 3}};

	R(printf("0123456789012345678901234567890123456789\n"));
	R(fflush(stdout));
	R(pwrite(1, "PW", 2, 3));
	R(pwrite(1, "beyond", 6, 60));
	R(pwrite(1, "", 0, 70));
	R(pwrite(1, "x", 1, -1));
	R(pwrite(1, (void *)1, 1, 0));
	R(pwritev(1, v, 2, 10));
	R(pwritev2(1, v, 2, 20, 0));
	R(lseek(1, 0, SEEK_CUR));
	R(pwritev2(1, v, 2, -1, 0));
	R(lseek(1, 0, SEEK_END));
	R(ftruncate(1, 20));
	R(ftell(stdout));
	R(lseek(1, 0, SEEK_END));
	R(printf("more\n"));
	R(fflush(stdout));
	R(ftruncate(1, 10));
	R(ftruncate(1, -1));
	R(lseek(1, 0, SEEK_SET));
	R(printf("from the start"));
}

static void opened_anew(const char *path)
{
	FILE *file;
	int fd;

	R(printf("before\n"));
	R(fflush(stdout));
	file = fopen(path, "w");
	R(fileno(file) > 2);
	R(fprintf(file, "by another way\n"));
	R(ftell(file));
	R(fclose(file));
	R(printf("after\n"));
	R(fflush(stdout));
	file = fopen(path, "a");
	R(ftell(file));
	R(fprintf(file, "appended\n"));
	R(ftell(file));
	R(fclose(file));
	R(printf("and here\n"));
	R(fflush(stdout));
	fd = open(path, O_WRONLY);
	R(write(fd, "WRITTEN", 7));
	R(lseek(fd, 0, SEEK_CUR));
	R(lseek(dup(fd), 0, SEEK_CUR));
	R(lseek(1, 0, SEEK_CUR));
	R(close(fd));
	fd = open(path, O_WRONLY | O_APPEND);
	R(write(fd, "at the end\n", 11));
	R(lseek(fd, 0, SEEK_CUR));
	R(pwrite(fd, "P", 1, 0));
	R(lseek(fd, 0, SEEK_CUR));
	R(close(fd));
	fd = openat(AT_FDCWD, path, O_WRONLY);
	R(dup2(fd, 1));
	R(printf("now stdout"));
	R(fflush(stdout));
	R(lseek(fd, 0, SEEK_CUR));
}

static void opened_device(void)
{
	opened_anew("/dev/stdout");
}

static void opened_link(void)
{
	opened_anew("/proc/self/fd/1");
}

static void opened_by_children(void)
{
	R(fprintf(stderr, "before\n"));
	R(system("echo of echo >/dev/stderr"));
	R(fprintf(stderr, "after\n"));
	R(system("/bin/echo of /bin/echo >/dev/stderr"));
	R(lseek(2, 0, SEEK_CUR));
	R(lseek(2, 0, SEEK_END));
	R(system("/bin/echo appended >>/dev/stderr"));
	R(lseek(2, 0, SEEK_END));
	R(printf("before\n"));
	R(fflush(stdout));
	R(system("echo 1; /bin/echo 2; (echo 3; /bin/echo 4)"));
	R(lseek(1, 0, SEEK_CUR));
	R(printf("after\n"));
}

static void reopened(void)
{
	R(printf("before\n"));
	R(freopen("other", "w", stdout) == stdout);
	R(fileno(stdout));
	R(printf("in the other\n"));
	R(freopen("other", "a", stdout) == stdout);
	R(printf("appended\n"));
	R(freopen("/no/such/file", "w", stdout) == stdout);
	silent = 1;
	R(fprintf(stderr, "before\n"));
	R(freopen("/dev/stderr", "a", stderr) == stderr);
	R(fprintf(stderr, "after\n"));
	R(fileno(stderr));
}

static void reopened_null(void)
{
	R(printf("before\n"));
	R(freopen(NULL, "a", stdout) == stdout);
	R(printf("appended\n"));
	R(freopen(NULL, "w", stdout) == stdout);
	R(printf("from the start\n"));
	R(fflush(stdout));
	R(lseek(1, 0, SEEK_CUR));
}

static void redirected(void)
{
	int fd = new_file("other");
	int saved = dup(1);

	R(dup2(fd, 1));
	R(printf("in the other\n"));
	R(fflush(stdout));
	R(printf("unflushed there, "));
	R(dup2(saved, 1));
	R(printf("back\n"));
	R(dup2(fd, 2));
	R(fprintf(stderr, "error\n"));
	R(dup2(saved, 2));
	R(fprintf(stderr, "error into stdout\n"));
	R(fflush(stdout));
	R(dup3(saved, 1, O_CLOEXEC));
	R(dup2(77, 1));
	R(printf("end\n"));
}

static void by_descriptor(void)
{
	FILE *one = fdopen(1, "w");
	FILE *two = fdopen(dup(1), "w");
	FILE *bad = fdopen(77, "w");

	R(bad == NULL);
	R(printf("stdout 1\n"));
	R(fprintf(one, "one 1\n"));
	R(fprintf(two, "two 1\n"));
	R(fflush(two));
	R(printf("stdout 2\n"));
	R(ftell(one));
	R(ftell(two));
	R(fflush(one));
	R(fclose(two));
	R(lseek(1, 0, SEEK_CUR));
	R(dprintf(1, "to the descriptor\n"));
}

static ssize_t cookie_write(void *cookie, const char *text, size_t size)
{
	say("cookie: %zu bytes\n", size);
	return size;
}

static void assigned(void)
{
	cookie_io_functions_t functions = {.write = cookie_write};
	FILE *real = stdout;
	char *text = NULL, memory[30];
	size_t size = 0;

	silent = 1;
	R(printf("before\n"));
	stdout = fopencookie(NULL, "w", functions);
	print_stdout();
	R(fclose(stdout));
	stdout = open_memstream(&text, &size);
	print_stdout();
	R(fclose(stdout));
	say("%zu: %s\n", size, text);
	stdout = fmemopen(memory, sizeof(memory), "w");
	print_stdout();
	R(fflush(stdout));
	R(fclose(stdout));
	say("%.30s\n", memory);
	stdout = fopen("other", "w");
	print_stdout();
	R(fclose(stdout));
	stdout = stderr;
	print_stdout();
	stdout = real;
	stderr = real;
	R(fprintf(stderr, "into stdout\n"));
	V(perror("also"));
	R(printf("after\n"));
}

static void full_device(void)
{
	int fd = open("/dev/full", O_WRONLY);

	R(dup2(fd, 1));
	silent = 1; /* where a device stands is another matter */
	R(printf("lost\n"));
	R(fflush(stdout));
	R(ferror(stdout));
	R(printf("lost, too\n"));
	R(fflush(stdout));
	V(clearerr(stdout));
	R(ferror(stdout));
	R(setvbuf(stdout, NULL, _IONBF, 0));
	print_all(stdout);
	R(dup2(fd, 2));
	print_all(stderr);
}

static void broken_pipe(void)
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	R(pipe(ends));
	R(dup2(ends[1], 1));
	close(ends[1]);
	close(ends[0]);
	silent = 1;
	print_stdout();
	R(fflush(stdout));
	print_all(stdout);
}

static void full_pipe(void)
{
	static char big[70000];
	int ends[2];

	R(pipe2(ends, O_NONBLOCK));
	R(dup2(ends[1], 1));
	silent = 1;
	R(fwrite(big, 1, sizeof(big), stdout));
	R(ferror(stdout));
	R(fflush(stdout));
	R(write(1, big, 10000));
	V(clearerr(stdout));
	R(printf("more\n"));
	R(fflush(stdout));
}

static void flushes(void)
{
	static char buffer[200];

	R(setvbuf(stderr, buffer, _IOFBF, sizeof(buffer)));
	R(dup2(1, 2));
	R(printf("1 out\n"));
	R(fprintf(stderr, "2 err\n"));
	R(fflush(stderr));
	R(printf("3 out\n"));
	R(fprintf(stderr, "4 err\n"));
	R(fflush(NULL));
	R(printf("5 out\n"));
	R(fprintf(stderr, "6 err\n"));
	R(fflush_unlocked(stdout));
	R(printf("7 out\n"));
}

static void all_closed(void)
{
	FILE *other = fopen("other", "w");

	R(fprintf(other, "other\n"));
	R(printf("out\n"));
	silent = 1;
	R(fcloseall());
	R(printf("lost\n"));
	R(puts("lost"));
	R(fprintf(stderr, "lost?\n"));
}

static void *group(void *name)
{
	for (int i = 0; i < 200; i++) {
		flockfile(stdout);
		printf("%s %d: ", (char *)name, i);
		putchar_unlocked('(');
		fputs_unlocked("group", stdout);
		putchar_unlocked(')');
		puts("");
		funlockfile(stdout);
	}
	return NULL;
}

static void locking(void)
{
	pthread_t threads[3];
	static char names[3][2] = {"a", "b", "c"};

	R(__fsetlocking(stdout, FSETLOCKING_QUERY));
	R(__fsetlocking(stdout, FSETLOCKING_BYCALLER));
	R(printf("by the caller\n"));
	R(__fsetlocking(stdout, FSETLOCKING_INTERNAL));
	R(ftrylockfile(stdout));
	R(printf("locked\n"));
	V(funlockfile(stdout));
	for (int i = 0; i < 3; i++) {
		pthread_create(&threads[i], NULL, group, names[i]);
		pthread_join(threads[i], NULL);
	}
}

static void forked(void)
{
	pid_t pid;

	R(printf("before\n"));
	pid = fork();
	if (pid == 0) {
		printf("child\n");
		exit(0);
	}
	waitpid(pid, NULL, 0);
	R(lseek(1, 0, SEEK_CUR));
	R(printf("parent\n"));
	pid = fork();
	if (pid == 0) {
		fflush(stdout);
		lseek(1, 2, SEEK_SET);
		write(1, "X", 1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	R(lseek(1, 0, SEEK_CUR));
	R(lseek(1, 0, SEEK_END));
}

/* A header is filled in when what follows is known. */
static void archive(void)
{
	long start = ftell(stdout), end;

	R(printf("size %10d\n", 0));
	for (int i = 0; i < 2000; i++)
		printf("member %d\n", i);
	end = ftell(stdout);
	R(fseek(stdout, start, SEEK_SET));
	R(printf("size %10ld\n", end - start));
	R(fseek(stdout, 0, SEEK_END));
	R(printf("directory\n"));
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
#define SCENARIO(name) {#name, name}
	SCENARIO(plain),
	SCENARIO(close_descriptor),
	SCENARIO(close_file),
	SCENARIO(read_only),
	SCENARIO(wide_first),
	SCENARIO(bytes_first),
	SCENARIO(buffers),
	SCENARIO(pending),
	SCENARIO(seeks),
	SCENARIO(positions),
	SCENARIO(opened_device),
	SCENARIO(opened_link),
	SCENARIO(opened_by_children),
	SCENARIO(reopened),
	SCENARIO(reopened_null),
	SCENARIO(redirected),
	SCENARIO(by_descriptor),
	SCENARIO(assigned),
	SCENARIO(full_device),
	SCENARIO(broken_pipe),
	SCENARIO(full_pipe),
	SCENARIO(flushes),
	SCENARIO(all_closed),
	SCENARIO(locking),
	SCENARIO(forked),
	SCENARIO(archive),
};

int main(int argc, char **argv)
{
	results = open("results", O_WRONLY | O_CREAT | O_APPEND, 0644);
	dup2(results, 60);
	close(results);
	results = 60;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		if (argc < 2)
			say("%s\n", scenarios[i].name);
		else if (strcmp(argv[1], scenarios[i].name) == 0)
			scenarios[i].run();
	}
	return 0;
}
