/*
 * `binlog-show --recover`: a clean log, no text.  Called by main instead of
 * showing messages; says itself what is to be said.
 */
#ifndef DECODER_SHOW_RECOVER_H
#define DECODER_SHOW_RECOVER_H

#include "base/exit_status.h"
#include "decoder/output/options.h"
#include "decoder/source/capture_list.h"

/* To standard output, of what was opened, with the errors so far. */
enum exit_status show_recover(const struct options *options,
	const struct capture_list *list, struct error_list *errors);

#endif
