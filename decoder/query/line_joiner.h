/*
 * Puts together what belongs on one line: the pieces of one call, and the
 * calls of one thread on one stream up to a newline (putc, several fwrite).
 * Used by styles that show lines; holds what is unfinished, boundedly much.
 */
#ifndef DECODER_LINE_JOINER_H
#define DECODER_LINE_JOINER_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/query/filter_rules.h"

/* Whole lines of one thread on one stream. */
struct line_joiner_lines {
	const char *head; /* what `describe` had put for the first piece */
	size_t head_bytes;
	const char *tail; /* likewise */
	size_t tail_bytes;
	const char *text; /* without the newline at its end */
	size_t bytes;
};

struct line_joiner_calls {
	/*
	 * What is to be shown around the text of a message: called for the
	 * first piece of lines, since what the message points to will be gone
	 * when they are whole.
	 */
	void (*describe)(void *closure, const struct message *message,
		struct render_buffer *head, struct render_buffer *tail);
	/*
	 * Called for each other message that goes on with lines, which may add
	 * to their tail; may be null.
	 */
	void (*more)(void *closure, const struct message *message,
		struct render_buffer *tail);
	void (*lines)(void *closure, const struct line_joiner_lines *lines);
	/* The same in one, for a message that has whole lines by itself. */
	void (*whole)(void *closure, const struct message *message,
		const char *text, size_t bytes);
	/* Called before the text of a message is put there; may be null. */
	void (*prepare)(void *closure, const struct message *message,
		struct render_buffer *text);
	void *closure;
	/*
	 * Lines are given out if the time of their first piece was asked for,
	 * something else of one of the pieces, and their text: see filter.h.
	 * Null: all are.
	 */
	const struct filter_rules *rules;
	bool bare; /* texts are without what was put before their statements */
};

struct line_joiner;

/* Null: out of memory. */
struct line_joiner *line_joiner_new(const struct line_joiner_calls *calls);

/* Takes the next message; calls back when lines are whole. */
void line_joiner_add(struct line_joiner *joiner, const struct message *message);

/* Whether a line on the stream, which may be null, waits for its rest. */
bool line_joiner_awaits(const struct line_joiner *joiner,
	const struct definition_stream *stream);

/* Whether what is said on both belongs on one line, if it is of one thread. */
bool line_joiner_is_same(const struct definition_stream *one,
	const struct definition_stream *other);

/* Gives out what the process of this message has left unfinished. */
void line_joiner_end_process(
	struct line_joiner *joiner, const struct message *message);

/* Gives out what is unfinished, oldest first, and frees everything. */
void line_joiner_end(struct line_joiner *joiner);

#endif
