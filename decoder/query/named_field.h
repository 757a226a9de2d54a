/*
 * The argument that a person means by a name: the word before its directive,
 * or arg1, arg2...  Asked by the styles that show numbers; the names are those
 * of fields.h.
 */
#ifndef DECODER_NAMED_FIELD_H
#define DECODER_NAMED_FIELD_H

#include "decoder/message/fields.h"

/* That of the message; null: it has none. */
const struct field *named_field(
	const struct message *message, const char *name);

/* Likewise, if its values are numbers. */
const struct field *named_field_number(
	const struct message *message, const char *name);

/*
 * Whether nobody could mean an argument by it: null, or what is wrong with it.
 */
const char *named_field_check(const char *name);

/* A value of such a field. */
struct named_field_value {
	bool known;
	bool fractional;
	long double number;
};

struct named_field_value named_field_value(
	const struct field *field, const struct message *message);

#endif
