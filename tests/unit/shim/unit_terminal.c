/*
 * What a person at a terminal sees of what is recorded.  Where the program
 * edits lines itself that is all, as libc would write it, which is the oracle;
 * else what follows the last newline when an answer is waited for.
 */
#include "tests/unit/world/terminal_person.h"

#include <err.h>
#include <error.h>

static struct text wanted;

static void set(struct text *text, const char *bytes, size_t size)
{
	memcpy(text->bytes, bytes, size);
	text->length = size;
}

/* ---- all is shown ---- */

static size_t make_piece(char *piece, size_t most)
{
	size_t size = (size_t)random() % most;

	for (size_t i = 0; i < size; i++)
		piece[i] = (char)("abc \n\033[;]\a"[(size_t)random() % 11]);
	return size;
}

/* Against a FILE of libc's that holds back likewise. */
static void say_as_libc(int mode, uint16_t buffering)
{
	int pipe_ends[2];
	static char piece[3000];
	FILE *file;

	set_raw();
	make_stream(STREAM, buffering);
	terminal_asked(terminal);
	for (int i = 0; i < 300; i++) {
		size_t size = make_piece(piece, i % 3 ? 40 : sizeof(piece));
		bool line = random() % 4 == 0;
		ssize_t n;

		assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
		file = fdopen(pipe_ends[1], "w");
		setvbuf(file, NULL, mode, 1024);
		fwrite(piece, 1, size, file);
		if (line)
			fputc('\n', file);
		fclose(file);
		n = read(pipe_ends[0], wanted.bytes, TEXT_MOST);
		close(pipe_ends[0]);
		wanted.length = n > 0 ? (size_t)n : 0;
		terminal_bytes(STREAM, piece, size, line);
		if (mode != _IONBF)
			terminal_flushed(STREAM);
		see();
		assert_int_equal(seen.length, wanted.length);
		assert_memory_equal(seen.bytes, wanted.bytes, seen.length);
		seen.length = 0;
	}
}

static void a_program_that_draws_shows_all(void **state)
{
	(void)state;
	say_as_libc(_IOFBF, BINLOG_BUFFER_FULL);
	say_as_libc(_IOLBF, BINLOG_BUFFER_LINE);
	say_as_libc(_IONBF, BINLOG_BUFFER_NONE);
}

/* ---- messages ---- */

static int real_stderr, message_pipe[2];

static void libc_begins(void)
{
	real_stderr = dup(2);
	assert_int_equal(pipe2(message_pipe, O_CLOEXEC), 0);
	dup2(message_pipe[1], 2);
}

static void libc_ends(void)
{
	ssize_t n;

	fflush(stderr);
	dup2(real_stderr, 2);
	close(real_stderr);
	close(message_pipe[1]);
	n = read(message_pipe[0], wanted.bytes, TEXT_MOST);
	close(message_pipe[0]);
	wanted.length = n > 0 ? (size_t)n : 0;
}

static void show(const struct capture_text *how, const char *format, ...)
{
	va_list ap;

	errno = ENOENT;
	va_start(ap, format);
	terminal_format(how, format, ap);
	va_end(ap);
	assert_int_equal(errno, ENOENT);
	terminal_flushed(STREAM);
	see();
	assert_int_equal(seen.length, wanted.length);
	assert_memory_equal(seen.bytes, wanted.bytes, seen.length);
	seen.length = 0;
}

/* What libc says, and what is shown of the same. */
#define SAME(as, of, number_, libc, ...)                                       \
	do {                                                                   \
		const struct capture_prefix prefix[] = {                       \
			{.kind = BINLOG_ARG_STRING, .string = (of)},           \
			{.kind = BINLOG_ARG_I32, .number = (number_)}};        \
		const struct capture_text how = {.stream = STREAM,             \
			.text = BINLOG_TEXT_##as,                              \
			.prefixes = 2,                                         \
			.prefix = prefix};                                     \
		libc_begins();                                                 \
		errno = ENOENT;                                                \
		libc;                                                          \
		libc_ends();                                                   \
		show(&how, __VA_ARGS__);                                       \
	} while (0)

static void messages_are_libcs(void **state)
{
	static char long_text[5000];
	const char *own = program_invocation_short_name;
	static char origin[256];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	strcat(strcpy(origin, program_invocation_name), ": ");
	set_raw();
	SAME(WARN, own, ENOENT, warn("a %d %s", 1, "b"), "a %d %s", 1, "b");
	SAME(WARN, own, ENOENT, warn(NULL), NULL);
	SAME(WARNX, own, 0, warnx("a %d", 1), "a %d", 1);
	SAME(WARNX, own, 0, warnx(NULL), NULL);
	SAME(WARN, own, ENOENT, warn("%s", long_text), "%s", long_text);
	SAME(PERROR, "a", ENOENT, perror("a"), NULL);
	SAME(PERROR, "", ENOENT, perror(""), NULL);
	SAME(PERROR, NULL, ENOENT, perror(NULL), NULL);
	SAME(ERROR, origin, EIO, error(0, EIO, "a %d", 1), "a %d", 1);
	SAME(ERROR, origin, 0, error(0, 0, "a %s", "b"), "a %s", "b");
	SAME(FORMAT, NULL, 0, fprintf(stderr, "%u %d", 6u, 7), "%u %d", 6u, 7);
	SAME(FORMAT, NULL, 0, fprintf(stderr, "%s", ""), "%s", "");
	SAME(FORMAT, NULL, 0, (void)0, NULL);
}

