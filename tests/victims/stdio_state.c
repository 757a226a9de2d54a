/* What stdio returns and remembers, whatever its streams have become. */
#include "stdio_note.h"

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

static void small_buffer(void)
{
	static char buffer[10];

	silent = 1; /* ftell is in `tell` */
	R(setvbuf(stdout, buffer, _IOFBF, sizeof(buffer)));
	R(__fpending(stdout));
	for (int i = 0; i < 25; i++) {
		R(fputc('f', stdout));
		R(__fpending(stdout));
	}
	for (int i = 0; i < 25; i++) {
		R(putc_unlocked('p', stdout));
		R(__fpending(stdout));
	}
	R(setvbuf(stdout, buffer, _IOFBF, 0));
	R(fwrite("no room", 1, 7, stdout));
	R(__fpending(stdout));
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

/* Messages with more around them than what is formatted. */
static void reports(void)
{
	dup2(2, 1);
	errno = ENOENT;
	warn("warning %d", 1);
	R(lseek(2, 0, SEEK_CUR));
	warnx("warning %s", "x");
	R(lseek(2, 0, SEEK_CUR));
	warn(NULL);
	R(lseek(2, 0, SEEK_CUR));
	error(0, EPERM, "error %d", 2);
	R(lseek(2, 0, SEEK_CUR));
	error(0, 0, "error");
	R(lseek(2, 0, SEEK_CUR));
	error_at_line(0, EIO, "file", 12, "error %d", 3);
	R(lseek(2, 0, SEEK_CUR));
	errno = 12345;
	perror("prefix");
	R(lseek(2, 0, SEEK_CUR));
	errno = EAGAIN;
	perror(NULL);
	R(lseek(2, 0, SEEK_CUR));
	psignal(SIGINT, "signal");
	R(lseek(2, 0, SEEK_CUR));
	openlog("name", LOG_PERROR | LOG_PID, LOG_USER);
	R(ftell(stdout));
}

static const struct scenario scenarios[] = {
	SCENARIO(plain),
	SCENARIO(close_descriptor),
	SCENARIO(close_file),
	SCENARIO(read_only),
	SCENARIO(wide_first),
	SCENARIO(bytes_first),
	SCENARIO(buffers),
	SCENARIO(assigned),
	SCENARIO(full_device),
	SCENARIO(broken_pipe),
	SCENARIO(full_pipe),
	SCENARIO(flushes),
	SCENARIO(small_buffer),
	SCENARIO(all_closed),
	SCENARIO(locking),
	SCENARIO(reports),
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_scenario(scenarios, argv[1]);
}
