/*
 * Writes to a descriptor whose text is recorded, with a capture that fails now
 * and then, and a disk that is full: all that a call says has been taken is
 * recorded or written, once and in order, as the kernel has it.
 */
#include "shim/host/inside.h"

#include <sys/mman.h>
#include <sys/sendfile.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/streams.h"
#include "shim/writer/ownership.h"
#include "shim/writer/position.h"
#include "tests/unit/world/switched_streams.h"
#include "tests/unit/world/written_world.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

struct writer *ownership_begin(uintptr_t sp)
{
	(void)sp;
	return NULL;
}

void ownership_end(struct writer *w)
{
	(void)w;
}

#include "tests/unit/world/written_kernel.h"

/* ---- calls ---- */

static const struct call call = {.sp = (uintptr_t)1 << 40};
static char text[100000];
static struct iovec vector[3];

static int begin(void **state)
{
	(void)state;
	fd = memfd_create("output", 0);
	what_it_is = OURS;
	is_position = true;
	recorded = written = passed = fails_at = full_at = 0;
	is_short = false;
	said_bytes = 0;
	end_of_file = 0;
	memset(streams, 0, sizeof(streams));
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26 + (i >> 9) % 7);
	vector[0] = (struct iovec){text, 700};
	vector[1] = (struct iovec){text + 700, 0};
	vector[2] = (struct iovec){text + 700, 800};
	return 0;
}

static int end(void **state)
{
	(void)state;
	close(fd);
	return 0;
}

/* That a call with this result has taken what it says, and no more. */
static void has_taken(ssize_t result, size_t wanted)
{
	assert_int_equal(result, wanted);
	assert_int_equal(said_bytes, wanted);
	assert_memory_equal(said, text, wanted);
}

static void fails(ssize_t result, int with)
{
	assert_int_equal(result, -1);
	assert_int_equal(errno, with);
	assert_int_equal(said_bytes, 0);
}

static void again(unsigned capture, unsigned disk)
{
	end(NULL);
	begin(NULL);
	fails_at = capture;
	full_at = disk;
}

static void bytes_are_recorded_or_written(void **state)
{
	(void)state;
	has_taken(write_bytes(&call, fd, text, 900), 900);
	assert_int_equal(written, 0);
	again(1, 0);
	has_taken(write_bytes(&call, fd, text, 900), 900);
	assert_int_equal(passed, 1);
	again(1, 1);
	fails(write_bytes(&call, fd, text, 900), ENOSPC);
	again(0, 0);
	streams[OURS].tee = true;
	has_taken(write_bytes(&call, fd, text, 900), 900);
	assert_int_equal(written, 1);
	again(0, 1);
	streams[OURS].tee = true;
	fails(write_bytes(&call, fd, text, 900), ENOSPC);
}

static void what_is_wrong_is_left_to_the_kernel(void **state)
{
	(void)state;
	what_it_is = STREAM_PASS;
	has_taken(write_bytes(&call, fd, text, 0), 0);
	what_it_is = OURS;
	has_taken(write_bytes(&call, fd, text, 0), 0);
	assert_int_equal(written, 2);
	fails(write_bytes(&call, fd, UNREADABLE, 4), EFAULT);
	full_at = 4;
	fails(write_bytes(&call, fd, text, HUGE_SIZE), ENOSPC);
	fails(write_at(&call, fd, UNREADABLE, 4, 0), EFAULT);
	fails(write_at(&call, fd, text, 4, -1), EINVAL);
	fails(write_at(&call, fd, text, 4, INT64_MAX), EINVAL);
	full_at = 7; /* at a place it is not asked for what cannot be read */
	fails(write_at(&call, fd, text, HUGE_SIZE, 0), ENOSPC);
	assert_int_equal(written, 7);
	assert_int_equal(passed, 0);
	sys_forbidden = true; /* it cannot be asked */
	has_taken(write_bytes(&call, fd, text, 4), 4);
	has_taken(write_at(&call, fd, text + 4, 4, 0) + 4, 8);
	sys_forbidden = false;
}

