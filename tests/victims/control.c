/*
 * control WHAT [N]: is switched while it prints; descriptor 9 gets what it
 * finds wrong, and is empty if nothing is; descriptor 8 the secret, if there is
 * one.
 *
 *   made N    N formats that are made at run time, with a secret
 *   written   "%n" of calls that are dropped
 *   at        a secret, with pwrite(2), and so on
 *   switch N  four threads, while the level goes up and down N times
 *   secret N  the secret, from four threads, while N times the rules that hide
 *             it are taken away and come back; without them the level is "none"
 *   damage N  threads and children, while N times something arbitrary is
 *             stored among the switches
 *   beyond    two lines, and between them rules behind the end of the file
 *   zero      children whose parent's generation has become 0
 *   deep      lines with 300 frames above them, of which 255 are asked for
 *   notices   warn(3) and error(3) on stderr, and then on a wide one
 *   kept      results that are kept in a register over another call
 */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

#include "record/switches.h"

static _Alignas(32) char secret[32]; /* strings are read by 16 bytes */
static _Atomic int over;
static volatile int sink;

#define WRONG(...) dprintf(9, __VA_ARGS__)

static void make_secret(void)
{
	for (int i = 0; i < 16; i++)
		secret[i] = "kqxzjvwy"[(i * 5 + i / 3) % 8];
}

/* The header page of our own capture, whose mapping need not have its name;
 * null: nothing is recorded. */
static struct binlog_switches *find_switches(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	unsigned long start, offset;
	void *page = NULL;

	while (!page && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%*x rw-s %lx", &start, &offset) == 2 &&
			offset == 0 &&
			memcmp((void *)start, BINLOG_MAGIC, 8) == 0)
			page = (void *)start;
	fclose(maps);
	if (!page)
		WRONG("nothing is recorded\n");
	return page ? switches_of(page) : NULL;
}

static __attribute__((noinline)) int say(const char *format, int number)
{
	return printf(format, number, secret);
}

static __attribute__((noinline)) void say_and_forget(
	const char *format, int number)
{
	printf(format, number, secret);
	sink = number + getpid();
}

static void say_made(int n)
{
	char format[64];

	for (int i = 0; i < n; i++) {
		sprintf(format, "gone %d %%d %%s\n", i);
		say_and_forget(format, i);
	}
	for (int i = 0; i < n; i++) {
		int wanted = snprintf(NULL, 0, "gone %d %d %s\n", i, i, secret);

		sprintf(format, "gone %d %%d %%s\n", i);
		if (say(format, i) != wanted)
			WRONG("the result of a dropped call: %d\n", i);
		if (i % 2) {
			sprintf(format, "made %%g %%s of %d\n", i);
			printf(format, i / 2., secret);
		} else {
			sprintf(format, "made %%d %%s of %d\n", i);
			say(format, i);
		}
	}
}

static __attribute__((noinline)) void say_place(
	const char *format, int i, int *n)
{
	printf(format, i, n);
	sink = getpid();
}

static void say_written(void)
{
	for (int i = 0; i < 100; i++) {
		int n = -1;

		say_place("gone %d%n\n", i, &n);
		if (n != 6 + (i > 9))
			WRONG("%%n of a dropped call: %d\n", n);
	}
}

static void say_at(void)
{
	struct iovec v = {secret, 16};
	wchar_t wide[17];
	char made[64];

	mbstowcs(wide, secret, 17);
	if (pwrite(1, secret, 16, 100) != 16 || pwritev(1, &v, 1, 200) != 16 ||
		write(1, secret, 16) != 16 || writev(2, &v, 1) != 16)
		WRONG("a write has failed\n");
	for (int i = 0; i < 16; i++)
		putchar(secret[i]);
	for (int i = 0; i < 16; i++)
		putc_unlocked(secret[i], stderr);
	puts(secret);
	printf(secret);
	sprintf(made, "%s %%d\n", secret);
	printf(made, 1);
	syslog(LOG_ERR, secret);
	fputs(secret, stderr);
	fwrite(secret, 16, 1, stdout);
	dprintf(1, "%s", secret);
	errno = ENOENT;
	perror(secret);
	warn("%s", secret);
	warnx("%s", secret);
	fflush(stdout);
	freopen("wide", "w", stderr);
	fwprintf(stderr, L"%ls\n", wide);
	fputws(wide, stderr);
	fputwc(wide[0], stderr);
}

static void say_notices(void)
{
	for (int wide = 0; wide < 2; wide++) {
		errno = ENOENT;
		warn("password=%s", secret);
		warnx("password=%s", secret);
		error(0, ENOENT, "password=%s", secret);
		error_at_line(0, 0, "file", 3, "password=%s", secret);
		fwprintf(stderr, L"");
		if (wide == 0)
			freopen("/dev/fd/7", "a", stderr);
		fwide(stderr, 1);
	}
}

/* ---- switching ---- */

struct talker {
	pthread_t thread;
	long said;
};

static void *talk(void *argument)
{
	struct talker *talker = argument;

	while (!over) {
		long n = talker->said++;

		if (printf("number %ld of %p\n", n, (void *)talker) !=
			snprintf(NULL, 0, "number %ld of %p\n", n,
				(void *)talker))
			WRONG("the result of printf()\n");
		if (printf("constant\n") != 9)
			WRONG("the result of a constant printf()\n");
		if (printf("constant and longer\n") != 20)
			WRONG("the result of a longer one\n");
		if (puts("a line") != 7)
			WRONG("the result of puts()\n");
		fprintf(stderr, "ERROR: never dropped %ld %p\n", n,
			(void *)talker);
	}
	return NULL;
}

