/*
 * The outputs that a config file asks for: its sections [output NAME].  Read
 * by binlog-show once, before anything else.
 */
#ifndef DECODER_OUTPUT_CONFIG_H
#define DECODER_OUTPUT_CONFIG_H

#include "decoder/show/outputs.h"

/*
 * Adds those of the file options->config: each begins as the options say.
 * False: see outputs->problem.  What is allocated lasts as long as the
 * program.
 */
bool output_config_read(struct outputs *outputs, const struct options *options);

#endif
