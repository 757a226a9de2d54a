/*
 * coroutines: contexts that are made in all ways, and say who they are: "by N"
 * is the N-th that makecontext() has made, "by 0" a thread on its own stack.
 * Numbers are counted here by hand, one more with each makecontext().
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK (64 * 1024)
#define MANY 1500 /* more than the library keeps */

static ucontext_t scheduler;
static int made;

static void prepare(ucontext_t *context, void *stack, ucontext_t *back)
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = STACK;
	context->uc_link = back;
	made++;
}

/* ---- one function, several stacks, in turns ---- */

static ucontext_t turning[3];

static void turns(int self, int number)
{
	for (int i = 0; i < 4; i++) {
		printf("turn %d by %d\n", i, number);
		fprintf(stderr, "turn %d on stderr by %d\n", i, number);
		puts(number == 1      ? "puts by 1"
			: number == 2 ? "puts by 2"
				      : "puts by 3");
		swapcontext(&turning[self], &scheduler);
	}
}

static void take_turns(void)
{
	char *stacks = malloc(3 * STACK);

	for (int i = 0; i < 3; i++) {
		prepare(&turning[i], stacks + i * STACK, &scheduler);
		makecontext(&turning[i], (void (*)(void))turns, 2, i, made);
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 3; j++) {
			swapcontext(&scheduler, &turning[j]);
			printf("scheduler %d by 0\n", i);
		}
	for (int j = 0; j < 3; j++)
		swapcontext(&scheduler, &turning[j]);
	free(stacks);
}

/* ---- one within the stack of another ---- */

static ucontext_t outer, inner;

static void within(int number)
{
	printf("inner by %d\n", number);
	swapcontext(&inner, &outer);
	printf("inner again by %d\n", number);
}

static void around(int number)
{
	char stack[STACK / 2];

	printf("outer by %d\n", number);
	getcontext(&inner);
	inner.uc_stack.ss_sp = stack;
	inner.uc_stack.ss_size = sizeof(stack);
	inner.uc_link = &outer;
	made++;
	makecontext(&inner, (void (*)(void))within, 1, made);
	swapcontext(&outer, &inner);
	printf("outer between by %d\n", number);
	swapcontext(&outer, &inner);
	printf("outer at last by %d\n", number);
}

static void nest(void)
{
	char *stack = malloc(STACK);

	prepare(&outer, stack, &scheduler);
	makecontext(&outer, (void (*)(void))around, 1, made);
	swapcontext(&scheduler, &outer);
	free(stack);
}

/* ---- on an array of a function that returns ---- */

static void says(int number)
{
	printf("array by %d\n", number);
}

static __attribute__((noinline)) void on_an_array(void)
{
	char stack[STACK];
	ucontext_t context;

	prepare(&context, stack, &scheduler);
	makecontext(&context, (void (*)(void))says, 1, made);
	swapcontext(&scheduler, &context);
}

static __attribute__((noinline)) void deep(int left)
{
	volatile char room[512];

	memset((char *)room, left, sizeof(room));
	if (left > 0)
		deep(left - 1);
	else
		printf("array is gone by 0\n");
	room[0] = room[1];
}

static void arrays(void)
{
	for (int i = 0; i < 3; i++) {
		on_an_array();
		for (int left = 1; left < 100; left += 11)
			deep(left);
	}
}

/* ---- one stack after the other at the same place ---- */

static void again(int number)
{
	printf("again by %d\n", number);
}

static void reuse(void)
{
	char *stack = malloc(STACK);
	ucontext_t context;

	for (int i = 0; i < 20; i++) {
		prepare(&context, stack, &scheduler);
		makecontext(&context, (void (*)(void))again, 1, made);
		swapcontext(&scheduler, &context);
		again(0);
	}
	/* Another size, the same end. */
	getcontext(&context);
	context.uc_stack.ss_sp = stack + STACK / 2;
	context.uc_stack.ss_size = STACK / 2;
	context.uc_link = &scheduler;
	made++;
	makecontext(&context, (void (*)(void))again, 1, made);
	swapcontext(&scheduler, &context);
	prepare(&context, stack, &scheduler);
	makecontext(&context, (void (*)(void))again, 1, made);
	swapcontext(&scheduler, &context);
	free(stack);
}

/* ---- between threads ---- */

static ucontext_t moving, thread_own;

static void moves(int number)
{
	printf("here by %d\n", number);
	swapcontext(&moving, &scheduler);
	printf("there by %d\n", number);
	swapcontext(&moving, &thread_own);
	printf("here again by %d\n", number);
}

static void *other(void *unused)
{
	printf("thread by 0\n");
	swapcontext(&thread_own, &moving);
	printf("thread again by 0\n");
	return unused;
}

static void move(void)
{
	char *stack = malloc(STACK);
	pthread_t thread;

	prepare(&moving, stack, &scheduler);
	makecontext(&moving, (void (*)(void))moves, 1, made);
	swapcontext(&scheduler, &moving);
	pthread_create(&thread, NULL, other, NULL);
	pthread_join(thread, NULL);
	swapcontext(&scheduler, &moving);
	free(stack);
}

/* ---- memory that becomes a thread's ---- */

static void *of_a_thread(void *number)
{
	printf("%s by 0\n", (const char *)number);
	return NULL;
}

