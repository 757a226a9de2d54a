/*
 * internal WHAT [WORD]: makes glibc print by itself while something else
 * happens.
 */
#include <argp.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <fmtmsg.h>
#include <getopt.h>
#include <netdb.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

static const char *word;

static int parse_to(const char *argument, int flags, argp_parser_t parser)
{
	static const struct argp_option options[] = {
		{"number", 'n', "N", 0, "A number"}, {0}};
	struct argp argp = {options, parser, "WORD", "Does nothing."};
	char *words[] = {"program", strdup(argument), NULL};

	return argp_parse(&argp, 2, words, flags, NULL, NULL);
}

static error_t take_all(int key, char *argument, struct argp_state *state)
{
	return key == 'n' || key == ARGP_KEY_ARG ? 0 : ARGP_ERR_UNKNOWN;
}

static void in_handler(void)
{
	printf("handler\n");
	fprintf(stderr, "handler\n");
	psignal(SIGHUP, "handler");
}

static void handlers(void)
{
	atexit(in_handler);
	printf("before\n");
	parse_to(word, 0, take_all);
}

static void end_hard(void)
{
	if (word[0] == '_')
		_exit(3);
	raise(SIGKILL);
}

static void last(void)
{
	atexit(end_hard);
	parse_to("--nonsense", 0, take_all);
}

static jmp_buf out;

static char *jump_out(int key, const char *text, void *input)
{
	if (key == ARGP_KEY_HELP_POST_DOC)
		longjmp(out, 1);
	return (char *)text;
}

static void jump(void)
{
	struct argp argp = {
		NULL, NULL, NULL, "Before.\vAfter.", NULL, jump_out};

	for (volatile int i = 0; i < 3; i++)
		if (setjmp(out) == 0)
			argp_help(&argp, stderr, ARGP_HELP_STD_HELP, "name");
	fprintf(stderr, "out\n");
	psignal(SIGHUP, "after");
	if (word[0] == 'k')
		raise(SIGKILL);
	argp.help_filter = NULL;
	argp_help(&argp, stderr, ARGP_HELP_STD_HELP, "name");
	putc_unlocked('x', stderr);
	fprintf(stderr, "end\n");
}

static void large(void)
{
	size_t size = strtoul(word, NULL, 10);
	char *doc = malloc(size + 1);
	struct argp argp = {NULL, NULL, NULL, doc};

	for (size_t i = 0; i < size; i++)
		doc[i] = i % 70 == 69 ? '\n' : 'a' + i / 70 % 26;
	doc[size] = '\0';
	argp_help(&argp, stdout, ARGP_HELP_DOC, "name");
	printf("the end\n");
}

static void wide(void)
{
	char *words[] = {"program", "-x", NULL};

	fwide(stderr, 1);
	fputws(L"wide\n", stderr);
	psignal(SIGHUP, "prefix");
	getopt(2, words, "a");
	errno = ENOENT;
	perror("perror");
	errno = ENOENT;
	warn("warn %d", 1);
	warnx("warnx");
	error(0, ENOENT, "error %s", "text");
	error_at_line(0, 0, "file", 7, "error at line");
	parse_to("--nonsense", ARGP_NO_EXIT, take_all);
	herror("herror");
	fmtmsg(MM_PRINT, "a:b", MM_HALT, "text", NULL, NULL);
	fputws(L"the end\n", stderr);
	errno = ENOENT;
	err(5, "err");
}

static pthread_barrier_t barrier;

static void *hold(void *unused)
{
	flockfile(stderr);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	funlockfile(stderr);
	return unused;
}

static void locked(void)
{
	char *words[] = {"program", "-a", "-a", NULL};
	pthread_t id;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&id, NULL, hold, NULL);
	pthread_barrier_wait(&barrier);
	printf("%d\n", getopt(3, words, "a"));
	printf("%d\n", parse_to("word", 0, take_all));
	pthread_barrier_wait(&barrier);
	pthread_join(id, NULL);
	fprintf(stderr, "free\n");
}

static error_t put_another(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	fprintf(stderr, "here\n");
	dup2(open("other", O_CREAT | O_WRONLY, 0600), 2);
	fprintf(stderr, "there\n");
	return 0;
}

static void redirect(void)
{
	fprintf(stderr, "before\n");
	parse_to("--nonsense", ARGP_NO_EXIT, put_another);
	psignal(SIGHUP, "there, too");
}

