/* Requests that overlap, on three threads: each says when it starts and when it is done. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *work(void *closure)
{
	int thread = (int)(intptr_t)closure;

	for (int i = 0; i < 20; i++) {
		printf("start %d\n", thread * 100 + i);
		if (i > 0)
			printf("done %d\n", thread * 100 + i - 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
