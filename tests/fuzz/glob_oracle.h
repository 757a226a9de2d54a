/*
 * Globs and texts out of an input, and what fnmatch(3) says of them.  For the
 * targets of the two matchers of record/.
 */
#ifndef TESTS_FUZZ_GLOB_ORACLE_H
#define TESTS_FUZZ_GLOB_ORACLE_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GLOB_ORACLE_MAX 256u

struct glob_oracle {
	char glob[GLOB_ORACLE_MAX + 1];
	char text[GLOB_ORACLE_MAX + 1];
	size_t glob_bytes;
	size_t text_bytes;
};

/* The text is what follows the first zero byte, up to the next. */
static inline bool glob_oracle_read(
	struct glob_oracle *oracle, const uint8_t *data, size_t size)
{
	const uint8_t *zero = memchr(data, 0, size);

	if (!zero || size > GLOB_ORACLE_MAX)
		return false;
	memset(oracle, 0, sizeof(*oracle));
	oracle->glob_bytes = (size_t)(zero - data);
	memcpy(oracle->glob, data, oracle->glob_bytes);
	memcpy(oracle->text, zero + 1, size - oracle->glob_bytes - 1);
	oracle->text_bytes = strlen(oracle->text);
	return true;
}

/* Sets that have no end, classes of characters, and a backslash or a '/' in a
 * set are taken by fnmatch() in its own way. */
static inline bool glob_oracle_has_peculiar_set(const char *glob)
{
	const char *set = glob;
	const char *end;

	while ((set = strchr(set, '['))) {
		set += 1 + (set[1] == '!' || set[1] == '^');
		end = *set ? strchr(set + 1, ']') : NULL;
		if (!end)
			return true;
		for (; set < end; set++)
			if (strchr("[/\\-", *set) || (*set & 0x80))
				return true;
		set = end;
	}
	return false;
}

/* Likewise a backslash at the end. */
static inline bool glob_oracle_is_peculiar(const char *glob)
{
	return strstr(glob, "**") || strstr(glob, "\\/") ||
	       strstr(glob, "\\[") ||
	       (*glob && glob[strlen(glob) - 1] == '\\') ||
	       glob_oracle_has_peculiar_set(glob);
}

#endif
