#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "decoder/output/style.h"
#include "decoder/query/filter.h"
#include "decoder/query/line_joiner.h"
#include "rules/levels.h"

/*
 * Lines that editors take for those of a compiler: FILE:LINE: TEXT, and before
 * the text what they know as kinds.  What has no line of source has no place
 * to go to, and is left out.
 */
struct quickfix {
	struct style_settings settings;
	struct line_joiner *joiner;
};

static void put_place(void *closure, const struct location *location)
{
	struct render_buffer *head = closure;

	if (!location->file || !location->line)
		return;
	escape_put(
		head, location->file, strlen(location->file), ESCAPE_NEWLINE);
	render_buffer_put_byte(head, ':');
	render_buffer_put_number(head, location->line);
	render_buffer_put_string(head, ": ");
}

static const char *kind_of(int level)
{
	if (level < 0)
		return "";
	if (level <= LEVEL_err)
		return "error: ";
	return level == LEVEL_warning ? "warning: " : "";
}

static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	const struct quickfix *quickfix = closure;

	(void)tail;
	render_buffer_put_byte(head, (char)message_level(message));
	if (quickfix->settings.location)
		frames_author(
			quickfix->settings.location, message, put_place, head);
}

static void put_line(struct quickfix *quickfix, const char *head,
	size_t head_bytes, const char *text, size_t bytes)
{
	struct render_buffer *out = &quickfix->settings.output->text;
	const char *kind;

	if (head_bytes < 2)
		return;
	kind = kind_of(*head);
	render_buffer_put(out, head + 1, head_bytes - 1);
	if (bytes < strlen(kind) || strncasecmp(text, kind, strlen(kind)) != 0)
		render_buffer_put_string(out, kind);
	escape_put(out, text, bytes, ESCAPE_NEWLINE);
	render_buffer_put_byte(out, '\n');
	output_settle(quickfix->settings.output);
}

static void put_lines(void *closure, const struct line_joiner_lines *lines)
{
	put_line(closure, lines->head, lines->head_bytes, lines->text,
		lines->bytes);
}

static void put_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	struct render_buffer head = {0};

	describe(closure, message, &head, NULL);
	put_line(closure, head.data, head.length, text, bytes);
	render_buffer_free(&head);
}

void *style_quickfix_begin(const struct style_settings *settings)
{
	struct quickfix *quickfix = calloc(1, sizeof(*quickfix));

	if (!quickfix)
		return NULL;
	quickfix->settings = *settings;
	quickfix->joiner = line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.lines = put_lines,
		.whole = put_whole,
		.closure = quickfix,
		.rules = style_lines_rules(settings),
		.bare = settings->bare,
	});
	if (quickfix->joiner && settings->batches)
		settings->batches->joiner = quickfix->joiner;
	if (quickfix->joiner)
		return quickfix;
	free(quickfix);
	return NULL;
}

void style_quickfix_message(void *state, const struct message *message)
{
	struct quickfix *quickfix = state;

	if (!message_is_event(message))
		line_joiner_add(quickfix->joiner, message);
	else if (event_words_are(message) &&
		 event_words_are_of_process(message))
		line_joiner_end_process(quickfix->joiner, message);
}

void style_quickfix_end(void *state)
{
	struct quickfix *quickfix = state;

	line_joiner_end(quickfix->joiner);
	free(quickfix);
}
