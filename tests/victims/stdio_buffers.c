/*
 * stdio_buffers WHAT [N]: text that gets into the buffers of FILEs by other
 * ways than calls with a name, in threads, beside forks, in many FILEs; and
 * FILEs that are closed, flushed or exchanged by other names than those of
 * everybody.
 */
#include <locale.h>
#include <mntent.h>
#include <printf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static int lines, locks;
static volatile int done;

static void put(FILE *file, int c, int n)
{
	for (int i = 0; i < n; i++)
		putc_unlocked(c, file);
}

/* Each thread has a FILE of its own. */
static void *speak(void *file)
{
	for (int i = 0; i < lines; i++) {
		if (locks)
			flockfile(file);
		put(file, file == stdout ? 'a' : 'x', 600 + i % 3 * 700);
		if (locks)
			funlockfile(file);
		fprintf(file, "%d\n", i);
	}
	fclose(file);
	done = 1;
	return NULL;
}

static void two(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, speak, stdout);
	speak(fdopen(dup(2), "w"));
	pthread_join(thread, NULL);
}

/* While one thread puts characters, another one makes children. */
static void forks(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, speak, fdopen(dup(1), "w"));
	while (!done) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	pthread_join(thread, NULL);
}

/* The child of one that does not put says something by itself. */
static void *parents(void *unused)
{
	for (int i = 0; i < lines; i++) {
		fflush(stdout);
		if (fork() == 0) {
			put(stdout, 'a', 600);
			printf("%d\n", i);
			put(stdout, 'b', 5);
			printf("\n");
			_exit(fflush(stdout));
		}
		wait(NULL);
	}
	done = 1;
	return NULL;
}

static void children(void)
{
	FILE *file = fdopen(dup(2), "w");
	pthread_t thread;

	pthread_create(&thread, NULL, parents, NULL);
	while (!done) {
		flockfile(file);
		put(file, 'x', 2000);
		funlockfile(file);
		fprintf(file, "\n");
	}
	pthread_join(thread, NULL);
	__fpurge(file); /* how much there is depends on the time */
	if (ftruncate(2, 0))
		_exit(1);
	_exit(0);
}

static void many(void)
{
	FILE **file = calloc(lines, sizeof(*file));

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){20000, 20000});
	for (int i = 0; i < lines; i++) {
		if (!(file[i] = fdopen(dup(1), "w")))
			_exit(1);
		put(file[i], 'a' + i % 26, 5);
		putc_unlocked('\n', file[i]);
	}
	for (int i = 0; i < lines; i++) {
		fprintf(file[i], "of %d\n", i);
		if (i % 3 == 0)
			fclose(file[i]);
		else if (i % 3 == 1)
			fflush(file[i]);
	}
	printf("end\n");
}

/* More than there are numbers of streams. */
static void ways(void)
{
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){20000, 20000});
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < lines; i++) {
			int fd = round ? 10 + i : dup2(1, 10 + i);
			FILE *file = i % 2 ? fdopen(fd, "w") : NULL;

			dprintf(fd, "%d by its number\n", fd);
			if (file) {
				fprintf(file, "%d by a FILE\n", fd);
				fflush(file);
			}
		}
	printf("end\n");
}

static void wide(const char *what)
{
	setlocale(LC_ALL, "C.UTF-8");
	for (; *what; what++)
		fprintf(stderr, "%d\n",
			*what == 'w'   ? wprintf(L"\u00e9")
			: *what == 'n' ? wprintf(L"\n")
			: *what == 'b' ? fputc('b', stdout)
			: *what == 'p' ? printf("p")
			: *what == 's' ? fputs("s", stdout)
			: *what == 'f' ? fflush(stdout)
			: *what == 'l' ? setvbuf(stdout, NULL, _IOLBF, 0)
				       : -2);
}

/* The FILE that is closed has had the number that comes next, and its address.
 */
