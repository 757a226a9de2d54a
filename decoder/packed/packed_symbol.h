/*
 * The names of addresses in a packed log, out of its SYMBOL records.  Called
 * by the reader for each; what makes no sense is left out.
 */
#ifndef DECODER_PACKED_SYMBOL_H
#define DECODER_PACKED_SYMBOL_H

#include "decoder/packed/packed_log.h"

/* False: it makes no sense. */
bool packed_symbol_take(
	struct packed_log *log, const struct packed_record *record);

#endif
