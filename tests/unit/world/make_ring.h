/*
 * Builds captures with a ring (record/ring_table.h) in memory, for tests of
 * what reads them: what is said in it are letters.
 */
#ifndef TESTS_MAKE_RING_H
#define TESTS_MAKE_RING_H

#include "record/ring_table.h"
#include "tests/support/make_capture.h"

#define MAKE_RING_PLACES 16u
#define MAKE_RING_TABLE 65536u
#define MAKE_RING_CONTEXT 16u

struct make_ring {
	struct make_capture capture;
	size_t table; /* offset of its block */
};

static inline struct binlog_ring *make_ring_head(struct make_ring *ring)
{
	return ring_of(make_header(&ring->capture));
}

static inline struct binlog_ring_window *make_ring_windows(
	struct make_ring *ring)
{
	return (void *)(ring->capture.bytes + make_ring_head(ring)->table);
}

static inline struct binlog_ring_slot *make_ring_slots(struct make_ring *ring)
{
	return (void *)(make_ring_windows(ring) + BINLOG_RING_WINDOWS);
}

/* Every letter is a context, defined at a time that may be later. */
static inline void make_ring_define(
	struct make_ring *ring, uint32_t writer, uint64_t ticks)
{
	struct make_block block =
		make_block(&ring->capture, writer, 0, 4096, ticks);

	for (uint32_t i = 0; i < 26; i++) {
		const char text[] = {(char)('a' + i), '\0'};
		const struct make_context context = {
			.id = MAKE_RING_CONTEXT + i,
			.text = BINLOG_TEXT_LITERAL,
			.format = i + 1};

		make_string(&block, i + 1, text);
		make_context(&block, &context);
	}
}

static inline struct make_ring make_ring(uint32_t waits)
{
	struct make_ring ring = {.capture = make_capture()};
	struct make_block table =
		make_block(&ring.capture, 99, 0, MAKE_RING_TABLE, 1);
	const struct binlog_control_head head = {
		BINLOG_RING, MAKE_RING_TABLE - sizeof(struct binlog_block) - 4};

	ring.table = table.start;
	make_bytes(&table, &head, sizeof(head));
	*make_ring_head(&ring) = (struct binlog_ring){
		.bytes = 1 << 20,
		.table = table.at,
		.slots = MAKE_RING_PLACES,
		.waits = waits,
		.overwritten = 1,
	};
	make_ring_define(&ring, 0, 5000);
	return ring;
}

/* A slot with the next letters of the alphabet, a tick each from `ticks` on.
 */
static inline void make_ring_add(struct make_ring *ring, uint32_t sequence,
	uint64_t ticks, const char *letters, enum ring_state state)
{
	uint32_t index = make_ring_head(ring)->used++;
	uint64_t from = ticks;
	struct make_block block = make_block(
		&ring->capture, 0, sequence | BINLOG_RING_DATA, 4096, ticks);

	make_thread(&block, MAKE_PID, "talker");
	for (; *letters; letters++)
		make_message(&block,
			MAKE_RING_CONTEXT + (uint32_t)(*letters - 'a'),
			ticks++);
	make_ring_slots(ring)[index] = (struct binlog_ring_slot){
		.at = block.start | 1,
		.state = (uint64_t)(ticks) << RING_COUNT_SHIFT | state,
		.from = from,
		.until = ticks - 1,
	};
}

static inline void make_ring_keep(
	struct make_ring *ring, uint64_t from, uint64_t until)
{
	make_ring_windows(ring)[make_ring_head(ring)->windows++] =
		(struct binlog_ring_window){.from = from,
			.until = until,
			.at = until,
			.cause = BINLOG_CAUSE_RULE};
}

#endif
