/*
 * Who fills a place of the ring, and whether they are gone: threads that have
 * ended, and children, leave places behind that are not full.  Called by
 * ring.c; promises that nothing is taken from a thread that is alive.
 */
#ifndef SHIM_RING_OWNER_H
#define SHIM_RING_OWNER_H

#include "record/ring_table.h"

/*
 * Only of an open place an owner is told, and after the state: who sees a state
 * and then an owner knows that it is not that of somebody before.
 */
void ring_owner_set(struct binlog_ring_place *place, uint32_t tid);

/* Before the place is given up; false: it is not that owner's any more. */
void ring_owner_clear(struct binlog_ring_place *place);
bool ring_owner_take_back(struct binlog_ring_place *place, uint64_t owner);

/*
 * Looks at some places, and asks the kernel for at most `asked` owners; what
 * those that are gone have left is full.  True: there was one.
 */
bool ring_owner_find_gone(uint32_t asked);

#endif
