/*
 * Long texts are whole where they go to, in whatever pieces: recorded, and the
 * rest of them written where there is no room any more.
 */
#include "tests/unit/world/first_call_world.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

static char text[60000];

static int new_output(void)
{
	int fd = memfd_create("output", 0);

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	streams[STREAM].fd = fd;
	return fd;
}

static bool says(size_t size, unsigned kind)
{
	return capture_chunks(&writer, &call, STREAM, kind,
		&(struct capture_formatted){0}, text, size);
}

/* What the program has said, as a reader will have it; where a text ends that
 * is one of a line, there is a newline. */
static size_t read_recorded(char *to, bool *ended)
{
	const char *at = (const char *)memory;
	size_t all = 0;

	*ended = false;
	while (at < writer.cursor) {
		uint32_t head[3];

		memcpy(head, at, sizeof(head));
		assert_false(*ended);
		*ended = head[0] == LAST;
		assert_true(*ended || head[0] == PART);
		memcpy(to + all, at + 12, head[2]);
		all += head[2];
		at += 12 + ((head[2] + 3) & ~3u);
	}
	return all;
}

static void whole_is(int fd, size_t size, bool is_line)
{
	static char all[2 * sizeof(text)];
	bool ended;
	size_t recorded = read_recorded(all, &ended);
	ssize_t written = pread(fd, all + recorded, sizeof(text) + 1, 0);

	assert_true(written >= 0);
	assert_int_equal(ended, written == 0);
	if (ended && is_line)
		all[recorded++] = '\n';
	assert_int_equal(recorded + (size_t)written, size + is_line);
	assert_memory_equal(all, text, size);
	assert_true(!is_line || all[size] == '\n');
	assert_int_equal(passed, !ended);
	assert_int_equal(dropped, 0);
}

static void what_has_no_room_is_written(void **state)
{
	static const size_t sizes[] = {0, 1, CAPTURE_CHUNK, CAPTURE_CHUNK + 1,
		3 * CAPTURE_CHUNK, 3 * CAPTURE_CHUNK + 7};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (size_t room = 0; room <= 4; room++)
			for (unsigned line = 0; line < 2; line++) {
				int fd;
				bool said;

				begin_with(room * (CAPTURE_CHUNK + 12) + 11);
				fd = new_output();
				said = says(
					sizes[i], line ? BINLOG_TEXT_BYTES_LINE
						       : BINLOG_TEXT_BYTES);
				assert_int_equal(said, room > 0);
				if (said)
					whole_is(fd, sizes[i], line);
				else
					assert_ptr_equal(writer.cursor, memory);
				close(fd);
			}
}

static void what_is_made_natively_anyway_is_not_written(void **state)
{
	int fd;

	(void)state;
	begin_with(CAPTURE_CHUNK + 12);
	fd = new_output();
	streams[STREAM].tee = true;
	assert_true(says(30000, BINLOG_TEXT_BYTES_LINE));
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	assert_int_equal(passed, 1);
	close(fd);
}

static void what_cannot_be_written_is_lost(void **state)
{
	(void)state;
	begin_with(CAPTURE_CHUNK + 12);
	assert_true(says(30000, BINLOG_TEXT_BYTES)); /* EBADF */
	assert_int_equal(dropped, 1);
	assert_int_equal(passed, 0);
}

static void fill(int pipe_end, size_t less)
{
	static char bytes[1 << 20];
	int size = fcntl(pipe_end, F_GETPIPE_SZ);

	assert_int_equal(write(pipe_end, bytes, (size_t)size - less),
		(size_t)size - less);
}

/* But for its newline, or more. */
static void so_is_what_its_reader_does_not_take(void **state)
{
	static const size_t spaces[] = {4096, 8192, 16384};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		int ends[2];

		begin_with(CAPTURE_CHUNK + 12);
		assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
		fill(ends[1], spaces[i]);
		streams[STREAM].fd = ends[1];
		assert_true(says(2 * CAPTURE_CHUNK, BINLOG_TEXT_BYTES_LINE));
		assert_int_equal(dropped, 1);
		assert_int_equal(passed, 0);
		close(ends[0]);
		close(ends[1]);
	}
}

static int read_end;
static char read_bytes[2 * sizeof(text) + 65536];
static size_t read_count;

static bool read_some(size_t size)
{
	ssize_t n = read(read_end, read_bytes + read_count, size);

	read_count += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Makes room for a page, if it is not the first one. */
static void on_alarm(int number)
{
	static volatile sig_atomic_t alarms;
	int kept = errno;

	(void)number;
	if (alarms++ > 0)
		read_some(4096);
	errno = kept;
}

static void a_signal_does_not_end_it(void **state)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {0};
	const size_t size = sizeof(text), recorded = CAPTURE_CHUNK;
	int ends[2];

	(void)state;
	begin_with(recorded + 12);
	close(new_output());
	assert_int_equal(pipe(ends), 0);
	fill(ends[1], 0);
	streams[STREAM].fd = ends[1];
	read_end = ends[0];
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_true(says(size, BINLOG_TEXT_BYTES));
	setitimer(ITIMER_REAL, &never, NULL);
	assert_int_equal(dropped, 0);
	assert_int_equal(passed, 1);
	close(ends[1]);
	while (read_some(4096))
		;
	assert_memory_equal(read_bytes + read_count - (size - recorded),
		text + recorded, size - recorded);
	close(ends[0]);
}

static void a_terminal_shows_all_of_it(void **state)
{
	(void)state;
	close(new_output());
	streams[STREAM].terminal = true;
	assert_true(says(40000, BINLOG_TEXT_BYTES_LINE));
	assert_int_equal(shown_bytes, 40001);
	assert_memory_equal(shown, text, 40000);
	assert_int_equal(shown[40000], '\n');
	shown_bytes = 0;
	streams[STREAM].tee = true; /* it does so already */
	begin_with(100);
	assert_true(says(40, BINLOG_TEXT_BYTES_LINE));
	assert_int_equal(shown_bytes, 0);
}

static void without_a_definition_nothing_is_said(void **state)
{
	(void)state;
	undefined = PART;
	assert_false(says(40000, BINLOG_TEXT_BYTES));
	assert_ptr_equal(writer.cursor, memory);
	assert_true(says(40, BINLOG_TEXT_BYTES));
	begin(state);
	undefined = LAST;
	assert_false(says(40000, BINLOG_TEXT_BYTES));
	assert_false(says(40, BINLOG_TEXT_BYTES));
	assert_ptr_equal(writer.cursor, memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_has_no_room_is_written),
		TEST(what_is_made_natively_anyway_is_not_written),
		TEST(what_cannot_be_written_is_lost),
		TEST(so_is_what_its_reader_does_not_take),
		TEST(a_signal_does_not_end_it),
		TEST(a_terminal_shows_all_of_it),
		TEST(without_a_definition_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
