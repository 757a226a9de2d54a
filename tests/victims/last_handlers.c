/*
 * last_handlers WAY: a program with opinions on signals.  All that it can
 * learn of them it prints; how it ends is part of that.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

int __sigaction(int, const struct sigaction *, struct sigaction *);
sighandler_t __sysv_signal(int, sighandler_t);
sighandler_t bsd_signal(int, sighandler_t);
sighandler_t sysv_signal(int, sighandler_t);

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP,
	SIGSYS, SIGTERM, SIGINT, SIGPIPE, SIGCHLD};
#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static void *volatile bad = (void *)0x10;
static sigjmp_buf back;
static volatile int count;

static void handler(int number) { printf("handler: %d\n", number); }
static void other(int number) { printf("other: %d\n", number); }

static const char *name(sighandler_t h)
{
	return h == SIG_DFL	? "default"
	       : h == SIG_IGN	? "ignore"
	       : h == SIG_ERR	? "error"
	       : h == SIG_HOLD	? "hold"
	       : h == handler	? "handler"
	       : h == other	? "other"
				: "?";
}

static void show(int number, const struct sigaction *a)
{
	printf("%d: %s flags %x restorer %d mask", number, name(a->sa_handler),
		(unsigned)a->sa_flags, a->sa_restorer != NULL);
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&a->sa_mask, i) == 1)
			printf(" %d", i);
	printf("\n");
}

static void query(int number)
{
	struct sigaction a;

	memset(&a, 0x55, sizeof(a));
	errno = 0;
	printf("sigaction %d, %d: ", sigaction(number, NULL, &a), errno);
	show(number, &a);
}

static void query_all(void)
{
	for (size_t i = 0; i < NUMBERS; i++)
		query(numbers[i]);
}

static void set(int number, sighandler_t h, int flags)
{
	struct sigaction a = {.sa_handler = h, .sa_flags = flags}, old;

	sigaddset(&a.sa_mask, SIGUSR2);
	errno = 0;
	printf("sigaction %d, %d, was ", sigaction(number, &a, &old), errno);
	show(number, &old);
	query(number);
}

static void in_queries(void)
{
	struct sigaction a, old;

	query_all();
	printf("siginterrupt: %d\n", siginterrupt(SIGSYS, 1));
	query(SIGSYS);
	for (size_t i = 0; i < NUMBERS; i++) {
		int n = numbers[i];

		set(n, handler, SA_RESTART | SA_ONSTACK);
		set(n, SIG_DFL, 0);
		set(n, SIG_DFL, SA_RESTART | SA_SIGINFO);
		set(n, SIG_IGN, SA_NODEFER);
		set(n, SIG_DFL, SA_RESETHAND | SA_NODEFER);
		printf("signal: %s\n", name(signal(n, handler)));
		printf("signal: %s\n", name(signal(n, SIG_DFL)));
		query(n);
		printf("signal: %s\n", name(signal(n, SIG_DFL)));
		printf("bsd_signal: %s\n", name(bsd_signal(n, other)));
		printf("ssignal: %s\n", name(ssignal(n, SIG_DFL)));
		query(n);
		printf("sysv_signal: %s\n", name(sysv_signal(n, SIG_DFL)));
		query(n);
		printf("__sysv_signal: %s\n", name(__sysv_signal(n, handler)));
		printf("sigset: %s\n", name(sigset(n, SIG_DFL)));
		printf("sigset: %s\n", name(sigset(n, SIG_HOLD)));
		query(n);
		printf("sigset: %s\n", name(sigset(n, SIG_DFL)));
		query(n);
		printf("siginterrupt: %d\n", siginterrupt(n, 1));
		query(n);
		printf("signal: %s\n", name(signal(n, SIG_DFL)));
		query(n);
		printf("siginterrupt: %d\n", siginterrupt(n, 0));
		query(n);
		printf("sigignore: %d\n", sigignore(n));
		query(n);
		/* The usual way to put back what was there. */
		sigaction(n, NULL, &old);
		memset(&a, 0, sizeof(a));
		a.sa_handler = SIG_DFL;
		__sigaction(n, &a, &old);
		show(n, &old);
		__sigaction(n, &old, &a);
		show(n, &a);
		a.sa_handler = SIG_DFL;
		sigaction(n, &a, &a);
		show(n, &a);
		query(n);
	}
	for (int n = -1; n < 70; n += n == 31 ? 3 : 1)
		if (n < 1 || n == SIGKILL || n == SIGSTOP || n > 60)
			printf("%d: %s %d\n", n, name(signal(n, SIG_DFL)),
				errno);
	query(SIGKILL);
	query(0);
	query(65);
}

