/*
 * The message with which libc ends a program: recorded once, and taken out of
 * the file if it is surely that which stands at its end.  One of them is
 * libc's own, whose layout is not ours to say.
 */
#include "tests/unit/world/writer_world.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/host/sys.h"
#include "shim/record/capture_slow.h"
#include "shim/start/abort_message.h"
#include "shim/writer/define.h"
#include "shim/writer/position.h"

#define STREAM 7u
#define THERE 11u /* contexts: it is in the file as well, */
#define HERE 12u  /* or not */
#define TEXT "libc: it ends here\n"
#define TEXT_BYTES (sizeof(TEXT) - 1)

/* As libc has it. */
struct message {
	unsigned size;
	char text[4 * CAPTURE_CHUNK];
};

static struct message *libc_message;
void *host_abort_message = &libc_message;
static bool is_undefined, is_undefined_here;
static const struct call call = {.sp = 1000};

unsigned streams_decide(int fd)
{
	(void)fd;
	return STREAM_PASS;
}

static uint64_t seen; /* bytes that are in the file itself */

void position_seen(unsigned stream, uint64_t bytes)
{
	assert_int_equal(stream, STREAM);
	seen += bytes;
}

void define_walk(struct writer *w, const struct call *at, unsigned depth)
{
	(void)w;
	(void)at;
	(void)depth;
}

uint32_t define_context(struct writer *w, const struct call *at,
	const struct define_context *context)
{
	(void)w;
	(void)at;
	if (is_undefined)
		return 0;
	if (context->flags & BINLOG_CONTEXT_ESCAPED)
		return THERE;
	return is_undefined_here ? 0 : HERE;
}

/* ---- what libc has written ---- */

static int kept_stderr;

static void say_in_file(const char *text, size_t size)
{
	assert_int_equal(write(2, text, size), size);
}

