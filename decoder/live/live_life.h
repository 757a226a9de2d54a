/*
 * Who could still write to a capture that is followed.  Called by
 * live_capture.c before it looks at what was written, so that who is gone has
 * written all that it ever will.
 */
#ifndef DECODER_LIVE_LIFE_H
#define DECODER_LIVE_LIFE_H

#include "decoder/live/live_capture.h"

/*
 * Asks now and then only.  True: `ended` is set, or `gone` of some writers,
 * which was not before.
 */
bool live_life_ask(struct live_capture *capture);

/* All of the capture was packed and freed before, and nobody is left. */
bool live_life_is_over(const struct recording *recording);

#endif
