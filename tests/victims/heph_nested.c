/* Two threads whose parts are nested, and hold requests that overlap and end on the other one. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void part(int thread, int depth)
{
	printf("enter %s\n", depth % 2 ? "odd" : "even");
	printf("start %d\n", thread * 1000 + depth);
	if (depth < 5) {
		part(thread, depth + 1);
		part(thread, depth + 2);
	}
	if (depth % 3)
		printf("done %d\n", (1 - thread) * 1000 + depth);
	puts("leave");
	printf("done %d\n", thread * 1000 + depth);
}

static void *work(void *closure)
{
	part((int)(intptr_t)closure, 0);
	printf("enter %s\n", "what is never left");
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
