/*
 * Whether a function hands on what it was given.  Called by functionname for
 * each function that is named.  Promises to look at the parameters alone.
 */
#ifndef SYMBOLIZER_FUNCTIONPARAMETERS_H
#define SYMBOLIZER_FUNCTIONPARAMETERS_H

#include "symbolizer/dwarfentry.h"

/*
 * True when it takes any number of arguments after a first one, a va_list, or a
 * pack of C++: who logs by such a function is its caller.
 */
bool functionparameters_any(const struct dwarfentry *function);

#endif
