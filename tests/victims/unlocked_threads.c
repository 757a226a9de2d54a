/*
 * Prints in every way for which a recorder may look into a FILE: characters and
 * macros, pieces of lines, a buffer filled by hand; then again with threads that
 * take the lock for lines of several calls.
 */
#include <pthread.h>
#include <stdio.h>

#define LINES 2000

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static int last;

static void pieces(int n)
{
	int i;

	printf("%d:", n);
	for (i = 0; i < n % 7; i++) {
		putchar_unlocked(' ');
		putc('a' + i, stdout);
		putc_unlocked('.', stdout);
		fputs("..", stdout);
		printf(" %d", i);
	}
	putchar('\n');
}

/* They take turns, so that what they print has one order. */
static void *lines(void *argument)
{
	int n, mine = argument != NULL;

	for (n = 0; n < LINES; n++) {
		pthread_mutex_lock(&turn);
		while (last % 2 != mine)
			pthread_cond_wait(&next, &turn);
		flockfile(stdout);
		pieces(n);
		funlockfile(stdout);
		last++;
		pthread_cond_broadcast(&next);
		pthread_mutex_unlock(&turn);
	}
	return NULL;
}

int main(void)
{
	pthread_t other;
	int n;

	for (n = 0; n < LINES; n++)
		pieces(n);
	pthread_create(&other, NULL, lines, NULL);
	lines(&turn);
	pthread_join(other, NULL);
	return 0;
}
