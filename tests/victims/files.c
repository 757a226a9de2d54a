/*
 * files WHAT [N]: writes log files into the working directory, each kind in
 * the way of some program.  Prints "done" in the end.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int count = 100;

static FILE *file_open(const char *name, const char *mode)
{
	FILE *file = fopen(name, mode);

	if (!file) {
		perror(name);
		exit(1);
	}
	return file;
}

/* Opened, written to and closed for each line. */
static void append(void)
{
	for (int i = 0; i < count; i++) {
		FILE *file = file_open("app.log", "a");

		fprintf(file, "line %d of %s\n", i, "many");
		fclose(file);
	}
}

static void append_descriptor(void)
{
	for (int i = 0; i < count; i++) {
		int fd = open("app.log", O_WRONLY | O_CREAT | O_APPEND, 0600);

		dprintf(fd, "line %d\n", i);
		close(fd);
	}
}

static void many(void)
{
	for (int i = 0; i < count; i++) {
		char name[32];
		FILE *file;

		snprintf(name, sizeof(name), "%d.log", i);
		file = file_open(name, "w");
		fprintf(file, "file %d\n", i);
		fputs("some text\n", file);
		fputc('x', file);
		fwrite("\0block\n", 1, 7, file);
		fclose(file);
	}
}

/* All open at the same time. */
static void together(void)
{
	FILE **files = calloc((size_t)count, sizeof(*files));
	char name[32];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%d.log", i);
		files[i] = file_open(name, "w");
		setvbuf(files[i], NULL, _IOLBF, 128);
		fprintf(files[i], "first %d\n", i);
	}
	for (int i = 0; i < count; i++)
		fprintf(files[i], "second %d\n", i);
}

static void descriptors(void)
{
	struct iovec parts[2] = {{"part one, ", 10}, {"part two\n", 9}};
	int fd = open("fd.log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int copy = dup(fd);

	for (int i = 0; i < count; i++) {
		write(fd, "written\n", 8);
		dprintf(fd, "printed %d %.2f\n", i, i / 3.0);
		writev(copy, parts, 2);
	}
	close(fd);
	dprintf(copy, "by the copy\n");
	close(copy);
	fd = creat("creat.log", 0600);
	write(fd, "created\n", 8);
	close(fd);
}

/* What is opened again without O_APPEND begins anew or overwrites. */
static void again(void)
{
	FILE *file;
	int fd;

	for (int i = 0; i < count; i++) {
		file = file_open("cut.log", "w");
		for (int k = 0; k <= i % 7; k++)
			fprintf(file, "round %d line %d\n", i, k);
		fclose(file);
	}
	file = file_open("over.log", "w");
	fprintf(file, "0123456789\n0123456789\n");
	fclose(file);
	fd = open("over.log", O_WRONLY);
	write(fd, "AB", 2);
	close(fd);
	file = file_open("over.log", "a");
	fprintf(file, "at the end\n");
	fclose(file);
	file = file_open("both.log", "w");
	fprintf(file, "old\n");
	file = freopen("both.log", "w", file);
	fprintf(file, "new\n");
	fclose(file);
}

static void rotate_by(const char *mode)
{
	FILE *file = file_open("app.log", mode);
	char from[32], to[32];

	for (int i = 0; i < count; i++) {
		fprintf(file, "entry %d\n", i);
		if (i % 20 != 19)
			continue;
		/* What is said before it is reopened lands in the old one. */
		for (int k = 4; k > 0; k--) {
			snprintf(from, sizeof(from), "app.log.%d", k);
			snprintf(to, sizeof(to), "app.log.%d", k + 1);
			rename(from, to);
		}
		rename("app.log", "app.log.1");
		fprintf(file, "rotated after %d\n", i);
		fclose(file);
		file = file_open("app.log", mode);
	}
	fclose(file);
}

static void rotate(void)
{
	rotate_by("w");
}

static void rotate_appending(void)
{
	rotate_by("a");
}

/* What is held back is inherited and written twice. */
static void forks(void)
{
	FILE *file = file_open("app.log", "a");

	fprintf(file, "held back\n");
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (child == 0) {
			fprintf(file, "child %d\n", i);
			exit(0);
		}
		waitpid(child, NULL, 0);
		fprintf(file, "parent %d\n", i);
	}
	fclose(file);
}

