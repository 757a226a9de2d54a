#include "decoder/show/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_status.h"

/* It ends by itself at the end of a text that fits, shows colours, leaves the
 * text on the terminal, and ends when it is interrupted. */
#define LESS "FRSXMK"

/* Of a shell that has not found a command. */
#define NOT_FOUND 127

static pid_t pager_child; /* for the handler */

static bool was_found(int status)
{
	return !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}

/* Who has left the pager does not want us to go on, whatever is to come. */
static void end_with_pager(int number)
{
	int status;

	(void)number;
	if (waitpid(pager_child, &status, WNOHANG) == pager_child)
		_exit(was_found(status) ? EXIT_ALL_READ : EXIT_NOTHING);
}

/* Less warns there, and waits for a key before anything is shown. */
static bool is_dumb_terminal(void)
{
	const char *terminal = getenv("TERM");

	return !terminal || *terminal == '\0' ||
	       strcmp(terminal, "dumb") == 0 ||
	       strcmp(terminal, "unknown") == 0;
}

/* Null: none is wanted; empty: any. */
static const char *command(void)
{
	const char *own = getenv("BINLOG_PAGER");
	const char *common = getenv("PAGER");
	const char *chosen = own ? own : common ? common : "";

	if (!own && is_dumb_terminal())
		return NULL;
	if ((own || common) && *chosen == '\0')
		return NULL;
	return strcmp(chosen, "cat") == 0 ? NULL : chosen;
}

static _Noreturn void become_pager(const char *chosen, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", LESS, 1);
	setenv("LESSCHARSET", "utf-8", 1);
	signal(SIGPIPE, SIG_DFL);
	if (*chosen)
		execl("/bin/sh", "sh", "-c", chosen, (char *)NULL);
	execlp("less", "less", (char *)NULL);
	execlp("more", "more", (char *)NULL);
	execlp("cat", "cat", (char *)NULL);
	_exit(NOT_FOUND);
}

void pager_begin(struct pager *pager)
{
	const char *chosen = command();
	const struct sigaction ended = {.sa_handler = end_with_pager,
		.sa_flags = SA_RESTART | SA_NOCLDSTOP};
	int ends[2];
	pid_t child;

	*pager = (struct pager){.terminal = -1};
	if (!chosen || pipe2(ends, O_CLOEXEC) != 0)
		return;
	pager->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	child = pager->terminal < 0 ? -1 : fork();
	if (child == 0)
		become_pager(chosen, ends);
	if (child > 0) {
		pager->child = pager_child = child;
		dup2(ends[1], STDOUT_FILENO);
		signal(SIGPIPE, SIG_IGN);
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		sigaction(SIGCHLD, &ended, NULL);
		end_with_pager(0); /* it may have before */
	} else if (pager->terminal >= 0) {
		close(pager->terminal);
	}
	close(ends[0]);
	close(ends[1]);
}

bool pager_end(struct pager *pager)
{
	int status = 0;

	if (pager->child == 0)
		return true;
	signal(SIGCHLD, SIG_DFL);
	dup2(pager->terminal, STDOUT_FILENO);
	close(pager->terminal);
	while (waitpid(pager->child, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	pager->child = 0;
	return was_found(status);
}
