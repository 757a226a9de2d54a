/*
 * Any bytes as a capture (see paged.h): whoever follows it when nobody writes
 * to it any more is told of the same messages in the same order, and of the
 * same damage, as whoever reads it.  Unless its blocks are damaged, it then
 * grows, record by record, in any order of its writers, and of each writer its
 * follower is told of the same messages as before.
 */
#include <fcntl.h>

#include "decoder/capture/merge.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/live/live.h"
#include "record/hash.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/paged.h"

#define BLOCKS_MAX (PAGED_FILE_MAX / BINLOG_PAGE)
#define RECORDS_MAX 2048u

struct record {
	uint64_t offset;
	uint64_t sum;
};

/* Of a writer, in its order. */
struct told {
	uint32_t writer;
	struct record records[RECORDS_MAX];
	size_t count;
};

/* All of a capture, in the order of times. */
struct reading {
	struct error_list errors;
	uint64_t messages;
	uint64_t sum;
};

static uint8_t file[PAGED_FILE_MAX];
static struct memory_file capture_file;
static struct render_buffer text;
static struct told whole[BLOCKS_MAX], followed[BLOCKS_MAX];
static struct recording_block blocks[BLOCKS_MAX];
static uint64_t shown[BLOCKS_MAX]; /* bytes of each that are there */
static size_t block_count;

static struct record record_of(const struct message *message)
{
	const uint64_t numbers[] = {message->ticks, message->pid, message->tid,
		message->continues, message->partial};

	text.length = 0;
	if (!message_is_event(message))
		message_text(message, &text);
	return (struct record){message->offset,
		binlog_hash_word(binlog_hash(numbers, sizeof(numbers)),
			text.length ? binlog_hash(text.data, text.length) : 0)};
}

static bool tell(struct told *all, uint32_t writer, const struct record *record)
{
	struct told *told = all;

	while (told < all + BLOCKS_MAX && told->count > 0 &&
		told->writer != writer)
		told++;
	if (told == all + BLOCKS_MAX || told->count == RECORDS_MAX)
		return false;
	told->writer = writer;
	told->records[told->count++] = *record;
	return true;
}

static void add_to_reading(struct reading *reading,
	const struct message *message, const struct record *record)
{
	const uint64_t numbers[] = {
		reading->sum, record->offset, record->sum, message->wall};

	reading->messages++;
	reading->sum = binlog_hash(numbers, sizeof(numbers));
}

static void forget(struct told *all)
{
	size_t i;

	for (i = 0; i < BLOCKS_MAX; i++)
		all[i].count = 0;
}

static const struct recording_block *block_at(uint64_t offset)
{
	size_t i;

	for (i = 0; i < block_count; i++)
		if (offset >= blocks[i].offset &&
			offset - blocks[i].offset < blocks[i].size)
			return &blocks[i];
	FUZZ_CHECK(!"a message is in a block");
	return NULL;
}

/* It is told first. */
static bool is_page_mended(const struct error_list *errors)
{
	return errors->count > 0 &&
	       (errors->kept[0].code == ERROR_PAGE_LOST ||
		       errors->kept[0].code == ERROR_PAGE_MENDED);
}

/* What is in a ring, or behind a damaged page, is not followed, and what was
 * packed is not there. */
static bool is_comparable(
	const struct recording *capture, const struct error_list *errors)
{
	return !capture->ring && capture->freed.log == 0 &&
	       capture->freed.bytes == 0 && !is_page_mended(errors);
}

