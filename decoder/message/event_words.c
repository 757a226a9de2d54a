#include "decoder/message/event_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decoder/message/last_words.h"
#include "record/layout.h"

bool event_words_may_be(unsigned text)
{
	return text == BINLOG_TEXT_SUPPRESSED || last_words_is_end(text);
}

bool event_words_are(const struct message *message)
{
	return event_words_are_of_call(message) || last_words_are(message);
}

bool event_words_are_of_call(const struct message *message)
{
	return message->context->text == BINLOG_TEXT_SUPPRESSED;
}

void event_words_put(const struct message *message, struct render_buffer *out)
{
	char text[64];

	if (!event_words_are_of_call(message)) {
		last_words_put(message, out);
		return;
	}
	snprintf(text, sizeof(text), "(%" PRId64 "x)",
		message_event_value(message));
	render_buffer_put(out, text, strlen(text));
}
