/*
 * A bounded cursor over bytes that somebody else wrote.  Called by everything
 * that looks into a capture file; nothing else touches its bytes.  The first
 * step beyond the end sticks: from then on every read gives zeros and nothing
 * moves, so callers may read a whole struct and ask once whether it was there.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrows the bytes; copying the struct copies the position. */
struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline struct cursor cursor_over(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	return (struct cursor){p, p + size, false};
}

/* Bytes between the position and the end; 0 after a failure. */
static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* The next `size` bytes, and steps over them.  Null: there are fewer. */
static inline const uint8_t *cursor_bytes(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor->at;

	if (cursor->failed || cursor_left(cursor) < size) {
		cursor->at = cursor->end;
		cursor->failed = true;
		return NULL;
	}
	cursor->at += size;
	return bytes;
}

/* As cursor_bytes(), and over the padding up to a multiple of 4 as well. */
static inline const uint8_t *cursor_padded(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor_bytes(cursor, size);

	if (bytes && !cursor_bytes(cursor, -size & 3))
		return NULL;
	return bytes;
}

/*
 * A struct of record/layout.h, which is in the file as it is in memory.  All
 * zeros when there are not enough bytes for it.
 */
static inline void cursor_struct(struct cursor *cursor, void *into, size_t size)
{
	const uint8_t *bytes = cursor_bytes(cursor, size);

	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		"captures are little-endian");
	if (bytes)
		memcpy(into, bytes, size);
	else
		memset(into, 0, size);
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_bytes(cursor, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_bytes(cursor, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

/* How many of the bytes that are left are zero before another comes. */
static inline size_t cursor_zeros(const struct cursor *cursor)
{
	const uint8_t *at = cursor->at;
	uint64_t word;

	for (; (size_t)(cursor->end - at) >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (word != 0)
			break;
	}
	while (at < cursor->end && *at == 0)
		at++;
	return (size_t)(at - cursor->at);
}

#endif
