/*
 * How important a message is: as a rule said while it was recorded, or as
 * syslog(3) was told, or as its text says, or as is usual for the function and
 * the stream.  Asked by who shows it.
 */
#ifndef DECODER_MESSAGE_LEVEL_H
#define DECODER_MESSAGE_LEVEL_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/names/locations.h"

/* `stdout`, `stderr`, `syslog`, the path of a file, `fd5`. */
void message_words_stream(
	const struct message *message, struct render_buffer *out);

/* Facility of `priority`, and level: `daemon.err`. */
void message_words_priority(
	uint32_t priority, int level, struct render_buffer *out);

/* `ident: `, if it is another name than the program's. */
void message_words_ident(const struct message *message,
	const struct message_syslog *syslog, struct render_buffer *out);

/*
 * `file:line: function: `, or what is known of it, into a render_buffer; for
 * frames_author().
 */
void message_words_location(void *closure, const struct location *location);

/* One of rules/levels.def. */
int message_level(const struct message *message);

#endif
