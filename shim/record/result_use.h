/*
 * Whether a program looks at what a call has returned: then the length of a
 * text that is neither recorded nor made has to be found out all the same.
 * Asked once for a place.  Knows the few instructions that compilers put
 * behind calls; of all others, and on other machines, it says yes.  Reads
 * nothing but code of the module that the call is in.
 */
#ifndef SHIM_RESULT_USE_H
#define SHIM_RESULT_USE_H

#include <stdbool.h>
#include <stdint.h>

/* `pc` is the return address of a call that returns an int. */
bool result_use_is_possible(uintptr_t pc);

#endif
