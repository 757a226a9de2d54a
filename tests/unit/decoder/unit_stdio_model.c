#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "decoder/render/render.h"
#include "decoder/replay/stdio_model.h"
#include "record/layout.h"
#include "tests/support/libc_print.h"

/*
 * The oracle is libc: a FILE with functions of its own has the same buffer as
 * any other.  Whatever is done to both, the same bytes have come out after
 * every step.
 */

struct collected {
	char *bytes;
	size_t size;
	size_t room;
};

static struct collected real, modelled;
static struct stdio_model model;
static FILE *file;
static char buffers[2][8192];
static uint64_t random_state;
static const char *last; /* what was printed last */

static void collect(struct collected *to, const char *bytes, size_t size)
{
	if (size >= to->room - to->size) {
		to->room = 2 * (to->size + size + 1);
		to->bytes = realloc(to->bytes, to->room);
		assert_non_null(to->bytes);
	}
	memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
}

static ssize_t cookie_write(void *cookie, const char *bytes, size_t size)
{
	(void)cookie;
	collect(&real, bytes, size);
	return (ssize_t)size;
}

static void model_write(void *closure, const char *bytes, size_t size)
{
	collect(closure, bytes, size);
}

static const struct stdio_model_sink sink = {model_write, &modelled};

static void check(unsigned step)
{
	if (real.size != modelled.size ||
		(real.size > 0 &&
			memcmp(real.bytes, modelled.bytes, real.size) != 0))
		fail_msg("step %u, %s: libc has written %zu bytes, the model "
			 "%zu",
			step, last, real.size, modelled.size);
	assert_int_equal(__fpending(file), model.used);
}

static uint32_t pick(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1;
	return (uint32_t)(random_state >> 33) % n;
}

/* As the recording side describes a FILE to the reader. */
static void describe(void)
{
	uint32_t mode = BINLOG_BUFFER_FULL;
	size_t size = __fbufsize(file);

	if (file->_flags & 2) /* _IO_UNBUFFERED */
		mode = BINLOG_BUFFER_NONE;
	else if (__flbf(file))
		mode = BINLOG_BUFFER_LINE;
	stdio_model_set(&model, mode, size > 0 ? (uint32_t)size : BUFSIZ);
}

static void begin(uint64_t seed)
{
	const cookie_io_functions_t functions = {.write = cookie_write};

	random_state = seed;
	real = modelled = (struct collected){NULL, 0, 0};
	model = (struct stdio_model){0};
	last = "nothing";
	file = fopencookie(NULL, "w", functions);
	assert_non_null(file);
	describe();
}

static void end(void)
{
	stdio_model_flush(&model, &sink);
	fclose(file);
	assert_int_equal(real.size, modelled.size);
	assert_memory_equal(real.bytes, modelled.bytes, real.size);
	free(real.bytes);
	free(modelled.bytes);
	stdio_model_free(&model);
}

/* ---- what is done to both ---- */

static size_t make_text(char text[8192])
{
	static const uint32_t sizes[] = {1, 7, 16, 64, 127, 128, 300, 8000};
	size_t size = 1 + pick(sizes[pick(pick(5) ? 7 : 8)]);
	uint32_t lines = pick(4);

	if (pick(8) == 0)
		size = 4096;
	for (size_t i = 0; i < size; i++)
		text[i] =
			lines && pick(20) == 0 ? '\n' : (char)('a' + pick(26));
	text[size] = '\0';
	return size;
}

static void put_block(void)
{
	char text[8192];
	size_t size = make_text(text);

	last = "a block";

	if (pick(2))
		fwrite(text, 1, size, file);
	else
		fputs(text, file);
	stdio_model_block(&model, text, size, &sink);
}

/* As puts(): the newline is a byte of its own. */
static void put_line(void)
{
	char text[8192];
	size_t size = make_text(text);

	fputs(text, file);
	putc('\n', file);
	stdio_model_block(&model, text, size, &sink);
	stdio_model_byte(&model, '\n', &sink);
}

static void put_byte(void)
{
	char byte = pick(10) ? 'c' : '\n';

	if (pick(2))
		putc(byte, file);
	else
		putc_unlocked(byte, file);
	stdio_model_byte(&model, byte, &sink);
}

static void put_bytes(void)
{
	last = "bytes";
	for (uint32_t n = pick(300); n > 0; n--)
		put_byte();
}

