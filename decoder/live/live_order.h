/*
 * The order of the messages of all captures that are followed.  Called by
 * live.c, which begins a pass; live_next() is here.
 */
#ifndef DECODER_LIVE_ORDER_H
#define DECODER_LIVE_ORDER_H

#include "decoder/live/live.h"

/*
 * A message that is younger may have another one before it that is not
 * committed yet: a thread may be without a core between the two.
 */
#define LIVE_ORDER_GUARD_NS 20000000u

/* Before it is looked for what is new: how late a message of this pass may be.
 */
void live_order_set_limit(struct live *live);

/* When all is known that is new. */
void live_order_begin(struct live *live);

/* All captures have ended: what is there is all. */
bool live_order_is_last(const struct live *live);

#endif
