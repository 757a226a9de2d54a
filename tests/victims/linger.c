/*
 * linger [silent|thread|child|heir|closed|failed]: says that it is there,
 * unless it is to be silent, writes its number into the file "ready" and waits
 * for a signal; after SIGUSR1 it says one thing more and ends.  It is not the
 * first thread that waits with "thread", which has ended; not the first
 * process with "child", nor with "heir", which says so; nor with "closed",
 * where no descriptor but three is open.  With "failed", or a second word, it
 * has not been able to execute another program.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void on_signal(int number)
{
	(void)number;
	printf("I am going\n");
	fflush(stdout);
	_exit(0);
}

static void *wait_here(void *main_thread)
{
	int fd;

	if (main_thread)
		pthread_join(*(pthread_t *)main_thread, NULL);
	signal(SIGUSR1, on_signal);
	fd = open("starting", O_CREAT | O_WRONLY, 0600);
	dprintf(fd, "%d\n", (int)getpid());
	close(fd);
	rename("starting", "ready");
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t self;
	pthread_t other;
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "silent") != 0) {
		printf("I am here\n");
		fflush(stdout);
	}
	if (strcmp(how, "thread") == 0) {
		self = pthread_self();
		pthread_create(&other, NULL, wait_here, &self);
		pthread_exit(NULL);
	}
	if ((strcmp(how, "child") == 0 || strcmp(how, "closed") == 0 ||
		    strcmp(how, "heir") == 0) &&
		fork() != 0)
		return 0;
	if (strcmp(how, "heir") == 0) {
		printf("I am the heir\n");
		fflush(stdout);
	}
	if (strcmp(how, "failed") == 0 || argc > 2)
		execv("/no/where", argv);
	if (strcmp(how, "failed") == 0 ||
		(strcmp(how, "heir") == 0 && argc > 2)) {
		printf("I am still here\n");
		fflush(stdout);
	}
	if (strcmp(how, "closed") == 0)
		syscall(SYS_close_range, 3, ~0u, 0);
	wait_here(NULL);
}
