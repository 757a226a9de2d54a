/*
 * How a process ended, in words: the events SIGNAL and EXIT of text.def.
 * Used by the styles that show lines.
 */
#ifndef DECODER_LAST_WORDS_H
#define DECODER_LAST_WORDS_H

#include <stdbool.h>

#include "decoder/message.h"
#include "decoder/render_buffer.h"

/* An end that deserves to be shown: any but exit(0). */
bool last_words_are(const struct message *message);

/* Appends what the end was, on one line without a newline. */
void last_words_put(const struct message *message, struct render_buffer *out);

#endif