static int begin(void **state)
{
	struct stat st;
	int fd = memfd_create("stderr", 0);

	(void)state;
	kept_stderr = dup(2);
	dup2(fd, 2);
	close(fd);
	fstat(2, &st);
	streams[STREAM] =
		(struct stream){.device = st.st_dev, .inode = st.st_ino};
	streams_slots[2].of_fd = STREAM;
	say_in_file("before\n", 7);
	writer_begin_with(sizeof(memory) - 4);
	host_abort_message = &libc_message;
	sys_forbidden = is_undefined = is_undefined_here = false;
	abort_message_expect(NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	sys_forbidden = false;
	dup2(kept_stderr, 2);
	close(kept_stderr);
	return 0;
}

static struct message *new_message(const char *text, size_t size)
{
	struct message *made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(made, MAP_FAILED);
	made->size = sizeof(*made);
	memcpy(made->text, text, size);
	return made;
}

static void libc_says(const char *text)
{
	say_in_file(text, strlen(text));
	libc_message = new_message(text, strlen(text));
}

/* ---- what becomes of it ---- */

static void recorded_is(uint32_t context, const char *text, size_t size)
{
	assert_int_equal(memory[0], context);
	assert_int_equal(memory[2], size);
	assert_memory_equal(memory + 3, text, size);
	assert_int_equal(
		writer.cursor - (char *)memory, 12 + (size + 3) / 4 * 4);
	assert_int_equal(writer.state, writer.idle);
	assert_int_equal(seen, context == THERE ? size : 0);
	seen = 0;
}

static void nothing_is_recorded(void)
{
	assert_ptr_equal(writer.cursor, memory);
}

static void file_is(const char *text)
{
	char bytes[1024];
	ssize_t size = pread(2, bytes, sizeof(bytes), 0);

	assert_int_equal(size, strlen(text));
	assert_memory_equal(bytes, text, (size_t)size);
	assert_int_equal(lseek(2, 0, SEEK_CUR), size);
}

static void it_stays_in_the_file(void)
{
	abort_message_record(&call);
	recorded_is(THERE, TEXT, TEXT_BYTES);
}

/* ---- the tests ---- */

static void what_nobody_has_seen_is_recorded_once(void **state)
{
	(void)state;
	libc_says(TEXT);
	abort_message_record(&call);
	recorded_is(HERE, TEXT, TEXT_BYTES);
	file_is("before\n");
	writer_begin_with(sizeof(memory) - 4);
	abort_message_record(&call);
	nothing_is_recorded();
}

static void a_long_one_is_compared_as_a_whole(void **state)
{
	static char text[701];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	libc_says(text);
	abort_message_record(&call);
	recorded_is(HERE, text, 700);
	file_is("before\n");
	lseek(2, 0, SEEK_SET);
	say_in_file("b", 1); /* far before its end */
	memset(text, 'c', sizeof(text) - 1);
	libc_says(text);
	assert_int_equal(pwrite(2, "d", 1, 10), 1);
	writer_begin_with(sizeof(memory) - 4);
	abort_message_record(&call);
	recorded_is(THERE, text, 700);
}

/* All of it is in the file; of it as much as a record holds. */
static void the_longest_is_cut_off(void **state)
{
	static char text[3 * CAPTURE_CHUNK];

	(void)state;
	memset(text, 'a', sizeof(text));
	libc_message = new_message(text, sizeof(text));
	abort_message_record(&call);
	recorded_is(THERE, text, CAPTURE_CHUNK);
}

static void what_is_not_surely_libcs_stays(void **state)
{
	(void)state;
	libc_says(TEXT);
	say_in_file("of another thread\n", 18);
	it_stays_in_the_file();
	file_is("before\n" TEXT "of another thread\n");
}

static void in_the_middle_of_a_file_it_stays(void **state)
{
	(void)state;
	libc_says(TEXT);
	assert_int_equal(pwrite(2, "later", 5, 100), 5);
	it_stays_in_the_file();
}

static void at_a_beginning_nothing_is_taken(void **state)
{
	(void)state;
	assert_int_equal(ftruncate(2, 3), 0);
	lseek(2, 3, SEEK_SET);
	libc_message = new_message(TEXT, TEXT_BYTES);
	it_stays_in_the_file();
	file_is("bef");
}

static void in_anothers_file_it_stays(void **state)
{
	(void)state;
	libc_says(TEXT);
	streams[STREAM].inode++;
	it_stays_in_the_file();
	writer_begin_with(sizeof(memory) - 4);
	streams[STREAM].inode--;
	streams[STREAM].device++;
	libc_message = new_message(TEXT, TEXT_BYTES);
	it_stays_in_the_file();
	file_is("before\n" TEXT);
}

static void where_text_is_written_as_well_it_stays(void **state)
{
	(void)state;
	libc_says(TEXT);
	streams[STREAM].tee = true;
	abort_message_record(&call);
	/* Like all of its text, which is here as well. */
	recorded_is(HERE, TEXT, TEXT_BYTES);
	file_is("before\n" TEXT);
}

static void a_pipe_gives_nothing_back(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], 2);
	libc_says(TEXT);
	it_stays_in_the_file();
	close(ends[0]);
	close(ends[1]);
}

