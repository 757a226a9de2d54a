/*
 * A strict reader of JSON (RFC 8259): says whether bytes are one value, of
 * UTF-8, and safe on a terminal.  For the targets of what writes JSON.
 */
#ifndef TESTS_FUZZ_JSON_CHECK_H
#define TESTS_FUZZ_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tests/fuzz/utf8_check.h"

#define JSON_CHECK_DEPTH 64

struct json_check {
	const unsigned char *at;
	const unsigned char *end;
};

static inline void json_check_blanks(struct json_check *json)
{
	while (json->at < json->end && strchr(" \t\r\n", *json->at) &&
		*json->at != '\0')
		json->at++;
}

static inline bool json_check_take(struct json_check *json, char c)
{
	if (json->at == json->end || *json->at != (unsigned char)c)
		return false;
	json->at++;
	return true;
}

static inline bool json_check_word(struct json_check *json, const char *word)
{
	size_t bytes = strlen(word);

	if ((size_t)(json->end - json->at) < bytes ||
		memcmp(json->at, word, bytes) != 0)
		return false;
	json->at += bytes;
	return true;
}

static inline bool json_check_digits(struct json_check *json)
{
	const unsigned char *start = json->at;

	while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
		json->at++;
	return json->at > start;
}

static inline bool json_check_number(struct json_check *json)
{
	json_check_take(json, '-');
	if (!json_check_take(json, '0') && !json_check_digits(json))
		return false;
	if (json_check_take(json, '.') && !json_check_digits(json))
		return false;
	if (json_check_take(json, 'e') || json_check_take(json, 'E')) {
		if (!json_check_take(json, '-'))
			json_check_take(json, '+');
		return json_check_digits(json);
	}
	return true;
}

static inline bool json_check_escape(struct json_check *json)
{
	if (json->at == json->end)
		return false;
	if (*json->at != 'u')
		return *json->at != '\0' && strchr("\"\\/bfnrt", *json->at++);
	json->at++;
	for (int i = 0; i < 4; i++, json->at++)
		if (json->at == json->end || *json->at == '\0' ||
			!strchr("0123456789abcdefABCDEF", *json->at))
			return false;
	return true;
}

static inline bool json_check_string(struct json_check *json)
{
	if (!json_check_take(json, '"'))
		return false;
	while (json->at < json->end && *json->at != '"') {
		uint32_t c = utf8_check_next(&json->at, json->end);

		if (c == '\\' ? !json_check_escape(json)
			      : c == '\t' || c == UINT32_MAX ||
					utf8_check_is_control(c))
			return false;
	}
	return json_check_take(json, '"');
}

static inline bool json_check_scalar(struct json_check *json)
{
	if (json->at < json->end && *json->at == '"')
		return json_check_string(json);
	return json_check_word(json, "null") || json_check_word(json, "true") ||
	       json_check_word(json, "false") || json_check_number(json);
}

static inline bool json_check_key(struct json_check *json)
{
	json_check_blanks(json);
	if (!json_check_string(json))
		return false;
	json_check_blanks(json);
	return json_check_take(json, ':');
}

/* What may follow a value: the ends of what it is in, or a comma. */
static inline bool json_check_after(
	struct json_check *json, const char *closers, int *depth)
{
	for (;;) {
		json_check_blanks(json);
		if (*depth == 0)
			return json->at == json->end;
		if (json_check_take(json, ','))
			return closers[*depth - 1] == ']' ||
			       json_check_key(json);
		if (!json_check_take(json, closers[*depth - 1]))
			return false;
		--*depth;
	}
}

/* Whether all of it is one value. */
static inline bool json_check(const char *bytes, size_t size)
{
	const unsigned char *start = (const unsigned char *)bytes;
	struct json_check json = {start, start + size};
	char closers[JSON_CHECK_DEPTH];
	int depth = 0;

	do {
		bool object;

		json_check_blanks(&json);
		object = json_check_take(&json, '{');
		if (!object && !json_check_take(&json, '[')) {
			if (!json_check_scalar(&json))
				return false;
		} else {
			if (depth == JSON_CHECK_DEPTH)
				return false;
			closers[depth++] = object ? '}' : ']';
			json_check_blanks(&json);
			if (json.at == json.end)
				return false;
			if (*json.at != (unsigned char)closers[depth - 1]) {
				if (object && !json_check_key(&json))
					return false;
				continue;
			}
		}
		if (!json_check_after(&json, closers, &depth))
			return false;
	} while (depth > 0);
	return json.at == json.end;
}

/* Whether each line of it is one, and ends. */
static inline bool json_check_lines(const char *bytes, size_t size)
{
	while (size > 0) {
		const char *newline = memchr(bytes, '\n', size);
		size_t line = newline ? (size_t)(newline - bytes) : 0;

		if (!newline || !json_check(bytes, line))
			return false;
		bytes += line + 1;
		size -= line + 1;
	}
	return true;
}

#endif
