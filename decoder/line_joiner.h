/*
 * Puts together what belongs on one line: the pieces of one call, and the
 * calls of one thread on one stream up to a newline (putc, several fwrite).
 * Used by styles that show lines; holds what is unfinished, boundedly much.
 */
#ifndef DECODER_LINE_JOINER_H
#define DECODER_LINE_JOINER_H

#include "decoder/message.h"
#include "decoder/render_buffer.h"

/* Whole lines of one thread on one stream. */
struct line_joiner_lines {
	const char *head; /* what `head` had put for the first piece */
	size_t head_bytes;
	const char *tail; /* likewise */
	size_t tail_bytes;
	const char *text; /* without the newline at its end */
	size_t bytes;
};

/*
 * What is to be shown around the text of a message: called for the first
 * piece of each line, since what the message points to will be gone when the
 * line is whole.
 */
struct line_joiner_calls {
	void (*describe)(void *closure, const struct message *message,
		struct render_buffer *head, struct render_buffer *tail);
	void (*lines)(void *closure, const struct line_joiner_lines *lines);
	/* Called before the text of a message is put there; may be null. */
	void (*prepare)(void *closure, const struct message *message,
		struct render_buffer *text);
	void *closure;
};

struct line_joiner;

/* Null: out of memory. */
struct line_joiner *line_joiner_new(const struct line_joiner_calls *calls);

/* Takes the next message; calls back when lines are whole. */
void line_joiner_add(struct line_joiner *joiner, const struct message *message);

/* Gives out what the process of this message has left unfinished. */
void line_joiner_end_process(
	struct line_joiner *joiner, const struct message *message);

/* Gives out what is unfinished, oldest first, and frees everything. */
void line_joiner_end(struct line_joiner *joiner);

#endif
