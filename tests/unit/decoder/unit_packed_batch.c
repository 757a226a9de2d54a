/*
 * Batches of a packed log that no packer makes: without messages, with more
 * sites and writers than usual, with clocks in no order, without memory.
 */
#include "decoder/query/batch_fold.h"
#include "decoder/query/filter_batch.h"
#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/make_log.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define MANY 300u

struct site {
	uint64_t id;
	uint64_t messages;
	const char *kinds;
	uint64_t module; /* of the call: its place in the index, from 1 */
	uint64_t call;
};

struct writer {
	uint64_t thread;
	uint64_t process;
	uint64_t messages;
};

struct batch {
	uint64_t number; /* of its first message */
	uint64_t count;
	const struct site *sites;
	size_t site_count;
	const struct writer *writers;
	size_t writer_count;
	bool has_module;	/* one that nobody knows the place of */
	const uint64_t *clocks; /* from which message on */
	size_t clock_count;
	const char *body;
	size_t body_bytes;
};

static void put_numbers(
	struct render_buffer *out, size_t count, const uint64_t *numbers)
{
	while (count-- > 0)
		pack_value_uint(out, *numbers++);
}

static void put_site(struct render_buffer *out, const struct site *site)
{
	const uint64_t before[] = {
		site->id, site->messages, BINLOG_TEXT_FORMAT, 0, 0};
	const uint64_t after[] = {0, 0, site->module, site->call};

	pack_value_array(out, 10);
	put_numbers(out, LENGTH(before), before);
	pack_value_binary(out, site->kinds, strlen(site->kinds));
	put_numbers(out, LENGTH(after), after);
}

static void put_writer(struct render_buffer *out, const struct writer *writer)
{
	const uint64_t numbers[] = {writer->thread, 1, writer->process,
		40 + writer->process, 50, writer->messages};

	pack_value_array(out, LENGTH(numbers));
	put_numbers(out, LENGTH(numbers), numbers);
}

static void put_module(struct render_buffer *out)
{
	pack_value_array(out, 5);
	pack_value_uint(out, 7);
	pack_value_binary(out, "id", 2);
	pack_value_binary(out, "/bin/true", 9);
	pack_value_uint(out, 1);
	pack_value_uint(out, 2);
}

/* The last one is of a capture that has no writer here. */
static void put_clock(struct render_buffer *out, uint64_t from, bool last)
{
	const double rate = 1;
	uint64_t bits;

	memcpy(&bits, &rate, sizeof(bits));
	pack_value_array(out, 6);
	put_numbers(
		out, 6, (const uint64_t[]){last ? 9 : 1, 0, 0, 0, bits, from});
}

static void put_index(struct render_buffer *out, const struct batch *batch)
{
	size_t i;

	pack_value_array(out, 4);
	pack_value_array(out, batch->site_count);
	for (i = 0; i < batch->site_count; i++)
		put_site(out, &batch->sites[i]);
	pack_value_array(out, batch->writer_count);
	for (i = 0; i < batch->writer_count; i++)
		put_writer(out, &batch->writers[i]);
	pack_value_array(out, batch->has_module);
	if (batch->has_module)
		put_module(out);
	pack_value_array(out, batch->clock_count);
	for (i = 0; i < batch->clock_count; i++)
		put_clock(out, batch->clocks[i], i + 1 == batch->clock_count);
}

static void put_batch(struct make_log *log, const struct batch *batch)
{
	struct render_buffer index = {0};

	put_index(&index, batch);
	make_log_begin(log, PACKED_BATCH);
	make_log_number(log, PACKED_BATCH_NUMBER, batch->number);
	make_log_number(log, PACKED_BATCH_COUNT, batch->count);
	make_log_number(log, PACKED_BATCH_INDEX_BYTES, index.length);
	frame_write_binary(
		&log->frame, PACKED_BATCH_INDEX, index.data, index.length);
	make_log_number(log, PACKED_BATCH_BODY_BYTES, batch->body_bytes);
	frame_write_binary(
		&log->frame, PACKED_BATCH_BODY, batch->body, batch->body_bytes);
	make_log_end(log);
	render_buffer_free(&index);
}

static void expect(const struct batch *batch, const char *text, size_t wrong)
{
	struct make_log log = {0};

	make_log_string(&log, 1, "n=%d\n", 0);
	make_log_string(&log, 2, "nothing\n", 0);
	make_log_trace(&log, 1, 0, 0, 0, 0);
	make_log_trace(&log, 2, 0, 0, 0, 0);
	make_log_site(&log, 1, "\1", 1);
	make_log_site(&log, 2, "", 0);
	put_batch(&log, batch);
	make_log_read(&log);
	assert_string_equal(make_log_said(&log), text);
	assert_int_equal(make_log_told(&log, ERROR_PACKED_BATCH), wrong);
	make_log_free(&log);
}

