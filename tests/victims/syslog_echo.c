/*
 * Messages to syslog.  "echo": as LOG_PERROR prints them, between other text on
 * stderr, with priorities that do not exist.  "fails": likewise, between which
 * a format fails.  "threads": likewise, while threads open and close the log.
 * "positions": where stderr stands after them.  "zone": what time it was for
 * each, on stdout, while the time zone changes.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define NO_PRIORITY 0x12340

#ifdef OWN_NAMES
/* What it calls so is nothing of libc's. */
int its_timezone __asm__("timezone") = 5;
char its_tzname[16] __asm__("tzname") = "mine";
#endif

static void echo(void)
{
	char long_one[3000];

	memset(long_one, 'x', sizeof(long_one));
	long_one[sizeof(long_one) - 1] = '\0';
	openlog("echo", LOG_PERROR, LOG_USER);
	fprintf(stderr, "begin\n");
	syslog(LOG_INFO, "one %d %s", 1, "two");
	errno = ENOENT;
	syslog(LOG_ERR, "%m\n");
	syslog(LOG_INFO, "%s", "");
	syslog(LOG_INFO, "a%cb", 0);
	syslog(LOG_INFO, "%s", long_one);
	fprintf(stderr, "between\n");
	syslog(NO_PRIORITY | LOG_INFO, "bad %d", 2);
	errno = EPERM;
	syslog(-1, "%m");
	setlogmask(LOG_MASK(LOG_INFO));
	syslog(NO_PRIORITY | LOG_ERR, "masked %d", 2);
	syslog(NO_PRIORITY | LOG_INFO, "only the complaint is masked");
	setlogmask(LOG_MASK(LOG_ERR));
	syslog(NO_PRIORITY | LOG_INFO, "all but the complaint is masked");
	setlogmask(LOG_UPTO(LOG_DEBUG));
	openlog(NULL, 0, LOG_USER);
	syslog(LOG_INFO, "no echo");
	syslog(NO_PRIORITY | LOG_INFO, "no echo");
	openlog(NULL, LOG_PERROR | LOG_PID, LOG_MAIL);
	closelog();
	dup2(STDOUT_FILENO, STDERR_FILENO);
	openlog("again", LOG_PERROR, LOG_MAIL);
	syslog(LOG_INFO, "elsewhere");
}

static void fails(void)
{
	openlog("fails", LOG_PERROR, LOG_USER);
	syslog(LOG_INFO, "begin");
	syslog(LOG_INFO, "%d %ls", 1, L"\xd800");
	syslog(LOG_INFO, "end");
}

static void positions(void)
{
	openlog("positions", LOG_PERROR, LOG_USER);
	syslog(LOG_INFO, "one %d", 1);
	printf("%ld\n", (long)lseek(STDERR_FILENO, 0, SEEK_CUR));
	syslog(LOG_INFO, "%s", "two\n");
	printf("%ld\n", (long)lseek(STDERR_FILENO, 0, SEEK_CUR));
}

static int opened, ends;

static void *open_often(void *unused)
{
	for (; !__atomic_load_n(&ends, __ATOMIC_RELAXED); opened++) {
		openlog(NULL, LOG_PERROR, LOG_USER);
		closelog();
	}
	return unused;
}

static void threads(void)
{
	pthread_t thread[3];

	openlog(NULL, LOG_PERROR, LOG_USER);
	syslog(LOG_INFO, "begin");
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, open_often, NULL);
	while (__atomic_load_n(&opened, __ATOMIC_RELAXED) == 0)
		;
	for (int i = 0; i < 9000; i++)
		syslog(LOG_INFO, "message %d", i);
	__atomic_store_n(&ends, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

static void say(const char *zone)
{
	time_t now = time(NULL);
	char text[16];

	syslog(LOG_INFO, "%s", zone);
	strftime(text, sizeof(text), "%H", localtime(&now));
	puts(text);
}

static void zone(void)
{
	static const char *const zones[] = {"AAA0", "BBB-5", "CCC7", "AAA0"};

	for (size_t i = 0; i < sizeof(zones) / sizeof(*zones); i++) {
		setenv("TZ", zones[i], 1);
		tzset();
		say(zones[i]);
	}
	/* libc has not looked at it yet. */
	setenv("TZ", "DDD3", 1);
	syslog(LOG_INFO, "before");
	setenv("TZ", "AAA0", 1);
	say("AAA0");
}

int main(int argc, char **argv)
{
	if (strcmp(argv[1], "echo") == 0)
		echo();
	else if (strcmp(argv[1], "fails") == 0)
		fails();
	else if (strcmp(argv[1], "threads") == 0)
		threads();
	else if (strcmp(argv[1], "positions") == 0)
		positions();
	else
		zone();
	return 0;
}