static void a_vector_is_recorded_or_written(void **state)
{
	(void)state;
	has_taken(write_vector(&call, fd, vector, 3), 1500);
	again(1, 0);
	has_taken(write_vector(&call, fd, vector, 3), 1500);
	assert_int_equal(passed, 1);
	again(2, 1); /* it is one text: the second one is of the next call */
	has_taken(write_vector(&call, fd, vector, 3), 1500);
	assert_int_equal(write_vector(&call, fd, vector, 3), -1);
	again(1, 1);
	fails(write_vector(&call, fd, vector, 3), ENOSPC);
	again(0, 0);
	vector[2].iov_len = 100; /* together */
	has_taken(write_vector(&call, fd, vector, 3), 800);
	again(0, 0);
	streams[OURS].tee = true;
	has_taken(write_vector(&call, fd, vector, 3), 1500);
	again(0, 1);
	streams[OURS].tee = true;
	fails(write_vector(&call, fd, vector, 3), ENOSPC);
}

static void so_is_a_wrong_one(void **state)
{
	static struct iovec many[IOV_MAX + 1];

	(void)state;
	fails(write_vector(&call, fd, vector, -1), EINVAL);
	fails(write_vector(&call, fd, many, IOV_MAX + 1), EINVAL);
	fails(write_vector(&call, fd, (void *)UNREADABLE, 2), EFAULT);
	fails(write_vector_at(&call, fd, many, IOV_MAX + 1, 0, 0), EINVAL);
	fails(write_vector_at(&call, fd, vector, -1, 0, WRITE_AT_NO_FLAGS),
		EINVAL);
	vector[2].iov_len = SIZE_MAX;
	fails(write_vector(&call, fd, vector, 3), EINVAL);
	fails(write_vector_at(&call, fd, vector, 3, 0, 0), EINVAL);
	vector[2].iov_len = HUGE_SIZE;
	full_at = written + 1;
	fails(write_vector(&call, fd, vector, 3), ENOSPC);
	fails(write_vector_at(&call, fd, vector, 3, -7, 0), EINVAL);
	assert_int_equal(write_vector(&call, fd, many, 3), 0);
	assert_int_equal(write_vector_at(&call, fd, many, 3, 0, 0), 0);
	vector[2] = (struct iovec){UNREADABLE, 8};
	assert_int_equal(write_vector(&call, fd, vector, 3), 700);
	what_it_is = STREAM_PASS;
	assert_int_equal(write_vector(&call, fd, vector, 1), 700);
	assert_int_equal(write_vector_at(&call, fd, vector, 1, 0, 0), 700);
}

static void a_place_is_recorded_or_written(void **state)
{
	(void)state;
	has_taken(write_at(&call, fd, text, 900, 50), 900);
	assert_int_equal(latest_offset, 50);
	assert_int_equal(end_of_file, 950);
	streams[OURS].flags = BINLOG_STREAM_APPEND; /* pwrite(2), BUGS */
	write_at(&call, fd, text, 9, 50);
	assert_int_equal(latest_offset, 950);
	again(1, 0);
	has_taken(write_at(&call, fd, text, 900, 50), 900);
	assert_int_equal(passed, 1);
	again(1, 1);
	fails(write_at(&call, fd, text, 900, 50), ENOSPC);
	again(0, 0);
	is_position = false; /* also written */
	streams[OURS].tee = true;
	has_taken(write_at(&call, fd, text, 900, 50), 900);
	assert_int_equal(passed, 0);
	fails_at = 1;
	write_at(&call, fd, text, 9, 50);
	assert_int_equal(passed, 1);
	again(0, 1);
	is_position = false;
	fails(write_at(&call, fd, text, 900, 50), ENOSPC);
}

