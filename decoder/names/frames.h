/*
 * All frames of a message's stack: those that were recorded, and those of
 * functions whose last call was a jump, as far as the debug information knows
 * them.  Asked for stacks, places and source lines.
 */
#ifndef DECODER_FRAMES_H
#define DECODER_FRAMES_H

#include "decoder/names/places.h"

/* Return false to stop. */
typedef bool frames_take(void *closure, const struct place *place);

/* Calls back for each, the innermost first. */
void frames_each(struct places *places, const struct message *message,
	frames_take *take, void *closure);

/*
 * Calls back once, for where the author of a message has written it: the
 * innermost frame that is no function which others print through, or the
 * innermost of all.
 */
void frames_author(struct places *places, const struct message *message,
	void (*take)(void *closure, const struct place *place), void *closure);

#endif
