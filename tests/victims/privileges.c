/*
 * privileges WAY DIRECTORY: says something, gives up what a path to its log
 * would need, goes on with eight threads and four children.  Every line is
 * one write.
 */
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 2500, THREADS = 8, CHILDREN = 4, NOBODY = 65534 };

static const char *way, *directory;

static void must(long result, const char *what)
{
	if (result != 0) {
		perror(what);
		exit(9);
	}
}

/* Past libc, and past what stands before it. */
static long raw(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static void become_nobody(void)
{
	must(setgroups(0, NULL), "setgroups");
	must(setgid(NOBODY), "setgid");
	must(setuid(NOBODY), "setuid");
}

/* In a namespace whose other processes end with it. */
static void go_on_as_first(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		return;
	must(waitpid(child, &status, 0) != child, "waitpid");
	exit(WEXITSTATUS(status));
}

static int is(const char *name)
{
	return strcmp(way, name) == 0;
}

static void give_up(void)
{
	struct rlimit none = {0, 0};

	if (is("chroot") || is("chroot-only")) {
		must(chroot(directory), "chroot");
		must(chdir("/"), "chdir");
	}
	if (is("chroot") || is("setuid"))
		become_nobody();
	if (is("setresuid"))
		must(setresuid(NOBODY, NOBODY, NOBODY), "setresuid");
	if (is("seteuid"))
		must(seteuid(NOBODY), "seteuid");
	if (is("syscall")) {
		must(syscall(SYS_chroot, directory), "chroot");
		must(syscall(SYS_setgid, NOBODY), "setgid");
		must(syscall(SYS_setuid, NOBODY), "setuid");
	}
	if (is("instruction")) {
		must(raw(SYS_chroot, (long)directory, 0, 0), "chroot");
		must(raw(SYS_setresuid, NOBODY, NOBODY, NOBODY), "setresuid");
	}
	if (is("user-namespace"))
		must(unshare(CLONE_NEWUSER), "unshare");
	if (is("pid-namespace")) {
		must(unshare(CLONE_NEWPID | CLONE_NEWNS), "unshare");
		go_on_as_first();
	}
	if (is("mount")) {
		must(unshare(CLONE_NEWNS), "unshare");
		must(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL),
			"mount");
		must(mount("none", "/tmp", "tmpfs", 0, NULL), "mount");
	}
	if (is("no-new-privileges"))
		must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
	if (is("no-descriptors"))
		must(setrlimit(RLIMIT_NOFILE, &none), "setrlimit");
	if (is("closed-directory") && getenv("BINLOG_DIR"))
		must(chmod(getenv("BINLOG_DIR"), 0), "chmod");
}

static void *say(void *who)
{
	for (int i = 0; i < LINES; i++)
		printf("%s line %d\n", (char *)who, i);
	return NULL;
}

static void start_children(void)
{
	char name[32];

	for (int i = 0; i < CHILDREN; i++) {
		if (fork() != 0)
			continue;
		snprintf(name, sizeof(name), "child %d", i);
		say(name);
		exit(0);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	char names[THREADS][32];

	way = argv[1];
	directory = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("before\n");
	give_up();
	printf("after\n");
	start_children();
	for (int i = 0; i < THREADS && !is("user-namespace"); i++) {
		snprintf(names[i], sizeof(names[i]), "thread %d", i);
		if (pthread_create(&threads[i], NULL, say, names[i]) != 0)
			threads[i] = 0;
	}
	for (int i = 0; i < THREADS && !is("user-namespace"); i++)
		if (threads[i])
			pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	printf("end of %d\n", argc);
	return 5;
}
