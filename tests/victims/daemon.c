/*
 * daemon LOCK: logs by syslog() while it becomes a daemon in all the usual
 * ways; the lock file is held until the last of its processes has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

static void *thread(void *number)
{
	for (int i = 0; i < 50; i++)
		syslog(LOG_INFO, "thread %ld says %d of %s", (long)number, i,
			"fifty");
	return NULL;
}

/* One after the other, so that the order is known. */
static void threads(void)
{
	pthread_t id;

	for (long i = 0; i < 3; i++) {
		pthread_create(&id, NULL, thread, (void *)i);
		pthread_join(id, NULL);
	}
}

static void child(const char *who)
{
	pid_t pid = fork();

	if (pid == 0) {
		errno = ENOENT;
		syslog(LOG_WARNING, "%s: %m", who);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* The other way: setsid, two forks, every descriptor closed. */
static void fork_twice(int lock)
{
	pid_t pid = fork();

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	setsid();
	syslog(LOG_NOTICE, "after the first fork");
	if (fork() > 0)
		_exit(0);
	umask(0);
	chdir("/");
	for (int fd = 0; fd < 1024; fd++)
		if (fd != lock)
			close(fd);
	open("/dev/null", O_RDWR);
	dup(0);
	dup(0);
	openlog("twice", LOG_PID | LOG_NDELAY, LOG_LOCAL0);
	syslog(LOG_INFO, "all closed, in %s", "/");
	printf("nobody sees this\n");
	fflush(stdout);
	child("of the second daemon");
	closelog();
	syslog(LOG_MAIL | LOG_ERR, "literal, \001 control,\ttab and\nnewline");
	exit(0);
}

int main(int argc, char **argv)
{
	int lock = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT, 0600);

	flock(lock, LOCK_EX);
	syslog(LOG_DEBUG, "before openlog");
	openlog("daemon", LOG_PID, LOG_DAEMON);
	errno = EACCES;
	syslog(LOG_ERR, "before daemon(): %m");
	if (daemon(0, 0) < 0)
		return 3;
	syslog(LOG_INFO, "in the daemon: %s, %5.2f%%", "text", 99.5);
	child("child of the daemon");
	threads();
	setlogmask(LOG_UPTO(LOG_WARNING));
	syslog(LOG_INFO, "masked");
	syslog(LOG_CRIT, "%0*d padded %-8s|", 6, 42, "words");
	setlogmask(0xff);
	fork_twice(lock);
	return 0;
}
