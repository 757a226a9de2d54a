/*
 * What the fortified functions (__printf_chk...) refuse: they end the program
 * where a format is not safe.  Asked before a text is made by libc on the
 * spot, since libc would write its message and abort in the middle of that.
 */
#ifndef SHIM_FORTIFY_H
#define SHIM_FORTIFY_H

/*
 * The last words of glibc about a call with this format, or null if it
 * does not mind, or if what it will do first cannot be told from the format.
 * Makes system calls if the format has "%n" and is not constant, as libc
 * would.  Async-signal-safe.
 */
const char *fortify_decision(const char *format);

#endif
