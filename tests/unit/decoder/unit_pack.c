/* Whatever messages say: the frames that the packer makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>
#include <zlib.h>

#include "base/limits.h"
#include "decoder/pack/pack.h"
#include "record/layout.h"
#include "record/packed.h"

#define HUGE ((size_t)1 << 20)

struct log {
	struct render_buffer bytes;
	size_t frames[128]; /* by tag */
	uint64_t messages;  /* in batches and DATA */
	uint64_t end;	    /* what END says, in all logs together */
	uint64_t number;    /* of the log */
	size_t logs;	    /* one after the other */
	uint64_t masks;
};

struct process {
	struct error_list errors;
	struct recording capture;
	struct program program;
	struct pack *pack;
	struct log log;
	size_t shown; /* of its messages, all but events */
};

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static bool take(void *closure, const void *bytes, size_t size)
{
	struct log *log = closure;

	render_buffer_put(&log->bytes, bytes, size);
	return true;
}

static void begin(struct process *process, bool plain)
{
	const struct pack_options options = {.plain = plain};

	*process = (struct process){0};
	process->capture = (struct recording){
		.path = "/nowhere/a.binlog",
		.fd = -1,
		.errors = &process->errors,
	};
	process->program = (struct program){.pid = 1, .name = "?"};
	process->pack = pack_new(&options, take, &process->log);
	assert_non_null(process->pack);
}

static void say(struct process *process, struct definition_context *context,
	const struct render_argument *arguments, size_t count, uint64_t ticks)
{
	struct render_argument own[3];
	struct message message = {
		.ticks = ticks,
		.wall = ticks ^ next_random() % 3,
		.pid = 1,
		.tid = 2,
		.thread = "thread",
		.program = &process->program,
		.context = context,
		.capture = &process->capture,
		.count = count,
		.arguments = own,
	};

	assert_true(count <= sizeof(own) / sizeof(*own));
	if (count > 0)
		memcpy(own, arguments, count * sizeof(*arguments));
	assert_true(pack_message(process->pack, &message));
	process->shown += !message_is_event(&message);
}

static uint64_t field_of(const msgpack_object *map, unsigned field)
{
	uint32_t i;

	for (i = 0; i < map->via.map.size; i++)
		if (map->via.map.ptr[i].key.via.u64 == field)
			return map->via.map.ptr[i].val.via.u64;
	return 0;
}

static void check_record(struct log *log, const char *bytes, size_t size)
{
	msgpack_unpacked value;
	size_t at = 0;
	uint64_t tag;

	msgpack_unpacked_init(&value);
	assert_int_equal(msgpack_unpack_next(&value, bytes, size, &at),
		MSGPACK_UNPACK_SUCCESS);
	tag = value.data.via.u64;
	assert_true(tag < 128);
	log->frames[tag]++;
	assert_int_equal(msgpack_unpack_next(&value, bytes, size, &at),
		MSGPACK_UNPACK_SUCCESS);
	assert_int_equal(at, size);
	if (tag == PACKED_MARK || tag == PACKED_PARITY) {
		msgpack_unpacked_destroy(&value);
		return;
	}
	log->masks += field_of(&value.data, PACKED_ALL_MASK) != 0;
	log->messages += tag == PACKED_DATA;
	if (tag == PACKED_BATCH) {
		log->messages += field_of(&value.data, PACKED_BATCH_COUNT);
		assert_true(field_of(&value.data, PACKED_BATCH_COUNT) <=
			    PACKED_MESSAGES_MAX);
		assert_true(field_of(&value.data, PACKED_BATCH_BODY_BYTES) <=
			    PACKED_BODY_MAX);
		assert_true(field_of(&value.data, PACKED_BATCH_INDEX_BYTES) <=
			    PACKED_INDEX_MAX);
	}
	if (tag == PACKED_END)
		log->end += field_of(&value.data, PACKED_END_MESSAGES);
	log->logs += field_of(&value.data, PACKED_ALL_LOG) != log->number;
	log->number = field_of(&value.data, PACKED_ALL_LOG);
	msgpack_unpacked_destroy(&value);
}

static uint32_t number_at(const uint8_t *bytes, size_t size)
{
	uint32_t number = 0;

	while (size-- > 0)
		number = number << 8 | *bytes++;
	return number;
}

/* The frame's record, or null; *size is that of the whole frame, too. */
static const char *frame_at(
	const char *bytes, size_t left, size_t *size, size_t *record_size)
{
	const uint8_t *at = (const uint8_t *)bytes;
	size_t head, length;

	if (left < 8 || at[0] != 0xc1 || at[1] != 0xce || at[6] != 0xc1)
		return NULL;
	head = at[7] >= 0xa0 && at[7] <= 0xbf ? 8
	       : at[7] == 0xda		      ? 10
	       : at[7] == 0xdb		      ? 12
					      : 0;
	if (head == 0 || left < head)
		return NULL;
	length = head == 8 ? at[7] & 31u : number_at(at + 8, head - 8);
	if (left - head < length ||
		crc32(0, at + head, (uInt)length) != number_at(at + 2, 4))
		return NULL;
	*size = head + length;
	*record_size = length;
	return bytes + head;
}

