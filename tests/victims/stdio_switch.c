/*
 * Descriptors that change what they are while text goes to them: by functions
 * of libc, and by syscall().  `other` has to be left with the rest.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int raw;

static void close_it(int fd)
{
	if (raw)
		syscall(SYS_close, fd);
	else
		close(fd);
}

static void duplicate(int from, int to)
{
	if (raw == 2)
		syscall(SYS_dup3, from, to, 0);
	else if (raw)
		syscall(SYS_dup2, from, to);
	else
		dup2(from, to);
}

/* stdout becomes a file of its own and is stdout again. */
static void redirect(void)
{
	int kept = dup(1), file = open("other", O_CREAT | O_WRONLY, 0600);

	for (int i = 0; i < 50; i++) {
		dprintf(1, "to stdout %d\n", i);
		printf("by FILE %d\n", i);
		fflush(stdout);
		duplicate(file, 1);
		dprintf(1, "to the file %d\n", i);
		printf("to the file by FILE %d\n", i);
		fflush(stdout);
		duplicate(kept, 1);
	}
	close_it(file);
	/* The number of what was stdout is now a file's. */
	close_it(1);
	open("another", O_CREAT | O_WRONLY, 0600);
	dprintf(1, "to another\n");
	duplicate(kept, 1);
	close_it(kept);
	file = open("third", O_CREAT | O_WRONLY, 0600);
	dprintf(file, "to the third\n");
	if (raw)
		syscall(SYS_close_range, 1, 1, 0);
	else
		close_range(1, 1, 0);
	file = open("fourth", O_CREAT | O_WRONLY, 0600);
	dprintf(file, "to the fourth as %d\n", file);
}

static void *open_and_close(void *name)
{
	char path[32];

	for (int i = 0; i < 3000; i++) {
		int fd = open("/dev/null", O_WRONLY);

		dprintf(fd, "nowhere\n");
		close_it(fd);
		if (i % 50)
			continue;
		snprintf(path, sizeof(path), "%s-%d", (char *)name, i);
		fd = open(path, O_CREAT | O_WRONLY, 0600);
		dprintf(fd, "%s\n", path);
		close_it(fd);
		/* A duplicate of stdout gets the number that was free. */
		fd = dup(1);
		dprintf(fd, "%s says %d\n", (char *)name, i);
		close_it(fd);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	char *names[] = {"one", "two", "three", "four"};

	raw = argc > 2 ? argv[2][0] - '0' : 0;
	if (strcmp(argv[1], "redirect") == 0)
		redirect();
	for (int i = 0; i < 4 && strcmp(argv[1], "threads") == 0; i++)
		pthread_create(&threads[i], NULL, open_and_close, names[i]);
	for (int i = 0; i < 4 && strcmp(argv[1], "threads") == 0; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
