/*
 * The table of options, and what each one does to struct options.  Used by
 * options.c alone, which finds out what was given.
 */
#ifndef DECODER_OPTIONS_APPLY_H
#define DECODER_OPTIONS_APPLY_H

#include "base/command_line.h"
#include "decoder/output/options.h"

enum option_number {
#define OPTION(name, text, letter, argument, key, help) NUMBER_##name,
#include "decoder/output/options.def"
#undef OPTION
	OPTIONS_ROWS
};

/* By enum option_number. */
extern const struct command_option options_table[OPTIONS_ROWS];

/* Of an option that is only there or not.  Null: it is no such. */
bool *options_apply_flag(struct options *options, int option);

/* Null, or what is wrong with the value, good until the next call. */
const char *options_apply(
	struct options *options, int option, const char *value);

#endif
