#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/query/filter_batch.h"
#include "record/layout.h"

#define SITES 100u

/* A batch of literal texts, and who asks for what. */
struct made {
	struct filter_rules rules;
	struct filter_batch filter;
	struct definition_string texts[SITES];
	struct definition_stream streams[SITES];
	struct definition_context contexts[SITES];
	struct packed_site sites[SITES];
	struct packed_writer writer;
	struct packed_batch batch;
	struct pool pool;
	struct line_joiner *joiner;
};

static struct made *begin(void)
{
	static struct made made;

	memset(&made, 0, sizeof(made));
	made.filter.rules = &made.rules;
	made.writer = (struct packed_writer){
		.pid = 100, .tid = 101, .thread = "worker"};
	made.batch = (struct packed_batch){
		.first = 1000,
		.last = 2000,
		.sites = made.sites,
		.writers = &made.writer,
		.writer_count = 1,
		.pool = &made.pool,
	};
	return &made;
}

static void add(struct made *made, const char *text, uint64_t file)
{
	size_t i = made->batch.site_count++;

	made->texts[i] = (struct definition_string){
		.bytes = text, .length = strlen(text)};
	made->streams[i] = (struct definition_stream){
		.flags = BINLOG_STREAM_STDOUT, .fd = 1, .inode = file};
	made->contexts[i] = (struct definition_context){
		.text = BINLOG_TEXT_LITERAL,
		.has_format = true,
		.format = &made->texts[i],
		.stream = &made->streams[i],
	};
	made->sites[i] = (struct packed_site){
		.context = &made->contexts[i], .messages = 10, .wanted = true};
}

static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	(void)closure, (void)message, (void)head, (void)tail;
}

static void put_lines(void *closure, const struct line_joiner_lines *lines)
{
	(void)closure, (void)lines;
}

static void put_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	(void)closure, (void)message, (void)text, (void)bytes;
}

/* From here on what is said is joined to lines. */
static void join_lines(struct made *made)
{
	made->joiner = line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.lines = put_lines,
		.whole = put_whole,
	});
	assert_non_null(made->joiner);
	made->filter.joiner = made->joiner;
}

static void say(struct made *made, size_t site)
{
	static struct recording capture;
	static struct message message;

	message = (struct message){
		.context = &made->contexts[site],
		.pool = &made->pool,
		.capture = &capture,
	};
	line_joiner_add(made->joiner, &message);
}

static void search(struct made *made, const char *pattern)
{
	assert_null(filter_rules_add_grep(&made->rules, pattern));
}

/* Which sites are wanted, as a word of + and -. */
static const char *ask(struct made *made)
{
	static char word[SITES + 1];
	bool any;
	size_t i;

	made->filter.passed = 0;
	for (i = 0; i < made->batch.site_count; i++)
		made->sites[i].wanted = true;
	any = filter_batch_wants(&made->filter, &made->batch);
	for (i = 0; i < made->batch.site_count; i++)
		word[i] = made->sites[i].wanted ? '+' : '-';
	word[i] = '\0';
	assert_int_equal(any, strchr(word, '+') != NULL);
	return word;
}

static void end(struct made *made)
{
	if (made->joiner)
		line_joiner_end(made->joiner);
	filter_rules_free(&made->rules);
	pool_free(&made->pool);
}

static void without_rules_all_is_wanted(void **state)
{
	struct made *made = begin();

	(void)state;
	add(made, "a\n", 1);
	add(made, "b", 1);
	assert_string_equal(ask(made), "++");
	assert_int_equal(made->filter.passed, 0);
	end(made);
}

static void a_batch_of_others_is_not_wanted(void **state)
{
	struct made *made = begin();

	(void)state;
	add(made, "a\n", 1);
	assert_null(filter_rules_add_number(&made->rules.pids, "7"));
	assert_string_equal(ask(made), "-");
	assert_int_equal(made->filter.passed, 10);
	made->writer.pid = 7;
	assert_string_equal(ask(made), "+");
	assert_null(
		filter_rules_add_text(&made->rules.threads, "main*"));
	assert_string_equal(ask(made), "-");
	made->writer.thread = "main2";
	assert_string_equal(ask(made), "+");
	assert_null(filter_rules_add_number(&made->rules.tids, "8"));
	assert_string_equal(ask(made), "-");
	end(made);
}

static void a_batch_of_another_time_is_not_wanted(void **state)
{
	struct made *made = begin();

	(void)state;
	add(made, "a\n", 1);
	made->rules.timed = true;
	made->rules.since = 2000;
	made->rules.until = UINT64_MAX;
	assert_string_equal(ask(made), "+");
	made->rules.since = 2001;
	assert_string_equal(ask(made), "-");
	made->rules.since = 0;
	made->rules.until = 1000;
	assert_string_equal(ask(made), "+");
	made->rules.until = 999;
	assert_string_equal(ask(made), "-");
	end(made);
}