static void mounts(void)
{
	struct mntent entry = {"a b", "c", "d", "e", 1, 2};
	FILE *file = setmntent("mounts", "w");
	int fd = fileno(file);

	addmntent(file, &entry);
	fprintf(file, "not the output\n");
	endmntent(file);
	fprintf(stderr, "%d\n", dup(1) == fd);
	printf("first\n");
	fflush(stdout);
	write(fd, "second\n", 7);
	file = fdopen(fd, "w");
	put(file, 'm', 20);
	fprintf(file, "\nthird\n");
	fprintf(stderr, "%d\n", endmntent(file));
	printf("fourth\n");
	fprintf(stderr, "%d\n", addmntent(stdout, &entry));
	fprintf(stderr, "%d\n", endmntent(NULL));
}

static int print_own(FILE *file, const struct printf_info *info,
	const void *const *arguments)
{
	put(file, '<', 2);
	return 2 + fprintf(file, "%d>", *(const int *)arguments[0]);
}
static int take_int(
	const struct printf_info *info, size_t n, int *types, int *sizes)
{
	types[0] = PA_INT;
	return 1;
}

static void numbers(int mode)
{
	struct printf_info info = {.spec = 'F', .prec = 2};
	double number = 5e6;
	const void *arguments[] = {&number};

	setvbuf(stdout, NULL, mode, 0);
	printf("before ");
	fprintf(stderr, "%d\n", printf_size(stdout, &info, arguments));
	/* its header declares it without the size that it is called with */
	register_printf_specifier('Y', printf_size, (printf_arginfo_size_function *)(void *)printf_size_info);
	register_printf_specifier('O', print_own, take_int);
	fprintf(stderr, "%d\n", printf("%Y %O %d\n", 2000.0, 7, 8));
	fflush(stdout);
	printf("%O%Y\n", 1, 3e9);
}

/* A format whose directive means something else the second time. */
static void registered_later(void)
{
	for (int i = 0; i < 3; i++) {
		printf("%d: %X %s\n", i, 17, "rest");
		if (i == 0)
			register_printf_specifier('X', print_own, take_int);
	}
	for (int i = 0; i < 2; i++)
		printf("%d: %u\n", 5, 2);
	register_printf_specifier('u', print_own, take_int);
	for (int i = 0; i < 2; i++)
		printf("%d: %u\n", 5, 2);
}

static void exchanged(void)
{
	FILE *file = fopen("exchanged", "w+");
	char bytes[200];
	ssize_t n;
	int own = stdout->_fileno;

	for (int i = 0; i < 10; i++) {
		stdout->_fileno = i % 2 ? fileno(file) : own;
		printf("line %d\n", i);
		fflush(stdout);
	}
	stdout->_fileno = own;
	n = pread(fileno(file), bytes, sizeof(bytes), 0);
	write(2, bytes, n > 0 ? n : 0);
	unlink("exchanged");
}

/* What holds lines back is flushed, the others are not. */
static void only_lines(void)
{
	FILE *full = fdopen(dup(1), "w");

	setvbuf(stdout, NULL, _IOLBF, 0);
	fprintf(full, "full ");
	printf("a line");
	_flushlbf();
	write(1, " of two\n", 8);
	fflush(full);
	printf("more");
	write(1, "before\n", 7);
}

/* Each time a buffer is full it is written, before what follows. */
static void full(void)
{
	put(stdout, 'a', lines);
	write(1, "A", 1);
	put(stdout, 'b', lines);
	write(1, "B", 1);
}

int main(int argc, char **argv)
{
	const char *what = argv[1];

	lines = argc > 2 ? atoi(argv[2]) : 1;
	locks = argc > 3;
	if (!strcmp(what, "two"))
		two();
	else if (!strcmp(what, "forks"))
		forks();
	else if (!strcmp(what, "children"))
		children();
	else if (!strcmp(what, "many"))
		many();
	else if (!strcmp(what, "ways"))
		ways();
	else if (!strcmp(what, "wide"))
		wide(argv[2]);
	else if (!strcmp(what, "mounts"))
		mounts();
	else if (!strcmp(what, "numbers"))
		numbers(lines);
	else if (!strcmp(what, "registered"))
		registered_later();
	else if (!strcmp(what, "exchanged"))
		exchanged();
	else if (!strcmp(what, "full"))
		full();
	else if (!strcmp(what, "lines"))
		only_lines();
	return 0;
}
