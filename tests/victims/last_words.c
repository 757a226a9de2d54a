/*
 * last_words WAY: ends in that way, which says something or leaves it to the
 * kernel.  What is printed before is there to see that it is not lost.
 */
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libintl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

void __assert(const char *, const char *, int);
void __chk_fail(void);
void __stack_chk_fail(void);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __dprintf_chk(int, int, const char *, ...);
int __wprintf_chk(int, const wchar_t *, ...);
void __syslog_chk(int, int, const char *, ...);
char *__strcpy_chk(char *, const char *, size_t);

static volatile int zero;
static void *volatile bad = (void *)0x10;

static void by_assert(void) { assert(zero == 1 && "100% \\ sure"); }
static void by_assert_perror(void) { assert_perror(ENOENT); }
static void by_assert_perror_unknown(void) { assert_perror(12345); }
static void by_old_assert(void) { __assert("old", "file.c", 7); }
static void by_assert_without_function(void)
{
	__assert_fail("what", "file.c", 4000000000u, NULL);
}
static void by_assert_long(void)
{
	static char text[100000];

	memset(text, 'x', sizeof(text) - 1);
	__assert_fail(text, "file.c", 1, "function");
}
static void by_assert_translated(void)
{
	setlocale(LC_ALL, "");
	assert(zero == 1);
}
static void by_assert_wide(void)
{
	fwprintf(stderr, L"wide\n");
	assert(zero == 1);
}
static void by_assert_buffered(void)
{
	static char buffer[4096];

	setvbuf(stderr, buffer, _IOFBF, sizeof(buffer));
	fprintf(stderr, "held back, ");
	assert(zero == 1);
}

static void by_smashing(void)
{
	volatile char room[8];

	/* Over the canary, and the return address. */
	for (volatile int i = 0; i < 64; i++)
		room[i] = 'A';
}
static void by_strcpy(void)
{
	char room[4];
	char *(*volatile copy)(char *, const char *, size_t) = __strcpy_chk;

	copy(room, "too long for it", sizeof(room));
}
static void by_percent_n(void)
{
	char format[] = "before %n after\n";
	int n;

	__printf_chk(1, format, &n);
}
static void by_percent_n_stderr(void)
{
	char format[] = "before %s%hhn after\n";
	char n;

	__fprintf_chk(stderr, 1, format, "text", &n);
}
static void by_percent_n_descriptor(void)
{
	char format[] = "%n";
	int n;

	__dprintf_chk(1, 1, format, &n);
}
static void by_percent_n_wide(void)
{
	wchar_t format[] = L"wide %n\n";
	int n;

	__wprintf_chk(1, format, &n);
}
static void by_percent_n_syslog(void)
{
	char format[] = "log %n";
	int n;

	__syslog_chk(LOG_INFO, 1, format, &n);
}
/* These are allowed. */
static void by_percent_n_constant(void)
{
	int n = 0;

	__printf_chk(1, "four%n, %d\n", &n, 4);
	__printf_chk(0, (char[]){"four%n\n"}, &n);
	__printf_chk(1, (char[]){"%%n %d %s\n"}, n, "%n");
	exit(n);
}
/* A format that is neither constant nor writable. */
static void by_percent_n_mapped(void)
{
	char *format = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) +
		       4090;
	int n = 0;

	strcpy(format, "fo%nur%n %d\n");
	mprotect(format - 4090, 4096, PROT_READ);
	mprotect(format + 6, 4096, PROT_READ);
	__printf_chk(1, format, &n, &n, 7);
	mprotect(format + 6, 4096, PROT_READ | PROT_WRITE);
	__printf_chk(1, format, &n, &n, 7);
}
/* An error before the "%n". */
static void by_percent_n_too_late(void)
{
	char format[] = "one %ls%n\n";
	int n = 3;

	setlocale(LC_ALL, "C");
	n += __printf_chk(1, format, L"\u20ac", &n);
	exit(n);
}
static void by_percent_n_numbered(void)
{
	char format[] = "%2$d%1$n\n";
	int n;

	__printf_chk(1, format, &n, 3);
}
static void by_percent_n_then_gap(void)
{
	char format[] = "%n %3$d\n";
	int n;

	__printf_chk(1, format, &n, &n, 3);
}
static void by_gap_then_percent_n(void)
{
	char format[] = "%3$d%1$n\n";
	int n;

	__printf_chk(1, format, &n, 2, 3);
}
static void by_gap(void) { __printf_chk(1, "%3$d %1$d\n", 1, 2, 3); }

