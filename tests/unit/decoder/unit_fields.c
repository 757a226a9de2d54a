#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/message/fields.h"
#include "record/format.h"
#include "tests/unit/world/inject_faults.h"

struct said {
	struct definition_context context;
	struct definition_string format;
	struct message message;
	struct recording capture;
	struct render_argument arguments[FORMAT_KINDS_MAX];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	struct pool pool;
	struct render_buffer scratch;
};

static int begin(void **state)
{
	static struct said said;

	memset(&said, 0, sizeof(said));
	*state = &said;
	return 0;
}

static int end(void **state)
{
	struct said *said = *state;

	pool_free(&said->pool);
	render_buffer_free(&said->scratch);
	return 0;
}

static const struct fields *say(struct said *said, const char *format)
{
	bool has_errno;
	int count = format_arguments(
		format, strlen(format), said->kinds, &has_errno);
	int i;

	assert_true(count >= 0);
	said->format.bytes = format;
	said->format.length = strlen(format);
	said->context = (struct definition_context){
		.text = BINLOG_TEXT_FORMAT,
		.has_format = true,
		.format = &said->format,
		.kinds = said->kinds,
		.arguments = (size_t)count,
	};
	for (i = 0; i < count; i++)
		said->arguments[i] =
			(struct render_argument){.kind = said->kinds[i]};
	said->message = (struct message){
		.context = &said->context,
		.capture = &said->capture,
		.pool = &said->pool,
		.arguments = said->arguments,
		.count = (size_t)count,
	};
	return fields_of(&said->message);
}

static struct field_value value(struct said *said, size_t at)
{
	return field_value(&fields_of(&said->message)->all[at], &said->message,
		&said->scratch);
}

static void names_are_the_words_before(void **state)
{
	const struct fields *fields =
		say(*state, "size=%d of %s, 0x%lx: %f, %*.3s (%c) %p");
	static const struct {
		const char *name;
		enum field_type type;
	} wanted[] = {
		{"size", FIELD_INTEGER},
		{"of", FIELD_TEXT},
		{"arg3", FIELD_UNSIGNED},
		{"arg4", FIELD_FLOAT},
		{"arg5", FIELD_INTEGER},
		{"arg6", FIELD_TEXT},
		{"arg7", FIELD_CHARACTER},
		{"arg8", FIELD_POINTER},
	};
	size_t i;

	assert_int_equal(fields->count, 8);
	for (i = 0; i < fields->count; i++) {
		assert_string_equal(fields->all[i].name, wanted[i].name);
		assert_int_equal(fields->all[i].type, wanted[i].type);
		assert_int_equal(fields->all[i].argument, i);
	}
}

static void names_are_not_given_twice(void **state)
{
	const struct fields *fields = say(*state, "n=%d n=%d arg1=%d");

	assert_int_equal(fields->count, 3);
	assert_string_equal(fields->all[0].name, "n");
	assert_string_equal(fields->all[1].name, "arg2");
	assert_string_equal(fields->all[2].name, "arg3");
}

static void names_may_begin_alike(void **state)
{
	const struct fields *fields =
		say(*state, "size=%d siz=%d argument=%d arg1.5=%d arg=%d");
	static const char *const names[] = {
		"size", "siz", "argument", "arg4", "arg"};
	size_t i;

	assert_int_equal(fields->count, 5);
	for (i = 0; i < fields->count; i++)
		assert_string_equal(fields->all[i].name, names[i]);
}

static void numbered_arguments_come_in_their_order(void **state)
{
	const struct fields *fields = say(*state, "b=%2$s a=%1$d a=%1$d");

	assert_int_equal(fields->count, 2);
	assert_string_equal(fields->all[0].name, "a");
	assert_string_equal(fields->all[1].name, "b");
}

static void errno_is_a_field_and_what_n_takes_is_none(void **state)
{
	const struct fields *fields = say(*state, "fd %d%n: %m");

	assert_int_equal(fields->count, 2);
	assert_string_equal(fields->all[0].name, "fd");
	assert_string_equal(fields->all[1].name, "errno");
	assert_int_equal(fields->all[1].argument, 2);
}

static void integers_are_cut_as_they_are_printed(void **state)
{
	struct said *said = *state;

	say(said, "%hhd %hu %u %ld %hhx %c");
	said->arguments[0].i32 = 0x1ff;
	said->arguments[1].i32 = -1;
	said->arguments[2].i32 = -1;
	said->arguments[3].i64 = INT64_MIN;
	said->arguments[4].i32 = -2;
	said->arguments[5].i32 = 0x141;
	assert_int_equal(value(said, 0).i64, -1);
	assert_int_equal(value(said, 1).u64, 65535);
	assert_int_equal(value(said, 2).u64, UINT32_MAX);
	assert_true(value(said, 3).i64 == INT64_MIN);
	assert_int_equal(value(said, 4).u64, 254);
	assert_int_equal(value(said, 5).u64, 'A');
}