/* The pieces that the renderer tells of, as replay.c uses them. */
static void model_pieces(const char *format,
	const struct render_argument *arguments, size_t count, int outcome)
{
	struct render_pieces pieces = {0};
	struct render_buffer text = {.pieces = &pieces};

	last = format;
	assert_int_equal(render_format(&text, format, strlen(format), arguments,
				 count, NULL, libc_here()),
		outcome);
	stdio_model_text(&model, &text, &sink);
	render_buffer_free(&text);
	free(pieces.ends);
}

static struct render_argument integer(int32_t value)
{
	return (struct render_argument){.kind = BINLOG_ARG_I32, .i32 = value};
}

static struct render_argument string(const char *s, size_t size)
{
	return (struct render_argument){
		.kind = BINLOG_ARG_STRING, .bytes = (uint32_t)size, .data = s};
}

/* A compiler would make fputs() of some calls. */
static int (*volatile print_to)(FILE *, const char *, ...) = fprintf;

/* A call that fails: libc may have lost some of what was before. */
static void print_broken(const char *text, size_t size)
{
	static const wchar_t wrong[] = {L'w', INT_MIN, 0};
	const struct render_argument arguments[] = {string(text, size),
		{.kind = BINLOG_ARG_WIDE,
			.bytes = sizeof(wrong) - sizeof(*wrong),
			.data = wrong}};

	assert_int_equal(print_to(file, "%s%ls", text, wrong), -1);
	model_pieces("%s%ls", arguments, 2, RENDER_BROKEN);
}

static void print(void)
{
	char text[8192];
	size_t size = make_text(text);
	int32_t number = (int32_t)pick(2000000) - 1000000;
	int32_t width = (int32_t)pick(70);
	double real_number = number / 1000.0;
	const struct render_argument n = integer(number);
	const struct render_argument s = string(text, size);
	const struct render_argument d = {
		.kind = BINLOG_ARG_F64, .f64 = real_number};

#define PRINT(format, list, ...)                                               \
	do {                                                                   \
		const struct render_argument arguments[] = list;               \
		print_to(file, format, __VA_ARGS__);                           \
		model_pieces(format, arguments,                                \
			sizeof(arguments) / sizeof(*arguments),                \
			RENDER_COMPLETE);                                      \
	} while (0)
#define LIST(...)                                                              \
	{                                                                      \
		__VA_ARGS__                                                    \
	}
	switch (pick(18)) {
	case 0:
		PRINT("a number %d and a line\n", LIST(n), number);
		break;
	case 1:
		PRINT("%s", LIST(s), text);
		break;
	case 2:
		PRINT("%s %s\n", LIST(s, s), text, text);
		break;
	case 3:
		PRINT("%*d|", LIST(integer(width), n), width, number);
		break;
	case 4:
		PRINT("|%-*s|", LIST(integer(width), s), width, text);
		break;
	case 5:
		PRINT("%08x %#o", LIST(n, n), (unsigned)number,
			(unsigned)number);
		break;
	case 6:
		PRINT("%+d%% of\n%.40d", LIST(n, n), number, number);
		break;
	case 7:
		PRINT("%c%c%5c", LIST(n, integer('\n'), n), number, '\n',
			number);
		break;
	case 8:
		PRINT("%.5s and %20.3s\n", LIST(s, s), text, text);
		break;
	case 9:
		PRINT("%f %.3f %10.2f\n", LIST(d, d, d), real_number,
			real_number, real_number);
		break;
	case 10:
		PRINT("%g %e %-15g|", LIST(d, d, d), real_number, real_number,
			real_number);
		break;
	case 11:
		PRINT("%.10f %25.15f %-30.20f", LIST(d, d, d), real_number,
			real_number, real_number);
		break;
	case 12:
		PRINT("%025.3f %+.25e %#o", LIST(d, d, n), real_number,
			real_number, (unsigned)number);
		break;
	case 13:
		PRINT("%.*f", LIST(integer(width % 20), d), width % 20,
			real_number);
		break;
	case 14:
		PRINT("%a %20a|%-30x", LIST(d, d, n), real_number, real_number,
			(unsigned)number);
		break;
	case 15:
	case 16:
		print_broken(text, size);
		break;
	default:
		PRINT("%i,%u,%s", LIST(n, n, s), number, (unsigned)number,
			text);
	}
#undef PRINT
#undef LIST
}

static void flush(void)
{
	fflush(file);
	stdio_model_flush(&model, &sink);
}

static void purge(void)
{
	__fpurge(file);
	stdio_model_purge(&model);
}

