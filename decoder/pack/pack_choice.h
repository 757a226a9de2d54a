/*
 * Which of two ways of writing something took less lately.  What a trial has
 * found is taken for granted for a while, the longer the more often it was
 * found.  Used by whatever writes a part of each batch.
 */
#ifndef DECODER_PACK_CHOICE_H
#define DECODER_PACK_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* A trial holds for no more batches. */
#define PACK_CHOICE_HOLD_MAX 63u

/* All zeros to begin with. */
struct pack_choice {
	bool other;
	uint8_t left; /* batches until both are tried again */
	uint8_t hold; /* how many these were after the last trial */
};

/* Whether the choice is made, for one batch more. */
static inline bool pack_choice_settled(struct pack_choice *choice)
{
	if (choice->left == 0)
		return false;
	choice->left--;
	return true;
}

/* A trial has found which is better. */
static inline void pack_choice_make(struct pack_choice *choice, bool other)
{
	if (other != choice->other)
		choice->hold = 0;
	else if (choice->hold < PACK_CHOICE_HOLD_MAX)
		choice->hold = (uint8_t)(4 * choice->hold + 3);
	choice->other = other;
	choice->left = choice->hold;
}

#endif
