/*
 * Any bytes as a format: format_next() goes through all of it in order, and
 * agrees with format_arguments() on how many arguments there are.
 */
#include <stdlib.h>

#include "record/format.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *format = (const char *)data;
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	struct format_directive directive;
	struct format_cursor cursor;
	const char *end = format;
	bool has_errno;
	int most = 0;
	int count;

	count = format_arguments(format, size, kinds, &has_errno);
	format_begin(&cursor, format, size);
	while (format_next(&cursor, &directive)) {
		FUZZ_CHECK(directive.text == end && directive.length > 0);
		end += directive.length;
		if (directive.argument >= most)
			most = directive.argument + 1;
	}
	FUZZ_CHECK(cursor.at == end && end <= format + size);
	FUZZ_CHECK(count == FORMAT_NONE || count <= FORMAT_ARGUMENTS_MAX + 1);
	FUZZ_CHECK(count == FORMAT_NONE || most <= count);
	return 0;
}
