/*
 * contexts FUNCTION CONTEXT [BYTES]: runs the snippets of a function in one of
 * the contexts from which a call can come; says so many bytes before, so that
 * a capture may become full in the middle.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "snippets.h"

static const char *function;
static char **arguments;

static void fill(size_t bytes)
{
	static char text[4096];

	if (bytes == 0 || bytes > sizeof(text))
		return;
	memset(text, '.', bytes);
	text[bytes - 1] = '\n';
	write(2, text, bytes);
}

static void run(void)
{
	fill(arguments[3] ? (size_t)atoi(arguments[3]) : 0);
	snippets_run(function);
}

static void in_main(void)
{
	run();
}

/* A library that the program needs does it: see dependency.c. */
static void in_constructor(void)
{
}

static void *thread(void *unused)
{
	run();
	return unused;
}

static void in_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
}

static void at_thread_exit(void *unused)
{
	(void)unused;
	run();
}

static void *leaving_thread(void *key)
{
	pthread_setspecific(*(pthread_key_t *)key, key);
	return NULL;
}

static void in_threadexit(void)
{
	static pthread_key_t key;
	pthread_t id;

	pthread_key_create(&key, at_thread_exit);
	pthread_create(&id, NULL, leaving_thread, &key);
	pthread_join(id, NULL);
}

static void handler(int number)
{
	(void)number;
	run();
}

static void in_signal(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
}

static void in_fork(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		run();
		exit(7);
	}
	waitpid(child, &status, 0);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
}

static void in_exec(void)
{
	arguments[2] = "main";
	execv("/proc/self/exe", arguments);
	snippets_exit_bad("exec");
}

static void in_dlopen(void)
{
	void *handle = dlopen(getenv("PLUGIN"), RTLD_NOW | RTLD_LOCAL);
	void (*other)(const char *) =
		handle ? dlsym(handle, "snippets_run") : NULL;

	if (!other || other == snippets_run)
		snippets_exit_bad("dlopen");
	other(function);
}

static void in_atexit(void)
{
	atexit(run);
}

static const struct {
	const char *name;
	void (*enter)(void);
} contexts[] = {
	{"main", in_main},
	{"constructor", in_constructor},
	{"thread", in_thread},
	{"threadexit", in_threadexit},
	{"signal", in_signal},
	{"fork", in_fork},
	{"exec", in_exec},
	{"dlopen", in_dlopen},
	{"atexit", in_atexit},
};

int main(int argc, char **argv)
{
	if (argc < 3)
		snippets_exit_bad("usage");
	function = argv[1];
	arguments = argv;
	for (size_t i = 0; i < sizeof(contexts) / sizeof(*contexts); i++)
		if (strcmp(contexts[i].name, argv[2]) == 0) {
			contexts[i].enter();
			return 0;
		}
	snippets_exit_bad(argv[2]);
}
