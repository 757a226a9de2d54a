/*
 * paced RATE: about so many lines a second, one of ten from another place and
 * one of a hundred to standard error, until SIGTERM; then into the file "said":
 * how many, and how many a second.  Its thread has an unfriendly name, and so
 * have two of its formats.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void end(int number)
{
	(void)number;
	ended = 1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void serve_request(long i)
{
	printf("request %ld took %d us\n", i, 42);
}

static void say_line(long i)
{
	if (i % 100 == 99)
		fprintf(stderr, "\033]0;owned\007\033[2Jslow %ld\n", i);
	else if (i % 10 == 9)
		printf("wide \xe4\xbd\xa0\xe5\xa5\xbd and \x9b%s %ld\n", "2J",
			i);
	else
		serve_request(i);
}

int main(int argc, char **argv)
{
	double rate = argc > 1 ? atof(argv[1]) : 1;
	double begun = now();
	char text[64];
	long said = 0;
	int fd;

	signal(SIGTERM, end);
	prctl(PR_SET_NAME, "\033[31mred", 0, 0, 0);
	while (!ended) {
		long wanted = (long)((now() - begun) * rate);

		while (said < wanted && !ended)
			say_line(said++);
		usleep(1000);
	}
	fd = open("said", O_CREAT | O_WRONLY | O_TRUNC, 0600);
	write(fd, text, (size_t)snprintf(text, sizeof(text), "%ld %.0f\n", said,
				(double)said / (now() - begun)));
	return close(fd);
}
