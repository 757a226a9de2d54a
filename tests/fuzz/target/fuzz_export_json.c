/*
 * Whatever messages say: the styles of JSON show JSON, for calls and for
 * numbers.
 */
#include "tests/fuzz/hostile_log.h"
#include "tests/fuzz/json_check.h"

static const struct {
	const char *name;
	bool lines;
} styles[] = {
	{"json", true},
	{"otlp", true},
	{"chrome", false},
	{"stats", true},
	{"count", true},
	{"per", true},
	{"intervals", true},
	{"anomalies", true},
	{"values", true},
	{"histogram", true},
	{"rcdf", true},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct render_buffer *text;
	size_t i;

	if (size == 0)
		return -1;
	/* Calls more often than numbers, which have less in them. */
	i = data[0] % 32 < 21 ? data[0] % 3
			      : data[0] % (sizeof(styles) / sizeof(*styles));
	hostile.options.json = true;
	hostile.options.argument = "arg1";
	text = hostile_log_show(styles[i].name, NULL, data + 1, size - 1);
	if (styles[i].lines)
		FUZZ_CHECK(json_check_lines(text->data, text->length));
	else
		FUZZ_CHECK(json_check(text->data, text->length));
	return 0;
}
