/*
 * For tests of what may go on in another capture: nothing does.  It defines
 * functions of the library: not for more than one file of a program.
 */
#ifndef TESTS_SPILL_WORLD_H
#define TESTS_SPILL_WORLD_H

#include "shim/writer/spill.h"

bool spill_on;
uint32_t spill_wanted;
unsigned spill_held;

uint64_t spill_begin(const char *value, uint64_t max_bytes, uint64_t quota)
{
	(void)value;
	(void)quota;
	return max_bytes;
}

void spill_want(const struct writer *w, bool urgent)
{
	(void)w;
	(void)urgent;
}

void spill_go(struct writer *w)
{
	(void)w;
}

void *spill_claim_left(const struct writer *w, uint32_t size)
{
	(void)w;
	(void)size;
	return NULL;
}

void spill_give_back_slow(void)
{
}

#endif