static void check_log(struct process *process)
{
	struct log *log = &process->log;
	size_t at = 0;

	assert_true(pack_capture_end(process->pack, &process->capture));
	assert_true(pack_end(process->pack));
	assert_int_equal(pack_pending(process->pack), 0);
	while (at < log->bytes.length) {
		size_t size, record_size;
		const char *record = frame_at(log->bytes.data + at,
			log->bytes.length - at, &size, &record_size);

		assert_non_null(record);
		assert_true(record_size <= PACKED_RECORD_MAX);
		check_record(log, record, record_size);
		at += size;
	}
	assert_int_equal(log->frames[PACKED_END], log->logs);
	assert_int_equal(log->frames[PACKED_CAPTURE_END], 1);
	assert_int_equal(log->messages, log->end);
	assert_int_equal(process->shown, pack_messages(process->pack));
}

static void end(struct process *process)
{
	pack_free(process->pack);
	render_buffer_free(&process->log.bytes);
	program_table_free(&process->capture.programs);
}

static void messages_that_have_nothing_in_common_fit_into_frames(void **test)
{
	static const uint8_t kinds[FORMAT_KINDS_MAX] = {
		BINLOG_ARG_I64, BINLOG_ARG_I64, BINLOG_ARG_F64};
	static struct definition_context contexts[20000];
	struct render_argument arguments[3];
	struct process process;
	size_t i, k;

	(void)test;
	begin(&process, false);
	for (i = 0; i < 200000; i++) {
		struct definition_context *context = &contexts[i % 20000];

		*context = (struct definition_context){
			.id = 16 + (uint32_t)(i % 20000),
			.text = (uint16_t)(1 + i % 20000 % 5000),
			.flags = (uint16_t)(i % 20000 / 5000 * 8),
			.kinds = kinds,
			.arguments = 3,
			.packed = context->packed,
		};
		for (k = 0; k < 3; k++)
			arguments[k] =
				(struct render_argument){.kind = kinds[k],
					.i64 = (int64_t)next_random()};
		say(&process, context, arguments, 3, next_random());
	}
	check_log(&process);
	assert_true(process.log.frames[PACKED_SITE] >= 20000);
	assert_int_equal(process.log.messages, 200000);
	end(&process);
}

static void strings_of_a_megabyte_fit_into_frames(void **test)
{
	static const uint8_t kinds[] = {
		BINLOG_ARG_STRING, BINLOG_ARG_STRING, BINLOG_ARG_STRING};
	struct definition_context context = {.id = 16,
		.text = BINLOG_TEXT_FORMAT,
		.kinds = kinds,
		.arguments = 3};
	struct render_argument arguments[3] = {0};
	char *bytes = malloc(HUGE);
	struct process process;
	size_t i, k;

	(void)test;
	assert_non_null(bytes);
	for (i = 0; i < HUGE; i++)
		bytes[i] = (char)next_random();
	begin(&process, false);
	for (i = 0; i < 40; i++) {
		for (k = 0; k < 3; k++)
			arguments[k] = (struct render_argument){
				.kind = BINLOG_ARG_STRING,
				.data = bytes,
				.bytes = (uint32_t)(i % 4 == 3 ? HUGE
							       : HUGE / 3)};
		say(&process, &context, arguments, 3, i);
	}
	check_log(&process);
	assert_int_equal(process.log.messages, 40);
	/* Two strings of each fourth message were too much. */
	assert_int_equal(process.log.frames[PACKED_LOSS], 10);
	end(&process);
	free(bytes);
}

static void a_log_of_too_many_definitions_ends_and_another_begins(void **test)
{
	static char text[HUGE / 4];
	struct definition_string format = {
		.bytes = text, .length = sizeof(text)};
	struct definition_context context = {.id = 16,
		.text = BINLOG_TEXT_FORMAT,
		.has_format = true,
		.format = &format};
	struct process process;
	size_t i;

	(void)test;
	memset(text, 'x', sizeof(text));
	begin(&process, false);
	for (i = 0; i < 200; i++) {
		text[0] = (char)('A' + i / 20);
		text[1] = (char)('A' + i % 20);
		context.packed = 0;
		say(&process, &context, NULL, 0, i);
		assert_true(pack_flush(process.pack));
	}
	check_log(&process);
	assert_true(process.log.logs > 1);
	assert_int_equal(process.log.messages, 200);
	end(&process);
}

/* In no record a frame begins. */
static void check_insides(const struct log *log)
{
	size_t size, record_size, at, i;
	const char *record;

	for (at = 0; at < log->bytes.length; at += size) {
		record = frame_at(log->bytes.data + at, log->bytes.length - at,
			&size, &record_size);
		for (i = 0; i < record_size; i++) {
			size_t some, other;

			assert_null(frame_at(
				record + i, record_size - i, &some, &other));
		}
	}
}

