/*
 * clock_capture SCENARIO FILE: a capture as four threads would have written it
 * in twenty seconds, had the clocks behaved like that.  Each message tells the
 * thread, the number, and the true nanoseconds since MAKE_EPOCH.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/make_capture.h"

#define SECOND 1000000000ull
#define HZ 2500000000ull
#define EPOCH_SHIFT 31 /* of the writer: see shim/host/clock.h */

enum { THREADS = 4, CONTEXT = 16, BLOCK = 65536 };

/* From this moment on, everything is different. */
static const uint64_t turn = 10 * SECOND + 123456789;
static const char *scenario;

static bool is(const char *name)
{
	return strcmp(scenario, name) == 0;
}

static uint64_t ticks_at(uint64_t t)
{
	const uint64_t base = 50000ull * HZ; /* up for half a day */
	const uint64_t hour = 3600ull * HZ;
	uint64_t ticks = base + t / 1000 * (HZ / 1000000) + t % 1000 * 5 / 2;

	if (t < turn)
		return ticks;
	if (is("back"))
		return ticks - hour;
	if (is("forward"))
		return ticks + hour;
	if (is("zero"))
		return ticks - base; /* another machine has just been started */
	if (is("faster"))
		return ticks + (t - turn) / 2;
	if (is("slower"))
		return ticks - (t - turn) / 2;
	return ticks;
}

static struct binlog_anchor anchor_at(uint64_t t)
{
	struct binlog_anchor anchor = {
		.ticks = ticks_at(t),
		.monotonic = 7 * SECOND + t,
		.boottime = 7 * SECOND + t,
		.realtime = MAKE_EPOCH + t,
	};

	if (is("drift")) /* clocks of the kernel are steered by 500 ppm */
		anchor.realtime += t / 2000;
	if ((is("suspend") || is("stop")) && t >= turn) {
		anchor.ticks += is("suspend") ? 600 * HZ : 0;
		anchor.boottime += 600 * SECOND;
		anchor.realtime += 600 * SECOND;
	}
	return anchor;
}

static void say(struct make_block *block, uint64_t *epoch, unsigned thread,
	unsigned number, uint64_t t)
{
	struct binlog_anchor anchor = anchor_at(t);

	if (anchor.ticks >> EPOCH_SHIFT != *epoch) {
		make_clock(block, &anchor);
		*epoch = anchor.ticks >> EPOCH_SHIFT;
	}
	make_message(block, CONTEXT, anchor.ticks);
	make_u32(block, thread);
	make_u32(block, number);
	make_u64(block, anchor.realtime - MAKE_EPOCH);
}

static void write_thread(struct make_capture *capture, unsigned thread)
{
	static const char format[] = "thread %d number %d time %ld\n";
	const struct make_context context = {.id = CONTEXT,
		.text = BINLOG_TEXT_FORMAT,
		.format = 1,
		.stream = 1,
		.kinds = "\1\1\2"};
	/* The last one begins when all is different. */
	uint64_t first = thread == THREADS - 1 ? turn + SECOND : 0;
	struct binlog_anchor anchor = anchor_at(first + thread * 1000);
	struct make_block block =
		make_block(capture, thread, 0, BLOCK, anchor.ticks);
	uint64_t epoch = anchor.ticks >> EPOCH_SHIFT;
	unsigned number = 0;

	make_block_head(&block)->anchor = anchor;
	make_string(&block, 1, format);
	make_stream(&block, 1, 0, 1);
	make_context(&block, &context);
	for (uint64_t t = first + SECOND / 100; t < 20 * SECOND;
		t += SECOND / 25) {
		/* One of them falls silent for a while, and has a block more.
		 */
		if (thread == 1 && t > 8 * SECOND && t < 12 * SECOND)
			continue;
		if (thread == 2 && number == 300) {
			anchor = anchor_at(t);
			block = make_block(
				capture, thread, 1, BLOCK, anchor.ticks);
			make_block_head(&block)->anchor = anchor;
			epoch = anchor.ticks >> EPOCH_SHIFT;
		}
		say(&block, &epoch, thread, number++,
			t + thread * (SECOND / 100));
	}
}

int main(int argc, char **argv)
{
	struct make_capture capture = make_capture();

	scenario = argv[1];
	make_header(&capture)->clock = BINLOG_CLOCK_TSC;
	make_header(&capture)->start = anchor_at(0);
	for (unsigned thread = 0; thread < THREADS; thread++)
		write_thread(&capture, thread);
	make_file(&capture, argv[2]);
	make_free(&capture);
	return argc != 3;
}
