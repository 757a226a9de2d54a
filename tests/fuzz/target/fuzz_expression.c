/*
 * Any text as an expression, asked of a message: what is no expression is told
 * in words, and what is true and what is not obey the rules of logic.
 */
#include "decoder/query/expression.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sample_message.h"

#define TEXT_MAX 256u

static struct sample_message made;
static char written[3 * TEXT_MAX];

/* -1: it is none, which this may be for its depth. */
static int ask(const char *text)
{
	char problem[160] = "";
	struct pool pool = {0};
	struct expression *expression =
		expression_new(text, problem, sizeof(problem));
	const struct expression_binding *binding;
	bool is_true;

	FUZZ_CHECK(expression || *problem);
	if (!expression)
		return -1;
	binding =
		expression_bind(expression, &made.context, &made.format, &pool);
	is_true = binding &&
		  expression_is_true(expression, binding, &made.message);
	expression_free(expression);
	pool_free(&pool);
	return is_true;
}

/* Of `BEFORE text BETWEEN text AFTER`; BETWEEN null: there is one text. */
static void check(int wanted, const char *text, const char *before,
	const char *between, const char *after)
{
	int got;

	snprintf(written, sizeof(written), "%s%s%s%s%s", before, text,
		between ? between : "", between ? text : "", after);
	got = ask(written);
	FUZZ_CHECK(got == -1 || got == wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX + 1];
	const uint8_t *zero = memchr(data, 0, size);
	size_t bytes = zero ? (size_t)(zero - data) : size;
	int is_true;

	if (bytes > TEXT_MAX)
		return -1;
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	random_from(data + bytes, size - bytes);
	while (!sample_message_make(&made))
		;
	is_true = ask(text);
	if (is_true < 0)
		return 0;
	check(is_true, text, "(", NULL, ")");
	check(is_true, text, "!!(", NULL, ")");
	check(is_true, text, "(", ") && (", ")");
	check(is_true, text, "(", ") || (", ")");
	check(0, text, "(", ") && !(", ")");
	check(is_true, text, "!(!(", ") || !(", "))");
	return 0;
}
