/*
 * The two ends of a terminal, and what shim/record/terminal.c finds around it where it
 * is alone in a unit test.  It defines what that needs of others: not for more
 * than one file.
 */
#ifndef TESTS_TERMINAL_PERSON_H
#define TESTS_TERMINAL_PERSON_H

#include "shim/host/inside.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>

#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/record/terminal.h"
#include "tests/unit/world/switched_streams.h"

#define STREAM 10u
#define STREAMS 12u
#define TEXT_MOST (1 << 20)

struct text {
	size_t length;
	char bytes[TEXT_MOST];
};

static int person, terminal; /* the two ends of it */
static struct text seen;

/* ---- what it finds around it ---- */

int *(*host_errno)(void)__attribute__((const)) = __errno_location;
char *(*host_strerror_r)(int, char *, size_t) = strerror_r;
__thread struct writer *writer_self;

void control_follow(void)
{
}

unsigned streams_decide(int fd)
{
	(void)fd;
	return STREAM_PASS;
}

int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list ap)
{
	va_list own;
	int length;

	(void)chk;
	va_copy(own, ap);
	length = vsnprintf(to, size, format, own);
	va_end(own);
	return length;
}

/* ---- a terminal ---- */

static inline void see(void)
{
	struct pollfd readable = {.fd = person, .events = POLLIN};

	while (seen.length < TEXT_MOST && poll(&readable, 1, 0) > 0) {
		ssize_t n = read(person, seen.bytes + seen.length,
			TEXT_MOST - seen.length);

		if (n <= 0)
			return;
		seen.length += (size_t)n;
	}
}

static inline void assert_seen(const char *text)
{
	see();
	assert_int_equal(seen.length, strlen(text));
	assert_memory_equal(seen.bytes, text, seen.length);
	seen.length = 0;
}

static inline bool says(const char *text)
{
	return memmem(seen.bytes, seen.length, text, strlen(text)) != NULL;
}

static inline void set_mode(tcflag_t local)
{
	struct termios settings;

	tcgetattr(terminal, &settings);
	cfmakeraw(&settings);
	settings.c_lflag |= local;
	assert_int_equal(tcsetattr(terminal, TCSANOW, &settings), 0);
	terminal_changed();
}

static inline void set_raw(void)
{
	set_mode(0);
}

static inline void set_cooked(void)
{
	set_mode(ICANON | ECHO);
}

/* Of another FILE each. */
static inline void make_stream(unsigned stream, uint16_t buffering)
{
	streams[stream] = (struct stream){
		.fd = terminal, .buffering = buffering, .terminal = true};
	streams[stream].file = (const FILE *)(const void *)&streams[stream];
}

static inline int begin(void **state)
{
	(void)state;
	person = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (person < 0 || grantpt(person) != 0 || unlockpt(person) != 0)
		return -1;
	terminal = open(ptsname(person), O_RDWR | O_NOCTTY | O_CLOEXEC);
	streams_slots[terminal].of_fd = STREAM;
	for (unsigned i = STREAM; i < STREAM + STREAMS; i++)
		make_stream(i, BINLOG_BUFFER_FULL);
	seen.length = 0;
	terminal_asked(terminal);
	return terminal < 0 ? -1 : 0;
}

static inline int end(void **state)
{
	(void)state;
	terminal_flushed(STREAM);
	streams_slots[terminal].of_fd = STREAM_UNKNOWN;
	close(terminal);
	close(person);
	return 0;
}

#define PERSON_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
