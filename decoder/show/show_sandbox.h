/*
 * What binlog-show gives up before it reads.  Part of its main.  Promises that
 * nothing is given up that the options ask for.
 */
#ifndef DECODER_SHOW_SANDBOX_H
#define DECODER_SHOW_SANDBOX_H

#include <stdbool.h>

#include "decoder/output/options.h"
#include "decoder/show/outputs.h"

/*
 * For the rest of the process: files for output and a pager are open or will
 * not be.  `outputs` are null when all there is goes to standard output;
 * `places`: addresses are looked up, or statements.  Null, or a sentence why it must not go
 * on, see sandbox.h.
 */
const char *show_sandbox(const struct options *options,
	const struct outputs *outputs, bool places);

#endif
