/* Says what is hard to hand on to other programs: every type of argument and its ends, bytes that are no text, many threads and processes. */
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

#define REQUESTS 100

static const char *const hostile[] = {
	"plain",
	"",
	"\x1b[31mred\x1b[0m",
	"\xff\xfe\xc3(",
	"\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82",
	"comma, \"quote\" 'tick'\r\nnext;line\ttab\\",
	"=cmd|' /C calc'!A0",
	"+1", "-2", "@sum", "\t=1",
	"\xe2\x80\xae right to left \xe2\x80\xa8 line",
	"</script><!--<b>&amp;",
	"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80 \xc2\x85",
	"a;b;c 12",
};

static __attribute__((noinline)) void inner(int thread, int i)
{
	printf("worker %d request %ld took %f us from %s\n", thread,
		(long)i << 32, i * 0.75, hostile[i % 15]);
}

static __attribute__((noinline)) void outer(int thread, int i)
{
	inner(thread, i);
	__asm__ volatile("");
}

static void *work(void *closure)
{
	int thread = (int)(intptr_t)closure;
	char name[16];

	snprintf(name, sizeof(name), "w\xc3\xb6rk\"er %d", thread);
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < REQUESTS; i++)
		outer(thread, i);
	return NULL;
}

static void say_integers(void)
{
	printf("least %lld most %lld all=%llu size=%zu\n", INT64_MIN, INT64_MAX,
		UINT64_MAX, (size_t)1 << 53 | 1);
	printf("cut: byte=%hhd short=%hd hex=%x octal=%#o %%\n", 300, 70000,
		-1, 8);
	printf("at %p and %p, %c and %lc, %c\n", (void *)0x7fff12345678, NULL,
		'A', (wint_t)0x1f600, 0xe9);
	printf("width '%*d' '%-*d' precision %.*f\n", 8, 42, 6, -7, 2, 2.5);
	printf("%2$d before %1$d\n", 1, 2);
	errno = ENOENT;
	printf("errno says %m of %s\n", "file");
}

static void say_floats(void)
{
	const double all[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0, -0.0, 0.1,
		1.0 / 3, 1e300, -5e-324, 1234567.125, 4e9, 1e15 + 0.5, DBL_MAX,
		0.000001, 123456789.123456};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		printf("value=%g next %a long %.3Lf\n", all[i], all[i] / 3,
			(long double)all[i] * 2);
}

static void say_texts(void)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		printf("text <%s> cut <%.3s>\n", hostile[i], hostile[i]);
		syslog(LOG_MAIL | (int)(i % 8), "mail %zu says '%s'", i,
			hostile[i]);
	}
	printf("no text %s\n", (char *)NULL);
	printf("wide %ls and %.2ls\n", L"gr\u00fc\u00df \U0001F600", L"abc");
	puts("a line");
	fwrite("nul\0inside\n", 1, 11, stdout);
	syslog(LOG_INFO, "text=%d of %d %d %d %d", 1, 2, 3, 4, 5);
	perror("open");
	fprintf(stderr, "ERROR: size=%d\n", -5);
}

static void say_much(void)
{
	size_t bytes = 300000;
	char *text = malloc(bytes + 1);

	for (size_t i = 0; i < bytes; i++)
		text[i] = "\xc3\xbc,x\n"[i % 5];
	text[bytes] = '\0';
	printf("much: %s.\n", text);
	free(text);
}

static void child(int status)
{
	if (fork() != 0)
		return;
	if (status == 2)
		fwprintf(fdopen(dup(2), "w"), L"wide child %d of %ls\n", status,
			L"\u00e9");
	printf("child with status %d\n", status);
	syslog(LOG_ERR, "child %d ends", status);
	if (status == 3)
		raise(SIGSEGV);
	exit(status);
}

int main(void)
{
	pthread_t threads[4];

	setlocale(LC_CTYPE, "C.UTF-8");
	openlog("ex\"porter", LOG_PID, LOG_DAEMON);
	say_integers();
	say_floats();
	say_texts();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	say_much();
	for (int i = 1; i <= 3; i++)
		child(i);
	while (wait(NULL) > 0)
		;
	printf("done after %d requests\n", 4 * REQUESTS);
	return 0;
}
