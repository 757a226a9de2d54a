/*
 * One directive of a format: takes its arguments and renders it.  Called by
 * whoever goes through a format, piece by piece (render.c) or as a plan has it
 * (render_plan.c); one thread.
 */
#ifndef DECODER_RENDER_DIRECTIVE_H
#define DECODER_RENDER_DIRECTIVE_H

#include "base/limits.h"
#include "decoder/render/render_number.h"
#include "record/format.h"

/* One use of a format. */
struct render_call {
	struct render_piece piece;
	const struct render_argument *arguments;
	size_t count;  /* of them, without the errno once it is known */
	size_t start;  /* of the text in the buffer */
	size_t limit;  /* render_buffer.limit, or what stands for it */
	size_t length; /* of the format */
	bool general;  /* format_cursor.general, for this directive */
	size_t used;   /* the highest one used so far, plus 1 */
	bool errno_taken;
	int32_t error; /* for "%m" */
};

extern const struct render_locale render_directive_c; /* the locale C */

/* A call that begins; `locale` and `libc` as in render_format(). */
static inline struct render_call render_directive_begin(
	struct render_buffer *out, size_t length,
	const struct render_argument *arguments, size_t count,
	const struct render_locale *locale, uint32_t libc)
{
	size_t limit =
		out->limit != 0 ? out->limit : limits_size(LIMIT_PADDING);

	return (struct render_call){
		.piece = {.out = out,
			.locale = locale != NULL ? locale : &render_directive_c,
			.libc = libc,
			.fill = limit,
			.digits = limits_size(LIMIT_DIGITS)},
		.arguments = arguments,
		.count = count,
		.start = out->length,
		.limit = limit,
		.length = length,
	};
}

/* Returns an enum render_outcome; nothing was written if it is a mismatch. */
int render_directive_put(
	struct render_call *call, const struct format_directive *directive);

/* The text has become longer than it may: nothing may follow. */
bool render_directive_is_beyond(struct render_call *call);

/*
 * The end of a call, `rest` being what is left of the format, verbatim unless
 * the outcome says that it is done with; returns the outcome of all of it.
 */
int render_directive_end(struct render_call *call, int outcome,
	const char *rest, const char *end);

#endif
