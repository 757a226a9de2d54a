/*
 * Whatever messages say: entries of the journal's export format, with fields
 * whose names systemd takes; text without a length is of one line.
 */
#include <endian.h>

#include "tests/fuzz/hostile_log.h"
#include "tests/fuzz/utf8_check.h"

#define NAME_BYTES_MAX 64u

static size_t name_bytes(const char *at, const char *end)
{
	size_t i = 0;

	while (at + i < end &&
		(at[i] == '_' || (at[i] >= 'A' && at[i] <= 'Z') ||
			(i > 0 && at[i] >= '0' && at[i] <= '9')))
		i++;
	FUZZ_CHECK(i > 0 && i <= NAME_BYTES_MAX);
	return i;
}

static const char *check_field(const char *at, const char *end)
{
	const char *newline;
	uint64_t size;

	at += name_bytes(at, end);
	FUZZ_CHECK(at < end && (*at == '=' || *at == '\n'));
	if (*at++ == '=') {
		newline = memchr(at, '\n', (size_t)(end - at));
		FUZZ_CHECK(newline);
		for (const unsigned char *c = (const unsigned char *)at;
			(const char *)c < newline;)
			FUZZ_CHECK(utf8_check_next(&c,
					   (const unsigned char *)newline) !=
				   UINT32_MAX);
		return newline + 1;
	}
	FUZZ_CHECK((size_t)(end - at) > sizeof(size));
	memcpy(&size, at, sizeof(size));
	at += sizeof(size);
	size = le64toh(size);
	FUZZ_CHECK(size < (size_t)(end - at) && at[size] == '\n');
	return at + size + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct render_buffer *text =
		hostile_log_show("journal", NULL, data, size);
	const char *at = text->data;
	const char *end = text->length > 0 ? at + text->length : at;
	bool open = false;

	for (; at < end;
		open = *at != '\n', at = open ? check_field(at, end) : at + 1)
		;
	FUZZ_CHECK(!open);
	return 0;
}
