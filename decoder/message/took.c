#include "decoder/message/took.h"

#include <string.h>

static const char ending[] = TOOK_FORMAT "\n";

bool took_of(const struct message *message, struct took *took)
{
	const struct definition_context *context = message->context;
	const struct definition_string *format = context->format;
	const size_t bytes = sizeof(ending) - 1;
	const struct render_argument *last;

	if (!context->function || !context->function->bytes || !format ||
		!format->bytes || format->length < bytes ||
		message->count < 2 || message_is_event(message) ||
		strcmp(context->function->bytes, TOOK_FUNCTION) != 0 ||
		memcmp(format->bytes + format->length - bytes, ending, bytes) !=
			0)
		return false;
	last = &message->arguments[message->count - 2];
	if (last[0].kind != BINLOG_ARG_I64 || last[1].kind != BINLOG_ARG_I64)
		return false;
	*took = (struct took){
		.nanoseconds = (uint64_t)last[0].i64,
		.substream = (uint64_t)last[1].i64,
		.format_bytes = format->length - bytes,
	};
	return took->nanoseconds != 0;
}
