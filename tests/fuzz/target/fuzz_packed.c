/*
 * Any bytes as a packed log: frames that are whole come once and in order, with
 * what is between them told as damage; every message of a batch has what the
 * batch is made of; the log that recovery makes says the same and has no
 * damaged bytes.
 */
#include "decoder/packed/frame_scan.h"
#include "decoder/packed/packed_reader.h"
#include "decoder/show/recover.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/memory_file.h"

#define TEXT_MAX ((size_t)64 << 20)

static struct memory_file log_file, clean_file;
static struct render_buffer text;
static struct packed_inflate unpacker; /* the same for all inputs */

/* What a log says, and what was wrong with it. */
struct reading {
	struct error_list errors;
	uint64_t messages;
	uint64_t text_bytes;
	uint32_t sum; /* of all that messages say */
};

static uint32_t add(uint32_t sum, const void *bytes, size_t size)
{
	return (uint32_t)crc32(sum, bytes, (uInt)size);
}

static void take_message(struct reading *reading, const struct message *message)
{
	const uint64_t numbers[] = {message->ticks, message->wall, message->pid,
		message->tid, message->continues, message->partial,
		message->count, message->context->text,
		message->context->depth};

	FUZZ_CHECK(message->program && message->capture && message->thread);
	FUZZ_CHECK(message->count == message->context->arguments);
	text.length = 0;
	if (!message_is_event(message))
		message_text(message, &text);
	FUZZ_CHECK(!text.failed && text.length < TEXT_MAX);
	reading->messages++;
	reading->text_bytes += text.length;
	reading->sum = add(reading->sum, numbers, sizeof(numbers));
	if (text.length > 0)
		reading->sum = add(reading->sum, text.data, text.length);
}

static void read_log(const char *path, struct reading *reading)
{
	struct packed_readers readers = {
		.captures.errors = &reading->errors, .inflate = unpacker};
	struct packed_reader *reader = packed_reader_new(path, &readers);
	const struct message *message;

	FUZZ_CHECK(reader);
	while ((message = packed_reader_next(reader)))
		take_message(reading, message);
	packed_reader_free(reader);
	unpacker = readers.inflate;
	packed_captures_free(&readers.captures);
}

/* Bytes are lost, or a frame is whole: each is one of both. */
static void check_frames(const uint8_t *data, size_t size)
{
	struct packed_file file = {.path = log_file.path};
	struct frame_scan *scan = frame_scan_new(packed_file_read, &file, 0);
	uint64_t at = 0;
	struct frame frame;

	FUZZ_CHECK(scan);
	while ((frame = frame_scan_next(scan)).kind != FRAME_NONE) {
		FUZZ_CHECK(frame.offset == at);
		if (frame.kind == FRAME_WHOLE)
			FUZZ_CHECK(memcmp(frame.start, data + at,
					   frame.bytes) == 0);
		else
			FUZZ_CHECK(frame.lost > 0);
		at += frame.kind == FRAME_WHOLE ? frame.bytes : frame.lost;
	}
	FUZZ_CHECK(at == size);
	frame_scan_free(scan);
	packed_file_close(&file);
}

static bool is_of_frames(enum error_code code)
{
	return code == ERROR_FRAME || code == ERROR_FRAME_SUM ||
	       code == ERROR_FRAME_LENGTH || code == ERROR_FRAME_CUT ||
	       code == ERROR_MENDED;
}

/* The first error from the i'th on that is none of frames. */
static size_t next_other(const struct error_list *errors, size_t i)
{
	while (i < errors->count && i < ERROR_KEPT_MAX &&
		is_of_frames(errors->kept[i].code))
		i++;
	return i;
}

static size_t of_frames(const struct error_list *errors)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++)
		count += is_of_frames(errors->kept[i].code);
	return count;
}

/*
 * What was wrong with the log is wrong with the recovered one, but for the
 * damage that was left out.  A log may tell of damaged frames of others: these
 * stay.
 */
static void compare(const struct reading *torn, const struct reading *clean,
	size_t left_out)
{
	size_t i = next_other(&torn->errors, 0);
	size_t k = next_other(&clean->errors, 0);

	FUZZ_CHECK(torn->messages == clean->messages);
	FUZZ_CHECK(torn->sum == clean->sum);
	while (i < torn->errors.count && i < ERROR_KEPT_MAX) {
		FUZZ_CHECK(k < clean->errors.count);
		FUZZ_CHECK(clean->errors.kept[k].code ==
			   torn->errors.kept[i].code);
		i = next_other(&torn->errors, i + 1);
		k = next_other(&clean->errors, k + 1);
	}
	if (torn->errors.count <= ERROR_KEPT_MAX) {
		FUZZ_CHECK(k == clean->errors.count);
		FUZZ_CHECK(of_frames(&clean->errors) + left_out ==
			   of_frames(&torn->errors));
	}
}

static void check_recovery(
	const struct reading *torn, const uint8_t *data, size_t size)
{
	struct output output = {.fd = OUTPUT_KEPT};
	struct error_list errors = {0};
	struct recover_sum sum = {0};
	struct reading clean = {0};

	recover_packed(log_file.path, &output, &errors, &sum);
	FUZZ_CHECK(output.failed == 0);
	FUZZ_CHECK(output.text.length + sum.lost == size);
	if (sum.lost == 0) {
		FUZZ_CHECK(!size || memcmp(output.text.data, data, size) == 0);
	} else {
		memory_file_fill(
			&clean_file, 0, output.text.data, output.text.length);
		read_log(clean_file.path, &clean);
		compare(torn, &clean, errors.count);
	}
	render_buffer_free(&output.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading torn = {0};

	memory_file_fill(&log_file, 0, data, size);
	check_frames(data, size);
	read_log(log_file.path, &torn);
	check_recovery(&torn, data, size);
	return 0;
}

PIECES_MUTATORS(frames_format)
