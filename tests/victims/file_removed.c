/*
 * file_removed WAY DIRECTORY: says lines, does with the captures in DIRECTORY
 * what WAY says, says many more, and ends with 3.
 *
 *   unlink     keeps another link of it outside: DIRECTORY.kept
 *   directory  the same, and removes DIRECTORY
 *   rename     moves DIRECTORY away: DIRECTORY.moved
 *   truncate=N to so many bytes
 *   copytruncate  as logrotate does it
 *   nothing
 *
 * With -t three more threads say lines all the time, with -p three forked
 * children, of which only what they record is seen; with -h it has a handler
 * of its own for SIGBUS, which ends it with 4.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINES 3000

static long calls;

static void *say(void *who)
{
	for (int i = 0; i < LINES; i++) {
		printf("%s %d of many lines that are said\n", (char *)who, i);
		__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void on_bus(int number)
{
	syscall(SYS_exit_group, number == SIGBUS ? 4 : 5);
}

static void with_file(const char *way, const char *directory, const char *name)
{
	char path[4096], kept[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(kept, sizeof(kept), "%s.kept/%s", directory, name);
	if (strcmp(way, "unlink") == 0 || strcmp(way, "directory") == 0) {
		link(path, kept);
		unlink(path);
	} else if (strncmp(way, "truncate=", 9) == 0) {
		truncate(path, atol(way + 9));
	} else if (strcmp(way, "copytruncate") == 0) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		ftruncate(fd, 0);
		close(fd);
	}
}

static void with_all(const char *way, const char *directory)
{
	char other[4096];
	struct dirent *entry;
	DIR *stream = opendir(directory);

	snprintf(other, sizeof(other), "%s.kept", directory);
	mkdir(other, 0700);
	while (stream && (entry = readdir(stream)))
		if (strstr(entry->d_name, ".binlog"))
			with_file(way, directory, entry->d_name);
	if (stream)
		closedir(stream);
	snprintf(other, sizeof(other), "%s.moved", directory);
	if (strcmp(way, "directory") == 0)
		rmdir(directory);
	if (strcmp(way, "rename") == 0)
		rename(directory, other);
}

int main(int argc, char **argv)
{
	static char *names[] = {"one", "two", "three"};
	pthread_t thread[3];
	int threads = argc > 3 && strchr(argv[3], 't');
	char text[32];

	if (argc > 3 && strchr(argv[3], 'h'))
		signal(SIGBUS, on_bus);
	say("before");
	for (int i = 0; argc > 3 && strchr(argv[3], 'p') && i < 3; i++)
		if (fork() == 0) {
			say(names[i]);
			_exit(0);
		}
	for (int i = 0; threads && i < 3; i++)
		pthread_create(&thread[i], NULL, say, names[i]);
	with_all(argv[1], argv[2]);
	say("after");
	for (int i = 0; threads && i < 3; i++)
		pthread_join(thread[i], NULL);
	while (wait(NULL) > 0)
		;
	say("end");
	fflush(stdout);
	snprintf(text, sizeof(text), "%ld\n", calls);
	syscall(SYS_write, 9, text, strlen(text));
	return 3;
}
