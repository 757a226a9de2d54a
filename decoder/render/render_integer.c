#include <limits.h>
#include <string.h>

#include "base/digits.h"
#include "decoder/render/render_number.h"

#define DIGITS_MAX 64	 /* of 64 bits in base 2 */
#define SEPARATOR_MAX 16 /* bytes of a separator that anybody uses */

char *render_integer_write(char *end, uint64_t value)
{
	unsigned int count = digits_count(value);

	digits_write_last(end - count, value, count);
	return end - count;
}

static char *write_binary(
	char *end, uint64_t value, unsigned int bits, const char *digits)
{
	do {
		*--end = digits[value & ((1u << bits) - 1)];
		value >>= bits;
	} while (value != 0);
	return end;
}

static char *write_digits(char *end, uint64_t value, char conversion)
{
	switch (conversion) {
	case 'x':
	case 'p':
		return write_binary(end, value, 4, "0123456789abcdef");
	case 'X':
		return write_binary(end, value, 4, "0123456789ABCDEF");
	case 'o':
		return write_binary(end, value, 3, "01234567");
	case 'b':
	case 'B':
		return write_binary(end, value, 1, "01");
	default:
		return render_integer_write(end, value);
	}
}

/* A group size that ends all grouping. */
static bool is_last_group(char size)
{
	return size == CHAR_MAX || (signed char)size <= 0;
}

bool render_integer_group_ends(
	const struct render_locale *locale, int64_t digits)
{
	const char *grouping = locale->grouping;

	if (is_last_group(*grouping))
		return false;
	while (digits > *grouping) {
		digits -= *grouping;
		if (grouping[1] == '\0')
			return digits % *grouping == 0;
		if (is_last_group(*++grouping))
			return false;
	}
	return digits == *grouping;
}

/* Copies the digits with separators between them; returns how many bytes. */
static size_t group_digits(const struct render_piece *piece, char *to,
	const char *digits, size_t count)
{
	size_t size = strnlen(piece->locale->thousands, SEPARATOR_MAX);
	char *begin = to;
	size_t i;

	for (i = 0; i < count; i++) {
		if (i > 0 && render_integer_group_ends(
				     piece->locale, (int64_t)(count - i))) {
			memcpy(to, piece->locale->thousands, size);
			to += size;
		}
		*to++ = digits[i];
	}
	return (size_t)(to - begin);
}

/* What stands before the digits besides zeros. */
static size_t write_prefix(const struct render_piece *piece, char prefix[3],
	uint64_t value, bool negative)
{
	size_t size = 0;
	char c = piece->conversion;

	if (c == 'd' || c == 'p')
		prefix[0] = render_piece_sign(piece, negative);
	else
		prefix[0] = 0;
	if (prefix[0] != 0)
		size = 1;
	if (value == 0 || !(piece->flags & FORMAT_ALTERNATE || c == 'p') ||
		c == 'd' || c == 'u' || c == 'o')
		return size;
	prefix[size] = '0';
	prefix[size + 1] = c == 'p' ? 'x' : c;
	return size + 2;
}

/* How many zeros the precision asks for before so many bytes of digits. */
static int64_t count_zeros(const struct render_piece *piece, size_t size)
{
	int64_t zeros = piece->precision - (int64_t)size;

	return zeros > 0 ? zeros : 0;
}

/* In "%#o" one zero must be there; 0 itself has it unless "%#.0o". */
static bool needs_zero(
	const struct render_piece *piece, uint64_t value, size_t size)
{
	return piece->conversion == 'o' && piece->flags & FORMAT_ALTERNATE &&
	       piece->precision <= (int64_t)size && (value != 0 || size == 0);
}

static void put_general(struct render_piece *piece, uint64_t value,
	bool negative, const char *digits, size_t size)
{
	bool pad_zeros = piece->flags & FORMAT_ZERO && piece->precision < 0;
	char grouped[DIGITS_MAX * (1 + SEPARATOR_MAX)];
	char prefix[3];
	size_t prefix_size = write_prefix(piece, prefix, value, negative);
	int64_t zeros;
	int64_t total;
	bool zero;
	size_t first;

	if (value == 0 && piece->precision == 0)
		size = 0;
	if (piece->flags & FORMAT_GROUP && piece->conversion != 'p') {
		size = group_digits(piece, grouped, digits, size);
		digits = grouped;
	}
	zeros = count_zeros(piece, size);
	zero = needs_zero(piece, value, size);
	total = (int64_t)(prefix_size + size + zero) + zeros;
	if (piece->flags & FORMAT_MINUS)
		pad_zeros = false;
	render_piece_begin(piece, total, pad_zeros);
	for (size_t i = 0; i < prefix_size; i++)
		render_buffer_put_byte(piece->out, prefix[i]);
	if (pad_zeros && piece->width > total)
		zeros += piece->width - total;
	render_piece_pad(piece, '0', zeros);
	first = render_buffer_pieces(piece->out);
	if (zero)
		render_buffer_put_byte(piece->out, '0');
	render_buffer_put(piece->out, digits, size);
	render_buffer_join(piece->out, first, false);
	render_piece_end(piece, total);
}

void render_integer_put(
	struct render_piece *piece, uint64_t value, bool negative)
{
	char text[DIGITS_MAX + 1];
	char *end = text + sizeof(text);
	char *at = write_digits(end, value, piece->conversion);

	if (piece->flags == 0 && piece->width == 0 && piece->precision < 0 &&
		piece->conversion != 'p') {
		if (negative)
			render_buffer_put_byte(piece->out, '-');
		render_buffer_put(piece->out, at, (size_t)(end - at));
		return;
	}
	put_general(piece, value, negative, at, (size_t)(end - at));
}
