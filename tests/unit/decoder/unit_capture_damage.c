/*
 * Damage of large captures: each block that is undamaged is read, once,
 * whatever has happened to the others.  LONG=1: 3,000 files with changed bits,
 * 10,000 with pages that are gone or elsewhere and as many joins, a cut at
 * every byte of 1 MB.
 */
#include "tests/unit/world/small_talk.h"

#define NUMBER 20u
#define BLOCKS_MOST 2000u

/* A capture whose every block is a page and a writer, and says its number. */
struct large {
	struct make_capture capture;
	struct make_capture damaged; /* a copy; of any size */
	size_t blocks;
	size_t read[BLOCKS_MOST]; /* how often each was */
	uint64_t seed;
};

static size_t long_or(size_t many, size_t few)
{
	return getenv("LONG") ? many : few;
}

static size_t chance(struct large *large, size_t below)
{
	large->seed = large->seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(large->seed >> 33) % below;
}

static struct large make_large(size_t blocks)
{
	const struct make_context context = {.id = NUMBER,
		.text = BINLOG_TEXT_FORMAT,
		.format = 2,
		.kinds = I32 I32};
	struct large large = {make_capture(), {0}, blocks, {0}, 1};
	size_t i;

	for (i = 0; i < blocks; i++) {
		struct make_block block = make_block(
			&large.capture, (uint32_t)i, 0, BINLOG_PAGE, 1 + i);

		make_string(&block, 2, "<%d %d>");
		make_context(&block, &context);
		make_message(&block, NUMBER, 1 + i);
		make_u32(&block, (uint32_t)i);
		make_u32(&block, ~(uint32_t)i);
	}
	large.damaged.bytes = malloc(2 * large.capture.size);
	return large;
}

static void free_large(struct large *large)
{
	make_free(&large->capture);
	make_free(&large->damaged);
}

static void restore(struct large *large)
{
	large->damaged.size = large->capture.size;
	memcpy(large->damaged.bytes, large->capture.bytes, large->capture.size);
}

/* Reads the file; how many errors there were. */
static size_t read_file(struct large *large, const char *path)
{
	struct read_back read = read_back_files(&path, 1);
	const char *at = read.text.data;
	const char *end = at + read.text.length;
	size_t errors = read.errors.count;

	memset(large->read, 0, sizeof(large->read));
	/* Damaged blocks may say anything, NULs too. */
	while ((at = memchr(at, '<', (size_t)(end - at)))) {
		int number, inverse;

		if (sscanf(++at, "%d %d>", &number, &inverse) == 2 &&
			number == ~inverse && number >= 0 &&
			(size_t)number < large->blocks)
			large->read[number]++;
	}
	read_back_free(&read);
	return errors;
}

/* Likewise the first bytes of the damaged one. */
static size_t read_damaged(struct large *large, size_t size)
{
	const char *path = read_back_path(0);
	size_t errors;

	make_file_of(&large->damaged, path, size);
	errors = read_file(large, path);
	unlink(path);
	return errors;
}

static uint8_t *page_of(struct large *large, size_t block)
{
	return large->damaged.bytes + (1 + block) * BINLOG_PAGE;
}

static bool is_whole(struct large *large, size_t block)
{
	return memcmp(page_of(large, block),
		       large->capture.bytes + (1 + block) * BINLOG_PAGE,
		       BINLOG_PAGE) == 0;
}

static void changed_bits_cost_the_blocks_that_they_are_in(void **state)
{
	struct large large = make_large(BLOCKS_MOST);
	size_t files = long_or(3000, 30);
	size_t flips, i;

	(void)state;
	while (files-- > 0) {
		restore(&large);
		for (flips = 1 + chance(&large, 50); flips > 0; flips--)
			page_of(&large, chance(&large, large.blocks))[chance(
				&large, files % 2 ? 200 : BINLOG_PAGE)] ^=
				(uint8_t)(1u << chance(&large, 8));
		read_damaged(&large, large.damaged.size);
		for (i = 0; i < large.blocks; i++)
			if (is_whole(&large, i))
				assert_int_equal(large.read[i], 1);
	}
	free_large(&large);
}

/* Zeroed, twice, gone, or in another order: as after a power cut. */
static void damage_pages(struct large *large, size_t *times)
{
	size_t one = chance(large, large->blocks);
	size_t other = chance(large, large->blocks);
	uint8_t page[BINLOG_PAGE];

	switch (chance(large, 4)) {
	case 0:
		memset(page_of(large, one), 0, BINLOG_PAGE);
		break;
	case 1:
		memcpy(page_of(large, one), page_of(large, other), BINLOG_PAGE);
		break;
	case 2:
		memcpy(page, page_of(large, one), BINLOG_PAGE);
		memcpy(page_of(large, one), page_of(large, other), BINLOG_PAGE);
		memcpy(page_of(large, other), page, BINLOG_PAGE);
		break;
	default: /* those behind it move; the last is there twice */
		memmove(page_of(large, one), page_of(large, one + 1),
			(large->blocks - 1 - one) * BINLOG_PAGE);
	}
	memset(times, 0, large->blocks * sizeof(*times));
	for (one = 0; one < large->blocks; one++)
		for (other = 0; other < large->blocks; other++)
			times[other] +=
				memcmp(page_of(large, one),
					large->capture.bytes +
						(1 + other) * BINLOG_PAGE,
					sizeof(struct binlog_block)) == 0;
}

