/*
 * kill_check PAGE SHOW CAPTURE [CLAIM]: 0 when `SHOW --raw CAPTURE` holds every
 * print that has returned according to PAGE (and CLAIM more per thread), in
 * order, whole, and at most one more per thread; else 1, and says why not.
 * kill_check PAGE PROGRAM [ARG...] with KILL_AFTER=MICROSECONDS set: clears
 * PAGE, runs the program and kills it after that time; with KILL_TALKING=1,
 * after that time from its first print on, however long that takes to come.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kill.h"

static struct kill_page *map_page(const char *path)
{
	struct kill_page *page;
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*page)) < 0)
		exit(2);
	kill_begin();
	page = mmap(
		NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return page == MAP_FAILED ? (exit(2), NULL) : page;
}

static bool said_nothing(const struct kill_page *page)
{
	for (unsigned i = 0; i < KILL_THREADS; i++)
		if (__atomic_load_n(&page->returned[i], __ATOMIC_ACQUIRE) != 0)
			return false;
	return true;
}

static int kill_one(struct kill_page *page, char **command, const char *after)
{
	pid_t child;
	int status;

	memset(page, 0, sizeof(*page));
	child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", getenv("KILL_PRELOAD"), 1);
		execv(command[0], command);
		_exit(127);
	}
	if (atoi(getenv("KILL_TALKING") ?: "0"))
		for (int i = 0; i < 60000 && said_nothing(page); i++)
			usleep(1000);
	usleep((useconds_t)atoi(after));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return 0;
	return printf("ended by itself: %x\n", status), 1;
}

static int complain(const char *what, unsigned thread, uint64_t number)
{
	printf("thread %u, line %lu: %s\n", thread, number, what);
	return 1;
}

static int check(const struct kill_page *page, FILE *log, uint64_t claim)
{
	uint64_t seen[KILL_THREADS] = {0};
	char line[KILL_LINE_MAX], *text = NULL;
	size_t room = 0;
	ssize_t length;
	uint64_t all = 0;

	while ((length = getline(&text, &room, log)) > 0) {
		unsigned thread = (unsigned)(text[0] - '0');
		size_t wanted;

		if (thread >= KILL_THREADS)
			return complain("torn", thread, 0);
		wanted = kill_line(line, thread, seen[thread]);
		if ((size_t)length != wanted ||
			memcmp(text, line, wanted) != 0) {
			printf("got: %.*s", (int)length, text);
			return complain("torn, or not the next one", thread,
				seen[thread]);
		}
		seen[thread]++;
	}
	for (unsigned i = 0; i < KILL_THREADS; i++) {
		if (page->returned[i] + claim > seen[i])
			return complain("returned, but lost", i, seen[i]);
		if (seen[i] > page->returned[i] + 1)
			return complain("not said yet, but there", i, seen[i]);
		all += seen[i];
	}
	printf("%lu\n", all);
	return 0;
}

int main(int argc, char **argv)
{
	const char *after = getenv("KILL_AFTER");
	struct kill_page *page;
	int ends[2], bad, status;
	FILE *log;

	if (argc < 4 && !after)
		return 2;
	page = map_page(argv[1]);
	if (after)
		return kill_one(page, argv + 2, after);
	if (pipe(ends) < 0 || !(log = fdopen(ends[0], "r")))
		return 2;
	if (fork() == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		execl(argv[2], argv[2], "--raw", "-q", argv[3], (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	bad = check(page, log, argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
	fclose(log);
	wait(&status);
	/* Killed while it was still setting up: there is nothing to read. */
	if (!bad && WIFEXITED(status) && WEXITSTATUS(status) == 2 &&
		said_nothing(page))
		return 0;
	if (!bad && status != 0)
		bad = printf("binlog-show: status %x\n", status) > 0;
	return bad;
}
