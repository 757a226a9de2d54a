/*
 * sandbox WAY LINES: sets a seccomp filter that kills for any system call but
 * those that printing and ending take natively, and goes on printing.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW(name)                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                 \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

enum { THREADS = 4 };

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(write),
	ALLOW(exit),
	ALLOW(exit_group),
	ALLOW(rt_sigreturn),
	ALLOW(futex),
	/* What the end of a thread takes. */
	ALLOW(madvise),
	ALLOW(rt_sigprocmask),
	/* What a child takes. */
	ALLOW(clone),
	ALLOW(set_robust_list),
	ALLOW(rseq),
	ALLOW(wait4),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static struct sock_fprog program = {
	sizeof(filter) / sizeof(*filter), filter};

static int lines;
static const char *way;
static pthread_barrier_t ready;

static int is(const char *name)
{
	return strcmp(way, name) == 0;
}

static void say(const char *who)
{
	for (int i = 0; i < lines; i++)
		printf("%s: line %d with a number %d and %s\n", who, i, i * 7,
			i % 2 ? "a text" : "another");
}

static void *in_thread(void *who)
{
	if (!is("tsync-silent"))
		printf("%s before\n", (char *)who);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	say(who);
	return NULL;
}

static long seal(void)
{
	struct sock_fprog wrong = {0, NULL};

	if (is("strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (is("strict-syscall"))
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (is("wrong"))
		return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &wrong);
	if (is("wrong-syscall"))
		return !syscall(
			SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &wrong);
	if (is("prctl-syscall"))
		return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
			&program, 0, 0);
	if (is("syscall"))
		return syscall(
			SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	if (strncmp(way, "tsync", 5) == 0)
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			SECCOMP_FILTER_FLAG_TSYNC, &program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static void make_child(void)
{
	fflush(stdout);
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
		say("child");
		fflush(stdout);
		syscall(SYS_exit_group, 0);
	}
	syscall(SYS_wait4, -1, NULL, 0, NULL);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 12];
	char *names[THREADS] = {"one", "two", "three", "four"};
	pthread_t threads[THREADS];
	int many;

	way = argv[1];
	lines = atoi(argv[2]);
	many = strncmp(way, "tsync", 5) == 0 ? THREADS : 0;
	setvbuf(stdout, buffer, many ? _IOLBF : _IOFBF, sizeof(buffer));
	printf("before\n");
	pthread_barrier_init(&ready, NULL, many + 1);
	for (int i = 0; i < many; i++)
		pthread_create(&threads[i], NULL, in_thread, names[i]);
	if (many)
		pthread_barrier_wait(&ready);
	if (seal() != 0) {
		printf("cannot seal: %s\n", strerror(errno));
		return 9;
	}
	if (many)
		pthread_barrier_wait(&ready);
	say("main");
	for (int i = 0; i < many; i++)
		pthread_join(threads[i], NULL);
	if (is("child"))
		make_child();
	fprintf(stderr, "end\n");
	fflush(stdout);
	syscall(SYS_exit, argc);
}
