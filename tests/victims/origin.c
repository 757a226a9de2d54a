/*
 * origin: threads that are created in many ways, and children.  Each says one
 * word, and how many frames are below it.  A comment behind a call that creates
 * something has its name.
 */
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static void *says(void *word)
{
	void *frames[64];

	printf("%s %d\n", (const char *)word, backtrace(frames, 64));
	return NULL;
}

static int says_c11(void *word)
{
	says(word);
	return 7;
}

APART static void plainly(void)
{
	pthread_t id;

	pthread_create(&id, NULL, says, "plain"); /* plain */
	pthread_join(id, NULL);
}

APART static void as_of_c11(void)
{
	thrd_t id;
	int result;

	thrd_create(&id, says_c11, "c11"); /* c11 */
	thrd_join(id, &result);
	printf("result %d\n", result);
}

static pthread_barrier_t ended;

static void *says_at_last(void *word)
{
	says(word);
	pthread_barrier_wait(&ended);
	return NULL;
}

APART static void detached(void)
{
	pthread_attr_t attributes;
	pthread_t id;

	pthread_barrier_init(&ended, NULL, 2);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&id, &attributes, says_at_last, "apart"); /* apart */
	pthread_barrier_wait(&ended);
}

/* Says nothing itself. */
static void *silent(void *unused)
{
	pthread_t id;

	pthread_setname_np(pthread_self(), "silent");
	pthread_create(&id, NULL, says, "inner"); /* inner */
	pthread_join(id, NULL);
	return NULL;
}

APART static void nested(void)
{
	pthread_t id;

	pthread_create(&id, NULL, silent, NULL); /* outer */
	pthread_join(id, NULL);
}

APART static void child(void)
{
	pid_t pid = fork(); /* child */

	if (pid == 0) {
		says("child");
		plainly();
		exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *forks(void *unused)
{
	pid_t pid = fork(); /* thread's child */

	if (pid == 0) {
		says("grandchild");
		exit(0);
	}
	waitpid(pid, NULL, 0);
	return NULL;
}

APART static void child_of_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, forks, NULL); /* forking */
	pthread_join(id, NULL);
}

/* One creates the next, more often than is told. */
static void *generation(void *left)
{
	pthread_t id;

	if ((long)left == 0)
		return says("last");
	left = (void *)((long)left - 1);
	pthread_create(&id, NULL, generation, left); /* generation */
	pthread_join(id, NULL);
	return NULL;
}

/* What could not be created is no creation. */
APART static void fails(void)
{
	pthread_attr_t attributes;
	pthread_t id;
	int i, result = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
	for (i = 0; i < 5000; i++)
		result = pthread_create(&id, &attributes, says, "never");
	printf("created: %s\n", strerror(result));
}

static void *nothing(void *unused)
{
	return unused;
}

APART static void many(int count, void *(*what)(void *))
{
	pthread_t id;

	while (count-- > 0) {
		pthread_create(&id, NULL, what, "one of many"); /* many */
		pthread_join(id, NULL);
	}
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		printf("begin\n");
		many(atoi(argv[2]), argv[1][0] == 's' ? nothing : says);
		return 0;
	}
	says("main");
	plainly();
	as_of_c11();
	detached();
	nested();
	fflush(stdout);
	child();
	child_of_thread();
	generation((void *)12);
	fails();
	plainly();
	return 0;
}
