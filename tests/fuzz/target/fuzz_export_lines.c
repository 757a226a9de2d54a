/*
 * Whatever messages say: no line of text has what a terminal obeys, or what is
 * no UTF-8; of folded stacks each ends with a number.
 */
#include "tests/fuzz/hostile_log.h"
#include "tests/fuzz/utf8_check.h"

static const char *const styles[] = {"line", "timeline", "folded", "stats",
	"rates", "intervals", "values", "histogram", "per"};

static void check_folded(const char *line, size_t bytes)
{
	size_t digits = 0;

	while (digits < bytes && line[bytes - 1 - digits] >= '0' &&
		line[bytes - 1 - digits] <= '9')
		digits++;
	FUZZ_CHECK(digits > 0 && digits < bytes &&
		   line[bytes - 1 - digits] == ' ');
}

static void check_lines(const struct render_buffer *text, bool folded)
{
	const char *at = text->data;
	size_t left = text->length;

	while (left > 0) {
		const char *newline = memchr(at, '\n', left);
		size_t bytes = newline ? (size_t)(newline - at) : 0;

		FUZZ_CHECK(newline);
		FUZZ_CHECK(utf8_check_is_harmless(at, bytes));
		if (folded)
			check_folded(at, bytes);
		at += bytes + 1;
		left -= bytes + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t i;

	if (size == 0)
		return -1;
	i = data[0] % 32 < 23 ? data[0] % 3
			      : data[0] % (sizeof(styles) / sizeof(*styles));
	hostile.options.argument = "arg1";
	hostile.options.lines = LAST_LINES_ALL;
	hostile.options.rows = LAST_LINES_ALL;
	check_lines(
		hostile_log_show(styles[i], NULL, data + 1, size - 1), i == 2);
	return 0;
}