static void messages_are_lines(void **state)
{
	static const struct capture_prefix prefix = {
		.kind = BINLOG_ARG_STRING, .string = "x"};
	const struct capture_text how = {.stream = STREAM,
		.text = BINLOG_TEXT_SYSLOG_PERROR,
		.prefixes = 1,
		.prefix = &prefix};

	(void)state;
	set_raw();
	set(&wanted, "x: text\n", 8);
	show(&how, "text");
	set_cooked();
	wanted.length = 0;
	show(&how, "text");
	show(&how, "");
}

/* ---- what is held back ---- */

/* The last 1024 bytes behind the last newline. */
static void expect_more(const char *piece, size_t size, bool line)
{
	memcpy(wanted.bytes + wanted.length, piece, size);
	wanted.length += size;
	if (line)
		wanted.bytes[wanted.length++] = '\n';
	for (size_t i = wanted.length; i > 0; i--)
		if (wanted.bytes[i - 1] == '\n') {
			wanted.length -= i;
			memmove(wanted.bytes, wanted.bytes + i, wanted.length);
			break;
		}
	if (wanted.length > 1024) {
		memmove(wanted.bytes, wanted.bytes + wanted.length - 1024,
			1024);
		wanted.length = 1024;
	}
}

static void what_follows_the_last_newline_is_a_prompt(void **state)
{
	static char piece[3000];

	(void)state;
	set_cooked();
	for (int i = 0; i < 1000; i++) {
		wanted.length = 0;
		for (long n = random() % 6; n >= 0; n--) {
			size_t size = make_piece(
				piece, random() % 9 ? 30 : sizeof(piece));
			bool line = random() % 4 == 0;

			if (random() % 3 == 0)
				memset(piece, 'x', size);
			terminal_bytes(STREAM, piece, size, line);
			expect_more(piece, size, line);
			assert_int_equal(terminal_waits(), wanted.length > 0);
		}
		terminal_asked(terminal);
		see();
		assert_int_equal(seen.length, wanted.length);
		assert_memory_equal(seen.bytes, wanted.bytes, seen.length);
		seen.length = 0;
	}
}

static void a_line_that_was_begun_is_ended(void **state)
{
	static char rest[2000];

	(void)state;
	set_cooked();
	memset(rest, 'r', sizeof(rest) - 1);
	terminal_bytes(STREAM, "50%", 3, false);
	terminal_flushed(STREAM);
	assert_seen("50%");
	terminal_bytes(STREAM, "100%\nhidden\nhidden", 18, true);
	assert_seen("100%\n");
	terminal_bytes(STREAM, "70%", 3, false);
	terminal_flushed(STREAM);
	terminal_bytes(STREAM, rest, sizeof(rest) - 1, true);
	rest[1024] = '\0';
	see();
	assert_int_equal(seen.length, 3 + 1024 + 1);
	seen.length = 0;
	terminal_bytes(STREAM, "90%", 3, false);
	terminal_flushed(STREAM);
	terminal_bytes(STREAM, " done", 5, true);
	assert_seen("90% done\n");
}

static void of_many_files_each_flushes_its_own(void **state)
{
	(void)state;
	set_cooked();
	for (unsigned i = 0; i < STREAMS; i++)
		terminal_bytes(STREAM + i, "abcdefghijkl" + i, 1, false);
	terminal_flushed(STREAM + 2);
	assert_seen("c");
	terminal_flushed(STREAM + 2);
	assert_seen("");
	terminal_bytes(STREAM + 2, "\n", 1, false);
	seen.length = 0;
	terminal_flushed(0); /* what it has no room for was forgotten */
	see();
	assert_in_range(seen.length, 6, 9);
	seen.length = 0;
	terminal_bytes(STREAM + 1, "x", 1, false);
	streams[STREAM].tee = true;
	terminal_flushed(STREAM + 1);
	assert_seen("");
	streams[STREAM].tee = false;
}

static void without_a_terminal_nothing_is_awaited(void **state)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	set_cooked();
	terminal_bytes(STREAM, "name? ", 6, false);
	terminal_asked(null);
	assert_seen("");
	terminal_asked(terminal);
	assert_seen("name? ");
	close(null);
	close(person); /* it has gone */
	terminal_bytes(STREAM, "name? ", 6, false);
	terminal_flushed(STREAM);
	assert_int_equal(begin(NULL), 0);
}

static void *say_much(void *stream)
{
	for (int i = 0; i < 20000; i++)
		terminal_bytes((unsigned)(uintptr_t)stream, "text", 4, i % 7);
	return NULL;
}

static void threads_wait_for_each_other(void **state)
{
	pthread_t threads[3];

	(void)state;
	set_cooked();
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(
			&threads[i], NULL, say_much, (void *)(STREAM + i));
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	terminal_bytes(STREAM, "name? ", 6, false);
	terminal_asked(terminal);
	see();
	assert_true(says("name? "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PERSON_TEST(a_program_that_draws_shows_all),
		PERSON_TEST(messages_are_libcs),
		PERSON_TEST(messages_are_lines),
		PERSON_TEST(what_follows_the_last_newline_is_a_prompt),
		PERSON_TEST(a_line_that_was_begun_is_ended),
		PERSON_TEST(of_many_files_each_flushes_its_own),
		PERSON_TEST(without_a_terminal_nothing_is_awaited),
		PERSON_TEST(threads_wait_for_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
