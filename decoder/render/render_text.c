#include <errno.h>
#include <string.h>

#include "decoder/render/render_number.h"
#include "record/utf8.h"

/* glibc converts wide strings in portions of so many bytes. */
#define PORTION 256u

void render_text_put(struct render_piece *piece, const void *data, size_t size)
{
	render_piece_begin(piece, (int64_t)size, false);
	render_buffer_put(piece->out, data, size);
	render_piece_end(piece, (int64_t)size);
}

/* Of the size given, what the precision leaves. */
static size_t clip(const struct render_piece *piece, size_t size)
{
	if (piece->precision >= 0 && (uint64_t)piece->precision < size)
		return (size_t)piece->precision;
	return size;
}

static void put_null(struct render_piece *piece)
{
	static const char null[] = "(null)";
	const size_t size = sizeof(null) - 1;

	render_text_put(piece, null, clip(piece, size) < size ? 0 : size);
}

static uint32_t wide_at(const struct render_argument *argument, size_t index)
{
	uint32_t c;

	memcpy(&c, (const char *)argument->data + index * sizeof(c), sizeof(c));
	return c;
}

/* How far a wide string gets. */
struct wide_extent {
	size_t characters; /* that are within the precision */
	size_t bytes;	   /* of them as UTF-8 */
	bool broken;	   /* what follows is not a character */
	size_t portion;	   /* character with which the last portion begins */
};

static void measure_wide(const struct render_piece *piece,
	const struct render_argument *argument, struct wide_extent *extent)
{
	size_t count = argument->bytes / sizeof(uint32_t);
	size_t limit = clip(piece, SIZE_MAX);
	size_t portion_bytes = 0;
	char bytes[UTF8_MAX];
	size_t size;
	size_t i;

	memset(extent, 0, sizeof(*extent));
	for (i = 0; i < count && extent->bytes < limit; i++) {
		size = utf8_put(bytes, wide_at(argument, i));
		if (portion_bytes + size > PORTION ||
			portion_bytes == PORTION) {
			extent->portion = i;
			portion_bytes = 0;
		}
		extent->broken = size == 0;
		if (size == 0 || size > limit - extent->bytes)
			break;
		portion_bytes += size;
		extent->bytes += size;
	}
	extent->characters = i;
}

static void put_wide(struct render_piece *piece,
	const struct render_argument *argument, size_t count)
{
	size_t first = render_buffer_pieces(piece->out);
	size_t portion = 0;
	char bytes[UTF8_MAX];
	size_t i;

	for (i = 0; i < count; i++) {
		size_t size = utf8_put(bytes, wide_at(argument, i));

		if (portion + size > PORTION) {
			render_buffer_join(piece->out, first, false);
			first = render_buffer_pieces(piece->out);
			portion = 0;
		}
		render_buffer_put(piece->out, bytes, size);
		portion += size;
	}
	render_buffer_join(piece->out, first, false);
}

static bool put_wide_string(
	struct render_piece *piece, const struct render_argument *argument)
{
	struct wide_extent extent;

	measure_wide(piece, argument, &extent);
	if (extent.broken) {
		/* Only with both of these glibc looks before it writes. */
		if (piece->width > 0 && !(piece->flags & FORMAT_MINUS)) {
			if (piece->precision >= 0)
				return false;
			/* What says that it fails, -1, counts as its width. */
			if (libc_has(piece->libc, LIBC_WIDE_PADDING))
				render_piece_pad(piece, ' ', piece->width + 1);
		}
		put_wide(piece, argument, extent.portion);
		return false;
	}
	render_piece_begin(piece, (int64_t)extent.bytes, false);
	put_wide(piece, argument, extent.characters);
	render_piece_end(piece, (int64_t)extent.bytes);
	return true;
}

bool render_text_put_string(
	struct render_piece *piece, const struct render_argument *argument)
{
	if (argument->null || (argument->data == NULL && argument->bytes != 0))
		put_null(piece);
	else if (piece->size == FORMAT_LONG)
		return put_wide_string(piece, argument);
	else
		render_text_put(
			piece, argument->data, clip(piece, argument->bytes));
	return true;
}

bool render_text_put_character(struct render_piece *piece, int32_t c)
{
	char bytes[UTF8_MAX];
	size_t size;

	if (piece->size != FORMAT_LONG) {
		render_piece_begin(piece, 1, false);
		render_buffer_put_byte(piece->out, (char)c);
		render_piece_end(piece, 1);
		return true;
	}
	size = utf8_put(bytes, (uint32_t)c);
	if (size == 0)
		return false;
	render_text_put(piece, bytes, size);
	return true;
}

static uint64_t magnitude(int32_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static void put_unknown_errno(struct render_piece *piece, int32_t number)
{
	char text[40] = "Unknown error ";
	uint64_t rest =
		number == INT32_MIN && !libc_has(piece->libc, LIBC_LEAST_ERROR)
			? (uint64_t)(int64_t)number
			: magnitude(number);
	char *end = text + sizeof(text);
	char *at = end;
	size_t length = strlen(text);

	do
		*--at = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
	if (number < 0)
		*--at = '-';
	memmove(text + length, at, (size_t)(end - at));
	render_text_put(piece, text, clip(piece, length + (size_t)(end - at)));
}

/* EFTYPE, which the headers here may not know: LIBC_FILE_TYPE. */
#define FILE_TYPE_NUMBER 134

/* As strerrorname_np(3), which libc has since glibc 2.32; null of no error. */
static const char *name_of_errno(int32_t number, uint32_t libc)
{
	static const char *const names[] = {
		[0] = "0",
#define ERROR(name) [name] = #name,
#include "decoder/render/errno_names.def"
#undef ERROR
	};

	if (number == FILE_TYPE_NUMBER)
		return libc_has(libc, LIBC_FILE_TYPE) ? "EFTYPE" : NULL;
	return number >= 0 && (size_t)number < sizeof(names) / sizeof(names[0])
		       ? names[number]
		       : NULL;
}

void render_text_put_errno(struct render_piece *piece, int32_t number)
{
	const char *name = name_of_errno(number, piece->libc);
	bool by_name = piece->flags & FORMAT_ALTERNATE &&
		       libc_has(piece->libc, LIBC_ERRNO_NAME);
	const char *text = !name || by_name ? name
			   : number == FILE_TYPE_NUMBER
				   ? "Inappropriate file type or format"
				   : strerror(number);

	if (text != NULL) {
		render_text_put(piece, text, clip(piece, strlen(text)));
	} else if (by_name) {
		piece->conversion = 'd';
		render_integer_put(piece, magnitude(number), number < 0);
	} else {
		put_unknown_errno(piece, number);
	}
}
