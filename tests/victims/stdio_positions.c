/* Where outputs stand, what is held back, and outputs that are opened anew. */
#include "stdio_note.h"

static int new_file(const char *name)
{
	return open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
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

/* Nobody asks before much has been said. */
static void asked_late(void)
{
	silent = 1;
	for (int i = 0; i < 3000; i++)
		printf("line %d\n", i);
	R(lseek(1, 0, SEEK_CUR));
	R(ftell(stdout));
	R(__fpending(stdout));
	for (int i = 0; i < 3000; i++)
		printf("line %d\n", i);
	R(fflush(stdout));
	R(lseek(1, 0, SEEK_CUR));
	printf("%d %s\n", 5, "text");
	R(__fpending(stdout));
	R(fprintf(stderr, "error %d\n", 5));
	R(lseek(2, 0, SEEK_CUR));
	R(ftell(stderr));
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

/* More often than there are numbers for open files. */
static void opened_often(void)
{
	for (int i = 0; i < 150; i++) {
		int fd = open("/dev/stdout",
			i % 5 ? O_WRONLY | O_APPEND : O_WRONLY);

		if (i == 75)
			R(dprintf(1, "by its first way\n"));
		R(dprintf(fd, "%d by a way of its own\n", i));
		R(lseek(fd, 0, SEEK_CUR));
		R(close(fd));
	}
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

/* Held back when its descriptor becomes another: that gets it. */
static void held_elsewhere(void)
{
	int null = open("/dev/null", O_WRONLY);
	int saved = dup(1);

	silent = 1; /* what it would hold back is not known there */
	R(printf("for nobody"));
	R(dup2(null, 1));
	R(fflush(stdout));
	R(dup2(saved, 1));
	R(printf("back\n"));
	R(fflush(stdout));
	R(printf("for nobody at exit"));
	R(dup2(null, 1));
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

static const struct scenario scenarios[] = {
	SCENARIO(pending),
	SCENARIO(asked_late),
	SCENARIO(seeks),
	SCENARIO(positions),
	SCENARIO(opened_device),
	SCENARIO(opened_link),
	SCENARIO(opened_often),
	SCENARIO(opened_by_children),
	SCENARIO(reopened),
	SCENARIO(reopened_null),
	SCENARIO(redirected),
	SCENARIO(by_descriptor),
	SCENARIO(forked),
	SCENARIO(held_elsewhere),
	SCENARIO(archive),
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_scenario(scenarios, argv[1]);
}
