/*
 * Closes descriptors that a process has inherited and does not want, as
 * closefrom(3), which glibc has since 2.34.  Called by processes with one
 * thread.
 */
#ifndef SANDBOX_CLOSE_FROM_H
#define SANDBOX_CLOSE_FROM_H

#include <stdbool.h>

/* Closes `first` and all above.  False: there may be some left, since neither
 * the kernel (5.9) nor /proc could be asked. */
bool close_from(int first);

#endif
