/*
 * What is intact of damaged logs, as one log that is whole: `binlog-show
 * --recover`.  Frames of packed logs are copied as they are, all and no
 * others but those of batches of which pieces are whole; the messages of captures are packed.  Called by main once for each
 * kind; what was left out is in the list of errors.
 */
#ifndef DECODER_RECOVER_H
#define DECODER_RECOVER_H

#include <stdint.h>

#include "decoder/output/output.h"
#include "decoder/source/capture_list.h"

struct recover_sum {
	uint64_t frames;   /* that were copied */
	uint64_t messages; /* that were packed, but events and pieces */
	uint64_t lost;	   /* bytes that were left out */
	bool any;	   /* message or event was packed */
};

/* The packed log at `path`, which outlives `errors`; adds to *sum. */
void recover_packed(const char *path, struct output *output,
	struct error_list *errors, struct recover_sum *sum);

/* All captures of the list, which are open with `errors`; adds to *sum. */
void recover_captures(const struct capture_list *list, struct output *output,
	struct error_list *errors, struct recover_sum *sum);

#endif
