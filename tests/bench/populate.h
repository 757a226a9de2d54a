/*
 * populate_blocks(): what of this process's capture has been claimed for
 * records lately is mapped from here on, so that writing there meets no page
 * fault.  Between measurements, by the measuring programs; nothing happens in
 * a process that is not recorded.  False: it could not be done.
 */
#ifndef BENCH_POPULATE_H
#define BENCH_POPULATE_H

#ifdef __cplusplus
extern "C"
#else
#include <stdbool.h>
#endif
	bool
	populate_blocks(void);

#endif
