/*
 * switch ROUNDS: coroutines whose prints name a text in a page that cannot be
 * read at first; the handler of that fault makes it readable and switches to
 * the next coroutine, so that each print is interrupted and goes on later.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define COROUTINES 20
#define STACK 32768
#define PAGE 4096

static ucontext_t scheduler, coroutine[COROUTINES];
static char *text[COROUTINES];
static int current, ended, rounds;

static void faulted(int number)
{
	int self = current;

	(void)number;
	if (mprotect(text[self], PAGE, PROT_READ | PROT_WRITE) == 0)
		swapcontext(&coroutine[self], &scheduler);
}

static void run(int self)
{
	for (int i = 0; i < rounds; i++) {
		mprotect(text[self], PAGE, PROT_NONE);
		if (i % 2)
			printf("coroutine %d line %d %s\n", self, i,
				text[self]);
		else
			dprintf(1, "coroutine %d line %d %d %.9s\n", self, i,
				i * 2, text[self]);
	}
	ended++;
	for (;;)
		swapcontext(&coroutine[self], &scheduler);
}

int main(int argc, char **argv)
{
	struct sigaction action = {
		.sa_handler = faulted, .sa_flags = SA_NODEFER};
	char *stacks = malloc(COROUTINES * STACK);

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < COROUTINES; i++) {
		text[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		strcpy(text[i], "some text that takes a while");
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = stacks + i * STACK;
		coroutine[i].uc_stack.ss_size = STACK;
		coroutine[i].uc_link = &scheduler;
		makecontext(&coroutine[i], (void (*)(void))run, 1, i);
	}
	while (ended < COROUTINES) {
		/* Up, and then down: others before and after on the stack. */
		for (current = 0; current < COROUTINES; current++)
			swapcontext(&scheduler, &coroutine[current]);
		for (current = COROUTINES - 1; current >= 0; current--)
			swapcontext(&scheduler, &coroutine[current]);
	}
	return 0;
}
