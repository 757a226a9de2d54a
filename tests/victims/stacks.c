/*
 * stacks: prints from threads with the smallest stack that there may be, from
 * coroutines, and from a handler on a small alternate stack after a crash.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static void *small(void *number)
{
	printf("small %ld: %d %s %lx %c\n", (long)number, -5, "text", 255ul,
		'c');
	fputs("by fputs\n", stdout);
	printf("again %ld\n", (long)number);
	fflush(stdout);
	return NULL;
}

/* 16 KiB with a hole before, so that too much is a crash. */
static void threads(void)
{
	pthread_attr_t attributes;
	pthread_t id;
	char *stack;

	for (long i = 0; i < 20; i++) {
		stack = mmap(NULL, 65536, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(stack + 49152, 16384, PROT_READ | PROT_WRITE);
		pthread_attr_init(&attributes);
		pthread_attr_setstack(&attributes, stack + 49152, 16384);
		if (pthread_create(&id, &attributes, small, (void *)i) == 0)
			pthread_join(id, NULL);
		else
			puts("no such thread");
		munmap(stack, 65536);
	}
}

#define COROUTINES 50
#define ROUNDS 40
static ucontext_t scheduler, coroutine[COROUTINES];
static int current;

static void run(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		printf("coroutine %d, round %d\n", current, i);
		swapcontext(&coroutine[current], &scheduler);
	}
}

static void coroutines(void)
{
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_size = 16384;
		coroutine[i].uc_stack.ss_sp = malloc(16384);
		coroutine[i].uc_link = &scheduler;
		makecontext(&coroutine[i], run, 0);
	}
	for (int round = 0; round <= ROUNDS; round++)
		for (current = 0; current < COROUTINES; current++)
			swapcontext(&scheduler, &coroutine[current]);
}

static void crashed(int number)
{
	printf("signal %d\n", number);
	fflush(stdout);
	fprintf(stderr, "%s\n", "dying");
	_exit(9);
}

int main(void)
{
	const stack_t alternate = {.ss_sp = malloc(16384), .ss_size = 16384};
	const struct sigaction action = {
		.sa_handler = crashed, .sa_flags = SA_ONSTACK};

	printf("begins\n");
	threads();
	coroutines();
	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	*(volatile int *)8 = 1;
	return 0;
}
