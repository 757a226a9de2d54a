/*
 * What a report knows of a call site: what is called there, with which format,
 * where that is, and its arguments.  Used by html_index.c, once for each.
 */
#ifndef DECODER_HTML_SITE_H
#define DECODER_HTML_SITE_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/names/places.h"

/*
 * Appends, as a JSON array: function, format, module, offset in it, location,
 * `frame`, names of the arguments, and their types (enum field_type); null is
 * what is not known.  Without places, which may be null, no location is.
 */
void html_site_put(const struct message *message, struct places *places,
	uint32_t frame, struct render_buffer *json);

#endif
