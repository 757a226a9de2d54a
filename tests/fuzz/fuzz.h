/*
 * What every target in this directory is made of.  A target is one file,
 * fuzz_NAME.c, and one property of one parser; it defines
 * LLVMFuzzerTestOneInput(), and LLVMFuzzerCustomMutator() where plain
 * mutations do not get past the framing.  libFuzzer, AFL++ and replay.c
 * call them; see tests/fuzz/run.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Once per process, before the first input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
/* One input, not to be changed.  Returns 0; aborts when the property fails. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Changes data[0..size) in place, up to `most` bytes; returns the new size. */
size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t most, unsigned int seed);
/* Makes one input of two, of up to `most` bytes; returns its size. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size,
	const uint8_t *other, size_t other_size, uint8_t *into, size_t most,
	unsigned int seed);
/* Of libFuzzer: one of its own mutations; there with a mutator only. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define FUZZ_CHECK(condition)                                                  \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: does not hold: %s\n",          \
				__FILE__, __LINE__, #condition);               \
			abort();                                               \
		}                                                              \
	} while (0)

#endif
