#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/worker/wire.h"

static struct wire_writer packet;
static uint8_t room[WIRE_BYTES_MAX];
static int ends[2];

static int open_ends(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
}

static int close_ends(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static struct wire_reader passed(enum wire_kind kind)
{
	struct wire_reader reader;

	assert_true(wire_send(ends[0], &packet, -1, MSG_DONTWAIT));
	assert_int_equal(
		wire_receive(ends[1], room, &reader, NULL, MSG_DONTWAIT), kind);
	return reader;
}

static void what_is_put_is_taken(void **state)
{
	struct wire_reader reader;
	size_t count;

	(void)state;
	wire_begin(&packet, WIRE_ANSWERS);
	wire_put_u32(&packet, 7);
	wire_put_string(&packet, "name");
	wire_put_string(&packet, NULL);
	wire_put_string(&packet, "");
	wire_put_u64(&packet, UINT64_MAX);
	wire_put_bytes(&packet, "a\0b", 3);
	wire_put_bytes(&packet, NULL, 0);
	reader = passed(WIRE_ANSWERS);
	assert_int_equal(wire_take_u32(&reader), 7);
	assert_string_equal(wire_take_string(&reader), "name");
	assert_null(wire_take_string(&reader));
	assert_string_equal(wire_take_string(&reader), "");
	assert_true(wire_take_u64(&reader) == UINT64_MAX);
	assert_memory_equal(wire_take_bytes(&reader, &count), "a\0b", 3);
	assert_int_equal(count, 3);
	assert_null(wire_take_bytes(&reader, &count));
	assert_int_equal(count, 0);
	assert_int_equal(reader.left, 0);
	assert_false(reader.bad);
	assert_int_equal(wire_take_u32(&reader), 0);
	assert_true(reader.bad);
}

static void what_does_not_fit_is_noticed(void **state)
{
	struct wire_reader reader;
	size_t i;

	(void)state;
	wire_begin(&packet, WIRE_ASK);
	for (i = 0; !packet.full; i++)
		wire_put_u64(&packet, i);
	assert_true(packet.length <= WIRE_BYTES_MAX);
	reader = passed(WIRE_ASK);
	while (--i > 0)
		wire_take_u64(&reader);
	assert_false(reader.bad);
}

/* The bytes are on the heap alone, so that a sanitizer sees a step beyond. */
static void any_bytes_can_be_read(void **state)
{
	unsigned turn;

	(void)state;
	srand(1);
	for (turn = 0; turn < 200000; turn++) {
		size_t bytes = (size_t)rand() % 40;
		uint8_t *data = malloc(bytes + 1);
		struct wire_reader reader = {.data = data, .left = bytes};
		size_t i;

		for (i = 0; i < bytes; i++)
			data[i] = (uint8_t)(rand() % 8 ? 0 : rand());
		while (!reader.bad && reader.left > 0) {
			const char *string = wire_take_string(&reader);
			const uint8_t *taken;
			size_t count;

			if (string)
				assert_true(strlen(string) < bytes);
			taken = wire_take_bytes(&reader, &count);
			if (taken)
				assert_true(taken + count <= data + bytes);
			wire_take_u32(&reader);
		}
		free(data);
	}
}

static void a_string_has_no_zero_in_it_and_one_behind(void **state)
{
	struct wire_reader reader;

	(void)state;
	wire_begin(&packet, WIRE_FOUND);
	wire_put_bytes(&packet, "a\0b", 4);
	reader = passed(WIRE_FOUND);
	assert_null(wire_take_string(&reader));
	assert_true(reader.bad);
	wire_begin(&packet, WIRE_FOUND);
	wire_put_bytes(&packet, "abc", 3);
	reader = passed(WIRE_FOUND);
	assert_null(wire_take_string(&reader));
	assert_true(reader.bad);
}

static void a_descriptor_comes_with_its_packet(void **state)
{
	struct wire_reader reader;
	int sent = open("/dev/null", O_RDWR | O_CLOEXEC);
	int got = -2;

	(void)state;
	wire_begin(&packet, WIRE_OPENED);
	assert_true(wire_send(ends[0], &packet, sent, 0));
	assert_int_equal(
		wire_receive(ends[1], room, &reader, &got, 0), WIRE_OPENED);
	assert_true(got >= 0 && got != sent);
	assert_int_equal(fcntl(got, F_GETFD), FD_CLOEXEC);
	assert_int_equal(close(got), 0);
	assert_true(wire_send(ends[0], &packet, -1, 0));
	assert_int_equal(
		wire_receive(ends[1], room, &reader, &got, 0), WIRE_OPENED);
	assert_int_equal(got, -1);
	close(sent);
}

/* Otherwise whoever sends them could use up all descriptors. */
static void a_descriptor_that_is_not_wanted_is_not_received(void **state)
{
	struct wire_reader reader;
	int before = dup(0);
	int after;

	(void)state;
	close(before);
	wire_begin(&packet, WIRE_OPEN);
	assert_true(wire_send(ends[0], &packet, ends[0], 0));
	assert_int_equal(
		wire_receive(ends[1], room, &reader, NULL, 0), WIRE_OPEN);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void the_end_of_the_other_is_an_error(void **state)
{
	struct wire_reader reader;

	(void)state;
	assert_int_equal(
		wire_receive(ends[1], room, &reader, NULL, MSG_DONTWAIT), 0);
	assert_int_equal(errno, EAGAIN);
	close(ends[1]);
	wire_begin(&packet, WIRE_ASK);
	assert_false(wire_send(ends[0], &packet, -1, 0));
	assert_int_equal(wire_receive(ends[0], room, &reader, NULL, 0), 0);
	assert_int_not_equal(errno, EAGAIN);
}

static void a_packet_that_is_too_large_is_none(void **state)
{
	static uint8_t large[WIRE_BYTES_MAX + 1] = {WIRE_ASK};
	struct wire_reader reader;

	(void)state;
	assert_int_equal(send(ends[0], large, sizeof(large), 0), sizeof(large));
	assert_int_equal(wire_receive(ends[1], room, &reader, NULL, 0), 0);
	assert_int_not_equal(errno, EAGAIN);
}

#define ON_SOCKETS(test)                                                       \
	cmocka_unit_test_setup_teardown(test, open_ends, close_ends)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_SOCKETS(what_is_put_is_taken),
		ON_SOCKETS(what_does_not_fit_is_noticed),
		cmocka_unit_test(any_bytes_can_be_read),
		ON_SOCKETS(a_string_has_no_zero_in_it_and_one_behind),
		ON_SOCKETS(a_descriptor_comes_with_its_packet),
		ON_SOCKETS(a_descriptor_that_is_not_wanted_is_not_received),
		ON_SOCKETS(the_end_of_the_other_is_an_error),
		ON_SOCKETS(a_packet_that_is_too_large_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