/* What a handler is told, but for what differs from run to run. */
static void explain(int number, siginfo_t *info, void *context)
{
	stack_t stack;

	sigaltstack(NULL, &stack);
	printf("signal %d code %d errno %d own %d address %d onstack %d\n",
		number, info->si_code, info->si_errno,
		info->si_code <= 0 && info->si_pid == getpid(),
		info->si_code > 0 ? (int)(info->si_addr == bad) : -1,
		(stack.ss_flags & SS_ONSTACK) != 0);
	count++;
}
static void explain_and_end(int number, siginfo_t *info, void *context)
{
	explain(number, info, context);
	if (count < 3 && number == SIGABRT)
		abort();
	signal(number, SIG_DFL);
	query(number);
	raise(number);
}
static void explain_and_jump(int number, siginfo_t *info, void *context)
{
	explain(number, info, context);
	siglongjmp(back, number);
}
static void install(int number,
	void (*how)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = {.sa_sigaction = how, .sa_flags = SA_SIGINFO | flags};

	sigaction(number, &a, NULL);
}
static void crash(void) { *(volatile int *)bad = 1; }
static void corrupt(void)
{
	char *volatile p = calloc(1, 100);

	free(p + 8);
}

/* Handlers that report and let it happen. */
static void in_segv(void)
{
	install(SIGSEGV, explain_and_end, 0);
	crash();
}
static void in_abort(void)
{
	install(SIGABRT, explain_and_end, 0);
	abort();
}
static void in_nested_abort(void)
{
	install(SIGABRT, explain_and_end, SA_NODEFER);
	abort();
}
static void in_assert(void)
{
	install(SIGABRT, explain_and_end, 0);
	assert(!"so");
}
static void in_free(void)
{
	install(SIGABRT, explain_and_end, 0);
	corrupt();
}
/* A handler that returns: abort() ends the program all the same. */
static void in_returning(void)
{
	install(SIGABRT, explain, 0);
	abort();
}
static void in_ignored(void)
{
	signal(SIGABRT, SIG_IGN);
	abort();
}
static void in_blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	if (fork() == 0)
		abort();
	crash();
}
static void in_once(void)
{
	install(SIGSEGV, explain, SA_RESETHAND);
	crash();
}
static void in_altstack(void)
{
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};

	sigaltstack(&stack, NULL);
	install(SIGSEGV, explain_and_end, SA_ONSTACK);
	crash();
}
/* Handlers that jump out, and what comes after is as before. */
static void in_jumps(void)
{
	static char stack_bytes[65536];
	stack_t stack = {.ss_sp = stack_bytes, .ss_size = sizeof(stack_bytes)};

	sigaltstack(&stack, NULL);
	install(SIGSEGV, explain_and_jump, SA_ONSTACK);
	install(SIGABRT, explain_and_jump, 0);
	for (volatile int i = 0; i < 5; i++) {
		if (sigsetjmp(back, 1) == 0)
			crash();
		printf("back from a fault\n");
		if (sigsetjmp(back, 1) == 0)
			abort();
		printf("back from abort()\n");
		if (sigsetjmp(back, 1) == 0)
			assert(i == 7);
		printf("back from assert()\n");
		if (sigsetjmp(back, 1) == 0)
			printf("%s\n", (char *)bad);
		printf("back from printf\n");
	}
	signal(SIGSEGV, SIG_DFL);
	query(SIGSEGV);
	crash();
}
/* The program saves what was there, and puts it back. */
static void in_saved(void)
{
	struct sigaction a = {.sa_handler = handler}, saved;

	sigaction(SIGFPE, &a, &saved);
	raise(SIGFPE);
	sigaction(SIGFPE, &saved, &a);
	show(SIGFPE, &a);
	show(SIGFPE, &saved);
	query(SIGFPE);
	raise(SIGFPE);
}

extern char **environ;