static void a_batch_without_messages_is_empty(void **state)
{
	static const struct site site = {1, 0, "\1", 0, 0};

	(void)state;
	expect(&(struct batch){0}, "", 0);
	/* There are not that many. */
	expect(&(struct batch){.count = PACKED_MESSAGES_MAX + 1}, "", 1);
	/* Whose site would that be? */
	expect(&(struct batch){.sites = &site, .site_count = 1}, "", 1);
}

/* Columns: site, writer, ticks, wall, continues, and the one number. */
static void sites_may_have_no_messages_or_no_arguments(void **state)
{
	static const struct site sites[] = {
		{1, 1, "\1", 0, 0}, {1, 0, "\1", 0, 0}, {2, 1, "", 0, 0}};
	static const struct writer writers[] = {{1, 1, 2}};
	static const char body[] = "\3\0\0\4"
				   "\0\0\0\2\0\2\0\0"
				   "\0\12";

	(void)state;
	expect(&(struct batch){.count = 2,
		       .sites = sites,
		       .site_count = LENGTH(sites),
		       .writers = writers,
		       .writer_count = LENGTH(writers),
		       .body = body,
		       .body_bytes = sizeof(body) - 1},
		"n=5\nnothing\n", 0);
}

static void clocks_may_come_in_any_order(void **state)
{
	static const struct site sites[] = {{2, 3, "", 0, 0}};
	static const struct writer writers[] = {{1, 1, 3}};
	static const uint64_t clocks[] = {2, 0, 0, 1};
	static const char body[] = "\0\0\0\0\0\2\0\2\0\0";

	(void)state;
	expect(&(struct batch){.count = 3,
		       .sites = sites,
		       .site_count = LENGTH(sites),
		       .writers = writers,
		       .writer_count = LENGTH(writers),
		       .clocks = clocks,
		       .clock_count = LENGTH(clocks),
		       .body = body,
		       .body_bytes = sizeof(body) - 1},
		"nothing\nnothing\nnothing\n", 0);
}

/* Site and writer i say message i; calls are of a module of no process.  The
 * processes are numbered from `first` on. */
static struct batch batch_of_many(size_t count, uint64_t first)
{
	static const char body[] = "\3\0\0\2\3\0\0\2\0\2\0\2\0\0";
	static struct site sites[MANY];
	static struct writer writers[MANY];
	size_t i;

	for (i = 0; i < count; i++) {
		sites[i] = (struct site){2, 1, "", 1, 0};
		writers[i] = (struct writer){i + 1, first + i, 1};
	}
	return (struct batch){.count = count,
		.sites = sites,
		.site_count = count,
		.writers = writers,
		.writer_count = count,
		.has_module = true,
		.body = body,
		.body_bytes = sizeof(body) - 1};
}

static void there_may_be_many_sites_and_writers(void **state)
{
	struct batch batch = batch_of_many(MANY, 1);
	struct make_log log = {0};

	(void)state;
	put_batch(&log, &batch);
	assert_int_equal(make_log_read(&log), MANY);
	assert_int_equal(make_log_told(&log, ERROR_PACKED_BATCH), 0);
	make_log_free(&log);
	batch = batch_of_many(3, 1);
	put_batch(&log, &batch);
	assert_int_equal(make_log_read(&log), 3);
	make_log_free(&log);
}

/* What is kept of places with such stacks is forgotten now and then. */
static void places_of_many_batches_are_not_all_kept(void **state)
{
	struct make_log log = {0};
	uint64_t i;

	(void)state;
	make_log_string(&log, 2, "nothing\n", 0);
	make_log_module(&log, 7, "/bin/true");
	make_log_trace(&log, 2, LIMITS_DEPTH, LIMITS_DEPTH, 0, 0);
	make_log_site(&log, 2, "", 0);
	for (i = 0; i < 8; i++) {
		struct batch batch = batch_of_many(MANY, 1 + i * MANY);

		batch.number = i * MANY;
		put_batch(&log, &batch);
	}
	assert_int_equal(make_log_read(&log), 8 * MANY);
	assert_int_equal(log.text.length, 8 * MANY * strlen("nothing\n"));
	assert_int_equal(make_log_told(&log, ERROR_PACKED_BATCH), 0);
	make_log_free(&log);
}

/* They are lost: what the batch says of them is all that is known. */
static void sites_of_one_number_may_be_called_from_two_places(void **state)
{
	static const struct site sites[] = {
		{9, 1, "", 0, 0x100}, {9, 1, "", 0, 0x200}};
	static const struct writer writers[] = {{1, 1, 2}};
	static const char body[] = "\3\0\0\2\0\0\0\2\0\2\0\0";
	const struct batch batch = {.count = 2,
		.sites = sites,
		.site_count = LENGTH(sites),
		.writers = writers,
		.writer_count = LENGTH(writers),
		.body = body,
		.body_bytes = sizeof(body) - 1};
	struct make_log log = {0};

	(void)state;
	put_batch(&log, &batch);
	assert_int_equal(make_log_read(&log), 2);
	assert_int_equal(log.called_at, 0x200);
	make_log_free(&log);
}