static void switch_often(int n)
{
	struct binlog_switches *switches = find_switches();
	struct talker talkers[4] = {0};

	for (int i = 0; i < 4; i++)
		pthread_create(&talkers[i].thread, NULL, talk, &talkers[i]);
	for (int i = 0; i < n && switches; i++) {
		int level = i % 2 ? 7 : 4;

		__atomic_store_n(&switches->level, level, __ATOMIC_RELEASE);
		switches_tell(switches);
		usleep(300);
	}
	usleep(switches ? 20000 : 100000);
	over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(talkers[i].thread, NULL);
	printf("the end\n");
	for (int i = 0; i < 4; i++)
		dprintf(8, "%p %ld\n", (void *)&talkers[i], talkers[i].said);
}

static void *tell_secret(void *unused)
{
	for (int i = 0; !over; i++)
		printf("password=%s of %d\n", secret, i);
	return unused;
}

static void set_level(struct binlog_switches *switches, int level)
{
	__atomic_store_n(&switches->level, level, __ATOMIC_RELEASE);
	switches_tell(switches);
}

static void set_rules(struct binlog_switches *switches, uint32_t bytes)
{
	__atomic_store_n(&switches->rules_bytes, bytes, __ATOMIC_RELEASE);
	switches_tell(switches);
}

/* At no moment may the secret be recorded. */
static void hide_and_drop(int n)
{
	struct binlog_switches *switches = find_switches();
	uint32_t bytes = switches ? switches->rules_bytes : 0;
	pthread_t thread[4];

	if (bytes == 0)
		WRONG("there are no rules\n");
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, tell_secret, NULL);
	for (int i = 0; i < n && bytes > 0; i++) {
		set_level(switches, -1);
		set_rules(switches, 0);
		usleep(50);
		set_rules(switches, bytes);
		set_level(switches, 11);
		usleep(50);
	}
	over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void *damage(void *argument)
{
	struct binlog_switches *switches = find_switches();
	unsigned seed = 7;
	long n = (long)argument;

	for (long i = 0; i < n && switches; i++) {
		unsigned char *at = (unsigned char *)switches +
				    rand_r(&seed) % sizeof(*switches);

		if (i % 16 == 0)
			switches->generation = 0;
		else if (i % 16 == 8)
			memset(switches, 0, sizeof(*switches));
		else
			*at = (unsigned char)rand_r(&seed);
		if (i % 4 == 3)
			switches_tell(switches);
		usleep(50);
	}
	over = 1;
	return NULL;
}

static void *babble(void *unused)
{
	for (int i = 0; !over; i++) {
		printf("babble %d\n", i);
		puts("constant");
	}
	return unused;
}

static void survive(long n)
{
	pthread_t threads[2];
	int status;

	pthread_create(&threads[0], NULL, damage, (void *)n);
	pthread_create(&threads[1], NULL, babble, NULL);
	while (!over) {
		pid_t child = fork();

		if (child == 0) {
			printf("a child %d\n", 1);
			puts("of it");
			_exit(7);
		}
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
			WEXITSTATUS(status) != 7)
			WRONG("a child has died: %x\n", status);
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static void say_beyond(void)
{
	struct binlog_switches *switches = find_switches();

	printf("the first of %d\n", 2);
	if (switches) {
		switches->rules_at = 7 << 20;
		switches->rules_bytes = 50;
		switches_tell(switches);
	}
	printf("the second of %d\n", 2);
}

static __attribute__((noipa)) int say_below(volatile int *frames)
{
	if ((*frames)-- > 0)
		return say_below(frames) + *frames;
	return printf("the line of %d\n", 300);
}

static void say_deep(void)
{
	struct binlog_switches *switches = find_switches();

	if (switches) {
		switches->depth = 255;
		switches_tell(switches);
	}
	for (int i = 0; i < 3; i++) {
		volatile int frames = 300;

		if (say_below(&frames) != 16 - 300)
			WRONG("it was not said %d\n", i);
	}
}

static void say_zero(void)
{
	struct binlog_switches *switches = find_switches();

	for (int i = 0; i < 10; i++) {
		pid_t child;
		int status;

		printf("kept %d\n", i);
		printf("gone\n");
		printf("gone\n");
		if (switches)
			switches->generation = 0;
		child = fork();
		if (child == 0) {
			printf("kept %d\n", i);
			_exit(7);
		}
		if (waitpid(child, &status, 0) != child || status != 7 << 8)
			WRONG("a child has died: %x\n", status);
	}
}

/* ---- what compilers know of functions that they see ---- */

static int counter;

static __attribute__((noinline, noclone)) void count(void)
{
	counter++;
}

static __attribute__((noinline)) int keep(int n)
{
	int length = printf("gone %d\n", n);

	count();
	return length;
}

static void say_kept(void)
{
	for (int i = 0; i < 20; i++)
		if (keep(i) != 7 + (i > 9))
			WRONG("a result that is kept over a call\n");
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	make_secret();
	if (strcmp(argv[1], "made") == 0)
		say_made((int)n);
	else if (strcmp(argv[1], "written") == 0)
		say_written();
	else if (strcmp(argv[1], "at") == 0)
		say_at();
	else if (strcmp(argv[1], "notices") == 0)
		say_notices();
	else if (strcmp(argv[1], "beyond") == 0)
		say_beyond();
	else if (strcmp(argv[1], "deep") == 0)
		say_deep();
	else if (strcmp(argv[1], "zero") == 0)
		say_zero();
	else if (strcmp(argv[1], "switch") == 0)
		switch_often((int)n);
	else if (strcmp(argv[1], "secret") == 0)
		hide_and_drop((int)n);
	else if (strcmp(argv[1], "damage") == 0)
		survive(n);
	else
		say_kept();
	if (strcmp(argv[1], "switch") != 0)
		write(8, secret, 16);
	return 0;
}
