#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/query/filter.h"
#include "decoder/render/render.h"
#include "record/layout.h"
#include "tests/support/random_format.h"

/* A context whose text is made of this format. */
struct site {
	struct definition_context context;
	struct definition_string format;
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
};

static void make_site(struct site *site, uint16_t text, const char *format)
{
	bool has_errno;
	int count =
		text == BINLOG_TEXT_LITERAL || text == BINLOG_TEXT_LITERAL_LINE
			? 0
			: format_arguments(format, strlen(format), site->kinds,
				  &has_errno);

	assert_true(count >= 0);
	site->format = (struct definition_string){
		.bytes = format, .length = strlen(format)};
	site->context = (struct definition_context){
		.text = text,
		.has_format = true,
		.format = &site->format,
		.kinds = site->kinds,
		.arguments = (size_t)count,
	};
}

static enum grep_answer answer_of(const struct site *site, const char *pattern)
{
	char problem[160];
	struct grep *grep = grep_new(pattern, problem, sizeof(problem));
	enum grep_answer answer;

	assert_non_null(grep);
	answer = grep_format_answer(grep, &site->context, &site->format, false);
	grep_free(grep);
	return answer;
}

static enum grep_answer answer(const char *format, const char *pattern)
{
	struct site site;

	make_site(&site, BINLOG_TEXT_FORMAT, format);
	return answer_of(&site, pattern);
}

static void what_the_format_says_itself_is_always_there(void **state)
{
	(void)state;
	assert_int_equal(answer("took %d ms\n", "took"), GREP_ALWAYS);
	assert_int_equal(answer("took %d ms\n", "TOOK"), GREP_NEVER);
	assert_int_equal(answer("took 5%% of %d\n", "5% of"), GREP_ALWAYS);
	assert_int_equal(answer("constant\n", "^c.*t$"), GREP_ALWAYS);
	assert_int_equal(answer("took %d ms\n", "took|gave"), GREP_DEPENDS);
}

static void what_no_directive_can_make_is_never_there(void **state)
{
	(void)state;
	assert_int_equal(answer("took %d ms\n", "timeout"), GREP_NEVER);
	assert_int_equal(answer("took %d ms\n", "timeout [0-9]"), GREP_NEVER);
	assert_int_equal(answer("took %d ms\n", "took 5x"), GREP_NEVER);
	assert_int_equal(answer("took %d ms\n", "s 1"), GREP_NEVER);
	assert_int_equal(answer("took %p\n", "niz"), GREP_NEVER);
	assert_int_equal(answer("constant\n", "c.{9}t"), GREP_NEVER);
	assert_int_equal(answer("%d%n\n", "x"), GREP_NEVER);
	assert_int_equal(answer("%x\n", "5x"), GREP_NEVER);
	assert_int_equal(answer("%d %d\n", "1  2"), GREP_NEVER);
}

static void what_a_directive_may_make_depends(void **state)
{
	(void)state;
	assert_int_equal(answer("took %d ms\n", "took 5"), GREP_DEPENDS);
	assert_int_equal(answer("took %d ms\n", "17 ms"), GREP_DEPENDS);
	assert_int_equal(answer("%c%c%c\n", "one"), GREP_DEPENDS);
	assert_int_equal(answer("open: %m\n", "no such"), GREP_DEPENDS);
	assert_int_equal(answer("%f\n", "nan"), GREP_DEPENDS);
	assert_int_equal(answer("%F\n", "INF"), GREP_DEPENDS);
	assert_int_equal(answer("%p\n", "(nil)"), GREP_DEPENDS);
	assert_int_equal(answer("%xy\n", "beefy"), GREP_DEPENDS);
	assert_int_equal(answer("took%sms\n", "tookms"), GREP_DEPENDS);
	assert_int_equal(answer("a%db\n", "ab"), GREP_DEPENDS);
}

