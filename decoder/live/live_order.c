#include "decoder/live/live_order.h"

#include <stdlib.h>
#include <string.h>

/* So many times, each of a millisecond, the rest of a call is waited for. */
#define REST_TRIES 50

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t ticks_of(uint32_t clock)
{
	if (clock == BINLOG_CLOCK_TSC) {
#if defined(__x86_64__)
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
		uint64_t ticks;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
		return ticks;
#endif
	}
	return nanoseconds(CLOCK_MONOTONIC);
}

void live_order_set_limit(struct live *live)
{
	uint64_t now = nanoseconds(CLOCK_MONOTONIC);

	if (live->count == 0 ||
		(live->sampled_at != 0 && now - live->sampled_at < live->guard))
		return;
	live->limit_ticks = live->sampled_ticks;
	live->limit_wall = live->sampled_wall;
	live->sampled_at = now;
	live->sampled_ticks =
		ticks_of(live->captures[0]->recording->header.clock);
	live->sampled_wall = nanoseconds(CLOCK_REALTIME);
}

/* Ticks of both count the same thing from the same moment. */
static bool ticks_agree(
	const struct binlog_header *a, const struct binlog_header *b)
{
	static const uint8_t unknown[sizeof(a->boot_id)];

	return a->clock == b->clock &&
	       memcmp(a->boot_id, b->boot_id, sizeof(unknown)) == 0 &&
	       memcmp(a->boot_id, unknown, sizeof(unknown)) != 0;
}

static void choose_order(struct live *live)
{
	size_t i;

	for (i = 0; i < live->count && !live->by_wall; i++) {
		const struct live_capture *first = live->captures[0];
		const struct live_capture *capture = live->captures[i];

		live->by_wall =
			capture->clock.jumped ||
			(i > 0 && (!ticks_agree(&first->recording->header,
					   &capture->recording->header) ||
					  !wall_clock_agrees(&first->clock,
						  &capture->clock)));
	}
}

/* A short-lived process learns the rate of the clock from the others. */
static void share_rate(struct live *live)
{
	struct binlog_anchor first, last;
	size_t i;

	if (live->by_wall || live->count == 0)
		return;
	first = live->captures[0]->clock.first;
	last = live->captures[0]->clock.last;
	for (i = 1; i < live->count; i++) {
		const struct wall_clock *clock = &live->captures[i]->clock;

		if (clock->first.ticks < first.ticks)
			first = clock->first;
		if (clock->last.ticks > last.ticks)
			last = clock->last;
	}
	for (i = 0; i < live->count; i++) {
		live->captures[i]->clock.first = first;
		live->captures[i]->clock.last = last;
	}
}

static uint64_t key_of(
	const struct live *live, const struct live_writer *writer)
{
	return live->by_wall ? writer->stream.wall : writer->stream.ticks;
}

static bool is_before(const struct live *live, const struct live_writer *a,
	const struct live_writer *b)
{
	uint64_t left = key_of(live, a);
	uint64_t right = key_of(live, b);

	return left != right ? left < right : a->order < b->order;
}

static void sift_down(struct live *live, size_t i)
{
	struct live_writer **heap = live->heap;
	struct live_writer *moving = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= live->heap_count)
			break;
		if (child + 1 < live->heap_count &&
			is_before(live, heap[child + 1], heap[child]))
			child++;
		if (!is_before(live, heap[child], moving))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moving;
}

static bool add_to_heap(struct live *live, struct live_writer *writer)
{
	size_t room = live->heap_room ? live->heap_room * 2 : 64;
	struct live_writer **heap;

	if (live->heap_count == live->heap_room) {
		heap = realloc(live->heap, room * sizeof(*heap));
		if (!heap)
			return false;
		live->heap = heap;
		live->heap_room = room;
	}
	live->heap[live->heap_count++] = writer;
	return true;
}

static void sort_heap(struct live *live)
{
	size_t i;

	for (i = live->heap_count / 2; i > 0; i--)
		sift_down(live, i - 1);
}

/* All writers that have something to say. */
static void make_heap(struct live *live)
{
	size_t i, j;

	live->heap_count = 0;
	for (i = 0; i < live->count; i++)
		for (j = 0; j < live->captures[i]->count; j++) {
			struct live_writer *writer =
				live->captures[i]->writers[j];

			if (writer->stream.state == WRITER_WAITS)
				live_capture_step(writer);
			if (writer->stream.state != WRITER_WAITS &&
				writer->stream.state != WRITER_END &&
				!add_to_heap(live, writer))
				live->failed = true;
		}
	sort_heap(live);
}

void live_order_begin(struct live *live)
{
	choose_order(live);
	share_rate(live);
	make_heap(live);
}

bool live_order_is_last(const struct live *live)
{
	size_t i;

	for (i = 0; i < live->count; i++)
		if (!live->captures[i]->ended)
			return false;
	return true;
}

static void settle_top(struct live *live)
{
	enum writer_state state = live->heap[0]->stream.state;
	bool turns = !live->by_wall && live->heap[0]->capture->clock.jumped;

	if (state == WRITER_WAITS || state == WRITER_END)
		live->heap[0] = live->heap[--live->heap_count];
	live->by_wall |= turns;
	if (turns)
		sort_heap(live);
	else if (live->heap_count > 0)
		sift_down(live, 0);
}

/* The rest of a call is about to be committed. */
static void wait_for_rest(struct live_writer *writer)
{
	static const struct timespec moment = {.tv_nsec = 1000000};
	int i;

	for (i = 0; i < REST_TRIES && writer->stream.state == WRITER_WAITS;
		i++) {
		nanosleep(&moment, NULL);
		live_capture_look(writer->capture, false);
		live_capture_step(writer);
	}
}

/* Steps beyond what was delivered; the next piece of the same call, if any. */
static const struct message *finish_delivered(struct live *live)
{
	struct live_writer *writer = live->heap[0];
	struct writer_stream *stream = &writer->stream;
	bool partial = stream->message.partial;

	do {
		live_capture_step(writer);
		if (partial && stream->state == WRITER_WAITS)
			wait_for_rest(writer);
	} while (partial && stream->state == WRITER_BETWEEN);
	if (partial && stream->state == WRITER_MESSAGE &&
		stream->message.continues)
		return &stream->message;
	live->delivered = false;
	settle_top(live);
	return NULL;
}

/* It was said when others may not have committed what they said before. */
static bool is_too_young(const struct live *live)
{
	return key_of(live, live->heap[0]) >=
		       (live->by_wall ? live->limit_wall : live->limit_ticks) &&
	       !live_order_is_last(live);
}

const struct message *live_next(struct live *live)
{
	const struct message *piece =
		live->delivered ? finish_delivered(live) : NULL;

	if (piece)
		return piece;
	while (live->heap_count > 0 && !is_too_young(live)) {
		struct live_writer *top = live->heap[0];

		if (top->stream.state == WRITER_MESSAGE) {
			live->delivered = live->busy = true;
			return &top->stream.message;
		}
		live_capture_step(top);
		settle_top(live);
	}
	live->busy |= live->heap_count > 0;
	return NULL;
}

void live_end_pass(struct live *live)
{
	if (live->delivered)
		finish_delivered(live);
	live->delivered = false;
}