static void give_to_thread(void)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	ucontext_t context;
	pthread_t thread;

	prepare(&context, stack, &scheduler);
	makecontext(&context, (void (*)(void))again, 1, made);
	swapcontext(&scheduler, &context);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK);
	pthread_create(
		&thread, &attributes, of_a_thread, "stack is a thread's");
	pthread_join(thread, NULL);
	/* And back. */
	prepare(&context, stack, &scheduler);
	makecontext(&context, (void (*)(void))again, 1, made);
	swapcontext(&scheduler, &context);
	munmap(stack, STACK);
}

/* ---- many ---- */

static ucontext_t crowd[MANY];

static void one_of_many(int self, int number)
{
	printf("many by %d\n", number);
	swapcontext(&crowd[self], &scheduler);
	printf("many, later, by %d\n", number);
}

static void many(void)
{
	char *stacks = mmap(NULL, (size_t)MANY * STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (int i = 0; i < MANY; i++) {
		prepare(&crowd[i], stacks + (size_t)i * STACK, &scheduler);
		makecontext(&crowd[i], (void (*)(void))one_of_many, 2, i, made);
		swapcontext(&scheduler, &crowd[i]);
	}
	/* Those that were made first are not known any more. */
	for (int i = 0; i < MANY; i++)
		swapcontext(&scheduler, &crowd[i]);
	munmap(stacks, (size_t)MANY * STACK);
}

/* ---- what is handed on, also more than ints, and jumps ---- */

static jmp_buf back;

static void arguments(int a, long b, const char *c, int d, int e, int f, int g,
	long h, int i, int number)
{
	printf("%d %ld %s %d %d %d %d %ld %d by %d\n", a, b, c, d, e, f, g, h,
		i, number);
	if (setjmp(back) == 0)
		longjmp(back, 1);
	printf("after a jump by %d\n", number);
	fflush(stdout);
	dprintf(1, "to a descriptor by %d\n", number);
}

static void hand_on(void)
{
	char *stack = malloc(STACK);
	ucontext_t context;

	prepare(&context, stack, &scheduler);
	makecontext(&context, (void (*)(void))arguments, 10, 1,
		0x123456789abcdefl, "words", 4, 5, 6, 7, -0x123456789abcdefl, 9,
		made);
	swapcontext(&scheduler, &context);
	free(stack);
}

/* ---- a child goes on where its parent was ---- */

static ucontext_t forking;

static void forks(int number)
{
	int status;

	printf("before the fork by %d\n", number);
	fflush(stdout);
	if (fork() == 0) {
		printf("child by %d\n", number);
		swapcontext(&forking, &scheduler);
		printf("child again by %d\n", number);
		return;
	}
	wait(&status);
	printf("parent by %d\n", number);
}

static void fork_inside(void)
{
	pid_t self = getpid();
	char *stack = malloc(STACK);
	ucontext_t context;

	prepare(&forking, stack, &scheduler);
	makecontext(&forking, (void (*)(void))forks, 1, made);
	swapcontext(&scheduler, &forking);
	if (getpid() == self) {
		free(stack);
		return;
	}
	printf("child's own by 0\n");
	swapcontext(&scheduler, &forking);
	prepare(&context, malloc(STACK), &scheduler);
	makecontext(&context, (void (*)(void))again, 1, made);
	swapcontext(&scheduler, &context);
	exit(0);
}

/* ---- signals ---- */

static int interrupted;

static void handler(int signal)
{
	printf("handler of %d by %d\n", signal,
		signal == SIGUSR1 ? interrupted : 0);
}

static void is_interrupted(int number)
{
	interrupted = number;
	for (int i = 0; i < 3; i++) {
		printf("to be interrupted by %d\n", number);
		raise(SIGUSR1);
		raise(SIGUSR2);
	}
}

static void signals(void)
{
	struct sigaction action = {.sa_handler = handler};
	const stack_t other = {.ss_sp = malloc(STACK), .ss_size = STACK};
	char *stack = malloc(STACK);
	ucontext_t context;

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	is_interrupted(0);
	prepare(&context, stack, &scheduler);
	makecontext(&context, (void (*)(void))is_interrupted, 1, made);
	swapcontext(&scheduler, &context);
	is_interrupted(0);
}

/* ---- threads that all make theirs ---- */

#define THREADS 8
#define ROUNDS 200

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static __thread ucontext_t own, of_thread;

static void in_a_thread(int number)
{
	printf("in a thread by %d\n", number);
}

static void *makes_many(void *unused)
{
	char *stack = malloc(STACK);

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&making);
		prepare(&of_thread, stack, &own);
		makecontext(&of_thread, (void (*)(void))in_a_thread, 1, made);
		pthread_mutex_unlock(&making);
		swapcontext(&own, &of_thread);
		in_a_thread(0);
	}
	free(stack);
	return unused;
}

static void at_once(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, makes_many, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"turns", take_turns}, {"nest", nest}, {"arrays", arrays},
		{"reuse", reuse}, {"move", move}, {"thread", give_to_thread},
		{"arguments", hand_on}, {"fork", fork_inside}, {"many", many},
		{"signals", signals}, {"once", at_once}};

	printf("nobody by 0\n");
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (argc < 2 || strcmp(argv[1], all[i].name) == 0)
			all[i].run();
	printf("end by 0\n");
	return 0;
}
