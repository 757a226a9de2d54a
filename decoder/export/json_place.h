/*
 * Where a message was said, in JSON: the place of the call, and the stack.
 * Used by the styles that write it, when that is asked for.
 */
#ifndef DECODER_JSON_PLACE_H
#define DECODER_JSON_PLACE_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/names/places.h"

/*
 * Appends "caller":,"file":,"line": as far as they are known, with a comma
 * behind each of them.
 */
void json_place_put(struct render_buffer *out, struct places *places,
	const struct message *message);

/*
 * Appends an array of at most `depth` frames, the innermost first, each with
 * what is known of "function", "file", "line", "module", "address", and true
 * for what is "inlined" or left by a "tail_call".
 */
void json_place_stack(struct render_buffer *out, struct places *places,
	const struct message *message, size_t depth);

#endif
