/*
 * The spans of a report: how long it took from one message to another, by the
 * rules of --spans, for the lanes of its timeline.  Used by style_html.c;
 * they are written while messages are read, in chunks of their own.
 */
#ifndef DECODER_HTML_SPANS_H
#define DECODER_HTML_SPANS_H

#include "decoder/html/html_index.h"
#include "decoder/html/html_page.h"
#include "decoder/output/style.h"

struct html_spans;

/*
 * The others stay the caller's.  Null: out of memory, or none are asked for:
 * then *failed is false.
 */
struct html_spans *html_spans_new(const struct style_settings *settings,
	struct html_index *index, struct html_page *page, bool *failed);

/* Any message, in the order of the calls; `spans` may be null. */
void html_spans_message(
	struct html_spans *spans, const struct message *message);

/* Writes what is left, and a member of a JSON object: what the rules are. */
void html_spans_end(struct html_spans *spans,
	const struct style_settings *settings, struct render_buffer *out);

/* Null is fine. */
void html_spans_free(struct html_spans *spans);

#endif
