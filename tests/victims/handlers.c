/*
 * handlers: handlers on alternate stacks of the smallest size that log, of
 * signals that come while nothing is being printed; then one that logs the
 * overflow of the stack, and ends the process.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <syslog.h>
#include <unistd.h>

static void logs(int number, siginfo_t *info, void *context)
{
	(void)context;
	printf("signal %d by %s\n", number,
		info->si_code == SI_TKILL ? "itself" : "somebody");
	fprintf(stderr, "%5.1f %% %s\n", 99.5, strsignal(number));
	syslog(LOG_INFO, "signal %d", number);
	fputs("end\n", stdout);
}

static void last(int number)
{
	printf("the stack is full: signal %d\n", number);
	fflush(stdout);
	_exit(9);
}

static int overflow(int depth)
{
	volatile char frame[4096];

	frame[0] = (char)depth;
	return depth == 0 ? 0 : overflow(depth + 1) + frame[0];
}

/*
 * What libc itself can do with (its fprintf to a stream without a buffer takes
 * 10 KiB, which is more than MINSIGSTKSZ where a processor has few registers to
 * keep): so small that with what is before it, more is a crash.
 */
static void *smallest(size_t *size)
{
	char *stack;

	*size = ((size_t)MINSIGSTKSZ + 4095) & ~(size_t)4095;
	if (*size < 16384)
		*size = 16384;
	stack = mmap(NULL, *size + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	mprotect(stack + 4096, *size, PROT_READ | PROT_WRITE);
	return stack + 4096;
}

int main(void)
{
	struct sigaction action = {
		.sa_sigaction = logs, .sa_flags = SA_ONSTACK | SA_SIGINFO};
	stack_t alternate = {0};

	alternate.ss_sp = smallest(&alternate.ss_size);
	sigaltstack(&alternate, NULL);
	for (int number = 1; number < 32; number++)
		sigaction(number, &action, NULL);
	for (int round = 0; round < 3; round++)
		for (int number = 1; number < 32; number++)
			if (number != SIGKILL && number != SIGSTOP)
				raise(number);
	fflush(stdout);
	action.sa_handler = last;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGSEGV, &action, NULL);
	return overflow(1);
}