static void a_vector_goes_to_a_place(void **state)
{
	(void)state;
	has_taken(write_vector_at(&call, fd, vector, 3, 5, 0), 1500);
	assert_int_equal(latest_offset, 705);
	again(2, 1);
	has_taken(write_vector_at(&call, fd, vector, 3, 5, RWF_DSYNC), 700);
	again(1, 1);
	fails(write_vector_at(&call, fd, vector, 3, 5, 0), ENOSPC);
	again(1, 0);
	is_short = true;
	has_taken(write_vector_at(&call, fd, vector, 3, 5, 0), 350);
	again(0, 0);
	end_of_file = 4000;
	has_taken(write_vector_at(&call, fd, vector, 3, 5, RWF_APPEND), 1500);
	assert_int_equal(latest_offset, 4700);
	again(0, 0);
	has_taken(write_vector_at(&call, fd, vector, 3, -1, 0), 1500);
	again(0, 0);
	fails(write_vector_at(&call, fd, vector, 3, -1, 1 << 30), EOPNOTSUPP);
	fails(write_vector_at(&call, fd, vector, 3, 5, 1 << 30), EOPNOTSUPP);
	is_position = false;
	streams[OURS].tee = true;
	has_taken(write_vector_at(&call, fd, vector, 3, 0, RWF_APPEND), 1500);
}

/* ---- from another file ---- */

static int new_input(void)
{
	int in = memfd_create("input", 0);

	assert_int_equal(write(in, text, sizeof(text)), sizeof(text));
	lseek(in, 0, SEEK_SET);
	return in;
}

static void a_transfer_is_recorded_or_written(void **state)
{
	static const unsigned captures[] = {0, 1, 2};
	static const size_t sizes[] = {
		0, 500, 1024, 65536, 99999, sizeof(text)};

	(void)state;
	for (unsigned c = 0; c < 3; c++)
		for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			for (unsigned offset = 0; offset < 2; offset++) {
				int in = new_input();
				off64_t at = 0;

				again(captures[c], 0);
				has_taken(
					transfer_sendfile(&call, fd, in,
						offset ? &at : NULL, sizes[s]),
					sizes[s]);
				assert_int_equal(
					offset ? at : lseek(in, 0, SEEK_CUR),
					sizes[s]);
				close(in);
			}
}

/* Then the rest can be sent again. */
static void a_transfer_may_end_early(void **state)
{
	int in = new_input();
	off64_t at = 0, beyond = sizeof(text);

	(void)state;
	fails_at = 2;
	full_at = 1;
	has_taken(transfer_copy_file_range(
			  &call, in, &at, fd, NULL, sizeof(text), 0),
		65536);
	assert_int_equal(at, 65536);
	again(1, 1);
	at = 0;
	fails(transfer_sendfile(&call, fd, in, &at, 5), ENOSPC);
	assert_int_equal(at, 0);
	again(1, 0);
	is_short = true;
	has_taken(transfer_sendfile(&call, fd, in, &at, 1000), 500);
	assert_int_equal(at, 500);
	again(1, 0);
	is_short = true;
	has_taken(transfer_sendfile(&call, fd, in, NULL, 1000), 500);
	assert_int_equal(lseek(in, 0, SEEK_CUR), 500);
	close(in);
	in = new_input();
	again(0, 0);
	assert_int_equal(transfer_sendfile(&call, fd, in, &beyond, 5), 0);
	at = -5;
	fails(transfer_sendfile(&call, fd, in, &at, 5), EINVAL);
	close(in);
}

static void what_has_gone_is_recorded_where_it_is_also_written(void **state)
{
	int in = new_input();
	off64_t at = 100;

	(void)state;
	streams[OURS].tee = true;
	fails_at = 1;
	assert_int_equal(transfer_sendfile(&call, fd, in, NULL, 3000), 3000);
	assert_int_equal(passed, 3); /* pieces */
	assert_int_equal(
		transfer_copy_file_range(&call, in, &at, fd, NULL, 2000, 0),
		2000);
	assert_int_equal(passed, 5);
	assert_int_equal(at, 2100);
	assert_int_equal(lseek(fd, 0, SEEK_END), 5000);
	close(in);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_are_recorded_or_written),
		TEST(what_is_wrong_is_left_to_the_kernel),
		TEST(a_vector_is_recorded_or_written),
		TEST(so_is_a_wrong_one),
		TEST(a_place_is_recorded_or_written),
		TEST(a_vector_goes_to_a_place),
		TEST(a_transfer_is_recorded_or_written),
		TEST(a_transfer_may_end_early),
		TEST(what_has_gone_is_recorded_where_it_is_also_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
