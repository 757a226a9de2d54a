/*
 * Whether a process whose capture is read is still there.  Asked by whoever
 * says how processes ended.  Promises that a number which now belongs to
 * another process is not taken for the one that was recorded.
 */
#ifndef DECODER_LIVENESS_H
#define DECODER_LIVENESS_H

#include "decoder/capture/recording.h"

enum liveness { LIVENESS_GONE, LIVENESS_ALIVE, LIVENESS_UNKNOWN };

/*
 * Of process `pid` of the capture, which was there at `boottime` (nanoseconds,
 * as in an anchor).
 */
enum liveness liveness_of(
	struct recording *capture, uint32_t pid, uint64_t boottime);

/* Of the boot of this machine that is now; false also if that is not known. */
bool liveness_is_here(const struct recording *capture);

/* The header page's account; zeros where the writer has left none. */
struct binlog_founder liveness_founder(struct recording *capture);

#endif
