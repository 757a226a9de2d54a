/*
 * Seeks, and cuts, in an output that is recorded and not written come to where
 * its twin comes to; of what is also written they are noted.
 */
#include "tests/unit/world/position_world.h"

#include "shim/host/bytes.h"

static void say_to_file(const char *text)
{
	position_add(OF_FILE, strlen(text));
	assert_true(fputs(text, twin) >= 0);
}

static void flush(void)
{
	position_flushed(OF_FILE);
	fflush(twin);
}

static void seeks_in_file(int64_t offset, int whence)
{
	int result, error;

	errno = 0;
	result = seek_file(&call, ours, offset, whence);
	error = errno;
	errno = 0;
	assert_int_equal(result, fseeko64(twin, offset, whence));
	assert_int_equal(error, errno);
}

static void tells_the_same(void)
{
	assert_int_equal(seek_tell(&call, ours), ftello64(twin));
}

static void a_descriptor_stands_where_it_would(void **state)
{
	(void)state;
	seeks(0, SEEK_CUR);
	say("0123456789");
	seeks(0, SEEK_CUR);
	assert_int_equal(events, 0);
	seeks(-3, SEEK_CUR);
	assert_int_equal(events, 1);
	assert_int_equal(latest, 7);
	seeks(-8, SEEK_CUR);
	seeks(INT64_MAX, SEEK_CUR);
	seeks(4, SEEK_DATA);
	seeks(4, SEEK_HOLE);
	seeks(-1, SEEK_DATA);
	seeks(10, SEEK_HOLE);
	seeks(0, 77);
	assert_int_equal(events, 3);
	seeks(2, SEEK_SET);
	say("ab");
	seeks(0, SEEK_CUR);
	is_as_long();
	seeks(5, SEEK_END);
	say("c");
	is_as_long();
	assert_int_equal(lseek(fileno(ours), 0, SEEK_CUR), 0);
}

static void a_file_stands_where_it_would(void **state)
{
	fpos64_t here, there;

	(void)state;
	say_to_file("0123456789");
	tells_the_same();
	is_as_long(); /* it is held back */
	flush();
	tells_the_same();
	is_as_long();
	assert_int_equal(seek_get(&call, ours, &here), 0);
	assert_int_equal(fgetpos64(twin, &there), 0);
	assert_int_equal(here.__pos, there.__pos);
	seeks_in_file(-4, SEEK_CUR);
	say_to_file("abc");
	tells_the_same();
	seeks_in_file(-100, SEEK_CUR);
	seeks_in_file(0, 77);
	assert_int_equal(seek_set(&call, ours, &here), 0);
	assert_int_equal(fsetpos64(twin, &there), 0);
	tells_the_same();
	seek_rewind(&call, ours);
	rewind(twin);
	tells_the_same();
	seeks_in_file(2, SEEK_END);
	tells_the_same();
	is_as_long();
}

static void it_is_cut_as_it_would_be(void **state)
{
	(void)state;
	say("0123456789");
	assert_int_equal(seek_truncate(&call, fileno(ours), 4), 0);
	assert_int_equal(ftruncate64(fileno(twin), 4), 0);
	is_as_long();
	seeks(0, SEEK_CUR);
	seeks(0, SEEK_END);
	assert_int_equal(seek_truncate(&call, fileno(ours), 100), 0);
	assert_int_equal(ftruncate64(fileno(twin), 100), 0);
	is_as_long();
	errno = 0;
	assert_int_equal(seek_truncate(&call, fileno(ours), -1), -1);
	assert_int_equal(errno, EINVAL);
	is_as_long();
}

