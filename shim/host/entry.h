/*
 * The entries of fast_x86_64.S, one for each function that it has: what is
 * remembered of a call through one of them is of no use to another, which has
 * its arguments in other registers.  Also read by the assembler.
 */
#ifndef SHIM_ENTRY_H
#define SHIM_ENTRY_H

#define ENTRY_NONE 0 /* all others */
#define ENTRY_PRINTF 1
#define ENTRY_FPRINTF 2
#define ENTRY_PRINTF_CHK 3
#define ENTRY_FPRINTF_CHK 4
#define ENTRY_PUTS 5
#define ENTRY_FPUTS 6
#define ENTRY_FPUTS_UNLOCKED 7
#define ENTRY_FWRITE 8
#define ENTRY_FWRITE_UNLOCKED 9
#define ENTRY_COUNT 10

#endif
