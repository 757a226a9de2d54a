/*
 * turns HOW WHO SPEAKERS LINES: says the numbers from 0 to LINES - 1, each by
 * whoever has the lock; HOW is mutex, ticket, condition or flag, WHO are
 * threads, processes, or programs that have nothing in common but the file
 * "shared" and what it is open as.  Now and then one goes on for a few lines.
 * turns close SECONDS: a thread makes FILEs of copies of 1, says something and
 * closes them, another one gets their numbers for files of its own, and says
 * how many of these have not got all that was written to them.
 * turns last: a thread says its first message when main is about to return.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	long next;   /* what is said next */
	long ticket; /* the next one */
	long served; /* the ticket whose turn it is */
	long flag;   /* whose turn it is */
};

static struct shared *shared;
static const char *how;
static long lines, speakers;

/* True: there is more to say. */
static int say(long me)
{
	/* Right behind the lock, where the processor is ahead of it. */
	if (shared->next < lines)
		printf("%ld\n", shared->next++);
	if (shared->next % 16 == me)
		for (int i = 0; i < 4 && shared->next < lines; i++)
			printf("%ld\n", shared->next++);
	return shared->next < lines;
}

static int with_mutex(long me)
{
	int more;

	pthread_mutex_lock(&shared->mutex);
	more = say(me);
	pthread_mutex_unlock(&shared->mutex);
	return more;
}

static int with_condition(long me)
{
	int more;

	pthread_mutex_lock(&shared->mutex);
	while (shared->flag != me && shared->next < lines)
		pthread_cond_wait(&shared->changed, &shared->mutex);
	more = say(me);
	shared->flag = (me + 1) % speakers;
	pthread_cond_broadcast(&shared->changed);
	pthread_mutex_unlock(&shared->mutex);
	return more;
}

static void wait_until(const long *word, long value)
{
	for (long i = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; i++)
		if (i % 4096 == 0)
			sched_yield();
}

static int with_ticket(long me)
{
	long ticket =
		__atomic_fetch_add(&shared->ticket, 1, __ATOMIC_ACQ_REL);
	int more;

	wait_until(&shared->served, ticket);
	more = say(me);
	__atomic_store_n(&shared->served, ticket + 1, __ATOMIC_RELEASE);
	return more;
}

static int with_flag(long me)
{
	int more;

	wait_until(&shared->flag, me);
	more = say(me);
	__atomic_store_n(&shared->flag, (me + 1) % speakers, __ATOMIC_RELEASE);
	return more;
}

static void *speak(void *number)
{
	long me = (long)number;
	int (*take)(long) = *how == 'm' ? with_mutex
			    : *how == 'c' ? with_condition
			    : *how == 't' ? with_ticket
					  : with_flag;

	while (take(me))
		;
	return NULL;
}

static void map_shared(int fd)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
}

static void prepare(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t condition;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &mutex);
	pthread_condattr_init(&condition);
	pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->changed, &condition);
}

static int threads(void)
{
	pthread_t thread[64];

	for (long i = 0; i < speakers; i++)
		pthread_create(&thread[i], NULL, speak, (void *)i);
	for (long i = 0; i < speakers; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static int processes(void)
{
	/* What each of them says is written at once. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (long i = 0; i < speakers; i++)
		if (fork() == 0) {
			speak((void *)i);
			return 0;
		}
	while (wait(NULL) > 0)
		;
	return 0;
}

/* As one of them: the number of this one follows. */
static int program(long me)
{
	map_shared(open("shared", O_RDWR));
	setvbuf(stdout, NULL, _IOLBF, 0);
	speak((void *)me);
	return 0;
}

static int programs(char **argv)
{
	char number[24];

	for (long i = 0; i < speakers; i++)
		if (fork() == 0) {
			snprintf(number, sizeof(number), "%ld", i);
			execl("/proc/self/exe", argv[0], argv[1], argv[2],
				argv[3], argv[4], number, NULL);
			_exit(127);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}

static int done;

static void *closes(void *unused)
{
	(void)unused;
	for (int i = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); i++) {
		FILE *file = fdopen(dup(1), "w");

		fprintf(file, "log %d\n", i);
		if (i % 4 == 3)
			file = freopen("/dev/null", "w", file);
		fclose(file);
	}
	return NULL;
}

static int take_numbers(int seconds)
{
	static const char text[] = "precious data\n";
	time_t end = time(NULL) + seconds;
	long lost = 0, files = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, closes, NULL);
	for (; time(NULL) < end; files++) {
		int fd = memfd_create("data", 0);
		struct stat st;

		if (write(fd, text, sizeof(text) - 1) < 0 || fstat(fd, &st))
			return 2;
		lost += st.st_size != sizeof(text) - 1;
		close(fd);
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	fprintf(stderr, "%ld lost\n", lost);
	return lost > 0 || files == 0;
}

static sem_t sem;

static void *last(void *unused)
{
	usleep(2000);
	sem_post(&sem);
	write(1, "thread\n", 7);
	return unused;
}

static int say_last(void)
{
	pthread_t thread;

	sem_init(&sem, 0, 0);
	pthread_create(&thread, NULL, last, NULL);
	write(1, "main\n", 5);
	sem_wait(&sem);
	return 0;
}

int main(int argc, char **argv)
{
	how = argv[1];
	if (strcmp(how, "close") == 0)
		return take_numbers(atoi(argv[2]));
	if (strcmp(how, "last") == 0)
		return say_last();
	speakers = atol(argv[3]);
	lines = atol(argv[4]);
	if (argc > 5)
		return program(atol(argv[5]));
	if (strcmp(argv[2], "programs") == 0) {
		int fd = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || ftruncate(fd, sizeof(*shared)) != 0)
			return 2;
		map_shared(fd);
		prepare();
		return programs(argv);
	}
	map_shared(-1);
	prepare();
	return *argv[2] == 't' ? threads() : processes();
}
