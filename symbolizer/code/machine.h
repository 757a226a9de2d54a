/*
 * What has to be known of a processor, beside its instructions, to trace an
 * argument: where calls take arguments from, and what they change.  Looked up
 * by callsites.c for each file.
 */
#ifndef SYMBOLIZER_MACHINE_H
#define SYMBOLIZER_MACHINE_H

#include "symbolizer/code/instruction.h"

#define MACHINE_ARGUMENTS 6

struct machine {
	uint16_t number; /* EM_... */
	instruction_decode *decode;
	uint8_t arguments[MACHINE_ARGUMENTS]; /* registers */
	uint8_t result;
	uint8_t stack;	    /* what local variables are found by: */
	uint8_t frame;	    /* either of these */
	uint32_t clobbered; /* by a call: a bit for each register */
};

/* Null: of this processor nothing is known. */
const struct machine *machine_find(uint16_t number);

#endif
