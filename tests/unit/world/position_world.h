/*
 * For tests of positions: an output that is recorded and not written, and its
 * twin, which is really written.  The kernel and libc are asked where the twin
 * stands.  It defines functions of the library: not for more than one file of a
 * program.
 */
#ifndef TESTS_POSITION_WORLD_H
#define TESTS_POSITION_WORLD_H

#include "shim/host/inside.h"

#include <sys/mman.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/host/host.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/held.h"
#include "shim/writer/position.h"
#include "shim/writer/writer.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

enum { OF_FD = STREAM_FIRST + 1, OF_FILE, STREAMS };

bool sys_forbidden;
bool writer_has_passed;
bool streams_have_offsets = true;
static struct binlog_header header = {.run = 4711};
struct binlog_header *capture_file_header = &header;
struct process process = {.pid = 77};

static const struct call call = {.sp = 1000};
static FILE *ours, *twin; /* the first is recorded, the second written */
static unsigned what_they_are;
static unsigned events;
static int64_t latest; /* of an event */

void control_follow(void)
{
}

void writer_add_up(void)
{
}

void writer_add_up_own(void)
{
}

/* Any of them may be of an output. */
uint64_t streams_grown[STREAM_WORDS],
	streams_of_outputs[STREAM_WORDS] = {(1u << STREAMS) - 1};

void streams_count_bytes(unsigned stream, uint64_t bytes)
{
	streams[stream].said += bytes;
	stream_bit_set(streams_grown, stream);
}

unsigned streams_count(void)
{
	return STREAMS;
}

bool streams_is_output(const struct stat *st)
{
	(void)st;
	return false;
}

uint32_t streams_description(int fd)
{
	int number = fcntl(fd, F_GETSIG);

	return number < 0 ? 0 : (uint32_t)number;
}

unsigned streams_decide(int fd)
{
	return fd == fileno(ours) ? what_they_are : STREAM_PASS;
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)fd;
	if (file != ours || what_they_are == STREAM_PASS)
		return STREAM_PASS;
	return OF_FILE;
}

void streams_forget(int fd)
{
	(void)fd;
}

void streams_watch(const FILE *file)
{
	(void)file;
}

void state_drain(const struct call *c, FILE *file)
{
	(void)c;
	(void)file;
}

bool state_settle(const struct call *c, FILE *file)
{
	(void)c;
	(void)file;
	if (what_they_are != STREAM_PASS)
		position_flushed(OF_FILE);
	return true;
}

void map_follow(unsigned stream)
{
	(void)stream;
}

void stdio_buffer_flushed(const FILE *file)
{
	(void)file;
}

bool capture_event(
	const struct call *c, unsigned stream, unsigned text, int64_t value)
{
	(void)c;
	(void)stream;
	(void)text;
	events++;
	latest = value;
	return true;
}

static unsigned zeros; /* bytes, recorded at their place */

size_t capture_bytes_at(const struct call *c, unsigned stream, int64_t offset,
	const void *bytes, size_t size)
{
	const char *byte = bytes;

	(void)c;
	(void)stream;
	(void)offset;
	for (size_t i = 0; i < size; i++)
		assert_int_equal(byte[i], 0);
	zeros += (unsigned)size;
	return size;
}

void writer_count_passed(void)
{
}

__attribute__((const)) static int *where_errno_is(void)
{
	return __errno_location();
}

__attribute__((const)) int *(*host_errno)(void) = where_errno_is;
size_t (*host___fpending)(FILE *);
void (*host___fpurge)(FILE *);
int (*host_fclose)(FILE *);
int (*host_fflush_unlocked)(FILE *);
FILE *(*host_fopencookie)(void *, const char *, cookie_io_functions_t);
size_t (*host_fwrite_unlocked)(const void *, size_t, size_t, FILE *);
int (*host_setvbuf)(FILE *, char *, int, size_t);
off64_t (*next_lseek64)(int, off64_t, int) = lseek64;
int (*next___overflow)(FILE *, int);
int (*next_fflush)(FILE *) = fflush;
int (*next_fseeko64)(FILE *, off64_t, int) = fseeko64;
off64_t (*next_ftello64)(FILE *) = ftello64;
int (*next_fgetpos64)(FILE *, fpos64_t *) = fgetpos64;
int (*next_fsetpos64)(FILE *, const fpos64_t *) = fsetpos64;
void (*next_rewind)(FILE *) = rewind;
int (*next_ftruncate64)(int, off64_t) = ftruncate64;
int (*next_truncate64)(const char *, off64_t) = truncate64;
int (*next_fallocate64)(int, int, off64_t, off64_t) = fallocate64;
int (*next_posix_fallocate64)(int, off64_t, off64_t) = posix_fallocate64;

/* ---- an output and its twin ---- */

static FILE *new_file(void)
{
	FILE *made = fdopen(memfd_create("output", MFD_ALLOW_SEALING), "w+");

	assert_non_null(made);
	setvbuf(made, NULL, _IOFBF, 4096);
	return made;
}

static void set_stream(unsigned number, const FILE *file)
{
	struct stream *stream = &streams[number];
	struct stat st;

	fstat(fileno(ours), &st);
	*stream = (struct stream){.device = st.st_dev,
		.inode = st.st_ino,
		.mode = st.st_mode,
		.fd = fileno(ours),
		.file = file,
		.buffering = BINLOG_BUFFER_FULL,
		.buffer_bytes = 4096};
}

static int begin(void **state)
{
	(void)state;
	ours = new_file();
	twin = new_file();
	set_stream(OF_FD, NULL);
	set_stream(OF_FILE, ours);
	what_they_are = OF_FD;
	events = zeros = 0;
	writer_has_passed = false;
	return 0;
}

static int end(void **state)
{
	(void)state;
	held_forget(ours);
	fclose(ours);
	fclose(twin);
	return 0;
}

static void say(const char *text)
{
	position_add(OF_FD, strlen(text));
	assert_int_equal(write(fileno(twin), text, strlen(text)), strlen(text));
}

static void seeks(int64_t offset, int whence)
{
	off64_t result, wanted;
	int error;

	errno = 0;
	result = seek_descriptor(&call, fileno(ours), offset, whence);
	error = errno;
	errno = 0;
	wanted = lseek64(fileno(twin), offset, whence);
	assert_int_equal(result, wanted);
	assert_int_equal(error, errno);
}

static void is_as_long(void)
{
	struct stat st;

	assert_int_equal(fstat(fileno(twin), &st), 0);
	assert_int_equal(position_end(OF_FD), st.st_size);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
