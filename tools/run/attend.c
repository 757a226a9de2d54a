#include "tools/run/attend.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t attended;

static void pass_on(int signal)
{
	int error = errno;

	kill(attended, signal);
	errno = error;
}

static struct {
	int signal;
	void (*meanwhile)(int signal);
	struct sigaction before;
} dispositions[] = {
	{.signal = SIGINT, .meanwhile = SIG_IGN},
	{.signal = SIGQUIT, .meanwhile = SIG_IGN},
	{.signal = SIGTERM, .meanwhile = pass_on},
	{.signal = SIGHUP, .meanwhile = pass_on},
	/* Were it ignored, as it may be inherited, there were no status. */
	{.signal = SIGCHLD, .meanwhile = SIG_DFL},
};

enum { DISPOSITIONS = sizeof(dispositions) / sizeof(*dispositions) };

static void change_dispositions(void)
{
	struct sigaction action = {.sa_flags = SA_RESTART};
	size_t i;

	for (i = 0; i < DISPOSITIONS; i++) {
		action.sa_handler = dispositions[i].meanwhile;
		sigaction(dispositions[i].signal, &action,
			&dispositions[i].before);
	}
}

static void restore_dispositions(void)
{
	size_t i;

	for (i = 0; i < DISPOSITIONS; i++)
		sigaction(
			dispositions[i].signal, &dispositions[i].before, NULL);
}

/* All signals wait until it is known whom they are for. */
pid_t attend_start(void)
{
	sigset_t all, before;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	change_dispositions();
	child = fork();
	if (child <= 0)
		restore_dispositions();
	else
		attended = child;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

int attend_finish(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	restore_dispositions();
	return status;
}

_Noreturn void attend_end_alike(int status)
{
	sigset_t only;

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	/* The program's core is of interest, ours would overwrite it. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}
