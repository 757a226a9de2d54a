/*
 * Captures as inputs: each piece is a 16-bit number of bytes and these bytes,
 * which begin at a multiple of BINLOG_PAGE of the file; so the zeros that a
 * capture is full of need not be mutated.  The first piece is the header page.
 */
#ifndef TESTS_FUZZ_PAGED_H
#define TESTS_FUZZ_PAGED_H

#include "record/layout.h"
#include "tests/fuzz/pieces.h"

#define PAGED_HEAD sizeof(uint16_t)
#define PAGED_FILE_MAX ((size_t)32 * BINLOG_PAGE)

static inline struct piece paged_find(const uint8_t *bytes, size_t size)
{
	struct piece piece = {.size = size};
	uint16_t length;

	if (size < PAGED_HEAD)
		return piece;
	memcpy(&length, bytes, sizeof(length));
	piece.head = PAGED_HEAD;
	if (size - PAGED_HEAD > length)
		piece.size = PAGED_HEAD + length;
	return piece;
}

static inline size_t paged_frame(
	uint8_t *into, size_t room, const uint8_t *inside, size_t size)
{
	uint16_t length = (uint16_t)size;

	if (size > UINT16_MAX || room < PAGED_HEAD + size)
		return 0;
	memcpy(into, &length, sizeof(length));
	memcpy(into + PAGED_HEAD, inside, size);
	return PAGED_HEAD + size;
}

/* The file that the input describes; its size. */
static inline size_t paged_file(
	const uint8_t *data, size_t size, uint8_t file[PAGED_FILE_MAX])
{
	size_t end = 0;
	size_t at = 0;

	while (at < size) {
		struct piece piece = paged_find(data + at, size - at);
		size_t length = piece.size - piece.head;
		size_t begin = (end + BINLOG_PAGE - 1) & -(size_t)BINLOG_PAGE;

		/* An empty piece is a page of zeros. */
		if (PAGED_FILE_MAX - begin < length + BINLOG_PAGE)
			break;
		memset(file + end, 0, begin - end);
		memcpy(file + begin, data + at + piece.head, length);
		end = begin + length;
		if (length == 0) {
			memset(file + begin, 0, BINLOG_PAGE);
			end += BINLOG_PAGE;
		}
		at += piece.size;
	}
	return end;
}

/* Words that mean something in a record, or nearly do. */
static inline uint32_t paged_word(
	const uint8_t *inside, size_t size, uint32_t *seed)
{
	uint32_t small = pieces_random(seed) % 40;
	uint32_t word = 0;

	switch (pieces_random(seed) % 8) {
	case 0:
		return small;
	case 1:
		return BINLOG_CONTINUES | small << BINLOG_LENGTH_SHIFT |
		       (BINLOG_CONTEXT_FIRST + small % 8);
	case 2:
		return BINLOG_CONTINUES | BINLOG_REPEATS | small % 4 << 24 |
		       (small & 4 ? BINLOG_OTHER : 0) | 0x616161;
	case 3:
		return BINLOG_STRING_ID | small % 8;
	case 4:
		return BINLOG_SHORT | small % 5 << 24 | 0x626262;
	case 5:
		return (uint32_t)size - small * 4;
	case 6:
		return (small & 1 ? UINT32_MAX : INT32_MAX) - small / 2;
	default: /* another word of the same piece */
		if (size >= sizeof(word))
			memcpy(&word,
				inside + pieces_random(seed) % (size / 4) * 4,
				sizeof(word));
		return word;
	}
}

/* Puts a stretch of words elsewhere: a record, if it happens to be one. */
static inline size_t paged_move(
	uint8_t *inside, size_t size, size_t most, uint32_t *seed)
{
	size_t words = size / 4;
	size_t from = pieces_random(seed) % words * 4;
	size_t length = (1 + pieces_random(seed) % 16) * 4;
	size_t to = pieces_random(seed) % words * 4;
	uint8_t moved[64];

	if (length > size - from)
		length = size - from;
	if (most - size < length)
		return size;
	memcpy(moved, inside + from, length);
	memmove(inside + to + length, inside + to, size - to);
	memcpy(inside + to, moved, length);
	return size + length;
}

static inline size_t paged_change(
	uint8_t *inside, size_t size, size_t most, uint32_t *seed)
{
	uint32_t chance = pieces_random(seed) % 100;
	uint32_t word;

	if (most > UINT16_MAX)
		most = UINT16_MAX;
	if (chance < 40 || size < 8)
		return LLVMFuzzerMutate(inside, size, most);
	if (chance < 55)
		return paged_move(inside, size, most, seed);
	if (chance < 60)
		return size - size % 4 - pieces_random(seed) % (size / 4) * 4;
	word = paged_word(inside, size, seed);
	memcpy(inside + pieces_random(seed) % (size / 4) * 4, &word,
		sizeof(word));
	return size;
}

/* Header and blocks are known as such, and are of one file. */
static inline void paged_mend(uint8_t *bytes, size_t size)
{
	struct binlog_header header = {0};
	struct piece pieces[PIECES_MAX];
	const struct piece_format format = {.find = paged_find};
	size_t count = pieces_list(&format, bytes, size, pieces);
	const uint32_t magic = BINLOG_BLOCK_MAGIC;
	size_t i;

	if (count == 0 || pieces[0].size < PAGED_HEAD + sizeof(header))
		return;
	memcpy(&header, bytes + PAGED_HEAD, sizeof(header));
	memcpy(header.magic, BINLOG_MAGIC, sizeof(header.magic));
	header.version = BINLOG_VERSION;
	header.byte_order = BINLOG_BYTE_ORDER;
	memcpy(bytes + PAGED_HEAD, &header, sizeof(header));
	for (i = 1; i < count; i++) {
		uint8_t *block = bytes + pieces[i].at + pieces[i].head;

		if (pieces[i].size < PAGED_HEAD + sizeof(struct binlog_block))
			continue;
		memcpy(block, &magic, sizeof(magic));
		memcpy(block + offsetof(struct binlog_block, nonce),
			&header.nonce, sizeof(header.nonce));
	}
}

static const struct piece_format paged_format = {
	paged_find, paged_change, paged_frame, paged_mend};

#endif
