/*
 * Events, and bytes that go to a place in a file: what is recorded of the
 * latter makes the same file as pwrite(2) does; where there is no room, it is
 * told how much was recorded.
 */
#include "tests/unit/world/writer_world.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/record/capture_slow.h"
#include "shim/record/redact.h"
#include "shim/record/site.h"
#include "shim/record/terminal.h"
#include "shim/writer/define.h"
#include "shim/writer/stdio_turn.h"

#define STREAM 7u
#define CONTEXT 11u
#define CONTEXT_ONCE 12u
#define HIDDEN_TEXT "[hidden]"
#define ALL (sizeof(memory) - 4)

static const struct call call = {.pc = 5000, .sp = 1000};
static struct memo memos[MEMO_WAYS], met = {.context = CONTEXT};
static bool is_undefined;
static unsigned flushed;
static enum site_answer answer;

struct memo *capture_first_number(struct writer *w, const struct call *at,
	unsigned stream, unsigned text, uint8_t kind)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(stream, STREAM);
	assert_int_not_equal(text, BINLOG_TEXT_EXIT);
	assert_int_equal(kind, BINLOG_ARG_I64);
	return is_undefined ? NULL : &met;
}

struct memo *capture_first_kinds(struct writer *w, const struct call *at,
	unsigned stream, unsigned text, const uint8_t *kinds, unsigned count)
{
	assert_int_equal(count, 2);
	assert_int_equal(kinds[1], BINLOG_ARG_STRING);
	assert_int_equal(text, BINLOG_TEXT_BYTES_AT);
	return capture_first_number(w, at, stream, text, kinds[0]);
}

void define_walk(struct writer *w, const struct call *at, unsigned depth)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	walked = depth;
}

uint32_t define_context(struct writer *w, const struct call *at,
	const struct define_context *context)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(context->text, BINLOG_TEXT_EXIT);
	return is_undefined ? 0 : CONTEXT_ONCE;
}

void redact_text(char text[REDACT_TEXT], const void *bytes, size_t size)
{
	(void)bytes;
	assert_true(size > 0);
	strcpy(text, HIDDEN_TEXT);
}

enum site_answer site_ask(
	struct writer *w, const struct call *at, unsigned stream)
{
	assert_ptr_equal(w, &writer);
	assert_ptr_equal(at, &call);
	assert_int_equal(stream, STREAM);
	return answer;
}

void terminal_flushed(unsigned stream)
{
	assert_int_equal(stream, STREAM);
	flushed++;
}

/*
 * What else there is in capture.c asks for these, and no event and no bytes at
 * a place in a file do.
 */
int *(*host_errno)(void)__attribute__((const)) = __errno_location;
bool host_knows_files, redact_copies;
bool locale_english, locale_point, locale_utf8, locale_varies;
uint8_t stdio_turn_matters;
uint32_t stdio_turn_drained, streams_flushes;

void never(void);
void never(void)
{
	fail();
}

#define NEVER(name) __asm__(".globl " #name "\n.set " #name ", never")
NEVER(arguments_store_general);
NEVER(capture_at_once);
NEVER(capture_chunks);
NEVER(capture_first_bytes);
NEVER(capture_first_format);
NEVER(capture_first_redacted);
NEVER(capture_first_text);
NEVER(capture_fleeting);
NEVER(capture_measure);
NEVER(capture_vector_inside);
NEVER(locale_ask_english);
NEVER(locale_ask_point);
NEVER(locale_ask_utf8);
NEVER(redact_store);
NEVER(site_bytes);
NEVER(site_format);
NEVER(stdio_turn_is_others_slow);
NEVER(stdio_turn_order);
NEVER(terminal_bytes);
NEVER(terminal_format);
NEVER(writer_said_slow);

static void begin_with(size_t bytes)
{
	writer_begin_with(bytes);
	writer.memo = memos;
	writer.memo_sets = 1;
	is_undefined = control_deciding = false;
	flushed = 0;
}

static void nothing_is_recorded(void)
{
	assert_ptr_equal(writer.cursor, memory);
	assert_int_equal(memory[0], 0);
}

/* ---- events ---- */

static void event_is(uint32_t context, int64_t value)
{
	int64_t is;

	memcpy(&is, memory + 2, sizeof(is));
	assert_int_equal(memory[0], context);
	assert_int_equal(memory[1], clock_ticks_slow());
	assert_int_equal(is, value);
	assert_int_equal(writer.cursor - (char *)memory, 16);
	assert_int_equal(writer.state, writer.idle);
}

static void an_event_has_a_number(void **state)
{
	(void)state;
	begin_with(ALL);
	assert_true(capture_event(&call, STREAM, BINLOG_TEXT_SIGNAL, -5));
	event_is(CONTEXT, -5);
	assert_int_equal(flushed, 0);
	begin_with(ALL);
	assert_true(capture_event(&call, STREAM, BINLOG_TEXT_FLUSH, 1));
	event_is(CONTEXT, 1);
	assert_int_equal(flushed, 1);
	begin_with(16);
	assert_true(capture_event(&call, STREAM, BINLOG_TEXT_EXIT, INT64_MIN));
	event_is(CONTEXT_ONCE, INT64_MIN);
	assert_int_equal(flushed, 1);
}