struct folded {
	struct filter_rules rules;
	struct batch_fold fold;
	struct filter_batch batches;
	size_t rows;
	uint64_t last; /* time */
};

static void take_rows(void *closure, const struct batch_rows *rows)
{
	struct folded *folded = closure;

	folded->rows += rows->count;
	if (rows->times)
		folded->last = rows->times[rows->count - 1];
}

/* From here on what is read is folded. */
static void fold(struct make_log *log, struct folded *folded, bool timed)
{
	*folded = (struct folded){
		.fold = {.take = take_rows, .closure = folded, .timed = timed},
		.batches = {.rules = &folded->rules,
			.fold = &folded->fold}};
	log->fold = batch_fold_take;
	log->closure = &folded->batches;
}

/* What goes on with a call is no row of its own. */
static void only_whole_calls_are_folded(void **state)
{
	static const struct site sites[] = {{2, 3, "", 0, 0}};
	static const struct writer writers[] = {{1, 1, 3}};
	/* Site, writer, ticks, wall, and whether it goes on. */
	static const struct {
		const char *body;
		size_t bytes;
		size_t rows;
	} cases[] = {
		{"\0\0\0\0\0\2\0\2\0\0", 10, 3},
		{"\0\0\0\0\0\2\0\2\0\2", 10, 0},
		{"\0\0\0\0\0\2\0\2\3\0\0\2", 12, 0},
		{"\0\0\0\0\0\2\0\2\1\1\0\0\1\0", 14, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		const struct batch batch = {.count = 3,
			.sites = sites,
			.site_count = LENGTH(sites),
			.writers = writers,
			.writer_count = LENGTH(writers),
			.body = cases[i].body,
			.body_bytes = cases[i].bytes};
		struct make_log log = {0};
		struct folded folded;

		put_batch(&log, &batch);
		fold(&log, &folded, false);
		assert_int_equal(make_log_read(&log), 3 - cases[i].rows);
		assert_int_equal(folded.rows, cases[i].rows);
		assert_int_equal(make_log_told(&log, ERROR_PACKED_BATCH), 0);
		make_log_free(&log);
	}
}

static bool tells_of_memory(const struct make_log *log)
{
	return make_log_told(log, ERROR_MEMORY) > 0 ||
	       make_log_told(log, ERROR_PACKED_BATCH) > 0 ||
	       make_log_told(log, ERROR_PACKED_RECORD) > 0;
}

static void without_memory_what_is_missing_is_told(void **state)
{
	struct batch batch = batch_of_many(MANY, 1);
	struct make_log log = {0};
	unsigned long k = 5;
	size_t messages;

	(void)state;
	put_batch(&log, &batch);
	do {
		log.errors = (struct error_list){0};
		render_buffer_free(&log.text);
		inject_begin(INJECT_MEMORY, k++, false);
		messages = make_log_read(&log);
		inject_end();
		assert_true(messages == MANY || tells_of_memory(&log));
	} while (inject.happened);
	make_log_free(&log);
}

/* Message i is of site i; those at odd places go on with a call if `pieces`. */
static void fold_without_memory(bool pieces)
{
	struct batch batch = batch_of_many(MANY, 1);
	struct make_log log = {0};
	struct folded folded;
	unsigned long k = 5;
	size_t given;

	if (pieces) {
		batch.body = "\3\0\0\2\3\0\0\2\0\2\0\2\3\0\0\2";
		batch.body_bytes = 16;
	}
	put_batch(&log, &batch);
	do {
		log.errors = (struct error_list){0};
		render_buffer_free(&log.text);
		fold(&log, &folded, true);
		inject_begin(INJECT_MEMORY, k++, false);
		given = make_log_read(&log);
		inject_end();
		assert_true(given + folded.rows == MANY ||
			    tells_of_memory(&log));
	} while (inject.happened);
	assert_int_equal(folded.rows, pieces ? 0 : MANY);
	make_log_free(&log);
}

static void what_cannot_be_folded_is_given_out(void **state)
{
	(void)state;
	fold_without_memory(false);
	fold_without_memory(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_without_messages_is_empty),
		cmocka_unit_test(sites_may_have_no_messages_or_no_arguments),
		cmocka_unit_test(clocks_may_come_in_any_order),
		cmocka_unit_test(there_may_be_many_sites_and_writers),
		cmocka_unit_test(places_of_many_batches_are_not_all_kept),
		cmocka_unit_test(
			sites_of_one_number_may_be_called_from_two_places),
		cmocka_unit_test(only_whole_calls_are_folded),
		cmocka_unit_test(without_memory_what_is_missing_is_told),
		cmocka_unit_test(what_cannot_be_folded_is_given_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
