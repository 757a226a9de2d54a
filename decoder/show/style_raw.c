#include <stdlib.h>

#include "decoder/output/style.h"
#include "decoder/query/filter.h"
#include "decoder/query/line_joiner.h"

struct raw {
	const struct filter_rules *rules;
		/* null: none */ /* null: all is shown */
	struct output *output;
	struct line_joiner *joiner;  /* null: there are no lines to choose */
	struct render_buffer syslog; /* text of a message that is not whole */
	bool in_syslog;
};

static void put_syslog_line(
	struct render_buffer *out, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (text[i] == '\n')
			render_buffer_put(out, "\\n", 2);
		else
			render_buffer_put_byte(out, text[i]);
	}
	render_buffer_put_byte(out, '\n');
}

/* A message is a line: it has no newline inside and one at the end. */
static void finish_syslog(struct raw *raw)
{
	const char *text = raw->syslog.data;
	size_t length = raw->syslog.length;

	while (length > 0 &&
		(text[length - 1] == '\n' || text[length - 1] == '\0'))
		length--;
	put_syslog_line(&raw->output->text, text, length);
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

static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	struct message_syslog syslog;

	(void)closure;
	(void)tail;
	if (message_is_syslog(message, &syslog))
		message_syslog_head(message, &syslog, head);
}

/* Only lines of syslog have a head. */
static void put_lines(void *closure, const struct line_joiner_lines *lines)
{
	struct raw *raw = closure;
	struct render_buffer *out = &raw->output->text;

	render_buffer_put(out, lines->head, lines->head_bytes);
	if (lines->head_bytes > 0) {
		put_syslog_line(out, lines->text, lines->bytes);
	} else {
		render_buffer_put(out, lines->text, lines->bytes);
		render_buffer_put_byte(out, '\n');
	}
	output_settle(raw->output);
}

static void put_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	struct render_buffer head = {0};

	describe(closure, message, &head, NULL);
	put_lines(closure, &(struct line_joiner_lines){
				   .head = head.data,
				   .head_bytes = head.length,
				   .text = text,
				   .bytes = bytes,
			   });
	render_buffer_free(&head);
}

void *style_raw_begin(const struct style_settings *settings)
{
	const struct filter_rules *rules = style_rules(settings);
	struct raw *raw = calloc(1, sizeof(*raw));

	if (!raw)
		return NULL;
	raw->rules = rules;
	raw->output = settings->output;
	if (!filter_asks_for_text(rules) && !output_takes_lines(raw->output))
		return raw;
	raw->joiner = line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.lines = put_lines,
		.whole = put_whole,
		.closure = raw,
		.rules = rules,
	});
	if (raw->joiner && settings->batches)
		settings->batches->joiner = raw->joiner;
	if (raw->joiner)
		return raw;
	free(raw);
	return NULL;
}

void style_raw_message(void *state, const struct message *message)
{
	struct raw *raw = state;
	struct message_syslog syslog;

	if (message_is_event(message))
		return;
	if (raw->joiner) {
		line_joiner_add(raw->joiner, message);
		return;
	}
	if (raw->rules && !filter_is_timely(raw->rules, message))
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
	if (raw->joiner)
		line_joiner_end(raw->joiner);
	render_buffer_free(&raw->syslog);
	free(raw);
}
