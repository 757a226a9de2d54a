#include "decoder/pack/text_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"
#include "decoder/pack/column_shape.h"

/* Texts that are looked at for what is before all of them. */
#define SAMPLES 256u
/* Of these, so many have it; and it has no more words and bytes. */
#define MOST (SAMPLES * 3 / 4)
#define WORDS_MAX 16u
#define HEAD_MAX 128u
/* In a head as it is compared: any number. */
#define NUMBER '\1'

struct text_column {
	size_t texts;
	const char *first; /* of the first text, behind its head */
	size_t first_bytes;
	size_t left;  /* bytes that all begin with then, */
	size_t right; /* and end with */
	size_t least; /* bytes of the shortest */
	bool same;    /* nothing is between */
};

bool text_columns_reserve(struct text_columns *texts, size_t count)
{
	return column_write_room((void **)&texts->texts, &texts->texts_room,
		       count, sizeof(*texts->texts)) &&
	       column_write_room((void **)&texts->column_of,
		       &texts->column_of_room, count,
		       sizeof(*texts->column_of)) &&
	       column_write_room((void **)&texts->heads, &texts->heads_room,
		       count, sizeof(*texts->heads)) &&
	       column_write_room((void **)&texts->head_bytes,
		       &texts->head_bytes_room, count,
		       sizeof(*texts->head_bytes)) &&
	       column_write_room((void **)&texts->known, &texts->known_room,
		       count, sizeof(*texts->known));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * What is before all texts: words, in which numbers differ.
 */

struct head {
	char bytes[HEAD_MAX]; /* with NUMBERs */
	size_t size;
};

/* The words of a text with which it begins; ends[] tells where they do in
 * `head`.  How many. */
static size_t take_words(const struct string_value *text, struct head *head,
	size_t ends[WORDS_MAX])
{
	size_t words = 0;
	uint32_t i = 0;

	head->size = 0;
	while (i < text->size && head->size < HEAD_MAX && words < WORDS_MAX) {
		char c = text->bytes[i++];

		while (is_digit(c) && i < text->size &&
			is_digit(text->bytes[i]))
			i++;
		head->bytes[head->size++] = is_digit(c) ? NUMBER : c;
		if (c == ' ')
			ends[words++] = head->size;
	}
	return words;
}

/* How many bytes of the text are the head, up to the end of a word; and of the
 * head. */
static uint32_t head_of(const struct head *head,
	const struct string_value *text, size_t *of_head)
{
	const char *bytes = text->bytes;
	uint32_t found = 0;
	uint32_t i = 0;
	size_t k;

	*of_head = 0;
	for (k = 0; k < head->size && i < text->size; k++) {
		char c = bytes[i++];

		if (head->bytes[k] == NUMBER ? !is_digit(c)
					     : head->bytes[k] != c)
			break;
		while (is_digit(c) && i < text->size && is_digit(bytes[i]))
			i++;
		if (c == ' ') {
			found = i;
			*of_head = k + 1;
		}
	}
	return found;
}

/* The longest that most of some texts have. */
static void find_head(const struct text_columns *texts, struct head *best)
{
	size_t ends[WORDS_MAX];
	struct head head;
	size_t tries, words, i, k, with, of_head;

	best->size = 0;
	for (tries = 0; tries < 8; tries++) {
		words = take_words(
			&texts->texts[tries * texts->count / 8], &head, ends);
		for (k = words; k > 0 && ends[k - 1] > best->size; k--) {
			head.size = ends[k - 1];
			for (i = with = 0; i < SAMPLES; i++) {
				head_of(&head,
					&texts->texts[i * texts->count /
						      SAMPLES],
					&of_head);
				with += of_head == head.size;
			}
			if (with >= MOST)
				*best = head;
		}
	}
}

/* Each head once; how many. */
static size_t place_heads(struct text_columns *texts)
{
	struct column_write *table = texts->strings->numbers;
	size_t mask = column_write_slots(table, texts->count);
	const struct string_value *last = NULL;
	struct head head;
	size_t count = 0;
	size_t i, at, of_head;

	if (!mask)
		return 0;
	find_head(texts, &head);
	for (i = 0; i < texts->count; i++) {
		struct string_value value = {texts->texts[i].bytes,
			head_of(&head, &texts->texts[i], &of_head)};

		texts->head_bytes[i] = value.size;
		if (last && last->size == value.size &&
			memcmp(last->bytes, value.bytes, value.size) == 0) {
			texts->heads[i] = texts->heads[i - 1];
			continue;
		}
		at = seeded_hash(seeded_hash_start, value.bytes, value.size) &
		     mask;
		for (; table->slots[at]; at = (at + 1) & mask) {
			last = &texts->known[table->slots[at] - 1];
			if (last->size == value.size &&
				memcmp(last->bytes, value.bytes, value.size) ==
					0)
				break;
		}
		if (!table->slots[at]) {
			texts->known[count] = value;
			table->slots[at] = (uint32_t)++count;
		}
		texts->heads[i] = table->slots[at] - 1;
		last = &texts->known[texts->heads[i]];
	}
	return count;
}

/*
 * What those of one place have in common.
 */

static size_t alike(const char *a, const char *b, size_t most)
{
	size_t i;

	for (i = 0; i < most && a[i] == b[i]; i++)
		;
	return i;
}

static size_t alike_before(const char *a, const char *b, size_t most)
{
	size_t i;

	for (i = 0; i < most && a[-1 - (ptrdiff_t)i] == b[-1 - (ptrdiff_t)i];
		i++)
		;
	return i;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void compare(struct text_column *column, const char *bytes, size_t size)
{
	if (column->texts++ == 0) {
		column->first = bytes;
		column->first_bytes = size;
		column->least = size;
		column->left = column->right =
			smaller(size, PACKED_TEMPLATE_MAX);
		return;
	}
	column->least = smaller(column->least, size);
	column->left = alike(column->first, bytes, smaller(column->left, size));
	column->right = alike_before(column->first + column->first_bytes,
		bytes + size, smaller(column->right, size));
}

static void compare_all(struct text_columns *texts, size_t columns)
{
	size_t i;

	memset(texts->columns, 0, columns * sizeof(*texts->columns));
	for (i = 0; i < texts->count; i++)
		compare(&texts->columns[texts->column_of[i]],
			texts->texts[i].bytes + texts->head_bytes[i],
			texts->texts[i].size - texts->head_bytes[i]);
	for (i = 0; i < columns; i++) {
		struct text_column *column = &texts->columns[i];

		if (column->texts < 2)
			column->left = column->right = 0;
		column->right =
			smaller(column->right, column->least - column->left);
		column->same = column->texts > 1 &&
			       column->left == column->first_bytes &&
			       column->left == column->least;
	}
	for (i = 0; i < texts->count; i++) {
		struct text_column *column =
			&texts->columns[texts->column_of[i]];

		column->same &= texts->texts[i].size - texts->head_bytes[i] ==
				column->left;
	}
}

static bool put_ends(
	struct text_columns *texts, struct render_buffer *out, size_t columns)
{
	size_t i;

	if (!column_write_room((void **)&texts->ends, &texts->ends_room,
		    2 * columns, sizeof(*texts->ends)))
		return false;
	for (i = 0; i < columns; i++) {
		const struct text_column *column = &texts->columns[i];
		struct string_value *ends = texts->ends + 2 * i;

		ends[0] = (struct string_value){
			column->first, (uint32_t)column->left};
		ends[1] = (struct string_value){
			column->first + column->first_bytes - column->right,
			(uint32_t)column->right};
		if (column->same)
			ends[1] = (struct string_value){0};
	}
	string_columns_put_plain(texts->strings, out, texts->ends, 2 * columns);
	return true;
}

/* What is between, and where: null: nothing. */
static const char *rest_of(
	const struct text_columns *texts, size_t i, size_t *size)
{
	const struct text_column *column = &texts->columns[texts->column_of[i]];
	const struct string_value *text = &texts->texts[i];

	*size = text->size - texts->head_bytes[i] - column->left -
		column->right;
	return column->same ? NULL
			    : text->bytes + texts->head_bytes[i] + column->left;
}

/* The rests, each with a byte behind it that none of them has. */
static bool put_rests(struct text_columns *texts, struct render_buffer *out)
{
	bool used[256] = {false};
	const char *rest;
	unsigned end = 0;
	size_t i, k, size;

	for (i = 0; i < texts->count; i++) {
		rest = rest_of(texts, i, &size);
		for (k = 0; rest && k < size; k++)
			used[(uint8_t)rest[k]] = true;
	}
	while (end < 256 && used[end])
		end++;
	if (end == 256)
		return false;
	render_buffer_put_byte(out, (char)end);
	for (i = 0; i < texts->count; i++) {
		rest = rest_of(texts, i, &size);
		if (!rest)
			continue;
		render_buffer_put(out, rest, size);
		render_buffer_put_byte(out, (char)end);
	}
	return true;
}

bool text_columns_write(
	struct text_columns *texts, struct render_buffer *out, size_t columns)
{
	size_t heads;

	if (texts->count < SAMPLES ||
		!column_write_room((void **)&texts->columns,
			&texts->columns_room, columns, sizeof(*texts->columns)))
		return false;
	heads = place_heads(texts);
	if (heads == 0)
		return false;
	compare_all(texts, columns);
	column_shape_put_number(out, heads);
	string_columns_put_plain(texts->strings, out, texts->known, heads);
	column_write_numbers(
		texts->strings->numbers, out, texts->heads, texts->count);
	return put_ends(texts, out, columns) && put_rests(texts, out);
}

void text_columns_free(struct text_columns *texts)
{
	free(texts->texts);
	free(texts->column_of);
	free(texts->heads);
	free(texts->head_bytes);
	free(texts->known);
	free(texts->columns);
	free(texts->ends);
	*texts = (struct text_columns){0};
}
