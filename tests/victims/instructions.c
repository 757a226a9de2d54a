/*
 * instructions FRAMES: makes each call of the list below a number of times,
 * at a depth of FRAMES frames, _start included; the last times after a
 * breakpoint instruction.  Only under
 * instructions count COMMAND...: runs that some times, as addresses differ
 * and with them what shares a place in a table, single-stepping every call that
 * follows a breakpoint, and prints to stderr for each of the list how many
 * instructions the cheapest took: from the target of the call instruction to
 * the return, both included.  x86-64.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

enum { WARM = 20, TIMES = WARM + 3, RUNS = 3 };

static char varying[] = "a text that is not constant\n";
static volatile int one = 1, two = 22222;
static volatile double real = 26.2;
static FILE *out;

/* clang-format off: name, call */
#define SINGLE_CALLS(X)                                                        \
	X(format0, fprintf(out, "a format without arguments\n"))               \
	X(format1, fprintf(out, "one: %d\n", one))                             \
	X(format2, fprintf(out, "one: %d, two: %d\n", one, two))               \
	X(format6, fprintf(out, "%d %d %d %d %d %d\n", one, two, one, two,     \
			   one, two))                                          \
	X(format_long, fprintf(out, "long: %ld\n", (long)two))                 \
	X(format_string, fprintf(out, "string: %s\n", varying))                \
	X(format_constant, fprintf(out, "string: %s\n", "constant"))           \
	X(format_double, fprintf(out, "double: %f\n", real))                   \
	X(printf1, printf("one: %d\n", one))                                   \
	X(fputs, fputs(varying, out))                                          \
	X(fputs_constant, fputs("a constant line\n", out))                     \
	X(puts_constant, puts("a constant line"))                              \
	X(fwrite, fwrite(varying, 1, sizeof(varying) - 1, out))                \
	X(fwrite_constant, fwrite("a constant line\n", 1, 16, out))            \
	X(putc, putc('c', out))                                                \
	X(putc_newline, putc('\n', out))                                       \
	X(syslog1, syslog(LOG_ERR, "one: %d", one))                            \
	X(syslog_below_level, syslog(LOG_DEBUG, "one: %d", one))               \
	X(printf_below_level, fprintf(out, "debug: %d of %s", one, varying))   \
	X(puts_below_level, puts("debug: a constant line"))

/* The messages of NanoLog's benchmark, in turn. */
#define MIXED_CALLS(X)                                                         \
	X(m1, fprintf(out,                                                     \
		      "Starting backup replica garbage collector thread\n"))   \
	X(m2, fprintf(out, "Opened session with coordinator at %s\n",          \
		      "basic+udp:host=192.168.1.140,port=12246"))              \
	X(m3, fprintf(out, "Backup storage speeds (min): %d MB/s read\n",      \
		      181))                                                    \
	X(m4, fprintf(out,                                                     \
		      "buffer has consumed %u bytes of extra storage, "        \
		      "current allocation: %u bytes\n",                        \
		      1032024u, 1016544u))                                     \
	X(m5, fprintf(out,                                                     \
		      "Using tombstone ratio balancer with ratio = %0.6lf\n",  \
		      0.4))                                                    \
	X(m6, fprintf(out,                                                     \
		      "Initialized InfUdDriver buffers: %u receive "           \
		      "buffers (%u MB), %u transmit buffers (%u MB), took "    \
		      "%0.1lf ms\n",                                           \
		      50000u, 97u, 50u, 0u, 26.2))
/* clang-format on */

#define NUMBER(name, call) NUMBER_##name,
#define NAME(name, call) #name,
enum { SINGLE_CALLS(NUMBER) MIXED_CALLS(NUMBER) CALLS };
static const char *const names[] = {SINGLE_CALLS(NAME) MIXED_CALLS(NAME)};

static long least[CALLS];

