#include "base/json_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/escape.h"
#include "base/utf8_read.h"

#define ONES (UINT64_MAX / 255)
#define HIGHS (ONES * 0x80)

/* Some byte of it is 0, if no byte has its highest bit. */
static uint64_t has_zero(uint64_t word)
{
	return (word - ONES) & HIGHS;
}

/* Whether all of its bytes stand for themselves. */
static bool is_plain_word(uint64_t word)
{
	uint64_t special = word | (word + ONES); /* not ASCII, or DEL */

	special |= word - ONES * ' ';
	special |= has_zero(word ^ ONES * '"');
	special |= has_zero(word ^ ONES * '\\');
	return (special & HIGHS) == 0;
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* As many bytes as a vector of the processor has. */
typedef uint8_t vector __attribute__((vector_size(16)));

static bool is_plain_vector(vector bytes)
{
	vector special = (vector)(bytes - ' ' > (uint8_t)(0x7e - ' ')) |
			 (vector)(bytes == '"') | (vector)(bytes == '\\');
	uint64_t halves[2];

	memcpy(halves, &special, sizeof(halves));
	return (halves[0] | halves[1]) == 0;
}

/* Appends what is plain, and returns how many bytes that are. */
static size_t put_plain(
	struct render_buffer *out, const char *bytes, size_t size)
{
	char *to = out->data + out->length;
	uint64_t word;
	vector many;
	size_t at;

	for (at = 0; size - at >= sizeof(many); at += sizeof(many)) {
		memcpy(&many, bytes + at, sizeof(many));
		if (!is_plain_vector(many))
			break;
		memcpy(to + at, &many, sizeof(many));
	}
	for (; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		if (!is_plain_word(word))
			break;
		memcpy(to + at, &word, sizeof(word));
	}
	for (; at < size && is_plain(bytes[at]); at++)
		to[at] = bytes[at];
	out->length += at;
	return at;
}

/* As UTF-16 has it. */
static void put_number(struct render_buffer *out, uint32_t character)
{
	static const char digits[] = "0123456789abcdef";
	const char escaped[] = {'\\', 'u', digits[character >> 12 & 15],
		digits[character >> 8 & 15], digits[character >> 4 & 15],
		digits[character & 15]};

	render_buffer_put(out, escaped, sizeof(escaped));
}

/* Of ASCII. */
static void put_control(struct render_buffer *out, char c)
{
	static const char letters[0x80] = {['"'] = '"',
		['\\'] = '\\',
		['\n'] = 'n',
		['\t'] = 't',
		['\r'] = 'r',
		['\b'] = 'b',
		['\f'] = 'f'};
	const char escaped[] = {'\\', letters[(uint8_t)c]};

	if (escaped[1])
		render_buffer_put(out, escaped, sizeof(escaped));
	else
		put_number(out, (uint8_t)c);
}

/* One character that is not plain; returns how many bytes it has. */
static size_t put_special(
	struct render_buffer *out, const char *bytes, size_t size, bool *good)
{
	uint32_t character;
	size_t length;

	if ((uint8_t)*bytes < 0x80) {
		put_control(out, *bytes);
		return 1;
	}
	length = utf8_read(bytes, size, &character);
	if (character == UTF8_READ_BAD) {
		render_buffer_put(out, UTF8_READ_REPLACEMENT, 3);
		*good = false;
	} else if (printable_character(character)) {
		render_buffer_put(out, bytes, length);
	} else if (character > UINT16_MAX) {
		character -= UINT16_MAX + 1;
		put_number(out, 0xd800 | character >> 10);
		put_number(out, 0xdc00 | (character & 0x3ff));
	} else {
		put_number(out, character);
	}
	return length;
}

bool json_text_escape(struct render_buffer *out, const char *bytes, size_t size)
{
	bool good = true;
	size_t at = 0;

	while (at < size) {
		if (!render_buffer_reserve(out, size - at))
			return good;
		at += put_plain(out, bytes + at, size - at);
		if (at < size)
			at += put_special(out, bytes + at, size - at, &good);
	}
	return good;
}

bool json_text_string(struct render_buffer *out, const char *bytes, size_t size)
{
	bool good;

	render_buffer_put_byte(out, '"');
	good = json_text_escape(out, bytes, size);
	render_buffer_put_byte(out, '"');
	return good;
}

bool json_text_word(struct render_buffer *out, const char *string)
{
	return json_text_string(out, string, strlen(string));
}

/* Four characters of up to three bytes. */
static void put_group(
	struct render_buffer *out, const uint8_t *bytes, size_t size)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)bytes[0] << 16;
	size_t i;

	if (size > 1)
		bits |= (uint32_t)bytes[1] << 8;
	if (size > 2)
		bits |= bytes[2];
	for (i = 0; i < 4; i++)
		render_buffer_put_byte(out,
			i <= size ? alphabet[bits >> (18 - 6 * i) & 63] : '=');
}

void json_text_base64(struct render_buffer *out, const char *bytes, size_t size)
{
	size_t i;

	render_buffer_put_byte(out, '"');
	for (i = 0; i < size; i += 3)
		put_group(out, (const uint8_t *)bytes + i,
			size - i < 3 ? size - i : 3);
	render_buffer_put_byte(out, '"');
}

void json_text_unsigned(struct render_buffer *out, uint64_t number)
{
	if (!render_buffer_reserve(out, DIGITS_U64_MAX))
		return;
	out->length = (size_t)(digits_write(out->data + out->length, number) -
			       out->data);
}

void json_text_integer(struct render_buffer *out, int64_t number)
{
	if (number < 0)
		render_buffer_put_byte(out, '-');
	json_text_unsigned(
		out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/*
 * Most numbers have few digits behind the point.  A quotient is rounded as a
 * decimal that is read is: so where it is the number, its digits are, too.
 */
static bool put_short(struct render_buffer *out, double number)
{
	const double scale = 1e6;
	double magnitude = fabs(number);
	char digits[6];
	size_t count = sizeof(digits);
	uint64_t whole;

	if (!(magnitude < 4e9))
		return false;
	whole = (uint64_t)(magnitude * scale + 0.5);
	if ((double)whole / scale != magnitude)
		return false;
	if (number < 0)
		render_buffer_put_byte(out, '-');
	json_text_unsigned(out, whole / 1000000);
	digits_write_last(digits, whole % 1000000, sizeof(digits));
	while (count > 0 && digits[count - 1] == '0')
		count--;
	if (count > 0)
		render_buffer_put_byte(out, '.');
	render_buffer_put(out, digits, count);
	return true;
}

void json_text_float(struct render_buffer *out, double number)
{
	char text[32];

	if (isnan(number)) {
		json_text_put(out, "\"NaN\"");
	} else if (isinf(number)) {
		json_text_word(out, number < 0 ? "-Infinity" : "Infinity");
	} else if (number == 0 && signbit(number)) {
		json_text_put(out, "-0.0"); /* -0 would be an integer */
	} else if (!put_short(out, number)) {
		snprintf(text, sizeof(text), "%.17g", number);
		render_buffer_put(out, text, strlen(text));
	}
}
