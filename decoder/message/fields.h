/*
 * The arguments of a message as typed fields with names, for whoever hands
 * them on: exports, reports, statistics.  The names are those of --where and
 * of the column `args`.  One thread.
 */
#ifndef DECODER_FIELDS_H
#define DECODER_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "record/format.h"
#include "record/utf8.h"

enum field_type {
	FIELD_INTEGER,	 /* %d: i64 */
	FIELD_UNSIGNED,	 /* %u %o %x %b: u64 */
	FIELD_CHARACTER, /* %c: u64, a byte or, of %lc, a wide character */
	FIELD_POINTER,	 /* %p: u64 */
	FIELD_FLOAT,	 /* %f %e %g %a, also of long double: f64 */
	FIELD_TEXT,	 /* %s: text */
};

/* Strings and the field live as long as the message's context. */
struct field {
	const char *name; /* unique in the message: a word, or `arg2` */
	enum field_type type;
	uint16_t argument; /* index into the message's arguments */
	uint16_t number;   /* among those of the format, from 1: N of argN */
	uint8_t kind;	   /* enum binlog_argument */
	uint8_t size;	   /* enum format_size, of the directive */
	char conversion;   /* likewise, as struct format_directive */
};

struct json_site;

struct fields {
	size_t count;
	struct json_site *json; /* for style_json.c; null: not yet */
	struct field all[];
};

/*
 * Those of the message in the order of its arguments, a width or precision
 * given as `*` among them, and `errno` of %m last; what %n takes is none.
 * Never null: without a format, or when it was lost, there are none.
 */
const struct fields *fields_of(const struct message *message);

struct field_value {
	bool known; /* false: a null %s, or lost: there is no value */
	union {
		int64_t i64;
		uint64_t u64;
		double f64;
	};
	const char *text; /* UTF-8 where it was wide, otherwise any bytes; */
			  /* valid until the next call or message */
	size_t bytes;
};

/*
 * The value as its directive prints it: cut to the size that it names.  Wide
 * text is put into `scratch`, which is emptied for it.
 */
struct field_value field_value(const struct field *field,
	const struct message *message, struct render_buffer *scratch);

/* An integer cut as a directive with this conversion and size prints it. */
int64_t field_cut(int64_t number, char conversion, uint8_t size);

struct field_text {
	const char *bytes;
	size_t size;
	char character[UTF8_MAX];
};

/* Any bytes, else a number. */
static inline bool field_is_text(const struct field *field)
{
	return field->type == FIELD_TEXT || field->type == FIELD_CHARACTER;
}

/* Of a value that is known; good as long as that and *text are. */
static inline void field_text_of(struct field_text *text,
	const struct field *field, const struct field_value *value)
{
	text->bytes = value->text;
	text->size = value->bytes;
	if (field->type == FIELD_TEXT)
		return;
	text->bytes = text->character;
	text->character[0] = (char)value->u64;
	text->size = field->size == FORMAT_LONG
			     ? utf8_put(text->character, (uint32_t)value->u64)
			     : 1;
}

/*
 * Appends a value that is known: numbers with all digits, pointers as 0x...,
 * texts and characters as they are, which may be any bytes.
 */
void field_words_put(struct render_buffer *out, const struct field *field,
	const struct field_value *value);

#endif
