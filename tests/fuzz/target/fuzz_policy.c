/*
 * Any text as the value of BINLOG_STREAMS: its items come in order, and each
 * that is right is the same when it is taken from its own text.
 */
#include <string.h>

#include "rules/policy.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MAX 512u

static void check_alone(const struct policy_item *item)
{
	char text[TEXT_MAX + 1];
	const char *list = text;
	struct policy_item alone;

	memcpy(text, item->text, item->bytes);
	text[item->bytes] = '\0';
	FUZZ_CHECK(policy_next(&list, &alone));
	FUZZ_CHECK(alone.streams == item->streams);
	FUZZ_CHECK(alone.glob_bytes == item->glob_bytes);
	FUZZ_CHECK(alone.mode == item->mode && alone.wrong == item->wrong);
	FUZZ_CHECK(*list == '\0' && !policy_next(&list, &alone));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX + 1];
	struct policy_item item;
	const char *list = text;
	const char *before = text;

	if (size > TEXT_MAX)
		return -1;
	memcpy(text, data, size);
	text[size] = '\0';
	while (policy_next(&list, &item)) {
		FUZZ_CHECK(item.text >= before && item.bytes > 0);
		before = item.text + item.bytes;
		FUZZ_CHECK(
			before == list && !memchr(item.text, ',', item.bytes));
		FUZZ_CHECK(item.wrong || !item.streams == !!item.glob);
		FUZZ_CHECK(policy_mode_name(item.mode));
		check_alone(&item);
	}
	FUZZ_CHECK(*list == '\0' && list <= text + size);
	return 0;
}
