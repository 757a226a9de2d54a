/*
 * last_status FILE COMMAND...: runs the command and puts into the file how it
 * ended, as waitpid() and waitid() have it.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *file = argc > 2 ? fopen(argv[1], "we") : NULL;
	siginfo_t info = {0};
	int status = 0;
	pid_t child;

	if (!file)
		return 2;
	child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	waitpid(child, &status, 0);
	fprintf(file, "status %x, code %d, status %d\n", status, info.si_code,
		info.si_status);
	return 0;
}
