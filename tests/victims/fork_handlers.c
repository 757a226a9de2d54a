/*
 * What handlers of pthread_atfork(3) print, and what children inherit of it and
 * of what was held back before: SCENARIO HANDLERS, a sum of 1 (before the
 * fork), 2 (in the parent), 4 (in the child) and 8 (text is held back before).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *scenario;
static int which;
static int depth;

static int is(const char *name)
{
	return strcmp(scenario, name) == 0;
}

static void await(pid_t child)
{
	int status = 0;

	if (child == 0) {
		printf("the child ends\n");
		exit(3);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		puts("no child");
	printf("it ended with %d\n", WEXITSTATUS(status));
}

static void prepare(void)
{
	printf("prepare %d\n", depth);
	if (is("nested") && depth++ == 0)
		await(fork());
}

static void parent(void)
{
	printf("parent %d\n", depth);
}

static void child(void)
{
	printf("child %s\n", "text");
	if (is("in-child") && depth++ == 0)
		await(fork());
	if (is("flushing"))
		fflush(stdout);
}

static void *in_thread(void *unused)
{
	await(fork());
	return unused;
}

static void make(void)
{
	pthread_t thread;
	int master;

	if (is("thread")) {
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
	} else if (is("_Fork")) {
		await(_Fork());
	} else if (is("forkpty")) {
		pid_t pid = forkpty(&master, NULL, NULL, NULL);

		if (pid == 0)
			freopen("child", "w", stdout);
		await(pid);
	} else {
		await(fork());
	}
}

static void register_these(void)
{
	pthread_atfork(which & 1 ? prepare : NULL, which & 2 ? parent : NULL,
		which & 4 ? child : NULL);
}

#ifdef LIBRARY
void set(const char *its_scenario, int its_which)
{
	scenario = its_scenario;
	which = its_which;
	register_these();
}
#else
int main(int argc, char **argv)
{
	void *library = NULL;

	scenario = argv[1];
	which = atoi(argv[2]);
	if (is("library") || is("unloaded")) {
		library = dlopen(argv[3], RTLD_NOW);
		((void (*)(const char *, int))dlsym(library, "set"))(
			scenario, which);
	} else {
		register_these();
	}
	if (is("unloaded"))
		dlclose(library);
	if (is("twice"))
		pthread_atfork(prepare, parent, child);
	if (which & 8)
		printf("held back %s\n", scenario);
	make();
	if (is("again"))
		make();
	return 0;
}
#endif
