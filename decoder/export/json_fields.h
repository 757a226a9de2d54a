/*
 * The typed arguments of a message in JSON.  Used by the styles that write it;
 * promises the values of fields.h without loss, but for long double.
 */
#ifndef DECODER_JSON_FIELDS_H
#define DECODER_JSON_FIELDS_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/message/facts.h"
#include "decoder/message/fields.h"
#include "decoder/names/locations.h"

/* Appends `,"key":value` to the render_buffer that `closure` is. */
void json_fact_put(void *closure, const char *key, const struct fact *fact);

/*
 * Appends an array of at most `depth` frames, the innermost first, each with
 * what is known of "function", "file", "line", "module", "address", and true
 * for what is "inlined" or left by a "tail_call".
 */
void json_location_stack(struct render_buffer *out, struct locations *locations,
	const struct message *message, size_t depth);

/*
 * Appends the member "origin": an array of who has created the thread, its
 * creator's creator and so on, each with its stack.  The message has one.
 */
void json_location_origin(struct render_buffer *out,
	struct locations *locations, const struct message *message,
	size_t depth);

/*
 * All are an array of {"name":,"type":,"value":}; those that could not be shown
 * exactly have "bytes" in base64, too.  Of each what comes before its value, and
 * the rest of it, but for the brace at its end.
 */
void json_fields_begin(struct render_buffer *out, const struct field *field);
void json_fields_put(struct render_buffer *out, const struct field *field,
	const struct message *message, struct render_buffer *scratch);

/* Appends all as "name":value, with a comma behind each of them. */
void json_fields_members(struct render_buffer *out,
	const struct message *message, struct render_buffer *scratch);

/* As they are called in JSON and in the manual. */
const char *json_fields_type(enum field_type type);

#endif
