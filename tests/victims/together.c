/*
 * together THREADS TURNS: threads that use all kinds of functions, on streams
 * of their own and on common ones, each beginning with another kind; what is
 * open changes meanwhile.  In the directory where it runs.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static int turns;

static void formats(int who, int turn)
{
	printf("thread %d turn %d: %s %5.2f %c\n", who, turn, "text", 1.5, 'c');
	fprintf(stderr, "thread %d: %-10s|%p\n", who, "on stderr",
		(void *)stderr);
	dprintf(1, "thread %d: %#lx\n", who, (long)turn);
}

static void texts(int who, int turn)
{
	puts("a constant line");
	fputs("a constant text\n", stderr);
	fwrite("counted bytes\n", 1, 14, stdout);
	fprintf(stdout, "%s", who % 2 ? "odd\n" : "even\n");
	(void)turn;
}

static void characters(int who, int turn)
{
	flockfile(stdout);
	for (const char *c = "of characters\n"; *c; c++)
		putc_unlocked(*c, stdout);
	funlockfile(stdout);
	putc('a' + who % 26, stdout);
	putchar('\n');
	(void)turn;
}

static void own_file(int who, int turn)
{
	static __thread char buffer[512];
	char name[32];
	FILE *file;

	snprintf(name, sizeof(name), "file.%d", who);
	file = fopen(name, turn % 2 ? "a" : "w");
	if (!file)
		err(1, "%s", name);
	if (turn % 3 == 0)
		setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	for (int i = 0; i < 40; i++)
		fprintf(file, "line %d of thread %d\n", i, who);
	fseek(file, 0, SEEK_SET);
	fputs("from the beginning\n", file);
	fclose(file);
}

static void descriptors(int who, int turn)
{
	int copy = dup(1), other = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dprintf(copy, "thread %d to a copy\n", who);
	dup2(other, copy);
	dprintf(copy, "thread %d to nowhere\n", turn);
	close(copy);
	close(other);
}

static void complaints(int who, int turn)
{
	errno = ENOENT;
	perror("a complaint");
	warn("thread %d", who);
	warnx("turn %d", turn);
	syslog(LOG_INFO, "thread %d, turn %d: %m", who, turn);
}

static void flushes(int who, int turn)
{
	fflush(who % 2 ? stdout : NULL);
	printf("thread %d: no newline", who);
	fflush(stdout);
	printf(" until here %d\n", turn);
}

static void long_texts(int who, int turn)
{
	char *text = malloc(200001);

	memset(text, 'a' + who % 26, 200000);
	text[turn % 4 ? 300 : 200000] = '\0';
	printf("%s\n", text);
	free(text);
}

static void wide_text(int who, int turn)
{
	FILE *file = fopen("/dev/null", "w");

	fwprintf(file, L"thread %d turn %d\n", who, turn);
	fclose(file);
}

static void made_formats(int who, int turn)
{
	char format[64];

	snprintf(format, sizeof(format), "made %d %d: %%d %%s\n", who, turn);
	printf(format, turn, "argument");
}

static void *run(void *number)
{
	static void (*const kinds[])(int, int) = {formats, texts, characters,
		own_file, descriptors, complaints, flushes, long_texts,
		wide_text, made_formats};
	int who = (int)(long)number;

	for (int turn = 0; turn < turns; turn++)
		for (int i = 0; i < COUNT(kinds); i++)
			kinds[(who + turn + i) % COUNT(kinds)](who, turn);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	int threads = argc > 1 ? atoi(argv[1]) : 4;

	turns = argc > 2 ? atoi(argv[2]) : 20;
	if (threads > COUNT(thread))
		errx(2, "too many threads");
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, run, (void *)(long)i);
	/* What is made meanwhile: another program says its own. */
	for (int i = 0; i < 3; i++)
		if (system("echo a child") != 0)
			warnx("no child");
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%d threads, %d turns\n", threads, turns);
	return 0;
}
