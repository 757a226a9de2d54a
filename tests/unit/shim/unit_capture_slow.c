/*
 * Calls that are met for the first time: what of them is remembered is found
 * again, and no constant, format or place beyond the room that there is.
 */
#include "tests/unit/world/first_call_world.h"

/* ---- what is remembered of calls ---- */

/* From there on up to the end, or a little before. */
static void constant_is(const char *from, size_t bytes)
{
	constants = from;
	constants_end = from + bytes;
}

static struct memo *meets_bytes(void)
{
	char text[] = "text";

	return capture_first_bytes(
		&writer, &call, STREAM, BINLOG_TEXT_BYTES, text, 4);
}

static void a_call_that_can_be_told_again_is_remembered(void **state)
{
	static uintptr_t word = 3;
	struct memo *memo;

	(void)state;
	trace.words = 1;
	trace.word[0] = (struct unwind_word){(uintptr_t)&word, word};
	memo = meets_bytes();
	assert_int_equal(memo->context, LAST);
	assert_ptr_equal(memo_find(memos, &call, 0, TAG), memo);
	word++; /* its stack is another one */
	assert_null(memo_find(memos, &call, 0, TAG));
}

static void others_are_met_again(void **state)
{
	(void)state;
	trace.words = MEMO_WORDS;
	for (unsigned i = 0; i < MEMO_WORDS; i++)
		trace.word[i].address = (uintptr_t)&trace.word[i].value;
	assert_ptr_not_equal(meets_bytes(), &writer.spare);
	trace.words = MEMO_WORDS + 1; /* of its stack */
	assert_ptr_equal(meets_bytes(), &writer.spare);
	trace.words = 0;
	trace.repeatable = false;
	assert_ptr_equal(meets_bytes(), &writer.spare);
	undefined = LAST;
	assert_null(meets_bytes());
}

/* As many as are asked for of all calls, or of this one. */
static void its_frames_are_counted(void **state)
{
	(void)state;
	process.depth = 16;
	meets_bytes();
	assert_int_equal(walked, 16);
	switches.depth = 8;
	meets_bytes();
	assert_int_equal(walked, 8);
	writer.depth = 3;
	meets_bytes();
	assert_int_equal(walked, 3);
	switches.depth = 0;
}

static void bytes_that_are_constant_are_named(void **state)
{
	static const char text[5000] = "constant";
	const struct memo *memo;

	(void)state;
	constant_is(text, sizeof(text));
	strings_most = 0;
	assert_null(capture_first_bytes(
		&writer, &call, STREAM, BINLOG_TEXT_BYTES, text, 8));
	strings_most = 10;
	memo = capture_first_bytes(
		&writer, &call, STREAM, BINLOG_TEXT_BYTES, text, 8);
	assert_int_equal(memo->key, (uintptr_t)text);
	assert_int_equal(memo->length, 8);
	assert_int_equal(memo_text(memo), BINLOG_TEXT_LITERAL);
	memo = capture_first_bytes(
		&writer, &call, STREAM, BINLOG_TEXT_BYTES_LINE, text, 8);
	assert_int_equal(memo_text(memo), BINLOG_TEXT_LITERAL_LINE);
	memo = capture_first_bytes(
		&writer, &call, STREAM, BINLOG_TEXT_BYTES, text, 4097);
	assert_int_equal(memo->key, 0);
	assert_int_equal(defined, 1);
}

static void many_places_get_a_larger_table(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MEMO_WAYS + 1; i++)
		meets_bytes();
	assert_int_equal(grown, 0);
	meets_bytes();
	assert_int_equal(grown, 1);
}

/* A table in which all is used, and nothing of it by this call. */
static void fill(struct memo *all, unsigned sets)
{
	for (unsigned i = 0; i < sets * MEMO_WAYS; i++)
		all[i].pc = 1;
	writer.memo = all;
	writer.memo_sets = sets;
}

/* If all took the others' places, those that come in turn would never find
 * themselves again. */
static void of_calls_that_come_back_few_take_others_places(void **state)
{
	static struct memo all[MEMO_SETS_USUAL * MEMO_WAYS];
	unsigned stayed = 0;

	(void)state;
	fill(all, MEMO_SETS_USUAL);
	for (unsigned i = 0; i < 80; i++)
		stayed += meets_bytes() == &writer.spare;
	assert_int_equal(stayed, 70);
	contexts_are_new = true;
	fill(all, MEMO_SETS_USUAL);
	for (unsigned i = 0; i < 20; i++)
		assert_ptr_not_equal(meets_bytes(), &writer.spare);
}

