/*
 * log_socket COMMAND...: runs the command with a /dev/log of its own, in a
 * mount namespace of its own, where another process reads all that arrives and
 * throws it away; as a syslog daemon that does nothing else.  Exits as the
 * command does, or with 3 and a sentence if there can be no such place.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "log_socket: %s: %s\n", what, strerror(errno));
	exit(3);
}

/* The namespace has /dev to itself; what else is needed is kept. */
static void make_dev(void)
{
	char place[] = "/tmp/log_socket.XXXXXX", path[64];

	if (unshare(CLONE_NEWNS) != 0)
		fail("no mount namespace");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		!mkdtemp(place) ||
		mount("none", place, "tmpfs", 0, "mode=755") != 0)
		fail("no mounts");
	snprintf(path, sizeof(path), "%s/null", place);
	close(open(path, O_CREAT | O_WRONLY, 0666));
	if (mount("/dev/null", path, NULL, MS_BIND, NULL) != 0 ||
		mount(place, "/dev", NULL, MS_BIND | MS_REC, NULL) != 0)
		fail("no /dev");
	umount2(place, MNT_DETACH);
	rmdir(place);
}

static int make_socket(void)
{
	struct sockaddr_un address = {AF_UNIX, "/dev/log"};
	int socket_of_log = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (socket_of_log < 0 ||
		bind(socket_of_log, (struct sockaddr *)&address,
			sizeof(address)) != 0)
		fail("no socket");
	return socket_of_log;
}

static void read_all(int socket_of_log)
{
	static char message[65536];

	for (;;)
		if (recv(socket_of_log, message, sizeof(message), 0) < 0 &&
			errno != EINTR)
			_exit(1);
}

int main(int argc, char **argv)
{
	int socket_of_log, status;
	pid_t reader, command;

	if (argc < 2)
		return 2;
	make_dev();
	socket_of_log = make_socket();
	reader = fork();
	if (reader == 0)
		read_all(socket_of_log);
	command = reader < 0 ? -1 : fork();
	if (command == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (command < 0 || waitpid(command, &status, 0) != command)
		fail("no process");
	kill(reader, SIGKILL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
