#include "tools/top/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tools/top/top_mouse.h"

/* A screen of its own and no cursor, and back. */
static const char begin_text[] = "\033[?1049h\033[?25l";
static const char end_text[] = "\033[0m\033[?25h\033[?1049l";
static const char mouse_text[] = TOP_MOUSE_ON;
static const char no_mouse_text[] = TOP_MOUSE_OFF;
static const char home_text[] = "\033[H";
static const char rest_of_line[] = "\033[K\r\n";
static const char rest_of_screen[] = "\033[K\033[J";

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
static const int crashing[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL};

static struct termios before;
static volatile sig_atomic_t mouse; /* is switched on with it */
static volatile sig_atomic_t taken; /* the terminal is ours */
static volatile sig_atomic_t asked; /* the signal that ends us */
static volatile sig_atomic_t stops;

/* Also called in a handler of a crash. */
static void put(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = write(STDOUT_FILENO, text, size);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
}

static bool take(void)
{
	struct termios ours = before;

	ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	ours.c_cc[VMIN] = 0;
	ours.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &ours) != 0)
		return false;
	taken = 1;
	put(begin_text, strlen(begin_text));
	if (mouse)
		put(mouse_text, strlen(mouse_text));
	return true;
}

void top_screen_end(void)
{
	if (!taken)
		return;
	taken = 0;
	if (mouse)
		put(no_mouse_text, strlen(no_mouse_text));
	put(end_text, strlen(end_text));
	/* What the mouse has said last is nothing for a shell. */
	tcsetattr(STDIN_FILENO, mouse ? TCSAFLUSH : TCSADRAIN, &before);
}

/* ---- signals ---- */

static void note_end(int number)
{
	asked = number;
}

static void note_stop(int number)
{
	stops = number;
}

/* That poll() returns is all it is for. */
static void note_nothing(int number)
{
	(void)number;
}

static void crash(int number)
{
	top_screen_end();
	signal(number, SIG_DFL);
	raise(number);
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

static void handle_all(void)
{
	size_t i;

	for (i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		handle(ending[i], note_end);
	for (i = 0; i < sizeof(crashing) / sizeof(crashing[0]); i++)
		handle(crashing[i], crash);
	handle(SIGTSTP, note_stop);
	handle(SIGCONT, note_nothing);
	handle(SIGWINCH, note_nothing);
}

void top_screen_die(int number)
{
	top_screen_end();
	signal(number, SIG_DFL);
	raise(number);
	_exit(128 + number);
}

/* Until somebody lets us go on. */
static void stop(void)
{
	stops = 0;
	top_screen_end();
	raise(SIGSTOP);
	take();
}

/* ---- size, keys, pages ---- */

static void measure(struct top_screen *screen)
{
	struct winsize size;

	screen->width = 80;
	screen->height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return;
	if (size.ws_col > 0)
		screen->width = size.ws_col;
	if (size.ws_row > 0)
		screen->height = size.ws_row;
}

const char *top_screen_begin(struct top_screen *screen)
{
	const char *term = getenv("TERM");

	*screen = (struct top_screen){0};
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return "standard input or output is not a terminal: give -b "
		       "for plain text";
	if (!term || !*term || strcmp(term, "dumb") == 0)
		return "the terminal cannot be drawn on, as TERM says: give "
		       "-b for plain text";
	if (tcgetattr(STDIN_FILENO, &before) != 0)
		return strerror(errno);
	mouse = screen->mouse = top_mouse_is_known(term);
	handle_all();
	atexit(top_screen_end);
	if (!take())
		return strerror(errno);
	measure(screen);
	return NULL;
}

void top_screen_show(const char *page, size_t size)
{
	const char *end = page + size;
	const char *newline;

	put(home_text, strlen(home_text));
	while ((newline = memchr(page, '\n', (size_t)(end - page)))) {
		put(page, (size_t)(newline - page));
		put(rest_of_line, strlen(rest_of_line));
		page = newline + 1;
	}
	put(page, (size_t)(end - page));
	put(rest_of_screen, strlen(rest_of_screen));
}

/* Signals come nowhere else but while we wait, so none is missed. */
static int wait_for_key(uint64_t most_ns)
{
	const struct timespec most = {
		.tv_sec = (time_t)(most_ns / 1000000000u),
		.tv_nsec = (long)(most_ns % 1000000000u),
	};
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	sigset_t all, old;
	int ready = 0;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	if (!asked && !stops)
		ready = ppoll(&input, 1, &most, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ready;
}

size_t top_screen_wait(
	struct top_screen *screen, uint64_t most_ns, char *keys, size_t room)
{
	int ready = wait_for_key(most_ns);
	ssize_t n = 0;

	if (stops)
		stop();
	if (ready > 0)
		n = read(STDIN_FILENO, keys, room);
	/* It was readable, and there is nothing: it was hung up. */
	if (ready > 0 && n <= 0 && !asked && errno != EINTR)
		asked = SIGHUP;
	screen->signal = asked;
	measure(screen);
	return n > 0 ? (size_t)n : 0;
}
