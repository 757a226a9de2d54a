#include "decoder/render/render.h"

#include "decoder/render/render_directive.h"

/* Renders piece by piece until the end or the first that cannot be. */
static int put_pieces(struct render_call *call, struct format_cursor *cursor)
{
	struct format_directive directive;
	int outcome;

	while (format_next(cursor, &directive)) {
		if (directive.conversion == 0) {
			render_buffer_put(call->piece.out, directive.text,
				directive.length);
			continue;
		}
		call->general = cursor->general;
		outcome = render_directive_put(call, &directive);
		if (outcome != RENDER_COMPLETE) {
			cursor->at = directive.text;
			return outcome;
		}
		if (render_directive_is_beyond(call))
			return RENDER_COMPLETE;
	}
	return cursor->at == cursor->end ? RENDER_COMPLETE : RENDER_UNDEFINED;
}

int render_format(struct render_buffer *out, const char *format, size_t length,
	const struct render_argument *arguments, size_t count,
	const struct render_locale *locale, uint32_t libc)
{
	struct render_call call = render_directive_begin(
		out, length, arguments, count, locale, libc);
	size_t first = render_buffer_pieces(out);
	struct format_cursor cursor;
	int outcome;

	format_begin(&cursor, format, length);
	outcome = put_pieces(&call, &cursor);
	outcome = render_directive_end(&call, outcome, cursor.at, cursor.end);
	if (libc_has(libc, LIBC_BUFFERS))
		render_buffer_join_printed(
			out, first, outcome == RENDER_BROKEN);
	return outcome;
}
