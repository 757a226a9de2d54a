/*
 * What is said of all texts that a format makes, before there is one, holds
 * for the text that was made: whether it contains a pattern, and whether it
 * ends a line.
 */
#include "decoder/query/filter.h"
#include "decoder/render/render.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sample_message.h"

#define PATTERN_MAX 16u

/* A piece of the text, sometimes with a change: more telling than noise. */
static void choose_pattern(
	char pattern[PATTERN_MAX], const struct render_buffer *text)
{
	size_t from = text->length ? below((unsigned)text->length) : 0;
	size_t bytes = 1 + below(PATTERN_MAX - 1);
	size_t i;

	if (bytes > text->length - from)
		bytes = text->length - from;
	for (i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text->data[from + i];
		bool special = c == 0 || strchr("\\^$.[]|()*+?{}", c);

		pattern[i] = special ? 'x' : (char)c;
	}
	pattern[bytes] = '\0';
	if (bytes > 0 && one_in(2))
		pattern[below((unsigned)bytes)] = "0 x-%=etA9.^$"[below(13)];
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

static void check_pattern(const struct sample_message *made,
	const struct render_buffer *text, const char *pattern)
{
	char problem[160];
	struct grep *grep = grep_new(pattern, problem, sizeof(problem));
	size_t bytes = text->length;
	enum grep_answer answer;
	bool found;

	FUZZ_CHECK(grep);
	bytes -= bytes > 0 && text->data[bytes - 1] == '\n';
	found = grep_finds(grep, text->data, bytes);
	answer = grep_format_answer(
		grep, &made->context, &made->format, one_in(4));
	FUZZ_CHECK(answer != GREP_NEVER || !found);
	FUZZ_CHECK(answer != GREP_ALWAYS || found);
	FUZZ_CHECK(answer != GREP_IN_STRING || !found ||
		   is_in_a_string(&made->sample, grep));
	grep_free(grep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sample_message made;
	static struct render_buffer text;
	char pattern[PATTERN_MAX];

	random_from(data, size);
	if (!sample_message_make(&made))
		return 0;
	text.length = 0;
	render_format(&text, made.sample.format, made.sample.length,
		made.sample.arguments, (size_t)made.sample.count, NULL,
		LIBC_ANY);
	if (grep_format_ends_line(&made.context, &made.format))
		FUZZ_CHECK(
			text.length > 0 && text.data[text.length - 1] == '\n');
	FUZZ_CHECK(grep_format_is_sound(&made.context, &made.format));
	choose_pattern(pattern, &text);
	check_pattern(&made, &text, pattern);
	return 0;
}
