#include <stdlib.h>

#include "decoder/style.h"

struct raw {
	struct output *output;
	struct render_buffer syslog; /* text of a message that is not whole */
	bool in_syslog;
};

void *style_raw_begin(const struct style_settings *settings)
{
	struct raw *raw = calloc(1, sizeof(*raw));

	if (raw)
		raw->output = settings->output;
	return raw;
}

/* A message is a line: it has no newline inside and one at the end. */
static void finish_syslog(struct raw *raw)
{
	struct render_buffer *out = &raw->output->text;
	const char *text = raw->syslog.data;
	size_t length = raw->syslog.length;
	size_t i;

	while (length > 0 &&
		(text[length - 1] == '\n' || text[length - 1] == '\0'))
		length--;
	for (i = 0; i < length; i++) {
		if (text[i] == '\n')
			render_buffer_put(out, "\\n", 2);
		else
			render_buffer_put_byte(out, text[i]);
	}
	render_buffer_put_byte(out, '\n');
	raw->syslog.length = 0;
	raw->in_syslog = false;
}

static void put_syslog(struct raw *raw, const struct message *message)
{
	struct message_syslog syslog;

	if (!raw->in_syslog && message_is_syslog(message, &syslog))
		message_syslog_head(message, &syslog, &raw->output->text);
	raw->in_syslog = true;
	message_text(message, &raw->syslog);
	if (!message->partial)
		finish_syslog(raw);
}

void style_raw_message(void *state, const struct message *message)
{
	struct raw *raw = state;
	struct message_syslog syslog;

	if (message_is_event(message))
		return;
	if (raw->in_syslog && !message->continues)
		finish_syslog(raw);
	if (raw->in_syslog || message_is_syslog(message, &syslog))
		put_syslog(raw, message);
	else
		message_text(message, &raw->output->text);
	output_settle(raw->output);
}

void style_raw_end(void *state)
{
	struct raw *raw = state;

	if (raw->in_syslog)
		finish_syslog(raw);
	render_buffer_free(&raw->syslog);
	free(raw);
}