static error_t choose(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->err_stream = stdout;
	state->out_stream = stderr;
	return 0;
}

static void other(void)
{
	printf("before\n");
	parse_to("--nonsense", ARGP_NO_EXIT, choose);
	printf("between\n");
	parse_to("--help", 0, choose);
}

static error_t parse_within(int key, char *argument, struct argp_state *state)
{
	if (key == ARGP_KEY_END) {
		fprintf(stderr, "within\n");
		parse_to("--nonsense", ARGP_NO_EXIT, take_all);
		printf("after\n");
		parse_to("--usage", 0, take_all);
	}
	return key == ARGP_KEY_ARG ? 0 : ARGP_ERR_UNKNOWN;
}

static void nested(void)
{
	parse_to("word", 0, parse_within);
}

static error_t fork_in(int key, char *argument, struct argp_state *state)
{
	pid_t child;

	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	fflush(stdout);
	child = fork();
	if (child > 0) {
		waitpid(child, NULL, 0);
		fprintf(stderr, "parent\n");
	}
	return 0;
}

static void forked(void)
{
	parse_to("--help", 0, fork_in);
}

static error_t say_and_die(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	fprintf(stderr, "last words\n");
	raise(SIGKILL);
	return 0;
}

static void killed(void)
{
	parse_to("--help", 0, say_and_die);
}

static void buffered(void)
{
	char *words[] = {"program", "-x", NULL};

	setvbuf(stderr, NULL, _IOFBF, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	fprintf(stderr, "before\n");
	psignal(SIGHUP, "prefix");
	getopt(2, words, "a");
	errno = ENOENT;
	perror("perror");
	warn("warn");
	error(0, 0, "error");
	printf("in a line\n");
	parse_to("--help", 0, take_all);
}

static void console(void)
{
	openlog("ident", LOG_PERROR, LOG_USER);
	for (int i = 0; i < 32; i++)
		printf("%d\n",
			fmtmsg(MM_CONSOLE | MM_PRINT,
				i & 1 ? "label:label" : NULL,
				i & 2 ? MM_ERROR : 0, i & 4 ? "text" : NULL,
				i & 8 ? "action" : NULL,
				i & 16 ? "tag" : NULL));
}

static void in_signal(int number)
{
	static char text[] = "signal\n";

	write(2, text, strlen(text));
}

static void *say_lines(void *unused)
{
	for (int i = 0; i < 3000; i++) {
		fprintf(stderr, "line %d\n", i);
		printf("line %d\n", i);
	}
	return unused;
}

static void *say_signals(void *unused)
{
	for (int i = 0; i < 3000; i++)
		psignal(SIGHUP, "prefix");
	return unused;
}

static void *say_help(void *unused)
{
	struct argp argp = {NULL, NULL, "WORD", "Does nothing."};

	for (int i = 0; i < 3000; i++)
		argp_help(&argp, i % 2 ? stdout : stderr, ARGP_HELP_USAGE,
			"name");
	return unused;
}

static void *say_options(void *signalled)
{
	for (int i = 0; i < 3000; i++) {
		parse_to("--nonsense", ARGP_NO_EXIT, take_all);
		if (i % 100 == 0)
			pthread_kill(*(pthread_t *)signalled, SIGUSR1);
	}
	return NULL;
}

static void threads(void)
{
	void *(*const run[])(void *) = {
		say_lines, say_signals, say_help, say_options};
	pthread_t id[4];

	sigaction(SIGUSR1,
		&(struct sigaction){
			.sa_handler = in_signal, .sa_flags = SA_RESTART},
		NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, run[i], &id[1]);
	for (int i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} table[] = {
	{"handlers", handlers},
	{"last", last},
	{"jump", jump},
	{"large", large},
	{"wide", wide},
	{"locked", locked},
	{"redirect", redirect},
	{"other", other},
	{"nested", nested},
	{"fork", forked},
	{"killed", killed},
	{"buffered", buffered},
	{"console", console},
	{"threads", threads},
};

int main(int argc, char **argv)
{
	word = argc > 2 ? argv[2] : "";
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (argc > 1 && strcmp(table[i].name, argv[1]) == 0) {
			table[i].run();
			return 0;
		}
	return 99;
}
