/*
 * buffers: stdio's macros, which put bytes into the buffer without any call,
 * mixed with calls; all kinds of buffering; write(2) in between.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void macros(FILE *file, int n)
{
	for (int i = 0; i < n; i++) {
		fprintf(file, "%d ", i);
		putc_unlocked('a' + i % 26, file);
		fputs(" string ", file);
		fputc_unlocked('0' + i % 10, file);
		fwrite_unlocked("xyz", 1, 3, file);
		if (i % 3 == 0)
			putc_unlocked('\n', file);
		else
			fprintf(file, "\n");
	}
}

static void only_macros(FILE *file, int n)
{
	for (int i = 0; i < n; i++)
		putc_unlocked(i % 50 == 49 ? '\n' : 'A' + i % 26, file);
}

static void mixed_with_writes(void)
{
	struct iovec parts[3] = {{"one ", 4}, {"two ", 4}, {"three\n", 6}};

	for (int i = 0; i < 10; i++) {
		printf("stdio %d\n", i);
		putchar_unlocked('.');
		fflush(stdout);
		write(1, "write\n", 6);
		puts("puts");
		fflush_unlocked(stdout);
		writev(1, parts, 3);
		dprintf(1, "dprintf %d\n", i);
		fputs("unflushed ", stdout);
	}
	fflush(NULL);
}

static void buffering(FILE *file, int mode, size_t size)
{
	static char buffer[8][8192];
	static int used;

	fflush(file);
	printf("setvbuf %d\n",
		setvbuf(file, mode == _IONBF ? NULL : buffer[used++ % 8], mode,
			size));
	fflush(stdout);
	macros(file, 20);
	only_macros(file, 300);
	putc_unlocked('\n', file);
	fflush(file);
}

static void child(void)
{
	int status;
	pid_t pid;

	printf("before the fork\n");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		only_macros(stdout, 10);
		printf(" of the child ");
		only_macros(stdout, 10);
		exit(0);
	}
	waitpid(pid, &status, 0);
	printf(" after the child\n");
}

int main(void)
{
	only_macros(stdout, 60);
	macros(stdout, 100);
	only_macros(stdout, 20000);
	macros(stdout, 2000);
	fflush(stdout);
	mixed_with_writes();
	macros(stderr, 100);
	only_macros(stderr, 100);
	buffering(stdout, _IONBF, 0);
	buffering(stdout, _IOLBF, 8192);
	buffering(stdout, _IOFBF, 64);
	buffering(stdout, _IOFBF, 8192);
	buffering(stderr, _IOLBF, 256);
	buffering(stderr, _IOFBF, 8192);
	buffering(stderr, _IONBF, 0);
	child();
	flockfile(stdout);
	only_macros(stdout, 30);
	printf("locked\n");
	funlockfile(stdout);
	only_macros(stdout, 33);
	return 0; /* and what is in the buffer is written */
}
