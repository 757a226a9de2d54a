/*
 * Any bytes as index and body of one batch, without the frame and the record
 * around them: all of its messages come, as many of each site and writer as
 * its index says; what a filter leaves out changes nothing else; and its
 * columns say what its messages say.
 */
#include "decoder/packed/packed_body.h"
#include "decoder/packed/packed_columns.h"
#include "record/hash.h"
#include "tests/fuzz/pieces.h"

#define TEXT_MAX ((size_t)64 << 20)
#define SUMS_MAX 512u

/* The input: how many messages, how long the index is; index and body. */
#define HEAD 4u

static struct packed_captures captures;
static struct packed_inflate inflate;
static struct packed_index indexes;
static struct packed_body body;
static struct error_list errors;
static struct render_buffer text;

/* A batch as its record would say it. */
static msgpack_object number_object(uint64_t number)
{
	return (msgpack_object){
		.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = number};
}

static msgpack_object binary_object(const uint8_t *bytes, size_t size)
{
	return (msgpack_object){.type = MSGPACK_OBJECT_BIN,
		.via.bin = {(uint32_t)size, (const char *)bytes}};
}

/* What the messages of each site say. */
struct said {
	uint64_t messages[SUMS_MAX];
	uint64_t sums[SUMS_MAX];
	uint64_t all;
};

static uint64_t sum_of(const struct message *message)
{
	const uint64_t numbers[] = {message->ticks, message->wall, message->pid,
		message->tid, message->continues};
	uint64_t sum = binlog_hash(numbers, sizeof(numbers));

	text.length = 0;
	if (!message_is_event(message))
		message_text(message, &text);
	FUZZ_CHECK(!text.failed && text.length < TEXT_MAX);
	return binlog_hash_word(
		sum, text.length ? binlog_hash(text.data, text.length) : 0);
}

/* Where the site of the message is in the batch: contexts may be shared by
 * rows that say the same. */
static size_t site_of(const struct message *message)
{
	size_t i;

	for (i = 0; i < body.batch.site_count; i++)
		if (body.index->rows[i].id == message->context->id)
			return i;
	return i;
}

static void read_messages(struct said *said)
{
	const struct message *message;

	while ((message = packed_body_next(&body))) {
		size_t site = site_of(message);

		FUZZ_CHECK(site < body.batch.site_count);
		FUZZ_CHECK(message->count == message->context->arguments);
		said->all++;
		if (site < SUMS_MAX) {
			said->messages[site]++;
			said->sums[site] += sum_of(message);
		}
	}
}

/* Rows of one id are one site for site_of(). */
static bool has_twins(void)
{
	size_t i, k;

	if (body.batch.site_count > SUMS_MAX)
		return true;
	for (i = 0; i < body.batch.site_count; i++)
		for (k = i + 1; k < body.batch.site_count; k++)
			if (body.index->rows[i].id == body.index->rows[k].id)
				return true;
	return false;
}

static void check_counts(const struct said *said, bool twins)
{
	size_t i;

	FUZZ_CHECK(said->all == body.batch.count);
	for (i = 0; i < body.batch.site_count && !twins; i++)
		FUZZ_CHECK(said->messages[i] == body.batch.sites[i].messages);
}

/* Every other site alone, and then the others. */
static void check_filter(struct packed_log *log,
	const struct packed_record *record, const struct said *all)
{
	static struct said said;
	size_t wanted, i;

	for (wanted = 0; wanted < 2; wanted++) {
		memset(&said, 0, sizeof(said));
		FUZZ_CHECK(packed_body_resolve(&body, log, &indexes, 0));
		for (i = 0; i < body.batch.site_count; i++)
			body.batch.sites[i].wanted = i % 2 == wanted;
		FUZZ_CHECK(packed_body_decode(&body, record, &inflate));
		read_messages(&said);
		for (i = 0; i < body.batch.site_count; i++) {
			bool is = i % 2 == wanted;

			FUZZ_CHECK(said.messages[i] ==
				   (is ? all->messages[i] : 0));
			FUZZ_CHECK(said.sums[i] == (is ? all->sums[i] : 0));
		}
	}
}

