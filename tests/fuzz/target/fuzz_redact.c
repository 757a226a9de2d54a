/*
 * Secrets in formats of any bytes: what is redacted in copies is redacted when
 * it is asked for, arguments are those of the format, and the question that is
 * asked of each "%s" while a call is recorded has the answer of the whole.
 */
#include "record/format.h"
#include "rules/rule_redact.h"
#include "tests/fuzz/fuzz.h"

static uint64_t bit_of(int argument)
{
	return argument < 64 ? 1ull << argument : RULE_REDACT_ALL;
}

/* By one question for each directive; *all: there are only strings. */
static uint64_t redacted_one_by_one(
	const char *format, size_t size, bool *all, uint64_t *arguments)
{
	const char *end = format + size;
	const char *text = format;
	struct format_directive directive;
	struct format_cursor cursor;
	uint64_t found = 0;

	*arguments = 0;
	format_begin(&cursor, format, size);
	while (format_next(&cursor, &directive)) {
		const char *after = directive.text + directive.length;

		if (directive.conversion == 0)
			continue;
		if (directive.argument != FORMAT_NONE)
			*arguments |= bit_of(directive.argument);
		if (directive.conversion == 's' &&
			rule_redact_is_usual(text,
				(size_t)(directive.text - text),
				after < end ? *after : '\0'))
			found |= bit_of(directive.argument);
		*all &= directive.conversion == 's';
		text = after;
	}
	*all &= cursor.at == end;
	if (cursor.at < end)
		*arguments = RULE_REDACT_ALL;
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *format = (const char *)data;
	uint64_t copies = rule_redact_usual(format, size, RULE_USUAL_COPIES);
	uint64_t usual = rule_redact_usual(format, size, RULE_USUAL_ALL);
	uint64_t named = rule_redact_named(format, size, "password", 8);
	uint64_t one_by_one, arguments;
	bool all = true;

	one_by_one = redacted_one_by_one(format, size, &all, &arguments);
	FUZZ_CHECK((copies & ~usual) == 0);
	FUZZ_CHECK(((usual | named) & ~arguments) == 0);
	FUZZ_CHECK((one_by_one & ~copies) == 0);
	FUZZ_CHECK(!all || one_by_one == copies);
	return 0;
}
