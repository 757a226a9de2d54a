/*
 * Any bytes as a capture (see paged.h): what the reader gives out is in the
 * file, once, and in the order of its writer; each block that is one is found;
 * and nothing is missing without a word.
 */
#include "decoder/capture/merge.h"
#include "decoder/capture/recording_ring.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/paged.h"

#define BLOCKS_MAX (PAGED_FILE_MAX / BINLOG_PAGE)
#define TEXT_MAX ((size_t)64 << 20)

static uint8_t file[PAGED_FILE_MAX];
static struct memory_file capture_file;
static struct render_buffer text;
static struct error_list errors;

/* What was given out of a block. */
struct progress {
	uint64_t last; /* offset of a record */
	bool any;
};

static size_t block_of(const struct recording *capture, uint64_t offset)
{
	size_t i;

	for (i = 0; i < capture->block_count; i++)
		if (offset >= capture->blocks[i].offset &&
			offset - capture->blocks[i].offset <
				capture->blocks[i].size)
			return i;
	return i;
}

static void check_place(const struct recording *capture,
	const struct message *message, struct progress *all)
{
	size_t block = block_of(capture, message->offset);
	size_t i;

	FUZZ_CHECK(block < capture->block_count);
	FUZZ_CHECK(message->offset < capture->size);
	FUZZ_CHECK(!all[block].any || message->offset > all[block].last);
	for (i = block + 1; i < capture->block_count; i++)
		FUZZ_CHECK(capture->blocks[i].writer !=
				   capture->blocks[block].writer ||
			   !all[i].any);
	all[block] = (struct progress){message->offset, true};
}

static void check_text(const struct message *message)
{
	text.length = 0;
	if (!message_is_event(message))
		message_text(message, &text);
	FUZZ_CHECK(!text.failed && text.length < TEXT_MAX);
}

/* Blocks as layout.h has them, looked for without the reader. */
static size_t count_blocks(const struct recording *capture)
{
	struct binlog_block head;
	size_t count = 0;
	size_t at = capture->blocks_at;

	while (at + sizeof(head) <= capture->size) {
		memcpy(&head, file + at, sizeof(head));
		at += BINLOG_PAGE;
		if (head.magic != BINLOG_BLOCK_MAGIC ||
			head.size < sizeof(head) ||
			head.size > BINLOG_BLOCK_MAX ||
			head.nonce != capture->header.nonce)
			continue;
		count++;
		at += (head.size - 1) / BINLOG_PAGE * BINLOG_PAGE;
	}
	return count;
}

static size_t errors_of(enum error_code code)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < errors.count && i < ERROR_KEPT_MAX; i++)
		count += errors.kept[i].code == code;
	return count;
}

static void check_blocks(const struct recording *capture)
{
	size_t count = count_blocks(capture);

	/* A ring has a table, and overwrites. */
	if (capture->ring || errors_of(ERROR_NONCE) > 0 ||
		errors_of(ERROR_BLOCK_CLASH) > 0 ||
		errors.count > ERROR_KEPT_MAX)
		return;
	FUZZ_CHECK(
		capture->block_count + errors_of(ERROR_BLOCK_TWICE) == count);
}

static void check_errors(void)
{
	char sentence[1024];
	size_t i;

	for (i = 0; i < errors.count && i < ERROR_KEPT_MAX; i++) {
		FUZZ_CHECK(error_is_known(errors.kept[i].code));
		FUZZ_CHECK(errors.kept[i].code != ERROR_MEMORY);
		FUZZ_CHECK(errors.kept[i].system == 0);
		error_sentence(&errors.kept[i], sentence, sizeof(sentence));
		FUZZ_CHECK(!strchr(sentence, '\n'));
	}
}

static void read_all(struct recording *capture)
{
	struct progress progress[BLOCKS_MAX] = {0};
	struct merge *merge = merge_new(&capture, 1);
	const struct message *message;

	FUZZ_CHECK(merge && capture->block_count <= BLOCKS_MAX);
	while ((message = merge_next(merge))) {
		FUZZ_CHECK(message->capture == capture);
		check_place(capture, message, progress);
		check_text(message);
	}
	merge_free(merge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording *capture;

	size = paged_file(data, size, file);
	memory_file_fill(&capture_file, 0, file, size);
	errors = (struct error_list){0};
	capture = recording_open(capture_file.path, true, &errors);
	FUZZ_CHECK(capture || errors.count > 0);
	if (capture) {
		FUZZ_CHECK(capture->size == size);
		check_blocks(capture);
		read_all(capture);
	}
	check_errors();
	recording_close(capture);
	return 0;
}

PIECES_MUTATORS(paged_format)
