/*
 * A pattern in a text: grep_finds() agrees with regexec(3), and a pattern that
 * is refused is one that regcomp(3) refuses.
 */
#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "decoder/query/grep.h"
#include "tests/fuzz/costly_pattern.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MAX 64u

/* Letters of one case stand for both. */
static int flags_of(const char *pattern)
{
	bool small = false;

	for (; *pattern; pattern++) {
		if (isupper((unsigned char)*pattern))
			return REG_EXTENDED | REG_NEWLINE | REG_NOSUB;
		small |= islower((unsigned char)*pattern) != 0;
	}
	return REG_EXTENDED | REG_NEWLINE | REG_NOSUB | (small ? REG_ICASE : 0);
}

static void check(const char *pattern, const char *text)
{
	char problem[160];
	struct grep *grep = grep_new(pattern, problem, sizeof(problem));
	regex_t regex;
	bool compiles = regcomp(&regex, pattern, flags_of(pattern)) == 0;

	FUZZ_CHECK(grep ? compiles : !compiles && *problem);
	if (compiles) {
		FUZZ_CHECK(grep_finds(grep, text, strlen(text)) ==
			   (regexec(&regex, text, 0, NULL, 0) == 0));
		regfree(&regex);
	}
	grep_free(grep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char pattern[TEXT_MAX + 1] = {0};
	char text[TEXT_MAX + 1] = {0};
	const uint8_t *zero = memchr(data, 0, size);

	if (!zero || size > TEXT_MAX)
		return -1;
	memcpy(pattern, data, (size_t)(zero - data));
	memcpy(text, zero + 1, size - 1 - (size_t)(zero - data));
	if (!pattern_is_costly(pattern))
		check(pattern, text);
	return 0;
}
