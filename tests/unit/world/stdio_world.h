/*
 * For tests of the buffers of FILEs: the library around
 * shim/stdio/stdio_buffer.c, with a capture that takes what it gets, or not,
 * and locks, handlers and streams that the test has in its hands.  It defines
 * functions of the library: not for more than one file of a program.
 */
#ifndef TESTS_STDIO_WORLD_H
#define TESTS_STDIO_WORLD_H

#include "shim/host/inside.h"

#include <sys/mman.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/control/control.h"
#include "shim/host/above.h"
#include "shim/host/host.h"
#include "shim/host/libio.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/drops.h"
#include "shim/streams/held.h"
#include "shim/streams/streams.h"
#include "shim/writer/ownership.h"
#include "tests/unit/world/switched_streams.h"

const struct above above = {.file_left = stdio_buffer_settle};

/* ---- what the library would be ---- */

#define OURS 9u
#define MANY 40	     /* FILEs with something in their buffers */
#define PLACES 16384 /* for FILEs that have had something there */

bool sys_forbidden;
uint32_t drops_generation;
uint32_t streams_version[ENTRY_COUNT];
const FILE *streams_collecting;

static char recorded[65536];
static size_t recorded_bytes, held_bytes_seen;
static unsigned passed, locked, unlocked;
static bool capture_fails, is_borrowed, is_locked, is_left;
static unsigned what_it_is;
static pthread_t self;
static void (*while_recording)(void);
static FILE *interrupted; /* to which a handler prints while it is recorded */

bool capture_bytes(const struct call *call, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	assert_null(call->turn);
	assert_int_equal(stream, OURS);
	assert_int_equal(text, BINLOG_TEXT_CHARACTERS);
	if (capture_fails)
		return false;
	memcpy(recorded + recorded_bytes, bytes, size);
	recorded_bytes += size;
	if (interrupted)
		putc_unlocked('!', interrupted);
	if (while_recording)
		while_recording();
	return true;
}

void held_bytewise(const FILE *file, const void *bytes, size_t size)
{
	(void)file;
	(void)bytes;
	held_bytes_seen += size;
}

bool ownership_seems_left(uintptr_t inside, uintptr_t sp)
{
	(void)inside;
	(void)sp;
	return is_left;
}

bool process_is_borrowed(void)
{
	return is_borrowed;
}

void writer_count_passed(void)
{
	passed++;
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)file;
	(void)fd;
	return what_it_is;
}

void control_follow(void)
{
	control_seen = switches.version;
}

static int try_lock(FILE *file)
{
	(void)file;
	locked += !is_locked;
	return is_locked;
}

static void lock(FILE *file)
{
	(void)file;
	locked++;
}

static void unlock(FILE *file)
{
	(void)file;
	unlocked++;
}

static pthread_t who_we_are(void)
{
	return self;
}

__attribute__((const)) static int *where_errno_is(void)
{
	static int is_here;

	return &is_here;
}

bool host_knows_files = true;
static int flush(FILE *file)
{
	return fflush(file);
}

int (*host_fflush_unlocked)(FILE *) = flush;
int (*host_ftrylockfile)(FILE *) = try_lock;
void (*host_flockfile)(FILE *) = lock;
void (*host_funlockfile)(FILE *) = unlock;
pthread_t (*host_pthread_self)(void) = who_we_are;

/* What is called when a thread is cancelled that has the lock. */
static void (*abandoned)(void *);
static void *abandoned_by;

static void push_cleanup(struct _pthread_cleanup_buffer *buffer,
	void (*routine)(void *), void *argument)
{
	(void)buffer;
	abandoned = routine;
	abandoned_by = argument;
}

static void pop_cleanup(struct _pthread_cleanup_buffer *buffer, int execute)
{
	(void)buffer;
	(void)execute;
	abandoned = NULL;
}

void (*host__pthread_cleanup_push)(struct _pthread_cleanup_buffer *,
	void (*)(void *), void *) = push_cleanup;
void (*host__pthread_cleanup_pop)(
	struct _pthread_cleanup_buffer *, int) = pop_cleanup;
__attribute__((const)) int *(*host_errno)(void) = where_errno_is;

/* ---- files ---- */

static struct call_turn turn;
static const struct call call = {.sp = 1000, .turn = &turn};
static FILE *file;

static FILE *new_file(void)
{
	static char buffers[MANY + 1][4096];
	static unsigned next;
	FILE *made = fdopen(memfd_create("output", 0), "w+");

	assert_non_null(made);
	setvbuf(made, buffers[next++ % (MANY + 1)], _IOFBF, 4096);
	made->_flags2 &= ~LIBIO_NEEDS_LOCK;
	putc('^', made); /* it is written to from here on */
	fflush(made);
	return made;
}

static int begin(void **state)
{
	(void)state;
	recorded_bytes = held_bytes_seen = 0;
	passed = locked = unlocked = 0;
	capture_fails = is_borrowed = is_locked = is_left = false;
	stdio_buffer_collects = interrupted = NULL;
	stdio_buffer_putting = 0;
	stdio_buffer_start = NULL;
	stdio_buffer_passed = false;
	stdio_turn_matters = 0;
	memset(&streams[OURS], 0, sizeof(streams[OURS]));
	streams[OURS].buffering = BINLOG_BUFFER_FULL;
	memset(&turn, 0, sizeof(turn));
	what_it_is = OURS;
	file = new_file();
	streams[OURS].file = file;
	streams[OURS].fd = fileno(file);
	return 0;
}

static int end(void **state)
{
	(void)state;
	stdio_buffer_forget(file);
	fclose(file);
	self = pthread_self();
	return 0;
}

/* As the macro does it. */
static void put(const char *text)
{
	for (; *text; text++)
		putc_unlocked(*text, file);
}

/* 1000 of them. */
static void put_much(char c)
{
	for (int i = 0; i < 1000; i++)
		putc_unlocked(c, file);
}

static void drain(void)
{
	stdio_buffer_drain(&call, file, OURS);
}

static void recorded_is(const char *wanted)
{
	recorded[recorded_bytes] = '\0';
	assert_string_equal(recorded, wanted);
}

/* Behind what new_file() has written. */
static void written_is(const char *wanted)
{
	static char text[65536];
	ssize_t n;

	fflush(file);
	n = pread(fileno(file), text, sizeof(text) - 1, 1);
	text[n > 0 ? n : 0] = '\0';
	assert_string_equal(text, wanted);
}

#endif
