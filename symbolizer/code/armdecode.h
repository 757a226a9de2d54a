/*
 * The instructions of aarch64: what they do to the general registers, number
 * 31 being the stack pointer.  Called by codeflow.c for all the code of a
 * file, with whatever bytes are there.
 */
#ifndef SYMBOLIZER_ARMDECODE_H
#define SYMBOLIZER_ARMDECODE_H

#include "symbolizer/code/instruction.h"

instruction_decode armdecode;

#endif
