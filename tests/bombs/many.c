/*
 * many COUNT DIR: captures with COUNT of something that is small.
 * DIR/NAME.binlog is one; DIR/files is a directory of COUNT / 20 of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/support/make_capture.h"

#define BLOCK (1u << 18)
#define ROOM 256u /* of a record, and more */

static uint32_t count;

/* A sequence of blocks of one writer, as many as are needed. */
struct making {
	struct make_capture capture;
	struct make_block block;
	uint32_t block_bytes;
	uint32_t blocks;
	uint64_t ticks;
};

static struct make_block *room(struct making *made)
{
	if (made->blocks == 0 || made->block.end - made->block.at < ROOM)
		made->block = make_block(&made->capture, 0, made->blocks++,
			made->block_bytes, made->ticks);
	return &made->block;
}

/* It moves no more: the block points to it. */
static void begin(struct making *made, uint32_t block_bytes, uint64_t nonce)
{
	*made = (struct making){.capture = make_capture(),
		.block_bytes = block_bytes,
		.ticks = 1};
	make_header(&made->capture)->nonce += nonce;
	make_string(room(made), 1, "said");
}

static void site(struct making *made, uint32_t id, uint32_t stream)
{
	const struct make_context context = {.id = id,
		.text = BINLOG_TEXT_LITERAL_LINE,
		.format = 1,
		.stream = stream};

	make_context(room(made), &context);
}

static void say(struct making *made, uint32_t context)
{
	make_message(room(made), context, ++made->ticks);
}

static void finish(struct making *made, const char *directory, const char *name)
{
	char path[4096];

	site(made, 16, 0);
	say(made, 16);
	snprintf(path, sizeof(path), "%s/%s.binlog", directory, name);
	make_file(&made->capture, path);
	make_free(&made->capture);
}

static void strings(struct making *made)
{
	uint32_t i;
	char text[16];

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%u", i);
		make_string(room(made), i + 1, text);
	}
}

static void duplicates(struct making *made)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		make_string(room(made), 2, i % 2 ? "one" : "another");
		site(made, 17, 0);
		say(made, 17);
	}
}

/* Each names a site that is far from the others. */
static void sites(struct making *made)
{
	uint32_t i;

	for (i = 1; i < count; i++) {
		site(made, i << 14, 0);
		say(made, i << 14);
	}
}

/* Files whose device and inode cancel each other. */
static void inodes(struct making *made)
{
	struct binlog_stream_record stream = {.mode = S_IFREG, .fd = 1};
	uint32_t i;

	for (i = 1; i < count; i++) {
		stream.id = i;
		stream.device = i;
		stream.inode = (uint64_t)i << 40;
		make_control(room(made), BINLOG_STREAM, &stream, sizeof(stream),
			"", 0);
		site(made, 16 + i, i);
		say(made, 16 + i);
	}
}

static void threads(struct making *made)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		make_thread(room(made), MAKE_PID + i, "thread");
}

static void modules(struct making *made)
{
	uint64_t i;

	for (i = 1; i < count; i++)
		make_module(
			room(made), i << 12, (i + 1) << 12, 0, "/nowhere/a");
}

static void processes(struct making *made)
{
	uint32_t i;

	for (i = 1; i < count; i++)
		make_process(room(made), MAKE_PID + i, "/nowhere/a");
}

static void clocks(struct making *made)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct binlog_anchor anchor = make_anchor(++made->ticks);

		make_clock(room(made), &anchor);
	}
}

/* Blocks of a page with one message each: of one writer or as many. */
static void blocks(struct making *made, bool writers)
{
	struct make_block block;
	uint32_t i;

	for (i = 1; i <= count / 4; i++) {
		const struct make_context context = {.id = 16,
			.text = BINLOG_TEXT_LITERAL_LINE,
			.format = 1};

		block = make_block(&made->capture, writers ? i : 1,
			writers ? 0 : i - 1, BINLOG_PAGE, ++made->ticks);
		make_string(&block, 1, "said");
		make_context(&block, &context);
		make_message(&block, 16, made->ticks);
	}
}

static void one_writer(struct making *made)
{
	blocks(made, false);
}

static void writers(struct making *made)
{
	blocks(made, true);
}

static void files(const char *directory)
{
	char path[2048];
	char name[16];
	uint32_t i;

	snprintf(path, sizeof(path), "%s/files", directory);
	mkdir(path, 0700);
	for (i = 0; i < count / 20; i++) {
		struct making made;

		begin(&made, BINLOG_PAGE, i);
		snprintf(name, sizeof(name), "%u", i);
		finish(&made, path, name);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct making *made);
	} kinds[] = {
		{"strings", strings},
		{"duplicates", duplicates},
		{"sites", sites},
		{"inodes", inodes},
		{"threads", threads},
		{"modules", modules},
		{"processes", processes},
		{"clocks", clocks},
		{"one_writer", one_writer},
		{"writers", writers},
	};
	size_t i;

	if (argc < 3)
		return 2;
	count = (uint32_t)atoi(argv[1]);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct making made;

		begin(&made, BLOCK, 0);
		kinds[i].make(&made);
		finish(&made, argv[2], kinds[i].name);
	}
	files(argv[2]);
	return 0;
}
