/*
 * A format that is used again and again, taken apart once: its plain text,
 * and for each directive how it is rendered.  Kept with the context of
 * messages by message.c; the text is that of render_format() in the C locale.
 */
#ifndef DECODER_RENDER_PLAN_H
#define DECODER_RENDER_PLAN_H

#include "base/pool.h"
#include "decoder/render/render.h"

/* So many uses of a format are rendered without one. */
#define RENDER_PLAN_USES 16

struct render_plan;

/*
 * As render_format(), with the same outcome.  *plan is null the first time and
 * then what it was left as, for this very format; its memory is the pool's,
 * and the format must live as long.  Without a pool no plan is made.
 */
int render_plan_put(struct render_plan **plan, struct pool *pool,
	struct render_buffer *out, const char *format, size_t length,
	const struct render_argument *arguments, size_t count, uint32_t libc);

#endif
