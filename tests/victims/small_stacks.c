/*
 * small_stacks: prints from threads with the smallest stacks that there may
 * be, from coroutines with little more, from such whose first frame makes no
 * sense, and such whose stacks are unmapped and mapped again; then from a
 * handler after a crash.  Before each stack there is a hole: too much is a
 * crash.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096

static void *map(size_t size, void *at)
{
	char *hole = mmap(at ? (char *)at - PAGE : NULL, size + PAGE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	mprotect(hole + PAGE, size, PROT_READ | PROT_WRITE);
	return hole + PAGE;
}

static void unmap(void *stack, size_t size)
{
	munmap((char *)stack - PAGE, size + PAGE);
}

static void *small(void *number)
{
	printf("small %ld: %d %s %lx %c\n", (long)number, -5, "text", 255ul,
		'c');
	fputs("by fputs\n", stdout);
	printf("again %ld\n", (long)number);
	fflush(stdout);
	return NULL;
}

static void threads(size_t size)
{
	pthread_attr_t attributes;
	pthread_t id;
	void *stack;

	size = (size + PAGE - 1) / PAGE * PAGE;
	for (long i = 0; i < 20; i++) {
		stack = map(size, NULL);
		pthread_attr_init(&attributes);
		pthread_attr_setstack(&attributes, stack, size);
		if (pthread_create(&id, &attributes, small, (void *)i) == 0)
			pthread_join(id, NULL);
		else
			puts("no such thread");
		unmap(stack, size);
	}
}

#define COROUTINES 50
static ucontext_t scheduler, coroutine[COROUTINES];
static int current;

static void run(void)
{
	for (int i = 0;; i++) {
		printf("coroutine %d, round %d of %s\n", current, i, "many");
		swapcontext(&coroutine[current], &scheduler);
	}
}

static void begin(int i, void *stack, size_t size)
{
	getcontext(&coroutine[i]);
	coroutine[i].uc_stack.ss_sp = stack;
	coroutine[i].uc_stack.ss_size = size;
	coroutine[i].uc_link = &scheduler;
	makecontext(&coroutine[i], run, 0);
}

static void coroutines(size_t size, int rounds)
{
	void *stack[COROUTINES];

	for (int i = 0; i < COROUTINES; i++)
		begin(i, stack[i] = map(size, NULL), size);
	for (int round = 0; round < rounds; round++)
		for (current = 0; current < COROUTINES; current++)
			swapcontext(&scheduler, &coroutine[current]);
	for (int i = 0; i < COROUTINES; i++)
		unmap(stack[i], size);
}

/* As those begin that are not made by makecontext: nothing is there. */
static void spoil(int i, uintptr_t garbage)
{
#ifdef __x86_64__
	greg_t *registers = coroutine[i].uc_mcontext.gregs;

	*(uintptr_t *)registers[REG_RSP] = garbage;
	registers[REG_RBP] = (greg_t)(garbage ^ 0xff0);
	registers[REG_RBX] = (greg_t)garbage;
#endif
}

static void garbage(void)
{
	static const uintptr_t values[] = {0, 1, 0xdeadbeef, UINTPTR_MAX,
		UINTPTR_MAX / 2, (uintptr_t)1 << 63, 0x7fffffffe000};
	size_t size = 4 * PAGE;
	void *stack = map(size, NULL);

	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
		current = 0;
		begin(0, stack, size);
		spoil(0, values[i]);
		for (int round = 0; round < 3; round++)
			swapcontext(&scheduler, &coroutine[0]);
	}
	/* A return address and a frame that are those of others. */
	begin(0, stack, size);
	spoil(0, (uintptr_t)&printf);
	swapcontext(&scheduler, &coroutine[0]);
	begin(0, stack, size);
	spoil(0, (uintptr_t)run + 16);
	swapcontext(&scheduler, &coroutine[0]);
	unmap(stack, size);
}

/* The same addresses, gone and back, with more or less above them. */
static void remapped(void)
{
	size_t size = 4 * PAGE;
	char *stack = map(4 * size, NULL);

	current = 0;
	for (int i = 0; i < 60; i++) {
		size_t now = size * (1 + i % 3);

		begin(0, stack + 3 * size - now, now);
		spoil(0, (uintptr_t)stack + 3 * size);
		swapcontext(&scheduler, &coroutine[0]);
		swapcontext(&scheduler, &coroutine[0]);
		unmap(stack, 4 * size);
		map(i % 2 ? 4 * size : 3 * size, stack);
	}
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
	const stack_t alternate = {
		.ss_sp = map(4 * PAGE, NULL), .ss_size = 4 * PAGE};
	const struct sigaction action = {
		.sa_handler = crashed, .sa_flags = SA_ONSTACK};

	printf("begins\n");
	threads(16384);
	threads((size_t)PTHREAD_STACK_MIN);
	coroutines(4 * PAGE, 200);
	coroutines(2 * PAGE, 200);
	garbage();
	remapped();
	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	*(volatile int *)8 = 1;
	return 0;
}
