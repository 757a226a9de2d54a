/*
 * Any bytes as a file of plain text: the texts of its messages are these bytes,
 * in order, in lines or in pieces of one that are as long as a line may be.
 */
#include <string.h>

#include "base/limits.h"
#include "decoder/text/text_reader.h"
#include "tests/fuzz/memory_file.h"

#define LINE_BYTES 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const executables[] = {"/bin/a", "/lib/b", NULL};
	static struct memory_file file;
	struct error_list errors = {0};
	struct packed_captures captures = {.errors = &errors};
	const struct text_settings settings = {
		.executables = executables, .utc = size % 2 > 0};
	const struct message *message;
	struct text_reader *reader;
	bool partial = false;
	size_t at = 0;

	limits_values[LIMIT_TEXT_LINE] = LINE_BYTES;
	memory_file_fill(&file, 0, data, size);
	reader = text_reader_new(file.path, &settings, &captures);
	FUZZ_CHECK(reader);
	while ((message = text_reader_next(reader))) {
		const struct render_argument *text = message->arguments;

		FUZZ_CHECK(message->count == 1 && message->offset == at);
		FUZZ_CHECK(text->bytes > 0 && text->bytes <= LINE_BYTES &&
			   text->bytes <= size - at);
		FUZZ_CHECK(memcmp(text->data, data + at, text->bytes) == 0);
		FUZZ_CHECK(message->continues == partial);
		at += text->bytes;
		partial = data[at - 1] != '\n' && at < size;
		FUZZ_CHECK(message->partial == partial);
	}
	FUZZ_CHECK(at == size || error_count(&errors, ERROR_SEVERITY_FATAL));
	text_reader_free(reader);
	packed_captures_free(&captures);
	return 0;
}
