/*
 * An event of a Heph trace as a format with arguments, and back again.  Used
 * by the reader of such traces and by the style `heph`: what the one makes of
 * an event the other makes the same event of.
 *
 *	My event Test=%lu Test2=[%.15g, %.15g] took=%lu substream=%lu
 */
#ifndef DECODER_HEPH_FORMAT_H
#define DECODER_HEPH_FORMAT_H

#include "decoder/capture/message.h"
#include "decoder/heph/heph_read.h"
#include "decoder/message/took.h"

/* What messages that are made so name as the function that was called. */
#define HEPH_FORMAT_FUNCTION TOOK_FUNCTION

/* All zeros at first. */
struct heph_format {
	struct render_buffer text; /* the format, which ends in a newline */
	struct render_argument arguments[FORMAT_ARGUMENTS_MAX];
	size_t count;
	struct render_buffer rest; /* attributes that are too many, as text */
};

/*
 * Of an event and the cursor over its attributes, which is left behind those
 * that made sense: not at the end if not all of them did.  Texts are those of
 * the packet.
 */
void heph_format_make(struct heph_format *format,
	const struct heph_event *event, struct cursor *attributes);

void heph_format_free(struct heph_format *format);

/*
 * The event that the message was made of: appends its attributes, and fills
 * in what the event has beside its stream, counter and start.  The description
 * is put into `description`.  False: it was not made so.
 */
bool heph_format_undo(const struct message *message,
	struct render_buffer *attributes, struct render_buffer *description,
	struct heph_event *event);

#endif
