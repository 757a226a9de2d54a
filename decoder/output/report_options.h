/*
 * The options of the styles that show numbers: which style it is, of which
 * argument, how much of it.  Called by the command line.
 */
#ifndef DECODER_REPORT_OPTIONS_H
#define DECODER_REPORT_OPTIONS_H

#include "decoder/output/options.h"

/*
 * Takes an enum option_number.  False: it is none of these; else *wrong is
 * null, or what is wrong with the value.
 */
bool report_options_apply(struct options *options, int option,
	const char *value, const char **wrong);

/* When all are set: null, or what is wrong with *option. */
const char *report_options_fit(struct options *options, const char **option);

/* Whether the style shows messages as lines. */
bool report_options_show_lines(const struct options *options);

#endif