static void what_only_a_string_can_make_is_told(void **state)
{
	(void)state;
	assert_int_equal(answer("%s: %d\n", "timeout"), GREP_IN_STRING);
	assert_int_equal(answer("%s: %s\n", "timeout"), GREP_IN_STRING);
	assert_int_equal(answer("%s: %s\n", "time: out"), GREP_DEPENDS);
	assert_int_equal(answer("%s: %s\n", "time out"), GREP_IN_STRING);
	assert_int_equal(answer("%s%s\n", "timeout"), GREP_DEPENDS);
	assert_int_equal(answer("t%s\n", "timeout"), GREP_DEPENDS);
	assert_int_equal(answer("%st\n", "timeout"), GREP_DEPENDS);
	assert_int_equal(answer("a%se\n", "timeout"), GREP_IN_STRING);
	assert_int_equal(answer("a%sa\n", "timeout"), GREP_IN_STRING);
	assert_int_equal(answer("%d%s\n", "500x"), GREP_DEPENDS);
	assert_int_equal(answer("%d %s\n", "500x"), GREP_IN_STRING);
	assert_int_equal(answer("%9s|\n", " x"), GREP_DEPENDS);
	assert_int_equal(answer("%ls: %d\n", "timeout"), GREP_DEPENDS);
	assert_int_equal(answer("a%ss timeout\n", "timeout"), GREP_ALWAYS);
}

static void a_text_that_may_end_early_is_not_sure(void **state)
{
	(void)state;
	assert_int_equal(answer("%ls done\n", "done"), GREP_DEPENDS);
	assert_int_equal(answer("%*d done\n", "done"), GREP_DEPENDS);
	assert_int_equal(answer("%9999999d done\n", "done"), GREP_DEPENDS);
	assert_int_equal(answer("%9d done\n", "done"), GREP_ALWAYS);
}

static void other_texts_than_formats_have_answers(void **state)
{
	struct site site;

	(void)state;
	make_site(&site, BINLOG_TEXT_LITERAL, "100%d");
	assert_int_equal(answer_of(&site, "%d$"), GREP_ALWAYS);
	assert_int_equal(answer_of(&site, "1009"), GREP_NEVER);
	make_site(&site, BINLOG_TEXT_LITERAL_LINE, "line");
	assert_int_equal(answer_of(&site, "e$"), GREP_ALWAYS);
	make_site(&site, BINLOG_TEXT_BYTES, "%s");
	assert_int_equal(answer_of(&site, "x"), GREP_DEPENDS);
	make_site(&site, BINLOG_TEXT_WARN, "cannot");
	assert_int_equal(answer_of(&site, "x"), GREP_DEPENDS);
	make_site(&site, BINLOG_TEXT_FORMAT, "%d");
	site.kinds[0] = BINLOG_ARG_STRING;
	assert_int_equal(answer_of(&site, "x"), GREP_DEPENDS);
	site.context.format = NULL;
	site.format.bytes = NULL;
	assert_int_equal(answer_of(&site, "x"), GREP_DEPENDS);
}

static bool ends_line(uint16_t text, const char *format)
{
	struct site site;

	make_site(&site, text, format);
	return grep_format_ends_line(&site.context, &site.format);
}

static void texts_that_end_lines_are_known(void **state)
{
	struct site site;

	(void)state;
	assert_true(ends_line(BINLOG_TEXT_FORMAT, "%d\n"));
	assert_true(ends_line(BINLOG_TEXT_LITERAL, "x\n"));
	assert_true(ends_line(BINLOG_TEXT_LITERAL_LINE, ""));
	assert_true(ends_line(BINLOG_TEXT_SYSLOG, "%d"));
	assert_false(ends_line(BINLOG_TEXT_FORMAT, "%d"));
	assert_false(ends_line(BINLOG_TEXT_FORMAT, ""));
	assert_false(ends_line(BINLOG_TEXT_FORMAT, "\n%s"));
	assert_false(ends_line(BINLOG_TEXT_FORMAT, "%ls\n"));
	assert_false(ends_line(BINLOG_TEXT_LITERAL, "x"));
	assert_false(ends_line(BINLOG_TEXT_BYTES, "x\n"));
	assert_false(ends_line(BINLOG_TEXT_CHARACTER, "x\n"));
	make_site(&site, BINLOG_TEXT_BYTES_LINE, "x");
	assert_true(grep_format_ends_line(&site.context, NULL));
	site.context.flags = BINLOG_CONTEXT_PARTIAL;
	assert_false(grep_format_ends_line(&site.context, NULL));
}