static void texts_are_bytes_or_utf8(void **state)
{
	static const uint32_t wide[] = {'w', 0x20ac, 0x1f600};
	struct said *said = *state;
	struct field_value text;

	say(said, "%s %ls %s");
	said->arguments[0].data = "a\0b";
	said->arguments[0].bytes = 3;
	said->arguments[1].data = wide;
	said->arguments[1].bytes = sizeof(wide);
	said->arguments[2].null = true;
	text = value(said, 0);
	assert_int_equal(text.bytes, 3);
	assert_memory_equal(text.text, "a\0b", 3);
	text = value(said, 1);
	assert_int_equal(text.bytes, 8);
	assert_memory_equal(text.text, "w\xe2\x82\xac\xf0\x9f\x98\x80", 8);
	assert_false(value(said, 2).known);
}

static void doubles_are_doubles_however_long(void **state)
{
	struct said *said = *state;
	long double third = 1.0L / 3;

	say(said, "%g %Lf %f");
	said->arguments[0].f64 = 0.1;
	said->arguments[1].data = &third;
	said->arguments[1].binary128 = __LDBL_MANT_DIG__ == 113;
	said->arguments[2].f64 = NAN;
	assert_true(value(said, 0).f64 == 0.1);
	assert_true(value(said, 1).f64 == (double)third);
	assert_true(isnan(value(said, 2).f64));
}

static void a_format_that_does_not_fit_has_no_fields(void **state)
{
	struct said *said = *state;

	say(said, "%d");
	said->kinds[0] = BINLOG_ARG_STRING;
	said->context.fields = NULL;
	assert_int_equal(fields_of(&said->message)->count, 0);
	said->context.fields = NULL;
	said->context.format = NULL;
	assert_int_equal(fields_of(&said->message)->count, 0);
}

/* A name without memory is no name, and none that another one could have. */
static void without_memory_there_are_no_fields(void **state)
{
	struct said *said = *state;
	struct error_list errors = {0};
	char format[10000];
	bool happened = true;

	memset(format, 'a', sizeof(format));
	strcpy(format + 9000, "=%d b=%d");
	for (unsigned long i = 0; happened; i++) {
		const struct fields *fields;

		said->capture.errors = &errors;
		inject_begin(INJECT_MEMORY, i, false);
		fields = say(said, format);
		happened = inject.happened;
		inject_end();
		assert_int_equal(fields->count, happened ? 0 : 2);
		end(state);
		begin(state);
	}
}

/* Those of warn() stand before the format's. */
static void a_call_with_too_few_arguments_has_no_fields(void **state)
{
	struct said *said = *state;
	size_t count;

	say(said, "%d");
	said->context.text = BINLOG_TEXT_WARN;
	said->kinds[2] = BINLOG_ARG_I32;
	for (count = 0; count <= 4; count++) {
		said->context.arguments = count;
		said->context.fields = NULL;
		assert_int_equal(fields_of(&said->message)->count, count == 3);
	}
}

static void what_a_message_lacks_has_no_value(void **state)
{
	struct said *said = *state;

	say(said, "%d %Lf");
	assert_true(value(said, 0).known);
	assert_false(value(said, 1).known);
	said->arguments[1].data = &(long double){1};
	said->arguments[1].binary128 = __LDBL_MANT_DIG__ != 113;
	assert_false(value(said, 1).known);
	said->arguments[0].kind = BINLOG_ARG_STRING;
	assert_false(value(said, 0).known);
	said->message.count = 1;
	assert_false(value(said, 1).known);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_are_the_words_before),
		TEST(names_are_not_given_twice),
		TEST(names_may_begin_alike),
		TEST(numbered_arguments_come_in_their_order),
		TEST(errno_is_a_field_and_what_n_takes_is_none),
		TEST(integers_are_cut_as_they_are_printed),
		TEST(texts_are_bytes_or_utf8),
		TEST(doubles_are_doubles_however_long),
		TEST(a_format_that_does_not_fit_has_no_fields),
		TEST(without_memory_there_are_no_fields),
		TEST(a_call_with_too_few_arguments_has_no_fields),
		TEST(what_a_message_lacks_has_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
