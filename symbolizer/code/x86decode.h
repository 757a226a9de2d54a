/*
 * The instructions of x86-64: their lengths and what they do to the general
 * registers.  Called by codeflow.c for all the code of a file, with whatever
 * bytes are there.  Promises the lengths that objdump shows, for compiled code
 * up to AVX-512; reads nothing beyond what it is given.
 */
#ifndef SYMBOLIZER_X86DECODE_H
#define SYMBOLIZER_X86DECODE_H

#include "symbolizer/code/instruction.h"

instruction_decode x86decode;

#endif
