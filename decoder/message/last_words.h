/*
 * How a process ended, in words: the events SIGNAL and EXIT of text.def.
 * Used by the styles that show lines.
 */
#ifndef DECODER_LAST_WORDS_H
#define DECODER_LAST_WORDS_H

#include <stdbool.h>

#include "base/render_buffer.h"
#include "decoder/capture/message.h"

/* The kind of an event that says that a process is about to end. */
bool last_words_is_end(unsigned text);

/* An end that deserves to be shown: any but exit(0). */
bool last_words_are(const struct message *message);

/* Appends what the end was, on one line without a newline. */
void last_words_put(const struct message *message, struct render_buffer *out);

/* The same for an event of this kind and value in process `pid`. */
void last_words_put_end(
	struct render_buffer *out, unsigned text, int64_t value, uint32_t pid);

#endif
