/*
 * Any text as a moment: a date with a time is what strptime(3) says, and what
 * is relative moves with the clock.
 */
#include <string.h>
#include <time.h>

#include "base/time_parse.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MAX 64u
#define SECOND 1000000000ull
#define NOW (1700000005 * SECOND + 5)

/* `2023-11-14 22:13:20` in UTC, and nothing else; later than 1970. */
static bool libc_moment(const char *text, uint64_t *moment)
{
	static const char shape[] = "0000-00-00 00:00:00";
	struct tm tm = {0};
	const char *end;
	size_t i;

	for (i = 0; shape[i]; i++)
		if (shape[i] == '0' ? text[i] < '0' || text[i] > '9'
				    : text[i] != shape[i])
			return false;
	end = text[i] ? NULL : strptime(text, "%Y-%m-%d %H:%M:%S", &tm);
	if (!end || *end || tm.tm_year < 70 || tm.tm_year > 300 ||
		tm.tm_sec > 59)
		return false;
	i = (size_t)tm.tm_mday;
	*moment = (uint64_t)timegm(&tm) * SECOND;
	return i == (size_t)tm.tm_mday;
}

static bool is_relative(const char *text)
{
	text += strspn(text, " \t");
	return *text == '-' || *text == '+' || strcasestr(text, "ago") ||
	       strcmp(text, "now") == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t moment = 0, later = 0, wanted;
	char text[TEXT_MAX + 1];
	bool good;

	if (size > TEXT_MAX)
		return -1;
	memcpy(text, data, size);
	text[size] = '\0';
	good = time_parse(text, NOW, true, &moment);
	FUZZ_CHECK(good == time_parse(text, NOW + SECOND, true, &later));
	if (libc_moment(text, &wanted))
		FUZZ_CHECK(good && moment == wanted);
	if (!good || moment == 0 || later == UINT64_MAX)
		return 0;
	if (is_relative(text))
		FUZZ_CHECK(later == moment + SECOND);
	else
		FUZZ_CHECK(later == moment);
	return 0;
}
