/*
 * Packed logs with sites and modules that somebody has made to be too many,
 * too large, or too alike.
 */
#include <stdlib.h>

#include "base/id_map.h"
#include "record/hash.h"
#include "tests/unit/world/make_log.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

struct hashed {
	uint32_t hash;
	uint32_t id;
};

static int compare_hashes(const void *left, const void *right)
{
	const struct hashed *a = left;
	const struct hashed *b = right;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Of a site, as packed_context.c has it. */
static uint64_t hash_of_site(uint32_t id)
{
	return id_map_hash(id);
}

/* Of a capture by when it was begun, as packed_capture.c has it. */
static uint64_t hash_of_start(uint32_t start)
{
	return binlog_hash_word(start, 0);
}

/* Two ids of one hash, folded; there are some 40 such pairs. */
static void find_collision(uint64_t (*hash_of)(uint32_t id), uint64_t ids[2])
{
	enum { MANY = 600000 };
	static struct hashed all[MANY];
	uint32_t i;

	for (i = 0; i < MANY; i++) {
		uint64_t hash = hash_of(i + 1);

		all[i] = (struct hashed){(uint32_t)(hash ^ hash >> 32), i + 1};
	}
	qsort(all, MANY, sizeof(all[0]), compare_hashes);
	for (i = 1; i < MANY && all[i].hash != all[i - 1].hash; i++)
		;
	assert_true(i < MANY);
	ids[0] = all[i - 1].id;
	ids[1] = all[i].id;
}

static void captures_of_one_hash_are_told_apart(void **state)
{
	struct make_log log = {0};
	uint64_t starts[2];
	uint64_t i;

	(void)state;
	find_collision(hash_of_start, starts);
	for (i = 0; i < 2; i++) {
		make_log_begin(&log, PACKED_PREAMBLE);
		make_log_number(&log, PACKED_PREAMBLE_ID, i + 1);
		make_log_list(&log, PACKED_PREAMBLE_START, 1, &starts[i]);
		make_log_end(&log);
	}
	make_log_read(&log);
	assert_int_equal(log.captures, 2);
	make_log_free(&log);
}

static void sites_of_one_hash_are_told_apart(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32};
	struct make_log log = {0};
	uint64_t ids[2];
	uint64_t i;

	(void)state;
	find_collision(hash_of_site, ids);
	for (i = 0; i < 2; i++) {
		make_log_trace(&log, ids[i], 0, 0, 0, 0);
		make_log_string(&log, ids[i], i ? "b=%d\n" : "a=%d\n", 0);
		make_log_site(&log, ids[i], kinds, 1);
	}
	make_log_process(&log, 1, 42);
	make_log_thread(&log, 1, 1);
	for (i = 0; i < 4; i++)
		make_log_say(&log, i, ids[i % 2], i);
	assert_int_equal(make_log_read(&log), 4);
	assert_string_equal(make_log_said(&log), "a=0\nb=1\na=2\nb=3\n");
	make_log_free(&log);
}

/* What they are of is lost, and they are of different kinds. */
static void messages_of_one_lost_site_may_be_different(void **state)
{
	struct make_log log = {0};

	(void)state;
	make_log_say(&log, 0, 5, 7);
	make_log_begin(&log, PACKED_DATA);
	make_log_number(&log, PACKED_DATA_NUMBER, 1);
	make_log_number(&log, PACKED_DATA_SITE, 5);
	make_log_number(&log, PACKED_DATA_THREAD, 1);
	frame_write_list(&log.frame, PACKED_DATA_ARGUMENTS, 1);
	frame_write_item_text(&log.frame, "x", 1);
	make_log_end(&log);
	assert_int_equal(make_log_read(&log), 2);
	assert_non_null(strstr(make_log_said(&log), " 7\n<fmt ?> args: \"x\"\n"));
	make_log_free(&log);
}

static void define_large_module(
	struct make_log *log, uint64_t id, size_t path, size_t build_id)
{
	static const char bytes[LIMITS_PATH + 1] = "/";

	make_log_begin(log, PACKED_MODULE);
	make_log_number(log, PACKED_MODULE_ID, id);
	frame_write_text(&log->frame, PACKED_MODULE_PATH, bytes, path);
	frame_write_binary(
		&log->frame, PACKED_MODULE_BUILD_ID, bytes, build_id);
	make_log_end(log);
}