static void pages_that_are_gone_twice_or_elsewhere(void **state)
{
	struct large large = make_large(40);
	size_t files = long_or(10000, 300);
	size_t times[40];
	size_t damages, i;

	(void)state;
	while (files-- > 0) {
		restore(&large);
		for (damages = 1 + chance(&large, 6); damages > 0; damages--)
			damage_pages(&large, times);
		read_damaged(&large, large.damaged.size);
		for (i = 0; i < large.blocks; i++)
			assert_int_equal(large.read[i], times[i] > 0);
	}
	free_large(&large);
}

static void cut_anywhere_what_is_before_it_is_read(void **state)
{
	struct large large = make_large(255);
	const char *path = read_back_path(0);
	size_t step = long_or(1, 997);
	size_t said = sizeof(struct binlog_block);
	size_t size, i;

	(void)state;
	restore(&large);
	/* The message ends with its number, before zeros. */
	for (i = 0; i < BINLOG_PAGE; i++)
		if (page_of(&large, 254)[i] != 0)
			said = (i + 4) & ~(size_t)3;
	make_file(&large.damaged, path);
	for (size = large.damaged.size; size >= BINLOG_PAGE; size -= step) {
		size_t whole = size / BINLOG_PAGE - 1;
		bool part = size % BINLOG_PAGE >= said;

		assert_int_equal(truncate(path, (off_t)size), 0);
		assert_int_equal(
			read_file(&large, path) > 0, size < large.damaged.size);
		for (i = 0; i < large.blocks; i++)
			assert_int_equal(large.read[i],
				i < whole || (i == whole && part));
	}
	unlink(path);
	free_large(&large);
}

/* Another capture behind a part of this one: its blocks are not of this. */
static void what_another_capture_has_is_not_taken(void **state)
{
	struct large large = make_large(12);
	size_t files = long_or(10000, 300);
	size_t i;

	(void)state;
	while (files-- > 0) {
		/* Without any of its own it would be the header that lies. */
		size_t cut =
			(2 + chance(&large, large.blocks - 1)) * BINLOG_PAGE;
		size_t size;
		struct make_capture other = {
			large.damaged.bytes + cut, large.capture.size};

		restore(&large);
		memcpy(other.bytes, large.capture.bytes, other.size);
		for (i = 1; i <= large.blocks; i++)
			other.bytes[i * BINLOG_PAGE +
				    offsetof(struct binlog_block, nonce)] ^= 1;
		size = cut + chance(&large, other.size);
		assert_int_equal(read_damaged(&large, size) > 0,
			size > cut || cut < large.capture.size);
		for (i = 0; i < large.blocks; i++)
			assert_int_equal(
				large.read[i], i < cut / BINLOG_PAGE - 1);
	}
	free_large(&large);
}

/* Blocks of this capture in a text, at pages where blocks could begin. */
static struct make_block say_blocks(
	struct make_capture *capture, const struct make_capture *inner)
{
	static const uint8_t zeros[2 * BINLOG_PAGE];
	struct make_block block = small_talk_block(capture, 0, 0, 65536, 1);

	make_control(&block, 15, &(struct binlog_control_head){0},
		sizeof(struct binlog_control_head), zeros,
		2 * BINLOG_PAGE - (block.at + 20) % BINLOG_PAGE);
	make_message(&block, BYTES, 2);
	make_u32(&block, (uint32_t)inner->size);
	assert_int_equal(block.at % BINLOG_PAGE, 0);
	make_bytes(&block, inner->bytes, inner->size);
	return block;
}

static void blocks_in_a_text_stay_there_when_its_record_is_damaged(void **state)
{
	struct make_capture inner = make_capture();
	struct make_capture capture = make_capture();
	struct make_block said = small_talk_block(&inner, 9, 0, 4096, 1);
	struct make_block block;
	struct read_back read;
	size_t at;

	(void)state;
	small_talk_say(&said, 5, 'x');
	block = say_blocks(&capture, &inner);
	/* From where the records begin, word by word, to the text. */
	for (at = block.start + sizeof(struct binlog_block);
		at < block.at - inner.size; at += 4) {
		uint32_t word;

		memcpy(&word, capture.bytes + at, sizeof(word));
		memset(capture.bytes + at, 0xff, sizeof(word));
		read = read_back(&capture);
		assert_true(read.messages <= 1);
		assert_false(read.text.length == 1 && *read.text.data == 'x');
		read_back_free(&read);
		memcpy(capture.bytes + at, &word, sizeof(word));
	}
	make_free(&capture);
	make_free(&inner);
}

/* Without the block around it, only the file's number tells. */
static void blocks_of_another_capture_in_a_text_are_never_taken(void **state)
{
	struct make_capture inner = make_capture();
	struct make_capture capture = make_capture();
	struct make_block said, block;
	struct read_back read;

	(void)state;
	make_header(&inner)->nonce = MAKE_NONCE + 1;
	said = small_talk_block(&inner, 9, 0, 4096, 1);
	small_talk_say(&said, 5, 'x');
	block = say_blocks(&capture, &inner);
	make_block_head(&block)->magic++;
	said = small_talk_block(&capture, 1, 0, 4096, 7);
	small_talk_say(&said, 8, 'y');
	read = read_back(&capture);
	assert_string_equal(read.text.data, "y");
	assert_int_equal(read_back_errors(&read, ERROR_BLOCK), 1);
	read_back_free(&read);
	make_free(&capture);
	make_free(&inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_bits_cost_the_blocks_that_they_are_in),
		cmocka_unit_test(pages_that_are_gone_twice_or_elsewhere),
		cmocka_unit_test(cut_anywhere_what_is_before_it_is_read),
		cmocka_unit_test(what_another_capture_has_is_not_taken),
		cmocka_unit_test(
			blocks_in_a_text_stay_there_when_its_record_is_damaged),
		cmocka_unit_test(
			blocks_of_another_capture_in_a_text_are_never_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
