#include "decoder/whole_call.h"

bool whole_call_add(struct whole_call *call, const struct message *message)
{
	if (call->pointers)
		pointers_show(call->pointers, message, &call->text);
	message_text(message, &call->text);
	call->open =
		message->partial && call->text.length < WHOLE_CALL_BYTES_MAX;
	return !call->open;
}