/* False: there is nothing to compare with.  `grows`: it may have grown. */
static bool read_whole(struct reading *reading, bool *grows)
{
	struct recording *capture =
		recording_open(capture_file.path, true, &reading->errors);
	struct merge *merge = capture ? merge_new(&capture, 1) : NULL;
	bool good = capture && is_comparable(capture, &reading->errors);
	const struct message *message;
	size_t i;

	forget(whole);
	block_count = good ? capture->block_count : 0;
	*grows = block_count > 0 && reading->errors.count == 0;
	for (i = 0; *grows && i < block_count; i++)
		blocks[i] = capture->blocks[i];
	while (good && (message = merge_next(merge))) {
		struct record record = record_of(message);

		add_to_reading(reading, message, &record);
		*grows =
			*grows &&
			tell(whole, block_at(message->offset)->writer, &record);
	}
	merge_free(merge);
	recording_close(capture);
	return good;
}

/* Nobody can write to it any more. */
static void close_for_writing(void)
{
	int fd = open(capture_file.path, O_RDONLY | O_CLOEXEC);

	FUZZ_CHECK(fd >= 0 && dup3(fd, capture_file.fd, O_CLOEXEC) >= 0);
	close(fd);
}

static void open_for_writing(void)
{
	int fd = open(capture_file.path, O_RDWR | O_CLOEXEC);

	FUZZ_CHECK(fd >= 0 && dup3(fd, capture_file.fd, O_CLOEXEC) >= 0);
	close(fd);
}

static struct live_capture *open_live(struct error_list *errors)
{
	struct recording *recording =
		recording_open_live(capture_file.path, errors);
	struct live_capture *capture;

	FUZZ_CHECK(recording);
	capture = live_capture_new(strdup(capture_file.path), recording, NULL);
	FUZZ_CHECK(capture);
	return capture;
}

static void follow_at_rest(struct reading *reading)
{
	struct live_capture *capture = open_live(&reading->errors);
	struct live live = {.captures = &capture, .count = 1};
	const struct message *message;

	live_capture_look(capture, true);
	FUZZ_CHECK(capture->ended && !capture->failed);
	live_order_begin(&live);
	while ((message = live_next(&live))) {
		struct record record = record_of(message);

		add_to_reading(reading, message, &record);
	}
	live_capture_free(capture);
	free(live.heap);
}