/* A string of one that is too large is not whole. */
static void modules_have_a_bounded_size(void **state)
{
	static const struct {
		size_t path;
		size_t build_id;
		size_t lost;
	} cases[] = {
		{LIMITS_PATH, LIMITS_BUILD_ID, 0},
		{LIMITS_PATH + 1, LIMITS_BUILD_ID, 1},
		{LIMITS_PATH, LIMITS_BUILD_ID + 1, 1},
	};
	static const char kinds[] = {BINLOG_ARG_I32};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct make_log log = {0};

		define_large_module(&log, 7, cases[i].path, cases[i].build_id);
		make_log_trace(&log, 1, 0, 0, 0, 0);
		make_log_string(&log, 1, "n=%d\n", 7);
		make_log_site(&log, 1, kinds, 1);
		make_log_say(&log, 0, 1, 5);
		make_log_read(&log);
		assert_int_equal(
			make_log_told(&log, ERROR_PACKED_LOST), cases[i].lost);
		make_log_free(&log);
	}
}

static void places_of_calls_take_a_bounded_amount_of_memory(void **state)
{
	uint64_t limit = limits_of(LIMIT_CONTEXTS);
	struct make_log log = {0};
	uint64_t site;

	(void)state;
	for (site = 0; site < 8; site++)
		make_log_say(&log, site, site + 1, 5);
	limits_values[LIMIT_CONTEXTS] = 0;
	assert_in_range(make_log_read(&log), 0, 7);
	limits_values[LIMIT_CONTEXTS] = limit;
	assert_int_equal(make_log_told(&log, ERROR_PACKED_MANY), 1);
	make_log_free(&log);
}

static void map_module(struct make_log *log, uint64_t part, uint64_t bias)
{
	make_log_begin(log, PACKED_MAPPING);
	make_log_number(log, PACKED_ALL_PART, part);
	make_log_number(log, PACKED_MAPPING_PROCESS, 1);
	make_log_number(log, PACKED_MAPPING_MODULE, 7);
	make_log_number(log, PACKED_MAPPING_START, 0x1000 + bias);
	make_log_number(log, PACKED_MAPPING_END, 0x2000 + bias);
	make_log_number(log, PACKED_MAPPING_BIAS, bias);
	make_log_end(log);
}

static void a_module_that_moves_is_called_where_it_is_by_then(void **state)
{
	static const char kinds[] = {BINLOG_ARG_I32};
	struct make_log log = {0};

	(void)state;
	make_log_process(&log, 1, 42);
	make_log_thread(&log, 1, 1);
	make_log_module(&log, 7, "/bin/true");
	make_log_trace(&log, 1, 1, 1, 0, 0);
	make_log_string(&log, 1, "n=%d\n", 0);
	make_log_site(&log, 1, kinds, 1);
	map_module(&log, 0, 0x10000);
	make_log_say(&log, 0, 1, 5);
	map_module(&log, 0, 0x20000);
	make_log_say(&log, 1, 1, 6);
	assert_int_equal(make_log_read(&log), 2);
	assert_int_equal(log.called_at, 0x20007);
	make_log_free(&log);
}

static void names_of_what_is_mapped_take_a_bounded_amount(void **state)
{
	uint64_t limit = limits_of(LIMIT_MAPPED_NAMES);
	uint64_t most;

	(void)state;
	for (most = 0; most < 32; most += 16) {
		struct make_log log = {0};

		make_log_process(&log, 1, 42);
		make_log_module(&log, 7, "/bin/true");
		map_module(&log, 0, 0);
		map_module(&log, 0, 0x10000);
		map_module(&log, 1, 0x20000);
		limits_values[LIMIT_MAPPED_NAMES] = most;
		make_log_read(&log);
		limits_values[LIMIT_MAPPED_NAMES] = limit;
		assert_int_equal(make_log_told(&log, ERROR_PACKED_MANY), 1);
		make_log_free(&log);
	}
}

static void modules_of_a_process_are_not_more_than_the_limit(void **state)
{
	uint64_t limit = limits_of(LIMIT_MODULES);
	struct make_log log = {0};
	uint64_t i;

	(void)state;
	make_log_process(&log, 1, 42);
	make_log_module(&log, 7, "/bin/true");
	for (i = 0; i < 5; i++)
		map_module(&log, i / 2, i << 16);
	limits_values[LIMIT_MODULES] = 3;
	assert_int_equal(make_log_read(&log), 0);
	limits_values[LIMIT_MODULES] = limit;
	assert_int_equal(make_log_told(&log, ERROR_PACKED_RECORD), 0);
	make_log_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_of_one_hash_are_told_apart),
		cmocka_unit_test(sites_of_one_hash_are_told_apart),
		cmocka_unit_test(messages_of_one_lost_site_may_be_different),
		cmocka_unit_test(
			a_module_that_moves_is_called_where_it_is_by_then),
		cmocka_unit_test(names_of_what_is_mapped_take_a_bounded_amount),
		cmocka_unit_test(
			modules_of_a_process_are_not_more_than_the_limit),
		cmocka_unit_test(modules_have_a_bounded_size),
		cmocka_unit_test(
			places_of_calls_take_a_bounded_amount_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
