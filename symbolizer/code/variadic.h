/*
 * Whether a function takes any arguments, as printf does.  Called by handed.c
 * to tell a format from a word that is put into one.  Promises no guess: where
 * neither the call nor what it calls has a sign of it, it is not known.
 */
#ifndef SYMBOLIZER_VARIADIC_H
#define SYMBOLIZER_VARIADIC_H

#include "symbolizer/code/codeflow.h"
#include "symbolizer/symbolizer.h"

/* `call` is an instruction that calls, or jumps to, a function. */
enum symbolizer_answer variadic_call(struct codeflow *flow, uint64_t call);

#endif
