#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/read_back.h"

#define WRITERS 3u
#define BLOCKS 3000u

/* Places were claimed beforehand, and are used in no order. */
static size_t place_of(uint32_t number)
{
	return BINLOG_PAGE * (1 + (size_t)number * 1237 % BLOCKS);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void begin_block(uint8_t *file, uint32_t number)
{
	struct binlog_header *header = (void *)file;
	struct binlog_block *block = (void *)(file + place_of(number));

	*block = (struct binlog_block){
		.size = BINLOG_PAGE,
		.nonce = header->nonce,
		.pid = MAKE_PID,
		.writer = number % WRITERS,
		.sequence = number / WRITERS,
		.anchor = make_anchor(now()),
	};
	__atomic_store_n(&block->magic, BINLOG_BLOCK_MAGIC, __ATOMIC_RELEASE);
	__atomic_fetch_add(&header->published, BINLOG_PAGE, __ATOMIC_RELEASE);
}

/* The child's life: the file fills up in some 30 ms. */
static _Noreturn void fill(uint8_t *file)
{
	for (uint32_t number = 0; number < BLOCKS; number++) {
		uint64_t next = now() + 10000;

		begin_block(file, number);
		while (now() < next)
			;
	}
	_exit(0);
}

static uint8_t *make_empty_file(const char *path)
{
	struct make_capture capture = make_capture();
	uint8_t *file;
	int fd;

	make_grow(&capture, BINLOG_PAGE * (1 + BLOCKS));
	make_file_of(&capture, path, capture.size);
	fd = open(path, O_RDWR);
	file = mmap(
		NULL, capture.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(file, MAP_FAILED);
	close(fd);
	make_free(&capture);
	return file;
}

/* Every block begun before the newest one is there: the numbers up to some one
 * among them. */
static void expect_one_moment(const char *path, size_t *seen)
{
	struct error_list errors = {0};
	struct recording *capture = recording_open(path, true, &errors);
	size_t count[WRITERS] = {0};
	uint32_t writer;
	size_t i;

	assert_non_null(capture);
	assert_int_equal(errors.count, 0);
	for (i = 0; i < capture->block_count; i++)
		count[capture->blocks[i].writer]++;
	for (writer = 0; writer < WRITERS; writer++)
		assert_int_equal(count[writer],
			(capture->block_count + WRITERS - 1 - writer) /
				WRITERS);
	*seen = capture->block_count;
	recording_close(capture);
}

static void blocks_that_begin_anywhere_meanwhile_make_no_gaps(void **state)
{
	const char *path = read_back_path(0);
	uint8_t *file = make_empty_file(path);
	size_t halves = 0;
	size_t seen = 0;
	pid_t child;
	int round;

	(void)state;
	for (round = 0; round < 10; round++) {
		memset(file + BINLOG_PAGE, 0, (size_t)BINLOG_PAGE * BLOCKS);
		((struct binlog_header *)(void *)file)->published = 0;
		child = fork();
		if (child == 0)
			fill(file);
		while (waitpid(child, NULL, WNOHANG) == 0) {
			expect_one_moment(path, &seen);
			halves += seen > 0 && seen < BLOCKS;
		}
		expect_one_moment(path, &seen);
		assert_int_equal(seen, BLOCKS);
	}
	assert_true(halves > 10);
	munmap(file, (size_t)BINLOG_PAGE * (1 + BLOCKS));
	unlink(path);
}

/* Before its header is read a second time. */
static void empty_file(off_t offset)
{
	static unsigned reads;

	if (offset == 0 && ++reads == 2)
		assert_int_equal(truncate(read_back_path(1), 0), 0);
}

static void a_file_that_is_emptied_meanwhile_has_no_blocks(void **state)
{
	const char *path = read_back_path(1);
	struct make_capture made = make_capture();
	struct error_list errors = {0};
	struct recording *capture;

	(void)state;
	make_grow(&made, 4 * BINLOG_PAGE);
	memset(made.bytes + BINLOG_PAGE, 'x', BINLOG_PAGE);
	make_file(&made, path);
	inject.before_read = empty_file;
	capture = recording_open(path, true, &errors);
	inject.before_read = NULL;
	assert_non_null(capture);
	assert_int_equal(capture->block_count, 0);
	assert_true(errors.count > 0);
	recording_close(capture);
	unlink(path);
	make_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			blocks_that_begin_anywhere_meanwhile_make_no_gaps),
		cmocka_unit_test(
			a_file_that_is_emptied_meanwhile_has_no_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
