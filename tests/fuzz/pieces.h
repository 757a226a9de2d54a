/*
 * Mutations of inputs that consist of pieces: frames, blocks, steps.  Used by
 * the mutators of the targets that read logs; a target says what a piece is,
 * and what has to fit together in one after its inside has changed.
 */
#ifndef TESTS_FUZZ_PIECES_H
#define TESTS_FUZZ_PIECES_H

#include <stdbool.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#define PIECES_MAX 128u
#define PIECE_ROOM ((size_t)1 << 16)

struct piece {
	size_t at;   /* in the input, framing included */
	size_t size; /* likewise */
	size_t head; /* bytes of the framing */
};

struct piece_format {
	/* The piece at the start of these bytes; of what is none, a piece
	 * without a head up to where one may be. */
	struct piece (*find)(const uint8_t *bytes, size_t size);
	/* The inside, in place; its new size, up to `most`. */
	size_t (*change)(
		uint8_t *inside, size_t size, size_t most, uint32_t *seed);
	/* Frames an inside; how many bytes that takes, 0: no room. */
	size_t (*frame)(
		uint8_t *into, size_t room, const uint8_t *inside, size_t size);
	/* What all pieces have to do with each other; or null. */
	void (*mend)(uint8_t *bytes, size_t size);
};

static inline uint32_t pieces_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static inline bool pieces_chance(uint32_t *seed, uint32_t percent)
{
	return pieces_random(seed) % 100 < percent;
}

static inline size_t pieces_list(const struct piece_format *format,
	const uint8_t *bytes, size_t size, struct piece *pieces)
{
	size_t count = 0;
	size_t at = 0;

	while (at < size && count < PIECES_MAX) {
		pieces[count] = format->find(bytes + at, size - at);
		pieces[count].at = at;
		at += pieces[count++].size;
	}
	return count;
}

/* In place of the piece come these bytes; the new size of all. */
static inline size_t pieces_replace(uint8_t *bytes, size_t size, size_t most,
	const struct piece *piece, const uint8_t *with, size_t count)
{
	size_t after = size - piece->at - piece->size;

	if (most < size - piece->size || most - (size - piece->size) < count)
		return size;
	memmove(bytes + piece->at + count, bytes + piece->at + piece->size,
		after);
	if (count > 0)
		memcpy(bytes + piece->at, with, count);
	return size - piece->size + count;
}

static inline size_t pieces_change(const struct piece_format *format,
	uint8_t *bytes, size_t size, size_t most, const struct piece *piece,
	uint32_t *seed)
{
	static uint8_t inside[PIECE_ROOM], framed[PIECE_ROOM + 16];
	size_t length = piece->size - piece->head;

	if (length > PIECE_ROOM)
		return size;
	memcpy(inside, bytes + piece->at + piece->head, length);
	length = format->change(inside, length, PIECE_ROOM, seed);
	length = format->frame(framed, sizeof(framed), inside, length);
	return length ? pieces_replace(bytes, size, most, piece, framed, length)
		      : size;
}

/* A copy of `from`, before `to` or in its place. */
static inline size_t pieces_copy(uint8_t *bytes, size_t size, size_t most,
	const struct piece *from, struct piece to, bool instead)
{
	static uint8_t copy[PIECE_ROOM];

	if (from->size > PIECE_ROOM)
		return size;
	memcpy(copy, bytes + from->at, from->size);
	if (!instead)
		to.size = 0;
	return pieces_replace(bytes, size, most, &to, copy, from->size);
}

static inline size_t pieces_mutate(const struct piece_format *format,
	uint8_t *bytes, size_t size, size_t most, uint32_t seed)
{
	struct piece pieces[PIECES_MAX];
	size_t count = pieces_list(format, bytes, size, pieces);
	uint32_t chance = pieces_random(&seed) % 100;
	const struct piece *one, *other;

	if (count == 0 || chance < 4)
		return LLVMFuzzerMutate(bytes, size, most);
	one = &pieces[pieces_random(&seed) % count];
	other = &pieces[pieces_random(&seed) % count];
	if (chance < 72)
		size = pieces_change(format, bytes, size, most, one, &seed);
	else if (chance < 80)
		size = pieces_replace(bytes, size, most, one, NULL, 0);
	else
		size = pieces_copy(bytes, size, most, one, *other, chance < 88);
	if (format->mend && pieces_chance(&seed, 90))
		format->mend(bytes, size);
	return size;
}

/* Pieces of two inputs in one. */
static inline size_t pieces_cross(const struct piece_format *format,
	const uint8_t *const bytes[2], const size_t sizes[2], uint8_t *into,
	size_t most, uint32_t seed)
{
	struct piece pieces[2][PIECES_MAX];
	size_t counts[2], at[2] = {0, 0};
	size_t size = 0;
	unsigned from;

	for (from = 0; from < 2; from++)
		counts[from] = pieces_list(
			format, bytes[from], sizes[from], pieces[from]);
	from = pieces_random(&seed) % 2;
	while (at[from] < counts[from]) {
		const struct piece *piece = &pieces[from][at[from]++];

		if (pieces_chance(&seed, 20))
			continue;
		if (most - size < piece->size)
			break;
		memcpy(into + size, bytes[from] + piece->at, piece->size);
		size += piece->size;
		if (pieces_chance(&seed, 30))
			from = !from;
	}
	if (format->mend)
		format->mend(into, size);
	return size;
}

/* The mutators of a target whose inputs are of this format. */
#define PIECES_MUTATORS(format)                                                \
	size_t LLVMFuzzerCustomMutator(                                        \
		uint8_t *data, size_t size, size_t most, unsigned int seed)    \
	{                                                                      \
		return pieces_mutate(&format, data, size, most, seed);         \
	}                                                                      \
                                                                               \
	size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size,  \
		const uint8_t *other, size_t other_size, uint8_t *into,        \
		size_t most, unsigned int seed)                                \
	{                                                                      \
		const uint8_t *const bytes[2] = {one, other};                  \
		const size_t sizes[2] = {one_size, other_size};                \
                                                                               \
		return pieces_cross(&format, bytes, sizes, into, most, seed);  \
	}

#endif
