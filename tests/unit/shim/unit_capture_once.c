/*
 * Texts that are made at once are those that libc makes, whatever their length
 * and wherever a conversion fails; without memory the call is passed, as if
 * nothing had been tried.
 */
#include "shim/host/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/libc.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/record/capture_slow.h"
#include "shim/record/fortify.h"
#include "shim/streams/streams.h"
#include "shim/writer/define.h"

#define STREAM 7u
#define FORMAT_ID 3u
#define TEXT_MOST ((size_t)1 << 20)
#define BEFORE 99 /* errno of the program */

struct stream streams[STREAMS_MAX + 1];
bool control_deciding;
uint32_t host_libc_version = LIBC_VERSION(__GLIBC__, __GLIBC_MINOR__);
__attribute__((const)) int *(*host_errno)(void) = __errno_location;

static struct writer writer;
static struct call call;
static struct capture_text how = {.stream = STREAM};

/* ---- what the library would be ---- */

static char recorded[TEXT_MOST];
static size_t recorded_bytes, room_left, takes;
static bool capture_fails, define_fails;
static struct intern_entry entry = {.id = FORMAT_ID};
static const char *decided;
static unsigned texts_made;
static int second; /* what the second text is instead, if not 0 */

void *arena_take(size_t bytes)
{
	static char room[4 * TEXT_MOST];

	if (bytes > room_left)
		return NULL;
	takes++;
	return room + (room_left -= bytes);
}

struct intern_entry *define_string(
	struct writer *w, const char *text, uint32_t length)
{
	assert_ptr_equal(w, &writer);
	assert_int_equal(length, strlen(text));
	return define_fails ? NULL : &entry;
}

static bool recorded_failed;

static bool record(const void *bytes, size_t size)
{
	if (capture_fails)
		return false;
	memcpy(recorded, bytes, size);
	recorded_bytes = size;
	return true;
}

bool capture_chunks(struct writer *w, const struct call *at, unsigned stream,
	unsigned text, const struct capture_formatted *formatted,
	const void *bytes, size_t size)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(stream, STREAM);
	assert_int_equal(text, BINLOG_TEXT_BYTES);
	assert_int_equal(formatted->format, FORMAT_ID);
	recorded_failed = formatted->failed;
	return record(bytes, size);
}

bool capture_bytes_inside(struct writer *w, const struct call *at,
	unsigned stream, unsigned text, const void *bytes, size_t size)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(stream, STREAM);
	assert_int_equal(text, BINLOG_TEXT_BYTES);
	return record(bytes, size);
}

bool capture_text_inside(struct writer *w, const struct call *at,
	unsigned stream, uint32_t shown, const void *bytes, size_t size)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(stream, STREAM);
	assert_int_equal(shown, FORMAT_ID);
	assert_true(size <= CAPTURE_CHUNK);
	recorded_failed = false;
	return record(bytes, size);
}

static unsigned in_chunks;

bool capture_chunks_of(struct writer *w, const struct call *at, unsigned stream,
	unsigned text, const struct capture_formatted *formatted,
	const struct iovec *v, size_t size)
{
	static char whole[TEXT_MOST];
	size_t done = 0;

	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(stream, STREAM);
	assert_int_equal(text, BINLOG_TEXT_BYTES);
	assert_int_equal(formatted->format, 0);
	assert_true(size > CAPTURE_CHUNK);
	in_chunks++;
	for (; done < size; v++) {
		size_t part =
			v->iov_len < size - done ? v->iov_len : size - done;

		memcpy(whole + done, v->iov_base, part);
		done += part;
	}
	return record(whole, size);
}

/* Of a "%s": to make that at once would end nowhere. */
int capture_inside(struct writer *w, const struct call *at,
	const struct capture_text *as, const char *format, va_list arguments)
{
	va_list copy;
	char *text;

	assert_ptr_equal(as, &how);
	assert_string_equal(format, "%s");
	assert_int_equal(
		capture_at_once(w, at, as, format, arguments), CAPTURE_PASS);
	va_copy(copy, arguments);
	text = va_arg(copy, char *);
	va_end(copy);
	return record(text, strlen(text)) ? 0 : CAPTURE_PASS;
}

const char *fortify_decision(const char *format)
{
	assert_non_null(format);
	return decided;
}

