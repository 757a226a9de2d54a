/*
 * rules WHAT [N]: prints in many ways; descriptor 9 gets what the calls
 * returned.
 *
 *   secrets  a secret, which is made at run time, through each function; then
 *            descriptor 8 gets the secret itself
 *   many N   N numbered lines of each of four kinds
 *   threads  the same lines of two threads, "noisy" and "quiet"
 *   levels   a message of each level, as programs write them
 *   used     constant texts and formats whose results are used and not used
 *   core     as secrets, and then dies
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

static char secret[17];
static int results[64], count;

static void make_secret(void)
{
	for (int i = 0; i < 16; i++)
		secret[i] = "kqxzjvwy"[(i * 5 + i / 3) % 8];
}

static int by_list(const char *format, ...)
{
	va_list list;
	int result;

	va_start(list, format);
	result = vprintf(format, list);
	va_end(list);
	return result;
}

static void say_secrets(void)
{
	wchar_t wide[17];

	mbstowcs(wide, secret, 17);
#define SAY(call) results[count++] = (call)
	SAY(printf("user=%s password=%s id=%d\n", "alice", secret, 42));
	SAY(fprintf(stdout, "user=%s password=%20s|%d\n", "bob", secret, 43));
	SAY(by_list("token: %s of %s\n", secret, "carol"));
	SAY(printf("password=%.*s|%*d|%s\n", 12, secret, 6, 44, "dora"));
	SAY(printf("%2$s password=%1$s\n", secret, "emil"));
	SAY(printf("password=%ls and %d\n", wide, 45));
	SAY(dprintf(1, "password=%s by a descriptor\n", secret));
	SAY(wprintf(L"") >= -1);
	SAY(printf("password=%s %m\n", secret));
	SAY(printf("password=%s twice password=%s\n", secret, secret));
	SAY(printf("pin=%ld of %f\n", 9876543210123L, 2.5));
	syslog(LOG_INFO, "login password=%s of %s", secret, "frida");
	errno = ENOENT;
	warn("password=%s", secret);
	SAY(printf("nothing secret: %s\n", "gustav"));
	fflush(stdout);
}

static void say_many(int n)
{
	for (int i = 0; i < n; i++) {
		results[0] += printf("first %d\n", i);
		results[1] += fprintf(stderr, "second %d\n", i);
		syslog(LOG_NOTICE, "third %d", i);
		puts("a constant line");
		results[2] += fputs("another one\n", stdout) >= 0;
		putchar('0' + i % 10);
		putchar('\n');
	}
	count = 3;
}

static void *say_in_thread(void *name)
{
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < 200; i++)
		printf("%s says %d\n", "somebody", i);
	return NULL;
}

static void say_in_threads(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, say_in_thread, "noisy");
	pthread_join(one, NULL);
	pthread_create(&two, NULL, say_in_thread, "quiet");
	pthread_join(two, NULL);
}

static void say_levels(void)
{
	for (int i = 0; i < 8; i++)
		syslog(i, "syslog %d", i);
	printf("<3>kernel %d\n", 3);
	printf("ERROR: written %d\n", 3);
	printf("[warn] written %d\n", 4);
	printf("plain %d\n", 6);
	fprintf(stderr, "plain %d\n", 4);
	printf("debug: written %d\n", 7);
	errno = ENOENT;
	perror("perror 3");
}

static void say_used(void)
{
	static char text[] = "not constant\n";

	for (int i = 0; i < 50; i++) {
		printf("dropped %d of %s\n", i, text);
		results[0] += printf("dropped and used %d\n", i * i);
		results[1] += printf("dropped\n");
		results[2] += puts("dropped too");
		results[3] += fputs("dropped as well\n", stdout);
		results[4] += (int)fwrite("dropped last\n", 1, 13, stdout);
		results[5] += (int)fwrite(text, 13, 1, stdout);
		results[6] += printf(
			i % 2 ? "dropped odd\n" : "dropped even and longer\n");
		if (printf("dropped and looked at\n") != 22)
			results[7]++;
	}
	count = 8;
}

int main(int argc, char **argv)
{
	FILE *filter;

	make_secret();
	if (strcmp(argv[1], "core") == 0) {
		filter = fopen("/proc/self/coredump_filter", "w"); /* core(5) */
		if (filter) {
			fputs("0x3f\n", filter);
			fclose(filter);
		}
	}
	if (strcmp(argv[1], "secrets") == 0 || strcmp(argv[1], "core") == 0)
		say_secrets();
	else if (strcmp(argv[1], "many") == 0)
		say_many(atoi(argv[2]));
	else if (strcmp(argv[1], "threads") == 0)
		say_in_threads();
	else if (strcmp(argv[1], "levels") == 0)
		say_levels();
	else
		say_used();
	for (int i = 0; i < count; i++)
		dprintf(9, "%d\n", results[i]);
	write(8, secret, strlen(secret));
	if (strcmp(argv[1], "core") == 0)
		__builtin_trap();
	return 0;
}
