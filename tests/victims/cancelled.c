/*
 * cancelled: threads that are cancelled, and such as end otherwise.  Each says
 * its number first, but for silent ones.  For each that is joined descriptor 9
 * is told: its number, whether it was cancelled, and how it was to end.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static pthread_barrier_t begun, asked;
static volatile pid_t number;

static void begin(void)
{
	number = gettid();
	printf("I am %d\n", (int)gettid());
	fflush(stdout);
	pthread_barrier_wait(&begun);
}

static void clean(void *unused)
{
	printf("cleanup\n");
}

static void *sleeps(void *unused)
{
	begin();
	for (;;)
		pause();
}
static void *silent(void *unused)
{
	number = gettid();
	pthread_barrier_wait(&begun);
	for (;;)
		pause();
}
static void *cleans(void *unused)
{
	pthread_cleanup_push(clean, NULL);
	begin();
	for (;;)
		pause();
	pthread_cleanup_pop(0);
}
static void *says_in_cleanup(void *unused)
{
	pthread_cleanup_push(clean, NULL);
	silent(NULL);
	pthread_cleanup_pop(0);
}
static void *at_any_time(void *unused)
{
	begin();
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		;
}
static void *prints(void *unused)
{
	begin();
	for (;;)
		printf("\n");
}
static void *jumps(void *unused)
{
	jmp_buf back;

	begin();
	if (setjmp(back) == 0)
		longjmp(back, 1);
	for (;;)
		pause();
}
static void *by_itself(void *unused)
{
	begin();
	pthread_barrier_wait(&asked);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return NULL;
}
static void *in_silence(void *unused)
{
	number = gettid();
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&asked);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return NULL;
}

/* It is asked to end, and does so by itself. */
static void disable(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	begin();
	pthread_barrier_wait(&asked);
}
static void *returns(void *unused)
{
	disable();
	return NULL;
}
static void *exits(void *unused)
{
	disable();
	pthread_exit(NULL);
}
static int exits_c11(void *unused)
{
	disable();
	thrd_exit(5);
}

/* How it is asked to end. */
enum asks { BY_US, IN_VAIN, BY_ITSELF };

static void one(const char *how, void *(*go)(void *), enum asks asks)
{
	pthread_t id;
	void *result;

	pthread_create(&id, NULL, go, NULL);
	pthread_barrier_wait(&begun);
	if (asks != BY_ITSELF)
		pthread_cancel(id);
	if (asks != BY_US)
		pthread_barrier_wait(&asked);
	pthread_join(id, &result);
	dprintf(9, "%d %s %s\n", (int)number,
		result == PTHREAD_CANCELED ? "cancelled" : "ended", how);
}

static void *forks(void *unused)
{
	pid_t child = fork();

	if (child == 0) {
		one("in a child", sleeps, BY_US);
		exit(0);
	}
	waitpid(child, NULL, 0);
	return NULL;
}

int main(void)
{
	jmp_buf back;
	pthread_t id;

	printf("main\n");
	fflush(stdout);
	pthread_barrier_init(&begun, NULL, 2);
	pthread_barrier_init(&asked, NULL, 2);
	one("before any", exits, BY_ITSELF);
	one("sleeping", sleeps, BY_US);
	one("cleaning", cleans, BY_US);
	one("silent until its cleanup", says_in_cleanup, BY_US);
	one("at any time", at_any_time, BY_US);
	one("printing", prints, BY_US);
	one("jumping", jumps, BY_US);
	one("by itself", by_itself, BY_ITSELF);
	one("by itself, silent", in_silence, BY_ITSELF);
	one("returning", returns, IN_VAIN);
	one("exiting", exits, IN_VAIN);
	one("exiting as of C11", (void *(*)(void *))exits_c11, IN_VAIN);
	pthread_create(&id, NULL, forks, NULL);
	pthread_join(id, NULL);
	if (setjmp(back) == 0)
		longjmp(back, 1);
	return 3;
}
