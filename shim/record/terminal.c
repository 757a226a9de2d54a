#include "shim/record/terminal.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>

#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"

/* Of an unfinished line the last so many bytes are kept. */
#define UNFINISHED_MAX 1024u
#define STREAMS_AT_ONCE 8
/* A text of so many bytes, or a multiple, was a buffer that was full. */
#define BLOCK 1024u
/* How often a thread looks whether another one is done: that one may be in a
 * parent, or have jumped away. */
#define PATIENCE 1000
#define WRITES_MAX 1000

/* The end of what was said to a FILE, or to a descriptor: no whole line. */
struct unfinished {
	const void *of; /* null: free */
	int fd;
	uint32_t length;
	char text[UNFINISHED_MAX];
};

static struct unfinished table[STREAMS_AT_ONCE];
/* The thread that is at work here, by an address that only it has. */
static const void *owner;
static uintptr_t owner_frame; /* 0: it has only just come, or is leaving */
/* Some part of a line is on the screen, and not its end. */
static bool begun;
/* The terminal does not show what is typed, or not line by line: a program
 * that draws the screen, edits a line or asks for a password. */
static bool raw;
/* A descriptor of the terminal, once it was looked at. */
static int looked_at = -1;

/* False for a handler that has interrupted its own thread in here. */
static bool enter(void)
{
	const void *self = &writer_self;
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const void *other = NULL;

	for (int i = 0; !__atomic_compare_exchange_n(&owner, &other, self,
		     false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
		i++) {
		/* From there or further up the stack: who was here has jumped
		 * away. */
		if (other == self && frame < owner_frame)
			return false;
		if (other == self || i == PATIENCE)
			break;
		other = NULL;
		SYS0(sched_yield);
	}
	__atomic_store_n(&owner, self, __ATOMIC_RELEASE);
	owner_frame = frame;
	return true;
}

static void leave(void)
{
	owner_frame = 0;
	SIGNAL_FENCE();
	__atomic_store_n(&owner, NULL, __ATOMIC_RELEASE);
}

/* False if it is no terminal. */
static bool inspect(int fd)
{
	struct termios settings; /* begins as the kernel's does */

	if (sys_failed(SYS3(ioctl, fd, TCGETS, &settings)))
		return false;
	raw = (settings.c_lflag & (ICANON | ECHO)) != (ICANON | ECHO);
	return true;
}

static void look(int fd)
{
	looked_at = fd;
	inspect(fd);
}

/* Whether whole lines have to be shown, too. */
static bool shows_lines(unsigned stream)
{
	if (raw || looked_at < 0)
		look(streams[stream].fd);
	return raw || begun;
}

/* What follows in a line that was begun or not; escape sequences leave no mark
 * (ECMA-48, 5.3 and 5.4). */
static bool leaves_mark(const char *p, size_t size, bool mark)
{
	enum { TEXT, ESCAPE, CONTROL, COMMAND } state = TEXT;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c == '\033')
			state = ESCAPE;
		else if (state == TEXT)
			mark = c != '\n' && (mark || c > ' ');
		else if (state == ESCAPE)
			state = c == '['	       ? CONTROL
				: c == ']'	       ? COMMAND
				: c >= ' ' && c <= '/' ? ESCAPE
						       : TEXT;
		else if (state == CONTROL ? c >= '@' && c <= '~' : c == '\a')
			state = TEXT;
	}
	return mark;
}

/* As the program would have written it, also where no other calls may be
 * made; what the terminal does not take is lost, but not from the capture. */
static void show(int fd, const char *p, size_t size)
{
	size_t done = 0;

	begun = leaves_mark(p, size, begun);
	for (int i = 0; done < size && i < WRITES_MAX; i++) {
		long n = sys_enter(SYS_write, fd, (long)(p + done),
			(long)(size - done), 0, 0, 0);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return;
		done += (size_t)n;
	}
}

static void show_last(int fd, const char *p, size_t size)
{
	if (size > UNFINISHED_MAX) {
		p += size - UNFINISHED_MAX;
		size = UNFINISHED_MAX;
	}
	show(fd, p, size);
}

/* Shows what is held back, unless its descriptor has become another file. */
static void release(struct unfinished *line)
{
	uint32_t length = line->length;

	line->length = 0;
	if (length <= UNFINISHED_MAX &&
		streams_replaces_terminal(streams_of(line->fd)))
		show(line->fd, line->text, length);
}

static void hold_back(struct unfinished *line, const char *p, size_t size)
{
	size_t kept = line->length;

	if (size > UNFINISHED_MAX) {
		p += size - UNFINISHED_MAX;
		size = UNFINISHED_MAX;
	}
	if (kept > UNFINISHED_MAX - size) {
		memmove(line->text, line->text + kept - (UNFINISHED_MAX - size),
			UNFINISHED_MAX - size);
		kept = UNFINISHED_MAX - size;
	}
	memcpy(line->text + kept, p, size);
	line->length = (uint32_t)(kept + size);
}

static struct unfinished *find(unsigned stream)
{
	const void *of = streams[stream].file
				 ? (const void *)streams[stream].file
				 : &streams[stream];
	struct unfinished *line = &table[0];

	for (int i = 0; i < STREAMS_AT_ONCE; i++) {
		if (table[i].of == of) {
			line = &table[i];
			break;
		}
		if (table[i].length == 0)
			line = &table[i];
	}
	if (line->of != of)
		line->length = 0;
	line->of = of;
	line->fd = streams[stream].fd;
	return line;
}

/* Where the text after the last newline begins. */
static size_t after_lines(const char *p, size_t size)
{
	while (size > 0 && p[size - 1] != '\n')
		size--;
	return size;
}

