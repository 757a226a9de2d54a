/*
 * Packets of Heph's trace format out of bytes that anybody may have written.
 * Used by the reader of such files; nothing beyond the packet is looked at.
 */
#ifndef DECODER_HEPH_READ_H
#define DECODER_HEPH_READ_H

#include "base/cursor.h"
#include "decoder/heph/heph_packet.h"

/* All of these take a cursor over what follows the size of a packet. */

/* True: it is the option `epoch`. */
bool heph_read_epoch(struct cursor packet, uint64_t *epoch);

/* Leaves the cursor at the attributes.  False: the event does not fit. */
bool heph_read_event(struct cursor *packet, struct heph_event *event);

/*
 * The next attribute; its values follow.  False: there is none, or, if the
 * cursor has failed or is not at its end, it makes no sense.
 */
bool heph_read_attribute(
	struct cursor *packet, struct heph_attribute *attribute);

uint64_t heph_read_number(struct cursor *packet);
double heph_read_float(struct cursor *packet);
struct heph_string heph_read_string(struct cursor *packet);

/* Steps over the values of an attribute. */
void heph_read_over(
	struct cursor *packet, const struct heph_attribute *attribute);

#endif
