/*
 * The definitions in a packed log: what one record says, entered into the
 * tables of the log.  Called by the reader for every record but those with
 * messages.  What refers to something that is lost is kept as far as it goes,
 * and made whole when all of it comes again in the next part.
 */
#ifndef DECODER_PACKED_DEFINE_H
#define DECODER_PACKED_DEFINE_H

#include "decoder/packed/packed_log.h"

/*
 * False: it makes no sense.  Of records that define nothing true, and nothing
 * happens.
 */
bool packed_define(struct packed_log *log, const struct packed_record *record);

#endif
