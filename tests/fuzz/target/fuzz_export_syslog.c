/*
 * Whatever messages say: messages of RFC 5424, each behind its length as RFC
 * 6587 has it.
 */
#include "tests/fuzz/hostile_log.h"
#include "tests/fuzz/utf8_check.h"

static const char *end;

static const char *expect(const char *at, const char *text)
{
	size_t bytes = strlen(text);

	FUZZ_CHECK((size_t)(end - at) >= bytes);
	FUZZ_CHECK(memcmp(at, text, bytes) == 0);
	return at + bytes;
}

static const char *number(const char *at, unsigned long *value)
{
	const char *start = at;

	*value = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		*value = *value * 10 + (unsigned long)(*at - '0');
	FUZZ_CHECK(at > start && (*start != '0' || at == start + 1));
	return at;
}

/* PRINTUSASCII of so many bytes, and a space. */
static const char *token(const char *at, size_t most)
{
	const char *start = at;

	while (at<end && * at> ' ' && *at < 0x7f)
		at++;
	FUZZ_CHECK(at > start && (size_t)(at - start) <= most);
	return expect(at, " ");
}

/* `2026-11-21T02:27:03.123456Z` */
static const char *moment(const char *at)
{
	static const char shape[] = "0000-00-00T00:00:00.";
	unsigned long fraction;
	const char *start;

	for (const char *s = shape; *s; s++, at++)
		FUZZ_CHECK(at < end &&
			   (*s == '0' ? *at >= '0' && *at <= '9' : *at == *s));
	for (start = at; at < end && *at >= '0' && *at <= '9'; at++)
		;
	fraction = (unsigned long)(at - start);
	FUZZ_CHECK(fraction >= 1 && fraction <= 6);
	return expect(at, "Z ");
}

/* A name of an element or a parameter. */
static const char *name(const char *at)
{
	const char *start = at;

	while (at<end && * at> ' ' && *at < 0x7f && *at != '=' && *at != ']' &&
		*at != '"')
		at++;
	FUZZ_CHECK(at > start && at - start <= 32);
	return at;
}

static const char *value(const char *at)
{
	at = expect(at, "=\"");
	while (at < end && *at != '"') {
		const unsigned char *c = (const unsigned char *)at;

		FUZZ_CHECK(*at != ']');
		if (*at == '\\') {
			FUZZ_CHECK(end - at > 1);
			at += 1 +
			      (at[1] == '"' || at[1] == '\\' || at[1] == ']');
			continue;
		}
		FUZZ_CHECK(utf8_check_next(&c, (const unsigned char *)end) !=
			   UINT32_MAX);
		at = (const char *)c;
	}
	return expect(at, "\"");
}

static const char *structured_data(const char *at)
{
	FUZZ_CHECK(at < end && *at == '[');
	while (at < end && *at == '[') {
		at = name(at + 1);
		while (at < end && *at == ' ')
			at = value(name(at + 1));
		at = expect(at, "]");
	}
	return expect(at, " ");
}

static void check_message(const char *at)
{
	unsigned long priority;

	at = number(expect(at, "<"), &priority);
	FUZZ_CHECK(priority <= 191);
	at = moment(expect(at, ">1 "));
	at = token(at, 255); /* host */
	at = token(at, 48);
	at = token(at, 128);
	at = token(at, 32);
	at = structured_data(at);
	if (end - at < 3 || memcmp(at, "\xef\xbb\xbf", 3) != 0)
		return;
	for (const unsigned char *c = (const unsigned char *)at;
		(const char *)c < end;)
		FUZZ_CHECK(utf8_check_next(&c, (const unsigned char *)end) !=
			   UINT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct render_buffer *text =
		hostile_log_show("syslog", NULL, data, size);
	const char *at = text->data;
	const char *last = text->length > 0 ? at + text->length : at;

	while (at < last) {
		unsigned long bytes;

		end = last;
		at = expect(number(at, &bytes), " ");
		FUZZ_CHECK(bytes > 0 && bytes <= (size_t)(last - at));
		end = at + bytes;
		check_message(at);
		at = end;
	}
	return 0;
}
