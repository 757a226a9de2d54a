/*
 * A file of plain text, or standard input, as messages: each line is one, at
 * the time that it begins with.  Used by source.c.  Promises that the texts of
 * all messages are the bytes of the file, in order, whatever these are.
 */
#ifndef DECODER_TEXT_READER_H
#define DECODER_TEXT_READER_H

#include "decoder/capture/message.h"
#include "decoder/packed/packed_capture.h"

#define TEXT_READER_STDIN "-"

struct text_reader;

/* What there is to say of all of them; strings stay the caller's. */
struct text_settings {
	const char *const *executables; /* programs and libraries that may */
					/* have made it; ends in a null */
	bool utc;			/* times that say no zone are in UTC */
	uint64_t *read; /* bytes so far are added; null: nobody asks */
};

/*
 * `path` is borrowed, as the settings are; the capture that it becomes is one
 * of `captures`.  Null: out of memory.  What cannot be opened, or is no text,
 * is an error of the captures, and has no messages.
 */
struct text_reader *text_reader_new(const char *path,
	const struct text_settings *settings, struct packed_captures *captures);

/* Valid until the next call.  Null: that was the last one. */
const struct message *text_reader_next(struct text_reader *reader);

/* Null is fine. */
void text_reader_free(struct text_reader *reader);

#endif
