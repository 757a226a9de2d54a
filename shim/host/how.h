/*
 * The functions that have a way of their own in fast_x86_64.S: what is
 * remembered of a call through one of them is of no use to another, which has
 * its arguments in other registers.  Also read by the assembler.
 */
#ifndef SHIM_HOW_H
#define SHIM_HOW_H

#define HOW_NONE 0 /* all others */
#define HOW_PRINTF 1
#define HOW_FPRINTF 2
#define HOW_PRINTF_CHK 3
#define HOW_FPRINTF_CHK 4
#define HOW_PUTS 5
#define HOW_FPUTS 6
#define HOW_FPUTS_UNLOCKED 7
#define HOW_FWRITE 8
#define HOW_FWRITE_UNLOCKED 9
#define HOW_COUNT 10

#endif
