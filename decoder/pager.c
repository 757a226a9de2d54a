#include "decoder/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* It ends by itself at the end of a text that fits, shows colours, leaves the
 * text on the terminal, and ends when it is interrupted. */
#define LESS "FRSXMK"

/* Null: none is wanted; empty: any. */
static const char *command(void)
{
	const char *own = getenv("BINLOG_PAGER");
	const char *common = getenv("PAGER");
	const char *chosen = own ? own : common ? common : "";

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
	_exit(127);
}

void pager_begin(struct pager *pager)
{
	const char *chosen = command();
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
		pager->child = child;
		dup2(ends[1], STDOUT_FILENO);
		/* That it is left early is no failure. */
		signal(SIGPIPE, SIG_IGN);
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	}
	close(ends[0]);
	close(ends[1]);
}

void pager_end(struct pager *pager)
{
	if (pager->child > 0) {
		dup2(pager->terminal, STDOUT_FILENO);
		while (waitpid(pager->child, NULL, 0) < 0 && errno == EINTR)
			;
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
	}
	if (pager->terminal >= 0)
		close(pager->terminal);
	*pager = (struct pager){.terminal = -1};
}
