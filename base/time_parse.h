/*
 * Moments as people write them, in the words of journalctl: a date, a time of
 * today, "yesterday", "-5min", "10 min ago", "@SECONDS".  Called by the
 * command line; promises nanoseconds where they were given.
 */
#ifndef BASE_TIME_PARSE_H
#define BASE_TIME_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The moment in nanoseconds since 1970 into *moment.  `now` is what relative
 * ones count from, in the same unit; dates are in UTC if `utc`, or if "UTC" or
 * "Z" follows them, otherwise in local time.  What is before 1970 comes as 0,
 * what is too late to be counted as UINT64_MAX.  False: not a moment.
 */
bool time_parse(const char *text, uint64_t now, bool utc, uint64_t *moment);

#endif