/* The condition is in the instructions: the compiler would make two calls. */
#define MARKED(name, call)                                                     \
	__asm__ volatile("cmp %1, %0; jl 1f; int3; 1:" ::"r"(i), "i"(WARM),    \
			 "a"(NUMBER_##name)                                    \
			 : "cc", "memory");                                    \
	call;
#define REPEATED(name, call)                                                   \
	for (int i = 0; i < TIMES; i++) {                                      \
		MARKED(name, call)                                             \
	}

static __attribute__((noinline)) void make_calls(void)
{
	SINGLE_CALLS(REPEATED)
	for (int i = 0; i < TIMES; i++) {
		MIXED_CALLS(MARKED)
	}
}

static __attribute__((noinline)) void descend(int frames)
{
	if (frames > 0)
		descend(frames - 1);
	else
		make_calls();
	__asm__ volatile("");
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct user_regs_struct registers_of(pid_t child)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, child, NULL, &registers) != 0)
		fail("PTRACE_GETREGS");
	return registers;
}

/* What else is sent to the child arrives. */
static void step(pid_t child)
{
	int status, signal = 0;

	do {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, signal) != 0 ||
			waitpid(child, &status, 0) != child ||
			!WIFSTOPPED(status))
			fail("PTRACE_SINGLESTEP");
		signal = WSTOPSIG(status);
	} while (signal != SIGTRAP);
}

/* Bytes of the call instruction at this address, or 0. */
static unsigned call_bytes(pid_t child, unsigned long address)
{
	long word = ptrace(PTRACE_PEEKTEXT, child, address, NULL);

	if ((word & 0xff) == 0xe8)
		return 5;
	return (word & 0xffff) == 0x15ff ? 6 : 0;
}

/* Of the next call that the child makes. */
static long count_call(pid_t child)
{
	struct user_regs_struct before = registers_of(child), now;
	unsigned bytes;
	long count = 0;

	while (!(bytes = call_bytes(child, before.rip))) {
		step(child);
		before = registers_of(child);
	}
	step(child);
	while ((now = registers_of(child)).rip != before.rip + bytes ||
		now.rsp != before.rsp) {
		step(child);
		count++;
	}
	return count;
}

static void count_calls(pid_t child)
{
	int status, signal = 0;

	for (;;) {
		unsigned long call;
		long count;

		if (ptrace(PTRACE_CONT, child, NULL, signal) != 0 ||
			waitpid(child, &status, 0) != child)
			fail("PTRACE_CONT");
		if (!WIFSTOPPED(status))
			break;
		signal = WSTOPSIG(status);
		if (signal != SIGTRAP)
			continue;
		signal = 0;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			continue;
		call = registers_of(child).rax;
		if (call >= CALLS)
			fail("an unknown breakpoint");
		count = count_call(child);
		if (!least[call] || count < least[call])
			least[call] = count;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail("the command did not end well");
}

/* Stopped after its exec, and both kept on one core: a step is faster so. */
static pid_t start(char **command)
{
	cpu_set_t cores;
	pid_t child;
	int status;

	CPU_ZERO(&cores);
	CPU_SET((unsigned)sched_getcpu(), &cores);
	sched_setaffinity(0, sizeof(cores), &cores);
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(126);
		execvp(*command, command);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
		!WIFSTOPPED(status) ||
		ptrace(PTRACE_SETOPTIONS, child, NULL,
			PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0)
		fail("cannot trace");
	return child;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "count") == 0) {
		for (int run = 0; run < RUNS; run++)
			count_calls(start(argv + 2));
		for (int i = 0; i < CALLS; i++)
			fprintf(stderr, "%s %ld\n", names[i], least[i]);
		return 0;
	}
	if (argc != 2)
		return 2;
	out = stdout;
	/* make_calls, main, and three of libc's. */
	if (atoi(argv[1]) > 5)
		descend(atoi(argv[1]) - 6);
	else
		make_calls();
	return 0;
}
