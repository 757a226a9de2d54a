/* The actions that have others run a block: processes, threads, handlers,
 * jumps; see victim.c. */
#include "victim.h"

extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int next_in_order;
static __thread sigjmp_buf *leave;

long do_repeat(struct action *a)
{
	long outer = turn;
	for (long i = 0, n = value(a, 0); i < n; i++) {
		turn = i;
		run_block(a);
	}
	turn = outer;
	return 0;
}
static void end_process(long how)
{
	switch (how) {
	case 0:
		exit(3);
	case 1:
		_exit(4);
	case 2:
		quick_exit(5);
	case 3:
		abort();
	case 4:
		kernel(SYS_kill, getpid(), SIGKILL, 0, 0);
		break;
	case 5:
		raise(SIGTERM);
		break;
	case 6:
		fflush(NULL);
		_exit(6);
	}
	_exit(7);
}
static long wait_for(pid_t pid)
{
	int status = 0;
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}
long do_fork(struct action *a)
{
	pid_t pid = value(a, 1) ? _Fork() : fork();
	if (pid == 0) {
		run_block(a);
		end_process(value(a, 0));
	}
	return wait_for(pid);
}
long do_vfork(struct action *a)
{
	pid_t pid = vfork();
	if (pid == 0) {
		run_block(a);
		_exit(8);
	}
	return wait_for(pid);
}
static char **words_for(struct action *a, char **words, char number[24])
{
	*decimal(number, a - actions) = 0;
	words[0] = (char *)"/proc/self/exe";
	words[1] = script_path;
	words[2] = report_path;
	words[3] = number;
	words[4] = NULL;
	return words;
}
long do_exec(struct action *a)
{
	char *words[5], number[24];
	words_for(a, words, number);
	if (value(a, 0))
		execve(words[0], words, environ);
	else
		execv(words[0], words);
	return -1;
}
long do_spawn(struct action *a)
{
	char *words[5], number[24];
	pid_t pid = -1;
	posix_spawn_file_actions_t redirections;
	words_for(a, words, number);
	posix_spawn_file_actions_init(&redirections);
	if (a->count >= 2)
		posix_spawn_file_actions_adddup2(
			&redirections, value(a, 0), value(a, 1));
	int error = posix_spawn(
		&pid, words[0], &redirections, NULL, words, environ);
	posix_spawn_file_actions_destroy(&redirections);
	if (error) {
		errno = error;
		return -1;
	}
	return wait_for(pid);
}
long do_system(struct action *a)
{
	return system(text(a, 0));
}

static struct action *in_handler[65];
static void handle(int number)
{
	sigjmp_buf *to = leave;
	struct action *a = in_handler[number];
	if (a)
		run_block(a);
	if (to)
		siglongjmp(*to, 1);
}
static long handled(struct action *a, int number, sigjmp_buf *to)
{
	struct sigaction now = {.sa_handler = handle, .sa_flags = SA_NODEFER},
			 was;
	struct action *outer = in_handler[number];
	in_handler[number] = a;
	leave = to;
	sigaction(number, &now, &was);
	long result = raise(number);
	sigaction(number, &was, NULL);
	in_handler[number] = outer;
	return result;
}
long do_handler(struct action *a)
{
	sigjmp_buf *outer = leave;
	long result = handled(a, SIGUSR1, NULL);
	leave = outer;
	return result;
}
long do_jump(struct action *a)
{
	sigjmp_buf here, *outer = leave;
	struct action *was = in_handler[SIGUSR2];
	long result = 1;
	if (!sigsetjmp(here, 1))
		result = handled(a, SIGUSR2, &here);
	leave = outer;
	in_handler[SIGUSR2] = was;
	return result;
}
/* FILE FORMAT: a text that ends in no memory, and a handler that leaves the
 * call */
long do_fault(struct action *a)
{
	FILE_OR_NOTHING(f);
	static char *edge;
	sigjmp_buf here, *outer = leave;
	struct action *was = in_handler[SIGSEGV];
	struct sigaction now = {.sa_handler = handle, .sa_flags = SA_NODEFER},
			 before;
	volatile long result = -2;
	if (!edge) {
		edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(edge + 4096, 4096, PROT_NONE);
		memset(edge, 'e', 4096);
	}
	in_handler[SIGSEGV] = NULL;
	sigaction(SIGSEGV, &now, &before);
	if (!sigsetjmp(here, 1)) {
		leave = &here;
		result = value(a, 2) == 1 ? (long)fwrite(edge + 4090, 1, 100, f)
			 : value(a, 2) == 2
				 ? fputs(edge + 4090, f)
				 : fprintf(f, text(a, 1), edge + 4090);
	}
	sigaction(SIGSEGV, &before, NULL);
	leave = outer;
	in_handler[SIGSEGV] = was;
	return result;
}