static int compare_errors(const void *left, const void *right)
{
	const struct error *a = left;
	const struct error *b = right;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void compare_readings(struct reading *a, struct reading *b)
{
	size_t count = a->errors.count;
	size_t i;

	FUZZ_CHECK(a->messages == b->messages);
	FUZZ_CHECK(a->sum == b->sum);
	FUZZ_CHECK(a->errors.count == b->errors.count);
	if (count > ERROR_KEPT_MAX)
		return;
	qsort(a->errors.kept, count, sizeof(struct error), compare_errors);
	qsort(b->errors.kept, count, sizeof(struct error), compare_errors);
	for (i = 0; i < count; i++)
		FUZZ_CHECK(compare_errors(&a->errors.kept[i],
				   &b->errors.kept[i]) == 0);
}

/* Only what is in no block. */
static void hide_blocks(size_t size)
{
	static uint8_t hidden[PAGED_FILE_MAX];
	size_t i;

	memcpy(hidden, file, size);
	for (i = 0; i < block_count; i++) {
		uint64_t left = size - blocks[i].offset;

		memset(hidden + blocks[i].offset, 0,
			left < blocks[i].size ? left : blocks[i].size);
		shown[i] = 0;
	}
	memory_file_fill(&capture_file, 0, hidden, size);
}

/* How far the block goes after another record of it. */
static uint64_t next_end(size_t block)
{
	const struct told *told = whole;
	uint64_t at = blocks[block].offset + shown[block];
	size_t i;

	while (told < whole + BLOCKS_MAX - 1 &&
		told->writer != blocks[block].writer)
		told++;
	for (i = 0; i < told->count; i++)
		if (told->records[i].offset > at &&
			told->records[i].offset - blocks[block].offset <
				blocks[block].size)
			return told->records[i].offset - blocks[block].offset;
	return blocks[block].size;
}

static void show_more(size_t block, size_t size)
{
	uint64_t from = blocks[block].offset + shown[block];
	uint64_t to = blocks[block].offset + next_end(block);

	if (to > size)
		to = size;
	if (from < to)
		FUZZ_CHECK(pwrite(capture_file.fd, file + from, to - from,
				   (off_t)from) == (ssize_t)(to - from));
	shown[block] = next_end(block);
}

static bool follow(struct live_capture *live)
{
	bool good = true;
	size_t i;

	FUZZ_CHECK(!live->failed);
	for (i = 0; i < live->count && good; i++) {
		struct live_writer *writer = live->writers[i];

		do {
			live_capture_step(writer);
			if (writer->stream.state == WRITER_MESSAGE) {
				struct record record =
					record_of(&writer->stream.message);

				good = tell(followed, writer->number, &record);
			}
		} while (good &&
			 (writer->stream.state == WRITER_MESSAGE ||
				 writer->stream.state == WRITER_BETWEEN));
	}
	return good;
}

/* A writer fills a block before it begins another one. */
static bool may_grow(size_t block)
{
	return shown[block] < blocks[block].size &&
	       (block == 0 ||
		       blocks[block - 1].writer != blocks[block].writer ||
		       shown[block - 1] >= blocks[block - 1].size);
}

static bool follow_all(struct live_capture *live, size_t size)
{
	uint32_t seed = (uint32_t)binlog_hash(file, size);
	size_t left = block_count;
	bool good = true;

	while (left > 0 && good) {
		size_t block = pieces_random(&seed) % block_count;

		if (!may_grow(block))
			continue;
		show_more(block, size);
		left -= shown[block] >= blocks[block].size;
		if (left > 0 && pieces_chance(&seed, 50))
			continue;
		live->places.looked = 0; /* as if some time had passed */
		live_capture_look(live, false);
		good = follow(live);
	}
	return good;
}

static bool follow_to_end(struct live_capture *live)
{
	bool good;

	close_for_writing();
	live->asked = 0;
	live_capture_look(live, true);
	FUZZ_CHECK(live->ended);
	good = follow(live);
	open_for_writing();
	return good;
}

static void compare(void)
{
	size_t i, k;

	for (i = 0; i < BLOCKS_MAX && whole[i].count > 0; i++) {
		for (k = 0; followed[k].count > 0 &&
			    followed[k].writer != whole[i].writer;
			k++)
			FUZZ_CHECK(k + 1 < BLOCKS_MAX);
		FUZZ_CHECK(followed[k].count == whole[i].count);
		FUZZ_CHECK(
			memcmp(followed[k].records, whole[i].records,
				whole[i].count * sizeof(struct record)) == 0);
	}
}

/* All that is there is claimed, and nothing begins beyond it. */
static size_t claim(size_t size)
{
	struct binlog_header header;
	size_t rounded = (size + BINLOG_PAGE - 1) & -(size_t)BINLOG_PAGE;

	if (size < sizeof(header))
		return size;
	memset(file + size, 0, rounded - size);
	memcpy(&header, file, sizeof(header));
	header.next = header.published = rounded;
	memcpy(file, &header, sizeof(header));
	return rounded;
}

static void grow(size_t size)
{
	struct error_list errors = {0};
	struct live_capture *live;

	hide_blocks(size);
	live = open_live(&errors);
	forget(followed);
	if (follow_all(live, size) && follow_to_end(live))
		compare();
	live_capture_free(live);
}

/* False: there is nothing to compare with. */
static bool compare_at_rest(size_t size, bool *grows)
{
	struct reading at_once = {0}, live = {0};

	memory_file_fill(&capture_file, 0, file, size);
	close_for_writing();
	if (read_whole(&at_once, grows)) {
		follow_at_rest(&live);
		compare_readings(&at_once, &live);
	}
	open_for_writing();
	return *grows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool grows;

	size = paged_file(data, size, file);
	if (compare_at_rest(size, &grows)) {
		size = claim(size);
		if (compare_at_rest(size, &grows))
			grow(size);
	}
	return 0;
}

PIECES_MUTATORS(paged_format)