static void by_free(void)
{
	char *volatile p = calloc(1, 100);

	free(p + 8);
}
static void by_free_after_much(void)
{
	for (int i = 0; i < 3000; i++)
		fprintf(stderr, "%d, and what else there is to say\n", i);
	by_free();
}
#if defined(__x86_64__)
/* Another file is descriptor 2, by a system call that nobody has seen. */
static void by_free_unseen(void)
{
	long file = open("other", O_RDWR | O_CREAT | O_TRUNC, 0600);
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_dup2), "D"(file), "S"(2L)
			 : "rcx", "r11", "memory");
	by_free();
}
#endif
static void by_double_free(void)
{
	char *volatile p = malloc(2000);
	char *volatile q = malloc(2000);

	free(p);
	free(p);
	free(q);
}
static void by_abort(void) { abort(); }
static void by_err(void) { err(3, "no %s", "luck"); }

__attribute__((noinline)) static void faults(void) { *(volatile int *)bad = 1; }
static void by_segv(void) { faults(); }
static void by_segv_unfinished(void)
{
	printf("no newline");
	faults();
}
static void by_segv_far(void)
{
	bad = (void *)0xdead000000000000;
	faults();
}
static void by_segv_readonly(void)
{
	bad = (void *)by_segv;
	faults();
}
static void by_jump(void) { ((void (*)(void))NULL)(); }
static void by_bus(void)
{
	int fd = open("short", O_CREAT | O_RDWR, 0600);

	bad = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	faults();
}
static void by_division(void) { zero = 7 / zero; }
static void by_ill(void) { __builtin_trap(); }
static void by_trap(void) { raise(SIGTRAP); }
#if defined(__x86_64__)
static void by_breakpoint(void) { __asm__ volatile("int3"); }
/* The last instruction of one function and the first one of the next. */
void ends_in_breakpoint(void);
void begins_with_fault(void);
__asm__(".type ends_in_breakpoint, @function\n"
	"ends_in_breakpoint:\n"
	".cfi_startproc\n"
	"int3\n"
	".cfi_endproc\n"
	".size ends_in_breakpoint, . - ends_in_breakpoint\n"
	".type begins_with_fault, @function\n"
	"begins_with_fault:\n"
	".cfi_startproc\n"
	"movl $1, 16\n"
	"ret\n"
	".cfi_endproc\n"
	".size begins_with_fault, . - begins_with_fault\n");
static void by_last_instruction(void) { ends_in_breakpoint(); }
static void by_first_instruction(void) { begins_with_fault(); }
#endif
static void by_argument(void) { printf("%s\n", (char *)bad); }
static void by_raise(void) { raise(SIGSEGV); }
static void by_raise_abort(void) { raise(SIGABRT); }
static void by_kill(void) { kill(getpid(), SIGFPE); sleep(10); }
static void by_kill_sys(void) { kill(getpid(), SIGSYS); sleep(10); }
static void by_queue(void)
{
	sigqueue(getpid(), SIGBUS, (union sigval){.sival_int = 7});
	sleep(10);
}
static void by_term(void) { raise(SIGTERM); }
static void by_child(void)
{
	pid_t target = getpid();

	if (fork() == 0) {
		kill(target, SIGILL);
		_exit(0);
	}
	sleep(10);
}
static int deeper(volatile char *above)
{
	volatile char here[1000];

	memset((char *)here, 1, sizeof(here));
	return deeper(here) + *above;
}
static void by_overflow(void) { exit(deeper((char *)"")); }
static void by_overflow_altstack(void)
{
	stack_t stack = {.ss_sp = malloc(SIGSTKSZ), .ss_size = SIGSTKSZ};

	sigaltstack(&stack, NULL);
	by_overflow();
}

