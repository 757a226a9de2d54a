/*
 * Whether more runs in this process than its source says: a sanitizer,
 * valgrind.  Asked by whoever is about to forbid calls, since these make calls
 * of their own and take more memory.
 */
#ifndef SANDBOX_INSTRUMENTED_H
#define SANDBOX_INSTRUMENTED_H

#include <stdbool.h>

bool instrumented(void);

#endif