/* A piece of the text, sometimes with a change: more telling than noise. */
static void random_needle(
	char *to, size_t room, const struct render_buffer *text)
{
	size_t from = text->length ? below((unsigned)text->length) : 0;
	size_t bytes = 1 + below((unsigned)room - 1);
	size_t i;

	if (bytes > text->length - from)
		bytes = text->length - from;
	for (i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text->data[from + i];

		*to++ = c == 0 || strchr("\\^$.[]|()*+?{}", c) ? 'x' : (char)c;
	}
	*to = '\0';
	if (bytes > 0 && one_in(2))
		to[-1 - (int)below((unsigned)bytes)] = "0 x-%=etA9"[below(10)];
}

static bool is_in_a_string(
	const struct random_sample *sample, const struct grep *grep)
{
	int i;

	for (i = 0; i < sample->count; i++) {
		const struct render_argument *argument = &sample->arguments[i];

		if (argument->kind == BINLOG_ARG_STRING &&
			(argument->null || grep_may_find(grep, argument->data,
						   argument->bytes)))
			return true;
	}
	return false;
}

/* Whatever is said of all texts holds for the one that was made. */
static void check_sample(const struct random_sample *sample, size_t *sure)
{
	struct render_buffer text = {0};
	struct site site;
	char pattern[16];
	char problem[160];
	enum grep_answer sentence;
	struct grep *grep;
	bool found;
	size_t bytes;

	make_site(&site, BINLOG_TEXT_FORMAT, sample->format);
	render_format(&text, sample->format, sample->length, sample->arguments,
		(size_t)sample->count, NULL, LIBC_ANY);
	if (grep_format_ends_line(&site.context, &site.format))
		assert_true(
			text.length > 0 && text.data[text.length - 1] == '\n');
	random_needle(pattern, sizeof(pattern), &text);
	grep = grep_new(pattern, problem, sizeof(problem));
	assert_non_null(grep);
	bytes = text.length;
	bytes -= bytes > 0 && text.data[bytes - 1] == '\n';
	found = grep_finds(grep, text.data, bytes);
	sentence = answer_of(&site, pattern);
	*sure += sentence != GREP_DEPENDS;
	if (sentence == GREP_IN_STRING) {
		if (found && !is_in_a_string(sample, grep))
			fail_msg("\"%s\" is in a text of \"%s\"", pattern,
				sample->format);
	} else if (sentence != GREP_DEPENDS &&
		   found != (sentence == GREP_ALWAYS))
		fail_msg("\"%s\" in a text of \"%s\": %d", pattern,
			sample->format, sentence);
	grep_free(grep);
	render_buffer_free(&text);
}

static void answers_hold_for_any_format_and_arguments(void **state)
{
	static struct random_sample sample;
	size_t sure = 0;
	size_t i;

	(void)state;
	random_state = 7;
	for (i = 0; i < 200000; i++) {
		random_format(&sample);
		sample.count = format_arguments(sample.format, sample.length,
			sample.kinds, &sample.has_errno);
		if (sample.count < 0)
			continue;
		random_arguments(&sample);
		check_sample(&sample, &sure);
	}
	assert_true(sure > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_format_says_itself_is_always_there),
		cmocka_unit_test(what_no_directive_can_make_is_never_there),
		cmocka_unit_test(what_a_directive_may_make_depends),
		cmocka_unit_test(what_only_a_string_can_make_is_told),
		cmocka_unit_test(a_text_that_may_end_early_is_not_sure),
		cmocka_unit_test(other_texts_than_formats_have_answers),
		cmocka_unit_test(texts_that_end_lines_are_known),
		cmocka_unit_test(answers_hold_for_any_format_and_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
