/*
 * The text of a call, whose pieces are put together again.  Used by the
 * exports, where a call is one entry: they put what they say of it when it
 * begins, and its text when that is whole.  Pieces follow each other.
 */
#ifndef DECODER_WHOLE_CALL_H
#define DECODER_WHOLE_CALL_H

#include "decoder/capture/message.h"
#include "decoder/names/pointers.h"

/* All zeros is none. */
struct whole_call {
	struct pointers *pointers; /* null: do not say what they point to */
	struct render_buffer text;
	bool open; /* it has begun, and the rest is to come */
};

/* What an export does with a call, given itself first. */
struct whole_call_parts {
	/* The first message of one. */
	void (*begin)(void *style, const struct message *message);
	/* It is whole: its text is there, and is forgotten afterwards. */
	void (*end)(void *style);
	/* What is no call but has words; null: these are passed over. */
	void (*event)(void *style, const struct message *message);
};

/* The next message: begins a call, goes on with one, ends it, or all of it. */
void whole_call_message(struct whole_call *call, const struct message *message,
	const struct whole_call_parts *parts, void *style);

/*
 * The steps of it, for exports that put something in between.  Before a message
 * is looked at: whether what is open ends without it.
 */
static inline bool whole_call_ended(
	const struct whole_call *call, const struct message *message)
{
	return call->open && !message->continues;
}

/* Adds the text of the message.  True: the call is whole, or has as much text
 * as LIMIT_CALL_TEXT lets one have. */
bool whole_call_add(struct whole_call *call, const struct message *message);

/* After its text was put somewhere. */
static inline void whole_call_forget(struct whole_call *call)
{
	call->text.length = 0;
	call->open = false;
}

#endif