/* What is really there is really cut, or the call fails. */
static void what_must_not_be_cut_is_not(void **state)
{
	unsigned before;

	(void)state;
	assert_int_equal(write(fileno(ours), "0123456789", 10), 10);
	assert_int_equal(seek_truncate(&call, fileno(ours), 6), 0);
	assert_int_equal(lseek(fileno(ours), 0, SEEK_END), 6);
	assert_int_equal(fcntl(fileno(ours), F_ADD_SEALS, F_SEAL_SHRINK), 0);
	before = events;
	errno = 0;
	assert_int_equal(seek_truncate(&call, fileno(ours), 2), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(events, before);
	assert_int_equal(position_end(OF_FD), 6);
	streams[OF_FD].fd = -1; /* somebody has closed it */
	assert_int_equal(seek_truncate(&call, fileno(ours), 2), 0);
	assert_int_equal(events, before + 1);
}

/* ---- its room ---- */

static void makes_room(int mode, int64_t offset, int64_t size)
{
	int result, error;

	errno = 0;
	result = seek_allocate(&call, fileno(ours), mode, offset, size);
	error = errno;
	errno = 0;
	assert_int_equal(
		result, fallocate64(fileno(twin), mode, offset, size));
	assert_int_equal(error, errno);
	is_as_long();
}

static void room_is_made_as_it_would_be(void **state)
{
	struct stat st;

	(void)state;
	say("0123456789");
	makes_room(0, 0, 4);
	makes_room(FALLOC_FL_KEEP_SIZE, 0, 100);
	assert_int_equal(events, 0);
	makes_room(0, 4, 30);
	assert_int_equal(events, 1);
	assert_int_equal(latest, 34);
	makes_room(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2, 5);
	assert_int_equal(zeros, 5);
	makes_room(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 30, 500);
	assert_int_equal(zeros, 9);
	makes_room(FALLOC_FL_PUNCH_HOLE, 0, 5);
	makes_room(0, -1, 5);
	makes_room(0, 0, 0);
	assert_int_equal(seek_allocate_surely(&call, fileno(ours), 0, 99), 0);
	assert_int_equal(posix_fallocate64(fileno(twin), 0, 99), 0);
	is_as_long();
	assert_int_equal(
		seek_allocate_surely(&call, fileno(ours), 0, -9), EINVAL);
	errno = 0;
	assert_int_equal(seek_allocate(&call, fileno(ours),
				 FALLOC_FL_COLLAPSE_RANGE, 0, 4096),
		-1);
	assert_int_equal(errno, EOPNOTSUPP);
	fstat(fileno(ours), &st);
	assert_int_equal(st.st_size, 0);
}

static void of_what_is_also_written_room_is_noted(void **state)
{
	(void)state;
	streams[OF_FD].tee = true;
	assert_int_equal(write(fileno(ours), "0123456789", 10), 10);
	assert_int_equal(write(fileno(twin), "0123456789", 10), 10);
	assert_int_equal(seek_allocate(&call, fileno(ours), 0, 0, 20), 0);
	assert_int_equal(events, 1);
	assert_int_equal(latest, 20);
	assert_int_equal(seek_allocate_surely(&call, fileno(ours), 0, 30), 0);
	assert_int_equal(latest, 30);
	what_they_are = STREAM_PASS;
	assert_int_equal(seek_allocate(&call, fileno(ours), 0, 0, 40), 0);
	assert_int_equal(seek_allocate_surely(&call, fileno(ours), 0, 50), 0);
	assert_int_equal(events, 2);
}

/* ---- by its path ---- */

/* To be followed by a number. */
static const char *path_of(const char *before, int number)
{
	static char path[64];
	struct bytes_text out = {path, sizeof(path), 0};

	bytes_put(&out, before);
	bytes_put_number(&out, (unsigned)number, 10);
	return path;
}

static int truncates(FILE *file, int64_t size)
{
	const char *path = path_of("/proc/self/fd/", fileno(file));

	return file == ours ? seek_truncate_path(&call, path, size)
			    : truncate64(path, size);
}

static void it_is_cut_by_its_path(void **state)
{
	struct stat st;

	(void)state;
	say("0123456789");
	for (int64_t size = 20; size > 0; size -= 7) {
		assert_int_equal(truncates(ours, size), truncates(twin, size));
		is_as_long();
	}
	assert_int_equal(events, 3);
	fstat(fileno(ours), &st);
	assert_int_equal(st.st_size, 0); /* it was never made longer */
	streams[OF_FD].tee = true;
	assert_int_equal(truncates(ours, 30), 0);
	fstat(fileno(ours), &st);
	assert_int_equal(st.st_size, 30);
	assert_int_equal(events, 4);
}

static void other_paths_are_not_ours(void **state)
{
	(void)state;
	errno = 0;
	assert_int_equal(seek_truncate_path(&call, "/dev/null/none", 1), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(seek_truncate_path(&call, "/dev/null", 1), -1);
	assert_int_equal(errno, EINVAL);
	streams[OF_FD].device++; /* only a FILE is left, which has no path */
	assert_int_equal(truncates(ours, 5), 0);
	streams[OF_FD].device--;
	streams[OF_FD].inode++;
	assert_int_equal(truncates(ours, 6), 0);
	streams[OF_FD].inode--;
	streams_have_offsets = false;
	assert_int_equal(truncates(ours, 7), 0);
	streams_have_offsets = true;
	assert_int_equal(events, 0);
	assert_int_equal(lseek(fileno(ours), 0, SEEK_END), 7);
}

/* ---- what is read, or written, too ---- */

static void what_is_read_is_where_it_really_is(void **state)
{
	fpos64_t here, there;

	(void)state;
	for (int i = 0; i < 2; i++) {
		FILE *file = i ? ours : twin;

		assert_int_equal(pwrite(fileno(file), "0123456789", 10, 0), 10);
		assert_int_equal(getc(file), '0');
	}
	tells_the_same();
	assert_int_equal(seek_get(&call, ours, &here), 0);
	assert_int_equal(fgetpos64(twin, &there), 0);
	assert_int_equal(here.__pos, there.__pos);
	seeks_in_file(4, SEEK_CUR);
	assert_int_equal(getc(ours), getc(twin));
	assert_int_equal(seek_set(&call, ours, &here), 0);
	assert_int_equal(fsetpos64(twin, &there), 0);
	assert_int_equal(getc(ours), getc(twin));
	seek_rewind(&call, ours);
	rewind(twin);
	assert_int_equal(getc(ours), getc(twin));
	tells_the_same();
	assert_int_equal(events, 0);
}

static void of_what_is_also_written_moves_are_noted(void **state)
{
	(void)state;
	streams[OF_FD].tee = streams[OF_FILE].tee = true;
	assert_int_equal(write(fileno(ours), "0123456789", 10), 10);
	assert_int_equal(write(fileno(twin), "0123456789", 10), 10);
	seeks(0, SEEK_CUR);
	seeks(-1, SEEK_SET);
	assert_int_equal(events, 0);
	seeks(-4, SEEK_END);
	assert_int_equal(events, 1);
	assert_int_equal(latest, 6);
	seeks_in_file(3, SEEK_SET);
	assert_int_equal(events, 2);
	assert_int_equal(latest, 3);
	tells_the_same();
	streams[OF_FILE].fd = -1; /* where it is now cannot be asked */
	seeks_in_file(5, SEEK_SET);
	assert_int_equal(events, 2);
	streams[OF_FD].mode = S_IFCHR;
	seeks(7, SEEK_SET);
	assert_int_equal(events, 2);
}

static void of_what_is_not_ours_nothing_is(void **state)
{
	fpos64_t here;

	(void)state;
	what_they_are = STREAM_PASS;
	seeks(7, SEEK_SET);
	seeks_in_file(5, SEEK_SET);
	tells_the_same();
	assert_int_equal(seek_get(&call, ours, &here), 0);
	assert_int_equal(here.__pos, 5);
	assert_int_equal(events, 0);
}

/* A pipe stands nowhere. */
static void what_has_no_offsets_says_so(void **state)
{
	FILE *file = ours;
	fpos64_t here;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	ours = fdopen(fds[1], "w");
	streams[OF_FILE].mode = S_IFIFO;
	streams[OF_FILE].file = ours;
	position_add(OF_FILE, 3);
	errno = 0;
	assert_int_equal(seek_tell(&call, ours), -1);
	assert_int_equal(errno, ESPIPE);
	assert_int_equal(seek_get(&call, ours, &here), -1);
	streams[OF_FILE].file = NULL;
	fclose(ours);
	close(fds[0]);
	ours = file;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_descriptor_stands_where_it_would),
		TEST(a_file_stands_where_it_would),
		TEST(it_is_cut_as_it_would_be),
		TEST(what_must_not_be_cut_is_not),
		TEST(room_is_made_as_it_would_be),
		TEST(of_what_is_also_written_room_is_noted),
		TEST(it_is_cut_by_its_path),
		TEST(other_paths_are_not_ours),
		TEST(what_is_read_is_where_it_really_is),
		TEST(of_what_is_also_written_moves_are_noted),
		TEST(of_what_is_not_ours_nothing_is),
		TEST(what_has_no_offsets_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
