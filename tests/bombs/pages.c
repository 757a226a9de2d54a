/*
 * pages MIB DIR: captures of MIB MiB in which blocks are looked for at every
 * page.  DIR/NAME.binlog is one, with a sound block at its end.
 */
#include <stdbool.h>
#include <stdio.h>

#include "tests/support/make_capture.h"

struct kind {
	const char *name;
	uint8_t fill;	   /* of a page */
	bool every_second; /* the others are zeros */
	bool head;	   /* there is one of a block, with: */
	uint32_t size;
	uint64_t nonce;
	bool own_writer; /* each has another, otherwise all the same */
	bool backwards;	 /* sequences of the one writer */
};

static const struct kind kinds[] = {
	{.name = "map32", .fill = 0xc9},
	{.name = "turns", .fill = 0xc9, .every_second = true},
	{.name = "zeros"},
	{.name = "other_nonce",
		.fill = 1,
		.head = true,
		.size = BINLOG_BLOCK_MAX,
		.nonce = 1},
	{.name = "damaged",
		.fill = 0xc9,
		.head = true,
		.size = BINLOG_PAGE,
		.nonce = MAKE_NONCE,
		.own_writer = true},
	{.name = "writers",
		.head = true,
		.size = BINLOG_PAGE,
		.nonce = MAKE_NONCE,
		.own_writer = true},
	{.name = "one_sequence",
		.head = true,
		.size = BINLOG_PAGE,
		.nonce = MAKE_NONCE},
	{.name = "backwards",
		.head = true,
		.size = BINLOG_PAGE,
		.nonce = MAKE_NONCE,
		.backwards = true},
	{.name = "overlapping",
		.head = true,
		.size = BINLOG_BLOCK_MAX,
		.nonce = MAKE_NONCE,
		.own_writer = true},
	{.name = "too_large",
		.head = true,
		.size = UINT32_MAX,
		.nonce = MAKE_NONCE,
		.own_writer = true},
};

static void fill(struct make_capture *capture, const struct kind *kind)
{
	uint32_t pages = (uint32_t)(capture->size / BINLOG_PAGE);
	uint32_t i;

	for (i = 1; i < pages; i++) {
		uint8_t *page = capture->bytes + (size_t)i * BINLOG_PAGE;
		struct binlog_block *head = (void *)page;

		if (kind->every_second && i % 2 == 0)
			continue;
		memset(page, kind->fill, BINLOG_PAGE);
		if (kind->head)
			*head = (struct binlog_block){
				.magic = BINLOG_BLOCK_MAGIC,
				.size = kind->size,
				.nonce = kind->nonce,
				.writer =
					kind->own_writer ? i * 2654435761u : 0,
				.sequence = kind->backwards ? pages - i : 0,
			};
	}
}

static void say(struct make_capture *capture)
{
	const struct make_context context = {
		.id = 16, .text = BINLOG_TEXT_LITERAL_LINE, .format = 1};
	struct make_block block = make_block(capture, UINT32_MAX, 0, 4096, 1);

	make_string(&block, 1, "said");
	make_context(&block, &context);
	make_message(&block, 16, 2);
}

int main(int argc, char **argv)
{
	char path[4096];
	size_t i;

	for (i = 0; argc == 3 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct make_capture capture = make_capture();

		make_grow(&capture, (size_t)atoi(argv[1]) << 20);
		fill(&capture, &kinds[i]);
		/* Whatever claims to be larger than a page ends before. */
		make_grow(&capture, capture.size + BINLOG_BLOCK_MAX);
		say(&capture);
		snprintf(path, sizeof(path), "%s/%s.binlog", argv[2],
			kinds[i].name);
		make_file(&capture, path);
		make_free(&capture);
	}
	return argc != 3;
}
