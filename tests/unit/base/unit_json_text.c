#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <iconv.h>

#include "base/json_text.h"
#include "base/utf8_read.h"

#define ROUNDS 200000

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void check_float(double number)
{
	struct render_buffer out = {0};
	double again;
	char *end;

	json_text_float(&out, number);
	render_buffer_put_byte(&out, '\0');
	assert_false(out.failed);
	if (*out.data == '"') {
		again = strtod(out.data + 1, &end);
		assert_string_equal(end, "\"");
	} else {
		again = strtod(out.data, &end);
		assert_string_equal(end, "");
		assert_null(strchr("+.", *out.data));
	}
	if (number == number)
		assert_memory_equal(&number, &again, sizeof(number));
	else
		assert_true(again != again);
	render_buffer_free(&out);
}

static void a_double_is_read_back_as_it_was(void **unused)
{
	double number;
	int i;

	(void)unused;
	for (i = 0; i < ROUNDS; i++) {
		uint64_t bits = next_random();
		double scale[] = {1, 10, 100, 1000, 1e6, 1e7, 1e9, 3, 1024};

		memcpy(&number, &bits, sizeof(number));
		check_float(number);
		number = (double)(int64_t)(bits >> (bits & 63));
		check_float(number / scale[bits % 9]);
		check_float(-number / scale[bits % 9]);
	}
}

/* What iconv of libc takes. */
static bool is_good(iconv_t converter, char *bytes, size_t size)
{
	char room[256];
	char *to = room;
	size_t left = sizeof(room);

	iconv(converter, NULL, NULL, NULL, NULL);
	return iconv(converter, &bytes, &size, &to, &left) != (size_t)-1;
}

static size_t make_bytes(char bytes[32])
{
	static const uint8_t likely[] = {0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4,
		0xf5, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 'a', '"'};
	size_t size = next_random() % 12;
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (char)likely[next_random() % sizeof(likely)];
	return size;
}

static void text_is_good_if_libc_takes_it(void **unused)
{
	iconv_t converter = iconv_open("UTF-16LE", "UTF-8");
	size_t good = 0;
	char bytes[32];
	int i;

	(void)unused;
	for (i = 0; i < ROUNDS; i++) {
		size_t size = make_bytes(bytes);
		bool taken = is_good(converter, bytes, size);

		assert_int_equal(utf8_read_is_good(bytes, size), taken);
		good += taken;
	}
	assert_in_range(good, ROUNDS / 100, ROUNDS);
	iconv_close(converter);
}

static void a_string_is_always_utf8_and_one_line(void **unused)
{
	struct render_buffer out = {0};
	char bytes[32];
	int i;
	size_t j;

	(void)unused;
	for (i = 0; i < ROUNDS; i++) {
		size_t size = make_bytes(bytes);

		for (j = 0; j < size; j++)
			if (next_random() % 4 == 0)
				bytes[j] = (char)(next_random() % 0x80);
		out.length = 0;
		assert_int_equal(json_text_string(&out, bytes, size),
			utf8_read_is_good(bytes, size));
		assert_true(utf8_read_is_good(out.data, out.length));
		for (j = 0; j < out.length; j++)
			assert_false((uint8_t)out.data[j] < ' ' ||
				     out.data[j] == 0x7f);
	}
	render_buffer_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_double_is_read_back_as_it_was),
		cmocka_unit_test(text_is_good_if_libc_takes_it),
		cmocka_unit_test(a_string_is_always_utf8_and_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
