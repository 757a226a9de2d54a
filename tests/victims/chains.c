/*
 * chains [END]: prints numbered lines from chains of calls of every kind: small
 * and large frames, a callback of libc, a handler of a signal that was sent and
 * one that has interrupted a function which saves nothing, a thread. Descriptor
 * 9 gets, for each line, its number and the frames that backtrace() of libc
 * sees: "program+OFFSET", "FILE+OFFSET" of a library, or "trampoline" and,
 * after that, the interrupted instruction.  Then a child is forked, and it
 * ends: "leaf" by a fault in a function that saves nothing, "jump" by a call
 * into the blue, "trap", "abort", or else with status 7. chains threads: four
 * of them print 500 lines each.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define DEEPEST 64

extern char __executable_start;

static volatile int sink;
static int number;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What is shown is the byte before a return address, or an interrupted one. */
static void put_frame(char *pc, int is_exact)
{
	Dl_info info;

	if (!dladdr(pc, &info))
		dprintf(9, " trampoline");
	else if (info.dli_fbase == (void *)&__executable_start)
		dprintf(9, " program+0x%lx",
			(long)(pc - (char *)info.dli_fbase) - !is_exact);
	else
		dprintf(9, " %s+0x%lx", base_name(info.dli_fname),
			(long)(pc - (char *)info.dli_fbase) - !is_exact);
}

/* The chain of its caller, who prints the next line. */
static NOINLINE void tell(void)
{
	void *pc[DEEPEST];
	int n = backtrace(pc, DEEPEST);
	Dl_info info;

	dprintf(9, "%d", number++);
	for (int i = 1; i < n; i++)
		put_frame(pc[i], i > 1 && !dladdr(pc[i - 1], &info));
	dprintf(9, "\n");
}

/* One place for both calls, so that the chains are the same but for a line. */
#define SAY()                                                                  \
	do {                                                                   \
		printf("line %d %s %Lf\n", number, "text", number / 3.0L);     \
		tell();                                                        \
		sink++;                                                        \
	} while (0)

static NOINLINE void say(void)
{
	SAY();
}

static NOINLINE void small(void)
{
	say();
	sink++;
}

static NOINLINE void large(int size)
{
	char frame[200000];
	char more[size]; /* the frame pointer is needed */

	memset(frame, size, sizeof(frame));
	memset(more, size, sizeof(more));
	small();
	sink += frame[sink & 7] + more[sink & 7];
}

static int compare(const void *a, const void *b)
{
	static int calls;

	if (calls++ == 0)
		large(30);
	return *(const int *)a - *(const int *)b;
}

static void handle(int signal)
{
	(void)signal;
	SAY();
	sink = 0;
}

static NOINLINE void wait_here(volatile int *waited)
{
	while (sink)
		(*waited)++;
}

static NOINLINE void wait_for_it(void)
{
	volatile int waited = 0;

	sink = 1;
	wait_here(&waited);
	sink = waited;
}

/* libc itself must not be asked for this chain: it might look at the address.
 */
static NOINLINE void come_from_nowhere(void)
{
	uintptr_t volatile *back = (uintptr_t *)__builtin_frame_address(0) + 1;
	uintptr_t kept = *back;

	*back = 0x600000012344;
	printf("nowhere\n");
	*back = kept;
}

static void *in_thread(void *unused)
{
	(void)unused;
	small();
	return NULL;
}

static void *print_many(void *name)
{
	for (int i = 0; i < 500; i++)
		printf("%s %d of a thread\n", (const char *)name, i);
	return NULL;
}

static NOINLINE void store(volatile int *where)
{
	*where = 1;
}

static NOINLINE void end(const char *how)
{
	if (strcmp(how, "leaf") == 0)
		store((volatile int *)8);
	else if (strcmp(how, "jump") == 0)
		((void (*)(void))0x123450)();
	else if (strcmp(how, "trap") == 0)
		__builtin_trap();
	else if (strcmp(how, "abort") == 0)
		abort();
	sink++;
}

static int print_in_threads(void)
{
	static const char *names[] = {"one", "two", "three", "four"};
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, print_many, (void *)names[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static void print_in_child(void)
{
	int status;

	fflush(stdout);
	if (fork() == 0) {
		printf("the child\n");
		exit(5);
	}
	wait(&status);
	printf("status of the child: %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	int values[] = {3, 1, 2, 5, 4};
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "threads") == 0)
		return print_in_threads();
	large(50);
	large(5000);
	small();
	small();
	qsort(values, 5, sizeof(*values), compare);
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	signal(SIGALRM, handle);
	ualarm(20000, 0);
	wait_for_it();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	come_from_nowhere();
	print_in_child();
	fflush(stdout);
	if (argc > 1)
		end(argv[1]);
	return 7;
}