static void one_that_cannot_be_recorded_is_told(void **state)
{
	(void)state;
	begin_with(15);
	assert_false(capture_event(&call, STREAM, BINLOG_TEXT_SIGNAL, 5));
	nothing_is_recorded();
	begin_with(ALL);
	is_undefined = true;
	assert_false(capture_event(&call, STREAM, BINLOG_TEXT_SIGNAL, 5));
	assert_false(capture_event(&call, STREAM, BINLOG_TEXT_EXIT, 5));
	nothing_is_recorded();
	assert_int_equal(writer.state, writer.idle);
	writer.state = BUSY;
	assert_false(capture_event(&call, STREAM, BINLOG_TEXT_FLUSH, 5));
	nothing_is_recorded();
	assert_int_equal(writer.state, BUSY);
	assert_int_equal(flushed, 2); /* it is, all the same */
}

/* ---- bytes ---- */

/* A file into which all that was recorded is written; returns how much. */
static size_t write_recorded(int fd)
{
	const char *at = (const char *)memory;
	size_t all = 0;

	while (at < writer.cursor) {
		uint32_t head[2], size;
		int64_t offset;

		memcpy(head, at, sizeof(head));
		memcpy(&offset, at + 8, sizeof(offset));
		memcpy(&size, at + 16, sizeof(size));
		assert_int_equal(head[0], CONTEXT);
		assert_in_range(size, 1, CAPTURE_CHUNK);
		assert_int_equal(pwrite(fd, at + 20, size, offset), size);
		for (at += 20, all += size; size % 4 != 0; size++)
			assert_int_equal(at[size], 0);
		at += size;
	}
	assert_ptr_equal(at, writer.cursor);
	assert_int_equal(*(const uint32_t *)(const void *)at, 0);
	return all;
}

static void files_are_same(int one, int other)
{
	static char bytes[2][100000];
	ssize_t size = pread(one, bytes[0], sizeof(bytes[0]), 0);

	assert_int_equal(pread(other, bytes[1], sizeof(bytes[1]), 0), size);
	assert_memory_equal(bytes[0], bytes[1], (size_t)size);
	close(one);
	close(other);
}

static void put(const char *bytes, size_t size, int64_t offset, size_t wanted)
{
	int native = memfd_create("native", 0);
	int recorded = memfd_create("recorded", 0);
	size_t done;

	memset(memory, 0xee, sizeof(memory));
	done = capture_bytes_at(&call, STREAM, offset, bytes, size);
	assert_int_equal(done, wanted);
	assert_int_equal(writer.state, writer.idle);
	assert_int_equal(pwrite(native, bytes, done, offset), done);
	if (done > 0)
		assert_int_equal(write_recorded(recorded), done);
	files_are_same(native, recorded);
}

static const char *some(size_t size)
{
	static char bytes[4 * CAPTURE_CHUNK];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)random();
	return bytes;
}

static void bytes_are_where_pwrite_puts_them(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 4, 5, 1000, CAPTURE_CHUNK,
		CAPTURE_CHUNK + 1, 3 * CAPTURE_CHUNK + 7};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin_with(ALL);
		put(some(sizes[i]), sizes[i], 1234, sizes[i]);
	}
	begin_with(ALL);
	put(NULL, 0, 1234, 0);
}

static void as_many_as_there_is_room_for(void **state)
{
	(void)state;
	begin_with(CAPTURE_CHUNK + 20 + 100);
	put(some(40000), 40000, 7, CAPTURE_CHUNK);
	begin_with(CAPTURE_CHUNK + 19);
	put(some(40000), 40000, 7, 0);
	begin_with(ALL);
	is_undefined = true;
	put(some(10), 10, 7, 0);
	writer.state = BUSY;
	assert_int_equal(capture_bytes_at(&call, STREAM, 0, "text", 4), 0);
	assert_int_equal(writer.state, BUSY);
}

/* ---- by rules ---- */

static void as_rules_have_it(void **state)
{
	(void)state;
	begin_with(ALL);
	control_deciding = true;
	answer = SITE_RECORD;
	put(some(1000), 1000, 5, 1000);
	begin_with(ALL);
	control_deciding = true;
	answer = SITE_DROP;
	assert_int_equal(capture_bytes_at(&call, STREAM, 0, "text", 4), 4);
	answer = SITE_PASS;
	assert_int_equal(capture_bytes_at(&call, STREAM, 0, "text", 4), 0);
	nothing_is_recorded();
}

static void what_is_hidden_is_not_there(void **state)
{
	static const uint32_t size = sizeof(HIDDEN_TEXT) - 1;

	(void)state;
	begin_with(ALL);
	control_deciding = true;
	answer = SITE_HIDE;
	assert_int_equal(
		capture_bytes_at(&call, STREAM, 0, some(500), 500), 500);
	assert_int_equal(memory[4], size);
	assert_memory_equal(memory + 5, HIDDEN_TEXT, size);
	assert_int_equal(writer.cursor - (char *)memory, 20 + size);
	begin_with(10);
	control_deciding = true;
	assert_int_equal(capture_bytes_at(&call, STREAM, 0, "text", 4), 0);
	nothing_is_recorded();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_has_a_number),
		cmocka_unit_test(one_that_cannot_be_recorded_is_told),
		cmocka_unit_test(bytes_are_where_pwrite_puts_them),
		cmocka_unit_test(as_many_as_there_is_room_for),
		cmocka_unit_test(as_rules_have_it),
		cmocka_unit_test(what_is_hidden_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
