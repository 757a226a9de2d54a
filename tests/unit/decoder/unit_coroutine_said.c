/*
 * Which coroutine a message is of: what was said of its context last, and
 * nothing that makes no sense.
 */
#include <inttypes.h>

#include "tests/unit/world/small_talk.h"

static struct make_capture capture;
static struct make_block block;

static int begin(void **state)
{
	(void)state;
	capture = make_capture();
	block = small_talk_block(&capture, 0, 0, 8192, 1000);
	return 0;
}

static void say_coroutine(uint32_t context, uint64_t number)
{
	make_u32(&block, BINLOG_COROUTINE);
	make_u32(&block, sizeof(struct binlog_coroutine_record));
	make_u32(&block, context);
	make_u32(&block, 0);
	make_bytes(&block, &number, sizeof(number));
}

/* Of all messages, as "LETTER:number;". */
static void expect(const char *wanted, enum error_code error)
{
	const char *path = read_back_path(0);
	struct error_list errors = {0};
	struct recording *recording;
	const struct message *message;
	struct merge *merge;
	char got[512] = "";

	make_file_of(&capture, path, capture.size);
	recording = recording_open(path, true, &errors);
	unlink(path);
	merge = merge_new(&recording, 1);
	while ((message = merge_next(merge)))
		sprintf(got + strlen(got), "%c:%" PRIu64 ";",
			message->arguments[0].i32, message->coroutine);
	assert_string_equal(got, wanted);
	assert_int_equal(errors.count, error != ERROR_NONE);
	if (error != ERROR_NONE)
		assert_int_equal(errors.kept[0].code, error);
	merge_free(merge);
	recording_close(recording);
	make_free(&capture);
}

static void a_message_is_of_who_has_its_context_now(void **state)
{
	(void)state;
	small_talk_say(&block, 1000, 'a');
	say_coroutine(CHARACTER, 7);
	small_talk_say(&block, 1001, 'b');
	small_talk_say(&block, 1002, 'c');
	say_coroutine(CHARACTER, (uint64_t)1 << 40);
	small_talk_say(&block, 1003, 'd');
	say_coroutine(CHARACTER, 0);
	small_talk_say(&block, 1004, 'e');
	expect("a:0;b:7;c:7;d:1099511627776;e:0;", ERROR_NONE);
}

static void of_a_context_that_is_not_there_nothing_is_known(void **state)
{
	(void)state;
	say_coroutine(CHARACTER + 4711, 7);
	small_talk_say(&block, 1000, 'a');
	expect("a:0;", ERROR_NONE);
}

static void one_that_is_too_short_is_told_of(void **state)
{
	(void)state;
	make_u32(&block, BINLOG_COROUTINE);
	make_u32(&block, 12);
	make_u32(&block, CHARACTER);
	small_talk_say(&block, 1000, 'a');
	expect("a:0;", ERROR_DEFINITION);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_is_of_who_has_its_context_now),
		TEST(of_a_context_that_is_not_there_nothing_is_known),
		TEST(one_that_is_too_short_is_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
