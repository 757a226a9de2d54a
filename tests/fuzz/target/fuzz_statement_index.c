/*
 * Of any constants the one that an index finds for a text is the one with the
 * most plain text of all that match it alone, where these are so few that none
 * is passed over.  The input: constants, each with a NUL behind it, a NUL more,
 * and the text.
 */
#include <string.h>

#include "decoder/statements/line_parts.h"
#include "decoder/statements/statement_index.h"
#include "tests/fuzz/fuzz.h"

#define CONSTANTS_MAX 8u

struct constant {
	const char *text;
	size_t bytes;
};

static bool find(const struct constant *constants, size_t count,
	const char *text, size_t bytes, struct statement_found *found,
	struct statement_index *index)
{
	static const struct statement_place place = {1, 1};
	size_t i;

	for (i = 0; i < count; i++)
		statement_index_add(
			index, constants[i].text, constants[i].bytes, &place);
	statement_index_finish(index);
	return statement_index_find(index, text, bytes, found);
}

static void check(const struct statement_found *found, size_t bytes)
{
	const struct statement_format *format = found->entry->format;
	size_t at = found->begin;
	size_t i;

	for (i = 0; i < format->directives; i++) {
		const struct statement_capture *capture =
			&found->match.captures[i];
		size_t from = (size_t)(capture->text - found->match.text);

		FUZZ_CHECK(from >= at);
		at = from + capture->bytes;
	}
	FUZZ_CHECK(at <= found->match.end && found->match.end <= bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct constant constants[CONSTANTS_MAX];
	struct statement_index index = {0};
	struct statement_found found, one;
	size_t count = 0;
	size_t most = 0;
	size_t at = 0;
	const char *text;
	size_t bytes, i;

	while (at < size && data[at] != '\0' && count < CONSTANTS_MAX) {
		const char *constant = (const char *)data + at;
		size_t length = strnlen(constant, size - at);

		if (length == size - at)
			return 0;
		constants[count++] = (struct constant){constant, length};
		at += length + 1;
	}
	if (at >= size)
		return 0;
	text = (const char *)data + at + 1;
	bytes = line_parts_chomp(text, size - at - 1);
	for (i = 0; i < count; i++) {
		struct statement_index alone = {0};

		if (find(&constants[i], 1, text, bytes, &one, &alone)) {
			check(&one, bytes);
			if (one.entry->format->plain > most)
				most = one.entry->format->plain;
		}
		statement_index_free(&alone);
	}
	FUZZ_CHECK(find(constants, count, text, bytes, &found, &index) ==
		   (most > 0));
	if (most > 0) {
		check(&found, bytes);
		FUZZ_CHECK(found.entry->format->plain == most);
	}
	statement_index_free(&index);
	return 0;
}
