#include "decoder/message/whole_call.h"

#include "base/limits.h"
#include "decoder/message/event_words.h"

bool whole_call_add(struct whole_call *call, const struct message *message)
{
	if (call->pointers)
		pointers_show(call->pointers, message, &call->text);
	message_text(message, &call->text);
	call->open = message->partial &&
		     call->text.length < limits_size(LIMIT_CALL_TEXT);
	if (message->partial && !call->open)
		recording_report(message->capture, ERROR_CALL_PARTS,
			message->offset, call->text.length);
	return !call->open;
}

static void end(struct whole_call *call, const struct whole_call_parts *parts,
	void *style)
{
	parts->end(style);
	whole_call_forget(call);
}

void whole_call_message(struct whole_call *call, const struct message *message,
	const struct whole_call_parts *parts, void *style)
{
	bool is_event = message_is_event(message);

	if (is_event && !parts->event)
		return;
	if (whole_call_ended(call, message))
		end(call, parts, style);
	if (is_event) {
		if (event_words_are(message))
			parts->event(style, message);
		return;
	}
	if (!call->open)
		parts->begin(style, message);
	if (whole_call_add(call, message))
		end(call, parts, style);
}
