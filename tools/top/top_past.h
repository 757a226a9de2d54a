/*
 * What binlog-pack --follow has taken out of captures before binlog-top came:
 * the definitions that what is still there needs, as its log has them.  Asked
 * by top_captures.c for captures of which something was freed.
 */
#ifndef TOOLS_TOP_TOP_PAST_H
#define TOOLS_TOP_TOP_PAST_H

#include "decoder/live/live_past.h"

/*
 * Adds what the log of whoever follows the directory of this capture has noted
 * up to now.  Without a follower nothing is known.
 */
void top_past_read(struct live_pasts *pasts, const char *capture);

#endif
