/*
 * Words on the command line that are no paths: `server`, the newest run of that
 * program, and `server.c:30`, a line of source.  Called by main once, before
 * anything is opened.
 */
#ifndef TOOLS_SHOW_NAMES_H
#define TOOLS_SHOW_NAMES_H

#include <stdbool.h>

#include "decoder/output/options.h"

/*
 * Puts in place of such words the captures in `directory` that they stand for,
 * and conditions.  A word that names a file or a directory stays what it is.
 * False: one of them stands for nothing, or there is no memory; this was said.
 */
bool names_resolve(struct options *options, const char *directory);

#endif