static void no_frame_has_another_one_in_it(void **test)
{
	static const uint8_t kinds[] = {BINLOG_ARG_STRING};
	struct definition_context context = {.id = 16,
		.text = BINLOG_TEXT_FORMAT,
		.kinds = kinds,
		.arguments = 1};
	struct render_argument argument = {.kind = BINLOG_ARG_STRING};
	struct process inner, outer;

	(void)test;
	begin(&inner, true);
	argument.data = "x";
	argument.bytes = 1;
	say(&inner, &context, &argument, 1, 1);
	check_log(&inner);
	assert_int_equal(inner.log.masks, 0);
	begin(&outer, true);
	argument.data = inner.log.bytes.data;
	argument.bytes = (uint32_t)inner.log.bytes.length;
	say(&outer, &context, &argument, 1, 1);
	check_log(&outer);
	assert_int_equal(outer.log.masks, 1);
	check_insides(&outer.log);
	end(&inner);
	end(&outer);
}

/* A program has printed the log that is being made of it. */
static void nor_has_it_one_of_the_same_log(void **test)
{
	static const uint8_t kinds[] = {BINLOG_ARG_STRING};
	struct definition_context context = {.id = 16,
		.text = BINLOG_TEXT_FORMAT,
		.kinds = kinds,
		.arguments = 1};
	struct render_argument argument = {
		.kind = BINLOG_ARG_STRING, .data = "x", .bytes = 1};
	struct process process;
	unsigned i;

	(void)test;
	for (i = 0; i < 2; i++) {
		struct render_buffer said = {0};

		begin(&process, i);
		say(&process, &context, &argument, 1, 1);
		assert_true(pack_flush(process.pack));
		render_buffer_put(&said, process.log.bytes.data,
			process.log.bytes.length);
		argument.data = said.data;
		argument.bytes = (uint32_t)said.length;
		say(&process, &context, &argument, 1, 2);
		check_log(&process);
		check_insides(&process.log);
		end(&process);
		render_buffer_free(&said);
		argument.data = "x";
		argument.bytes = 1;
	}
}

static void check_told(const char *wanted)
{
	char sentence[512];

	assert_true(limits_tell(sentence, sizeof(sentence)));
	assert_memory_equal(sentence, wanted, strlen(wanted));
	assert_false(limits_tell(sentence, sizeof(sentence)));
}

static void outer_frames_of_too_deep_stacks_are_left_out_and_that_is_told(
	void **test)
{
	static uint64_t frames[LIMITS_PACKED_STACK + 1];
	struct definition_context context = {.id = 16, .frames = frames};
	struct process process;

	(void)test;
	begin(&process, false);
	context.depth = LIMITS_PACKED_STACK;
	say(&process, &context, NULL, 0, 1);
	assert_false(limits_tell((char[1]){0}, 1));
	context = (struct definition_context){
		.id = 17, .frames = frames, .depth = LIMITS_PACKED_STACK + 1};
	say(&process, &context, NULL, 0, 2);
	check_told("outer frames of stacks were left out: "
		   "more than 1024 frames ");
	check_log(&process);
	assert_int_equal(process.log.frames[PACKED_BACKTRACE], 1);
	end(&process);
}

static void distant_ancestors_are_left_out_and_that_is_told(void **test)
{
	static struct program chain[LIMITS_PACKED_ANCESTORS + 1];
	struct definition_context context = {.id = 16};
	struct process process;
	size_t i;

	(void)test;
	for (i = 0; i <= LIMITS_PACKED_ANCESTORS; i++)
		chain[i] = (struct program){.pid = 2 + (uint32_t)i,
			.name = "?",
			.parent = i > 0 ? &chain[i - 1] : NULL};
	begin(&process, false);
	process.program.parent = &chain[LIMITS_PACKED_ANCESTORS - 1];
	say(&process, &context, NULL, 0, 1);
	assert_false(limits_tell((char[1]){0}, 1));
	end(&process);

	begin(&process, false);
	process.program.parent = &chain[LIMITS_PACKED_ANCESTORS];
	say(&process, &context, NULL, 0, 2);
	check_told("processes have lost those that made them: too many descend "
		   "from each other: more than 64 generations ");
	check_log(&process);
	end(&process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			messages_that_have_nothing_in_common_fit_into_frames),
		cmocka_unit_test(strings_of_a_megabyte_fit_into_frames),
		cmocka_unit_test(
			a_log_of_too_many_definitions_ends_and_another_begins),
		cmocka_unit_test(no_frame_has_another_one_in_it),
		cmocka_unit_test(nor_has_it_one_of_the_same_log),
		cmocka_unit_test(
			outer_frames_of_too_deep_stacks_are_left_out_and_that_is_told),
		cmocka_unit_test(
			distant_ancestors_are_left_out_and_that_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
