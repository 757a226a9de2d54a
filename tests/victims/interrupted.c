/*
 * interrupted CALL ACTION K: says "begin", makes the same call WARM times, says
 * "end".  In the last one a signal arrives after K of its instructions; its
 * handler does ACTION, in the middle of whatever records the call:
 *   nothing, print (a line), piece (of a line), character, alternate (a line,
 *   on another stack), flush, tell (its position), jump (out of the call)
 * The program steps itself: a parent that is not recorded traces it.  Exits
 * with 77 if the call had fewer instructions.  LIBRARY is what to preload.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM 12

int __fprintf_chk(FILE *file, int flag, const char *format, ...);

static char varying[] = "a text that is not constant\n";
static char piece[] = "piece,";
static volatile int one = 1, two = 22222;
static volatile double real = 26.2;

#define CALLS(X)                                                               \
	X(format0, printf("none\n"))                                           \
	X(format2, printf("two: %d, %u\n", one, two))                          \
	X(mixed, printf("d: %f %s %ld\n", real, piece, (long)two))             \
	X(checked, __fprintf_chk(stdout, 1, "checked %d %s\n", one, piece))    \
	X(piece, printf("p%d,", one))                                          \
	X(fputs, fputs(varying, stdout))                                       \
	X(fputs_piece, fputs(piece, stdout))                                   \
	X(puts_constant, puts("constant line"))                                \
	X(fwrite, fwrite(varying, 1, sizeof(varying) - 1, stdout))             \
	X(putc, putc('c', stdout))                                             \
	X(putc_newline, (putc_unlocked('n', stdout), putc('\n', stdout)))      \
	X(drain, (putc_unlocked('x', stdout), printf("drained %d\n", one)))

static sigjmp_buf back;
static const char *action;
static int injected;

static void handle(int signal)
{
	(void)signal;
	if (injected++)
		return;
	switch (*action == 'p' ? action[1] : *action) {
	case 'r': /* print */
		printf("<handler %d>\n", two);
		break;
	case 'i': /* piece */
		fputs("<half>", stdout);
		break;
	case 'c':
		putc('!', stdout);
		break;
	case 'a':
		printf("<other stack>\n");
		break;
	case 't':
		ftell(stdout);
		break;
	case 'f':
		fflush(stdout);
		break;
	case 'j':
		siglongjmp(back, 1);
	}
}

/* The tracer is told by a trap that the next call is the one. */
#define MAKE(name, call)                                                       \
	if (strcmp(which, #name) == 0)                                         \
		for (int i = 0; i < WARM; i++) {                               \
			__asm__ volatile("cmp %1, %0\n\tjne 1f\n\tint3\n1:"    \
					 :                                     \
					 : "r"(i), "i"(WARM - 1)               \
					 : "cc", "memory");                    \
			call;                                                  \
		}

static __attribute__((noinline)) void make(const char *which)
{
	CALLS(MAKE)
}

static int victim(const char *which)
{
	/* Further up the stack than what is interrupted. */
	char room[1 << 16];
	const stack_t other = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction how = {.sa_handler = handle};

	if (*action == 'a' && sigaltstack(&other, NULL) == 0)
		how.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &how, NULL);
	printf("begin\n");
	if (sigsetjmp(back, 1) == 0)
		make(which);
	else
		printf("jumped\n");
	printf("end %d\n", one);
	return 0;
}

static struct user_regs_struct registers_of(pid_t pid)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) != 0)
		exit(99);
	return registers;
}

static void step(pid_t pid, int signal)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)signal) != 0 ||
		waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		exit(98);
}

/* Up to the trap, then to the end; what the victim ends with. */
static int run_on(pid_t pid, int until)
{
	int status, signal = 0;

	for (;;) {
		if (ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signal) != 0 ||
			waitpid(pid, &status, 0) != pid)
			exit(97);
		if (!WIFSTOPPED(status))
			return WIFEXITED(status) ? WEXITSTATUS(status)
						 : 128 + WTERMSIG(status);
		signal = WSTOPSIG(status);
		if (signal == until)
			return 0;
		if (signal == SIGTRAP) /* execve */
			signal = 0;
	}
}

/* Where the call returns to; it has just been entered. */
static int trace(pid_t pid, long k)
{
	struct user_regs_struct now = registers_of(pid), before = now;

	while (now.rsp == before.rsp || now.rip - before.rip < 16) {
		before = now;
		step(pid, 0);
		now = registers_of(pid);
	}
	while (k-- > 0) {
		step(pid, 0);
		now = registers_of(pid);
		if (now.rsp == before.rsp && now.rip - before.rip < 16) {
			kill(pid, SIGKILL);
			return 77;
		}
	}
	step(pid, SIGUSR1);
	return run_on(pid, -1);
}

int main(int count, char **arguments)
{
	int status;
	pid_t pid;

	if (count == 3) {
		action = arguments[2];
		return victim(arguments[1]);
	}
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		setenv("LD_PRELOAD", getenv("LIBRARY"), 1);
		execl(arguments[0], arguments[0], arguments[1], arguments[2],
			NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (run_on(pid, SIGTRAP) != 0)
		return 96;
	return trace(pid, atol(arguments[3]));
}
