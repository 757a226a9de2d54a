/*
 * Who has created a thread: what is said of one is known with each of its
 * messages and with those of no other, and what makes no sense is not.
 */
#include "tests/unit/world/small_talk.h"

#define CREATED 30u
#define TALKER 77u

static struct make_capture capture;
static struct make_block block;

static void begin(void)
{
	const struct make_context created = {
		.id = CREATED, .text = BINLOG_TEXT_CREATED};

	capture = make_capture();
	block = small_talk_block(&capture, 0, 0, 8192, 1000);
	make_context(&block, &created);
}

static void say_origin(uint32_t tid, uint32_t generation, uint32_t context,
	uint32_t pid, uint32_t creator)
{
	char name[16] = "0123456789abcdef";

	make_u32(&block, BINLOG_ORIGIN);
	make_u32(&block, sizeof(struct binlog_origin_record));
	make_u32(&block, tid);
	make_u32(&block, generation);
	make_u32(&block, context);
	make_u32(&block, pid);
	make_u32(&block, creator);
	make_bytes(&block, name, sizeof(name));
}

/* What the creators of all messages are, as "LETTER:tid,tid+;": + of which the
 * stack is known. */
static void expect(const char *wanted)
{
	const char *path = read_back_path(0);
	struct error_list errors = {0};
	struct recording *recording;
	const struct message *message;
	struct merge *merge;
	char got[512] = "";
	size_t i;

	make_file_of(&capture, path, capture.size);
	recording = recording_open(path, true, &errors);
	unlink(path);
	merge = merge_new(&recording, 1);
	while ((message = merge_next(merge))) {
		const struct message_origin *origin = message->origin;
		char *end = got + strlen(got);

		end += sprintf(end, "%c:", message->arguments[0].i32);
		for (i = 0; origin && i < origin->count; i++) {
			end += sprintf(end, "%s%u%s", i > 0 ? "," : "",
				origin->by[i].tid,
				origin->by[i].context ? "+" : "");
			assert_string_equal(
				origin->by[i].name, "0123456789abcdef");
		}
		strcpy(end, ";");
	}
	assert_string_equal(got, wanted);
	assert_int_equal(errors.count, 0);
	merge_free(merge);
	recording_close(recording);
	make_free(&capture);
}

static void a_thread_has_its_creators_in_their_order(void **state)
{
	(void)state;
	begin();
	small_talk_say(&block, 1000, 'a');
	make_thread(&block, TALKER, "talker");
	say_origin(TALKER, 0, CREATED, MAKE_PID, 5);
	say_origin(TALKER, 1, 0, MAKE_PID, 6);
	small_talk_say(&block, 1001, 'b');
	small_talk_say(&block, 1002, 'c');
	expect("a:;b:5+,6;c:5+,6;");
}

static void the_next_thread_of_a_writer_has_its_own_or_none(void **state)
{
	(void)state;
	begin();
	make_thread(&block, TALKER, "talker");
	say_origin(TALKER, 0, CREATED, MAKE_PID, 5);
	small_talk_say(&block, 1000, 'a');
	make_thread(&block, TALKER + 1, "talker");
	small_talk_say(&block, 1001, 'b');
	make_thread(&block, TALKER + 2, "talker");
	say_origin(TALKER + 2, 0, CREATED, MAKE_PID, 7);
	small_talk_say(&block, 1002, 'c');
	/* A number that is used again. */
	make_thread(&block, TALKER, "talker");
	small_talk_say(&block, 1003, 'd');
	expect("a:5+;b:;c:7+;d:;");
}

static void what_makes_no_sense_is_left_out(void **state)
{
	uint32_t i;

	(void)state;
	begin();
	make_thread(&block, TALKER, "talker");
	say_origin(TALKER, 1, CREATED, MAKE_PID, 5); /* there is no 0 */
	small_talk_say(&block, 1000, 'a');
	say_origin(TALKER + 1, 0, CREATED, MAKE_PID, 5); /* of another */
	small_talk_say(&block, 1001, 'b');
	say_origin(TALKER, 0, BYTES, MAKE_PID, 5);   /* a message's context */
	say_origin(TALKER, 2, CREATED, MAKE_PID, 6); /* there is no 1 */
	say_origin(TALKER + 1, 1, CREATED, MAKE_PID, 6);
	say_origin(TALKER, 1, 4711, MAKE_PID, 8); /* not defined */
	small_talk_say(&block, 1002, 'c');
	for (i = 0; i < 3 * BINLOG_ORIGIN_GENERATIONS; i++)
		say_origin(TALKER, i, CREATED, MAKE_PID, 1);
	small_talk_say(&block, 1003, 'd');
	expect("a:;b:;c:5,8;d:1+,1+,1+,1+,1+,1+,1+,1+;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_has_its_creators_in_their_order),
		cmocka_unit_test(
			the_next_thread_of_a_writer_has_its_own_or_none),
		cmocka_unit_test(what_makes_no_sense_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