static void a_large_table_grows_for_calls_that_come_back(void **state)
{
	static struct memo all[MEMO_SETS_LARGE * MEMO_WAYS];
	unsigned i;

	(void)state;
	contexts_are_new = true;
	fill(all, MEMO_SETS_LARGE);
	for (i = 0; i < 3 * MEMO_SETS_LARGE; i++)
		meets_bytes();
	assert_int_equal(grown, 0);
	contexts_are_new = false;
	writer.memo_losses = 0;
	fill(all, MEMO_SETS_LARGE);
	for (i = 0; i < MEMO_SETS_LARGE && grown == 0; i++)
		meets_bytes();
	assert_int_equal(grown, 0);
	meets_bytes();
	assert_int_equal(grown, 1);
}

/* The second of the two sets that it may be in has room. */
static void in_a_large_table_it_has_two_places(void **state)
{
	static struct memo all[MEMO_SETS_LARGE * MEMO_WAYS];
	struct memo *memo;
	unsigned i;

	(void)state;
	fill(all, MEMO_SETS_LARGE);
	for (i = 0; i < MEMO_SETS_LARGE * MEMO_WAYS; i++)
		all[i].pc = 0;
	memo = meets_bytes();
	fill(all, MEMO_SETS_LARGE);
	assert_null(writer_memo(&writer, &call, 0, TAG));
	for (i = 0; i < MEMO_SETS_LARGE * MEMO_WAYS; i++)
		if (&all[i] != memo && i / 2 != (memo - all) / 2)
			all[i].pc = 0;
	assert_ptr_not_equal(meets_bytes(), memo);
	assert_int_equal(writer.memo_losses, 0);
	assert_non_null(writer_memo(&writer, &call, 0, TAG));
}

/* ---- formats ---- */

/* For the first time. */
static struct memo *meets(const char *format, ...)
{
	const struct capture_text how = {
		.stream = STREAM, .text = BINLOG_TEXT_FORMAT};
	struct memo *memo;
	va_list arguments;

	memset(memos, 0, sizeof(memos));
	va_start(arguments, format);
	memo = capture_first_format(&writer, &call, &how, format, arguments);
	va_end(arguments);
	return memo;
}

static void a_format_needs_memory_and_room(void **state)
{
	(void)state;
	arena_left = 0;
	assert_null(meets("%d", 1));
	arena_left = sizeof(arena);
	strings_most = 0;
	assert_null(meets("%s", "text"));
	strings_most = 10;
	undefined = LAST;
	assert_null(meets("%s", "text"));
	undefined = 0;
	assert_int_equal(meets("%s", "text")->plan->count, 1);
	assert_int_equal(meets("%d", 1)->plan->count, 1);
	assert_int_equal(defined, 2);
}

/* Its beginning alone is defined, by which nothing can be formatted. */
static void a_format_that_is_too_long_is_made_at_once(void **state)
{
	static char fits[DEFINE_STRING_MAX + 1],
		too_long[DEFINE_STRING_MAX + 2];
	const struct plan *plan;

	(void)state;
	memset(fits, 'x', sizeof(fits) - 1);
	memset(too_long, 'x', sizeof(too_long) - 1);
	memcpy(fits, "%d", 2);
	memcpy(too_long, "%d", 2);
	plan = meets(fits, 5)->plan;
	assert_false(plan->at_once);
	assert_true(plan->plain);
	plan = meets(too_long, 5)->plan;
	assert_true(plan->at_once);
	assert_false(plan->plain);
}

static void one_that_is_not_there_has_no_arguments(void **state)
{
	const struct memo *memo;

	(void)state;
	memo = meets(NULL);
	assert_int_equal(memo->plan->count, 0);
	assert_int_equal(defined, 0);
}

static const struct plan_argument *argument_of(const struct memo *memo)
{
	assert_non_null(memo);
	return &memo->plan->argument[0];
}

static void constant_arguments_are_named(void **state)
{
	static const char text[] = "constant";
	const struct plan_argument *argument;

	(void)state;
	constant_is(text, sizeof(text));
	argument = argument_of(meets("%s", text));
	assert_ptr_equal(argument->constant, text);
	assert_int_equal(argument->constant_bytes, sizeof(text) - 1);
	assert_int_equal(argument->constant_id, FORMAT_ID + 1);
	argument = argument_of(meets(
		"%Lf%f%d%d%d%d%d%p%s", 1.0L, 1.0, 1, 2, 3, 4, 5, text, text));
	assert_ptr_equal(argument[8].constant, text);
	assert_null(argument[7].constant);
	assert_null(argument_of(meets("%.3s", text))->constant);
	assert_null(argument_of(meets("%.*s", 3, text))[1].constant);
	assert_int_equal(defined, 5);
	/* Another one leaves it there: it may come again. */
	assert_ptr_equal(argument_of(meets("%s", "another"))->constant, text);
}