static void *in_thread(void *given)
{
	struct action *a = given;
	if (a->count)
		tag = text(a, 0);
	run_block(a);
	return NULL;
}
static void *in_cancelled(void *given)
{
	pthread_cancel(pthread_self());
	return in_thread(given);
}
static long with_thread(void *(*body)(void *), struct action *a)
{
	pthread_t thread;
	void *result;
	if (pthread_create(&thread, NULL, body, a))
		return -1;
	pthread_join(thread, &result);
	return result == PTHREAD_CANCELED;
}
long do_thread(struct action *a)
{
	return with_thread(in_thread, a);
}
long do_cancel(struct action *a)
{
	return with_thread(in_cancelled, a);
}
long do_leave_thread(struct action *a)
{
	if (getpid() != (pid_t)kernel(SYS_gettid, 0, 0, 0, 0))
		pthread_exit(NULL);
	return NOTHING;
}
/* All threads of the block at once; other actions between them are the first
 * thread's own. */
long do_parallel(struct action *a)
{
	pthread_t threads[32];
	int n = 0;
	for (int i = a - actions + 1; i < a->end;) {
		struct action *inner = &actions[i];
		if (inner->verb->act == do_thread && n < 32)
			n += !pthread_create(
				&threads[n], NULL, in_thread, inner);
		else
			run(i, inner->end + 1);
		i = inner->end + 1;
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return n;
}
/* HOW FILE: a line with the next number, under a lock of one kind or another */
long do_in_order(struct action *a)
{
	static _Atomic int drawn;
	FILE *f = files[value(a, 1) % FILES];
	if (!f)
		return NOTHING;
	if (value(a, 0)) {
		int mine = drawn++;
		/* Whose turn it is may not be running. */
		for (int spins = 0; __atomic_load_n(&next_in_order,
					    __ATOMIC_ACQUIRE) != mine;)
			if (++spins > 2000)
				kernel(SYS_sched_yield, 0, 0, 0, 0);
		fprintf(f, "L %d\n", mine);
		__atomic_store_n(&next_in_order, mine + 1, __ATOMIC_RELEASE);
		return 0;
	}
	pthread_mutex_lock(&mutex);
	fprintf(f, "L %d\n", next_in_order++);
	pthread_mutex_unlock(&mutex);
	return 0;
}

/* A handler that is run again and again: COUNT MICROSECONDS DESCRIPTOR */
static _Atomic int storm_left, storm_said, storm_busy;
static int storm_to;
static void storm(int number)
{
	int error = errno, zero = 0;
	if (storm_left > 0 && __atomic_compare_exchange_n(&storm_busy, &zero, 1,
				      0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		if (storm_left > 0) {
			char line[32] = "S ",
			     *end = decimal(line + 2, storm_said++);
			*end++ = '\n';
			storm_left--;
			if (write(storm_to, line, end - line) < 0)
				storm_left = 0;
		}
		storm_busy = 0;
	}
	errno = error;
}
long do_storm(struct action *a)
{
	struct sigaction now = {.sa_handler = storm, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, value(a, 1)}, {0, value(a, 1)}};
	storm_to = value(a, 2);
	storm_left = value(a, 0);
	sigaction(SIGALRM, &now, NULL);
	return setitimer(ITIMER_REAL, &every, NULL);
}
long do_calm(struct action *a)
{
	struct itimerval never = {{0, 0}, {0, 0}};
	while (storm_left > 0)
		kernel(SYS_poll, 0, 0, 1, 0);
	return setitimer(ITIMER_REAL, &never, NULL);
}

static int at_exit[32], at_exit_count;
static void ends(void)
{
	if (at_exit_count > 0)
		run_block(&actions[at_exit[--at_exit_count]]);
}
long do_atexit(struct action *a)
{
	if (at_exit_count == 32)
		return NOTHING;
	at_exit[at_exit_count++] = a - actions;
	return atexit(ends);
}
long do_end_by(struct action *a)
{
	end_process(value(a, 0));
	return 0;
}
long do_pause(struct action *a)
{
	return kernel(SYS_poll, 0, 0, value(a, 0), 0);
}
long do_locale(struct action *a)
{
	return setlocale(LC_ALL, text(a, 0)) != NULL;
}
