/*
 * What FILEs would hold back: as much as those of libc with such a buffer do
 * hold back, to which the same is written; and their offsets move as theirs.
 */
#include "shim/host/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/streams/held.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define STREAM 7u
#define KNOWN_MOST 16 /* FILEs of which something is known */

struct stream streams[STREAMS_MAX + 1];
static unsigned watched;
static bool no_shadow;

void streams_watch(const FILE *file)
{
	(void)file;
	watched++;
}

static FILE *open_cookie(
	void *cookie, const char *mode, cookie_io_functions_t functions)
{
	return no_shadow ? NULL : fopencookie(cookie, mode, functions);
}

int (*host_setvbuf)(FILE *, char *, int, size_t) = setvbuf;
size_t (*host___fpending)(FILE *) = __fpending;
void (*host___fpurge)(FILE *) = __fpurge;
int (*host_fclose)(FILE *) = fclose;
int (*host_fflush_unlocked)(FILE *) = fflush_unlocked;
size_t (*host_fwrite_unlocked)(
	const void *, size_t, size_t, FILE *) = fwrite_unlocked;
int (*next___overflow)(FILE *, int) = __overflow;
FILE *(*host_fopencookie)(
	void *, const char *, cookie_io_functions_t) = open_cookie;
__attribute__((const)) int *(*host_errno)(void) = __errno_location;

/* What libc does; of it the library is told under its own address. */
static FILE *file;
static char buffer[BUFSIZ];

static void open_file(const char *mode, int buffering, size_t size)
{
	static const unsigned as[] = {[_IOFBF] = BINLOG_BUFFER_FULL,
		[_IOLBF] = BINLOG_BUFFER_LINE,
		[_IONBF] = BINLOG_BUFFER_NONE};

	file = fdopen(memfd_create("output", 0), mode);
	assert_non_null(file);
	assert_int_equal(setvbuf(file, buffer, buffering, size), 0);
	streams[STREAM] = (struct stream){.file = file,
		.buffering = (uint16_t)as[buffering],
		.buffer_bytes = (uint32_t)size};
	sys_forbidden = no_shadow = false;
	watched = 0;
}

static void close_file(void)
{
	held_forget(file);
	assert_int_equal(held_bytes(file), 0);
	assert_null(held_shadow(file));
	fclose(file);
}

static uint64_t written(void)
{
	return (uint64_t)lseek(fileno(file), 0, SEEK_END);
}

static void put_bytewise(size_t size)
{
	for (size_t i = 0; i < size; i++)
		putc('x', file);
}

/* ---- by counting ---- */

static void count_random_pieces(size_t size)
{
	uint64_t total = 0, taken = 0;

	for (int i = 0; i < 500; i++) {
		size_t bytes = (size_t)random() % (2 * size + 3);

		put_bytewise(bytes);
		taken += held_take(STREAM, bytes);
		total += bytes;
		/* Whether it came in whole blocks is not known. */
		if (size >= 128 && total > size && total % size == 0)
			continue;
		assert_int_equal(held_bytes(file), __fpending(file));
		assert_int_equal(taken, written());
	}
}

static void pieces_are_held_back_as_libc_does(void **state)
{
	static const size_t sizes[] = {1, 2, 7, 100, 128, 130, 1000, 4096};

	(void)state;
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		open_file("w", _IOFBF, sizes[i]);
		count_random_pieces(sizes[i]);
		close_file();
	}
}

static void whole_lines_are_not_held_back(void **state)
{
	(void)state;
	open_file("w", _IOLBF, 100);
	fputs("a line\n", file);
	assert_int_equal(held_take(STREAM, 7), written());
	assert_int_equal(held_bytes(file), __fpending(file));
	close_file();
}

/* There is always room for one. */
static void a_buffer_of_no_size_holds_a_byte(void **state)
{
	(void)state;
	open_file("w", _IOFBF, 1);
	streams[STREAM].buffer_bytes = 0;
	count_random_pieces(1);
	close_file();
}

static void what_is_released_is_written(void **state)
{
	(void)state;
	open_file("w", _IOFBF, 4096);
	assert_int_equal(held_release(file), 0);
	put_bytewise(100);
	assert_int_equal(held_take(STREAM, 100), 0);
	fflush(file);
	assert_int_equal(held_release(file), written());
	assert_int_equal(held_bytes(file), __fpending(file));
	put_bytewise(100);
	assert_int_equal(held_take(STREAM, 100), 0);
	__fpurge(file);
	held_purge(file);
	assert_int_equal(held_bytes(file), __fpending(file));
	close_file();
}

/* ---- offsets ---- */

static void the_offset_moves_with_what_is_written(void **state)
{
	(void)state;
	open_file("w", _IOFBF, 100);
	assert_int_equal(held_offset(file), HELD_NO_OFFSET);
	held_set_offset(file, ftello(file));
	for (int i = 0; i < 100; i++) {
		put_bytewise(33);
		held_take(STREAM, 33);
		assert_int_equal(held_offset(file), written());
	}
	close_file();
	assert_int_equal(held_offset(file), HELD_NO_OFFSET);
}

/* Others may append meanwhile: libc asks the file. */
static void what_is_appended_has_no_offset(void **state)
{
	(void)state;
	open_file("a", _IOFBF, 100);
	held_set_offset(file, 0);
	held_take(STREAM, 33);
	assert_int_equal(held_offset(file), 0);
	held_take(STREAM, 133);
	assert_int_equal(held_offset(file), HELD_NO_OFFSET);
	close_file();
}

/* ---- shadows ---- */

