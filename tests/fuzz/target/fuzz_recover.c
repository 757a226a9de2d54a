/*
 * Any bytes as a capture (see paged.h): the log that recovery makes of it has
 * no damage, and says what the capture says: the same messages, and the same
 * losses.
 */
#include "decoder/capture/merge.h"
#include "decoder/packed/packed_reader.h"
#include "decoder/show/recover.h"
#include "record/hash.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/paged.h"

static uint8_t file[PAGED_FILE_MAX];
static struct memory_file torn_file, clean_file;
static struct render_buffer text;
static struct packed_inflate unpacker; /* the same for all inputs */

struct reading {
	struct error_list errors;
	uint64_t messages;
	uint64_t shown; /* of these: no events, and no pieces */
	uint64_t sum; /* of all that messages say */
};

static void take_message(struct reading *reading, const struct message *message)
{
	const uint64_t numbers[] = {message->ticks, message->wall, message->pid,
		message->tid, message->continues, message->partial,
		message->count, message->context->text, message_stream(message),
		message->context->depth};

	text.length = 0;
	if (!message_is_event(message))
		message_text(message, &text);
	FUZZ_CHECK(!text.failed);
	reading->messages++;
	reading->shown += !message->partial && !message_is_event(message);
	reading->sum = binlog_hash_word(
		reading->sum, binlog_hash(numbers, sizeof(numbers)));
	reading->sum = binlog_hash_word(reading->sum,
		text.length ? binlog_hash(text.data, text.length) : 0);
}

static void read_capture(const char *path, struct reading *reading)
{
	struct recording *capture =
		recording_open(path, true, &reading->errors);
	struct merge *merge;
	const struct message *message;

	if (!capture)
		return;
	merge = merge_new(&capture, 1);
	FUZZ_CHECK(merge);
	while ((message = merge_next(merge)))
		take_message(reading, message);
	merge_free(merge);
	recording_close(capture);
}

static void read_packed(const char *path, struct reading *reading)
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

static size_t errors_of(const struct error_list *errors, enum error_code code)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++)
		count += errors->kept[i].code == code;
	return count;
}

/* Each loss of the capture as often; and none of the log. */
static void compare_errors(
	const struct error_list *torn, const struct error_list *clean)
{
	size_t i;

	for (i = 0; i < clean->count && i < ERROR_KEPT_MAX; i++)
		FUZZ_CHECK(clean->kept[i].file != clean_file.path);
	if (torn->count > ERROR_KEPT_MAX)
		return;
	FUZZ_CHECK(torn->count == clean->count);
	for (i = 0; i < torn->count; i++)
		FUZZ_CHECK(errors_of(clean, torn->kept[i].code) ==
			   errors_of(torn, torn->kept[i].code));
}

/* False: there is nothing to recover. */
static bool recover(struct error_list *errors, struct recover_sum *sum)
{
	struct output output = {.fd = OUTPUT_KEPT};
	struct recording *capture =
		recording_open(torn_file.path, true, errors);
	const struct capture_list list = {.captures = &capture, .count = 1};

	if (!capture)
		return false;
	recover_captures(&list, &output, errors, sum);
	FUZZ_CHECK(output.failed == 0 && !output.text.failed);
	memory_file_fill(&clean_file, 0, output.text.data, output.text.length);
	render_buffer_free(&output.text);
	recording_close(capture);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading torn = {0}, clean = {0};
	struct error_list errors = {0};
	struct recover_sum sum = {0};

	size = paged_file(data, size, file);
	memory_file_fill(&torn_file, 0, file, size);
	if (!recover(&errors, &sum))
		return 0;
	read_capture(torn_file.path, &torn);
	read_packed(clean_file.path, &clean);
	FUZZ_CHECK(torn.shown == sum.messages);
	FUZZ_CHECK(torn.messages == clean.messages);
	FUZZ_CHECK(torn.sum == clean.sum);
	compare_errors(&torn.errors, &clean.errors);
	return 0;
}

PIECES_MUTATORS(paged_format)
