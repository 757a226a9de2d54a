/* Families that no real run has, since captures may claim anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/runs/process_tree.h"
#include "tests/unit/world/read_back.h"

#define NOBODY 4194305u /* no process has so high a number */
#define FAMILY_MAX 8

/* What the header page of a capture claims. */
struct claim {
	uint32_t pid;
	uint32_t ppid;
	uint32_t ancestor;
	uint64_t run;
	uint64_t started;
	uint64_t pid_namespace;
	uint32_t end;
	int64_t end_value;
};

struct family {
	struct error_list errors;
	struct recording *captures[FAMILY_MAX];
	struct process_list *list;
	size_t count;
	char *shape; /* "a(b c)": in the order of the tree */
	char text[256];
};

static void write_claim(const struct claim *claim, const char *path)
{
	struct make_capture capture = make_capture();
	struct binlog_founder founder = {
		.ppid = claim->ppid,
		.ancestor = claim->ancestor,
		.pid_namespace = claim->pid_namespace,
		.end_value = (uint64_t)claim->end_value,
		.end = claim->end,
	};

	make_header(&capture)->pid = claim->pid;
	make_header(&capture)->run = claim->run;
	make_header(&capture)->start = make_anchor(claim->started);
	memcpy(capture.bytes + BINLOG_FOUNDER_OFFSET, &founder,
		sizeof(founder));
	make_file_of(&capture, path, capture.size);
	make_free(&capture);
}

/* Its name: NOBODY is "a", the next number "b" and so on. */
static void put_shape(struct family *family, const struct process_entry *entry)
{
	const struct process_entry *child;

	*family->shape++ = (char)('a' + entry->pid - NOBODY);
	if (!entry->child)
		return;
	*family->shape++ = '(';
	for (child = entry->child; child; child = child->sibling)
		put_shape(family, child);
	*family->shape++ = ')';
}

static struct family meet(const struct claim *claims, size_t count)
{
	struct family family = {.count = count};
	size_t i;

	for (i = 0; i < count; i++) {
		write_claim(&claims[i], read_back_path((unsigned)i));
		family.captures[i] = recording_open(
			read_back_path((unsigned)i), true, &family.errors);
		assert_non_null(family.captures[i]);
	}
	family.list = process_list_new(family.captures, count);
	assert_non_null(family.list);
	process_list_finish(family.list);
	return family;
}

static void part(struct family *family)
{
	size_t i;

	process_list_free(family->list);
	for (i = 0; i < family->count; i++) {
		recording_close(family->captures[i]);
		unlink(read_back_path((unsigned)i));
	}
}

/* The forest, and that the walk meets each process once. */
static void check(const char *wanted, const struct claim *claims, size_t count)
{
	struct family family = meet(claims, count);
	const struct process_entry *entry;
	size_t met = 0;
	size_t i;

	family.shape = family.text;
	for (i = 0; i < count; i++) {
		if (family.list->entries[i]->parent)
			continue;
		put_shape(&family, family.list->entries[i]);
		for (entry = family.list->entries[i]; entry;
			entry = process_tree_next(entry))
			met++;
	}
	*family.shape = '\0';
	assert_string_equal(wanted, family.text);
	assert_int_equal(met, count);
	part(&family);
}

#define CHECK(wanted, claims)                                                  \
	check(wanted, claims, sizeof(claims) / sizeof(claims[0]))
#define A NOBODY
#define B (NOBODY + 1)
#define C (NOBODY + 2)

static void children_stand_below_their_parents_in_the_order_of_time(
	void **state)
{
	const struct claim claims[] = {
		{.pid = C, .ppid = A, .started = 30},
		{.pid = A, .started = 10},
		{.pid = B, .ppid = A, .started = 20},
	};

	(void)state;
	CHECK("a(bc)", claims);
}

static void who_descends_from_himself_is_shown_all_the_same(void **state)
{
	const struct claim two[] = {
		{.pid = A, .ppid = B, .started = 10},
		{.pid = B, .ppid = A, .started = 10},
	};
	const struct claim one[] = {{.pid = A, .ppid = A, .ancestor = A}};
	const struct claim three[] = {
		{.pid = A, .ppid = C, .started = 10},
		{.pid = B, .ppid = A, .started = 10},
		{.pid = C, .ppid = B, .started = 10},
	};

	(void)state;
	CHECK("a(b)", two);
	CHECK("a", one);
	CHECK("a(b(c))", three);
}