static void *aborts(void *unused)
{
	abort();
	return unused;
}
static void *crashes(void *unused)
{
	faults();
	return unused;
}
static void in_threads(void *(*run)(void *), int n, size_t stack)
{
	pthread_t id[16];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	for (int i = 0; i < n; i++)
		pthread_create(&id[i], &attributes, run, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(id[i], NULL);
}
static void by_threads_abort(void) { in_threads(aborts, 8, 0); }
static void by_threads_segv(void) { in_threads(crashes, 8, 0); }
static void by_small_abort(void) { in_threads(aborts, 1, 16384); }
static void by_small_segv(void) { in_threads(crashes, 1, 16384); }

/* An abort() with only so much of the stack left. */
static ucontext_t main_context, other_context;
static char *low;

__attribute__((noinline)) static void aborts_low(uintptr_t room)
{
	volatile char here[256];

	here[0] = 1;
	if ((uintptr_t)here - (uintptr_t)low > room)
		aborts_low(room + here[0] - 1);
	abort();
}
static void abort_with(size_t room)
{
	char *stack = mmap(NULL, 1 << 20, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	low = stack + (1 << 19);
	mprotect(low, 1 << 19, PROT_READ | PROT_WRITE);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = low;
	other_context.uc_stack.ss_size = 1 << 19;
	makecontext(&other_context, (void (*)(void))aborts_low, 1, room);
	swapcontext(&main_context, &other_context);
}
static void by_low_5000(void) { abort_with(5000); }
static void by_low_6000(void) { abort_with(6000); }
static void by_low_7000(void) { abort_with(7000); }
static void by_low_8000(void) { abort_with(8000); }
static void by_low_10000(void) { abort_with(10000); }
static void by_low_14000(void) { abort_with(14000); }

static void report(pid_t child, const char *what)
{
	int status = 0;

	waitpid(child, &status, 0);
	printf("%s: %x\n", what, status);
}
static void by_children(void)
{
	pid_t child = fork();

	if (child == 0)
		faults();
	report(child, "fork");
	child = _Fork();
	if (child == 0)
		abort();
	report(child, "_Fork");
	child = syscall(SYS_fork);
	if (child == 0)
		faults();
	report(child, "SYS_fork");
	child = vfork();
	if (child == 0) {
		*(volatile int *)bad = 1;
		_exit(1);
	}
	report(child, "vfork");
	faults();
}
static void by_sealed(void)
{
	prctl(PR_SET_SECCOMP, 1);
	faults();
}
static void by_sealed_abort(void)
{
	prctl(PR_SET_SECCOMP, 1);
	printf("sealed\n");
	abort();
}
static void by_not_sealed(void)
{
	prctl(PR_SET_SECCOMP, 2, NULL); /* fails */
	faults();
}
static void by_exec(void)
{
	execl("/proc/self/exe", "last_words", "segv", NULL);
}

static const struct {
	const char *name;
	void (*end)(void);
} ways[] = {
#define WAY(name) {#name, by_##name}
	WAY(assert), WAY(assert_perror), WAY(assert_perror_unknown),
	WAY(old_assert), WAY(assert_without_function), WAY(assert_long),
	WAY(assert_translated), WAY(assert_wide), WAY(assert_buffered),
	WAY(smashing), WAY(strcpy), WAY(percent_n), WAY(percent_n_stderr),
	WAY(percent_n_descriptor), WAY(percent_n_wide),
	WAY(percent_n_syslog), WAY(percent_n_mapped), WAY(percent_n_too_late),
	WAY(percent_n_numbered), WAY(percent_n_then_gap),
	WAY(gap_then_percent_n), WAY(percent_n_constant), WAY(gap), WAY(free),
	WAY(free_after_much), WAY(double_free), WAY(abort), WAY(err), WAY(segv), WAY(segv_unfinished), WAY(segv_far),
	WAY(segv_readonly), WAY(jump), WAY(bus), WAY(division), WAY(ill),
	WAY(trap),
#if defined(__x86_64__)
	WAY(free_unseen), WAY(breakpoint), WAY(last_instruction), WAY(first_instruction),
#endif
	WAY(argument), WAY(raise), WAY(raise_abort), WAY(kill),
	WAY(kill_sys), WAY(queue), WAY(term), WAY(child), WAY(overflow),
	WAY(overflow_altstack), WAY(threads_abort), WAY(threads_segv),
	WAY(small_abort), WAY(small_segv), WAY(low_5000), WAY(low_6000),
	WAY(low_7000), WAY(low_8000), WAY(low_10000), WAY(low_14000),
	WAY(children), WAY(sealed), WAY(sealed_abort), WAY(not_sealed),
	WAY(exec), {"chk_fail", __chk_fail},
	{"stack_chk_fail", __stack_chk_fail}, {NULL, NULL},
};

int main(int argc, char **argv)
{
	/* No core files, but the kernel still says whether there would be. */
	setbuf(stdout, NULL);
	for (int i = 0; argc > 1 && ways[i].name; i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			if (ways[i].end != by_assert_wide)
				fprintf(stderr, "the end: %s\n", argv[1]);
			ways[i].end();
			return 0;
		}
	for (int i = 0; ways[i].name; i++)
		puts(ways[i].name);
	return 0;
}
