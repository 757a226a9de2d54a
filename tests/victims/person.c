/*
 * person [EXPECT ANSWER]... -- COMMAND...: runs a command on a terminal of its
 * own and acts as the person before it: waits for each text to appear, and
 * types the answer.  Writes what the screen has shown, as far as it was shown
 * when each text was waited for, to standard output; ends with the status of
 * the command, or 99 when a text did not appear within ten seconds.
 */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 10000 /* ms */

static char screen[1 << 20];
static size_t shown;
static size_t answered; /* what is before it has been seen */

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* False when the terminal is closed, or nothing comes until `end`. */
static int look(int master, long end)
{
	struct pollfd one = {.fd = master, .events = POLLIN};
	long rest = end - now();
	ssize_t n;

	if (rest <= 0 || poll(&one, 1, (int)rest) <= 0)
		return 0;
	n = read(master, screen + shown, sizeof(screen) - 1 - shown);
	if (n <= 0)
		return 0;
	shown += (size_t)n;
	return 1;
}

static int expect(int master, const char *text)
{
	long end = now() + PATIENCE;

	for (;;) {
		char *at = memmem(screen + answered, shown - answered, text,
			strlen(text));

		if (at) {
			answered = (size_t)(at - screen) + strlen(text);
			return 1;
		}
		if (!look(master, end))
			return 0;
	}
}

/* Its status; it may have closed the terminal before it ends. */
static int await(pid_t child)
{
	const struct timespec shortly = {0, 5000000};
	long end = now() + PATIENCE;
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (now() > end)
			kill(-child, SIGKILL);
		nanosleep(&shortly, NULL);
	}
	return status;
}

static void type(int master, const char *text)
{
	if (write(master, text, strlen(text)) < 0)
		perror("type");
}

int main(int argc, char **argv)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	int command = 1, status, master;
	int missed = 0;
	pid_t child;

	while (command < argc && strcmp(argv[command], "--") != 0)
		command++;
	if (command + 1 >= argc || command % 2 == 0)
		return 98;
	child = forkpty(&master, NULL, NULL, &size);
	if (child == 0) {
		execvp(argv[command + 1], argv + command + 1);
		_exit(97);
	}
	for (int i = 1; i < command && !missed; i += 2) {
		missed = !expect(master, argv[i]);
		if (missed)
			fprintf(stderr, "did not appear: %s\n", argv[i]);
		else
			type(master, argv[i + 1]);
	}
	if (missed)
		kill(-child, SIGKILL);
	while (look(master, now() + PATIENCE))
		;
	status = await(child);
	fwrite(screen, 1, shown, stdout);
	return missed		   ? 99
	       : WIFEXITED(status) ? WEXITSTATUS(status)
				   : 128 + WTERMSIG(status);
}
