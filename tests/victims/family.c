/*
 * family [silent]: a process that has descendants of every kind, one after the
 * other, and executes echo in the end.  Into descriptor 9 it writes the
 * numbers of those that say something.
 *
 *	family                     says something, executes echo
 *	  family                   forked, exits with 3
 *	    family                 forked, leaves by _exit(0)
 *	    echo                   a child of that which was forked
 *	  family                   forked, says nothing before it executes itself
 *	  echo                     a child of a child that says nothing
 *	  echo                     spawned
 *	  echo                     in the place of the first
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void say(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
	dprintf(9, "%d\n", (int)getpid());
}

static void await(pid_t child)
{
	waitpid(child, NULL, 0);
}

static void forked(void)
{
	pid_t child;

	say("forked");
	child = fork();
	if (child == 0) {
		say("forked twice");
		_exit(0);
	}
	await(child);
	child = fork();
	if (child == 0)
		execlp("echo", "echo", "from a fork", NULL);
	dprintf(9, "%d\n", (int)child);
	await(child);
	exit(3);
}

static void grandchild(void)
{
	pid_t child = fork();

	if (child == 0)
		execlp("echo", "echo", "from below", NULL);
	dprintf(9, "%d\n", (int)child);
	await(child);
	_exit(0);
}

int main(int argc, char **argv)
{
	char *words[] = {"echo", "spawned", NULL};
	pid_t child;

	if (argc > 1)
		return dprintf(9, "%d\n", (int)getpid()) < 0;
	say("first");
	child = fork();
	if (child == 0)
		forked();
	await(child);
	child = fork();
	if (child == 0)
		execl(argv[0], argv[0], "silent", NULL);
	await(child);
	child = fork();
	if (child == 0)
		grandchild();
	await(child);
	posix_spawnp(&child, "echo", NULL, NULL, words, environ);
	dprintf(9, "%d\n", (int)child);
	await(child);
	dprintf(9, "%d\n", (int)getpid());
	execlp("echo", "echo", "in the place of the first", NULL);
	return 1;
}
