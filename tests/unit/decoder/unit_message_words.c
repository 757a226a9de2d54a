/*
 * What lines say of a message beside its text: which stream, which name, which
 * place in the program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <syslog.h>

#include <cmocka.h>

#include "decoder/message/message_level.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define BOTH (BINLOG_STREAM_STDOUT | BINLOG_STREAM_STDERR)

/* What was put, as a string; it begins anew. */
static const char *taken(struct render_buffer *out)
{
	static char text[256];

	assert_true(out->length < sizeof(text));
	if (out->length > 0)
		memcpy(text, out->data, out->length);
	text[out->length] = '\0';
	render_buffer_free(out);
	*out = (struct render_buffer){0};
	return text;
}

static void a_stream_is_told_by_its_flags_its_path_or_its_number(void **state)
{
	static const struct {
		struct definition_stream stream;
		const char *word;
	} cases[] = {
		{{.flags = BINLOG_STREAM_STDOUT, .fd = 1}, "stdout"},
		{{.flags = BINLOG_STREAM_STDOUT, .fd = 2}, "stdout"},
		{{.flags = BINLOG_STREAM_STDERR, .fd = 2}, "stderr"},
		{{.flags = BOTH, .fd = 1}, "stdout"},
		{{.flags = BOTH, .fd = 2}, "stderr"},
		{{.flags = BINLOG_STREAM_SYSLOG, .fd = 3}, "syslog"},
		{{.fd = 3, .path = "/var/log/a\n"}, "/var/log/a\\x0a"},
		{{.fd = 3}, "fd3"},
		{{.fd = -1}, "?"},
	};
	struct render_buffer out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct definition_context context = {
			.text = BINLOG_TEXT_BYTES, .stream = &cases[i].stream};
		const struct message message = {.context = &context};

		message_words_stream(&message, &out);
		assert_string_equal(taken(&out), cases[i].word);
	}
}

static void a_stream_that_is_not_known_is_a_question_mark(void **state)
{
	struct definition_context context = {.text = BINLOG_TEXT_BYTES};
	const struct message message = {.context = &context};
	struct render_buffer out = {0};

	(void)state;
	message_words_stream(&message, &out);
	assert_string_equal(taken(&out), "?");
}

static void a_priority_is_facility_and_level(void **state)
{
	static const struct {
		uint32_t priority;
		const char *words;
	} cases[] = {
		{LOG_DAEMON | LOG_ERR, "daemon.err"},
		{LOG_KERN | LOG_EMERG, "kern.emerg"},
		{LOG_LOCAL7 | LOG_DEBUG, "local7.debug"},
		{24 << 3 | LOG_INFO, "24.info"},
		{UINT32_MAX, "536870911.debug"},
	};
	struct render_buffer out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		message_words_priority(
			cases[i].priority, (int)(cases[i].priority & 7), &out);
		assert_string_equal(taken(&out), cases[i].words);
	}
}

static void an_ident_is_told_where_it_is_not_the_programs_name(void **state)
{
	static const struct {
		const char *ident;
		size_t bytes;
		const char *words;
	} cases[] = {
		{NULL, 0, ""},
		{"one", 3, ""},
		{"onerous", 3, ""},
		{"two", 3, "two: "},
		{"once", 4, "once: "},
		{"a\tb", 3, "a\tb: "},
	};
	struct program program = {.name = "one"};
	const struct message message = {.program = &program};
	struct render_buffer out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		const struct message_syslog syslog = {
			.ident = cases[i].ident, .ident_bytes = cases[i].bytes};

		message_words_ident(&message, &syslog, &out);
		assert_string_equal(taken(&out), cases[i].words);
	}
}

static void of_a_place_is_told_what_is_known(void **state)
{
	static const struct {
		struct location location;
		const char *words;
	} cases[] = {
		{{.file = "/src/a.c", .line = 7, .function = "f"},
			"a.c:7: f: "},
		{{.file = "a.c", .line = 7, .module = "m"}, "a.c:7: "},
		{{.file = "a.c", .module = "m", .function = "f"}, "m: f: "},
		{{.module = "m"}, "m: "},
		{{.function = "f\n"}, "f\\x0a: "},
		{{.address = 5}, ""},
	};
	struct render_buffer out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		message_words_location(&out, &cases[i].location);
		assert_string_equal(taken(&out), cases[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_stream_is_told_by_its_flags_its_path_or_its_number),
		cmocka_unit_test(a_stream_that_is_not_known_is_a_question_mark),
		cmocka_unit_test(a_priority_is_facility_and_level),
		cmocka_unit_test(
			an_ident_is_told_where_it_is_not_the_programs_name),
		cmocka_unit_test(of_a_place_is_told_what_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
