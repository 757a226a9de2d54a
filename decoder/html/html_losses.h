/*
 * What a report says of its captures: how much of each was not recorded, and
 * what was wrong when they were read.  Used by style_html.c, at the end.
 */
#ifndef DECODER_HTML_LOSSES_H
#define DECODER_HTML_LOSSES_H

#include "base/render_buffer.h"
#include "decoder/output/style.h"

/* Members of a JSON object, with a comma between them. */
void html_losses_put(
	const struct style_settings *settings, struct render_buffer *out);

#endif
