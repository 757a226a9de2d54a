/*
 * A column of strings, or of 16 bytes each, out of a packed log's batch.
 * Called by packed_body.c; as careful as column_read.h.  What is made of a
 * template is made when it is asked for, so a batch costs what it is long, not
 * what it says.
 */
#ifndef DECODER_COLUMN_STRINGS_H
#define DECODER_COLUMN_STRINGS_H

#include "decoder/packed/column_read.h"

struct column_value {
	const uint8_t *data; /* null: a null pointer */
	size_t size;
};

struct column_template;
struct column_text;
struct column_texts;

struct column_strings {
	/* One more than the size, or 0; or the place in what is not null of: */
	struct column numbers;
	const struct column_value *dictionary;
	struct column_template *templates;
	struct column_texts *texts;	 /* of all columns together */
	const struct column_value *ends; /* then what each has: two */
	const struct column_text *next;	 /* one */
	const uint8_t *bytes;		 /* of the next string, or 16 bytes */
	uint8_t *room;			 /* for what is made of a template */
};

bool column_strings_read(struct cursor *bytes, struct column_store *store,
	size_t count, struct column_strings *column);

/* The same of 16 bytes each. */
bool column_strings_read_long_doubles(
	struct cursor *bytes, size_t count, struct column_strings *column);

/*
 * The columns of a batch whose strings are behind all columns, in the order of
 * the calls.  All zeros to begin with; `columns` are in the caller's order,
 * that of the body, and it says how many strings each has.
 */
struct column_texts {
	struct column_strings **columns; /* null: nobody wants it */
	const uint32_t *counts;
	size_t column_count;
	size_t count; /* of all strings */
	const struct column_value *heads;
};

/*
 * Takes them all.  `next` tells of which column the next string is, by its
 * place among `columns`; it is asked `count` times.
 */
bool column_texts_read(struct cursor *bytes, struct column_store *store,
	struct column_texts *texts, size_t (*next)(void *closure),
	void *closure);

/* For one of templates or texts; else see below. */
struct column_value column_strings_make(struct column_strings *column);

/* Valid until the next call for the same column. */
static inline struct column_value column_strings_next(
	struct column_strings *column)
{
	struct column_value string = {0};
	uint64_t number;

	if (column->templates || column->texts)
		return column_strings_make(column);
	number = column_read_next(&column->numbers);
	if (column->dictionary)
		return column->dictionary[number];
	if (number > 0) {
		string.data = column->bytes;
		string.size = (size_t)number - 1;
		column->bytes += string.size;
	}
	return string;
}

static inline const uint8_t *column_strings_next_long_double(
	struct column_strings *column)
{
	const uint8_t *bytes = column->bytes;

	column->bytes += 16;
	return bytes;
}

struct salvage;
struct salvaged_numbers;
struct salvaged_strings;

/* What is behind the places of a column of templates that is damaged: see
 * column_salvage.h.  False: no memory. */
bool column_strings_salvage(struct salvage *from, size_t count,
	const struct salvaged_strings *known, size_t size,
	const struct salvaged_numbers *places, struct salvaged_strings *into);

#endif
