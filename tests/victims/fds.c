/*
 * fds LIST COMMAND...: runs the command and ends as it does.  For each process
 * that comes of it, LIST gets a line when that ends: its program, the kernel's
 * number for how it ended, and what its descriptors are then.  Linked
 * statically, so that it is not recorded itself; 126 if it may not trace.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS                                                                \
	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |      \
		PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)

static FILE *list;

static void say_link(pid_t pid, const char *what)
{
	char path[64 + 256], target[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	n = readlink(path, target, sizeof(target));
	fprintf(list, " %.*s", n < 0 ? 1 : (int)n, n < 0 ? "?" : target);
}

static int only_numbers(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return atoi((*a)->d_name) - atoi((*b)->d_name);
}

static void say_descriptors(pid_t pid)
{
	char path[64 + 256];
	struct dirent **fds;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	n = scandir(path, &fds, only_numbers, by_number);
	for (int i = 0; i < n; i++) {
		fprintf(list, " %s:", fds[i]->d_name);
		snprintf(path, sizeof(path), "fd/%s", fds[i]->d_name);
		say_link(pid, path);
		free(fds[i]);
	}
	if (n >= 0)
		free(fds);
}

static bool is_thread(pid_t pid)
{
	char path[64], line[256];
	int group = pid;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Tgid: %d", &group) == 1)
			break;
	if (status)
		fclose(status);
	return group != pid;
}

static void say_end(pid_t pid)
{
	unsigned long status = 0;

	if (is_thread(pid))
		return;
	ptrace(PTRACE_GETEVENTMSG, pid, NULL, &status);
	fprintf(list, "%lu", status);
	say_link(pid, "exe");
	say_descriptors(pid);
	fputc('\n', list);
}

static void go_on(pid_t pid, int status)
{
	int event = status >> 16, number = WSTOPSIG(status);

	if (event == PTRACE_EVENT_EXIT)
		say_end(pid);
	if (event == PTRACE_EVENT_STOP && number != SIGTRAP)
		ptrace(PTRACE_LISTEN, pid, NULL, NULL);
	else
		ptrace(PTRACE_CONT, pid, NULL, event ? 0L : (long)number);
}

static pid_t start(char **command)
{
	int go[2];
	char byte = 0;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) != 0)
		exit(126);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execvp(command[0], command);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, (long)OPTIONS) != 0 ||
		write(go[1], &byte, 1) != 1)
		exit(126);
	close(go[0]);
	close(go[1]);
	return pid;
}

int main(int argc, char **argv)
{
	int status, ended = 0;
	pid_t first, pid;

	list = argc > 2 ? fopen(argv[1], "we") : NULL;
	if (!list)
		return 126;
	first = start(argv + 2);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			go_on(pid, status);
		else if (pid == first)
			ended = status;
	}
	fclose(list);
	if (WIFSIGNALED(ended)) {
		signal(WTERMSIG(ended), SIG_DFL);
		raise(WTERMSIG(ended));
	}
	return WEXITSTATUS(ended);
}