static void only_those_that_are_so_up_to_their_end(void **state)
{
	static char text[5000];

	(void)state;
	memset(text, 'c', sizeof(text) - 1);
	constant_is(text, sizeof(text)); /* too long */
	assert_null(argument_of(meets("%s", text))->constant);
	text[100] = '\0';
	constant_is(text, 100); /* its end may be moved */
	assert_null(argument_of(meets("%s", text))->constant);
	constant_is(text, 101);
	strings_most = defined; /* no room for it */
	assert_null(argument_of(meets("%s", text))->constant);
	strings_most = 10;
	assert_ptr_equal(argument_of(meets("%s", text))->constant, text);
}

static void a_format_that_is_made_is_known_by_its_content(void **state)
{
	const struct capture_text how = {
		.stream = STREAM, .text = BINLOG_TEXT_FORMAT};
	char copy[] = "%d";
	struct memo *memo = meets("%d", 5);
	va_list none = {0};

	(void)state;
	assert_ptr_equal(
		capture_first_format(&writer, &call, &how, copy, none), memo);
	for (unsigned i = 0; i < 3; i++) {
		copy[1] = "uxo"[i];
		capture_first_format(&writer, &call, &how, copy, none);
		assert_int_equal(defined, 2 + i);
	}
}

/* Its text is recorded, unless there is a secret in it. */
static void one_that_does_not_repeat_is_text(void **state)
{
	char plain[] = "text, of which no directive is a part",
	     format[] = "password=%s";

	(void)state;
	assert_null(meets(plain, "x"));
	assert_int_equal(writer.fleeting, FLEETING_PLAIN);
	writer.fleeting = FLEETING_NOT;
	assert_non_null(meets(format, "x"));
	format[0] = 'q';
	may_make = false;
	assert_null(meets(format, "x"));
	assert_int_equal(writer.fleeting, FLEETING_MADE);
	writer.fleeting = FLEETING_NOT;
	streams[STREAM].tee = redact_copies = true;
	format[0] = 'p';
	assert_null(meets(format, "x"));
	assert_int_equal(writer.fleeting, FLEETING_NOT);
	assert_true(writer.has_secret);
	writer.has_secret = streams[STREAM].tee = redact_copies = false;
	may_make = true;
	assert_int_equal(defined, 1);
}

/* Where all is copied, secrets are left out. */
static void one_with_a_secret_has_to_be_decided(void **state)
{
	static const char format[] = "password=%s";

	(void)state;
	assert_non_null(meets(format, "x"));
	streams[STREAM].tee = true;
	assert_non_null(meets(format, "x"));
	redact_copies = true;
	assert_null(meets(format, "x"));
	assert_true(writer.has_secret);
	assert_non_null(meets("%s", "x"));
	writer.decided = true;
	assert_non_null(meets(format, "x"));
	writer.decided = streams[STREAM].tee = false;
	assert_non_null(meets(format, "x"));
	redact_copies = false;
}

static void redacted_ones_need_room_for_what_is_left(void **state)
{
	const struct capture_text how = {
		.stream = STREAM, .text = BINLOG_TEXT_FORMAT};
	static char format[] = "key=%s";
	const struct redaction redaction = {
		.format = format, .length = sizeof(format) - 1};
	const struct memo *memo;

	(void)state;
	strings_most = 0;
	assert_null(capture_first_redacted(&writer, &call, &how, &redaction));
	strings_most = 1;
	memo = capture_first_redacted(&writer, &call, &how, &redaction);
	assert_int_equal(memo->context, LAST);
	assert_int_equal(memo->key, (uintptr_t)format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_call_that_can_be_told_again_is_remembered),
		TEST(others_are_met_again),
		TEST(its_frames_are_counted),
		TEST(bytes_that_are_constant_are_named),
		TEST(many_places_get_a_larger_table),
		TEST(of_calls_that_come_back_few_take_others_places),
		TEST(a_large_table_grows_for_calls_that_come_back),
		TEST(in_a_large_table_it_has_two_places),
		TEST(a_format_needs_memory_and_room),
		TEST(a_format_that_is_too_long_is_made_at_once),
		TEST(one_that_is_not_there_has_no_arguments),
		TEST(constant_arguments_are_named),
		TEST(only_those_that_are_so_up_to_their_end),
		TEST(a_format_that_is_made_is_known_by_its_content),
		TEST(one_that_does_not_repeat_is_text),
		TEST(one_with_a_secret_has_to_be_decided),
		TEST(redacted_ones_need_room_for_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
