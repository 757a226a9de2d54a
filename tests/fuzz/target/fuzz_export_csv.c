/*
 * Whatever messages say: a table of comma-separated values is one of RFC 4180,
 * all rows have as many cells, no cell is a formula, and nothing in it is
 * obeyed by a terminal.
 */
#include "tests/fuzz/hostile_log.h"
#include "tests/fuzz/utf8_check.h"

/* Past one cell: in quotes, or without what would need them. */
static const char *check_cell(const char *at, const char *end)
{
	if (at == end || *at != '"') {
		while (at < end && *at != ',' && *at != '\n') {
			FUZZ_CHECK(*at != '"');
			at++;
		}
		return at;
	}
	at++;
	FUZZ_CHECK(at < end && !memchr("=+-@\t\r", *at, 6));
	for (;;) {
		at = memchr(at, '"', (size_t)(end - at));
		FUZZ_CHECK(at);
		at++;
		if (at == end || *at != '"')
			return at;
		at++;
	}
}

static size_t check_row(const char **at, const char *end)
{
	size_t cells = 0;

	do {
		*at = check_cell(*at, end);
		FUZZ_CHECK(*at < end && (**at == ',' || **at == '\n'));
		cells++;
	} while (*(*at)++ == ',');
	return cells;
}

static bool is_safe(const char *at, const char *end)
{
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		if (!utf8_check_is_harmless(at, (size_t)(stop - at)))
			return false;
		at = newline ? newline + 1 : end;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct render_buffer *text =
		hostile_log_show("csv", NULL, data, size);
	const char *at = text->data;
	const char *end = at + text->length;
	size_t cells = check_row(&at, end);

	FUZZ_CHECK(is_safe(at, end));
	while (at < end)
		FUZZ_CHECK(check_row(&at, end) == cells);
	return 0;
}
