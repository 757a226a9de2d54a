/*
 * Events that lines are made of: how a process ended, that a thread was
 * cancelled, how many calls were not recorded since a rule limits them, and how
 * many messages were lost.  Used by the styles that show lines.
 */
#ifndef DECODER_EVENT_WORDS_H
#define DECODER_EVENT_WORDS_H

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

/* The kind of an event that may be shown. */
bool event_words_may_be(unsigned text);

/* An event that is shown. */
bool event_words_are(const struct message *message);

/* It is about calls from one place, which has said this, or of one thread. */
bool event_words_are_of_call(const struct message *message);

/* A process ends: nothing more comes of it. */
bool event_words_are_of_process(const struct message *message);

/* What it is, for machines: `end`, `cancelled`, `suppressed`, `window` or
 * `lost`. */
const char *event_words_name(const struct message *message);

/* Appends what is said of it, on one line without a newline. */
void event_words_put(const struct message *message, struct render_buffer *out);

#endif
