/*
 * Any constant is a format of each formatter or none, and any text is matched by
 * it or not, in bounded time; what a directive is said to have made lies in the
 * text, in order.  The input: a byte for the formatter, the constant, a NUL, the
 * text.
 */
#include <string.h>

#include "decoder/statements/line_parts.h"
#include "decoder/statements/statement_format.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct statement_format *format, const char *text,
	size_t bytes, size_t from)
{
	struct statement_pairs pairs = {0};
	struct statement_match match;
	size_t at = from;
	size_t i;

	if (!statement_format_matches(
		    format, text, bytes, from, line_parts_ends, &match))
		return;
	statement_pairs_add(&pairs, text, bytes);
	FUZZ_CHECK(statement_format_may_match(format, &pairs));
	for (i = 0; i < format->directives; i++) {
		const struct statement_capture *capture = &match.captures[i];

		FUZZ_CHECK((size_t)(capture->text - text) >= at);
		at = (size_t)(capture->text - text) + capture->bytes;
	}
	FUZZ_CHECK(at <= match.end && match.end <= bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size > 1 ? memchr(data + 1, 0, size - 1) : NULL;
	size_t begins[LINE_PARTS_MAX];
	struct statement_format *format;
	struct pool pool = {0};
	const char *text;
	size_t bytes;
	size_t count, i;

	if (!nul)
		return 0;
	text = (const char *)nul + 1;
	bytes = line_parts_chomp(text, size - (size_t)(nul + 1 - data));
	count = line_parts_begins(text, bytes, 0, begins);
	FUZZ_CHECK(count <= LINE_PARTS_MAX);
	format = statement_format_new((const char *)data + 1,
		(size_t)(nul - data) - 1, data[0] % STATEMENT_FORMATTERS,
		&pool);
	for (i = 0; i < count; i++) {
		FUZZ_CHECK(begins[i] <= bytes);
		FUZZ_CHECK(i == 0 || begins[i] > begins[i - 1]);
		if (format)
			check(format, text, bytes, begins[i]);
	}
	pool_free(&pool);
	return 0;
}