int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list ap)
{
	va_list copy;
	int result;

	assert_int_equal(chk, how.chk);
	va_copy(copy, ap);
	result = vsnprintf(to, size, format, copy);
	va_end(copy);
	return ++texts_made == 2 && second ? second : result;
}

/* ---- what libc does natively ---- */

static char native[TEXT_MOST];
static size_t native_bytes;
static int native_result, native_errno;

static void print_natively(const char *format, va_list arguments)
{
	FILE *file = fdopen(memfd_create("native", 0), "w+");
	ssize_t size;

	assert_non_null(file);
	errno = BEFORE;
	native_result = vfprintf(file, format, arguments);
	native_errno = errno;
	fflush(file);
	size = pread(fileno(file), native, sizeof(native), 0);
	assert_true(size >= 0);
	native_bytes = (size_t)size;
	fclose(file);
}

/* ---- the tests ---- */

static int begin(void **state)
{
	(void)state;
	how = (struct capture_text){.stream = STREAM};
	memset(&writer, 0, sizeof(writer));
	memset(&streams[STREAM], 0, sizeof(streams[STREAM]));
	streams[STREAM].file = stdout;
	room_left = 4 * TEXT_MOST;
	takes = 0;
	capture_fails = define_fails = sys_forbidden = false;
	decided = NULL;
	second = 0;
	return 0;
}

static int make(const char *format, ...)
{
	va_list arguments;
	int result;

	recorded_bytes = texts_made = 0;
	va_start(arguments, format);
	if (format)
		print_natively(format, arguments);
	va_end(arguments);
	va_start(arguments, format);
	errno = BEFORE;
	result = capture_at_once(&writer, &call, &how, format, arguments);
	va_end(arguments);
	return result;
}

/* Both the result of a call of make(). */
static void as_natively(int result)
{
	assert_int_equal(errno, native_errno);
	assert_int_equal(result, native_result);
	assert_int_equal(recorded_bytes, native_bytes);
	assert_memory_equal(recorded, native, native_bytes);
}

/*
 * Of a call that fails glibc has since 2.37 lost what it had not handed on yet:
 * then all is recorded, marked, and the replay finds out how much that was.
 */
static void fails_as_natively(int result)
{
	if (!libc_has(host_libc_version, LIBC_BUFFERS)) {
		as_natively(result);
		return;
	}
	assert_int_equal(errno, native_errno);
	assert_int_equal(result, native_result);
	assert_true(recorded_failed);
	assert_true(recorded_bytes >= native_bytes);
	assert_memory_equal(recorded, native, native_bytes);
}

static void is_passed(int result)
{
	assert_int_equal(result, CAPTURE_PASS);
	assert_int_equal(errno, BEFORE);
}

static const char *long_text(int length)
{
	static char text[TEXT_MOST];

	memset(text, 'a', (size_t)length);
	text[length] = '\0';
	return text;
}

static void texts_of_any_length_are_as_libc_makes_them(void **state)
{
	static const int lengths[] = {0, 1, 1017, 1018, 1019, 5000, 16376,
		16377, 60000, 262136, 262137, 500000};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		as_natively(make("%s: %c%d\n", long_text(lengths[i]), 0, 123));
		how.chk = 1;
		as_natively(make("%s: %c%d\n", long_text(lengths[i]), 0, 123));
		how.chk = 0;
	}
}

static void room_is_used_again(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		as_natively(make("%s", long_text(16000)));
	assert_int_equal(takes, 1);
	for (int i = 0; i < 10; i++)
		as_natively(make("%s", long_text(200000)));
	assert_int_equal(takes, 2);
	as_natively(make("%s", long_text(300000)));
	assert_int_equal(takes, 2);
}

static void without_memory_they_are_passed(void **state)
{
	(void)state;
	room_left = 100;
	is_passed(make("%s", long_text(2000)));
	sys_forbidden = true;
	is_passed(make("%s", long_text(300000)));
	is_passed(make("broken %lc", (wint_t)0x20ac));
}

static void where_there_is_no_room_for_records_they_are_passed(void **state)
{
	static const int lengths[] = {10, 2000, 300000};

	(void)state;
	for (int i = 0; i < 6; i++) {
		capture_fails = i % 2 == 0;
		define_fails = !capture_fails;
		is_passed(make("%s", long_text(lengths[i / 2])));
		is_passed(make("broken %lc", (wint_t)0x20ac));
	}
}

