/* The file of a packed log that is closed now and then: it stays the same. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/packed/packed_reader.h"
#include "tests/unit/world/inject_faults.h"

#define HOLE ((uint64_t)1 << 20)

static char path[64], other[80];

/* A hole of HOLE bytes, and a word. */
static void make_file(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "word", 4, (off_t)HOLE), 4);
	close(fd);
}

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/binlog-test-%d.blog", (int)getpid());
	snprintf(other, sizeof(other), "%s.other", path);
	make_file(path);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	unlink(other);
	return 0;
}

static void expect_word(struct packed_file *file)
{
	char word[8];

	assert_int_equal(packed_file_read(file, HOLE, word, sizeof(word)), 4);
	assert_memory_equal(word, "word", 4);
}

/* Not even its beginning is read. */
static void expect_stale(struct packed_file *file)
{
	char word[8];

	errno = 0;
	assert_int_equal(packed_file_read(file, 0, word, sizeof(word)), -1);
	assert_int_equal(errno, ESTALE);
	assert_false(file->open);
}

static void what_is_closed_is_opened_when_it_is_read(void **state)
{
	uint64_t bytes = 0;
	struct packed_file file = {.path = path, .read = &bytes};

	(void)state;
	expect_word(&file);
	packed_file_close(&file);
	assert_false(file.open);
	expect_word(&file);
	assert_int_equal(bytes, 8);
	packed_file_close(&file);
}

static void another_file_of_that_name_is_not_read(void **state)
{
	struct packed_file file = {.path = path};

	(void)state;
	expect_word(&file);
	packed_file_close(&file);
	/* It has the number of one on another device. */
	file.device++;
	expect_stale(&file);
	file.device--;
	make_file(other);
	assert_int_equal(rename(other, path), 0);
	expect_stale(&file);
}

static void what_cannot_be_asked_is_not_read(void **state)
{
	struct packed_file file = {.path = path};
	char word[8];

	(void)state;
	inject_begin(INJECT_STAT, 0, true);
	assert_int_equal(packed_file_read(&file, 0, word, sizeof(word)), -1);
	inject_end();
	assert_int_equal(errno, EIO);
	assert_false(file.open);
}

static void holes_are_known_while_it_is_open(void **state)
{
	struct packed_file file = {.path = path};
	int fd;

	(void)state;
	assert_int_equal(packed_file_data(&file, 5), 5);
	expect_word(&file);
	if (lseek(file.fd, 0, SEEK_DATA) == 0)
		skip(); /* this file system has no holes */
	assert_int_equal(packed_file_data(&file, 5), HOLE);
	assert_int_equal(packed_file_data(&file, HOLE + 1), HOLE + 1);
	assert_int_equal(packed_file_data(&file, HOLE + 4), HOLE + 4);
	packed_file_close(&file);
	/* Its descriptor is another's by now. */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fd, file.fd);
	assert_int_equal(packed_file_data(&file, 5), 5);
	close(fd);
}

static void what_cannot_be_read_again_has_no_holes(void **state)
{
	struct packed_file file = {.path = other};
	char word[8];
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "word", 4), 4);
	snprintf(other, sizeof(other), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(packed_file_read(&file, HOLE, word, sizeof(word)), 4);
	assert_memory_equal(word, "word", 4);
	assert_false(file.regular);
	assert_int_equal(packed_file_data(&file, 5), 5);
	packed_file_close(&file);
	close(ends[0]);
	close(ends[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_closed_is_opened_when_it_is_read),
		TEST(another_file_of_that_name_is_not_read),
		TEST(what_cannot_be_asked_is_not_read),
		TEST(holes_are_known_while_it_is_open),
		TEST(what_cannot_be_read_again_has_no_holes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