/* setvbuf() keeps the buffer if it is given none, but for _IONBF. */
static void change_buffer(void)
{
	static const int modes[] = {_IOFBF, _IOLBF, _IONBF};
	static const uint32_t sizes[] = {
		1, 2, 17, 100, 127, 128, 129, 512, 4096};
	int mode = modes[pick(3)];
	char *buffer = pick(2) && mode != _IONBF ? buffers[pick(2)] : NULL;

	if (!buffer && mode != _IONBF && __fbufsize(file) == 0)
		return; /* the recording side does not let it come so far */
	setvbuf(file, buffer, mode, sizes[pick(9)]);
	if (buffer || mode == _IONBF)
		stdio_model_replace_buffer(&model, &sink);
	describe();
}

static void do_something(bool changes)
{
	switch (pick(changes ? 11 : 9)) {
	case 0:
	case 1:
		put_block();
		break;
	case 2:
		put_line();
		break;
	case 3:
		put_byte();
		break;
	case 4:
		put_bytes();
		break;
	case 5:
		if (pick(3) == 0)
			flush();
		break;
	case 6:
		if (pick(8) == 0)
			purge();
		break;
	case 9:
		change_buffer();
		break;
	default:
		print();
	}
}

static void many(uint64_t first, unsigned runs, bool changes, void (*set)(void))
{
	for (unsigned run = 0; run < runs; run++) {
		begin(first + run);
		if (set) {
			set();
			describe();
		}
		for (unsigned step = 0; step < 300; step++) {
			do_something(changes);
			check(step);
		}
		end();
	}
}

static void a_full_buffer_of_libcs_size_is_written_as_libc_does(void **state)
{
	(void)state;
	many(1, 60, false, NULL);
}

static void set_small(void)
{
	setvbuf(file, buffers[0], _IOFBF, 1 + pick(127));
}

static void set_middle(void)
{
	setvbuf(file, buffers[0], _IOFBF, 128 + pick(500));
}

static void set_lines(void)
{
	setvbuf(file, buffers[0], _IOLBF, 1 + pick(600));
}

static void set_none(void)
{
	setvbuf(file, NULL, _IONBF, 0);
}

static void small_buffers_are_written_as_libc_does(void **state)
{
	(void)state;
	many(1000, 100, false, set_small);
}

static void buffers_of_128_bytes_and_more_are_written_as_libc_does(void **state)
{
	(void)state;
	many(2000, 100, false, set_middle);
}

static void lines_are_written_as_libc_does(void **state)
{
	(void)state;
	many(3000, 100, false, set_lines);
}

static void without_a_buffer_all_is_written_at_once(void **state)
{
	(void)state;
	many(4000, 30, false, set_none);
}

static void buffers_that_change_are_written_as_libc_does(void **state)
{
	(void)state;
	many(5000, 200, true, NULL);
}

static void a_copy_holds_the_same_and_lives_on_its_own(void **state)
{
	struct stdio_model copy;

	(void)state;
	begin(7);
	stdio_model_block(&model, "held back", 9, &sink);
	assert_true(stdio_model_copy(&copy, &model));
	stdio_model_flush(&copy, &sink);
	stdio_model_flush(&model, &sink);
	assert_int_equal(modelled.size, 18);
	assert_memory_equal(modelled.bytes, "held backheld back", 18);
	stdio_model_free(&copy);
	modelled.size = 0;
	end();
}

static void a_larger_buffer_than_any_is_taken_to_be_smaller_and_that_is_told(
	void **state)
{
	struct stdio_model large = {0};
	char sentence[512];

	(void)state;
	stdio_model_set(&large, BINLOG_BUFFER_FULL, LIMITS_STDIO_BUFFER);
	assert_int_equal(large.size, LIMITS_STDIO_BUFFER);
	assert_false(limits_were_met());
	stdio_model_set(&large, BINLOG_BUFFER_FULL, LIMITS_STDIO_BUFFER + 1);
	assert_int_equal(large.size, LIMITS_STDIO_BUFFER);
	assert_true(limits_tell(sentence, sizeof(sentence)));
	assert_memory_equal(sentence,
		"a buffer is taken to be smaller than it was: more than ", 55);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_full_buffer_of_libcs_size_is_written_as_libc_does),
		cmocka_unit_test(small_buffers_are_written_as_libc_does),
		cmocka_unit_test(
			buffers_of_128_bytes_and_more_are_written_as_libc_does),
		cmocka_unit_test(lines_are_written_as_libc_does),
		cmocka_unit_test(without_a_buffer_all_is_written_at_once),
		cmocka_unit_test(buffers_that_change_are_written_as_libc_does),
		cmocka_unit_test(a_copy_holds_the_same_and_lives_on_its_own),
		cmocka_unit_test(
			a_larger_buffer_than_any_is_taken_to_be_smaller_and_that_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
