/*
 * Definitions while there is no memory: each is there as a whole, or not at
 * all, and the table says that it lacks something.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/capture/definition.h"
#include "record/layout.h"
#include "tests/unit/world/inject_faults.h"

#define ID 16u
#define ROOM 512u

/* A record and what follows it, of at most 32 bytes. */
struct record {
	uint8_t bytes[256];
	size_t size;
};

static struct record record_of(
	const void *head, size_t size, const char *more, size_t more_bytes)
{
	struct record record = {.size = size + more_bytes};

	memcpy(record.bytes, head, size);
	memcpy(record.bytes + size, more, more_bytes);
	return record;
}

static struct record string_record(void)
{
	const struct binlog_string_record head = {.id = ID, .bytes = 5};

	return record_of(&head, sizeof(head), "hello", 5);
}

static struct record stream_record(void)
{
	const struct binlog_stream_record head = {
		.id = ID, .fd = 7, .path_bytes = 8};

	return record_of(&head, sizeof(head), "/tmp/log", 8);
}

static struct record context_record(void)
{
	const struct binlog_context_record head = {
		.id = ID, .depth = 2, .arguments = 3};

	return record_of(&head, sizeof(head),
		"\0\1\2\3\4\5\6\7"
		"\0\1\2\3\4\5\6\7"
		"\1\5\1",
		19);
}

static bool add_string(struct definition_table *table, struct cursor *record)
{
	return definition_add_string(table, record);
}

static bool add_stream(struct definition_table *table, struct cursor *record)
{
	return definition_add_stream(table, record);
}

static bool add_context(struct definition_table *table, struct cursor *record)
{
	return definition_add_context(table, record, 0);
}

static bool has_string(const struct definition_table *table)
{
	const struct definition_string *string = definition_string(table, ID);

	assert_true(!string || string->length == 5);
	if (string && string->bytes)
		assert_string_equal(string->bytes, "hello");
	return string && string->bytes;
}

static bool has_stream(const struct definition_table *table)
{
	const struct definition_stream *stream =
		id_map_find(&table->streams, ID);

	assert_true(!stream || stream->fd == 7);
	if (stream && stream->path)
		assert_string_equal(stream->path, "/tmp/log");
	return stream && stream->path;
}

static bool has_context(const struct definition_table *table)
{
	const struct definition_context *context =
		definition_context(table, ID);

	if (!context)
		return false;
	assert_int_equal(context->depth, 2);
	assert_true(context->frames[1] == 0x0706050403020100u);
	assert_int_equal(context->arguments, 3);
	assert_memory_equal(context->kinds, "\1\5\1", 3);
	assert_true(context->usable);
	return true;
}

struct kind {
	struct record (*record)(void);
	bool (*add)(struct definition_table *table, struct cursor *record);
	bool (*has)(const struct definition_table *table);
};

static const struct kind kinds[] = {
	{string_record, add_string, has_string},
	{stream_record, add_stream, has_stream},
	{context_record, add_context, has_context},
};

/* `for_ever`: the allocation that fails is not the only one. */
static void define_with_room(const struct kind *kind, size_t room, bool maps,
	bool for_ever, bool others)
{
	static int other;
	struct program_table programs = {0};
	struct definition_table table = {.programs = others ? &programs : NULL};
	struct record record = kind->record();
	struct cursor cursor = cursor_over(record.bytes, record.size);

	pool_take(&table.pool, ROOM);
	table.pool.left = room;
	if (maps) {
		id_map_set(&table.strings, 1, &other);
		id_map_set(&table.streams, 1, &other);
		id_map_set(&table.contexts, 1, &other);
	}
	inject_begin(INJECT_MEMORY, 0, for_ever);
	assert_true(kind->add(&table, &cursor));
	inject_end();
	assert_int_not_equal(kind->has(&table), definition_table_lacks(&table));
	assert_true(maps || definition_table_lacks(&table));
	definition_table_free(&table);
	program_table_free(&programs);
}

static void what_is_not_defined_for_want_of_memory_is_told(void **state)
{
	size_t kind, room;

	(void)state;
	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (room = 0; room <= ROOM; room += 16) {
			define_with_room(&kinds[kind], room, true, true, false);
			define_with_room(
				&kinds[kind], room, true, false, false);
			define_with_room(&kinds[kind], room, true, true, true);
			define_with_room(&kinds[kind], room, true, false, true);
		}
		define_with_room(&kinds[kind], ROOM, false, true, false);
	}
}

static void what_is_whole_is_defined(void **state)
{
	size_t kind;

	(void)state;
	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		struct definition_table table = {0};
		struct record record = kinds[kind].record();
		struct cursor cursor = cursor_over(record.bytes, record.size);

		assert_true(kinds[kind].add(&table, &cursor));
		assert_true(kinds[kind].has(&table));
		assert_int_equal(cursor_left(&cursor), 0);
		definition_table_free(&table);
	}
}