static void streams_are_chosen_by_site(void **state)
{
	struct made *made = begin();

	(void)state;
	add(made, "a\n", 1);
	add(made, "b\n", 2);
	made->streams[1].flags = BINLOG_STREAM_STDERR;
	made->rules.streams = BINLOG_STREAM_STDERR;
	assert_string_equal(ask(made), "-+");
	assert_int_equal(made->filter.passed, 10);
	end(made);
}

static void of_single_messages_all_that_cannot_match_are_left_out(void **state)
{
	struct made *made = begin();

	(void)state;
	add(made, "needle\n", 1);
	add(made, "hay\n", 1);
	add(made, "piece", 1);
	search(made, "needle");
	assert_string_equal(ask(made), "+--");
	assert_int_equal(made->filter.passed, 20);
	end(made);
}

static void events_and_pieces_are_not_counted(void **state)
{
	struct made *made = begin();

	(void)state;
	add(made, "hay\n", 1);
	add(made, "part", 1);
	add(made, "event", 1);
	made->contexts[1].flags = BINLOG_CONTEXT_PARTIAL;
	made->contexts[2].text = BINLOG_TEXT_FLUSH;
	search(made, "needle");
	assert_string_equal(ask(made), "---");
	assert_int_equal(made->filter.passed, 10);
	end(made);
}

static void whole_lines_that_cannot_match_are_left_out(void **state)
{
	struct made *made = begin();

	(void)state;
	join_lines(made);
	add(made, "needle\n", 1);
	add(made, "hay\n", 1);
	search(made, "needle");
	assert_string_equal(ask(made), "+-");
	end(made);
}

static void what_a_piece_may_come_before_is_needed(void **state)
{
	struct made *made = begin();

	(void)state;
	join_lines(made);
	add(made, "needle\n", 1);
	add(made, "hay\n", 1);
	add(made, "piece", 1);
	add(made, "hay\n", 2);
	search(made, "needle");
	assert_string_equal(ask(made), "+++-");
	end(made);
}

static void what_a_line_waits_for_is_needed(void **state)
{
	struct made *made = begin();

	(void)state;
	join_lines(made);
	add(made, "hay\n", 1);
	add(made, "hay\n", 2);
	add(made, "wait", 2);
	search(made, "needle");
	made->batch.site_count = 2;
	assert_string_equal(ask(made), "--");
	say(made, 2);
	assert_string_equal(ask(made), "-+");
	say(made, 1);
	assert_string_equal(ask(made), "--");
	end(made);
}

static void lines_that_wait_need_their_rest_whatever_its_time(void **state)
{
	struct made *made = begin();

	(void)state;
	join_lines(made);
	add(made, "hay\n", 1);
	add(made, "hay\n", 2);
	add(made, "wait", 2);
	made->batch.site_count = 2;
	made->rules.timed = true;
	made->rules.until = 999;
	assert_string_equal(ask(made), "--");
	say(made, 2);
	assert_string_equal(ask(made), "-+");
	end(made);
}

static void more_streams_than_can_be_kept_may_all_have_pieces(void **state)
{
	struct made *made = begin();
	uint64_t i;

	(void)state;
	join_lines(made);
	add(made, "hay\n", 1000);
	for (i = 0; i < 70; i++)
		add(made, "piece", i);
	search(made, "needle");
	assert_int_equal(*ask(made), '+');
	made->batch.site_count = 60;
	assert_int_equal(*ask(made), '-');
	end(made);
}

static void the_end_of_a_process_is_needed_for_lines(void **state)
{
	struct made *made = begin();

	(void)state;
	add(made, "", 1);
	add(made, "", 1);
	made->contexts[0].text = BINLOG_TEXT_EXIT;
	made->contexts[1].text = BINLOG_TEXT_SEEK;
	search(made, "needle");
	assert_string_equal(ask(made), "--");
	join_lines(made);
	assert_string_equal(ask(made), "+-");
	end(made);
}

static void a_format_that_is_lost_may_match(void **state)
{
	struct made *made = begin();

	(void)state;
	join_lines(made);
	add(made, "hay\n", 1);
	made->contexts[0].format = NULL;
	search(made, "needle");
	assert_string_equal(ask(made), "+");
	made->contexts[0].format = &made->texts[0];
	assert_string_equal(ask(made), "-");
	end(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rules_all_is_wanted),
		cmocka_unit_test(a_batch_of_others_is_not_wanted),
		cmocka_unit_test(a_batch_of_another_time_is_not_wanted),
		cmocka_unit_test(streams_are_chosen_by_site),
		cmocka_unit_test(
			of_single_messages_all_that_cannot_match_are_left_out),
		cmocka_unit_test(events_and_pieces_are_not_counted),
		cmocka_unit_test(whole_lines_that_cannot_match_are_left_out),
		cmocka_unit_test(what_a_piece_may_come_before_is_needed),
		cmocka_unit_test(what_a_line_waits_for_is_needed),
		cmocka_unit_test(
			lines_that_wait_need_their_rest_whatever_its_time),
		cmocka_unit_test(
			more_streams_than_can_be_kept_may_all_have_pieces),
		cmocka_unit_test(the_end_of_a_process_is_needed_for_lines),
		cmocka_unit_test(a_format_that_is_lost_may_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
