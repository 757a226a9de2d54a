/*
 * What the pointers in a text point to: a function or a variable of the
 * program or of a library.  Asked by the styles when that is wanted, while the
 * text is rendered.  Promises to add nothing to pointers that lead elsewhere.
 */
#ifndef DECODER_POINTERS_H
#define DECODER_POINTERS_H

#include "base/render_buffer.h"
#include "decoder/names/locations.h"

struct pointers;

/* `locations` stays the caller's.  Null: out of memory. */
struct pointers *pointers_new(struct locations *locations);

/*
 * Makes `out` ask for each %p of this message: " <symbol+0x20>" is appended,
 * or " <file+0x1234>" where no symbol is known.
 */
void pointers_show(struct pointers *pointers, const struct message *message,
	struct render_buffer *out);

/* Null is fine. */
void pointers_free(struct pointers *pointers);

#endif
