/*
 * All frames of a message's stack: those that were recorded, and those of
 * functions whose last call was a jump, as far as the debug information knows
 * them.  Asked for stacks, locations and source lines.
 */
#ifndef DECODER_FRAMES_H
#define DECODER_FRAMES_H

#include "decoder/names/locations.h"

/* Return false to stop. */
typedef bool frames_take(void *closure, const struct location *location);

/* Calls back for each, the innermost first. */
void frames_each(struct locations *locations, const struct message *message,
	frames_take *take, void *closure);

/*
 * Calls back once, for where the author of a message has written it: the
 * innermost frame that is no function which others print through, or the
 * innermost of all.
 */
void frames_author(struct locations *locations, const struct message *message,
	void (*take)(void *closure, const struct location *location),
	void *closure);

#endif