static void before_a_conversion_that_fails_all_stands(void **state)
{
	static const int lengths[] = {0, 1, 2000, 65535, 65536, 100000};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		fails_as_natively(make("%c%s%lc later", 0,
			long_text(lengths[i]), (wint_t)0x20ac));
		assert_int_equal(recorded_bytes, lengths[i] + 1);
		fails_as_natively(make(
			"%s\xff%lc", long_text(lengths[i]), (wint_t)0x20ac));
		assert_int_equal(recorded_bytes, lengths[i] + 1);
	}
	fails_as_natively(make("%lc", (wint_t)0x20ac));
}

/* Another thread changes a string meanwhile. */
static void one_that_changes_is_as_long_as_it_was(void **state)
{
	(void)state;
	second = 5000;
	assert_int_equal(make("%s", long_text(3000)), 3000);
	as_natively(native_result);
	second = -1;
	assert_int_equal(make("%s", long_text(3000)), -1);
	as_natively(native_result);
}

static void after_a_prefix_it_is_a_string(void **state)
{
	(void)state;
	how.prefixes = 1;
	as_natively(make("%d: %s", 5, "text"));
	as_natively(make("%s", long_text(CAPTURE_CHUNK)));
	is_passed(make("%s", long_text(CAPTURE_CHUNK + 1)));
	is_passed(make("zero%cbyte", 0));
	capture_fails = true;
	is_passed(make("%d: %s", 5, "text"));
}

static void what_would_end_the_program_is_passed(void **state)
{
	(void)state;
	is_passed(make(NULL));
	decided = "*** %n in writable segment detected ***\n";
	as_natively(make("%d", 5));
	how.chk = 1;
	is_passed(make("%d", 5));
}

/* The native call that follows says the same. */
static void for_who_is_called_next_errno_is_as_it_was(void **state)
{
	(void)state;
	streams[STREAM].tee = true;
	assert_int_equal(make("before %lc", (wint_t)0x20ac), -1);
	assert_int_equal(errno, BEFORE);
	assert_int_equal(recorded_bytes, strlen("before "));
	make("%m"); /* of what was before */
	assert_int_equal(recorded_bytes, native_bytes);
	assert_memory_equal(recorded, native, native_bytes);
}

static int measure(const char *format, ...)
{
	va_list arguments;
	int result;

	va_start(arguments, format);
	result = capture_measure(format, arguments);
	va_end(arguments);
	return result;
}

static void a_measure_is_what_printf_returns(void **state)
{
	(void)state;
	errno = BEFORE;
	assert_int_equal(measure("%s%c", long_text(70000), 0), 70001);
	assert_int_equal(measure("%lc", (wint_t)0x20ac), -1);
	assert_int_equal(errno, BEFORE);
}

static void pieces_are_one_text(void **state)
{
	static const size_t sizes[] = {
		1, 900, 1024, 1025, 16384, 16385, 100000, 262144, 1000000};

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t size = sizes[i], third = size / 3;
		char *text = (char *)(uintptr_t)long_text((int)size);
		struct iovec v[] = {{text, third}, {NULL, 0},
			{text + third, third}, {text + 2 * third, size}};

		recorded_bytes = 0;
		assert_true(
			capture_vector_inside(&writer, &call, STREAM, v, size));
		assert_int_equal(recorded_bytes, size);
		assert_memory_equal(recorded, text, size);
	}
	capture_fails = true;
	assert_false(capture_vector_inside(
		&writer, &call, STREAM, &(struct iovec){recorded, 5000}, 5000));
	capture_fails = false;
	room_left = 0;
	writer.room_bytes = 0;
	assert_false(capture_vector_inside(
		&writer, &call, STREAM, &(struct iovec){recorded, 5000}, 5000));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(texts_of_any_length_are_as_libc_makes_them),
		TEST(room_is_used_again),
		TEST(without_memory_they_are_passed),
		TEST(where_there_is_no_room_for_records_they_are_passed),
		TEST(before_a_conversion_that_fails_all_stands),
		TEST(one_that_changes_is_as_long_as_it_was),
		TEST(after_a_prefix_it_is_a_string),
		TEST(what_would_end_the_program_is_passed),
		TEST(for_who_is_called_next_errno_is_as_it_was),
		TEST(a_measure_is_what_printf_returns),
		TEST(pieces_are_one_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
