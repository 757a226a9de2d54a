/*
 * A cursor over bytes of DWARF.  Used by everything that decodes a section.
 * Promises to touch no byte outside of what it was given: what is not there is
 * zero, and `damaged` from then on.
 */
#ifndef SYMBOLIZER_DWARF_CURSOR_H
#define SYMBOLIZER_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of a file; they stay where they are. */
struct dwarf_bytes {
	const uint8_t *data;
	size_t bytes;
};

struct dwarf_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool damaged;
};

/* From `offset` to the end of the section; empty when there is no such place.
 */
static inline struct dwarf_cursor dwarf_cursor_at(
	const struct dwarf_bytes *section, uint64_t offset)
{
	static const uint8_t nothing[1] = {0};
	struct dwarf_cursor cursor = {
		.at = nothing,
		.end = nothing,
		.damaged = true,
	};

	if (section->data && offset <= section->bytes) {
		cursor.at = section->data + offset;
		cursor.end = section->data + section->bytes;
		cursor.damaged = false;
	}
	return cursor;
}

static inline size_t dwarf_cursor_left(const struct dwarf_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void dwarf_cursor_fail(struct dwarf_cursor *cursor)
{
	cursor->damaged = true;
	cursor->at = cursor->end;
}

static inline void dwarf_cursor_skip(
	struct dwarf_cursor *cursor, uint64_t bytes)
{
	if (dwarf_cursor_left(cursor) < bytes)
		dwarf_cursor_fail(cursor);
	else
		cursor->at += bytes;
}

/* Little-endian, of at most 8 bytes. */
static inline uint64_t dwarf_cursor_fixed(
	struct dwarf_cursor *cursor, unsigned bytes)
{
	uint64_t value = 0;

	if (dwarf_cursor_left(cursor) < bytes) {
		dwarf_cursor_fail(cursor);
		return 0;
	}
	/* copying a number of bytes that is not known would be a call */
	if (bytes > 0 && dwarf_cursor_left(cursor) >= sizeof(value)) {
		memcpy(&value, cursor->at, sizeof(value));
		value &= UINT64_MAX >> (64 - 8 * bytes);
	} else {
		memcpy(&value, cursor->at, bytes);
	}
	cursor->at += bytes;
	return value;
}

static inline uint8_t dwarf_cursor_byte(struct dwarf_cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->damaged = true;
		return 0;
	}
	return *cursor->at++;
}

/* LEB128, section 7.6; what is above 64 bits is lost. */
static inline uint64_t dwarf_cursor_uleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	if (cursor->at != cursor->end && *cursor->at < 0x80)
		return *cursor->at++;
	do {
		byte = dwarf_cursor_byte(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static inline int64_t dwarf_cursor_sleb(struct dwarf_cursor *cursor)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = dwarf_cursor_byte(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* A string up to its NUL; null when there is none. */
static inline const char *dwarf_cursor_string(struct dwarf_cursor *cursor)
{
	const uint8_t *start = cursor->at;
	const uint8_t *nul = NULL;

	if (dwarf_cursor_left(cursor) > 0)
		nul = memchr(start, 0, dwarf_cursor_left(cursor));
	if (!nul) {
		dwarf_cursor_fail(cursor);
		return NULL;
	}
	cursor->at = nul + 1;
	return (const char *)start;
}

/*
 * The length that a unit or a table begins with (section 7.4).  What follows
 * is `*offset_bytes` wide where it says an offset; the cursor ends where the
 * unit does.  False when it is damaged.
 */
static inline bool dwarf_cursor_unit(
	struct dwarf_cursor *cursor, unsigned *offset_bytes)
{
	uint64_t bytes = dwarf_cursor_fixed(cursor, 4);

	*offset_bytes = 4;
	if (bytes == 0xffffffff) {
		*offset_bytes = 8;
		bytes = dwarf_cursor_fixed(cursor, 8);
	}
	if (cursor->damaged || dwarf_cursor_left(cursor) < bytes)
		return false;
	cursor->end = cursor->at + bytes;
	return true;
}

#endif