/* It cannot be made shorter. */
static void a_sealed_file_keeps_it(void **state)
{
	struct stat st;
	int fd = memfd_create("sealed", MFD_ALLOW_SEALING);

	(void)state;
	dup2(fd, 2);
	close(fd);
	fstat(2, &st);
	streams[STREAM].inode = st.st_ino;
	libc_says(TEXT);
	assert_int_equal(fcntl(2, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	it_stays_in_the_file();
	file_is(TEXT);
}

static void without_calls_it_stays(void **state)
{
	(void)state;
	libc_says(TEXT);
	sys_forbidden = true;
	it_stays_in_the_file();
	sys_forbidden = false;
	file_is("before\n" TEXT);
}

static void what_cannot_be_looked_at_stays(void **state)
{
	struct rlimit usual, none;

	(void)state;
	libc_says(TEXT);
	getrlimit(RLIMIT_NOFILE, &usual);
	none = usual;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	abort_message_record(&call);
	setrlimit(RLIMIT_NOFILE, &usual);
	recorded_is(THERE, TEXT, TEXT_BYTES);
	file_is("before\n" TEXT);
}

/* There is no room to say that it was taken. */
static void what_cannot_be_said_to_be_here_stays(void **state)
{
	(void)state;
	libc_says(TEXT);
	is_undefined_here = true;
	it_stays_in_the_file();
	file_is("before\n" TEXT);
}

/* Else it would be nowhere. */
static void where_it_cannot_be_recorded_it_stays(void **state)
{
	static const size_t rooms[] = {sizeof(memory) - 4, 12, 0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		libc_message = new_message(TEXT, TEXT_BYTES);
		writer_begin_with(rooms[i]);
		is_undefined = i == 0;
		abort_message_record(&call);
		nothing_is_recorded();
		assert_int_equal(writer.state, writer.idle);
	}
	libc_message = new_message(TEXT, TEXT_BYTES);
	writer_begin_with(sizeof(memory) - 4);
	writer.state = BUSY;
	abort_message_record(&call);
	nothing_is_recorded();
	assert_int_equal(writer.state, BUSY);
}

static void of_what_is_not_recorded_nothing_is(void **state)
{
	(void)state;
	libc_says(TEXT);
	streams_slots[2].of_fd = STREAM_PASS;
	abort_message_record(&call);
	nothing_is_recorded();
	file_is("before\n" TEXT);
}

static void what_is_known_is_not_recorded(void **state)
{
	(void)state;
	libc_message = NULL;
	abort_message_record(&call);
	libc_message = new_message("", 0);
	abort_message_record(&call);
	abort_message_expect("libc: it ");
	libc_message = new_message(TEXT, TEXT_BYTES);
	abort_message_record(&call);
	abort_message_set(TEXT, TEXT_BYTES);
	abort_message_record(&call);
	host_abort_message = NULL;
	abort_message_record(&call);
	abort_message_set(TEXT, TEXT_BYTES);
	nothing_is_recorded();
	host_abort_message = &libc_message;
	abort_message_expect("libc: it never ends");
	libc_message = new_message(TEXT, TEXT_BYTES);
	it_stays_in_the_file();
}

static void one_that_is_set_is_as_libc_would_have_it(void **state)
{
	static char text[10000];
	struct message *before;

	(void)state;
	libc_message = NULL;
	memset(text, 'a', sizeof(text));
	for (size_t size = 0; size < sizeof(text); size += 777) {
		abort_message_set(text, size);
		assert_int_equal(libc_message->size % 4096, 0);
		assert_true(libc_message->size > 4 + size);
		assert_int_equal(strlen(libc_message->text), size);
		assert_memory_equal(libc_message->text, text, size);
	}
	before = libc_message;
	abort_message_set(text, (size_t)UINT_MAX);
	assert_ptr_equal(libc_message, before);
	sys_forbidden = true;
	abort_message_set(text, 10);
	assert_ptr_equal(libc_message, before);
}

/* ---- libc's own ---- */

static void on_abort(int number)
{
	static const char words[] = "free(): invalid pointer\n";
	struct stat st;

	(void)number;
	abort_message_record(&call);
	if (memory[0] != HERE || memory[2] != sizeof(words) - 1 ||
		memcmp(memory + 3, words, sizeof(words) - 1) != 0)
		_exit(1);
	_exit(fstat(2, &st) != 0 || st.st_size != 7);
}

static void free_what_is_no_memory(void)
{
	static char memory_of_nobody[64];
	void (*give_back)(void *);

	host_abort_message = dlsym(RTLD_DEFAULT, "__abort_msg");
	signal(SIGABRT, on_abort);
	*(void **)&give_back = dlsym(RTLD_DEFAULT, "free");
	give_back(memory_of_nobody + 8);
	_exit(2);
}

static void libcs_own_words_are_taken_back(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		free_what_is_no_memory();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_nobody_has_seen_is_recorded_once),
		TEST(a_long_one_is_compared_as_a_whole),
		TEST(the_longest_is_cut_off),
		TEST(what_is_not_surely_libcs_stays),
		TEST(in_the_middle_of_a_file_it_stays),
		TEST(at_a_beginning_nothing_is_taken),
		TEST(in_anothers_file_it_stays),
		TEST(where_text_is_written_as_well_it_stays),
		TEST(a_pipe_gives_nothing_back),
		TEST(a_sealed_file_keeps_it),
		TEST(without_calls_it_stays),
		TEST(what_cannot_be_looked_at_stays),
		TEST(what_cannot_be_said_to_be_here_stays),
		TEST(where_it_cannot_be_recorded_it_stays),
		TEST(of_what_is_not_recorded_nothing_is),
		TEST(what_is_known_is_not_recorded),
		TEST(one_that_is_set_is_as_libc_would_have_it),
		TEST(libcs_own_words_are_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