/* A line that was begun on the screen ends there, too. */
static void end_line(
	struct unfinished *line, const char *p, size_t size, size_t whole)
{
	size_t first = 0;

	release(line);
	while (first < whole && p[first] != '\n')
		first++;
	if (first < whole) {
		show_last(line->fd, p, first + 1);
		return;
	}
	show_last(line->fd, p, size);
	show(line->fd, "\n", 1);
}

static void take(struct unfinished *line, const char *p, size_t size, bool ends)
{
	size_t whole = after_lines(p, size);

	if (whole > 0 || ends) {
		if (begun)
			end_line(line, p, size, whole);
		line->length = 0;
	}
	if (!ends)
		hold_back(line, p + whole, size - whole);
}

/* As much as a FILE would hold back, so that as few calls are made. */
static void take_raw(struct unfinished *line, const char *p, size_t size)
{
	if (size > UNFINISHED_MAX - line->length)
		release(line);
	if (size > UNFINISHED_MAX)
		show(line->fd, p, size);
	else
		hold_back(line, p, size);
}

void terminal_bytes(unsigned stream, const void *bytes, size_t size, bool ends)
{
	bool at_once = streams[stream].buffering == BINLOG_BUFFER_NONE;
	bool whole = ends || after_lines(bytes, size) == size;
	struct unfinished *line;

	if (!enter())
		return;
	line = find(stream);
	shows_lines(stream);
	if (!raw && at_once && !whole)
		look(streams[stream].fd);
	if (raw) {
		take_raw(line, bytes, size);
		take_raw(line, "\n", ends);
		if (at_once ||
			(streams[stream].buffering == BINLOG_BUFFER_LINE &&
				(ends || after_lines(bytes, size) > 0)))
			release(line);
	} else {
		take(line, bytes, size, ends);
		if (at_once && size % BLOCK != 0)
			release(line);
	}
	leave();
}

static void say(unsigned stream, const char *s)
{
	terminal_bytes(stream, s, bytes_length(s), false);
}

/* The text in a mapping of its own, for as long as it takes. */
static void say_long(const struct capture_text *how, const char *format,
	va_list arguments, size_t length)
{
	long address = SYS6(mmap, 0, length + 1, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *text = (char *)address;

	if (sys_failed(address))
		return;
	pass_on_vsnprintf(text, length + 1, how->chk, format, arguments);
	terminal_bytes(how->stream, text, length, false);
	SYS2(munmap, text, length + 1);
}

static void say_format(
	const struct capture_text *how, const char *format, va_list arguments)
{
	char text[UNFINISHED_MAX];
	int kept = errno; /* for "%m" */
	int length = pass_on_vsnprintf(
		text, sizeof(text), how->chk, format, arguments);

	errno = kept;
	if (length >= (int)sizeof(text))
		say_long(how, format, arguments, (size_t)length);
	else if (length > 0)
		terminal_bytes(how->stream, text, (size_t)length, false);
}

/* What begins with a prefix and ends with a newline: see record/text.def. */
static void say_message(
	const struct capture_text *how, const char *format, va_list arguments)
{
	bool has_error = how->text != BINLOG_TEXT_WARNX &&
			 how->text != BINLOG_TEXT_SYSLOG_PERROR;
	const char *name = NULL;
	int32_t error = 0;
	char buffer[128];

	for (unsigned i = 0; i < how->prefixes; i++) {
		if (how->prefix[i].kind == BINLOG_ARG_STRING)
			name = how->prefix[i].string;
		else
			error = how->prefix[i].number;
	}
	if (name && *name) {
		say(how->stream, name);
		if (how->text != BINLOG_TEXT_ERROR)
			say(how->stream, ": ");
	}
	if (format)
		say_format(how, format, arguments);
	if (how->text == BINLOG_TEXT_ERROR && error == 0)
		has_error = false;
	if (has_error) {
		if (format)
			say(how->stream, ": ");
		say(how->stream,
			host_strerror_r(error, buffer, sizeof(buffer)));
	}
	say(how->stream, "\n");
}

/* Most texts are whole lines, and need not be made. */
void terminal_format(
	const struct capture_text *how, const char *format, va_list arguments)
{
	size_t length = format ? bytes_length(format) : 0;
	bool message = how->text != BINLOG_TEXT_FORMAT;
	int kept = errno;

	if (!shows_lines(how->stream) &&
		(message || (length > 0 && format[length - 1] == '\n')))
		terminal_bytes(how->stream, "", 0, true);
	else if (message)
		say_message(how, format, arguments);
	else if (format)
		say_format(how, format, arguments);
	errno = kept;
}

/* Shows what is held back by one FILE, or by all. */
static void release_all(const void *file)
{
	for (int i = 0; i < STREAMS_AT_ONCE; i++)
		if (table[i].length > 0 && (!file || table[i].of == file)) {
			look(table[i].fd);
			release(&table[i]);
		}
}

void terminal_flushed(unsigned stream)
{
	if (looked_at < 0 || !enter())
		return;
	release_all(streams[stream].file);
	leave();
}

bool terminal_waits(void)
{
	bool waits = begun;

	for (int i = 0; i < STREAMS_AT_ONCE; i++)
		waits |= table[i].length > 0;
	return waits;
}

void terminal_asked(int fd)
{
	if (!enter())
		return;
	if (inspect(fd)) {
		release_all(NULL);
		/* The answer that is typed ends the line. */
		if (!raw)
			begun = false;
	}
	leave();
}

void terminal_changed(void)
{
	if (looked_at >= 0 && streams_replaces_terminal(streams_of(looked_at)))
		look(looked_at);
}
