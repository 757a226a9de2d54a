/*
 * Pages of captures, which others may cut off while we have them mapped: what
 * they then held is zeros instead of the end of us by SIGBUS.  Used by
 * switching.c and follow_step.c; promises that what is looked at stays
 * readable and writable.  For programs of which one thread looks.
 */
#ifndef TOOLS_CTL_PAGE_GUARD_H
#define TOOLS_CTL_PAGE_GUARD_H

/* From here on; once more does nothing. */
void page_guard_begin(void);

/* How many pages were cut off until now. */
int page_guard_count(void);

#endif
