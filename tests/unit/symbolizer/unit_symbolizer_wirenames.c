#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/worker/wire.h"

#define NAMES 5000

static struct wire_writer packet;
static struct wirenames_said said;
static struct wirenames_heard heard;
static struct answerstore store;
static char names[NAMES][16];

static int make_names(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "name%u", i);
	return 0;
}

static int forget_all(void **state)
{
	(void)state;
	free(said.names);
	free(said.slots);
	memset(&said, 0, sizeof(said));
	wirenames_forget(&heard);
	answerstore_free(&store);
	return 0;
}

/* Without the kind of the packet. */
static struct wire_reader packed(void)
{
	return (struct wire_reader){
		.data = packet.data + sizeof(uint32_t),
		.left = packet.length - sizeof(uint32_t),
	};
}

static void say(const char *name)
{
	assert_true(wirenames_put(&said, &packet, name));
	assert_false(packet.full);
}

static void assert_heard(struct wire_reader *reader, const char *name)
{
	uint32_t offset = wirenames_take(&heard, reader, &store);

	assert_false(reader->bad);
	if (name)
		assert_string_equal(store.strings + offset, name);
	else
		assert_int_equal(offset, 0);
}

static void pass(const char *const *list, size_t count)
{
	struct wire_reader reader;
	size_t i;

	wire_begin(&packet, WIRE_ANSWERS);
	for (i = 0; i < count; i++)
		say(list[i]);
	reader = packed();
	for (i = 0; i < count; i++)
		assert_heard(&reader, list[i]);
	assert_int_equal(reader.left, 0);
}

static void a_name_is_said_once(void **state)
{
	const char *const list[] = {names[0], NULL, names[1], names[0],
		names[1], names[2], names[0], NULL};
	size_t first;

	(void)state;
	pass(list, 8);
	first = packet.length;
	pass(list, 8);
	assert_int_equal(packet.length, sizeof(uint32_t) * 9);
	assert_true(packet.length < first);
	assert_int_equal(said.count, 3);
	assert_int_equal(heard.count, 3);
}

static void thousands_are_told_apart(void **state)
{
	unsigned turn, i;

	(void)state;
	for (turn = 0; turn < 2; turn++)
		for (i = 0; i < NAMES; i++)
			pass((const char *const[]){names[i], names[i / 2]}, 2);
	assert_int_equal(said.count, NAMES);
}

/* As when an answer does not fit into what is left of a packet. */
static void what_is_taken_back_is_said_again(void **state)
{
	unsigned turn, i;

	(void)state;
	pass((const char *const[]){names[0], names[1]}, 2);
	for (turn = 0; turn < 500; turn++) {
		wire_begin(&packet, WIRE_ANSWERS);
		for (i = 0; i < 7; i++)
			say(names[turn * 3 + i]);
		assert_true(wirenames_take_back(&said, heard.count));
		pass((const char *const[]){names[turn * 3 + 5], names[turn * 3],
			     names[turn]},
			3);
		assert_int_equal(said.count, heard.count);
	}
}

static void a_new_listener_hears_all_again(void **state)
{
	(void)state;
	pass((const char *const[]){names[3], names[4]}, 2);
	wirenames_forget(&heard);
	answerstore_free(&store);
	assert_true(wirenames_take_back(&said, heard.count));
	pass((const char *const[]){names[4], names[5], names[3]}, 3);
	assert_int_equal(heard.count, 3);
	assert_false(wirenames_take_back(&said, 4));
}

static void numbers_that_were_never_given_are_refused(void **state)
{
	const uint32_t wrong[] = {3, 4, UINT32_MAX};
	struct wire_reader reader;
	size_t i;

	(void)state;
	pass((const char *const[]){names[0]}, 1);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		wire_begin(&packet, WIRE_ANSWERS);
		wire_put_u32(&packet, wrong[i]);
		wire_put_string(&packet, "name");
		reader = packed();
		assert_int_equal(wirenames_take(&heard, &reader, &store), 0);
		assert_true(reader.bad);
	}
	assert_int_equal(heard.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_name_is_said_once, forget_all),
		cmocka_unit_test_teardown(thousands_are_told_apart, forget_all),
		cmocka_unit_test_teardown(
			what_is_taken_back_is_said_again, forget_all),
		cmocka_unit_test_teardown(
			a_new_listener_hears_all_again, forget_all),
		cmocka_unit_test_teardown(
			numbers_that_were_never_given_are_refused, forget_all),
	};

	return cmocka_run_group_tests(tests, make_names, NULL);
}