static void *thread(void *number)
{
	char name[32];
	FILE *own;

	snprintf(name, sizeof(name), "thread%d.log", (int)(long)number);
	for (int i = 0; i < count; i++) {
		own = file_open(name, "a");
		fprintf(own, "thread %ld: %d\n", (long)number, i);
		fclose(own);
	}
	return NULL;
}

/* All of them into one file. */
static void *thread_shared(void *number)
{
	for (int i = 0; i < count; i++) {
		FILE *file = file_open("shared.log", "a");

		fprintf(file, "thread %ld: %d\n", (long)number, i);
		fclose(file);
	}
	return NULL;
}

/* Thousands of files, each with its name in it. */
static void *thread_files(void *number)
{
	for (int i = 0; i < count; i++) {
		char name[32];
		FILE *file;

		snprintf(name, sizeof(name), "%d-%d.log", (int)(long)number, i);
		file = file_open(name, "w");
		fprintf(file, "%s\n", name);
		if (i % 2)
			fflush(file);
		dprintf(fileno(file), "%s\n", name);
		fclose(file);
	}
	return NULL;
}

static void in_threads(void *(*run)(void *))
{
	pthread_t ids[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, run, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

static void threads(void)
{
	in_threads(thread);
}

static void threads_shared(void)
{
	in_threads(thread_shared);
}

static void threads_files(void)
{
	in_threads(thread_files);
}

static void buffers(void)
{
	static char room[64];
	FILE *none = file_open("none.log", "w");
	FILE *line = file_open("line.log", "w");
	FILE *full = file_open("full.log", "w");

	setvbuf(none, NULL, _IONBF, 0);
	setvbuf(line, NULL, _IOLBF, 0);
	setvbuf(full, room, _IOFBF, sizeof(room));
	for (int i = 0; i < count; i++) {
		FILE *files[3] = {none, line, full};

		for (int k = 0; k < 3; k++) {
			fprintf(files[k], "text %d, ", i);
			write(fileno(files[k]), "w", 1);
			fputs(i % 3 ? "rest\n" : "rest", files[k]);
			if (i % 10 == 0)
				fflush(files[k]);
			putc_unlocked('p', files[k]);
		}
	}
}

/* A position that is asked for, and one that is set. */
static void seeks(void)
{
	FILE *file = file_open("seek.log", "w");
	fpos_t first;

	for (int i = 0; i < count; i++)
		fprintf(file, "%ld: entry %d\n", ftell(file), i);
	fseek(file, 3, SEEK_SET);
	fprintf(file, "<overwritten>");
	rewind(file);
	fputs("*", file);
	fflush(file);
	fgetpos(file, &first);
	fputs("*****", file);
	fsetpos(file, &first);
	fputs("+", file);
	fseek(file, 0, SEEK_END);
	fprintf(file, "end at %ld\n", ftell(file));
	fclose(file);
}

/* What was there before stays where it is. */
static void existing(void)
{
	FILE *file = file_open("old.log", "a");

	fprintf(file, "appended %d\n", 1);
	fclose(file);
	file = file_open("old.log", "a");
	fprintf(file, "appended %d\n", 2);
	fclose(file);
}

/* Named, but no longer; never named; only read. */
static void unnamed(void)
{
	char text[16] = "";
	int fd = open("gone.log", O_RDWR | O_CREAT, 0600);
	FILE *file;

	dprintf(fd, "said\n");
	unlink("gone.log");
	dprintf(fd, "said after\n");
	file = tmpfile();
	fprintf(file, "temporary\n");
	rewind(file);
	fgets(text, sizeof(text), file);
	printf("read back: %s", text);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{"append", append},
	{"append_descriptor", append_descriptor},
	{"many", many},
	{"together", together},
	{"descriptors", descriptors},
	{"again", again},
	{"rotate", rotate},
	{"rotate_appending", rotate_appending},
	{"forks", forks},
	{"threads", threads},
	{"threads_shared", threads_shared},
	{"threads_files", threads_files},
	{"buffers", buffers},
	{"seeks", seeks},
	{"existing", existing},
	{"unnamed", unnamed},
};

int main(int argc, char **argv)
{
	if (argc > 2)
		count = atoi(argv[2]);
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			kinds[i].run();
	puts("done");
	return 0;
}
