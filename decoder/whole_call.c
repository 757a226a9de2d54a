#include "decoder/whole_call.h"

#include "decoder/limits.h"

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
