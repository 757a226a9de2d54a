/*
 * A format with its arguments as name(value): `sent size(5) to peer(eth0)` of
 * "sent size=%d to peer %s".  Used by message.c where a style asks for it, and
 * for the arguments alone.  Names are those by which --where knows them.
 */
#ifndef DECODER_NAMED_TEXT_H
#define DECODER_NAMED_TEXT_H

#include "decoder/capture/definition.h"
#include "decoder/render/render.h"

/*
 * Appends the text; values come without padding.  False, and nothing is
 * appended: the format does not take these arguments.
 */
bool named_text_put(struct render_buffer *out,
	const struct definition_string *format,
	const struct render_argument *arguments, size_t count);

/* The same of the arguments alone, with spaces between them. */
bool named_text_put_arguments(struct render_buffer *out,
	const struct definition_string *format,
	const struct render_argument *arguments, size_t count);

/* The word before a directive that names its argument, in the `length` bytes
 * of plain text there; *bytes is 0 if there is none. */
const char *named_text_name(const char *text, size_t length, size_t *bytes);

#endif
