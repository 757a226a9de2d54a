/*
 * The order in which exit() and fflush(NULL) write FILEs: libc has them in a
 * list, where the newest one comes first, and so does one that is opened anew.
 * Told by the wrappers of what opens and closes; a FILE that somebody else has
 * opened takes its place when it is first seen.  Lock-free.
 */
#ifndef SHIM_STREAM_ORDER_H
#define SHIM_STREAM_ORDER_H

#include <stdint.h>
#include <stdio.h>

/* It is the newest from here on. */
void stream_order_opened(const FILE *file);

void stream_order_closed(const FILE *file);

/* The larger, the earlier it is written. */
uint16_t stream_order_of(const FILE *file);

#endif