static void define_all(struct definition_table *table)
{
	size_t kind;

	for (kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		struct record record = kinds[kind].record();
		struct cursor cursor = cursor_over(record.bytes, record.size);

		assert_true(kinds[kind].add(table, &cursor));
		assert_true(kinds[kind].has(table));
	}
}

static void what_writers_have_in_common_is_there_once(void **state)
{
	struct program_table programs = {0};
	struct definition_table first = {.programs = &programs};
	struct definition_table second = {.programs = &programs};
	struct definition_stream *stream;

	(void)state;
	define_all(&first);
	define_all(&second);
	assert_ptr_equal(definition_string(&first, ID)->bytes,
		definition_string(&second, ID)->bytes);
	assert_ptr_equal(definition_context(&first, ID)->frames,
		definition_context(&second, ID)->frames);
	assert_ptr_equal(definition_context(&first, ID)->kinds,
		definition_context(&second, ID)->kinds);
	stream = id_map_find(&first.streams, ID);
	assert_ptr_equal(stream->path,
		((struct definition_stream *)id_map_find(&second.streams, ID))
			->path);
	/* The others go on when one has ended. */
	definition_table_free(&first);
	assert_true(has_string(&second));
	assert_true(has_context(&second));
	definition_table_free(&second);
	program_table_free(&programs);
}

static void writers_that_define_ever_new_bytes_have_them_themselves(
	void **state)
{
	struct program_table programs = {0};
	struct definition_table table = {.programs = &programs};
	uint32_t i;

	(void)state;
	for (i = 0; i < 10000; i++) {
		const struct binlog_string_record head = {
			.id = i, .bytes = sizeof(i)};
		struct record record = record_of(
			&head, sizeof(head), (const char *)&i, sizeof(i));
		struct cursor cursor = cursor_over(record.bytes, record.size);

		assert_true(definition_add_string(&table, &cursor));
	}
	assert_true(programs.common_pool.bytes < 65536);
	for (i = 0; i < 10000; i++)
		assert_memory_equal(
			definition_string(&table, i)->bytes, &i, sizeof(i));
	definition_table_free(&table);
	program_table_free(&programs);
}

/* Of the text CREATED, with the same id. */
static struct record creation_record(void)
{
	const struct binlog_context_record head = {
		.id = ID, .text = BINLOG_TEXT_CREATED, .depth = 1};

	return record_of(&head, sizeof(head), "\7\6\5\4\3\2\1\0", 8);
}

static void a_creation_without_memory_leaves_the_contexts_that_are_there(
	void **state)
{
	struct program_table programs = {0};
	struct definition_table table = {.programs = &programs};
	const struct program program = {.pid = 1};
	const struct definition_string format = {.bytes = "%d", .length = 2};
	struct record record = creation_record();
	struct cursor cursor = cursor_over(record.bytes, record.size);

	(void)state;
	define_all(&table);
	definition_context(&table, ID)->format = &format;
	inject_begin(INJECT_MEMORY, 0, true);
	assert_true(
		definition_add_creation(&table, &cursor, &program, &programs));
	inject_end();
	assert_true(programs.pool.failed);
	assert_true(has_context(&table));
	assert_ptr_equal(definition_context(&table, ID)->format, &format);
	assert_int_equal(programs.creations.count, 0);
	definition_table_free(&table);
	program_table_free(&programs);
}

static void a_damaged_creation_leaves_the_contexts_that_are_there(void **state)
{
	const struct binlog_context_record head = {.id = ID,
		.text = BINLOG_TEXT_CREATED,
		.depth = 1,
		.arguments = 1};
	struct program_table programs = {0};
	struct definition_table table = {.programs = &programs};
	const struct program program = {.pid = 1};
	struct record record =
		record_of(&head, sizeof(head), "\7\6\5\4\3\2\1\0", 8);
	struct cursor cursor = cursor_over(record.bytes, record.size);

	(void)state;
	define_all(&table);
	assert_false(
		definition_add_creation(&table, &cursor, &program, &programs));
	assert_true(has_context(&table));
	definition_table_free(&table);
	program_table_free(&programs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_damaged_creation_leaves_the_contexts_that_are_there),
		cmocka_unit_test(what_is_whole_is_defined),
		cmocka_unit_test(
			a_creation_without_memory_leaves_the_contexts_that_are_there),
		cmocka_unit_test(what_writers_have_in_common_is_there_once),
		cmocka_unit_test(
			writers_that_define_ever_new_bytes_have_them_themselves),
		cmocka_unit_test(
			what_is_not_defined_for_want_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
