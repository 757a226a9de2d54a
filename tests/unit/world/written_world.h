/*
 * What unit_written has in place of the library: a capture that fails now and
 * then, and bytes that cannot be read at one address.  It defines functions of
 * the library: not for more than one file of a program.
 */
#ifndef TESTS_WRITTEN_WORLD_H
#define TESTS_WRITTEN_WORLD_H

#include "wrappers/handlers.h"

#define OURS 9u
#define HUGE_SIZE ((size_t)0x7ffff001)
#define UNREADABLE ((char *)8)

bool sys_forbidden;
FILE *stdio_buffer_collects;

static int fd; /* of the output */
static unsigned what_it_is;
static bool is_position;
static unsigned recorded, written, passed, fails_at; /* 0: never, 1: always */
static unsigned full_at; /* the native call that fails; 0: none */
static bool is_short;	 /* native calls write half of it */
static char said[1 << 18];
static size_t said_bytes;
static int64_t latest_offset, end_of_file;

static void say(const void *bytes, size_t size)
{
	memcpy(said + said_bytes, bytes, size);
	said_bytes += size;
}

bool capture_bytes(const struct call *call, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	(void)call;
	assert_int_equal(stream, OURS);
	assert_int_equal(text, BINLOG_TEXT_BYTES);
	if (fails_at == 1 || (fails_at && ++recorded % fails_at == 0))
		return false;
	if (!streams[OURS].tee)
		say(bytes, size);
	return true;
}

size_t capture_bytes_at(const struct call *call, unsigned stream,
	int64_t offset, const void *bytes, size_t size)
{
	latest_offset = offset;
	if (!capture_bytes(call, stream, BINLOG_TEXT_BYTES, bytes, size))
		return 0;
	return size;
}

bool capture_event(
	const struct call *call, unsigned stream, unsigned text, int64_t value)
{
	(void)call;
	assert_int_equal(stream, OURS);
	assert_int_equal(text, BINLOG_TEXT_SEEK);
	latest_offset = value;
	return true;
}

off64_t seek_descriptor(
	const struct call *call, int of, off64_t offset, int whence)
{
	(void)call;
	return lseek(of, offset, whence);
}

int64_t position_now(unsigned stream)
{
	(void)stream;
	return 0;
}

void position_move(unsigned stream, int64_t offset)
{
	(void)stream;
	(void)offset;
}

int64_t position_end(unsigned stream)
{
	(void)stream;
	return end_of_file;
}

bool position_matters(unsigned stream)
{
	return stream == OURS && is_position;
}

void position_reach(unsigned stream, int64_t end)
{
	(void)stream;
	end_of_file = end > end_of_file ? end : end_of_file;
}

bool sys_are_readable(const void *bytes, size_t size)
{
	return bytes != UNREADABLE || size == 0;
}

size_t sys_readable(const void *bytes, size_t size)
{
	return bytes != UNREADABLE ? size : 0;
}

bool sys_are_addresses(const struct iovec *v, int count)
{
	(void)v;
	(void)count;
	return true;
}

ssize_t capture_given(const struct call *call, unsigned stream,
	const void *bytes, size_t size)
{
	if (bytes == UNREADABLE)
		return CAPTURE_FAULT;
	return capture_bytes(call, stream, BINLOG_TEXT_BYTES, bytes, size)
		       ? (ssize_t)size
		       : 0;
}

bool capture_vector(const struct call *call, unsigned stream,
	const struct iovec *v, size_t size)
{
	if (!capture_bytes(call, stream, BINLOG_TEXT_BYTES, "", 0))
		return false;
	for (; size > 0; v++) {
		size_t part = v->iov_len < size ? v->iov_len : size;

		if (!streams[OURS].tee)
			say(v->iov_base, part);
		size -= part;
	}
	return true;
}

unsigned streams_decide(int of)
{
	return of == fd ? what_it_is : STREAM_PASS;
}

void control_follow(void)
{
	control_seen = switches.version;
}

void stdio_buffer_catch_up_slow(const struct call *call)
{
	(void)call;
}

void writer_count_passed(void)
{
	passed++;
}

static int *where_errno_is(void) __attribute__((const));
static int *where_errno_is(void)
{
	return __errno_location();
}

static void no_cancellation(void)
{
}

int *(*host_errno)(void)__attribute__((const)) = where_errno_is;
void (*host_pthread_testcancel)(void) = no_cancellation;

#endif