/* What a program that is executed finds: the kernel's own list. */
static void in_caught(void)
{
	char line[256];
	FILE *file = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), file))
		if (strncmp(line, "SigIgn", 6) == 0)
			printf("%s", line);
	fclose(file);
	query_all();
}
static void await(const char *what)
{
	int status = 0;

	while (wait(&status) < 0)
		;
	printf("%s: %x\n", what, status);
}
static void in_children(void)
{
	char *words[] = {"last_handlers", "caught", NULL};
	posix_spawnattr_t attributes;
	sigset_t set;
	pid_t child;

	setbuf(stdout, NULL);
	install(SIGSEGV, explain, 0);
	signal(SIGBUS, SIG_IGN);
	if (fork() == 0)
		execv("/proc/self/exe", words);
	await("fork and exec");
	if (vfork() == 0) {
		signal(SIGBUS, SIG_DFL);
		signal(SIGFPE, SIG_IGN);
		signal(SIGILL, SIG_DFL);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGTRAP, handler);
		execv("/proc/self/exe", words);
	}
	await("vfork and exec");
	query_all();
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(&attributes, &set);
	posix_spawn(&child, "/proc/self/exe", NULL, &attributes, words, environ);
	await("posix_spawn, all default");
	posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ);
	await("posix_spawn");
	signal(SIGSEGV, SIG_DFL);
	if (fork() == 0) {
		query_all();
		crash();
	}
	await("fork");
	if (fork() == 0)
		abort();
	await("fork and abort");
	query_all();
	crash();
}

static void *setter(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		signal(SIGSEGV, handler);
		signal(SIGSEGV, SIG_DFL);
		if (signal(SIGBUS, handler) != SIG_DFL)
			count++;
		signal(SIGBUS, SIG_DFL);
	}
	return unused;
}
static void in_threads(void)
{
	pthread_t id;

	/* One thread on SIGBUS, two on SIGSEGV. */
	pthread_create(&id, NULL, setter, NULL);
	for (int i = 0; i < 20000; i++) {
		struct sigaction a = {.sa_handler = handler};

		sigaction(SIGSEGV, &a, NULL);
		a.sa_handler = SIG_DFL;
		sigaction(SIGSEGV, &a, &a);
		if (strcmp(name(a.sa_handler), "?") == 0)
			count++;
	}
	pthread_join(id, NULL);
	printf("surprises: %d\n", count);
	signal(SIGSEGV, SIG_DFL);
	query(SIGSEGV);
	query(SIGBUS);
	crash();
}
/* libc's variable, for those who know of it. */
struct message { unsigned size; char text[]; };
static void tell_message(int number)
{
	struct message **place = dlsym(RTLD_DEFAULT, "__abort_msg");

	printf("%d: size %u: %s", number, (*place)->size, (*place)->text);
}
static void tell_and_jump(int number)
{
	tell_message(number);
	siglongjmp(back, 1);
}
int __printf_chk(int, const char *, ...);
void __stack_chk_fail(void);
static void in_messages(void)
{
	struct sigaction a = {.sa_handler = tell_and_jump};
	char format[] = "%n";
	static char text[5000];

	sigaction(SIGABRT, &a, NULL);
	memset(text, 'x', sizeof(text) - 1);
	if (sigsetjmp(back, 1) == 0)
		assert(!"so");
	if (sigsetjmp(back, 1) == 0)
		corrupt();
	if (sigsetjmp(back, 1) == 0)
		__assert_fail(text, "file", 7, NULL);
	if (sigsetjmp(back, 1) == 0)
		__printf_chk(1, format, text);
	if (sigsetjmp(back, 1) == 0)
		__stack_chk_fail();
	if (sigsetjmp(back, 1) == 0)
		assert_perror(EACCES);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
#define WAY(name) {#name, in_##name}
	WAY(queries), WAY(segv), WAY(abort), WAY(nested_abort), WAY(assert),
	WAY(free), WAY(returning), WAY(ignored), WAY(blocked), WAY(once),
	WAY(altstack), WAY(jumps), WAY(saved), WAY(caught), WAY(children),
	WAY(threads), WAY(messages), {NULL, NULL},
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; argc > 1 && ways[i].name; i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].run();
			return 0;
		}
	for (int i = 0; ways[i].name; i++)
		puts(ways[i].name);
	return 0;
}
