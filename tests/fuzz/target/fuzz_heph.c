/*
 * Any bytes as a file in Heph's trace format: it is read to its end, and every
 * message in it can be shown.
 */
#include <endian.h>
#include <string.h>

#include "decoder/capture/message.h"
#include "decoder/heph/heph_file.h"
#include "decoder/heph/heph_reader.h"
#include "decoder/message/fields.h"
#include "tests/fuzz/memory_file.h"

static void show(const struct message *message, struct render_buffer *text)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	FUZZ_CHECK(message->count == message->context->arguments);
	for (i = 0; i < fields->count; i++)
		field_value(&fields->all[i], message, text);
	text->length = 0;
	message_text(message, text);
	FUZZ_CHECK(!text->failed);
}

static bool is_magic(const uint8_t *at)
{
	uint32_t magic;

	memcpy(&magic, at, sizeof(magic));
	magic = be32toh(magic);
	return magic == HEPH_OPTION_MAGIC || magic == HEPH_EVENT_MAGIC;
}

/* A packet ends where the next one begins, which mutations do not know. */
static void set_sizes(uint8_t *data, size_t size)
{
	size_t end = size;

	for (size_t at = size; at-- > 0;) {
		uint32_t bytes = htobe32((uint32_t)(end - at));

		if (end - at < HEPH_HEAD_BYTES || !is_magic(data + at))
			continue;
		memcpy(data + at + 4, &bytes, sizeof(bytes));
		end = at;
	}
}

size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	size = LLVMFuzzerMutate(data, size, most);
	if (seed % 8 > 0)
		set_sizes(data, size);
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct render_buffer text;
	static struct memory_file file;
	struct error_list errors = {0};
	struct packed_captures captures = {.errors = &errors};
	const struct message *message;
	struct heph_reader *reader;
	size_t messages = 0;

	memory_file_fill(&file, 0, data, size);
	heph_file_is(file.path);
	reader = heph_reader_new(file.path, &captures);
	FUZZ_CHECK(reader);
	for (; (message = heph_reader_next(reader)); messages++)
		show(message, &text);
	FUZZ_CHECK(messages <= size / HEPH_EVENT_BYTES_MIN);
	heph_reader_free(reader);
	packed_captures_free(&captures);
	return 0;
}
