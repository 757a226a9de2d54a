/*
 * The memory nodes of this machine.  Asked for the cores that messages were
 * made on; one thread.
 */
#ifndef DECODER_NUMA_H
#define DECODER_NUMA_H

#include <stdint.h>

/* The node that a core belongs to; -1: the kernel does not say. */
int numa_node(uint32_t core);

#endif
