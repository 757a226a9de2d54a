/*
 * Small captures of writers that say single characters, for unit tests of
 * order and of damage.
 */
#ifndef TESTS_SMALL_TALK_H
#define TESTS_SMALL_TALK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/world/read_back.h"

#define I32 "\1"
#define STRING "\5"

/* Contexts: a character, a text, a part of one, and the letter L. */
#define CHARACTER 16u
#define BYTES 17u
#define PIECE 18u
#define LITERAL 19u

/* A block; the first one of a writer defines the contexts above. */
static inline struct make_block small_talk_block(struct make_capture *capture,
	uint32_t writer, uint32_t sequence, uint32_t size, uint64_t ticks)
{
	const struct make_context contexts[] = {
		{.id = CHARACTER, .text = BINLOG_TEXT_CHARACTER, .kinds = I32},
		{.id = BYTES, .text = BINLOG_TEXT_BYTES, .kinds = STRING},
		{.id = PIECE,
			.text = BINLOG_TEXT_BYTES,
			.flags = BINLOG_CONTEXT_PARTIAL,
			.kinds = STRING},
		{.id = LITERAL, .text = BINLOG_TEXT_LITERAL, .format = 1},
	};
	struct make_block block =
		make_block(capture, writer, sequence, size, ticks);
	size_t i;

	if (sequence > 0)
		return block;
	make_string(&block, 1, "L");
	for (i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		make_context(&block, &contexts[i]);
	return block;
}

static inline void small_talk_say(
	struct make_block *block, uint64_t ticks, char character)
{
	make_message(block, CHARACTER, ticks);
	make_u32(block, (uint32_t)character);
}

static inline void small_talk_expect(const struct make_capture *capture,
	size_t size, const char *text, size_t errors)
{
	struct read_back read = read_back_part(capture, size);

	assert_string_equal(read.text.data, text);
	assert_int_equal(read.errors.count, errors);
	read_back_free(&read);
}

#endif
