/*
 * neighbours: prints in every usual way, from threads, handlers and memory of
 * its own, and does a little of what other preloaded libraries change: time,
 * owners, fsync, buffers, memory.  All that it does is right: a checker that
 * watches it has nothing to say.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int whose;
static sigjmp_buf back;

static void *say_in_turn(void *number)
{
	int mine = (int)(size_t)number;

	for (int i = 0; i < 30; i++) {
		char *text = malloc(40);

		pthread_mutex_lock(&turn);
		while (whose % 3 != mine)
			pthread_cond_wait(&passed, &turn);
		strcpy(text, "out of malloc");
		printf("thread %d line %d %s %.2f\n", mine, i, text, i / 4.0);
		free(text);
		whose++;
		pthread_cond_broadcast(&passed);
		pthread_mutex_unlock(&turn);
	}
	return NULL;
}

static void say_in_handler(int number)
{
	printf("in a handler of %d\n", number);
	fflush(stdout);
}

static void jump_back(int number)
{
	fprintf(stderr, "jumping out of %d\n", number);
	siglongjmp(back, 1);
}

static int __attribute__((noinline)) say_deep(int depth)
{
	char room[100 + depth];

	memset(room, '.', sizeof(room));
	room[depth] = '\0';
	printf("%s %d\n", room, depth);
	return depth > 0 ? say_deep(depth - 1) + room[0] : 0;
}

static void say_in_threads(void)
{
	pthread_t threads[3];

	for (size_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, say_in_turn, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void say_of_files(void)
{
	struct stat st = {0};
	FILE *file = fopen("made", "w");

	fprintf(file, "%d %s\n", 1, "in a file");
	fflush(file);
	fsync(fileno(file));
	fclose(file);
	chown("made", 7, 8);
	stat("made", &st);
	printf("%ld bytes, owner %d\n", (long)st.st_size, (int)st.st_uid);
	rename("made", "kept");
	chmod("kept", 0600);
}

static void say_in_child(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		printf("child\n");
		exit(3);
	}
	waitpid(child, NULL, 0);
}

int main(void)
{
	struct tm day;
	time_t now = time(NULL);
	wchar_t *wide = calloc(9, sizeof(*wide));
	char *copy = strdup("copied");
	volatile int limit = 7;
	void *library;

	printf("%d %s %p\n", (int)getuid(), copy, (void *)0);
	printf("year %d\n",
		now < 1000000000 ? localtime_r(&now, &day)->tm_year : 0);
	say_in_threads();
	say_in_child();
	say_of_files();
	signal(SIGUSR1, say_in_handler);
	signal(SIGUSR2, jump_back);
	raise(SIGUSR1);
	if (sigsetjmp(back, 1) == 0)
		raise(SIGUSR2);
	printf("%.*s|%-10.3s|%5c|%n\n", 3, copy, copy, 'x', (int *)&limit);
	fprintf(stderr, "%d\n", limit);
	errno = ENOENT;
	perror("perror");
	wcscpy(wide, L"wide");
	printf("%ls\n", wide);
	fwrite(copy, 1, 6, stdout);
	putchar('\n');
	fputs("fputs\n", stdout);
	write(2, "by write\n", 9);
	library = dlopen("libm.so.6", RTLD_NOW);
	printf("%s\n", library ? "a library" : "no library");
	dlclose(library);
	say_deep(10);
	openlog("neighbours", LOG_PERROR, LOG_USER);
	for (int i = 0; i < 300; i++)
		printf("%d\n", i);
	free(wide);
	free(copy);
	return 4;
}
