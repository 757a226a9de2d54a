/* What has been built to measure coverage, of itself: for dump.c. */
#ifndef TESTS_COVERAGE_COUNTERS_H
#define TESTS_COVERAGE_COUNTERS_H

struct gcov_info;

/* One of each object, of the compiler's library. */
struct coverage {
	const struct gcov_info *const *begin;
	const struct gcov_info *const *end;
};

extern const struct coverage coverage;

#endif