/* The times of the messages, and those of the columns, whatever their order. */
static void check_times(
	struct packed_log *log, const struct packed_record *record)
{
	const struct message *message;
	const uint64_t *times;
	uint64_t sum = 0;
	uint32_t i;

	FUZZ_CHECK(packed_body_resolve(&body, log, &indexes, 0));
	FUZZ_CHECK(packed_body_decode(&body, record, &inflate));
	while ((message = packed_body_next(&body)))
		sum += binlog_hash_word(1, message->wall);
	FUZZ_CHECK(packed_body_resolve(&body, log, &indexes, 0));
	FUZZ_CHECK(packed_body_decode(&body, record, &inflate));
	times = packed_columns_times(&body);
	for (i = 0; times && i < body.batch.count; i++)
		sum -= binlog_hash_word(1, times[i]);
	FUZZ_CHECK(!times || sum == 0);
	FUZZ_CHECK(!packed_body_next(&body));
}

static void read_batch(
	struct packed_log *log, const struct packed_record *record)
{
	static struct said said;
	bool twins;

	if (!packed_index_read(&indexes, log, record, &inflate) ||
		!packed_body_resolve(&body, log, &indexes, 0) ||
		!packed_body_decode(&body, record, &inflate))
		return;
	memset(&said, 0, sizeof(said));
	read_messages(&said);
	twins = has_twins();
	check_counts(&said, twins);
	if (!twins)
		check_filter(log, record, &said);
	check_times(log, record);
}

static size_t index_bytes(const uint8_t *data, size_t size)
{
	size_t told = data[2] | (size_t)data[3] << 8;

	return told < size - HEAD ? told : size - HEAD;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packed_record record = {.tag = PACKED_BATCH, .known = true};
	struct packed_log *log;
	msgpack_object objects[5];
	size_t index;

	if (size < HEAD)
		return 0;
	index = index_bytes(data, size);
	objects[0] = number_object(data[0] | (uint64_t)data[1] << 8);
	objects[1] = number_object(index);
	objects[2] = binary_object(data + HEAD, index);
	objects[3] = number_object(size - HEAD - index);
	objects[4] = binary_object(data + HEAD + index, size - HEAD - index);
	record.fields[PACKED_BATCH_COUNT] = &objects[0];
	record.fields[PACKED_BATCH_INDEX_BYTES] = &objects[1];
	record.fields[PACKED_BATCH_INDEX] = &objects[2];
	record.fields[PACKED_BATCH_BODY_BYTES] = &objects[3];
	record.fields[PACKED_BATCH_BODY] = &objects[4];
	captures.errors = &errors;
	errors = (struct error_list){0};
	log = packed_log_new(1, "batch", &captures);
	FUZZ_CHECK(log);
	read_batch(log, &record);
	packed_log_free(log);
	packed_captures_free(&captures);
	return 0;
}

/* Index or body, at its place; the rest stays as it is. */
size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	static uint8_t part[PIECE_ROOM];
	uint32_t random = seed;
	struct piece piece;
	size_t length;

	if (size < HEAD || pieces_chance(&random, 3))
		return LLVMFuzzerMutate(data, size, most);
	length = index_bytes(data, size);
	if (pieces_chance(&random, 3)) {
		data[0] = (uint8_t)pieces_random(&random);
		data[1] = data[0] ? 0 : 1;
		return size;
	}
	piece = (struct piece){.at = HEAD, .size = length};
	if (pieces_chance(&random, 60))
		piece = (struct piece){
			.at = HEAD + length, .size = size - HEAD - length};
	if (piece.size > sizeof(part))
		return size;
	memcpy(part, data + piece.at, piece.size);
	length = LLVMFuzzerMutate(part, piece.size, UINT16_MAX);
	if (piece.at == HEAD && length <= most - (size - piece.size)) {
		data[2] = (uint8_t)length;
		data[3] = (uint8_t)(length >> 8);
	}
	return pieces_replace(data, size, most, &piece, part, length);
}