static void a_parent_is_who_had_the_number_at_that_time(void **state)
{
	const struct claim claims[] = {
		{.pid = A, .started = 10, .end = BINLOG_TEXT_EXIT},
		{.pid = B, .ppid = A, .started = 20},
		{.pid = A, .started = 30, .end = BINLOG_TEXT_EXIT},
		{.pid = C, .ppid = A, .started = 40},
	};

	(void)state;
	CHECK("a(b)a(c)", claims);
}

static void without_its_parent_it_stands_below_the_nearest_ancestor(
	void **state)
{
	const struct claim claims[] = {
		{.pid = A, .started = 10},
		{.pid = B, .ppid = C, .ancestor = A, .started = 20},
	};

	(void)state;
	CHECK("a(b)", claims);
}

static void runs_have_nothing_to_do_with_each_other(void **state)
{
	const struct claim claims[] = {
		{.pid = A, .run = 1, .started = 10},
		{.pid = B, .ppid = A, .run = 2, .started = 20},
		{.pid = A, .run = 2, .started = 15},
	};

	(void)state;
	CHECK("aa(b)", claims);
}

static void the_same_number_later_is_the_same_process_unless_it_has_ended(
	void **state)
{
	const struct claim executed[] = {
		{.pid = A, .started = 10},
		{.pid = A, .started = 20},
	};
	const struct claim ended[] = {
		{.pid = A, .started = 10, .end = BINLOG_TEXT_SIGNAL},
		{.pid = A, .started = 20},
	};
	const struct claim elsewhere[] = {
		{.pid = A, .started = 10, .pid_namespace = 5},
		{.pid = A, .started = 20, .pid_namespace = 6},
	};

	(void)state;
	CHECK("a(a)", executed);
	CHECK("aa", ended);
	CHECK("aa", elsewhere);
}

static void expect_end(const char *wanted, const struct claim *claim)
{
	struct family family = meet(claim, 1);
	struct render_buffer out = {0};

	process_list_put_end(family.list->entries[0], &out);
	render_buffer_put_byte(&out, '\0');
	assert_string_equal(wanted, out.data);
	render_buffer_free(&out);
	part(&family);
}

static void ends_are_put_into_words(void **state)
{
	(void)state;
	expect_end("ended cleanly",
		&(struct claim){.pid = A, .end = BINLOG_TEXT_EXIT});
	expect_end("ended cleanly",
		&(struct claim){
			.pid = A, .end = BINLOG_TEXT_LEFT, .end_value = 256});
	expect_end("exit status 255",
		&(struct claim){
			.pid = A, .end = BINLOG_TEXT_LEFT, .end_value = -1});
	expect_end("executed another program",
		&(struct claim){.pid = A, .end = BINLOG_TEXT_EXECUTE});
	expect_end("killed by SIGKILL (sent by process 7)",
		&(struct claim){.pid = A,
			.end = BINLOG_TEXT_SIGNAL,
			.end_value = 9 | 7 << 16});
}

static void without_an_account_nothing_is_claimed(void **state)
{
	(void)state;
	expect_end("not known", &(struct claim){.pid = A});
	expect_end("cut off", &(struct claim){.pid = A, .ppid = 1});
	expect_end("cut off", &(struct claim){.pid = A, .ppid = 1, .end = 99});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			children_stand_below_their_parents_in_the_order_of_time),
		cmocka_unit_test(
			who_descends_from_himself_is_shown_all_the_same),
		cmocka_unit_test(a_parent_is_who_had_the_number_at_that_time),
		cmocka_unit_test(
			without_its_parent_it_stands_below_the_nearest_ancestor),
		cmocka_unit_test(runs_have_nothing_to_do_with_each_other),
		cmocka_unit_test(
			the_same_number_later_is_the_same_process_unless_it_has_ended),
		cmocka_unit_test(ends_are_put_into_words),
		cmocka_unit_test(without_an_account_nothing_is_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