static void say(const char *text, size_t size, bool block)
{
	if (block) {
		fwrite(text, 1, size, file);
		held_block(file, text, size);
	} else {
		for (size_t i = 0; i < size; i++)
			putc(text[i], file);
		held_bytewise(file, text, size);
	}
	held_take(STREAM, size);
	assert_int_equal(held_bytes(file), __fpending(file));
}

static void say_much(void)
{
	static const char text[] = "one\ntwo, which is longer\n\nthree, four";

	for (int i = 0; i < 300; i++) {
		size_t at = (size_t)random() % sizeof(text);

		say(text + at, (size_t)random() % (sizeof(text) - at), i % 3);
	}
	fflush(file);
	held_release(file);
	assert_int_equal(held_bytes(file), __fpending(file));
	say("five", 4, true);
	__fpurge(file);
	held_purge(file);
	say("six", 3, true);
}

static void who_is_watched_holds_back_what_libc_does(void **state)
{
	static const int modes[] = {_IOFBF, _IOLBF, _IONBF};
	static const size_t sizes[] = {10, 64, 1024};

	(void)state;
	for (size_t i = 0; i < LENGTH(modes) * LENGTH(sizes); i++) {
		open_file("w", modes[i / LENGTH(sizes)],
			sizes[i % LENGTH(sizes)]);
		held_watch(file, STREAM);
		held_watch(file, STREAM); /* once is enough */
		assert_int_equal(watched, 1);
		assert_non_null(held_shadow(file));
		say_much();
		close_file();
	}
}

static void another_buffer_is_the_shadows_too(void **state)
{
	static const struct {
		char *buffer;
		int mode;
		size_t size;
	} changes[] = {
		{buffer, _IOLBF, 30},
		{buffer, _IONBF, 30},
		{buffer, _IOFBF, 0},
		{NULL, _IOLBF, 30},
		{NULL, _IONBF, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(changes); i++) {
		open_file("w", _IOFBF, 100);
		held_set_buffer(file, buffer, _IOFBF, 10); /* not yet */
		held_watch(file, STREAM);
		setvbuf(file, changes[i].buffer, changes[i].mode,
			changes[i].size);
		held_set_buffer(file, changes[i].buffer, changes[i].mode,
			changes[i].size);
		say_much();
		close_file();
	}
}

/* Another thread has said something, and has not told of it yet. */
static void what_was_not_told_is_not_written(void **state)
{
	(void)state;
	open_file("w", _IOFBF, 100);
	held_watch(file, STREAM);
	held_bytewise(file, "0123456789", 10);
	assert_int_equal(held_take(STREAM, 4), 0);
	assert_int_equal(held_take(STREAM, 6), 0);
	assert_int_equal(held_bytes(file), 10);
	close_file();
}

static void where_no_shadow_can_be_had_bytes_are_counted(void **state)
{
	(void)state;
	open_file("w", _IOFBF, 100);
	held_take(STREAM, 5);
	held_watch(file, STREAM); /* what it holds back is not in a shadow */
	assert_null(held_shadow(file));
	held_purge(file);
	no_shadow = true;
	held_watch(file, STREAM);
	held_block(file, "text", 4);
	held_bytewise(file, "text", 4);
	assert_null(held_shadow(file));
	assert_int_equal(watched, 0);
	count_random_pieces(100);
	close_file();
}

/* Then the shadow has libc's own, which is larger. */
static void without_memory_the_buffer_is_another(void **state)
{
	static char text[500];

	(void)state;
	open_file("w", _IOFBF, 100);
	sys_forbidden = true;
	held_watch(file, STREAM);
	held_block(file, text, sizeof(text));
	held_take(STREAM, sizeof(text));
	assert_int_equal(held_bytes(file), sizeof(text));
	sys_forbidden = false;
	close_file();
}

/* ---- many ---- */

static void of_more_files_nothing_is_held_back(void **state)
{
	static FILE many[KNOWN_MOST];

	(void)state;
	open_file("w", _IOFBF, 100);
	for (int i = 0; i < KNOWN_MOST; i++)
		held_set_offset(&many[i], i);
	held_set_offset(file, 5);
	held_watch(file, STREAM);
	held_purge(file);
	assert_int_equal(held_take(STREAM, 50), 50);
	assert_int_equal(held_bytes(file), 0);
	assert_int_equal(held_release(file), 0);
	assert_int_equal(held_offset(file), HELD_NO_OFFSET);
	assert_null(held_shadow(file));
	for (int i = 0; i < KNOWN_MOST; i++) {
		assert_int_equal(held_offset(&many[i]), i);
		held_forget(&many[i]);
	}
	put_bytewise(50);
	assert_int_equal(held_take(STREAM, 50), 0);
	assert_int_equal(held_bytes(file), __fpending(file));
	close_file();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_held_back_as_libc_does),
		cmocka_unit_test(whole_lines_are_not_held_back),
		cmocka_unit_test(a_buffer_of_no_size_holds_a_byte),
		cmocka_unit_test(what_is_released_is_written),
		cmocka_unit_test(the_offset_moves_with_what_is_written),
		cmocka_unit_test(what_is_appended_has_no_offset),
		cmocka_unit_test(who_is_watched_holds_back_what_libc_does),
		cmocka_unit_test(another_buffer_is_the_shadows_too),
		cmocka_unit_test(what_was_not_told_is_not_written),
		cmocka_unit_test(where_no_shadow_can_be_had_bytes_are_counted),
		cmocka_unit_test(without_memory_the_buffer_is_another),
		cmocka_unit_test(of_more_files_nothing_is_held_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
